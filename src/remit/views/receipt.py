"""The receipt of a run: what its calls changed according to the journal, whatever the model says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from remit.call.changed import Changed
from remit.call.contract import Contract
from remit.call.entity import Entity, entities_of
from remit.call.facts import Effect
from remit.core.call_checks import check_callback
from remit.core.checks import as_tuple_of
from remit.errors import CallCancelledError, CallError, RepeatedCallError
from remit.record.items import AttemptEnded, AttemptStarted, Item, Message, Note, ToolOutput
from remit.record.sentence import NO_SENTENCE, Sentence
from remit.views.parts import STOPPED, CallView, only_announces, read_error
from remit.views.run_view import RunView
from remit.views.sentences import FindContract, UndoCall, sentence_of, undo_of
from remit.views.values import show_line


class ReceiptCall(Struct, frozen=True, kw_only=True):
    """A call on a receipt, with the objects that it changed, as it reported them.

    ``sentence`` says what it did, and ``undo`` is the call that undoes it, if its tool declares one. ``arguments`` is
    JSON, empty if it is not on record. ``entities`` are the objects that its result describes, and ``error`` says why
    the call failed or was not made.
    """

    id: str
    tool: str
    arguments: str = ""
    objects: tuple[Changed, ...] = ()
    entities: tuple[Entity, ...] = ()
    error: CallError | None = None
    sentence: Sentence = NO_SENTENCE
    undo: UndoCall | None = None

    @property
    def summary(self) -> str:
        """What it did and why it failed, in one line: its sentence, and the changes that the sentence does not name."""
        unnamed = [text for name, text in self._named_objects() if name not in self.sentence.text]
        objects = f" ({', '.join(map(show_line, unnamed))})" if unnamed else ""
        why = f": {show_line(self.error.message, _MAX_ERROR)}" if self.error else ""
        return f"{self.sentence.text}{objects}{why}"

    @property
    def changed_objects(self) -> tuple[str, ...]:
        """The objects that it changed, or else those that its result describes: ``page About us (title)``."""
        return tuple(text for _, text in self._named_objects())

    def _named_objects(self) -> Iterable[tuple[str, str]]:
        """Each object that it changed, or else that its result describes: its name, and its line."""
        names = {(each.kind, each.id): each.name for each in self.entities}
        found = dict[str, str]()
        for each in self.objects:
            name = each.name or names.get((each.kind, each.id), each.id)
            found[f"{each.kind} {name}" + (f" ({', '.join(each.fields)})" if each.fields else "")] = name
        described = {f"{each.kind} {each.name}": each.name for each in self.entities}
        return ((name, text) for text, name in (found if self.objects else described).items())


class Receipt(Struct, frozen=True, kw_only=True):
    """The changes by the calls of a run, over all its agents, in order.

    ``changed`` calls succeeded, or reported a change before they failed. ``failed`` calls began and failed. ``unknown``
    calls began, but the journal does not say whether they happened. ``not_made`` calls were refused before they began.
    The effect of ``erased`` calls is unknown because their items were erased from the journal.
    """

    changed: tuple[ReceiptCall, ...] = ()
    failed: tuple[ReceiptCall, ...] = ()
    unknown: tuple[ReceiptCall, ...] = ()
    not_made: tuple[ReceiptCall, ...] = ()
    erased: tuple[ReceiptCall, ...] = ()

    @property
    def has_changed_nothing(self) -> bool:
        """Whether it is certain that nothing was changed."""
        return not (self.changed or self.unknown or self.erased)


NO_RECEIPT: Final = Receipt()
"""The receipt of a run that has made no call."""


def make_receipt(items: Iterable[Item], find_contract: FindContract = lambda _name: None) -> Receipt:
    """Make the receipt of a run from its items, complete or so far.

    The journal records which calls changed something. ``find_contract`` finds tools by name. It is needed to list calls
    that were not made, to omit failures of tools that only read, and to read entities from results.
    """
    view = RunView()
    for item in as_tuple_of(Item, "make_receipt", "items", items, "give items, as a result has them"):
        view.add(item)
    return receipt_of(view, find_contract)


def receipt_of(view: RunView, find_contract: FindContract = lambda _name: None) -> Receipt:
    """The receipt of a run as far as its view goes; see `make_receipt`."""
    check_callback("make_receipt: find_contract", find_contract, "name", is_async=False)
    listed: dict[_Kind, list[ReceiptCall]] = {"changed": [], "failed": [], "unknown": [], "not_made": [], "erased": []}
    for call in view.calls.values():
        contract = find_contract(call.tool) if call.tool else None
        erased = set(call.erased)
        caller = view.calls.get(call.parent)
        if call.output is not None and call.wire and not call.arguments and caller is not None and caller.erased:
            erased.add(Message.kind)
        # The lines of a caller's calls show its changes, except those that the caller itself reported.
        is_listed = call.changes or not any(each.id for each in call.calls) or Note.kind in erased
        if is_listed and (kind := _classify(call, contract, erased)):
            listed[kind].append(_make_line(call, contract, find_contract))
    return Receipt(**{kind: tuple(calls) for kind, calls in listed.items()})


def _make_line(call: CallView, contract: Contract | None, find_contract: FindContract) -> ReceiptCall:
    return ReceiptCall(
        id=call.id,
        tool=call.tool,
        arguments="" if call.output is None else call.arguments,
        objects=call.changes,
        entities=() if call.output is None or contract is None else entities_of(call.output, contract),
        error=call.error,
        sentence=sentence_of(call, contract),
        undo=undo_of(call, find_contract),
    )


def _classify(call: CallView, contract: Contract | None, erased: set[str]) -> _Kind | None:
    """The part of the receipt to which a call belongs, if any. ``erased`` are the kinds of its erased items."""
    last = call.attempts[-1] if call.attempts else None
    has_ended_well = last is not None and last.outcome == "ok" and not last.void
    is_named = ToolOutput.kind not in erased and (Message.kind not in erased or not _announces(contract))
    if call.changes or (has_ended_well and is_named and not only_announces(call, contract)):
        return "changed"  # the successful end of a call that only reads is not recorded
    reads = (last is not None and last.pure) or (contract is not None and contract.facts.effect is Effect.PURE)
    if not reads and _may_have_changed(contract, erased, has_begun=last is not None, is_named=is_named):
        return "erased"
    if has_ended_well or reads or (contract is not None and contract.facts.effect is Effect.COMPOSED):
        return None
    if last is None or last.void:
        error = call.error
        is_listed = error is not None and contract is not None and not isinstance(error, _NOT_LISTED)
        return "not_made" if is_listed else None
    if last.outcome is None:
        return None if call.output is not None and call.error is None else "unknown"
    return "unknown" if isinstance(read_error(last.content), STOPPED) else "failed"


def _may_have_changed(contract: Contract | None, erased: set[str], *, has_begun: bool, is_named: bool) -> bool:
    """Whether the erased items of a call may have reported a change."""
    if Note.kind in erased or (has_begun and not is_named):
        return True
    is_composed = contract is not None and contract.facts.effect is Effect.COMPOSED
    return not is_composed and not erased.isdisjoint((AttemptStarted.kind, AttemptEnded.kind))


def _announces(contract: Contract | None) -> bool:
    return contract is not None and contract.facts.confirm is not None


_MAX_ERROR: Final = 200

_Kind = Literal["changed", "failed", "unknown", "not_made", "erased"]

_NOT_LISTED: Final = (CallCancelledError, RepeatedCallError)
"""Errors of calls that are not expected to have been made."""
