"""What a policy says about a call, and how two policies differ on it."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from remit.approvals.policy import BLOCKS, Allow, Ask, Policy, Verdict
from remit.call.call import Call
from remit.errors import CallError

Difference = Literal["asked", "blocked", "looser"]
"""``asked``: newly asked about, or asked more strictly. ``blocked``: newly blocked. ``looser``: no longer asked about,
no longer blocked, or a person with less or other authority answers."""

_WORDS: Final = ("allowed", "confirmed", "approved", "approved by another person", "blocked")


class Judgement(Struct, frozen=True, gc=False):
    """The verdict of a policy on a call, with its rule and reason; see `Policy.rule_strictness` for ``strictness``.

    A rule that fails blocks the call; then ``rule`` is empty, and the reason is the error. ``who`` is the permission
    needed to answer.
    """

    strictness: int = 0
    rule: str = ""
    reason: str = ""
    who: str = ""

    @property
    def word(self) -> str:
        """What must happen for the call to run, such as ``approved``; ``blocked`` if it cannot."""
        return _WORDS[self.strictness]


def judge(policy: Policy, call: Call) -> Judgement:
    """The judgement of ``policy`` on a call with a payload."""
    try:
        verdict, rule = policy.verdict(call)
    except CallError as error:
        return Judgement(BLOCKS, "", error.message)
    return judgement_of(verdict, rule)


def judgement_of(verdict: Verdict, rule: str) -> Judgement:
    """The judgement that a rule's verdict is."""
    if isinstance(verdict, Allow):
        return Judgement(0, rule)
    if isinstance(verdict, Ask):
        strictness = 1 if verdict.kind == "confirm" else 3 if verdict.four_eyes else 2
        return Judgement(strictness, rule, verdict.reason, verdict.who)
    return Judgement(BLOCKS, rule, verdict.reason)


def difference(before: Judgement, after: Judgement) -> Difference | None:
    """How ``after`` differs from ``before``; None if the same people are asked, or the call runs in both cases."""
    if after.strictness != before.strictness:
        if after.strictness < before.strictness:
            return "looser"
        return "blocked" if after.strictness == BLOCKS else "asked"
    return "looser" if after.who != before.who else None
