"""A keyed body that has not read its key is not repeated, and operators are told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from remit import Effect, LeafContext, Retry, Stack, Timeout, Tool, tool
from remit.dispatch.base import Base
from remit.errors import CallError, ConflictError, ExternalError, InternalError, RateLimitedError
from remit.layers import Call, CallLayer, CallService, Reply
from remit.record.items import AttemptEnded, AttemptStarted
from tests.dispatch.kit import Bench, Crash, of_kind

pytestmark = pytest.mark.looptime
WHY = "pay is keyed, but has not read ctx.key, so a repetition would do its work again"


@pytest.mark.parametrize(
    ("error", "reads", "is_told"),
    [
        (None, False, True),
        (None, True, False),
        (ExternalError("away"), False, True),
        (ConnectionError("away"), False, True),
        (ConnectionError("away"), True, False),
        (ConflictError("no"), False, False),
        (RateLimitedError("busy"), False, False),
        (ValueError("no"), False, False),
    ],
)
async def test_operators_are_told_of_a_keyed_body_that_may_run_again_and_has_not_read_its_key(
    caplog: pytest.LogCaptureFixture, error: Exception | None, reads: bool, is_told: bool
) -> None:
    @tool(effect=Effect.KEYED)
    async def write(ctx: LeafContext) -> str:
        """Write."""
        if reads:
            assert ctx.key
        if error is not None:
            raise error
        return "written"

    bench = Bench(write)
    if error is None:
        await bench.base(write)
    else:
        with pytest.raises(CallError):
            await bench.base(write)
    told = [each.getMessage() for each in caplog.records if each.name == "remit.dispatch.context"]
    assert [each.split(",")[0] for each in told] == ["write is keyed"] * is_told


@pytest.mark.parametrize(("arguments", "is_told"), [("{}", False), ('{"confirmed":true}', True)])
async def test_a_call_that_only_announces_another_needs_no_key(
    arguments: str, *, is_told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    @tool(effect=Effect.KEYED, confirm="confirmed")
    async def drop(_ctx: LeafContext, *, confirmed: bool = False) -> str:
        """Drop."""
        return "dropped" if confirmed else "announced"

    await Bench(drop).base(drop, arguments)
    assert ["drop is keyed" in each.getMessage() for each in caplog.records] == [True] * is_told


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.UNSAFE], ids=lambda effect: effect.value)
async def test_no_other_effect_needs_its_key(effect: Effect, caplog: pytest.LogCaptureFixture) -> None:
    @tool(effect=effect)
    async def write(_ctx: LeafContext) -> str:
        """Write."""
        return "written"

    await Bench(write).base(write)
    assert not caplog.records


def payer(ran: list[str], end: Callable[[], Any], *, reads: bool = False) -> Tool[..., Any]:
    """A keyed tool that pays, reads its key or not, and ends in a way."""

    @tool(effect=Effect.KEYED)
    async def pay(ctx: LeafContext) -> str:
        """Pay."""
        if reads:
            assert ctx.key
        ran.append("paid")
        return await end()

    return pay


async def finish() -> str:
    return "done"


async def go_away() -> str:
    raise ConnectionError("away")


async def be_busy() -> str:
    raise RateLimitedError("busy")


async def sleep_long() -> str:
    await asyncio.sleep(100)
    return "late"


async def sleep_on() -> str:
    """Goes on for a while when it is cancelled."""
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        await asyncio.sleep(10)
    return "late"


def retried(*inside: CallLayer) -> Stack[CallLayer]:
    return Stack(Retry(attempts=3), *inside)


@pytest.mark.parametrize(
    ("end", "inside"),
    [(go_away, ()), (sleep_long, (Timeout(1).calls,)), (sleep_on, (Timeout(1, grace=1).calls,))],
    ids=["error", "stopped", "running"],
)
async def test_a_keyed_call_is_retried_only_if_its_body_has_read_its_key(
    end: Callable[[], Any], inside: tuple[CallLayer, ...]
) -> None:
    for reads, times in ((False, 1), (True, 3)):
        ran = list[str]()
        pay = payer(ran, end, reads=reads)
        reply = await Bench(pay, layers=retried(*inside)).reply(pay)
        assert len(ran) == times
        assert (WHY in reply.content) is not reads
        assert reply.error is not None
        assert reply.error.retryable is reads
        await asyncio.sleep(20)  # until the last attempt has ended


async def test_a_body_that_was_told_to_wait_has_not_begun_and_is_retried() -> None:
    ran = list[str]()
    pay = payer(ran, be_busy)
    await Bench(pay, layers=retried()).reply(pay)
    assert len(ran) == 3


async def test_retries_around_retries_and_layers_that_repeat_calls_do_not_either() -> None:
    class Twice(CallLayer):
        def __call__(self, inner: CallService, /) -> CallService:
            async def call_twice(call: Call, /) -> Reply:
                try:
                    return await inner(call)
                except CallError:
                    return await inner(call.replace(attempt=call.attempt + 1))

            return call_twice

    for layers in (retried(), Stack[CallLayer](Twice())):
        ran = list[str]()
        pay = payer(ran, go_away).layer(Retry(attempts=2))
        assert WHY in (await Bench(pay, layers=layers).reply(pay)).content
        assert ran == ["paid"]
    ran = list[str]()
    pay = payer(ran, go_away)
    assert WHY in (await Bench(pay, layers=Stack(Twice())).reply(pay)).content
    assert ran == ["paid"]


async def test_an_attempt_that_a_layer_makes_again_gets_its_recorded_result_without_its_key() -> None:
    class Again(CallLayer):
        def __call__(self, inner: CallService, /) -> CallService:
            async def call_again(call: Call, /) -> Reply:
                await inner(call)
                return await inner(call)

            return call_again

    ran = list[str]()
    pay = payer(ran, finish)
    assert (await Bench(pay, layers=Stack(Again())).reply(pay)).content == "done"
    assert ran == ["paid"]


@pytest.mark.parametrize(
    ("end", "inside"), [(go_away, ()), (sleep_long, (Timeout(1).calls,))], ids=["error", "stopped"]
)
async def test_a_resumed_run_knows_that_the_key_was_not_read(
    end: Callable[[], Any], inside: tuple[CallLayer, ...]
) -> None:
    class Dying(CallLayer):
        """The process dies after an attempt."""

        def __call__(self, inner: CallService, /) -> CallService:
            async def die_after(call: Call, /) -> Reply:
                try:
                    return await inner(call)
                except CallError:
                    await call.ledger.commit(AttemptStarted(call="other", parent="", callee="save", attempt=1))
                    raise Crash from None

            return die_after

    ran = list[str]()
    pay = payer(ran, end)
    bench = Bench(pay)
    dying, living = (retried(*each, *inside) for each in ((Dying(),), ()))
    call = await bench.call(pay)
    with pytest.raises(Crash):
        await dying(Base(pay, bench.door))(call)
    (ended,) = of_kind(await bench.stored(), AttemptEnded)
    assert ended.keyless
    with pytest.raises(InternalError, match=WHY):
        await living(Base(pay, bench.door))(await bench.call(pay))
    assert ran == ["paid"]
