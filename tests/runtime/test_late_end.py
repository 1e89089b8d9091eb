"""A call that ends after a person was asked what became of it: its own end counts, and the question is closed."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from remit import App, Context, Effect, LeafContext, Risk, Runtime, Timeout, Tool, tool
from remit.errors import CallError, ConflictError, RequestError
from remit.journal.ports import QuestionRow
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import find_superuser

pytestmark = pytest.mark.looptime

ADA = superuser()


class Post:
    """A post office that ignores a cancellation and sends its letter when it is released."""

    def __init__(self, failure: CallError | None = None) -> None:
        self.store, self.released, self.sent = InMemoryStore(), asyncio.Event(), list[str]()

        @tool(effect=Effect.UNSAFE)
        async def send(to: str) -> str:
            """Send a letter."""
            while not self.released.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await self.released.wait()
            self.sent.append(to)
            if failure is not None:
                raise failure
            return f"sent to {to}"

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def pay(_ctx: LeafContext) -> str:
            """Pay for a letter."""
            return "paid"

        @tool(effect=Effect.COMPOSED)
        async def work(ctx: Context) -> str:
            """Send a letter, and pay for another."""
            sent, paid = await asyncio.gather(ctx.call(self.send, "bea"), ctx.call(pay))
            return f"{sent}, {paid}"

        self.send: Tool[[str], str] = send.layer(Timeout(1, grace=1))
        self.work = work
        app = App(name="post", tools=(self.send, pay, work))
        self.runtime = Runtime(app, store=self.store, directory=find_superuser)

    async def ask(self) -> QuestionRow:
        """Send a letter that is not known to be sent; the question about it."""
        waiting = await self.runtime.call(self.send, ADA, "bea")
        assert (waiting.status, self.sent) == ("waiting", [])
        row = await self.store.find_question(waiting.questions[0])
        assert row is not None
        return row

    async def release(self, question: str) -> QuestionRow:
        """Let the body end, and its end be stored."""
        self.released.set()
        await asyncio.sleep(1)
        row = await self.store.find_question(question)
        assert row is not None
        return row


async def test_the_question_is_closed_and_can_be_decided_no_more() -> None:
    post = Post()
    asked = (await post.ask()).question
    closed = await post.release(asked.id)
    assert (closed.status, closed.decision) == ("closed", None)
    assert await post.store.list_questions() == []
    with pytest.raises(RequestError) as refusal:
        await post.runtime.decide(asked.id, approved=False, by=ADA)
    expected = f"question {asked.id} is closed: the call has ended, and its outcome is recorded"
    assert refusal.value.message == expected
    assert await post.store.list_due_runs("post") == [asked.run]
    assert await post.runtime.earliest_expiry(asked.run) is None
    result = await post.runtime.resume(asked.run)
    assert (result.status, result.value(), post.sent) == ("done", "sent to bea", ["bea"])
    assert (await post.runtime.replay(asked.run)).is_identical


async def test_a_failure_that_comes_late_counts_too() -> None:
    post = Post(ConflictError("the letter came back"))
    asked = (await post.ask()).question
    assert (await post.release(asked.id)).status == "closed"
    result = await post.runtime.resume(asked.run)
    assert (result.status, post.sent) == ("failed", ["bea"])
    assert result.reply is not None
    assert "the letter came back" in result.reply.content


async def test_a_decision_that_came_first_stands() -> None:
    post = Post()
    asked = (await post.ask()).question
    await post.runtime.decide(asked.id, approved=True, by=ADA, result="sent by hand")
    assert (await post.release(asked.id)).status == "approved"
    result = await post.runtime.resume(asked.run)
    assert (result.status, result.value(), post.sent) == ("done", "sent to bea", ["bea"])


async def test_the_other_questions_of_the_run_stay_open() -> None:
    post = Post()
    waiting = await post.runtime.call(post.work, ADA)
    rows = {row.question.kind: row.question.id for row in await post.store.list_questions()}
    assert set(waiting.questions) == set(rows.values())
    await post.release(rows["outcome"])
    again = await post.runtime.resume(waiting.run)
    assert (again.status, again.questions) == ("waiting", (rows["approval"],))
    await post.runtime.decide(rows["approval"], approved=True, by=ADA)
    result = await post.runtime.resume(waiting.run)
    assert (result.status, result.value()) == ("done", "sent to bea, paid")
    assert (await post.runtime.replay(waiting.run)).is_identical


async def test_an_end_that_comes_before_the_run_rests_lets_it_go_on() -> None:
    post = Post()

    @tool(effect=Effect.PURE)
    async def wait_for_end() -> str:
        """Wait until the letter is sent after all."""
        await asyncio.sleep(5)
        post.released.set()
        await asyncio.sleep(5)
        return "seen"

    @tool(effect=Effect.COMPOSED)
    async def watch(ctx: Context) -> str:
        """Send a letter, and watch it."""
        return ", ".join(await asyncio.gather(ctx.call(post.send, "bea"), ctx.call(wait_for_end)))

    runtime = Runtime(App(name="post", tools=(post.send, wait_for_end, watch)), store=post.store)
    result = await runtime.call(watch, ADA)
    assert (result.status, result.value(), post.sent) == ("done", "sent to bea, seen", ["bea"])
    assert (await runtime.replay(result.run)).is_identical
