"""The rules under which calls are made, as they are."""

from __future__ import annotations

import inspect
from typing import Final

from remit.app import App
from remit.approvals.policy import BLOCKS, DEFAULT_POLICY, UNKNOWN, Allow, Ask, Rule, When
from remit.runtime import Runtime
from remit.server.documents.document import Document

_WORDS: Final = {0: "allows", 1: "asks for a confirmation", 2: "asks for an approval", 3: "asks for another person"}


class RuleDocument(Document):
    """A rule: its name, what it says of itself, and the strictest that it can do.

    ``tools`` are those whose calls it is about, sorted; empty if it looks at all calls. ``permission`` is the one of
    those who decide, if a rule of the application asks.
    """

    name: str
    tools: tuple[str, ...]
    meaning: str
    verdict: str
    permission: str


class PolicyDocument(Document):
    """The rules in order; the first that applies decides. ``layers`` are around every call, outermost first."""

    version: str
    rules: tuple[RuleDocument, ...]
    layers: str

    @staticmethod
    def of(runtime: Runtime) -> PolicyDocument:
        """The document of the policy of a runtime."""
        app: App = runtime.app
        policy = app.policy or DEFAULT_POLICY
        known = {each.name: each for each in policy.rules}
        rules = (
            RuleDocument(
                name=name,
                tools=_tools_of(known.get(name)),
                meaning=_explain_rule(known.get(name)),
                verdict=_verdict(strictness),
                permission=_permission_of(known.get(name)),
            )
            for name, strictness in policy.rule_strictness
        )
        return PolicyDocument(version=policy.version, rules=tuple(rules), layers=repr(runtime))


def _tools_of(rule: Rule | None) -> tuple[str, ...]:
    return tuple(sorted(rule.tools)) if isinstance(rule, When) else ()


def _permission_of(rule: Rule | None) -> str:
    return rule.verdict.who if isinstance(rule, When) and isinstance(rule.verdict, Ask) else ""


def _explain_rule(rule: Rule | None) -> str:
    """What a rule says of itself: a rule of an application the reason that it gives, others their first sentences."""
    if rule is None:
        return ""
    if not isinstance(rule, When):
        return (inspect.getdoc(type(rule)) or "").partition("\n\n")[0]
    return "" if isinstance(rule.verdict, Allow) else rule.verdict.reason


def _verdict(strictness: int) -> str:
    if strictness == BLOCKS:
        return "blocks"
    return "decided by code of the application" if strictness == UNKNOWN else _WORDS[strictness]
