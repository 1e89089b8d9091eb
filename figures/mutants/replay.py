"""Mutants of the figure about replays."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited

_ADD = "remit.journal.replay:ReplayLedger.add"

MUTANTS: Final = (
    Mutant(
        figure="replay.missed_differences",
        defect="a replay compares nothing",
        plant=edited(_ADD, "if recorded == item]", "]"),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="an item that the journal does not record is accepted",
        plant=edited(
            _ADD,
            'raise DivergedError(f"{_describe_item(item)} is not in the journal: {encode_item(item)[:300]}")',
            "return",
        ),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="what the journal records and the code no longer does is no difference",
        plant=edited("remit.engine.result:report_replay", "if has_ended else []", "if has_ended and False else []"),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="a replay takes the compactions on record for granted",
        plant=edited(
            "remit.agent.compactor:Compactor.compact",
            "if not request.ledger.is_replaying and (today or _has_answer(request)):",
            "if today or _has_answer(request):",
        ),
    ),
)
