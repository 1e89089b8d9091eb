"""Mutants of the figure about the replay of workers."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of, together

_DIGEST: Final = "remit.chat.chat:ChatRequest.digest"

MUTANTS: Final = mutants_of(
    "worker.replay_mismatches",
    {
        "a replay compares neither items nor requests": together(
            edited("remit.journal.replay:ReplayLedger.add", "if recorded == item]", "]"),
            edited("remit.agent.model_recorder:_check_digest", "if recorded == digest:", "if True:"),
        ),
        "the digest of a request does not cover its tools": edited(
            _DIGEST, "self.history.digest + self.tools.digest", "self.history.digest"
        ),
        "the digest of a request does not cover the tools of the provider": edited(
            _DIGEST, "map(str, self.provider_tools)", "()"
        ),
        "the digest of a request covers by which object it was made": edited(
            _DIGEST, "self.settings.digest_text", "self.settings.digest_text + str(id(self))"
        ),
        "PydanticAI's driver leaves the words of its model out of the next request": edited(
            "remit.drivers.chat_model:ChatModel.end_step",
            "self._request.after(outcome)",
            "self._request.again(outcome)",
        ),
        "what the journal records and the code no longer does is no difference": edited(
            "remit.engine.result:report_replay", "if has_ended else []", "if has_ended and False else []"
        ),
    },
)
