"""Timeout stops what has not answered in time, on the loop's clock, and says so; nothing else changes."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from remit import App, Context, Effect, LeafContext, Runtime, Timeout, tool
from remit.call.step import Done, StepOutcome, StepRequest, StepUsage
from remit.chat.chat import ChatRequest, Completion, completion_from_message
from remit.errors import DeadlineError, NotFoundError, SetupError
from remit.layers import Call, Place, Reply
from remit.testing import call_through, make_call, superuser
from tests.call.steps import chat_request, step_request
from tests.layers.inner import Inner, stopped_within

pytestmark = pytest.mark.looptime


@tool
async def find() -> str:
    """Find pages."""
    return "found"


def now() -> float:
    return asyncio.get_running_loop().time()


class Slow:
    """Answers after ``seconds``; on being stopped, does what ``stopped`` says."""

    def __init__(self, seconds: float, stopped: Reply | BaseException | None = None) -> None:
        self._seconds = seconds
        self._stopped = stopped
        self.cancelled_at: float | None = None

    async def __call__(self, _call: Call, /) -> Reply:
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self.cancelled_at = now()
            if isinstance(self._stopped, BaseException):
                raise self._stopped from None
            if self._stopped is not None:
                return self._stopped
            raise
        return Reply.from_value("in time")


async def test_what_answers_in_time_passes_through_and_knows_its_deadline_and_nothing_else_is_changed() -> None:
    for timeout in (Timeout(5), Timeout(5, grace=1)):
        inner = Inner(reply := Reply.from_value("inner"))
        call = await make_call(find)
        assert await call_through(timeout.calls, call, inner) is reply
        assert inner.calls == [call.replace(deadline=now() + 5)]


@pytest.mark.parametrize(("known", "told"), [(3.0, 3.0), (5.0, 5.0), (8.0, 5.0)])
async def test_of_two_deadlines_the_earlier_one_holds(known: float, told: float) -> None:
    inner = Inner(Reply.from_value("inner"))
    call = (await make_call(find)).replace(deadline=now() + known)
    await call_through(Timeout(5).calls, call, inner)
    assert inner.calls[0].deadline == now() + told


async def test_a_body_and_the_calls_that_it_makes_see_the_deadline_of_the_call() -> None:
    seen: list[float | None] = []

    @tool(effect=Effect.PURE)
    async def leaf(ctx: LeafContext) -> str:
        """Look at the clock."""
        seen.append(ctx.deadline)
        return "seen"

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Call another."""
        seen.append(ctx.deadline)
        return await ctx.call(leaf)

    began = now()
    timed = outer.layer(Timeout(7))
    await Runtime(App(name="clocks", tools=(leaf, timed))).call(timed, superuser())
    assert seen == [began + 7, began + 7]


async def test_what_answers_just_in_time_is_no_timeout() -> None:
    assert (await call_through(Timeout(5).calls, await make_call(find), Slow(4.99))).value == "in time"


async def test_what_takes_longer_is_stopped_at_the_limit() -> None:
    inner = Slow(3600)
    with pytest.raises(DeadlineError) as caught:
        await call_through(Timeout(5).calls, await make_call(find), inner)
    assert inner.cancelled_at == now() == 5
    assert (caught.value.code, caught.value.message) == (
        "TIMEOUT",
        "Timeout: no result within 5 seconds; the attempt was cancelled",
    )
    assert caught.value.retryable


async def test_an_error_of_inner_passes_through() -> None:
    error = NotFoundError("no page")
    with pytest.raises(NotFoundError) as caught:
        await call_through(Timeout(5).calls, await make_call(find), Inner(error))
    assert caught.value is error


async def test_a_timeout_error_of_inners_own_is_not_taken_for_the_layers() -> None:
    with pytest.raises(TimeoutError, match="theirs"):
        await call_through(Timeout(5).calls, await make_call(find), Inner(TimeoutError("theirs")))


async def test_cancellation_from_outside_reaches_inner_and_is_no_timeout() -> None:
    assert await stopped_within(Timeout(5).calls, await make_call(find)) == ["call"]


async def test_cancellation_from_inner_itself_is_no_timeout() -> None:
    with pytest.raises(asyncio.CancelledError):
        await call_through(Timeout(5).calls, await make_call(find), Inner(asyncio.CancelledError()))


async def test_cancellation_from_outside_while_inner_is_being_stopped_wins() -> None:
    class Reluctant(Slow):
        async def __call__(self, call: Call, /) -> Reply:
            try:
                return await super().__call__(call)
            finally:
                await asyncio.sleep(10)

    running = asyncio.create_task(call_through(Timeout(5).calls, await make_call(find), Reluctant(3600)))
    await asyncio.sleep(6)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_the_inner_of_two_limits_that_runs_out_first_is_the_one_that_is_told() -> None:
    with pytest.raises(DeadlineError, match="within 2 seconds"):
        await Timeout(5).calls(Timeout(2).calls(Slow(3600)))(await make_call(find))
    assert now() == 2


async def test_the_outer_of_two_limits_that_runs_out_first_is_the_one_that_is_told() -> None:
    with pytest.raises(DeadlineError, match="within 2 seconds"):
        await Timeout(2).calls(Timeout(5).calls(Slow(3600)))(await make_call(find))
    assert now() == 2


async def test_a_timeout_leaves_the_task_as_it_was() -> None:
    task = asyncio.current_task()
    assert task is not None
    with pytest.raises(DeadlineError):
        await call_through(Timeout(5).calls, await make_call(find), Slow(3600))
    assert task.cancelling() == 0
    await asyncio.sleep(100)
    assert now() == 105


async def test_an_answer_in_time_is_not_stopped_later() -> None:
    await call_through(Timeout(5).calls, await make_call(find), Slow(1))
    await asyncio.sleep(100)
    assert now() == 101


@pytest.mark.parametrize("answer", [NotFoundError("gone"), Reply.from_value("after all")], ids=["an error", "a reply"])
async def test_what_answers_its_stopping_in_its_own_way_leaves_the_task_as_it_was(answer: Reply | Exception) -> None:
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotFoundError):
        await Timeout(5).calls(Slow(3600, answer))(await make_call(find))
    assert task.cancelling() == 0


async def test_an_outer_limit_still_tells_of_itself_after_an_inner_one_was_answered_by_an_error() -> None:
    async def body(call: Call, /) -> Reply:
        try:
            await Timeout(1).calls(Slow(3600, NotFoundError("gone")))(call)
        except NotFoundError:
            await asyncio.sleep(3600)
        return Reply.from_value("never")

    with pytest.raises(DeadlineError, match="within 5 seconds"):
        await Timeout(5).calls(body)(await make_call(find))


async def test_two_limits_share_no_state() -> None:
    short, long = Timeout(1).calls(Slow(2)), Timeout(5).calls(Slow(2))
    outcomes = await asyncio.gather(short(await make_call(find)), long(await make_call(find)), return_exceptions=True)
    assert isinstance(outcomes[0], DeadlineError)
    assert outcomes[1] == Reply.from_value("in time")


async def test_each_of_many_limits_stops_its_own_attempt_at_its_own_time() -> None:
    attempts = [Slow(3600) for _ in range(4)]
    call = await make_call(find)
    limited = [Timeout(seconds).calls(each)(call) for seconds, each in zip((4, 2, 3, 2), attempts, strict=True)]
    outcomes = await asyncio.gather(*limited, return_exceptions=True)
    assert all(isinstance(each, DeadlineError) for each in outcomes)
    assert [each.cancelled_at for each in attempts] == [4, 2, 3, 2]


def test_limits_in_two_event_loops_hold_side_by_side() -> None:
    async def limit(inner: Slow, seconds: float) -> Reply:
        return await Timeout(seconds).calls(inner)(await make_call(find))

    with asyncio.Runner() as first, asyncio.Runner() as second:
        waiting = first.get_loop().create_task(limit(Slow(3600), 0.01))
        first.run(asyncio.sleep(0))
        assert second.run(limit(Slow(0), 3600)).value == "in time"
        with pytest.raises(DeadlineError):
            first.get_loop().run_until_complete(waiting)


async def test_one_limit_is_for_each_call_anew() -> None:
    service = Timeout(5).calls(Slow(4))
    assert [(await service(await make_call(find))).value for _ in range(3)] == ["in time"] * 3


async def test_it_stands_around_model_requests_and_steps_too() -> None:
    async def model(_request: ChatRequest, /) -> Completion:
        await asyncio.sleep(3)
        return completion_from_message('{"role":"assistant","content":"hi"}')

    async def step(_request: StepRequest, /) -> StepOutcome:
        await asyncio.sleep(3)
        return Done(messages=(), usage=StepUsage())

    assert (await Timeout(5).models(model)(await chat_request())).content == "hi"
    assert isinstance(await Timeout(5).steps(step)(await step_request()), Done)
    with pytest.raises(DeadlineError):
        await Timeout(1).models(model)(await chat_request())
    with pytest.raises(DeadlineError):
        await Timeout(1).steps(step)(await step_request())


@pytest.mark.parametrize("seconds", [0, -1])
async def test_a_limit_that_is_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(SetupError, match=r"Timeout: seconds is .*; give a positive number$"):
        Timeout(seconds)


async def test_it_stands_at_its_place_and_prints_its_seconds() -> None:
    assert Timeout(5).place is Place.TIMEOUT
    assert repr(Timeout(2.5)) == "Timeout(seconds=2.5)"
