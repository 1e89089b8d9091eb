"""An application whose agents do one thing each, and what became of their runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from remit import Agent, App, Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, Tool, When, tool
from remit.errors import ModelBusyError
from remit.journal.ports import Store
from remit.layers import RetryModel
from remit.messages import ChatRequest, Completion
from remit.record.items import Item, Position, RunFinished, RunResumed, RunStalled, RunSuspended
from remit.testing import Scripted, calls

PATIENCE = 120.0
"""Seconds after which a test gives up, on a busy machine; nothing here takes a tenth of that on one with time."""

ADA = Principal("ada", permissions=frozenset({"*"}))
STRANGER = Principal("stranger", permissions=frozenset({"*"}))
SHORT = 0.7
"""Seconds in which the question of the agent in a hurry has to be decided."""


def directory(name: str, tenant: str) -> Principal | None:
    """Nobody knows the stranger."""
    return ADA if name == ADA.name else None


BUSY_SECONDS = 0.2
"""Seconds after which a busy model may be asked again."""


@dataclass(slots=True)
class Office:
    """A runtime over ``store``, and what its driver wrote."""

    store: Store
    application: str = "office"
    lease: float = 30.0
    written: list[str] = field(default_factory=list[str])
    reported: list[tuple[str, BaseException]] = field(default_factory=list[tuple[str, BaseException]])
    here: int = 0
    most: int = 0
    is_busy: bool = True
    refusals: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def runtime(self) -> Runtime:
        """A runtime of its own, as another process would have."""
        agents = tuple(
            Agent(
                f"{each.name}_it", instructions="Work.", tools=[each], model=Scripted([calls((each.name, {})), "done"])
            )
            for each in self._tools()
        )
        busy = Agent("busy_it", instructions="Work.", tools=[agents[0].tools[0]], model=self._answer_later)
        agents = (*agents, busy.layer(RetryModel(attempts=1)))
        hurry = When("hurry", lambda call: call.callee.name == "hurry", Ask(reason="now", expires_in=SHORT), "1")
        app = App(name=self.application, agents=agents, policy=Policy(hurry))
        return Runtime(app, store=self.store, directory=directory, on_item=self._saw, lease_seconds=self.lease)

    async def open(self, agent: str, by: Principal = ADA) -> str:
        """Open a run that nobody drives yet."""
        return await self.runtime().submit("go", by=by, agent=f"{agent}_it")

    async def wait(self, agent: str) -> str:
        """A run that was driven until it waits, without an engine."""
        return (await self.runtime().run("go", by=ADA, agent=f"{agent}_it")).run

    async def decide(self, run: str, *, approved: bool = True) -> None:
        """Decide what a run waits for, as another process would."""
        for question in self.waits_for(await self.items(run)):
            await self.runtime().decide(question, approved=approved, by=ADA)

    async def items(self, run: str) -> list[Item]:
        return [position.item for position in await self.store.read(run)]

    async def status(self, run: str) -> str:
        row = await self.store.find_run(run)
        return row.status if row else "unknown"

    async def resumed(self, run: str) -> int:
        """How often a run was driven on."""
        return sum(isinstance(item, RunResumed) for item in await self.items(run))

    def waits_for(self, items: list[Item]) -> tuple[str, ...]:
        return next((item.questions for item in reversed(items) if isinstance(item, RunSuspended)), ())

    async def until(self, *runs: str, status: str = "done") -> None:
        """Wait until runs have a status."""
        async with asyncio.timeout(PATIENCE):
            for run in runs:
                self.moved.clear()
                while await self.status(run) != status:
                    await self.moved.wait()
                    self.moved.clear()

    async def until_true(self, test: Callable[[], bool]) -> None:
        """Wait until something holds that is told of."""
        async with asyncio.timeout(PATIENCE):
            while not test():
                self.moved.clear()
                await self.moved.wait()

    def report(self, run: str, error: BaseException) -> None:
        self.reported.append((run, error))
        self.moved.set()

    async def _answer_later(self, request: ChatRequest, /) -> Completion:
        """Write, and then be busy until `is_busy` is false."""
        if self.is_busy and len(request.history) > 2:
            self.refusals += 1
            raise ModelBusyError("429", retry_after=BUSY_SECONDS)
        return await Scripted([calls(("write", {})), "done"])(request)

    def _saw(self, position: Position) -> None:
        if isinstance(position.item, (RunFinished, RunStalled, RunSuspended)):
            asyncio.get_running_loop().call_soon(self.moved.set)

    def _tools(self) -> tuple[Tool[..., str], ...]:
        @tool(effect=Effect.KEYED)
        async def write(ctx: LeafContext) -> str:
            """Write."""
            self.written.append(ctx.key)
            return "written"

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def erase(ctx: LeafContext) -> str:
            """Erase, if a person agrees."""
            self.written.append(ctx.key)
            return "erased"

        @tool(effect=Effect.KEYED)
        async def hurry(ctx: LeafContext) -> str:
            """Do something that a person has to agree to at once."""
            self.written.append(ctx.key)
            return "hurried"

        @tool(effect=Effect.KEYED)
        async def hold(ctx: LeafContext) -> str:
            """Take until the gate is open."""
            self.here += 1
            self.most = max(self.most, self.here)
            self.moved.set()
            try:
                await self.gate.wait()
            finally:
                self.here -= 1
            self.written.append(ctx.key)
            return "held"

        return write, erase, hurry, hold
