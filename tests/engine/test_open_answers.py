"""The answers of an execution are open for readers until they are recorded or given up."""

from __future__ import annotations

import asyncio

import pytest

from remit.chat.streaming import AnswerSink, Delta
from remit.engine.open_answers import RunAnswers
from remit.journal.memory import InMemoryStore
from remit.record.items import Message
from remit.testing.store_suite.samples import positions

pytestmark = pytest.mark.looptime


def answers_of(store: InMemoryStore | None = None, *, is_expected: bool = True) -> RunAnswers:
    store = store or InMemoryStore(asyncio.get_running_loop().time)
    return RunAnswers(store, "run", 1, lambda: -1, is_expected=is_expected)


async def opened(answers: RunAnswers) -> AnswerSink:
    sink = await answers.open("ask")
    assert sink is not None
    sink(Delta("text."))
    return sink


def read(answers: RunAnswers) -> list[str]:
    return [delta.text for answer in answers.snapshot() for delta in answer.read(0)]


async def test_a_model_streams_as_soon_as_a_reader_of_another_process_has_asked() -> None:
    store = InMemoryStore(asyncio.get_running_loop().time)
    answers = answers_of(store, is_expected=False)
    assert await answers.open("ask") is None
    await store.watch("run", 60)
    await asyncio.sleep(1)
    assert await answers.open("ask") is not None


async def test_a_model_that_is_asked_again_begins_its_open_answer_anew() -> None:
    answers = answers_of()
    with answers:
        sink = await opened(answers)
        sink.restart()
        sink(Delta("second."))
        assert read(answers) == ["second."]


@pytest.mark.parametrize("ended", ["dropped", "opened again", "settled"])
async def test_a_model_that_is_asked_again_for_an_answer_that_is_over_opens_none(ended: str) -> None:
    answers = answers_of()
    with answers:
        sink = await opened(answers)
        match ended:
            case "dropped":
                answers.drop("ask")
            case "opened again":
                await opened(answers)
            case _:
                answers.settle("ask")
        before = answers.snapshot()
        sink.restart()
        assert answers.snapshot() == before


async def test_an_answer_that_is_recorded_next_is_not_dropped_and_closed_by_its_record() -> None:
    answers, stored = answers_of(), list[object]()
    with answers:
        await opened(answers)
        answers.settle("ask")
        answers.drop("ask")
        assert len(answers.snapshot()) == 1
        message = Message(call="ask", agent="root", text='{"role":"assistant","content":"text"}')
        answers.forget_recorded_and(stored.extend)(positions("run", [message]))
        assert (answers.snapshot(), len(stored)) == ([], 1)
