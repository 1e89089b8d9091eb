"""Mutants of the figures about the ladder."""

from __future__ import annotations

from typing import Final

from figures import ladder, ladder_wire
from figures.mutants.mutant import edited, mutants_of

_LADDER: Final = "remit.mcp.calls:CallLadder"
_DECISIONS: Final = "remit.mcp.decisions"
_ATTACHER: Final = "remit.client.attaching:CallAttacher"

_WITHOUT_ATTACH: Final = edited("remit.mcp.calls:RunPerCall.make", "attach=True", "attach=False")
_QUESTION_IS_READ: Final = edited(f"{_ATTACHER}.__call__", "if result.status not in UNFINISHED_STATUSES:", "if True:")
_DENIES: Final = edited(f"{_DECISIONS}:take_answers", "approved=answer.is_yes", "approved=False")

_ON_THE_WIRE: Final = (
    *mutants_of(
        "mcp.ladder.wire.doubled",
        {
            "a call that is made again is a new one": _WITHOUT_ATTACH,
            "a call that waits counts as read": _QUESTION_IS_READ,
            "a store does not know the run of a call": edited(
                "remit.journal.sql.attached_calls:SqlAttachedCalls.attach_call",
                "return run if stored is None else stored.run",
                "return run",
            ),
        },
        ladder_wire.measure_again,
    ),
    *mutants_of(
        "mcp.ladder.wire.lost",
        {"a call that is made again is a new one, and the answer stays unused": _WITHOUT_ATTACH},
        ladder_wire.measure_again,
    ),
    *mutants_of(
        "mcp.ladder.wire.lost",
        {
            "the answer to a form in a session is ignored": edited(
                "remit.mcp.sessions:Sessions.take_answer", "message.result is UNSET", "True"
            ),
            "a yes in a form is a no": _DENIES,
        },
        ladder_wire.measure_forms,
    ),
)

MUTANTS: Final = (
    *mutants_of(
        "mcp.ladder.doubled",
        {
            "a call that is made again is a new one": _WITHOUT_ATTACH,
            "a call that waits counts as read": _QUESTION_IS_READ,
            "the state of another principal is accepted": edited(
                f"{_LADDER}._read_state", "if (state.owner, state.call) != (new.owner, new.call):", "if False:"
            ),
            "an answer is taken for whatever waits": edited(
                f"{_DECISIONS}:take_answers",
                "for question in shown:",
                """given = next(iter(answers.values()), Raw(b"{}"))
    shown = [row.question.id for row in await client.questions()]
    answers = dict.fromkeys(shown, given)
    for question in shown:""",
            ),
            "an unsafe call that was interrupted is made again": edited(
                "remit.dispatch.base:Base.__call__",
                "self._run_unsafe if started is None else self._settle_or_run",
                "self._run_unsafe",
            ),
        },
        lambda: ladder.measure(short=True),
    ),
    *mutants_of(
        "mcp.ladder.lost",
        {
            "a call that is made again is a new one, and the answer stays unused": _WITHOUT_ATTACH,
            "a hold that ends drops its question": edited(
                f"{_LADDER}._tell",
                "return waiting_result(asked.client, result, rows, pages)",
                "await asked.client.cancel(result.run); return waiting_result(asked.client, result, rows, pages)",
            ),
            "a yes in a form is a no": _DENIES,
        },
        lambda: ladder.measure(short=True),
    ),
    *_ON_THE_WIRE,
)
