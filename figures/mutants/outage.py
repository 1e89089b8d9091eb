"""Mutants of the figures about outages of the model."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of, together
from figures.mutants.resumed import TARGET_LOST

_RECORDER: Final = "remit.agent.model_recorder"
_FIND: Final = "remit.dispatch.attempts:find_attempt"
_ASK: Final = f"{_RECORDER}:ModelRecorder._ask"

_NOT_ANSWERED: Final = edited(
    "remit.layers.record:_Record.__call__", "if isinstance(item, ToolOutput) and not is_reexecuted:", "if False:"
)

_LOST: Final = mutants_of(
    "model.outage.lost",
    {
        "a run fails by a busy model": edited(_ASK, "signal = _to_signal(failure)", "signal = failure"),
        "a failed request is met again by a resume": edited(
            _ASK, "if items and ledger.execution.is_replaying:", "if items:"
        ),
        "a replay fails where the run stalled": edited(
            _ASK, "raise _to_signal(error_from_reply(", "raise (error_from_reply("
        ),
        "a resumed run has lost its target": TARGET_LOST,
        "an agent's calls lose the target of its run": edited(
            "remit.record.principal:Caller.enter_call", "self.target,", '"",'
        ),
        "a large result is not stored for the run": edited(
            "remit.record.run_artifacts:store_large",
            "return await access.add(data,",
            "from remit.record.artifact import new_artifact; return new_artifact(data, name='', max_bytes=1 << 30,",
        ),
        "the correction of a result is not on record": edited(
            "remit.agent.typed_result:record_reply",
            'chat.ledger.add(Message(call=chat.call_id, agent=chat.agent_call_id, text=text, by="loop"))',
            "pass",
        ),
        "PydanticAI's driver asks for a correction without saying why": edited(
            "remit.drivers.chat_model:ChatModel.end_step",
            "self._request.after(outcome)",
            "self._request.again(outcome)",
        ),
        "a compaction is decided anew by a resume": edited(
            "remit.agent.compactor:_list_compactions", "item.turn <= chat.turn", "item.turn < 0"
        ),
        "a compaction is not on record": edited(
            "remit.agent.compactor:Compactor._record", "request.chat.ledger.add(item)", "pass"
        ),
        "a compaction cuts calls from their results": edited(
            "remit.chat.compacted_history:group_messages",
            "if groups and text.startswith(TOOL_PREFIX):",
            "if False:",
        ),
        "what a conversation left to remember is found anew by a resume": edited(
            "remit.agent.first_messages:record_message", "if recorded is None:", "if True:"
        ),
        "what a search found is not shown to the model": edited(
            "remit.agent.tool_search:names_found",
            'found.update(dict.fromkeys(names_in_reply(message.get("content")), index))',
            "pass",
        ),
        "the pieces of a failed request are not withdrawn": edited(
            "remit.client.following:_Cursor.drop_lost", "if known not in ids]", "if known is None]"
        ),
        "a reader who goes on misses an item": edited(
            "remit.client.following:_follow", "store.read(run, cursor.seq)", "store.read(run, cursor.seq + 1)"
        ),
    },
)
_DOUBLED: Final = mutants_of(
    "model.outage.doubled",
    {
        "what has ended is neither answered nor known to have ended": together(
            _NOT_ANSWERED,
            edited(
                "remit.dispatch.attempts:find_attempt", "return number, started, ended", "return number, started, None"
            ),
        ),
        "what has ended is neither answered nor known to have started": together(
            _NOT_ANSWERED,
            edited(_FIND, "return number, started, ended", "return number, None, None"),
        ),
        "the journal of a resumed run is not read": edited(
            "remit.journal.ledger:RunLedger.items_for", "return self._items_by_call.get(call, ())", "return ()"
        ),
        "a reader who goes on gets an item twice": edited(
            "remit.client.following:_follow", "store.read(run, cursor.seq)", "store.read(run, cursor.seq - 1)"
        ),
    },
)

MUTANTS: Final = (*_LOST, *_DOUBLED)
