"""A stopped unsafe call whose thread goes on is not made again; what comes of the thread counts."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from remit import App, Effect, LeafContext, Runtime, Timeout, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Happened, ReconcileResult
from remit.call.threads import ThreadStillRunning
from remit.dispatch.base import Base
from remit.errors import ConflictError, Suspended
from remit.items import DecisionItem, QuestionClosed
from remit.journal.ports import QuestionRow
from remit.policies import Decision
from remit.testing import superuser
from tests.dispatch.kit import Bench, of_kind
from tests.runtime.kit import find_superuser

pytestmark = pytest.mark.looptime

ADA = superuser()


class Post:
    """A post office whose letters leave when they are released, from threads that nobody can stop."""

    def __init__(self, finding: ReconcileResult = UNKNOWN, failure: BaseException | None = None) -> None:
        self.began, self.released, self.looks = threading.Event(), threading.Event(), asyncio.Event()
        self.sent: list[str] = []
        self.finding = finding

        async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
            self.looks.set()
            return self.finding

        @tool(effect=Effect.UNSAFE)
        def send(to: str) -> str:
            """Send a letter."""
            self.began.set()
            self.released.wait(60)
            self.sent.append(to)
            if failure is not None:
                raise failure
            return f"sent to {to}"

        self.unlimited: Tool[[str], str] = send.with_reconcile(look)
        self.send = self.unlimited.layer(Timeout(1))
        self.runtime = Runtime(App(name="post", tools=(self.send,)), directory=find_superuser)

    async def ask(self) -> QuestionRow:
        waiting = await self.runtime.call(self.send, ADA, "bea")
        assert (waiting.status, self.sent) == ("waiting", [])
        return await self.find(waiting.questions[0])

    async def find(self, question: str) -> QuestionRow:
        row = await self.runtime.store.find_question(question)
        assert row is not None
        return row

    async def release(self) -> None:
        """Let the thread end, and its end be recorded."""
        late = list(self.runtime.dispatcher.late_attempts.values())
        self.released.set()
        await asyncio.wait([task for each in late for task in each.recording])


async def test_reconcile_is_not_believed_while_the_thread_runs() -> None:
    post = Post(DID_NOT_HAPPEN)
    asked = await post.ask()
    await post.release()
    result = await post.runtime.resume(asked.question.run)
    assert (result.status, result.value(), post.sent) == ("done", "sent to bea", ["bea"])


@pytest.mark.parametrize("failure", [None, ConflictError("it came back")])
async def test_the_end_of_the_thread_counts_and_closes_the_question(failure: BaseException | None) -> None:
    post = Post(failure=failure)
    asked = await post.ask()
    await post.release()
    assert (await post.find(asked.question.id)).status == "closed"
    result = await post.runtime.resume(asked.question.run)
    assert (result.status, post.sent) == ("failed" if failure else "done", ["bea"])
    assert post.runtime.dispatcher.late_attempts == {}


async def test_an_answer_that_it_did_not_happen_never_makes_the_call_again_while_the_thread_runs() -> None:
    post = Post()
    asked = await post.ask()
    await post.runtime.decide(asked.question.id, approved=False, by=ADA)
    result = await post.runtime.resume(asked.question.run)
    assert result.reply is not None
    assert "it runs in a thread, which cannot be stopped, and is still running" in result.reply.content
    await post.release()
    assert post.sent == ["bea"]


async def test_a_run_that_is_taken_up_while_the_thread_runs_gets_its_end() -> None:
    post = Post()
    asked = await post.ask()
    assert (await post.runtime.resume(asked.question.run)).status == "waiting"
    await post.release()
    assert (await post.find(asked.question.id)).status == "closed"


async def test_a_replay_while_the_thread_runs_takes_its_end_from_no_run() -> None:
    post = Post()
    asked = await post.ask()
    await post.runtime.replay(asked.question.run)
    await post.release()
    assert (await post.find(asked.question.id)).status == "closed"


async def test_an_answer_that_it_happened_needs_no_thread() -> None:
    post = Post()
    asked = await post.ask()
    await post.runtime.decide(asked.question.id, approved=True, by=ADA, result="told")
    result = await post.runtime.resume(asked.question.run)
    post.released.set()
    assert (result.value(), post.runtime.dispatcher.late_attempts) == ("told", {})


async def test_reconcile_is_believed_when_it_finds_that_the_call_happened() -> None:
    post = Post(Happened("found"))
    result = await post.runtime.call(post.send, ADA, "bea")
    post.released.set()
    assert (result.value(), post.runtime.dispatcher.late_attempts) == ("found", {})


class Stopped:
    """A call below no layer that was stopped while its thread runs."""

    def __init__(self, post: Post) -> None:
        self.post, self.bench = post, Bench(post.unlimited)
        self.base = Base(post.unlimited, self.bench.door)

    async def stop(self) -> None:
        running = asyncio.ensure_future(self.drive())
        await asyncio.to_thread(self.post.began.wait)
        running.cancel()
        with pytest.raises(ThreadStillRunning):
            await running

    async def drive(self) -> Any:
        return await self.base(await self.bench.call(self.post.unlimited, '{"to":"bea"}'))


async def test_an_answer_that_it_did_not_happen_waits_for_the_thread() -> None:
    stopped = Stopped(Post())
    await stopped.stop()
    with pytest.raises(Suspended) as asked:
        await stopped.drive()
    (question,) = asked.value.questions
    ledger = await stopped.bench.drive()
    body = Decision(question=question, approved=False, by="ada").to_json()
    await ledger.commit(DecisionItem(call="call", question=question, body=body))
    stopped.post.looks.clear()
    driving = asyncio.ensure_future(stopped.drive())
    await stopped.post.looks.wait()
    stopped.post.released.set()
    assert (await driving).content == "sent to bea"
    assert (stopped.post.sent, stopped.bench.door.late_attempts) == (["bea"], {})
    assert not of_kind(await stopped.bench.stored(), QuestionClosed), "the question has its answer"


@pytest.mark.parametrize("finding", [UNKNOWN, DID_NOT_HAPPEN])
async def test_an_end_that_could_not_be_stored_is_known_when_the_call_is_made_again(finding: ReconcileResult) -> None:
    stopped = Stopped(Post(finding))
    await stopped.stop()
    await stopped.bench.drive()  # another driver has taken the run up
    (late,) = stopped.bench.door.late_attempts.values()
    stopped.post.released.set()
    await asyncio.wait(late.recording)
    assert (await stopped.drive()).content == "sent to bea"
    assert stopped.post.sent == ["bea"]


async def test_nothing_is_recorded_when_the_loop_ends_before_the_thread() -> None:
    stopped = Stopped(Post())
    await stopped.stop()
    (late,) = stopped.bench.door.late_attempts.values()
    await asyncio.sleep(0)
    late.recording[0].cancel()
    await asyncio.wait(late.recording)
    stopped.post.released.set()
    assert list(stopped.bench.door.late_attempts.values()) == [late]
