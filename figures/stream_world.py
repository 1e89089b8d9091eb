"""A run that is followed: nested agents that write at once, a request that fails in the middle, and its readers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Final

from msgspec import structs

from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent.driver import AgentDriver
from remit.contracts.chat import ChatRequest, Completion, completion_from_message
from remit.contracts.streaming import Delta
from remit.errors import LeaseError, ModelUnavailableError
from remit.items import DeltaEvent, ItemEvent, Message, StreamEvent
from remit.journal.codec import message_text
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


class Elsewhere:
    """A store as another process sees it: the same journal in another object."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class World:
    """One run in a store that readers here and elsewhere follow."""

    def __init__(self, driver: AgentDriver | None = None) -> None:
        self.store: Store = InMemoryStore(lambda: 1e9 + asyncio.get_event_loop().time())
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
    """Puts together what a stream yields, and counts what is missing or comes twice."""

    def __init__(self) -> None:
        self.lost = self.doubled = self.pieces = self.drops = 0
        self.after: int | str = -1
        self.open: dict[str, str] = {}
        self._seq = -1
        self._recorded = set[str]()

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
            if isinstance(event.item, Message):
                self._recorded.add(event.item.call)
                self._compare(self.open.pop(event.item.call, ""), _streamed_text(event.item))
        elif isinstance(event, DeltaEvent):
            self.pieces += 1
            self.doubled += event.call in self._recorded
            self.open[event.call] = self.open.get(event.call, "") + event.text
        else:
            self.drops += 1
            self.lost += self.open.pop(event.call, None) is None

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
