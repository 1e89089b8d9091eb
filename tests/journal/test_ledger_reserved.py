"""A run has so many calls and handoffs, and each is reserved before it is made."""

from __future__ import annotations

import pytest

from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.record.items import Handoff, Message, ToolOutput
from remit.testing.store_suite.samples import start_item


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


async def test_so_many_calls_may_be_reserved_and_each_only_once(driven: Driven) -> None:
    ledger = await driven.ledger()
    assert [ledger.reservations.reserve_call(call, 2) for call in ("a", "a", "b", "c", "b")] == [
        True,
        True,
        True,
        False,
        True,
    ]


async def test_a_call_that_was_refused_may_be_reserved_under_a_higher_limit(driven: Driven) -> None:
    ledger = await driven.ledger()
    assert not ledger.reservations.reserve_call("a", 0)
    assert ledger.reservations.reserve_call("a", 1)


async def test_calls_that_were_started_in_an_earlier_drive_count(driven: Driven) -> None:
    first = await driven.ledger()
    first.reservations.reserve_call("never started", 9)
    first.add(start_item("a"))
    await first.commit(start_item("a", attempt=2))
    again = await driven.ledger()
    assert [again.reservations.reserve_call(call, 1) for call in ("a", "b")] == [True, False]


async def test_of_composed_calls_that_ended_in_an_earlier_drive_only_agents_count(driven: Driven) -> None:
    first = await driven.ledger()
    first.add(Message(call="agent:1", agent="agent", text='{"role":"user","content":"hi"}'))
    for call in ("agent", "composed"):
        first.add(ToolOutput(call=call, parent="root", callee=call, wire="", text="done", outcome="ok"))
    await first.flush()
    again = await driven.ledger()
    assert [again.reservations.reserve_call(call, 2) for call in ("a", "b", "agent")] == [True, False, True]


async def test_so_many_handoffs_may_be_reserved_by_all_agents_of_a_run_together(driven: Driven) -> None:
    ledger = await driven.ledger()
    assert [ledger.reservations.reserve_handoff(agent, 2) for agent in ("a", "a", "b", "c")] == [
        True,
        True,
        True,
        False,
    ]
    ledger.add(handoff("a", "1"))
    assert not ledger.reservations.reserve_handoff("a", 2), "the one that was reserved is made, and another is one more"
    assert ledger.reservations.reserve_handoff("b", 2), "asking again is free"


async def test_handoffs_of_an_earlier_drive_count(driven: Driven) -> None:
    first = await driven.ledger()
    first.reservations.reserve_handoff("never made", 9)
    first.add(handoff("a", "1"))
    await first.commit(handoff("a", "2"))
    again = await driven.ledger()
    assert [again.reservations.reserve_handoff("a", limit) for limit in (2, 3)] == [False, True]
