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
            "remit.agent.compactor:Compactor._fit",
            "if not chat.ledger.execution.is_replaying and (today or _has_answer(chat)):",
            "if today or _has_answer(chat):",
        ),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="whether an answer was streamed is a part of its request",
        plant=edited(
            "remit.agent.model_recorder:ModelRecorder.__call__",
            "request.digest()",
            'f"{request.digest()} {request.ledger.execution.is_replaying}"',
        ),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="a replay remembers anew",
        plant=edited(
            "remit.agent.first_messages:record_message",
            "if recorded is None:",
            "if recorded is None or frame.ledger.execution.is_replaying:",
        ),
    ),
    Mutant(
        figure="replay.missed_differences",
        defect="a replay shows the model other tools than a search found",
        plant=edited(
            "remit.agent.tool_search:names_found",
            'found.update(dict.fromkeys(names_in_reply(message.get("content")), index))',
            "pass",
        ),
    ),
)
