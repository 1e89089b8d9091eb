"""Pieces of answers: while a reader watches, readers in other processes get the pieces of the current epoch."""

from __future__ import annotations

from remit.journal.ports import AnswerPiece, Store
from remit.testing.store_suite.samples import Clock

FIRST = AnswerPiece("call", 1, 0, '[["he","text",0,""]]', 3)
SECOND = AnswerPiece("call", 1, 2, '[["llo","text",0,""]]', 3)
OTHER = AnswerPiece("other", 2, 0, '[["x","text",0,""]]', 3)


async def test_a_run_is_watched_for_as_long_as_a_reader_asked(store: Store, clock: Clock) -> None:
    assert not await store.is_watched("run")
    await store.watch("run", 10.0)
    await store.watch("another", 5.0)
    clock.pass_by(6.0)
    assert (await store.is_watched("run"), await store.is_watched("another")) == (True, False)
    await store.watch("run", 10.0)
    clock.pass_by(9.0)
    assert await store.is_watched("run")


async def test_pieces_are_read_in_order_until_their_answer_is_closed(store: Store) -> None:
    epoch = (await store.acquire("run", "executor", 10)).epoch
    await store.write_pieces("run", epoch, [FIRST])
    await store.write_pieces("run", epoch, [OTHER, SECOND])
    assert await store.read_pieces("run") == (epoch, [FIRST, SECOND, OTHER])
    settled = AnswerPiece("other", 2, -1, "", 3)
    await store.write_pieces("run", epoch, [settled], closed=[1])
    assert await store.read_pieces("run") == (epoch, [settled, OTHER])
    await store.write_pieces("run", epoch, [], closed=[2])
    assert await store.read_pieces("run") == (epoch, [])


async def test_pieces_are_lost_with_their_epoch(store: Store, clock: Clock) -> None:
    first = (await store.acquire("run", "executor", 10)).epoch
    await store.write_pieces("run", first, [FIRST])
    clock.pass_by(11.0)
    second = (await store.acquire("run", "another", 10)).epoch
    await store.write_pieces("run", first, [SECOND])
    assert await store.read_pieces("run") == (second, [])
    await store.write_pieces("run", second, [OTHER])
    assert await store.read_pieces("run") == (second, [OTHER])


async def test_a_run_that_does_not_exist_has_no_pieces(store: Store) -> None:
    await store.write_pieces("run", 1, [FIRST])
    assert await store.read_pieces("run") == (0, [])
