"""The public test kit: scripted and recorded models, calls for testing layers, crashes, and a history checker.

There are conformance suites, which need pytest: `remit.testing.store_suite` and `remit.testing.provider_suite`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from remit.call.call import Call, CallLayer, CallService, ToolLayer, to_call_layers
from remit.call.callee import Callee, check_callee
from remit.call.reply import Reply
from remit.core import Stack
from remit.core.checks import as_texts, as_tuple_of, check_instance, check_method, check_text
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.models.scripted import Scripted, calls
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.items import Item, Position
from remit.record.principal import Caller, Principal, check_principal
from remit.testing.crash import crash_at, kill_process, record_crash_points
from remit.testing.history_check import HistoryError, HistoryErrorKind, history_errors
from remit.testing.recording import RecordingModel, record_script

__all__ = [
    "HistoryError",
    "HistoryErrorKind",
    "RecordingModel",
    "Scripted",
    "call_through",
    "calls",
    "crash_at",
    "history_errors",
    "kill_process",
    "make_call",
    "memory_ledger",
    "read_only_ledger",
    "record_crash_points",
    "record_script",
    "superuser",
]


def superuser(*permissions: str, name: str = "ada", tenant: str = "default") -> Principal:
    """A principal with ``permissions``, by default all of them."""
    return Principal(name, tenant, permissions=as_texts("permissions", permissions or {"*"}))


async def memory_ledger(
    run: str = "run", *, clock: Callable[[], float] = lambda: 0.0, conversation: str = ""
) -> RunLedger:
    """The ledger of a new run in memory."""
    check_text("memory_ledger: run", run)
    store = InMemoryStore(clock)
    held = await store.acquire(run, "test", 1e9)
    return RunLedger(store, run, held.epoch, clock=clock, on_stored=_ignore_items, conversation=conversation)


def read_only_ledger(items: Iterable[Position], *, run: str = "run") -> RunLedger:
    """A ledger that holds ``items``, for reading only."""
    return RunLedger(
        InMemoryStore(),
        run,
        1,
        clock=lambda: 0.0,
        on_stored=_ignore_items,
        history=as_tuple_of(Position, "read_only_ledger", "items", items, "give a Position"),
    )


async def make_call(
    callee: Callee[..., Any],
    arguments: str | Arguments = "{}",
    *,
    by: Principal | None = None,
    recorded_items: Iterable[Item] = (),
    ledger: RunLedger | None = None,
    call_id: str = "call",
    wire: str = "",
    depth: int = 1,
    conversation: str = "",
    agent: str = "agent",
    target: str = "",
) -> Call:
    """One call, as a layer sees it. ``recorded_items`` are added to its ledger first."""
    check_callee("make_call", callee)
    by = superuser() if by is None else by
    check_principal("make_call: by", by)
    ledger = ledger or await memory_ledger(conversation=conversation)
    check_method("make_call: ledger", ledger, "add", "give a RunLedger, such as that of memory_ledger()")
    for item in as_tuple_of(Item, "make_call", "recorded_items", recorded_items, "give an item of remit.items"):
        ledger.add(item)
    return Call(
        id=call_id,
        callee=callee,
        arguments=parse_arguments(arguments, Limits()) if isinstance(arguments, str) else arguments,
        caller=Caller(ledger.run, agent, "parent", depth, by.at(target), conversation, "test", target=target),
        ledger=ledger,
        wire_id=wire,
    )


async def call_through(
    layer: ToolLayer | Stack[ToolLayer] | Stack[CallLayer], call: Call, inner: CallService | None = None
) -> Reply:
    """The reply of ``layer``, or of a stack of layers, around ``inner``, which by default replies "inner"."""
    layers = to_call_layers(layer)
    check_method("call_through: inner", inner or layers, "__call__", "give an async function")
    check_instance("call_through: call", call, Call, "make one with make_call(…)")

    async def base(_call: Call, /) -> Reply:
        return Reply.from_value("inner")

    return await layers(inner or base)(call)


def _ignore_items(_positions: Sequence[Position]) -> None:
    """Called with stored items that are not watched."""
