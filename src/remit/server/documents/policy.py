"""The rules under which calls are made, as they are."""

from __future__ import annotations

import inspect
from typing import Final

from remit.app import App
from remit.approvals.policy import BLOCKS, DEFAULT_POLICY, UNKNOWN, Allow, Rule, When
from remit.runtime import Runtime
from remit.server.documents.document import Document

_WORDS: Final = {0: "allows", 1: "asks for a confirmation", 2: "asks for an approval", 3: "asks for another person"}


class RuleDocument(Document):
    """A rule: its name, what it says of itself, and the strictest that it can do."""

    name: str
    meaning: str
    verdict: str


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
        meanings = {each.name: _explain_rule(each) for each in policy.rules}
        rules = (
            RuleDocument(name=name, meaning=meanings.get(name, ""), verdict=_verdict(strictness))
            for name, strictness in policy.rule_strictness
        )
        return PolicyDocument(version=policy.version, rules=tuple(rules), layers=repr(runtime))


def _explain_rule(rule: Rule) -> str:
    """What a rule says of itself: a rule of an application the reason that it gives, others their first sentences."""
    if not isinstance(rule, When):
        return (inspect.getdoc(type(rule)) or "").partition("\n\n")[0]
    reason = "" if isinstance(rule.verdict, Allow) else rule.verdict.reason
    tools = ", ".join(sorted(rule.tools))
    return ": ".join(filter(None, [f"For {tools}" if tools else "", reason]))


def _verdict(strictness: int) -> str:
    if strictness == BLOCKS:
        return "blocks"
    return "decided by code of the application" if strictness == UNKNOWN else _WORDS[strictness]
