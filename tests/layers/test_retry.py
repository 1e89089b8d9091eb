"""Retry tries again what may run twice and may go well later, waiting longer, while there are tokens; nothing else."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from remit import Effect, LeafContext, Retry, Tool, tool
from remit.errors import (
    CallError,
    DeadlineError,
    DeniedError,
    ExternalError,
    InvalidArgumentsError,
    ModelBusyError,
    ModelError,
    RateLimitedError,
    SetupError,
    StillRunningError,
)
from remit.layers import CallService, Place, Reply
from remit.record.items import AttemptStarted
from remit.testing import call_through, make_call, superuser
from tests.layers.inner import Inner, stopped_within

pytestmark = pytest.mark.looptime

DOWN = ExternalError("the service is down")
STILL = StillRunningError("it runs on")


async def fetch(_ctx: LeafContext) -> str:
    """Fetch a page."""
    return "fetched"


def of(effect: Effect) -> Tool[..., Any]:
    return tool(effect=effect)(fetch)


def steady(**changed: Any) -> Retry:
    """A retry that always waits the whole pause."""
    return Retry(jitter=lambda: 1.0, **changed)


REPEATABLE = pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED])
ONCE_ONLY = pytest.mark.parametrize("effect", [Effect.UNSAFE, Effect.COMPOSED])
RETRYABLE = pytest.mark.parametrize(
    "error", [DOWN, RateLimitedError("slow"), DeadlineError("late"), ModelBusyError("x")]
)


def now() -> float:
    return asyncio.get_running_loop().time()


@REPEATABLE
async def test_a_call_that_goes_well_passes_through_untouched(effect: Effect) -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(of(effect))
    assert await call_through(steady(), call, inner) is reply
    assert inner.calls == [call]
    assert now() == 0


@REPEATABLE
@RETRYABLE
async def test_what_may_run_twice_and_may_go_well_later_is_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.from_value("at last"))
    assert (await call_through(steady(), await make_call(of(effect)), inner)).value == "at last"
    assert len(inner.calls) == 2


@ONCE_ONLY
@RETRYABLE
async def test_what_may_not_run_twice_is_never_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.from_value("twice"))
    with pytest.raises(type(error)) as caught:
        await call_through(steady(), await make_call(of(effect)), inner)
    assert caught.value is error
    assert len(inner.calls) == 1


@REPEATABLE
@pytest.mark.parametrize("error", [InvalidArgumentsError("bad"), DeniedError("no"), ModelError("refused")])
async def test_an_error_that_would_come_again_is_not_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.from_value("twice"))
    with pytest.raises(type(error)) as caught:
        await call_through(steady(), await make_call(of(effect)), inner)
    assert caught.value is error
    assert len(inner.calls) == 1


async def test_an_error_that_is_none_of_ours_is_not_tried_again() -> None:
    inner = Inner(ConnectionError("reset"), Reply.from_value("twice"))
    with pytest.raises(ConnectionError, match="reset"):
        await call_through(steady(), await make_call(of(Effect.PURE)), inner)
    assert len(inner.calls) == 1


async def test_after_the_last_attempt_its_error_is_the_end() -> None:
    inner = Inner(RateLimitedError("first"), RateLimitedError("second"), last := ExternalError("third"))
    with pytest.raises(ExternalError) as caught:
        await call_through(steady(attempts=3), await make_call(of(Effect.PURE)), inner)
    assert caught.value is last
    assert len(inner.calls) == 3


async def test_one_attempt_is_no_retry() -> None:
    inner = Inner(DOWN)
    with pytest.raises(ExternalError):
        await call_through(steady(attempts=1), await make_call(of(Effect.PURE)), inner)
    assert (len(inner.calls), now()) == (1, 0)


async def test_each_attempt_is_the_same_call_with_the_next_number() -> None:
    call = await make_call(of(Effect.KEYED))
    inner = Inner(DOWN, DOWN, Reply.from_value("at last"))
    await call_through(steady(), call, inner)
    assert [each.attempt for each in inner.calls] == [1, 2, 3]
    assert [each.replace(attempt=1) for each in inner.calls] == [call] * 3


async def test_pauses_double_up_to_the_longest() -> None:
    inner, at = Inner(DOWN), list[float]()

    async def timed(call: Any, /) -> Reply:
        at.append(now())
        return await inner(call)

    with pytest.raises(ExternalError):
        await call_through(steady(attempts=6, base_delay=1, max_delay=5), await make_call(of(Effect.PURE)), timed)
    assert at == [0, 1, 3, 7, 12, 17]


@pytest.mark.parametrize(("chance", "waited"), [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)])
async def test_chance_takes_up_to_half_of_a_pause_away(chance: float, waited: float) -> None:
    await call_through(
        Retry(base_delay=2, jitter=lambda: chance),
        await make_call(of(Effect.PURE)),
        Inner(DOWN, Reply.from_value("at last")),
    )
    assert now() == waited


async def test_chance_is_real_by_default() -> None:
    pauses = {Retry(base_delay=1).delay_after(1) for _ in range(20)}
    assert len(pauses) > 1
    assert all(0.5 <= pause <= 1 for pause in pauses)


async def test_the_longest_pause_bounds_every_pause() -> None:
    assert steady(attempts=2000, max_delay=10).delay_after(1999) == 10


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Retry(), await make_call(of(Effect.PURE))) == ["call"]


async def test_cancellation_in_a_pause_ends_it() -> None:
    inner = Inner(DOWN)
    running = asyncio.create_task(call_through(steady(base_delay=10), await make_call(of(Effect.PURE)), inner))
    await asyncio.sleep(5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (len(inner.calls), now()) == (1, 5)


async def test_two_of_it_share_no_state() -> None:
    one, other = steady(attempts=2), steady(attempts=4)
    first, second = Inner(DOWN), Inner(DOWN)
    for layer, inner in ((one, first), (other, second)):
        with pytest.raises(ExternalError):
            await call_through(layer, await make_call(of(Effect.PURE)), inner)
    assert (len(first.calls), len(second.calls)) == (2, 4)


async def test_the_attempts_of_one_call_are_not_taken_from_the_next() -> None:
    inner = Inner(DOWN, DOWN, Reply.from_value("one"), DOWN, DOWN, Reply.from_value("two"))
    service = steady()(inner)
    assert [(await service(await make_call(of(Effect.PURE)))).value for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize(
    ("effect", "again"), [(Effect.PURE, True), (Effect.KEYED, True), (Effect.IDEMPOTENT, False), (Effect.UNSAFE, False)]
)
async def test_what_is_still_running_is_tried_again_only_if_pure_or_keyed(effect: Effect, again: bool) -> None:
    inner = Inner(STILL, Reply.from_value("at last"))
    outcomes = await asyncio.gather(steady()(inner)(await make_call(of(effect))), return_exceptions=True)
    assert outcomes == [Reply.from_value("at last") if again else STILL]
    assert len(inner.calls) == 1 + again


async def failing(service: CallService, callee: Tool[..., Any], times: int) -> None:
    """So many calls that all fail."""
    for _ in range(times):
        with pytest.raises(CallError):
            await service(await make_call(callee))


@pytest.mark.parametrize(("error", "most"), [(DOWN, 100), (DeadlineError("late"), 50), (STILL, 50)], ids=repr)
async def test_a_tool_that_always_fails_is_tried_again_only_till_its_bucket_is_empty(
    error: CallError, most: int
) -> None:
    inner = Inner(error)
    await failing(steady()(inner), of(Effect.PURE), 2000)
    assert len(inner.calls) == 2000 + most
    assert len(inner.calls) / 2000 <= 1.1


async def test_with_an_empty_bucket_the_error_comes_at_once() -> None:
    inner = Inner(DOWN)
    service = steady()(inner)
    await failing(service, of(Effect.PURE), 50)
    before = now()
    with pytest.raises(ExternalError) as caught:
        await service(await make_call(of(Effect.PURE)))
    assert caught.value is DOWN
    assert (len(inner.calls), now()) == (151, before)


async def test_a_call_that_goes_well_at_once_brings_one_token() -> None:
    answers = [DOWN] * 150 + [Reply.from_value("well")] * 5 + [DOWN]
    inner = Inner(*answers)
    service = steady()(inner)
    await failing(service, of(Effect.PURE), 50)
    for _ in range(5):
        await service(await make_call(of(Effect.PURE)))
    await failing(service, of(Effect.PURE), 2)
    assert len(inner.calls) == 150 + 5 + 2 + 1, "five tokens, one more try"


@pytest.mark.parametrize("error", [DOWN, DeadlineError("late")], ids=repr)
async def test_a_call_that_goes_well_at_a_later_try_brings_back_what_that_cost(error: CallError) -> None:
    inner = Inner(*[DOWN] * 147, error, Reply.from_value("well"), DOWN)
    service = steady()(inner)
    await failing(service, of(Effect.PURE), 49)
    assert (await service(await make_call(of(Effect.PURE)))).value == "well"
    await failing(service, of(Effect.PURE), 2)
    assert len(inner.calls) == 147 + 2 + 2 + 2, "ten tokens were left and are there again: two more tries"


async def test_a_bucket_is_never_fuller_than_full() -> None:
    inner = Inner(*[Reply.from_value("well")] * 1000, DOWN)
    service = steady()(inner)
    for _ in range(1000):
        await service(await make_call(of(Effect.PURE)))
    await failing(service, of(Effect.PURE), 200)
    assert len(inner.calls) == 1000 + 200 + 100


async def test_a_reply_that_is_an_error_brings_nothing() -> None:
    inner = Inner(*[DOWN] * 150, *[Reply.from_error(DOWN)] * 100, DOWN)
    service = steady()(inner)
    await failing(service, of(Effect.PURE), 50)
    for _ in range(100):
        assert (await service(await make_call(of(Effect.PURE)))).error is DOWN
    await failing(service, of(Effect.PURE), 1)
    assert len(inner.calls) == 150 + 100 + 1


async def test_each_tool_has_its_own_bucket_that_all_tenants_share() -> None:
    inner = Inner(DOWN)
    service = steady()(inner)
    await failing(service, of(Effect.PURE), 50)
    with pytest.raises(ExternalError):
        await service(await make_call(of(Effect.PURE), by=superuser(tenant="another")))
    assert len(inner.calls) == 151
    await failing(service, tool(effect=Effect.PURE, name="another")(fetch), 1)
    assert len(inner.calls) == 151 + 3


async def test_one_layer_has_one_bucket_for_a_tool_wherever_it_stands() -> None:
    layer, inner = steady(), Inner(DOWN)
    for _ in range(60):
        await failing(layer(inner), of(Effect.PURE), 1)
    assert len(inner.calls) == 60 + 100


async def test_an_attempt_that_the_journal_knows_is_neither_paid_nor_waited_for_again() -> None:
    inner = Inner(*[DOWN] * 150, DOWN, Reply.from_value("as it was"))
    service = steady(base_delay=10)(inner)
    await failing(service, of(Effect.KEYED), 50)
    before = now()
    known = [AttemptStarted(call="call", parent="", callee="save", attempt=attempt) for attempt in (1, 2)]
    reply = await service(await make_call(of(Effect.KEYED), recorded_items=known))
    assert (reply.value, now()) == ("as it was", before)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"attempts": 0}, "Retry: attempts is 0; give a whole number of at least 1"),
        ({"attempts": -1}, "Retry: attempts is -1; give a whole number of at least 1"),
        ({"base_delay": -1}, "Retry: base_delay is -1; give a number of at least 0"),
        ({"base_delay": 2, "max_delay": 1}, "max_delay=1, .*: base_delay must be at most max_delay"),
    ],
)
async def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        Retry(**wrong)


@pytest.mark.parametrize("wrong", [{"base_delay": math.nan}, {"max_delay": math.nan}], ids=str)
async def test_a_pause_that_is_no_number_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match="_delay is nan; give a finite number"):
        Retry(**wrong)


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert Retry().place is Place.RETRY
    assert repr(Retry(attempts=5)) == "Retry(attempts=5, base_delay=0.5, max_delay=10.0, on=())"


class Busy(Exception):  # noqa: N818 - an exception of an application
    """The service is busy."""


@REPEATABLE
async def test_the_exceptions_named_are_tried_again_and_every_attempt_knows_them(effect: Effect) -> None:
    inner = Inner(DOWN, Reply.from_value("at last"))
    await call_through(steady(on=Busy), await make_call(of(effect)), inner)
    assert [call.retry_on for call in inner.calls] == [(Busy,), (Busy,)]


async def test_two_retries_name_their_exceptions_together() -> None:
    inner = Inner()
    await call_through(steady(on=(Busy,)), (await make_call(of(Effect.PURE))).replace(retry_on=(KeyError,)), inner)
    assert inner.calls[0].retry_on == (KeyError, Busy)


@ONCE_ONLY
async def test_a_call_that_may_not_run_twice_knows_none(effect: Effect) -> None:
    inner = Inner()
    await call_through(steady(on=(Busy,)), await make_call(of(effect)), inner)
    assert inner.calls[0].retry_on == ()


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ("Busy", "on is 'Busy'; give a class of exceptions, such as on="),
        ([Busy("now")], r"an item of on is Busy\('now'\); give a class of exceptions"),
        (KeyboardInterrupt, "an item of on is the class KeyboardInterrupt; give a class of exceptions"),
        (DeniedError, "on has DeniedError, an error of Remit; set retryable = True on a subclass"),
    ],
    ids=repr,
)
def test_what_is_no_exception_of_an_application_is_refused(kinds: Any, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        Retry(on=kinds)
