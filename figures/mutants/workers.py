"""Mutants of the figure about the replay of workers."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of, together

_DIGEST: Final = "remit.workers.request_digest"

MUTANTS: Final = mutants_of(
    "worker.replay_mismatches",
    {
        "a replay compares neither items nor requests": together(
            edited("remit.journal.replay:ReplayLedger.add", "if recorded == item]", "]"),
            edited("remit.agent.model_recorder:ModelRecorder._check_digest", "if recorded == digest:", "if True:"),
        ),
        "the digest of a request does not cover its tools": edited(
            f"{_DIGEST}:RequestDigester._serialize_parameters",
            "for each in parameters.function_tools",
            "for each in ()",
        ),
        "the digest of a request covers when its messages were made": edited(
            f"{_DIGEST}:_serialize_message", "if key not in _TIMESTAMP_FIELDS", "if True"
        ),
        "what the journal records and the code no longer does is no difference": edited(
            "remit.engine.result:report_replay", "if has_ended else []", "if has_ended and False else []"
        ),
    },
)
