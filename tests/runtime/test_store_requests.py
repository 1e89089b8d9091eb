"""How often a run asks the journal: a database answers each request in time of its own."""

from __future__ import annotations

import time
from collections import Counter

from remit import Agent, App, Principal, Runtime
from remit.items import Position
from remit.journal.conversation_row import ConversationKey, ConversationRow
from remit.journal.ports import RunRow
from remit.stores import InMemoryStore
from remit.testing import Scripted

ADA = Principal("ada", "bakery")


class CountingStore(InMemoryStore):
    """A store that counts what it is asked."""

    def __init__(self) -> None:
        super().__init__(time.time)
        self.asked = Counter[str]()

    async def find_run(self, run: str) -> RunRow | None:
        self.asked["run"] += 1
        return await super().find_run(run)

    async def find_conversation(self, key: ConversationKey) -> ConversationRow | None:
        self.asked["conversation"] += 1
        return await super().find_conversation(key)

    async def read(self, run: str, after: int = -1) -> list[Position]:
        self.asked["items"] += 1
        return await super().read(run, after)

    def take(self) -> dict[str, int]:
        """The counts since the last time."""
        asked, self.asked = dict(self.asked), Counter[str]()
        return asked


def make_runtime(store: InMemoryStore) -> Runtime:
    clerk = Agent("clerk", instructions="Help.")
    return Runtime(App(name="shop", agents=[clerk]), model=Scripted(["done"]), store=store)


async def test_the_first_message_of_a_conversation_is_looked_up_once_before_and_once_when_it_is_stored() -> None:
    store = CountingStore()
    client = make_runtime(store).client(ADA)
    await client.submit("Bake bread.", conversation="talk", idempotency_key="k")
    assert store.take() == {"run": 2, "conversation": 2}


async def test_a_run_is_read_once_for_its_stream_and_its_receipt() -> None:
    store = CountingStore()
    runtime = make_runtime(store)
    run = await runtime.client(ADA).submit("Bake bread.", conversation="talk")
    await runtime.resume(run)
    store.take()
    events = [each async for each in runtime.client(ADA).stream(run)]
    assert store.take() == {"run": 1, "items": 1}
    (last,) = [each async for each in runtime.client(ADA).stream(run, after=events[-2].after)]
    assert (last, store.take()["items"]) == (events[-1], 2)
