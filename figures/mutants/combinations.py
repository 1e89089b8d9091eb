"""Mutants of the figure about combinations of layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from figures.combinations import measure_pairs_with
from figures.figure import Figure
from figures.mutants.mutant import Mutant, Plant, edited, together
from figures.mutants.resumed import TARGET_LOST


def _mutant(defect: str, layer: str, plant: Plant) -> Mutant:
    return Mutant(figure="layers.combinations.broken", defect=defect, plant=plant, measure=_measure(layer))


def _measure(layer: str) -> Callable[[], Iterator[Figure]]:
    return lambda: measure_pairs_with(layer)


_GUARD: Final = "remit.call.guard"

MUTANTS: Final = (
    _mutant(
        "Python callers get the result that a layer has replaced",
        "mapping",
        edited(
            "remit.call.reply:Reply.map",
            'Reply(serialize_content(value), "ok", value, is_final=self.is_final, notice=self.notice)',
            'Reply(serialize_content(value), "ok", self.value, output=self.output)',
        ),
    ),
    _mutant(
        "a layer that numbers attempts runs an unsafe call twice",
        "repeating",
        edited(
            "remit.dispatch.base:Base.__call__", "1 if self._effect is Effect.UNSAFE else call.attempt", "call.attempt"
        ),
    ),
    _mutant(
        "the end of an attempt keeps what a layer redacts",
        "Redact",
        together(
            edited("remit.layers.redact:Redact.__call__", "redactions=(redaction, *call.redactions)", "redactions=()"),
            edited(
                "remit.dispatch.dispatcher:_redact_from_start", "redactions=redactions", "redactions=redactions[:0]"
            ),
        ),
    ),
    _mutant(
        "a layer replaces the validated arguments",
        "other_arguments",
        together(
            edited(f"{_GUARD}:_check_same_call", "is not getattr(entered, name)", "is None"),
            edited(f"{_GUARD}:_check_unchanged", "payload is not None and", "payload is None and"),
        ),
    ),
    _mutant(
        "a large result is shown to the model without a reference",
        "hiding",
        edited(
            "remit.layers.record:_Record._to_recorded", "await store_large(text, self._limits.output_bytes)", "None"
        ),
    ),
    _mutant(
        "a resumed run has lost its target",
        "delaying",
        TARGET_LOST,
    ),
    _mutant(
        "a nested call loses the target of its run",
        "delaying",
        edited("remit.record.principal:Caller.enter_call", "self.target,", '"",'),
    ),
    _mutant(
        "the correction of a result is not on record",
        "delaying",
        edited(
            "remit.agent.typed_result:record_reply",
            'chat.ledger.add(Message(call=chat.call_id, agent=chat.agent_call_id, text=text, by="loop"))',
            "pass",
        ),
    ),
    _mutant(
        "a resumed run is compacted in another way",
        "delaying",
        edited("remit.agent.compactor:_list_compactions", "item.turn <= chat.turn", "item.turn < 0"),
    ),
    _mutant(
        "a resumed run remembers anew",
        "delaying",
        edited("remit.agent.first_messages:record_message", "if recorded is None:", "if True:"),
    ),
    _mutant(
        "what a search found is not shown to the model",
        "delaying",
        edited(
            "remit.agent.tool_search:names_found",
            'found.update(dict.fromkeys(names_in_reply(message.get("content")), index))',
            "pass",
        ),
    ),
    _mutant(
        "the pieces of an answer that a killed process was writing are not withdrawn",
        "delaying",
        edited("remit.client.following:_Cursor.drop_lost", "if known not in ids]", "if known is None]"),
    ),
    _mutant(
        "a reader who goes on gets an item twice",
        "delaying",
        edited("remit.client.following:_follow", "store.read(run, cursor.seq)", "store.read(run, cursor.seq - 1)"),
    ),
)
