"""Breaker leaves a tool that keeps failing alone for a time, then tries it with a few calls before it trusts it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, tool
from remit.errors import (
    BreakerOpenError,
    CallError,
    DeadlineError,
    DeniedError,
    ExternalError,
    InternalError,
    InvalidArgumentsError,
    NotFoundError,
    RateLimitedError,
    SetupError,
    StillRunningError,
    Suspended,
)
from remit.layers import Breaker, Call, Place, Reply
from remit.testing import call_through, make_call, superuser
from tests.layers.inner import Inner, stopped_within

pytestmark = pytest.mark.looptime

DOWN = ExternalError("the service is down")
WELL = Reply.from_value("well")


@tool(effect=Effect.UNSAFE)
async def send() -> str:
    """Send a letter."""
    return "sent"


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect=Effect.COMPOSED)
async def all_of_it() -> str:
    """Do it all."""
    return "done"


class Bench:
    """One breaker around a service that answers as it is told, call by call."""

    def __init__(self, layer: Breaker, *answers: Reply | BaseException) -> None:
        self.inner = Inner(*answers)
        self._service = layer(self.inner)

    async def calls(self, times: int = 1, callee: Any = send, tenant: str = "default") -> list[str]:
        """How calls come out, one after the other: the code of an error, or ok."""
        outcomes = list[str]()
        for _ in range(times):
            try:
                await self._service(await make_call(callee, by=superuser(tenant=tenant)))
                outcomes.append("ok")
            except CallError as error:
                outcomes.append(error.code)
        return outcomes

    @property
    def reached(self) -> int:
        return len(self.inner.calls)


class Probed:
    """Fails ``failures`` times; then each call waits for the future that stands for its answer."""

    def __init__(self, failures: int) -> None:
        self._failures = failures
        self.answers: list[asyncio.Future[Reply]] = []

    async def __call__(self, _call: Call, /) -> Reply:
        if self._failures:
            self._failures -= 1
            raise DOWN
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


def now() -> float:
    return asyncio.get_running_loop().time()


async def opened(layer: Breaker, probed: Probed) -> Any:
    """A way to begin calls through a breaker whose time has come to try again."""
    service = layer(probed)
    for _ in range(layer.failures):
        with pytest.raises(ExternalError):
            await service(await make_call(send))
    await asyncio.sleep(layer.seconds)

    async def begin() -> asyncio.Task[Reply]:
        async def go(call: Call) -> Reply:
            return await service(call)

        task = asyncio.create_task(go(await make_call(send)))
        await asyncio.sleep(0)
        return task

    return begin


async def test_while_closed_a_call_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(send)
    assert await call_through(Breaker(), call, inner) is reply
    assert (inner.calls, now()) == ([call], 0)


async def test_an_error_passes_through_as_it_is() -> None:
    with pytest.raises(ExternalError) as caught:
        await call_through(Breaker(failures=1), await make_call(send), Inner(DOWN))
    assert caught.value is DOWN


async def test_after_so_many_failures_in_a_row_calls_are_refused_before_they_start() -> None:
    bench = Bench(Breaker(failures=3), DOWN)
    assert await bench.calls(5) == ["EXTERNAL_SERVICE_ERROR"] * 3 + ["BREAKER_OPEN"] * 2
    assert bench.reached == 3


async def test_a_refusal_says_when_it_is_tried_again_and_is_no_reason_to_try_again_before() -> None:
    layer = Breaker(failures=2, seconds=30)
    service = layer(Inner(DOWN))
    for _ in range(2):
        with pytest.raises(ExternalError):
            await service(await make_call(send))
    await asyncio.sleep(4.5)
    with pytest.raises(BreakerOpenError) as caught:
        await service(await make_call(send))
    assert caught.value.message == "send has failed 2 times in a row; try again in 26 seconds"
    assert not caught.value.retryable


async def test_a_call_that_goes_well_ends_the_row() -> None:
    bench = Bench(Breaker(failures=2), DOWN, WELL, DOWN, WELL, DOWN, DOWN, WELL)
    outcomes = await bench.calls(7)
    assert outcomes[-1] == "BREAKER_OPEN"
    assert outcomes.count("EXTERNAL_SERVICE_ERROR") == 4


@pytest.mark.parametrize(
    "error", [DOWN, DeadlineError("late"), StillRunningError("later"), RateLimitedError("slow down")], ids=repr
)
async def test_what_may_go_well_later_is_a_failure(error: CallError) -> None:
    assert (await Bench(Breaker(failures=2), error).calls(3))[-1] == "BREAKER_OPEN"


@pytest.mark.parametrize("outcome", [Reply.from_error(DOWN), DOWN], ids=["replied", "raised"])
async def test_a_failure_counts_whether_it_is_replied_or_raised(outcome: Any) -> None:
    assert (await Bench(Breaker(failures=1), outcome).calls(2))[-1] == "BREAKER_OPEN"


@pytest.mark.parametrize(
    "error",
    [
        InvalidArgumentsError("bad"),
        DeniedError("no"),
        NotFoundError("gone"),
        InternalError("bug"),
        BreakerOpenError("another's"),
    ],
    ids=repr,
)
async def test_what_would_come_again_says_nothing_about_the_tool(error: CallError) -> None:
    assert await Bench(Breaker(failures=1), error).calls(9) == [error.code] * 9


async def test_what_says_nothing_does_not_end_the_row_either() -> None:
    bench = Bench(
        Breaker(failures=2), DOWN, Reply.from_error(NotFoundError("gone")), InvalidArgumentsError("bad"), DOWN, WELL
    )
    assert (await bench.calls(5))[-1] == "BREAKER_OPEN"


@pytest.mark.parametrize("signal", [Suspended("question"), asyncio.CancelledError(), ValueError("bug")], ids=repr)
async def test_what_is_no_error_of_a_call_says_nothing(signal: BaseException) -> None:
    service = Breaker(failures=1)(Inner(signal, WELL))
    with pytest.raises(type(signal)):
        await service(await make_call(send))
    assert await service(await make_call(send)) is WELL


async def test_after_its_time_a_probe_that_goes_well_closes_it() -> None:
    bench = Bench(Breaker(failures=2, seconds=30), DOWN, DOWN, WELL)
    await bench.calls(3)
    await asyncio.sleep(29.9)
    assert await bench.calls() == ["BREAKER_OPEN"]
    await asyncio.sleep(0.1)
    assert await bench.calls(5) == ["ok"] * 5


async def test_when_it_has_closed_the_row_begins_anew() -> None:
    bench = Bench(Breaker(failures=2, seconds=30), DOWN, DOWN, WELL, DOWN, WELL)
    await bench.calls(2)
    await asyncio.sleep(30)
    assert await bench.calls(3) == ["ok", "EXTERNAL_SERVICE_ERROR", "ok"]


async def test_a_probe_that_fails_opens_it_again_for_the_whole_time() -> None:
    bench = Bench(Breaker(failures=3, seconds=30), DOWN)
    await bench.calls(3)
    await asyncio.sleep(30)
    assert await bench.calls(2) == ["EXTERNAL_SERVICE_ERROR", "BREAKER_OPEN"]
    await asyncio.sleep(29)
    assert await bench.calls() == ["BREAKER_OPEN"]
    assert bench.reached == 4


async def test_while_probes_are_under_way_others_are_refused() -> None:
    probed = Probed(failures=1)
    begin = await opened(Breaker(failures=1, seconds=5, probes=2), probed)
    tasks = [await begin() for _ in range(4)]
    assert len(probed.answers) == 2
    for refused in tasks[2:]:
        with pytest.raises(BreakerOpenError, match="a probe is under way, try again when it has ended"):
            await refused
    for answer in probed.answers:
        answer.set_result(WELL)
    assert await asyncio.gather(*tasks[:2]) == [WELL, WELL]
    after = [await begin() for _ in range(4)]
    assert len(probed.answers) == 6, "now it is closed"
    for task in after:
        task.cancel()


async def test_it_closes_only_when_all_its_probes_have_gone_well() -> None:
    probed = Probed(failures=1)
    begin = await opened(Breaker(failures=1, seconds=5, probes=2), probed)
    first = await begin()
    probed.answers[0].set_result(WELL)
    assert await first is WELL
    second, third = await begin(), await begin()
    with pytest.raises(BreakerOpenError):
        await third
    probed.answers[1].set_result(WELL)
    assert await second is WELL
    assert not (await begin()).done()


async def test_one_probe_of_several_that_fails_opens_it_and_the_others_no_longer_count() -> None:
    probed = Probed(failures=1)
    begin = await opened(Breaker(failures=1, seconds=5, probes=2), probed)
    first, second = await begin(), await begin()
    probed.answers[0].set_exception(DOWN)
    await asyncio.wait([first])
    probed.answers[1].set_result(WELL)
    assert await second is WELL
    with pytest.raises(BreakerOpenError, match="has failed 2 times in a row; try again in 5 seconds"):
        await (await begin())
    assert first.exception() is DOWN


@pytest.mark.parametrize("end", [InvalidArgumentsError("bad"), None], ids=["says nothing", "cancelled"])
async def test_a_probe_that_says_nothing_leaves_its_place_to_the_next(end: CallError | None) -> None:
    probed = Probed(failures=1)
    begin = await opened(Breaker(failures=1, seconds=5), probed)
    first = await begin()
    if end is None:
        first.cancel()
    else:
        probed.answers[0].set_exception(end)
    await asyncio.wait([first])
    second = await begin()
    probed.answers[1].set_result(WELL)
    assert await second is WELL


async def test_a_call_that_began_before_it_opened_comes_too_late_to_count() -> None:
    probed = Probed(failures=0)
    layer = Breaker(failures=1, seconds=5)
    service = layer(probed)

    async def go() -> Reply:
        return await service(await make_call(send))

    early, failing = asyncio.create_task(go()), asyncio.create_task(go())
    await asyncio.sleep(1)
    probed.answers[1].set_exception(DOWN)
    await asyncio.wait([failing])
    probed.answers[0].set_result(WELL)
    assert await early is WELL
    with pytest.raises(BreakerOpenError):
        await go()
    assert failing.exception() is DOWN


async def test_each_tenant_and_each_tool_has_its_own() -> None:
    bench = Bench(Breaker(failures=1), DOWN, WELL)
    assert await bench.calls(2, send, "one") == ["EXTERNAL_SERVICE_ERROR", "BREAKER_OPEN"]
    assert await bench.calls(1, send, "two") == ["ok"]
    assert await bench.calls(1, look, "one") == ["ok"]


async def test_one_layer_counts_a_tool_together_wherever_it_stands() -> None:
    layer = Breaker(failures=2)
    for _ in range(2):
        with pytest.raises(ExternalError):
            await call_through(layer, await make_call(send), Inner(DOWN))
    with pytest.raises(BreakerOpenError):
        await call_through(layer, await make_call(send))


async def test_two_layers_share_no_state() -> None:
    for _ in range(2):
        assert await Bench(Breaker(failures=1), DOWN).calls() == ["EXTERNAL_SERVICE_ERROR"]


async def test_a_composed_call_passes_for_its_own_calls_have_their_breakers() -> None:
    bench = Bench(Breaker(failures=1), DOWN)
    assert await bench.calls(3, all_of_it) == ["EXTERNAL_SERVICE_ERROR"] * 3


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Breaker(), await make_call(send)) == ["call"]


@pytest.mark.parametrize("wrong", [{"failures": 0}, {"probes": 0}, {"seconds": 0}], ids=str)
async def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(
        SetupError, match=f"Breaker: {min(wrong)} is 0; give a (whole number of at least 1|positive number)$"
    ):
        Breaker(**wrong)


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert Breaker().place is Place.BREAKER
    assert repr(Breaker(probes=2)) == "Breaker(failures=5, seconds=30.0, probes=2)"
