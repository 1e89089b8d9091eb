"""What a call raises to end or suspend its run leaves the body that made it, whatever the body does with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import App, Context, Effect, LeafContext, Risk, Runtime, Stack, tool
from remit.call.callee import ReconcileResult
from remit.dispatch.base import Base
from remit.errors import (
    CallError,
    DivergedError,
    InternalError,
    InvalidOutputError,
    JournalError,
    NoModelError,
    RequestError,
    Suspended,
)
from remit.layers import Call, CallService, Reply, layer_fn
from remit.record.items import AttemptEnded, AttemptStarted, Note, QuestionItem
from remit.testing import superuser
from tests.dispatch.kit import Bench, Crash, of_kind

Body = Callable[[Context], Awaitable[Any]]
ADA = superuser(name="ada")
STOPPING = [JournalError("full"), DivergedError("other"), NoModelError("none"), Crash()]


def calling(body: Body) -> Any:
    """A composed tool with that body."""

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Call others."""
        return await body(ctx)

    return outer


def raising(error: BaseException) -> Any:
    """A tool whose layer raises ``error``, as the journal would."""

    @layer_fn
    async def fail(_call: Call, _inner: CallService) -> Reply:
        raise error

    @tool(name="inner", effect=Effect.PURE)
    async def inner() -> str:
        """Be called."""
        return "inner"

    return inner.layer(fail())


@pytest.mark.parametrize("error", STOPPING, ids=repr)
async def test_a_caught_exception_that_stops_the_run_leaves_the_body_and_nothing_follows_it(
    error: BaseException,
) -> None:
    ran = list[str]()

    @tool(effect=Effect.PURE)
    async def note() -> str:
        """Be called afterwards."""
        ran.append("note")
        return "noted"

    inner = raising(error)

    async def careless(ctx: Context) -> str:
        await asyncio.gather(ctx.call(inner), return_exceptions=True)
        return await ctx.call(note)

    outer = calling(careless)
    with pytest.raises(type(error)) as raised:
        await Bench(outer, inner, note).base(outer)
    assert raised.value is error
    assert ran == []


@pytest.mark.parametrize("error", [JournalError("full"), Crash()], ids=repr)
async def test_siblings_are_stopped_when_the_journal_refuses(error: BaseException) -> None:
    stopped = list[str]()
    inner = raising(error)

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait for ever."""
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("wait")
        return "never"

    async def both(ctx: Context) -> str:
        waiting = asyncio.ensure_future(ctx.call(wait))
        await asyncio.sleep(0)
        await asyncio.wait([asyncio.ensure_future(ctx.call(inner))])
        await asyncio.sleep(0)
        return str(waiting.done())

    outer = calling(both)
    with pytest.raises(type(error)):
        await Bench(outer, inner, wait).base(outer)
    assert stopped == ["wait"]


async def test_another_exception_of_a_call_is_an_error_that_the_body_may_handle() -> None:
    inner = raising(RequestError("unknown run"))

    async def careful(ctx: Context) -> str:
        try:
            return await ctx.call(inner)
        except RequestError as error:
            return error.message

    outer = calling(careful)
    assert (await Bench(outer, inner).base(outer)).value == "unknown run"


@pytest.mark.parametrize(
    "error", [Suspended("mine"), BaseExceptionGroup("mine", [Crash()])], ids=["Suspended", "BaseExceptionGroup"]
)
@pytest.mark.parametrize("effect", [Effect.PURE, Effect.COMPOSED])
async def test_a_signal_of_its_own_is_an_error_of_the_tool(effect: Effect, error: BaseException) -> None:
    @tool(effect=effect)
    async def explode(_ctx: LeafContext) -> str:
        """Explode."""
        raise error

    with pytest.raises(InternalError, match=f"explode failed: {type(error).__name__}"):
        await Bench(explode).base(explode)


async def test_a_reconcile_or_preview_that_raises_a_signal_has_failed() -> None:
    async def suspend(_ctx: LeafContext, _payload: object) -> Any:
        raise Suspended("mine")

    async def find_out(ctx: LeafContext, payload: object) -> ReconcileResult:
        return await suspend(ctx, payload)

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase() -> str:
        """Erase."""
        raise Crash

    bench = Bench(erase.with_reconcile(find_out))
    made = bench.named("erase")
    with pytest.raises(Crash):
        await bench.base(made)
    with pytest.raises(Suspended):
        await bench.base(made)
    assert [item.about for item in of_kind(await bench.stored(), QuestionItem)] == ["outcome"]

    previewed = erase.with_preview(suspend)
    result = await Runtime(App(name="test", tools=(previewed,))).call(previewed, ADA)
    assert result.reply is not None
    assert "the preview of erase failed: Suspended" in result.reply.content


async def test_a_crash_of_a_reconcile_or_preview_ends_the_run() -> None:
    async def die(_ctx: LeafContext, _payload: object) -> Any:
        raise Crash

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase() -> str:
        """Erase."""
        raise Crash

    bench = Bench(erase.with_reconcile(die))
    made = bench.named("erase")
    for _ in ("at first", "again"):
        with pytest.raises(Crash):
            await bench.base(made)
    assert not of_kind(await bench.stored(), QuestionItem)
    previewed = erase.with_preview(die)
    with pytest.raises(Crash):
        await Runtime(App(name="test", tools=(previewed,))).call(previewed, ADA)


@pytest.mark.parametrize("effect", [Effect.UNSAFE, Effect.COMPOSED])
async def test_a_body_that_is_closed_while_it_waits_is_left_as_it_is(effect: Effect) -> None:
    @tool(effect=effect)
    async def wait(_ctx: LeafContext) -> str:
        """Wait for ever."""
        await asyncio.get_running_loop().create_future()
        return "never"

    bench = Bench(wait)
    call = await bench.call(wait)
    running = Base(wait, bench.door)(call)
    running.send(None)
    while effect is Effect.UNSAFE and not of_kind(await bench.stored(), AttemptStarted):
        running.send(None)
    running.close()
    assert not of_kind(await bench.stored(), AttemptEnded)


async def test_a_body_reports_nothing_about_its_suspension() -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase() -> str:
        """Erase."""
        return "erased"

    async def reporting(ctx: Context) -> str:
        try:
            return await ctx.call(erase)
        finally:
            ctx.log("over")

    outer = calling(reporting)
    runtime = Runtime(App(name="test", tools=(outer, erase)))
    result = await runtime.call(outer, ADA)
    assert not of_kind([each.item for each in await runtime.store.read(result.run)], Note)
    await runtime.decide(result.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(result.run)).value() == "erased"
    assert len(of_kind([each.item for each in await runtime.store.read(result.run)], Note)) == 1


async def test_a_cancellation_stops_the_calls_for_which_a_body_that_has_ended_waits() -> None:
    stopped = list[str]()
    begun = asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait for ever."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("wait")
        return "never"

    async def leave(ctx: Context) -> str:
        task = asyncio.ensure_future(ctx.call(wait))
        await begun.wait()
        return str(task.done())

    outer = calling(leave)
    running = asyncio.ensure_future(Bench(outer, wait).base(outer))
    await begun.wait()
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stopped == ["wait"]


WRONG: list[tuple[Any, str]] = [
    (Reply(5), "content is 5"),  # pyright: ignore[reportArgumentType]
    (Reply("x", "weird"), "outcome is 'weird'"),  # pyright: ignore[reportArgumentType]
    (Reply("x", "error", error=ValueError("no")), "error is ValueError"),  # pyright: ignore[reportArgumentType]
    (Reply("x", is_final="no"), "is_final is 'no'"),  # pyright: ignore[reportArgumentType]
]


@pytest.mark.parametrize(("reply", "problem"), WRONG, ids=[problem for _, problem in WRONG])
@pytest.mark.parametrize("by", ["body", "layer"])
async def test_a_reply_with_a_field_of_another_type_is_an_error_of_what_made_it(
    reply: Reply, problem: str, by: str
) -> None:
    @tool(name="make", effect=Effect.PURE)
    async def make() -> Any:
        """Make a reply."""
        return reply if by == "body" else "fine"

    @layer_fn
    async def wrong(_call: Call, _inner: CallService) -> Reply:
        return reply

    made = make.layer(Stack() if by == "body" else wrong())
    result = await Runtime(App(name="test", tools=(made,)), layers=Stack()).call(made, ADA)
    assert result.status == "failed"
    assert result.reply is not None
    error: CallError | None = result.reply.error
    assert isinstance(error, InvalidOutputError if by == "body" else InternalError)
    assert problem in error.message
