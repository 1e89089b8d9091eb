"""A plain function is a tool as well: it runs in a thread, sees its context, and is not said to have stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

from remit import App, Context, Effect, LeafContext, Runtime, Timeout, Tool, tool
from remit.call.threads import ThreadStillRunning, awaitable_body
from remit.errors import DeadlineError, InternalError, StillRunningError
from remit.items import AttemptEnded, Note
from remit.stores import InMemoryStore
from remit.testing import superuser

ADA = superuser()
WEATHER: ContextVar[str] = ContextVar("weather", default="unknown")


def runtime_of(*tools: Tool[..., Any]) -> Runtime:
    return Runtime(App(name="shop", tools=tools), store=InMemoryStore())


async def items_of(runtime: Runtime, run: str) -> list[Any]:
    return [position.item for position in await runtime.store.read(run)]


class Held:
    """A function that runs until it is released."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.released = threading.Event()
        self.thread = threading.current_thread()

    def wait(self) -> str:
        """Wait."""
        self.thread = threading.current_thread()
        self.began.set()
        self.released.wait()
        return "late"

    def release(self) -> None:
        self.began.wait()
        self.released.set()
        self.thread.join()


async def wait_until_started(held: Held) -> None:
    """Wait until the function runs."""
    await asyncio.to_thread(held.began.wait)


async def test_a_plain_function_runs_in_a_thread_of_its_own() -> None:
    @tool(effect=Effect.PURE)
    def where() -> str:
        """Say which thread runs."""
        return threading.current_thread().name

    result = await runtime_of(where).call(where, ADA)
    assert result.value() == "remit tool where"


async def test_two_plain_functions_run_at_the_same_time() -> None:
    both = threading.Barrier(2)

    @tool(effect=Effect.PURE)
    def meet(name: str) -> str:
        """Wait for the other."""
        both.wait(60)
        return name

    @tool(effect=Effect.COMPOSED)
    async def gather(ctx: Context) -> list[str]:
        """Run both."""
        return list(await asyncio.gather(ctx.call(meet, "a"), ctx.call(meet, "b")))

    result = await runtime_of(meet, gather).call(gather, ADA)
    assert result.value() == ["a", "b"]


async def test_it_sees_the_context_variables_of_its_call() -> None:
    @tool(effect=Effect.PURE)
    def weather() -> str:
        """Say the weather."""
        return WEATHER.get()

    token = WEATHER.set("rain")
    try:
        assert (await runtime_of(weather).call(weather, ADA)).value() == "rain"
    finally:
        WEATHER.reset(token)


async def test_its_context_tells_about_the_call_and_logs_to_the_journal() -> None:
    @tool(effect=Effect.KEYED)
    def save(ctx: LeafContext, title: str) -> dict[str, Any]:
        """Save a page."""
        ctx.log("saving", title=title)
        ctx.emit("progress", 1)
        return {"run": ctx.run, "key": ctx.key, "deadline": ctx.deadline, "by": ctx.caller.principal.name}

    runtime = runtime_of(save)
    result = await runtime.call(save, ADA, "about")
    items = await items_of(runtime, result.run)
    notes = [(item.call, item.name, item.data) for item in items if isinstance(item, Note)]
    key = result.value()["key"]
    assert result.value() == {"run": result.run, "key": key, "deadline": None, "by": "ada"}
    assert notes == [(key, "log", '{"message":"saving","title":"about"}'), (key, "progress", "1")]


def fails() -> None:
    """Fail."""
    raise ValueError("no such page")


def stops() -> None:
    """Stop."""
    raise StopIteration


def leaves() -> None:
    """Leave."""
    raise SystemExit(3)


def later() -> Any:
    """Give a coroutine."""
    return asyncio.sleep(0)


async def forgets() -> Any:
    """Give a coroutine that it does not await."""
    return asyncio.sleep(0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (forgets, "forgets failed: TypeError: it returned a coroutine; write `await` before the call that makes it"),
        (fails, "fails failed: ValueError: no such page"),
        (stops, "stops failed: RuntimeError: it raised StopIteration()"),
        (leaves, "leaves failed: SystemExit: 3"),
        (later, "later failed: TypeError: it returned a coroutine; declare it `async def`"),
    ],
)
async def test_what_it_raises_fails_the_call(function: Callable[[], Any], message: str) -> None:
    made = tool(effect=Effect.PURE)(function)
    result = await runtime_of(made).call(made, ADA)
    with pytest.raises(InternalError) as caught:
        result.value()
    assert caught.value.message == message


@pytest.mark.looptime
@pytest.mark.parametrize("grace", [None, 1.0])
async def test_a_timeout_says_that_it_is_still_running(grace: float | None) -> None:
    held = Held()
    wait = tool(effect="idempotent")(held.wait).layer(Timeout(5, grace=grace))
    runtime = runtime_of(wait)
    result = await runtime.call(wait, ADA)
    with pytest.raises(StillRunningError) as caught:
        result.value()
    assert caught.value.message == (
        "Timeout: no result within 5 seconds; it runs in a thread, which cannot be stopped, and is still running"
    )
    ended = [item for item in await items_of(runtime, result.run) if isinstance(item, AttemptEnded)]
    assert len(ended) == 1
    assert "wait was cancelled, but it runs in a thread" in ended[0].content
    assert "it may still happen" in ended[0].content
    held.release()


@pytest.mark.looptime
async def test_a_timeout_still_says_that_an_async_function_was_stopped() -> None:
    @tool(effect=Effect.PURE)
    async def wait() -> None:
        """Wait."""
        await asyncio.sleep(60)

    layered = wait.layer(Timeout(5))
    with pytest.raises(DeadlineError, match="the attempt was cancelled"):
        (await runtime_of(layered).call(layered, ADA)).value()


async def test_a_cancelled_call_does_not_wait_for_its_thread() -> None:
    held = Held()
    task = asyncio.ensure_future(awaitable_body(held.wait)())
    await wait_until_started(held)
    task.cancel()
    with pytest.raises(ThreadStillRunning):
        await task
    assert held.thread.is_alive()
    held.release()


async def test_a_cancellation_that_the_function_raises_is_not_called_a_thread_that_runs() -> None:
    def give_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError) as caught:
        await awaitable_body(give_up)()
    assert not isinstance(caught.value, ThreadStillRunning)


def test_a_thread_that_outlives_its_loop_ends_quietly() -> None:
    held = Held()

    async def leave() -> None:
        task = asyncio.ensure_future(awaitable_body(held.wait)())
        await wait_until_started(held)
        task.cancel()

    asyncio.run(leave())
    held.release()


async def test_a_tool_called_directly_inside_a_run_is_refused_because_no_layer_would_see_it() -> None:
    @tool(effect=Effect.PURE)
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @tool(effect=Effect.COMPOSED)
    async def twice(ctx: Context, a: int) -> int:
        """Double."""
        return await add(a, a)

    assert await add(1, 2) == 3
    result = await runtime_of(add, twice).call(twice, ADA, 3)
    with pytest.raises(InternalError, match=r"inside a run passes no layer: write `await ctx\.call\(add, …\)`"):
        result.value()
