"""A call that timed out may have happened: if it is unsafe, nothing is told to the model before that is known."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Final

import pytest

from remit import Agent, App, Effect, LeafContext, Principal, Runtime, Timeout, Tool, tool
from remit.contracts.callee import DID_NOT_HAPPEN, Happened, ReconcileResult
from remit.contracts.items import ToolOutput
from remit.errors import DeadlineError
from remit.policies import Question
from remit.testing import Scripted, calls

ADA = Principal("ada", permissions=frozenset({"*"}))


class Post:
    """A post office that sends letters, and answers too late the first time."""

    def __init__(self, effect: Effect = Effect.UNSAFE, *, grace: float | None = None) -> None:
        self.sent: list[str] = []

        @tool(effect=effect)
        async def send(to: str) -> str:
            """Send a letter."""
            self.sent.append(to)
            if len(self.sent) == 1:
                await asyncio.Event().wait()
            return f"sent to {to}"

        self.send: Tool[[str], str] = send.layer(Timeout(0.01, grace=grace))

    def runtime(self, **parts: Any) -> Runtime:
        return Runtime(App(name="post", tools=(self.send,)), **parts)


async def ask(runtime: Runtime) -> Question:
    (row,) = await runtime.store.list_questions()
    return row.question


@pytest.mark.parametrize("grace", [None, 60.0])
async def test_an_unsafe_call_that_timed_out_asks_what_became_of_it(grace: float | None) -> None:
    post = Post(grace=grace)
    script = Scripted([calls(("send", {"to": "bea"})), "done"])
    app = App(name="post", agents=(Agent("clerk", instructions="Write.", tools=(post.send,)),))
    runtime = Runtime(app, model=script)
    waiting = await runtime.run("go", by=ADA)
    assert (waiting.status, post.sent) == ("waiting", ["bea"])
    question = await ask(runtime)
    assert (question.kind, question.tool) == ("outcome", "send")
    assert question.reason == "send was started, and its end is unknown: did it happen?"
    await runtime.decide(question.id, approved=True, by=ADA, result='"sent to bea"')
    result = await runtime.resume(waiting.run)
    assert (result.status, post.sent) == ("done", ["bea"])
    assert [item.text for item in await tool_outputs(runtime, waiting.run)] == [TOLD]
    assert (await runtime.replay(waiting.run)).is_identical


TOLD: Final = '{"role":"tool","tool_call_id":"call_0_send","content":"\\"sent to bea\\""}'


async def tool_outputs(runtime: Runtime, run: str) -> list[ToolOutput]:
    items = [position.item for position in await runtime.store.read(run)]
    return [item for item in items if isinstance(item, ToolOutput) and item.callee == "send"]


async def test_if_it_did_not_happen_it_is_made_again() -> None:
    post = Post()
    runtime = post.runtime()
    waiting = await runtime.call(post.send, ADA, "bea")
    await runtime.decide((await ask(runtime)).id, approved=False, by=ADA)
    result = await runtime.resume(waiting.run)
    assert (result.status, result.value(), post.sent) == ("done", "sent to bea", ["bea", "bea"])


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT])
async def test_a_call_that_may_run_again_fails_with_the_timeout(effect: Effect) -> None:
    post = Post(effect)
    result = await post.runtime().call(post.send, ADA, "bea")
    assert (result.status, result.reply and result.reply.error and result.reply.error.code) == ("failed", "TIMEOUT")


@pytest.mark.parametrize(("found", "sent"), [(Happened("sent long ago"), 1), (DID_NOT_HAPPEN, 2)])
async def test_a_tool_that_can_find_out_what_happened_is_asked_instead(found: ReconcileResult, sent: int) -> None:
    post = Post()

    async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        return found

    post.send = post.send.with_reconcile(look)
    result = await post.runtime().call(post.send, ADA, "bea")
    assert (result.status, len(post.sent)) == ("done", sent)
    assert result.value() == ("sent long ago" if sent == 1 else "sent to bea")


async def test_a_plain_function_that_is_still_running_asks() -> None:
    go_on = threading.Event()

    @tool(effect=Effect.UNSAFE)
    def send(to: str) -> str:
        """Send a letter."""
        go_on.wait(60)
        return f"sent to {to}"

    slow = send.layer(Timeout(0.01))
    runtime = Runtime(App(name="post", tools=(slow,)))
    waiting = await runtime.call(slow, ADA, "bea")
    go_on.set()
    assert (waiting.status, (await ask(runtime)).kind) == ("waiting", "outcome")


async def test_a_timeout_of_the_body_itself_is_an_error_of_the_tool() -> None:
    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> str:
        """Send a letter."""
        raise DeadlineError(f"the server did not take the letter to {to}")

    runtime = Runtime(App(name="post", tools=(send,)))
    assert (await runtime.call(send, ADA, "bea")).status == "failed"
