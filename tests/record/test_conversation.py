"""A conversation is read from its newest run back, as far as a reader asks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from remit.items import Item, Note
from remit.record.conversation import read_conversation
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.testing import memory_ledger


def note(data: str) -> Note:
    return Note(call="c", name="log", data=data)


async def test_a_run_outside_of_a_conversation_is_all_there_is() -> None:
    ledger = await memory_ledger()
    ledger.add(note("1"))
    assert [[*items] async for items in read_conversation(ledger)] == [[note("1")]]


async def test_earlier_runs_follow_the_run_and_are_read_when_they_are_asked_for() -> None:
    read = list[str]()

    async def read_prior_runs() -> AsyncGenerator[Sequence[Item]]:
        for data in ("2", "3"):
            read.append(data)
            yield [note(data)]

    token = CURRENT_RUN.set(CurrentRun(read_prior_runs=read_prior_runs))
    try:
        conversation = read_conversation(await memory_ledger())
        assert [await anext(conversation), await anext(conversation)] == [[], [note("2")]]
        assert read == ["2"]
        assert [items async for items in conversation] == [[note("3")]]
    finally:
        CURRENT_RUN.reset(token)
