"""A policy gives a verdict on a call: allow, ask a person, or block. The first verdict of its rules applies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Final, Protocol, Self, cast

from remit.approvals.earlier_calls import DeclaredTest, EarlierCalls, reading_rules
from remit.approvals.lifetime import as_lifetime
from remit.approvals.policy_version import fingerprint
from remit.call.call import Call
from remit.call.contract import Contract, HandsOver, names_of
from remit.call.facts import Effect, Risk
from remit.call.failures import is_failure
from remit.call.redact import safe_cause
from remit.core.argument_types import Converted, Name, Permission
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import (
    as_texts,
    check_flag,
    check_instance,
    check_name,
)
from remit.core.protocols import implements
from remit.errors import CallError, PolicyError, SetupError
from remit.record.arguments import content_digest
from remit.record.question import DecisionKind
from remit.record.secret import redact_secrets
from remit.shown import show_value

DECIDE_PERMISSION: Final = "approvals:decide"
"""The permission needed to decide, unless a verdict names another."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A person with permission ``who`` must decide within ``expires_in`` seconds; otherwise the call is denied.

    With ``four_eyes``, the approver must be neither the run's starter nor the call's last editor. With the ``kind``
    *approve*, a signed-in principal with the permission decides; with *confirm*, the run's principal may too. A
    decision always names its question; the text of a message is never a decision.
    """

    reason: str
    who: Permission = DECIDE_PERMISSION
    expires_in: Annotated[float, Converted(as_lifetime)] = 7 * 24 * 3600.0
    four_eyes: bool = False
    kind: DecisionKind = "approve"

    def __post_init__(self) -> None:
        if self.four_eyes and self.kind == "confirm":
            raise SetupError("Ask: four_eyes needs the approval of another person; kind='confirm' asks the acting user")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The call may not run."""

    reason: str


Verdict = Allow | Ask | Block


class Rule(Protocol):
    """Returns a verdict on each call that it covers, and None for other calls."""

    @property
    def name(self) -> str:
        """The name shown to approvers and recorded in the journal."""
        ...

    def __call__(self, call: Call, /) -> Verdict | None:
        """The verdict, or None if the rule does not cover the call. ``call.payload`` is validated."""
        ...


# The docstrings of the `__call__` methods below are part of the code that a policy's version digests. Changing one
# voids earlier approvals and grants.


@check_arguments()
@dataclass(frozen=True, slots=True)
class HighRisk:
    """Ask before high-risk calls."""

    name: str = "high risk"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask, if the facts say high risk."""
        if call.callee.facts.risk is Risk.HIGH:
            return Ask(reason=f"{call.callee.name} is high-risk")
        return None


@check_arguments()
@dataclass(frozen=True, slots=True)
class Egress:
    """Ask before calls that send data out of the system, even to read. Composed callees ask through their calls."""

    name: str = "egress"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask, if the facts say egress."""
        facts = call.callee.facts
        if facts.egress and facts.effect is not Effect.COMPOSED and not implements(call.callee, HandsOver):
            return Ask(reason=f"{call.callee.name} sends data out of the system")
        return None


@check_arguments()
@dataclass(frozen=True, slots=True)
class Undeclared:
    """Ask before calls of a tool that declares neither effect nor risk, because it may do anything."""

    name: str = "undeclared"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask, if neither effect nor risk was given."""
        if not call.callee.facts.declared:
            return Ask(reason=f"{call.callee.name} declares neither effect nor risk; write @tool(effect=…)")
        return None


@check_arguments()
@dataclass(frozen=True, slots=True)
class ConfirmationFlag:
    """Let the acting person confirm calls of tools with a confirmation flag, instead of requiring an approver."""

    name: str = "confirmation flag"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask for a confirmation, if the facts name a flag."""
        if call.callee.facts.confirm is not None:
            return Ask(reason=f"{call.callee.name} asks for a confirmation", kind="confirm")
        return None


@check_arguments()
@dataclass(frozen=True, slots=True)
class When:
    """A custom rule that returns ``verdict`` for calls of ``tools`` for which ``test`` returns True.

    Args:
        test: called with each call of the tools, or a test such as `After`. By default, all calls match.
        version: identifies the test, by default derived from its code; approvals are valid only under their version.
            Change it when other code or data changes the test's result.
        tools: names of tools or agents; empty for all. An agent's name also covers handoffs to it. A runtime refuses
            unknown names here, but cannot check names inside a test.
    """

    name: Name
    test: Annotated[Callable[[Call], bool], callback("call", is_async=False)] | None = None
    verdict: Verdict = field(default=cast("Verdict", None))
    version: str = ""
    _: KW_ONLY
    tools: Annotated[Iterable[str], Converted(as_texts)] = frozenset()

    def __post_init__(self) -> None:
        where = f"When {show_value(self.name)}"
        if self.test is None and not self.tools:
            raise SetupError(f"{where} selects nothing; give tools or a test")
        if not isinstance(cast("object", self.verdict), Verdict):
            raise SetupError(f"{where}: verdict is {show_value(self.verdict)}; give an Allow, an Ask or a Block")

    def __call__(self, call: Call, /) -> Verdict | None:
        """The verdict, if the call is of one of the tools and the test is true."""
        if self.tools and not any(name in self.tools for name in names_of(call.callee)):
            return None
        if self.test is None:
            return self.verdict
        matches = self.test(call)
        if type(matches) is not bool:
            raise PolicyError(f"the test of the rule '{self.name}' returned {_describe(matches)}; return True or False")
        return self.verdict if matches else None


_DEFAULT_RULES: Final = (HighRisk, Egress, Undeclared)
_KINDS_OF_REMIT: Final = (*_DEFAULT_RULES, ConfirmationFlag)
_DEFAULT_VERDICT: Final = (Allow(), "")

BLOCKS: Final = 4
UNKNOWN: Final = -1
"""The strictness of `Block`, and of verdicts from the application's own code; see `Policy.rule_strictness`."""


@check_arguments()
class Policy:
    """Rules in order, followed by the default rules ``HighRisk(), Egress(), Undeclared()``.

    The first rule that returns a verdict decides. Calls that no rule covers are allowed. A default rule that is listed
    in ``rules`` keeps that position. ``four_eyes`` applies to every rule that asks.
    """

    __slots__ = ("_four_eyes", "earlier_calls", "rules", "version")

    def __init__(self, *rules: Rule, four_eyes: bool = False) -> None:
        given = {type(rule) for rule in rules}
        self._set_rules((*rules, *(kind() for kind in _DEFAULT_RULES if kind not in given)), four_eyes=four_eyes)

    @classmethod
    def only(cls, *rules: Rule, four_eyes: bool = False) -> Self:
        """Make a policy of only these rules, without the default rules."""
        policy = cls.__new__(cls)
        policy._set_rules(rules, four_eyes=four_eyes)
        return policy

    def _set_rules(self, rules: tuple[Rule, ...], *, four_eyes: bool) -> None:
        for rule in rules:
            _check_rule(rule)
        check_flag("Policy: four_eyes", four_eyes)
        if four_eyes:
            _check_no_confirmation(rules)
        names = [rule.name for rule in rules]
        duplicates = sorted({name for name in names if names.count(name) > 1})
        if duplicates:
            raise SetupError(
                f"two rules are named {duplicates[0]!r}; give each its own name, so that approvers can tell them apart"
            )
        self.rules = rules
        self._four_eyes = four_eyes
        reading = (each for rule in rules if isinstance(rule, When) for each in reading_rules(rule.test, rule.tools))
        self.earlier_calls = EarlierCalls([*reading])
        self.version = content_digest(*map(_rule_version, rules), *(["four eyes"] if four_eyes else []))

    def with_rule(self, rule: Rule, *, before: str) -> Policy:
        """This policy with another rule, which stands before the rule named ``before``, or last if there is none."""
        check_name("Policy.with_rule: before", before)
        names = [each.name for each in self.rules]
        place = names.index(before) if before in names else len(names)
        return Policy.only(*self.rules[:place], rule, *self.rules[place:], four_eyes=self._four_eyes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules, and ``four eyes`` if every rule that asks requires them."""
        return tuple(name for name, _ in self.rule_strictness)

    @property
    def rule_strictness(self) -> tuple[tuple[str, int], ...]:
        """The names of the rules with the strictness of their verdicts.

        0 allows, 1 asks for a confirmation, 2 for an approval, 3 for an approval with four eyes, and `BLOCKS` blocks.
        Verdicts of application code are `UNKNOWN`. ``four eyes`` stands last if every rule that asks requires them.
        """
        rules = ((rule.name, _strictness_of(rule)) for rule in self.rules)
        return (*rules, *([("four eyes", 0)] if self._four_eyes else []))

    @property
    def own_rules(self) -> tuple[str, ...]:
        """The names of the rules that run an application's code."""
        return tuple(
            rule.name for rule in self.rules if not isinstance(rule, _KINDS_OF_REMIT) and not _is_declared(rule)
        )

    def covers(self, kind: type[Rule], tool: str) -> bool:
        """Whether a rule is of this kind, or is a custom rule that may match calls of the tool."""
        check_instance("Policy.covers: kind", kind, type, "give a class of rules, such as HighRisk")
        return any(isinstance(rule, kind) or _may_match(rule, tool) for rule in self.rules)

    def reads_call(self, callee: Contract) -> bool:
        """Whether the verdict on calls of ``callee`` may depend on more than the callee, such as the arguments."""
        return any(
            _may_match(rule, name)
            for rule in self.rules
            if not (isinstance(rule, When) and rule.test is None)
            for name in names_of(callee)
        )

    def verdict(self, call: Call) -> tuple[Verdict, str]:
        """The verdict on a call and the name of its rule, both without secrets.

        Raises:
            PolicyError: a rule failed or returned anything but a verdict or None; the call is denied.
        """
        for rule in self.rules:
            try:
                verdict = rule(call)
            except CallError:
                raise
            except BaseException as error:  # any error in a rule denies the call
                if not is_failure(error):
                    raise
                problem = redact_secrets(f"{type(error).__name__}: {error}")
                failed = PolicyError(f"the rule '{rule.name}' failed, so {call.callee.name} is denied: {problem}")
                raise failed from safe_cause(error)
            if verdict is not None:
                checked = self._with_four_eyes(_check_verdict(verdict, rule), rule, call)
                return _without_secrets(checked), redact_secrets(rule.name)
        return _DEFAULT_VERDICT

    def _with_four_eyes(self, verdict: Verdict, rule: Rule, call: Call) -> Verdict:
        if not self._four_eyes or not isinstance(verdict, Ask):
            return verdict
        if verdict.kind == "confirm":
            raise PolicyError(f"{_needs_approval(rule)}; {call.callee.name} is denied")
        return replace(verdict, four_eyes=True)

    def __repr__(self) -> str:
        return f"Policy({', '.join(self.names)})"


def _without_secrets(verdict: Verdict) -> Verdict:
    if isinstance(verdict, Allow) or (reason := redact_secrets(verdict.reason)) == verdict.reason:
        return verdict
    return replace(verdict, reason=reason)


def _check_verdict(verdict: object, rule: Rule) -> Verdict:
    if not isinstance(verdict, Verdict):
        raise PolicyError(
            f"the rule '{rule.name}' returned {_describe(verdict)}; return Allow(), Ask(…), Block(…) or None"
        )
    return verdict


def _strictness_of(rule: Rule) -> int:
    match rule.verdict if isinstance(rule, When) else rule:
        case Allow():
            return 0
        case Ask(kind="confirm") | ConfirmationFlag():
            return 1
        case Ask(four_eyes=True):
            return 3
        case Ask() | HighRisk() | Egress() | Undeclared():
            return 2
        case Block():
            return BLOCKS
        case _:
            return UNKNOWN


def _is_declared(rule: Rule) -> bool:
    """Whether a rule selects calls without running application code."""
    return isinstance(rule, When) and (rule.test is None or isinstance(rule.test, DeclaredTest))


def _may_match(rule: Rule, tool: str) -> bool:
    return not isinstance(rule, _KINDS_OF_REMIT) and not (
        isinstance(rule, When) and rule.tools and tool not in rule.tools
    )


def _describe(value: object) -> str:
    """Describe a rule's wrong value. Only its type is named, because its ``repr`` may differ between processes."""
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine: write it as a plain `def`"
    return f"the class {value.__name__}" if isinstance(value, type) else f"a value of type {type(value).__name__}"


def _check_rule(rule: object) -> None:
    if isinstance(rule, type):
        raise SetupError(f"Policy: {rule.__name__} is a class; write {rule.__name__}(…)")
    if not callable(rule) or not hasattr(rule, "name"):
        shown = "a list, whose rules must be given one after the other," if isinstance(rule, list) else repr(rule)
        raise SetupError(f"Policy: {shown} is not a rule, such as HighRisk() or When(name, test, verdict)")
    check_name("the name of a rule", getattr(rule, "name"))  # noqa: B009 - the type of a rule is not known yet
    if inspect.iscoroutinefunction(rule) or inspect.iscoroutinefunction(type(rule).__call__):
        raise SetupError(f"Policy: the rule {show_value(rule)} is async; write it as a plain `def`")


def _check_no_confirmation(rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        asks = isinstance(rule, When) and isinstance(rule.verdict, Ask) and rule.verdict.kind == "confirm"
        if asks or isinstance(rule, ConfirmationFlag):
            raise SetupError(f"Policy: {_needs_approval(rule)}")


def _needs_approval(rule: Rule) -> str:
    return f"the rule '{rule.name}' asks with kind='confirm', but under four_eyes another person approves; drop one"


def _rule_version(rule: Rule) -> str:
    """Identify a rule by its content, identically in every process."""
    if isinstance(rule, When) and rule.version:
        return fingerprint((When, rule.name, rule.verdict, rule.version, rule.tools))
    return fingerprint(rule)


DEFAULT_POLICY: Final = Policy()
"""Ask before high risk, before data leaves the system, and before tools without effect and risk."""
