"""The receipt of a run: what its calls changed, as the journal says, whatever the model says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, Literal, cast

from msgspec import Struct

from remit.contracts.changed import Changed
from remit.contracts.chat import decode_message
from remit.contracts.contract import Contract
from remit.contracts.entity import Entity, entities_of
from remit.contracts.facts import Effect
from remit.contracts.items import (
    AttemptEnded,
    AttemptStarted,
    ErasedItem,
    Item,
    Message,
    Note,
    QuestionItem,
    RunOpened,
    ToolOutput,
    output_content,
)
from remit.contracts.wire import read_tool_calls
from remit.core.call_checks import check_callback
from remit.core.checks import as_tuple_of
from remit.errors import CallCancelledError, CallError, RepeatedCallError, StillRunningError, error_from_reply
from remit.journal.codec import message_text

FindContract = Callable[[str], Contract | None]


class ReceiptCall(Struct, frozen=True, kw_only=True):
    """A call on a receipt, with the objects that it changed, as it reported them.

    ``arguments`` is JSON, empty if it is not on record. ``entities`` are the objects that its result describes, and
    ``error`` is why it failed or was not made.
    """

    id: str
    tool: str
    arguments: str = ""
    objects: tuple[Changed, ...] = ()
    entities: tuple[Entity, ...] = ()
    error: CallError | None = None

    @property
    def changed_objects(self) -> tuple[str, ...]:
        """The objects that it changed, or else those that its result describes: ``page About us (title)``."""
        names = {(each.kind, each.id): each.name for each in self.entities}
        changed = (
            f"{each.kind} {each.name or names.get((each.kind, each.id), each.id)}"
            + (f" ({', '.join(each.fields)})" if each.fields else "")
            for each in self.objects
        )
        described = (f"{each.kind} {each.name}" for each in self.entities)
        return tuple(dict.fromkeys(changed if self.objects else described))


class Receipt(Struct, frozen=True, kw_only=True):
    """What the calls of a run have changed, over all its agents, in order.

    ``changed`` succeeded, or reported a change before they failed. ``failed`` began and failed. ``unknown`` began, and
    nothing says whether they happened. ``not_made`` were refused before they began. Of ``erased`` so much was erased
    from the journal that what they did is unknown now.
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

    That a call changed something is on record. ``find_contract`` finds tools by name: only then calls that were not
    made are listed, failures of tools that only read are not, and entities are read from results.
    """
    found: tuple[Item, ...] = as_tuple_of(Item, "make_receipt", "items", items, "give items, as a result has them")
    check_callback("make_receipt: find_contract", find_contract, "name", is_async=False)
    arguments = _collect_arguments(found)
    by_call: dict[str, list[Item]] = {}
    for item in found:
        by_call.setdefault(item.call, []).append(item)
    callers = {item.parent for item in found if isinstance(item, (ToolOutput, AttemptStarted, QuestionItem))}
    erased_callers = {item.call.partition(":")[0] for item in found if isinstance(item, ErasedItem)}
    listed: dict[_Kind, list[ReceiptCall]] = {"changed": [], "failed": [], "unknown": [], "not_made": [], "erased": []}
    for call, of_call in by_call.items():
        output = next((item for item in of_call if isinstance(item, ToolOutput)), None)
        tool = _find_tool(of_call) if output is None else output.callee
        contract = find_contract(tool) if tool else None
        error = error_from_reply(output_content(output)) if output is not None and output.outcome != "ok" else None
        made = ReceiptCall(
            id=call,
            tool=tool,
            arguments="" if output is None else arguments.get((output.parent, output.wire), ""),
            objects=tuple(change for item in of_call if (change := Changed.from_item(item)) is not None),
            entities=() if output is None or contract is None else entities_of(output, contract),
            error=error,
        )
        erased = {item.was for item in of_call if isinstance(item, ErasedItem)}
        if output is not None and output.wire and not made.arguments and output.parent in erased_callers:
            erased.add(Message.kind)
        # What a caller did is on the lines of its calls, except for what it may have reported itself.
        is_listed = made.objects or call not in callers or Note.kind in erased
        if is_listed and (kind := _classify(made, of_call, contract, erased, has_output=output is not None)):
            listed[kind].append(made)
    return Receipt(**{kind: tuple(calls) for kind, calls in listed.items()})


def _classify(
    call: ReceiptCall, items: Sequence[Item], contract: Contract | None, erased: set[str], *, has_output: bool
) -> _Kind | None:
    """Where a call belongs on the receipt, if it belongs there. ``erased`` are the kinds of its erased items."""
    last = next((item for item in reversed(items) if isinstance(item, (AttemptStarted, AttemptEnded))), None)
    has_ended_well = isinstance(last, AttemptEnded) and last.outcome == "ok" and not last.void
    is_named = ToolOutput.kind not in erased and (Message.kind not in erased or not _announces(contract))
    if call.objects or (has_ended_well and is_named and not _only_announces(call, contract)):
        return "changed"  # the good end of a call that only reads is not recorded
    if _may_have_changed(contract, erased, has_begun=last is not None, is_named=is_named):
        return "erased"
    if has_ended_well or (contract is not None and contract.facts.effect in (Effect.PURE, Effect.COMPOSED)):
        return None
    if last is None or (isinstance(last, AttemptEnded) and last.void):
        is_listed = call.error is not None and contract is not None
        return "not_made" if is_listed and not isinstance(call.error, _NOT_LISTED) else None
    if isinstance(last, AttemptStarted):
        return None if has_output and call.error is None else "unknown"
    return "unknown" if isinstance(error_from_reply(last.content), _STOPPED) else "failed"


def _may_have_changed(contract: Contract | None, erased: set[str], *, has_begun: bool, is_named: bool) -> bool:
    """Whether what was erased of a call may have said that it changed something."""
    effect = None if contract is None else contract.facts.effect
    if effect is Effect.PURE:
        return False
    if Note.kind in erased or (has_begun and not is_named):
        return True
    return effect is not Effect.COMPOSED and not erased.isdisjoint((AttemptStarted.kind, AttemptEnded.kind))


def _announces(contract: Contract | None) -> bool:
    return contract is not None and contract.facts.confirm is not None


def _only_announces(call: ReceiptCall, contract: Contract | None) -> bool:
    """Whether a call lacks the flag without which its tool changes nothing."""
    flag = None if contract is None else contract.facts.confirm
    if flag is None or not call.arguments:
        return False
    with suppress(ValueError):
        given = cast("object", json.loads(call.arguments))
        return not (isinstance(given, dict) and cast("dict[str, object]", given).get(flag) is True)
    return False


def _find_tool(items: Sequence[Item]) -> str:
    """The tool of a call that has not ended, if it has started or was asked about."""
    return next((item.callee for item in items if isinstance(item, (QuestionItem, AttemptStarted))), "")


def _collect_arguments(items: Sequence[Item]) -> dict[tuple[str, str], str]:
    """The arguments of models' calls, by the call of the agent and the model's id; those of the run's call too."""
    arguments: dict[tuple[str, str], str] = {}
    for item in items:
        if isinstance(item, RunOpened):
            arguments["", ""] = item.arguments
        elif isinstance(item, Message):
            message = decode_message(message_text(item))
            if message["role"] == "assistant":
                arguments |= {(item.agent, each.id): each.arguments for each in read_tool_calls(message)}
    return arguments


_Kind = Literal["changed", "failed", "unknown", "not_made", "erased"]

_NOT_LISTED: Final = (CallCancelledError, RepeatedCallError)
"""Errors of calls that are not expected to have been made."""

_STOPPED: Final = (CallCancelledError, StillRunningError)
"""Errors of attempts that may have happened."""
