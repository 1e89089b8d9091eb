"""Retry tries again what may run twice and may go well later, waiting longer each time; nothing else."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from remit import Effect, Place, Reply, Retry, Tool, tool
from remit.errors import (
    CallError,
    CompletionError,
    DeadlineError,
    DeniedError,
    ExternalError,
    InvalidError,
    ModelBusyError,
    RateLimitedError,
    SetupError,
)
from remit.testing import call_of, through
from tests.layers.inner import Inner, stopped_within

pytestmark = pytest.mark.looptime

DOWN = ExternalError("the service is down")


async def fetch() -> str:
    """Fetch a page."""
    return "fetched"


def of(effect: Effect) -> Tool[..., Any]:
    return tool(effect=effect)(fetch)


def steady(**changed: Any) -> Retry:
    """A retry that always waits the whole pause."""
    return Retry(chance=lambda: 1.0, **changed)


REPEATABLE = pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED])
ONCE_ONLY = pytest.mark.parametrize("effect", [Effect.UNSAFE, Effect.COMPOSED])
RETRYABLE = pytest.mark.parametrize(
    "error", [DOWN, RateLimitedError("slow"), DeadlineError("late"), ModelBusyError("x")]
)


def now() -> float:
    return asyncio.get_running_loop().time()


@REPEATABLE
async def test_a_call_that_goes_well_passes_through_untouched(effect: Effect) -> None:
    inner = Inner(reply := Reply.of("inner"))
    call = await call_of(of(effect))
    assert await through(steady(), call, inner) is reply
    assert inner.calls == [call]
    assert now() == 0


@REPEATABLE
@RETRYABLE
async def test_what_may_run_twice_and_may_go_well_later_is_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.of("at last"))
    assert (await through(steady(), await call_of(of(effect)), inner)).value == "at last"
    assert len(inner.calls) == 2


@ONCE_ONLY
@RETRYABLE
async def test_what_may_not_run_twice_is_never_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.of("twice"))
    with pytest.raises(type(error)) as caught:
        await through(steady(), await call_of(of(effect)), inner)
    assert caught.value is error
    assert len(inner.calls) == 1


@REPEATABLE
@pytest.mark.parametrize("error", [InvalidError("bad"), DeniedError("no"), CompletionError("garbage")])
async def test_an_error_that_would_come_again_is_not_tried_again(effect: Effect, error: CallError) -> None:
    inner = Inner(error, Reply.of("twice"))
    with pytest.raises(type(error)) as caught:
        await through(steady(), await call_of(of(effect)), inner)
    assert caught.value is error
    assert len(inner.calls) == 1


async def test_an_error_that_is_none_of_ours_is_not_tried_again() -> None:
    inner = Inner(ConnectionError("reset"), Reply.of("twice"))
    with pytest.raises(ConnectionError, match="reset"):
        await through(steady(), await call_of(of(Effect.PURE)), inner)
    assert len(inner.calls) == 1


async def test_after_the_last_attempt_its_error_is_the_end() -> None:
    inner = Inner(RateLimitedError("first"), RateLimitedError("second"), last := ExternalError("third"))
    with pytest.raises(ExternalError) as caught:
        await through(steady(attempts=3), await call_of(of(Effect.PURE)), inner)
    assert caught.value is last
    assert len(inner.calls) == 3


async def test_one_attempt_is_no_retry() -> None:
    inner = Inner(DOWN)
    with pytest.raises(ExternalError):
        await through(steady(attempts=1), await call_of(of(Effect.PURE)), inner)
    assert (len(inner.calls), now()) == (1, 0)


async def test_each_attempt_is_the_same_call_with_the_next_number() -> None:
    call = await call_of(of(Effect.KEYED))
    inner = Inner(DOWN, DOWN, Reply.of("at last"))
    await through(steady(), call, inner)
    assert [each.attempt for each in inner.calls] == [1, 2, 3]
    assert [each._replace(attempt=1) for each in inner.calls] == [call] * 3


async def test_pauses_double_up_to_the_longest() -> None:
    inner, at = Inner(DOWN), list[float]()

    async def timed(call: Any, /) -> Reply:
        at.append(now())
        return await inner(call)

    with pytest.raises(ExternalError):
        await through(steady(attempts=6, base=1, most=5), await call_of(of(Effect.PURE)), timed)
    assert at == [0, 1, 3, 7, 12, 17]


@pytest.mark.parametrize(("chance", "waited"), [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)])
async def test_chance_takes_up_to_half_of_a_pause_away(chance: float, waited: float) -> None:
    await through(
        Retry(base=2, chance=lambda: chance), await call_of(of(Effect.PURE)), Inner(DOWN, Reply.of("at last"))
    )
    assert now() == waited


async def test_chance_is_real_by_default() -> None:
    pauses = {Retry(base=1).pause(1) for _ in range(20)}
    assert len(pauses) > 1
    assert all(0.5 <= pause <= 1 for pause in pauses)


async def test_the_longest_pause_bounds_every_pause() -> None:
    assert steady(attempts=2000, most=10).pause(1999) == 10


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Retry(), await call_of(of(Effect.PURE))) == ["call"]


async def test_cancellation_in_a_pause_ends_it() -> None:
    inner = Inner(DOWN)
    running = asyncio.create_task(through(steady(base=10), await call_of(of(Effect.PURE)), inner))
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
            await through(layer, await call_of(of(Effect.PURE)), inner)
    assert (len(first.calls), len(second.calls)) == (2, 4)


async def test_the_attempts_of_one_call_are_not_taken_from_the_next() -> None:
    inner = Inner(DOWN, DOWN, Reply.of("one"), DOWN, DOWN, Reply.of("two"))
    service = steady()(inner)
    assert [(await service(await call_of(of(Effect.PURE)))).value for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"attempts": -1}, {"base": -1}, {"base": 2, "most": 1}])
async def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match="give at least one attempt, and 0 <= base <= most"):
        Retry(**wrong)


@pytest.mark.parametrize("wrong", [{"base": math.nan}, {"most": math.nan}], ids=str)
async def test_a_pause_that_is_no_number_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match="0 <= base <= most"):
        Retry(**wrong)


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert Retry().place is Place.RETRY
    assert repr(Retry(attempts=5)) == "Retry(attempts=5, base=0.5, most=10.0)"
