"""How approvals are used: by tool and rule, how often a person was asked, what they answered, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final, Literal

from msgspec import Struct

from remit.approvals.policy import Allow, Block, Policy, When
from remit.journal.ports import QuestionRow
from remit.record.question import Decision
from remit.trial.policy_trial import ChangedGroup, PolicyTrial

UNREAD_SECONDS: Final = 2.0
"""A question that is answered faster was hardly read."""

_ENOUGH_ANSWERS: Final = 20
"""The answers from which advice follows."""

_NEARLY_ALL: Final = 0.9

Advice = Literal["allow", "block", "ask others"]
"""``allow``: approved always, unedited and mostly unread. ``block``: denied nearly always. ``ask others``: most
questions expire, so those who may answer do not."""


class ApprovalHealth(Struct, frozen=True):
    """The questions that a rule asked about calls of a tool.

    ``edited`` were approved with other arguments, ``unread`` answered by a person within `UNREAD_SECONDS`, and
    ``granted`` answered by a grant. ``median_seconds`` is the time that people took, None without an answer.
    ``advice`` is tried: ``changes`` are the groups of recorded calls whose verdict would change.
    """

    tool: str
    rule: str
    asked: int
    approved: int
    denied: int
    edited: int
    granted: int
    expired: int
    open: int
    unread: int
    median_seconds: float | None
    advice: Advice | None = None
    changes: Sequence[ChangedGroup] = ()


class _Counts:
    __slots__ = ("approved", "asked", "denied", "edited", "expired", "granted", "open", "seconds")

    def __init__(self) -> None:
        self.asked = self.approved = self.denied = self.edited = self.granted = self.expired = self.open = 0
        self.seconds: list[float] = []

    def add(self, row: QuestionRow) -> None:
        self.asked += 1
        if row.decision is not None:
            self._add_decision(row.decision, row.question.asked)
        elif row.status == "open":
            self.open += 1
        elif row.status == "expired":
            self.expired += 1

    def _add_decision(self, decision: Decision, asked: float) -> None:
        if decision.approved:
            self.approved += 1
        else:
            self.denied += 1
        if decision.grant:
            self.granted += 1
            return
        self.edited += bool(decision.arguments)
        self.seconds.append(decision.at - asked)

    @property
    def unread(self) -> int:
        return sum(seconds < UNREAD_SECONDS for seconds in self.seconds)

    @property
    def advice(self) -> Advice | None:
        answers = len(self.seconds)
        if self.expired >= _ENOUGH_ANSWERS and self.expired * 2 > self.asked:
            return "ask others"
        if answers < _ENOUGH_ANSWERS:
            return None
        if self.denied >= _NEARLY_ALL * (self.approved + self.denied):
            return "block"
        is_formality = not self.denied and not self.edited and self.unread * 2 >= answers
        return "allow" if is_formality else None


class HealthFold:
    """Counts the questions asked from ``since`` until ``until``, and gives advice."""

    def __init__(self, since: float, until: float) -> None:
        self._since = since
        self._until = until
        self._counts: dict[tuple[str, str], _Counts] = {}

    def add(self, row: QuestionRow) -> None:
        """Count a question, unless it was not asked of a person: answered with its caller, or not about approval."""
        question = row.question
        is_asked = question.kind == "approval" and not (question.within or question.is_about_run)
        if is_asked and self._since <= question.asked < self._until:
            self._counts.setdefault((question.tool, question.rule), _Counts()).add(row)

    def advised_policy(self, policy: Policy) -> Policy | None:
        """``policy`` with a rule for each piece of advice, before the rule that asks; None if no advice changes it."""
        changed, names = policy, {each.name for each in policy.rules}
        for (tool, rule), counts in self._counts.items():
            advice = counts.advice
            if advice not in ("allow", "block") or rule not in names:
                continue
            verdict = Allow() if advice == "allow" else Block(reason="people deny it")
            changed = changed.with_rule(When(_rule_name(tool, rule), verdict=verdict, tools={tool}), before=rule)
        return None if changed is policy else changed

    def result(self, trial: PolicyTrial | None = None) -> list[ApprovalHealth]:
        """The counts by tool and rule, with the groups that differ in ``trial``, the trial of `advised_policy`."""
        groups = () if trial is None else trial.groups
        found = [
            ApprovalHealth(
                tool=tool,
                rule=rule,
                asked=each.asked,
                approved=each.approved,
                denied=each.denied,
                edited=each.edited,
                granted=each.granted,
                expired=each.expired,
                open=each.open,
                unread=each.unread,
                median_seconds=median(each.seconds) if each.seconds else None,
                advice=each.advice,
                changes=[group for group in groups if group.after_rule == _rule_name(tool, rule)],
            )
            for (tool, rule), each in self._counts.items()
        ]
        return sorted(found, key=lambda each: (-each.asked, each.tool, each.rule))


def _rule_name(tool: str, rule: str) -> str:
    return f"advice on {tool} under {rule}"
