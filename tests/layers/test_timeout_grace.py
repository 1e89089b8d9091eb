"""A timeout with a grace answers in time whatever its body does, and says whether that has stopped or still runs."""

from __future__ import annotations

import asyncio
import gc
import math
from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Effect, LeafContext, Retry, Runtime, Timeout, Tool, tool
from remit.errors import DeadlineError, NotFoundError, SetupError, StillRunningError, Suspended
from remit.layers import Call, Place, Reply
from remit.record.items import AttemptEnded, AttemptStarted, Item
from remit.testing import Scripted, call_through, calls, make_call, superuser
from tests.layers.inner import Inner, stopped_within

pytestmark = pytest.mark.looptime

LIMIT = Timeout(5, grace=2).calls


@tool
async def find() -> str:
    """Find pages."""
    return "found"


class Stubborn:
    """Ignores that it is told to stop, up to a time of its own; then answers, or does what ``answer`` says."""

    def __init__(self, until: float, answer: Reply | BaseException | None = None) -> None:
        self._until = until
        self._answer = answer or Reply.from_value("at last")
        self.told: list[float] = []
        self.ended_at: float | None = None

    async def __call__(self, _call: Call, /) -> Reply:
        while now() < self._until:
            try:
                await asyncio.sleep(self._until - now())
            except asyncio.CancelledError:
                self.told.append(now())
        self.ended_at = now()
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


def now() -> float:
    return asyncio.get_running_loop().time()


async def start_call(service: Any) -> asyncio.Task[Reply]:
    """A call under way through ``service``."""

    async def go(call: Call) -> Reply:
        return await service(call)

    return asyncio.create_task(go(await make_call(find)))


async def test_what_answers_in_time_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(find)
    assert await call_through(LIMIT, call, inner) is reply
    assert (inner.calls, now()) == ([call.replace(deadline=5)], 0)


@pytest.mark.parametrize("error", [NotFoundError("no page"), TimeoutError("theirs"), Suspended("question")], ids=repr)
async def test_an_error_of_inner_passes_through(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        await call_through(LIMIT, await make_call(find), Inner(error))
    assert caught.value is error


async def test_what_stops_when_it_is_told_to_is_said_to_have_stopped() -> None:
    async def sleeping(_call: Call, /) -> Reply:
        await asyncio.sleep(3600)
        return Reply.from_value("never")

    with pytest.raises(DeadlineError) as caught:
        await call_through(LIMIT, await make_call(find), sleeping)
    assert type(caught.value) is DeadlineError
    assert caught.value.message == "Timeout: no result within 5 seconds; the attempt was cancelled"
    assert now() == 5


async def test_what_does_not_stop_is_left_behind_after_its_grace_and_said_to_be_still_running() -> None:
    inner = Stubborn(60)
    with pytest.raises(StillRunningError) as caught:
        await call_through(LIMIT, await make_call(find), inner)
    assert (now(), inner.told, inner.ended_at) == (7, [5], None)
    assert (caught.value.code, caught.value.retryable) == ("STILL_RUNNING", True)
    assert caught.value.message == (
        "Timeout: no result within 5 seconds; it was cancelled, and 2 seconds later it is still running"
    )


async def test_what_is_left_behind_runs_on_to_its_end_though_nobody_holds_it() -> None:
    inner = Stubborn(60)
    with pytest.raises(StillRunningError):
        await call_through(LIMIT, await make_call(find), inner)
    gc.collect()
    await asyncio.sleep(100)
    assert inner.ended_at == 60


@pytest.mark.parametrize("end", [NotFoundError("gone"), asyncio.CancelledError(), Suspended("q")], ids=repr)
async def test_nobody_complains_of_how_it_ends_that_was_left_behind(end: BaseException) -> None:
    complaints = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    with pytest.raises(StillRunningError):
        await call_through(LIMIT, await make_call(find), Stubborn(60, end))
    await asyncio.sleep(100)
    gc.collect()
    assert complaints == []


@pytest.mark.parametrize("answer", [NotFoundError("gone"), Reply.from_value("after all")], ids=["an error", "a reply"])
async def test_what_answers_within_its_grace_is_heard(answer: Reply | Exception) -> None:
    outcome = await asyncio.gather(LIMIT(Stubborn(6, answer))(await make_call(find)), return_exceptions=True)
    assert outcome == [answer]
    assert now() == 6


async def test_a_grace_of_nothing_leaves_behind_what_does_not_stop_at_once() -> None:
    with pytest.raises(StillRunningError):
        await call_through(Timeout(5, grace=0).calls, await make_call(find), Stubborn(60))
    assert now() == 5


async def test_cancellation_reaches_inner_and_is_no_timeout() -> None:
    assert await stopped_within(LIMIT, await make_call(find)) == ["call"]


async def test_cancellation_from_inner_itself_is_no_timeout() -> None:
    with pytest.raises(asyncio.CancelledError):
        await call_through(LIMIT, await make_call(find), Inner(asyncio.CancelledError()))


async def test_a_cancelled_call_waits_for_what_stops_with_the_same_grace_and_then_leaves_it() -> None:
    inner = Stubborn(60)
    running = await start_call(LIMIT(inner))
    await asyncio.sleep(1)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert (now(), inner.told) == (3, [1])
    await asyncio.sleep(100)
    assert (inner.told, inner.ended_at) == ([1], 60), "its limit is over, nobody tells it again"


async def test_a_call_that_is_cancelled_again_hands_that_on_and_gives_no_more_grace() -> None:
    inner = Stubborn(60)
    running = await start_call(LIMIT(inner))
    for _ in range(3):
        await asyncio.sleep(0.5)
        running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert (now(), inner.told) == (2.5, [0.5, 1, 1.5])


async def test_a_call_that_is_cancelled_while_its_body_is_being_stopped_is_cancelled() -> None:
    running = await start_call(LIMIT(Stubborn(60)))
    await asyncio.sleep(6)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert now() == 7


async def test_a_body_that_answers_its_cancellation_is_heard() -> None:
    running = await start_call(LIMIT(Stubborn(2)))
    await asyncio.sleep(1)
    running.cancel()
    assert (await running).value == "at last"


@pytest.mark.parametrize(
    "answer", [Reply.from_value("too late"), NotFoundError("gone"), asyncio.CancelledError()], ids=repr
)
async def test_a_call_that_is_cancelled_when_its_body_has_just_ended_is_cancelled(answer: Any) -> None:
    complaints = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))

    async def body(_call: Call, /) -> Reply:
        await asyncio.sleep(1)
        asyncio.get_running_loop().call_soon(running.cancel)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    running = await start_call(LIMIT(body))
    await asyncio.wait([running])
    assert running.cancelled()
    await asyncio.sleep(100)
    gc.collect()
    assert complaints == []


async def test_a_limit_leaves_the_task_as_it_was_and_no_timer_behind() -> None:
    task = asyncio.current_task()
    assert task is not None
    with pytest.raises(StillRunningError):
        await call_through(LIMIT, await make_call(find), Stubborn(60))
    assert (await call_through(LIMIT, await make_call(find))).value == "inner"
    assert task.cancelling() == 0
    await asyncio.sleep(100)
    assert now() == 107


async def test_the_inner_of_two_limits_that_runs_out_first_is_the_one_that_is_told() -> None:
    with pytest.raises(StillRunningError, match="within 2 seconds"):
        await Timeout(50, grace=1).calls(Timeout(2, grace=1).calls(Stubborn(60)))(await make_call(find))
    assert now() == 3


async def test_the_outer_of_two_limits_that_runs_out_first_is_the_one_that_is_told() -> None:
    with pytest.raises(StillRunningError, match="within 2 seconds"):
        await Timeout(2, grace=1).calls(Timeout(50, grace=10).calls(Stubborn(60)))(await make_call(find))
    assert now() == 3


@pytest.mark.parametrize("seconds", [0.5, 1, 3, 30])
@pytest.mark.parametrize("grace", [0, 0.25, 4])
@pytest.mark.parametrize("until", [0.1, 2, 10, 600])
async def test_no_answer_comes_later_than_limit_and_grace(seconds: float, grace: float, until: float) -> None:
    await asyncio.gather(
        Timeout(seconds, grace=grace).calls(Stubborn(until))(await make_call(find)), return_exceptions=True
    )
    assert now() == min(until, seconds + grace)


@pytest.mark.parametrize(
    ("grace", "why"),
    [
        (-1, "grace is -1; give a number of at least 0"),
        (math.nan, "grace is nan; give a finite number"),
    ],
    ids=["negative", "no number"],
)
async def test_a_grace_that_is_no_time_is_refused(grace: float, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        Timeout(1, grace=grace)


async def test_it_stands_at_its_place_and_prints_its_grace() -> None:
    assert LIMIT.place is Place.TIMEOUT
    assert repr(Timeout(5, grace=1.0)) == "Timeout(seconds=5, grace=1.0)"


# Through a runtime, where the base writes what becomes of a body that was left behind.


def stubborn_tool(effect: Effect, until: float, ran: list[float]) -> Tool[[], str]:
    """A tool that ignores being told to stop, with a limit and a retry around it."""

    @tool(effect=effect)
    async def dig(ctx: LeafContext) -> str:
        """Dig a hole."""
        assert ctx.key
        ran.append(now())
        while now() < until:
            try:
                await asyncio.sleep(until - now())
            except asyncio.CancelledError:
                continue
        return "a hole"

    return dig.layer(Timeout(5, grace=1)).layer(Retry(base_delay=1, max_delay=1, jitter=lambda: 1.0))


async def items_of(runtime: Runtime, run: str) -> Sequence[Item]:
    return [position.item for position in await runtime.store.read(run)]


async def test_a_body_that_outlives_its_timeout_still_writes_its_end() -> None:
    ran = list[float]()
    dig = stubborn_tool(Effect.IDEMPOTENT, 60, ran)
    agent = Agent("agent", instructions="Dig.", tools=[dig])
    model = Scripted([calls(("dig", {})), "It digs on."])
    runtime = Runtime(App(name="garden", agents=(agent,)), model=model)
    result = await runtime.run("Dig a hole.", by=superuser())
    assert (result.value(), now()) == ("It digs on.", 6)
    history = await runtime.history(result.run)
    assert "STILL_RUNNING" in history[2]
    await asyncio.sleep(100)
    ends = [item for item in await items_of(runtime, result.run) if isinstance(item, AttemptEnded)]
    assert [(end.outcome, end.content) for end in ends] == [("ok", "a hole")]
    assert ran == [0], "an idempotent call is not tried again while it runs"
    assert (await runtime.replay(result.run)).is_identical


async def test_an_unsafe_body_that_outlives_its_timeout_answers_the_question_about_its_outcome() -> None:
    ran = list[float]()
    dig = stubborn_tool(Effect.UNSAFE, 60, ran)
    agent = Agent("agent", instructions="Dig.", tools=[dig])
    runtime = Runtime(App(name="garden", agents=(agent,)), model=Scripted([calls(("dig", {})), "It is dug."]))
    runtime.add_principals(superuser())
    result = await runtime.run("Dig a hole.", by=superuser())
    assert (result.status, now()) == ("waiting", 6)
    await asyncio.sleep(100)
    result = await runtime.resume(result.run)
    assert (result.value(), ran) == ("It is dug.", [0])
    assert "a hole" in (await runtime.history(result.run))[2]
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize(("effect", "again"), [(Effect.PURE, True), (Effect.KEYED, True), (Effect.IDEMPOTENT, False)])
async def test_what_is_still_running_is_tried_again_only_where_two_at_once_are_as_good_as_one(
    effect: Effect, again: bool
) -> None:
    ran = list[float]()
    dig = stubborn_tool(effect, 11, ran)
    runtime = Runtime(App(name="garden", tools=(dig,)))
    result = await runtime.call(dig, superuser())
    if again:
        assert (result.value(), ran) == ("a hole", [0, 7])
    else:
        with pytest.raises(StillRunningError):
            result.value()
        assert ran == [0]
    started = [item for item in await items_of(runtime, result.run) if isinstance(item, AttemptStarted)]
    assert len(started) == len(ran)


async def test_a_tool_whose_time_is_over_is_left_behind_by_the_run_that_is_cancelled() -> None:
    ran = list[float]()
    dig = stubborn_tool(Effect.UNSAFE, 60, ran)
    runtime = Runtime(App(name="garden", tools=(dig,)))
    running = asyncio.ensure_future(runtime.call(dig, superuser()))
    await asyncio.sleep(2)
    running.cancel()
    await asyncio.wait([running])
    assert (ran, now()) == ([0], 3)
    await asyncio.sleep(100)
    (row,) = await runtime.store.list_runs()
    assert row.status == "cancelled"
