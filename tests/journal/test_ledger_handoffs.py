"""A run has so many handoffs, and each is reserved before it is made."""

from __future__ import annotations

import pytest

from remit.contracts.items import Handoff
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore


class Driven:
    """A run that is driven again and again."""

    def __init__(self) -> None:
        self._store = InMemoryStore(lambda: 0.0)

    async def ledger(self) -> RunLedger:
        epoch = (await self._store.acquire("run", "driver", 0)).epoch
        known = await self._store.read("run")
        return RunLedger(self._store, "run", epoch, history=known, clock=lambda: 0.0, on_stored=lambda _: None)


@pytest.fixture
def driven() -> Driven:
    return Driven()


def handoff(agent: str, wire: str) -> Handoff:
    return Handoff(call=agent, source="editor", target="writer", wire=wire)


async def test_so_many_handoffs_may_be_reserved_by_all_agents_of_a_run_together(driven: Driven) -> None:
    ledger = await driven.ledger()
    assert [ledger.reserve_handoff(agent, 2) for agent in ("a", "a", "b", "c")] == [True, True, True, False]
    ledger.add(handoff("a", "1"))
    assert not ledger.reserve_handoff("a", 2), "the one that was reserved is made, and another is one more"
    assert ledger.reserve_handoff("b", 2), "asking again is free"


async def test_handoffs_of_an_earlier_drive_count(driven: Driven) -> None:
    first = await driven.ledger()
    first.reserve_handoff("never made", 9)
    first.add(handoff("a", "1"))
    await first.commit(handoff("a", "2"))
    again = await driven.ledger()
    assert [again.reserve_handoff("a", limit) for limit in (2, 3)] == [False, True]
