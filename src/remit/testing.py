"""The public test kit: a scripted model, a virtual principal, and calls to test a layer with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import Callee
from remit.contracts.items import Item, Position
from remit.contracts.principal import Caller, Principal
from remit.contracts.reply import Reply
from remit.journal.in_process import InProcessStore
from remit.journal.ledger import RunLedger
from remit.models.scripted import Scripted, calls

__all__ = ["Scripted", "anybody", "call_of", "calls", "ledger_of", "memory_ledger", "through"]


def anybody(*permissions: str, name: str = "ada", tenant: str = "default") -> Principal:
    """A principal with ``permissions``; with none given, with all."""
    return Principal(name, tenant, permissions=frozenset(permissions or {"*"}))


async def memory_ledger(
    run: str = "run", *, clock: Callable[[], float] = lambda: 0.0, conversation: str = ""
) -> RunLedger:
    """The ledger of a new run in memory."""
    store = InProcessStore(clock)
    held = await store.acquire(run, "test", 1e9)
    return RunLedger(store, run, held.epoch, clock=clock, watch=_nobody, conversation=conversation)


def ledger_of(known: Iterable[Position], *, run: str = "run") -> RunLedger:
    """A ledger that knows ``known`` and is not meant to be written."""
    return RunLedger(InProcessStore(), run, 1, clock=lambda: 0.0, watch=_nobody, known=tuple(known))


async def call_of(
    callee: Callee[..., Any],
    arguments: str | Arguments = "{}",
    *,
    by: Principal | None = None,
    known: Iterable[Item] = (),
    ledger: RunLedger | None = None,
    call_id: str = "call",
    wire: str = "",
    depth: int = 1,
    conversation: str = "",
    agent: str = "agent",
) -> Call:
    """One call, as a layer sees it. ``known`` is filed under the ledger first."""
    ledger = ledger or await memory_ledger(conversation=conversation)
    for item in known:
        ledger.add(item)
    return Call(
        id=call_id,
        callee=callee,
        arguments=parse(arguments, Limits()) if isinstance(arguments, str) else arguments,
        caller=Caller(ledger.run, agent, "parent", depth, by or anybody(), conversation, "test"),
        ledger=ledger,
        wire=wire,
    )


async def through(layer: CallLayer, call: Call, inner: CallService | None = None) -> Reply:
    """The reply of ``layer`` around ``inner``, by default a service that replies "inner"."""

    async def base(_call: Call, /) -> Reply:
        return Reply.of("inner")

    return await layer(inner or base)(call)


def _nobody(_position: Position) -> None:
    """Nobody watches."""
