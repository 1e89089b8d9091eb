"""A call that timed out may have happened: if it is unsafe, nothing is told to the model before that is known."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any, Final

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, Timeout, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, Happened, ReconcileResult
from remit.errors import DeadlineError, LostAnswerError
from remit.policies import Question
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls
from tests.runtime.kit import AnyTool

pytestmark = pytest.mark.looptime

ADA = Principal("ada", permissions=frozenset({"*"}))


class Post:
    """A post office that sends letters, and answers too late the first time."""

    def __init__(self, effect: Effect = Effect.UNSAFE, *, grace: float | None = None, limited: bool = True) -> None:
        self.sent: list[str] = []

        @tool(effect=effect)
        async def send(to: str) -> str:
            """Send a letter."""
            self.sent.append(to)
            if len(self.sent) == 1:
                await asyncio.Event().wait()
            return f"sent to {to}"

        self.send: Tool[[str], str] = send.layer(Timeout(0.01, grace=grace)) if limited else send

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


class Office:
    """Tools that write letters, with a timeout that ends them during the first letter and a look-up beside it."""

    def __init__(self, limit: Timeout) -> None:
        self.started = asyncio.Event()
        self.post = Post(limited=False)
        self.looked_up: list[str] = []
        send = self.post.send

        @tool(effect=Effect.PURE)
        async def look_up(name: str) -> str:
            """Find an address."""
            self.looked_up.append(name)
            self.started.set()
            if len(self.looked_up) == 1:
                await asyncio.Event().wait()
            return f"{name} street"

        @tool(effect=Effect.COMPOSED)
        async def write(ctx: Context) -> str:
            """Write letters."""
            first, street = await asyncio.gather(ctx.call(send, "bea"), ctx.call(look_up, "cleo"))
            return f"{first}, {street}, {await ctx.call(send, 'dan')}"

        @tool(effect=Effect.COMPOSED)
        async def work(ctx: Context) -> str:
            """Work."""
            return await ctx.call(write)

        self.write: Tool[[], str] = write.layer(limit)
        self.work: Tool[[], str] = work.layer(limit)
        self.agent = Agent("clerk", instructions="Write.", tools=(send, look_up)).layer_around(limit)
        self.tools: tuple[AnyTool, ...] = (self.work, write, send, look_up)


def office_runtime(scope: str, limit: Timeout) -> tuple[Office, Runtime, Tool[[], str]]:
    """An office with the timeout around the tool that writes, around one above it, or around an agent."""
    office = Office(limit)
    script = [calls(("send", {"to": "bea"}), ("look_up", {"name": "cleo"})), calls(("send", {"to": "dan"})), "done"]
    tools = tuple(office.write if each.name == "write" and scope == "write" else each for each in office.tools)
    app = App(name="office", tools=tools, agents=(office.agent,))
    return office, Runtime(app, model=Scripted(script)), office.write if scope == "write" else office.work


@pytest.mark.parametrize("scope", ["write", "work", "agent"])
async def test_a_timeout_above_an_unsafe_call_asks_what_became_of_it(scope: str) -> None:
    office, runtime, callee = office_runtime(scope, Timeout(0.05))
    waiting = await (runtime.run("go", by=ADA) if scope == "agent" else runtime.call(callee, ADA))
    question = await ask(runtime)
    assert (waiting.status, question.kind, question.tool, office.post.sent) == ("waiting", "outcome", "send", ["bea"])
    assert await tool_outputs(runtime, waiting.run) == []
    await runtime.decide(question.id, approved=True, by=ADA, result="sent to bea")
    result = await runtime.resume(waiting.run)
    assert result.status == "done"
    assert scope == "agent" or result.value() == "sent to bea, cleo street, sent to dan"
    assert (office.post.sent, len(await tool_outputs(runtime, result.run))) == (["bea", "dan"], 2)
    assert (await runtime.replay(result.run)).is_identical


async def test_if_it_is_found_to_have_happened_the_composed_call_goes_on_without_a_question() -> None:
    sends = list[str]()

    async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        return Happened("sent long ago")

    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> str:
        """Send a letter that never arrives."""
        sends.append(to)
        await asyncio.Event().wait()
        return to

    found = send.with_reconcile(look)

    @tool(effect=Effect.COMPOSED)
    async def write(ctx: Context) -> str:
        """Write letters."""
        return f"{await ctx.call(found, 'bea')}, {await ctx.call(found, 'dan')}"

    limited: Tool[[], str] = write.layer(Timeout(0.02))
    runtime = Runtime(App(name="office", tools=(limited, found)))
    result = await runtime.call(limited, ADA)
    assert (result.status, result.value(), sends) == ("done", "sent long ago, sent long ago", ["bea", "dan"])
    assert (await runtime.replay(result.run)).is_identical


async def test_an_unsafe_call_that_is_stopped_again_and_again_ends_with_the_timeout() -> None:
    sends = list[str]()

    async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        return DID_NOT_HAPPEN

    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> str:
        """Send a letter that never arrives."""
        sends.append(to)
        await asyncio.Event().wait()
        return to

    found = send.with_reconcile(look)

    @tool(effect=Effect.COMPOSED)
    async def write(ctx: Context) -> str:
        """Write a letter."""
        return await ctx.call(found, "bea")

    limited: Tool[[], str] = write.layer(Timeout(0.02))
    runtime = Runtime(App(name="office", tools=(limited, found)))
    result = await runtime.call(limited, ADA)
    assert (result.status, sends) == ("failed", ["bea", "bea"])
    assert [item.outcome for item in await tool_outputs(runtime, result.run)] == ["error"]


@pytest.mark.parametrize("scope", ["write", "work", "agent"])
async def test_a_run_that_is_cancelled_records_the_end_of_every_call_below(scope: str) -> None:
    office, runtime, callee = office_runtime(scope, Timeout(60.0))
    script = Scripted([calls(("send", {"to": "bea"}), ("look_up", {"name": "cleo"}))])
    runtime = Runtime(runtime.app, model=script, make_run_id=lambda: "r")
    running = asyncio.ensure_future(runtime.run("go", by=ADA) if scope == "agent" else runtime.call(callee, ADA))
    await office.started.wait()
    running.cancel()
    await asyncio.wait([running])
    items = [position.item for position in await runtime.store.read("r")]
    ended = {item.callee: item.outcome for item in items if isinstance(item, ToolOutput)}
    assert ended["send"] == "error"
    assert len(ended) == len([item for item in items if isinstance(item, ToolOutput)])
    assert await runtime.store.list_questions() == []


async def test_a_body_that_gives_up_a_call_by_itself_leaves_it_recorded_as_stopped() -> None:
    post = Post(limited=False)
    send = post.send

    @tool(effect=Effect.COMPOSED)
    async def write(ctx: Context) -> str:
        """Write a letter, or give up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await ctx.call(send, "bea")
        return "gave up"

    runtime = Runtime(App(name="office", tools=(write, send)))
    result = await runtime.call(write, ADA)
    assert (result.status, result.value()) == ("done", "gave up")
    assert [item.outcome for item in await tool_outputs(runtime, result.run)] == ["error"]


async def test_a_composed_call_that_is_left_behind_records_its_own_calls_when_they_end() -> None:
    released = asyncio.Event()

    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> str:
        """Send a letter, and ignore a first cancellation."""
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await released.wait()
        raise asyncio.CancelledError(to)

    @tool(effect=Effect.COMPOSED)
    async def write(ctx: Context) -> str:
        """Write a letter."""
        return await ctx.call(send, "bea")

    limited: Tool[[], str] = write.layer(Timeout(0.01, grace=0.01))

    @tool(effect=Effect.COMPOSED)
    async def work(ctx: Context) -> str:
        """Go on after the letter was given up."""
        writing = asyncio.ensure_future(ctx.call(limited))
        await asyncio.wait([writing])
        released.set()
        for _ in range(20):
            await asyncio.sleep(0)
        return type(writing.exception()).__name__

    runtime = Runtime(App(name="office", tools=(work, limited, send)))
    result = await runtime.call(work, ADA)
    assert (result.status, result.value()) == ("done", "StillRunningError")
    assert [item.outcome for item in await tool_outputs(runtime, result.run)] == ["error"]


@pytest.mark.parametrize("effect", [each for each in Effect if each is not Effect.COMPOSED])
async def test_a_lost_answer_asks_what_became_of_an_unsafe_call_and_fails_any_other(effect: Effect) -> None:
    @tool(effect=effect)
    async def send(ctx: LeafContext, to: str) -> str:
        """Send a letter."""
        if effect is Effect.KEYED:
            assert ctx.key
        raise LostAnswerError(f"the postman of {to} does not come back")

    runtime = Runtime(App(name="post", tools=(send,)))
    sent = await runtime.call_by_name("send", {"to": "bea"}, by=ADA)
    if effect is not Effect.UNSAFE:
        assert (sent.status, sent.text.count("ANSWER_LOST")) == ("failed", 1)
        return
    assert sent.status == "waiting"
    question = await ask(runtime)
    assert question.kind == "outcome"
    await runtime.decide(question.id, approved=True, by=ADA, result="sent to bea")
    assert (await runtime.resume(sent.run)).value() == "sent to bea"
    assert (await runtime.replay(sent.run)).is_identical
