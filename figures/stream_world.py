"""A run that is followed: nested agents that write at once, a request that fails in the middle, and its readers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec import structs

from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent.driver import AgentDriver
from remit.chat.chat import ChatRequest, Completion, completion_from_message
from remit.chat.streaming import Delta
from remit.errors import LeaseError, ModelUnavailableError
from remit.items import DeltaEvent, Item, ItemEvent, Message, Position, StreamEvent, ToolOutput
from remit.journal.codec import message_text
from remit.journal.ports import AcquiredLease, AppendFuture
from remit.record.ledger import Consumption
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls

PERSON: Final = Principal("ada")
RUN: Final = "run"


class Typist(Scripted):
    """Writes slowly. With ``breaks`` the first request of the conversation fails once, in the middle of its answer."""

    def __init__(self, lines: Sequence[Any], *, breaks: bool = False, delay: float = 0.25) -> None:
        super().__init__(lines, piece_chars=5, delay=delay)
        self._breaks = breaks

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """Write the answer, or break off after some pieces."""
        written = 0

        def write(delta: Delta) -> None:
            nonlocal written
            written += 1
            if self._breaks and written == 4:
                self._breaks = False
                raise ModelUnavailableError("cut")
            on_delta(structs.replace(delta, text=delta.text.upper()) if self._breaks else delta)

        return await super().stream(request, write)


class SlowStore(InMemoryStore):
    """Stores appends in order and after a while, as a disk does: answers are written meanwhile."""

    def __init__(self, clock: Callable[[], float], seconds: float) -> None:
        super().__init__(clock)
        self._seconds = seconds
        self._last: AppendFuture | None = None

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append when all earlier appends are stored and the time has passed."""
        loop, before = asyncio.get_running_loop(), self._last
        self._last = stored = loop.create_future()

        def write() -> None:
            error = super(SlowStore, self).append(run, epoch, items, consumption).exception()
            if not stored.done():
                stored.set_result(None) if error is None else stored.set_exception(error)

        def wait(_before: object = None) -> None:
            loop.call_later(self._seconds, write)

        wait() if before is None or before.done() else before.add_done_callback(wait)
        return stored

    async def _acquire_later(self, *arguments: Any, **options: Any) -> AcquiredLease:
        if self._last is not None:
            await asyncio.wait({self._last})
        return await super().acquire(*arguments, **options)

    def acquire(self, *arguments: Any, **options: Any) -> Awaitable[AcquiredLease]:
        """Acquire a lease after the appends so far."""
        return self._acquire_later(*arguments, **options)


class Elsewhere:
    """A store as another process sees it: the same journal in another object."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class World:
    """One run in a store that readers here and elsewhere follow."""

    def __init__(self, driver: AgentDriver | None = None) -> None:
        self.store: Store = SlowStore(lambda: 1e9 + asyncio.get_event_loop().time(), 0.6)
        self._driver = driver
        self.releasing = asyncio.Event()

    def runtime(self, store: Store | None = None, *, breaks: bool = False) -> Runtime:
        """A runtime, as each process has its own."""
        helper = Agent("helper", instructions="Help.", model=Typist(["the help is: 0123456789"]), driver=self._driver)
        script = [
            calls(("count", {"to": 123456789}), content="first I count up to a number"),
            calls(("helper", {"prompt": "one"}), ("helper", {"prompt": "two"}), content="then two help me"),
            "so all of it is done, and nothing is left to do",
        ]
        boss = Agent(
            "boss",
            instructions="Work.",
            model=Typist(script, breaks=breaks),
            driver=self._driver,
            tools=[count, helper],
        )
        clock = lambda: 1e9 + asyncio.get_event_loop().time()  # noqa: E731 - of this loop
        return Runtime(App(name="app", agents=[boss]), store=store or self.store, make_run_id=lambda: RUN, clock=clock)

    async def execute(self, release_after: float | None = None) -> None:
        """Execute the run here; with ``release_after`` another executor takes it over in the middle of an answer."""
        await self.runtime().submit("go", by=PERSON)
        if release_after is not None:
            asyncio.get_running_loop().call_later(release_after, self.releasing.set)
        runtime = self.runtime(breaks=True)
        runtime.add_principals(PERSON)
        with contextlib.suppress(LeaseError):
            await runtime.resume(RUN, self.releasing if release_after is not None else None)
            return
        await asyncio.sleep(1.0)
        runtime = self.runtime()
        runtime.add_principals(PERSON)
        await runtime.resume(RUN)

    def follow(self, after: int | str, *, is_here: bool) -> AsyncGenerator[StreamEvent]:
        """A stream of the run, in the process that executes it or in another."""
        store: Any = self.store if is_here else Elsewhere(self.store)
        return self.runtime(store).client(PERSON).stream(RUN, after=after)


@tool(effect=Effect.PURE)
async def count(to: int) -> str:
    """Count."""
    return f"counted to {to}"


class Reader:
    """Puts together what a stream yields, and counts what is missing, comes twice or before what it follows.

    An answer follows the earlier messages of its agent and the outcomes of the calls in them, as recorded.
    """

    def __init__(self) -> None:
        self.lost = self.doubled = self.misplaced = self.pieces = self.drops = 0
        self.after: int | str = -1
        self.open: dict[str, str] = {}
        self._seq = -1
        self._recorded = set[str]()
        self._begun: dict[str, int] = {}
        self._last_of_agent: dict[str, int] = {}

    def rejoin_at_item(self) -> None:
        """Go on after the last item: open answers come from their beginning."""
        self.after = self._seq
        self.open.clear()

    def add(self, event: StreamEvent) -> None:
        """Take one event."""
        self.after = event.after
        if isinstance(event, ItemEvent):
            self.lost += event.position.seq > self._seq + 1
            self.doubled += event.position.seq <= self._seq
            self._seq = event.position.seq
            self._check_place(event.item)
            if isinstance(event.item, Message):
                self._recorded.add(event.item.call)
                self._compare(self.open.pop(event.item.call, ""), _streamed_text(event.item))
        elif isinstance(event, DeltaEvent):
            self.pieces += 1
            self._begun.setdefault(event.call, self._seq)
            self.doubled += event.call in self._recorded
            self.open[event.call] = self.open.get(event.call, "") + event.text
        else:
            self.drops += 1
            self._begun.pop(event.call, None)
            self.lost += self.open.pop(event.call, None) is None

    def _check_place(self, item: Item) -> None:
        """Compare where the first piece of an answer came with what is recorded before the answer."""
        agent = item.agent if isinstance(item, Message) else item.parent if isinstance(item, ToolOutput) else None
        if agent is None:
            return
        if isinstance(item, Message) and item.call in self._begun:
            self.misplaced += self._begun[item.call] < self._last_of_agent.get(agent, -1)
        self._last_of_agent[agent] = self._seq

    def end(self) -> None:
        """Count what was open at the end, and a stream without pieces."""
        self.lost += len(self.open) + (self.pieces == 0)

    def _compare(self, received: str, whole: str) -> None:
        if not whole.startswith(received):
            same = next((n for n, (one, other) in enumerate(zip(received, whole, strict=False)) if one != other), 0)
            self.doubled += received[same : same + 5] in whole[:same] or len(received) > len(whole)
            self.lost += not (received[same : same + 5] in whole[:same] or len(received) > len(whole))


def _streamed_text(item: Message) -> str:
    """What a stream sends of an answer, in order."""
    answer = completion_from_message(message_text(item))
    return (answer.content or "") + "".join(call.arguments for call in answer.tool_calls)
