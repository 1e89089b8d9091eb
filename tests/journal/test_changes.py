"""The order of changes: transactions that end in another order than they began in, and who is woken."""

from __future__ import annotations

import asyncio

import pytest

from remit.journal.changes import ChangeSignal, Snapshot


@pytest.mark.parametrize(
    ("number", "expected"), [(4, True), (5, False), (6, True), (7, False), (8, True), (9, False), (10, False)]
)
def test_a_snapshot_has_the_transactions_that_had_ended(number: int, expected: bool) -> None:
    assert Snapshot(5, 9, (5, 7), 1.0).has(number) is expected


def test_a_stream_whose_event_loop_has_ended_holds_up_no_change() -> None:
    signal = ChangeSignal()

    async def watch() -> None:
        signal.watch().__enter__()

    asyncio.run(watch())
    signal.wake()
