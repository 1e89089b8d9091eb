"""An application that is governed in one way, and the same application without it, as another process may load it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from remit import Agent, Allow, App, Block, Effect, Policy, Runtime, Timeout, When, tool
from remit.app import Env
from remit.engines import LocalEngine
from remit.errors import JournalError
from remit.items import Position
from remit.layers import Approve, Budget, Guardrail
from remit.stores import AppendFuture, Consumption, InMemoryStore
from remit.testing import Scripted, calls, superuser

ADA: Final = superuser(name="ada")
POLL_SECONDS: Final = 0.02

Load = Callable[[], App]

TERMS: Final = ("policy", "order", "budget", "scope", "timeout", "tool", "model")
"""What governs the application: each forbids one of the calls of its agent."""

_SLOW: Final = 4.0
"""Seconds that a call takes which the timeout of a tenth of a second ends."""

_NEVER_WIPE: Final = When("never", lambda call: call.callee.name == "wipe", Block(reason="never"))
_MAY_WIPE: Final = When("routine", verdict=Allow(), tools=["wipe"])
_GOVERNED: Final[dict[str, dict[str, Any]]] = {
    "policy": {"policy": Policy(_NEVER_WIPE)},
    "budget": {"budget": Budget(calls=1)},
    "order": {"policy": Policy(_NEVER_WIPE)},
    "timeout": {"layers": Timeout(0.1).where(tools=["wipe"])},
}
_LESS: Final[dict[str, dict[str, Any]]] = {"order": {"policy": Policy(_MAY_WIPE, _NEVER_WIPE)}}


def build_app(term: str, log: Callable[[str], object], *, is_governed: bool = True, is_nested: bool = False) -> App:
    """The application: its agent looks, then wipes, and one of the two calls is more than the term allows."""

    @tool(effect=Effect.IDEMPOTENT)
    async def look() -> str:
        """Look."""
        return "seen"

    @tool(effect=Effect.IDEMPOTENT, permissions=["shop:wipe"])
    async def wipe() -> str:
        """Wipe."""
        if term == "timeout":
            await asyncio.sleep(_SLOW)
        log("wiped")
        return "wiped"

    if term == "tool" and is_governed:
        wipe = wipe.layer(Approve(Env(), policy=Policy.only(_NEVER_WIPE)))
    narrowed = ["shop:look"] if term == "scope" and is_governed else None
    model = Scripted([calls(("look", {})), calls(("wipe", {})), "done"])
    clerk = Agent("clerk", instructions="Wipe.", tools=[look, wipe], model=model, permissions=narrowed)
    if term == "model" and is_governed:
        clerk = clerk.layer(Guardrail(lambda answer: "wipe" not in answer.message, "I may not wipe."))
    agents = [clerk]
    if is_nested:
        above = Scripted([calls(("clerk", {"prompt": "go"})), "done"])
        agents = [Agent("chief", instructions="Delegate.", tools=[clerk], model=above), clerk]
    return App(name="lost", agents=agents, **(_GOVERNED if is_governed else _LESS).get(term, {}))


def app() -> App:
    """The application as a command loads it: governed by what ``LOST_TERM`` names."""
    path = Path(os.environ["LOST_LOG"])
    return build_app(os.environ["LOST_TERM"], lambda line: path.write_text(line, encoding="utf-8"))


class AwayStore(InMemoryStore):
    """A store that may be away once a run is opened."""

    is_away = False

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Write items, unless it is away."""
        if self.is_away:
            raise JournalError("the journal is away")
        return super().append(run, epoch, items, consumption)


class Process:
    """Processes over one journal: one opens runs, another one may have loaded the application without the term."""

    def __init__(self, load: Load, load_other: Load) -> None:
        self.store = AwayStore()
        self.load = load
        self.opens = self._start(load())
        self.continues = self._start(load_other())

    def _start(self, app: App) -> Runtime:
        return Runtime(app, store=self.store, directory=lambda _name, _tenant: ADA)

    def engine(self) -> LocalEngine:
        """What executes runs in the other process."""
        return LocalEngine(
            self.store, self.continues.resume, applications=["lost"], on_error=_ignore, poll_seconds=POLL_SECONDS
        )


def _ignore(_run: str, _error: BaseException) -> None:
    """A run that cannot be executed has not run."""
