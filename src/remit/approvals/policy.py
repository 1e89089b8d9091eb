"""A policy gives a verdict on a call: allow, ask a person, or block.

Rules are objects, in order; the first that has a verdict counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from remit.approvals.policy_version import fingerprint
from remit.contracts.call import Call
from remit.contracts.facts import Effect, Risk
from remit.contracts.question import content_digest
from remit.errors import SetupError

DECIDE_PERMISSION: Final = "approvals:decide"
"""The permission that a person needs to decide, unless a verdict names another."""


MAX_LIFETIME: Final = 100 * 365 * 24 * 3600.0
"""Seconds that a question or a grant may stand at most; JSON and calendars have no infinity."""


def check_lifetime(seconds: float, what: str) -> None:
    """Refuse a time that is none, or that cannot be written down.

    Raises:
        SetupError: it is.
    """
    if not 0 < seconds <= MAX_LIFETIME:
        raise SetupError(f"{what} of {seconds} seconds: give a positive number, at most {MAX_LIFETIME:.0f} (100 years)")


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A person decides: one who holds the permission ``who``, within ``expires_in`` seconds; no answer means denied.

    ``four_eyes``: it must be somebody else than whoever started the run, or edited the call.
    """

    reason: str
    who: str = DECIDE_PERMISSION
    expires_in: float = 7 * 24 * 3600.0
    four_eyes: bool = False

    def __post_init__(self) -> None:
        check_lifetime(self.expires_in, "a time to answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The call may not run, whoever asks."""

    reason: str


Verdict = Allow | Ask | Block


class Rule(Protocol):
    """Gives a verdict on the calls it is about, and None on all others."""

    @property
    def name(self) -> str:
        """What the journal and the person see."""
        ...

    def __call__(self, call: Call, /) -> Verdict | None:
        """The verdict, if this rule is about the call. ``call.payload`` is validated."""
        ...


@dataclass(frozen=True, slots=True)
class HighRisk:
    """Ask before anything of high risk."""

    name: str = "high risk"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask, if the facts say high risk."""
        if call.callee.facts.risk is Risk.HIGH:
            return Ask(reason=f"{call.callee.name} is of high risk")
        return None


@dataclass(frozen=True, slots=True)
class UnsafeEgress:
    """Ask before data leaves the system by a call that cannot be undone or repeated."""

    name: str = "unsafe egress"

    def __call__(self, call: Call, /) -> Verdict | None:
        """Ask, if the facts say unsafe and egress."""
        facts = call.callee.facts
        if facts.effect is Effect.UNSAFE and facts.egress:
            return Ask(reason=f"{call.callee.name} sends data out and cannot be undone")
        return None


@dataclass(frozen=True, slots=True)
class When:
    """A rule of your own: ``verdict`` for the calls of which ``test`` is true.

    ``version`` says which version of the test it is; without one the code of the test does. Raise it where the test
    changes its mind by what it calls or reads: an approval is given under one version, and is not used under another.
    """

    name: str
    test: Callable[[Call], bool]
    verdict: Verdict
    version: str = ""

    def __call__(self, call: Call, /) -> Verdict | None:
        """The verdict, if the test is true."""
        return self.verdict if self.test(call) is True else None


_DEFAULT_VERDICT: Final = (Allow(), "")


class Policy:
    """Rules in order. What no rule is about is allowed. ``four_eyes`` asks for them wherever a rule asks."""

    __slots__ = ("_four_eyes", "rules", "version")

    def __init__(self, *rules: Rule, four_eyes: bool = False) -> None:
        names = [rule.name for rule in rules]
        duplicates = sorted({name for name in names if names.count(name) > 1})
        if duplicates:
            raise SetupError(f"two rules are named {duplicates[0]!r}; a person must be able to tell which one asked")
        self.rules = rules
        self._four_eyes = four_eyes
        self.version = content_digest(*map(_rule_version, rules), *(["four eyes"] if four_eyes else []))

    def verdict(self, call: Call) -> tuple[Verdict, str]:
        """The verdict on a call, and the name of the rule that gave it."""
        for rule in self.rules:
            verdict = rule(call)
            if verdict is not None:
                return self._with_four_eyes(verdict), rule.name
        return _DEFAULT_VERDICT

    def _with_four_eyes(self, verdict: Verdict) -> Verdict:
        return replace(verdict, four_eyes=True) if self._four_eyes and isinstance(verdict, Ask) else verdict

    def __repr__(self) -> str:
        rules = [rule.name for rule in self.rules]
        return f"Policy({', '.join([*rules, *(['four eyes'] if self._four_eyes else [])])})"


def _rule_version(rule: Rule) -> str:
    """Which rule it is, the same in every process."""
    if isinstance(rule, When) and rule.version:
        return fingerprint((When, rule.name, rule.verdict, rule.version))
    return fingerprint(rule)


DEFAULT_POLICY: Final = Policy(HighRisk(), UnsafeEgress())
"""Ask before high risk, and before unsafe egress."""
