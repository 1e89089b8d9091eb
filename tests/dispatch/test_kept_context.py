"""A context works only while its call runs, and only for this call: one that was kept acts for nobody."""

from __future__ import annotations

import asyncio
import threading
from contextvars import Context as ContextVars
from contextvars import copy_context
from typing import Any, cast

import pytest

from remit import App, Context, Effect, LeafContext, Principal, Runtime, Stack, Tool, tool
from remit.call.callee import Frame
from remit.errors import ContractError
from remit.layers import Reply
from remit.record.items import Note
from remit.testing import superuser
from tests.dispatch.actors import Actor
from tests.dispatch.kit import of_kind

ADA, BOB = superuser(name="ada"), Principal("bob")
KEPT: list[Any] = []
CALLED: list[str] = []


@tool(effect=Effect.UNSAFE, risk="safe", permissions=["pages:write"])
async def erase() -> str:
    """Erase."""
    CALLED.append("erase")
    return "erased"


@pytest.fixture(autouse=True)
def _empty() -> None:
    KEPT.clear()
    CALLED.clear()


async def act(ctx: Any, member: str) -> object:
    """Act for the owner of a context."""
    match member:
        case "call":
            return await ctx.call(erase)
        case "tools":
            return await ctx.tools.erase()
        case "log":
            return ctx.log("hello")
        case "emit":
            return ctx.emit("hello")
        case "last_seen":
            return await ctx.last_seen("page", "p1")
        case _:
            return ctx.key


MEMBERS = ["call", "tools", "log", "emit", "last_seen", "key"]


def runtime_of(*tools: Tool[..., Any]) -> Runtime:
    return Runtime(App(name="test", tools=(*tools, erase)))


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("effect", [Effect.COMPOSED, Effect.KEYED, Effect.PURE])
async def test_a_context_does_nothing_after_its_call_has_ended(member: str, effect: Effect) -> None:
    async def keep(ctx: Context) -> str:
        """Keep the context."""
        KEPT.append(ctx)
        return "kept"

    if effect is not Effect.COMPOSED:
        keep.__annotations__["ctx"] = LeafContext
    made = tool(effect=effect, risk="safe")(keep)
    runtime = runtime_of(made)
    result = await runtime.call(made, ADA)
    if effect is Effect.COMPOSED or member not in {"call", "tools"}:
        with pytest.raises(ContractError, match="of keep: its call has ended, and a context works only while its call"):
            await act(KEPT[0], member)
    assert CALLED == []
    assert not of_kind([each.item for each in await runtime.store.read(result.run)], Note)
    assert (KEPT[0].run, KEPT[0].caller.principal) == (result.run, ADA)


@pytest.mark.parametrize("member", MEMBERS)
async def test_another_call_cannot_use_the_context_of_a_call_that_runs(member: str) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    @tool(effect=Effect.COMPOSED, risk="safe")
    async def keep(ctx: Context) -> str:
        """Keep the context, and wait."""
        KEPT.append(ctx)
        begun.set()
        await go_on.wait()
        return await ctx.call(erase)

    @tool(effect=Effect.COMPOSED, risk="safe")
    async def steal() -> str:
        """Act for the owner of another context."""
        return str(await act(KEPT[0], member))

    runtime = runtime_of(keep, steal)
    owner = asyncio.create_task(runtime.call(keep, ADA))
    await begun.wait()
    stolen = await runtime.call(steal, BOB)
    assert "of keep was used by steal; a context works only in its own call" in stolen.text
    assert CALLED == []
    go_on.set()
    assert (await owner).value() == "erased"


async def test_a_call_below_cannot_use_the_context_of_the_call_above() -> None:
    @tool(effect=Effect.COMPOSED, risk="safe")
    async def below() -> str:
        """Use the context of the caller."""
        return await KEPT[0].call(erase)

    @tool(effect=Effect.COMPOSED, risk="safe")
    async def above(ctx: Context) -> str:
        """Keep the context, and call."""
        KEPT.append(ctx)
        return await ctx.call(below)

    result = await runtime_of(above, below).call(above, ADA)
    assert "ctx.call of above was used by below" in result.text
    assert CALLED == []


async def test_a_context_works_in_tasks_and_threads_of_its_body() -> None:
    @tool(effect=Effect.KEYED, risk="safe")
    def in_thread(ctx: LeafContext) -> str:
        """Log in a thread."""
        ctx.log("in a thread")
        return ctx.key

    @tool(effect=Effect.COMPOSED, risk="safe")
    async def above(ctx: Context) -> list[str]:
        """Call in tasks."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ctx.call(each)) for each in (in_thread, erase)]
        ctx.log("done")
        return sorted(task.result() for task in tasks)

    runtime = runtime_of(above, in_thread)
    result = await runtime.call(above, ADA)
    assert result.status == "done", result.text
    assert len(of_kind([each.item for each in await runtime.store.read(result.run)], Note)) == 2
    assert (await runtime.replay(result.run)).is_identical


async def test_a_task_of_the_application_may_use_a_context_while_its_call_runs() -> None:
    requests = asyncio.Queue[tuple[Context, asyncio.Future[str]]]()

    async def serve() -> None:
        ctx, answer = await requests.get()
        answer.set_result(await ctx.call(erase))

    @tool(effect=Effect.COMPOSED, risk="safe")
    async def ask(ctx: Context) -> str:
        """Have a task of the application make the call."""
        answer = asyncio.get_running_loop().create_future()
        await requests.put((ctx, answer))
        return await answer

    serving = asyncio.create_task(serve())
    assert (await runtime_of(ask).call(ask, ADA)).value() == "erased"
    await serving


async def test_code_outside_of_every_call_can_do_nothing_after_the_call() -> None:
    @tool(effect=Effect.COMPOSED, risk="safe")
    async def keep(ctx: Context) -> str:
        """Keep the context."""
        KEPT.append(ctx)
        return "kept"

    await runtime_of(keep).call(keep, ADA)
    for member in MEMBERS:
        with pytest.raises(ContractError, match="of keep: its call has ended"):
            await asyncio.to_thread(asyncio.run, act(KEPT[0], member))
        with pytest.raises(ContractError, match="of keep: its call has ended"):
            await asyncio.create_task(act(KEPT[0], member), context=ContextVars())
    assert CALLED == []


async def test_calls_are_made_in_the_event_loop_of_the_run() -> None:
    @tool(effect=Effect.COMPOSED, risk="safe")
    async def keep(ctx: Context) -> str:
        """Make a call from another event loop, in a thread."""
        return str(await asyncio.to_thread(asyncio.run, act(ctx, "call")))

    result = await runtime_of(keep).call(keep, ADA)
    assert "ctx.call of keep: await it in the event loop of its run" in result.text
    assert CALLED == []


async def test_a_thread_of_an_async_body_writes_its_notes_in_order() -> None:
    def work(ctx: LeafContext) -> str:
        ctx.log("in a thread")
        ctx.emit("progress", 1)
        return ctx.key

    @tool(effect=Effect.KEYED, risk="safe")
    async def above(ctx: LeafContext) -> str:
        """Log in a thread, then here."""
        key = await asyncio.to_thread(work, ctx)
        ctx.log("after it")
        return key

    runtime = runtime_of(above)
    result = await runtime.call(above, ADA)
    assert result.status == "done", result.text
    notes = [each.data for each in of_kind([each.item for each in await runtime.store.read(result.run)], Note)]
    assert notes == ['{"message":"in a thread"}', "1", '{"message":"after it"}']


async def test_a_note_that_reaches_the_loop_after_the_call_is_dropped() -> None:
    def work(ctx: LeafContext) -> None:
        ctx.log("too late")

    @tool(effect=Effect.KEYED, risk="safe")
    async def above(ctx: LeafContext) -> str:
        """Block the event loop until the thread has logged."""
        _ = ctx.key
        thread = threading.Thread(target=work, args=(ctx,))
        thread.start()
        thread.join()
        return "done"

    runtime = runtime_of(above)
    result = await runtime.call(above, ADA)
    assert result.status == "done", result.text
    assert not of_kind([each.item for each in await runtime.store.read(result.run)], Note)


async def test_a_task_that_a_call_has_left_behind_serves_the_calls_after_it() -> None:
    requests = asyncio.Queue[tuple[LeafContext, asyncio.Future[None]]]()
    workers = set[asyncio.Task[None]]()

    async def serve() -> None:
        while True:
            ctx, answer = await requests.get()
            ctx.log("served")
            answer.set_result(None)

    @tool(effect=Effect.PURE, risk="safe")
    async def ask(ctx: LeafContext) -> str:
        """Have a task that the first call starts write a message."""
        if not workers:
            workers.add(asyncio.create_task(serve()))
        answer = asyncio.get_running_loop().create_future()
        await requests.put((ctx, answer))
        await answer
        return "asked"

    runtime = Runtime(App(name="test", tools=(ask,)), layers=Stack())
    assert [(await runtime.call(ask, ADA)).value() for _ in range(2)] == ["asked", "asked"]
    workers.pop().cancel()


@pytest.mark.parametrize("kind", [LeafContext, Context])
async def test_the_context_of_a_body_has_the_members_of_its_protocol_and_no_others(kind: type) -> None:
    async def keep(ctx: Context) -> list[str]:
        """Keep the context."""
        KEPT.append(ctx)
        with pytest.raises(AttributeError, match=r"^the context of a body has no member 'ledger'$"):
            _ = cast("Any", ctx).ledger
        assert await ctx.last_seen("page", "p1") == {}
        assert ctx.deadline is None
        return [name for name in dir(ctx) if not name.startswith("_")]

    keep.__annotations__["ctx"] = kind
    made = tool(effect=Effect.COMPOSED)(keep)
    protocol = {name for each in kind.__mro__ for name in vars(each) if not name.startswith("_")}
    found: Any = (await runtime_of(made).call(made, ADA)).value()
    assert set(found) == protocol
    assert len(protocol) == (7 if kind is LeafContext else 9)


async def test_a_body_that_is_closed_from_elsewhere_ends_its_context() -> None:
    async def keep(frame: Frame) -> None:
        KEPT.append(frame)

    actor = Actor("keep", keep)
    await Runtime(App(name="test", tools=(actor,))).call(actor, ADA)
    (kept,) = KEPT
    kept.end(copy_context().run(kept.begin))
    with pytest.raises(ContractError):
        _ = kept.key


async def test_a_reply_of_a_body_with_a_wrong_field_is_an_invalid_output() -> None:
    @tool(effect=Effect.PURE)
    async def answer() -> Any:
        """Answer."""
        return Reply("fine", cast("Any", "splendid"), "fine")

    result = await runtime_of(answer).call(answer, ADA)
    assert result.reply is not None
    assert result.reply.error is not None
    assert result.reply.error.code == "INVALID_OUTPUT"
