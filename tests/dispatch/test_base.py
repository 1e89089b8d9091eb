"""The base writes what was started and what has ended, as the effect of the callee asks for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Context, Effect, LeafContext, Stack, Tool, tool
from remit.call.contract import definition_digest
from remit.dispatch.base import Base
from remit.errors import (
    CallCancelledError,
    CallError,
    ConflictError,
    DeadlineError,
    ExternalError,
    InternalError,
    InvalidArgumentsError,
    InvalidOutputError,
    SetupError,
)
from remit.layers import Reply, Validate
from remit.record.items import AttemptEnded, AttemptStarted, CallEntered
from tests.dispatch.kit import Bench, Crash, of_kind

WRITING = [Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE]
LEAVES = [Effect.PURE, *WRITING]

each_leaf = pytest.mark.parametrize("effect", LEAVES, ids=lambda effect: effect.value)
each_writing = pytest.mark.parametrize("effect", WRITING, ids=lambda effect: effect.value)


class World:
    """What bodies did, and what the store held while they did it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.seen: list[list[str]] = []


def write(effect: Effect, bench: list[Bench], world: World) -> Tool[[int], int]:
    @tool(effect=effect)
    async def write(ctx: LeafContext, number: int) -> int:
        """Write a number."""
        world.seen.append(await bench[0].kinds())
        world.done.append(ctx.key)
        return number

    return write


def built(effect: Effect) -> tuple[Bench, World, Tool[[int], int]]:
    benches, world = list[Bench](), World()
    made = write(effect, benches, world)
    benches.append(Bench(made))
    return benches[0], world, made


@each_writing
async def test_started_is_stored_before_the_body_runs_and_its_end_before_the_reply(effect: Effect) -> None:
    bench, world, made = built(effect)
    reply = await bench.base(made, '{"number":4}')
    assert world.seen == [["started"]]
    assert await bench.stored() == [
        AttemptStarted(call="call", parent="parent", callee="write", attempt=1, definition=definition_digest(made)),
        AttemptEnded(call="call", attempt=1, outcome="ok", content="4"),
    ]
    assert (reply.content, reply.outcome, reply.value) == ("4", "ok", 4)


async def test_a_read_waits_for_nothing_to_be_stored() -> None:
    bench, world, made = built(Effect.PURE)
    ledger = await bench.drive()
    assert (await bench.base(made, '{"number":4}', ledger=ledger)).value == 4
    assert world.seen == [[]]
    assert await bench.kinds() == []
    (started,) = of_kind(ledger.items_for("call"), AttemptStarted)
    assert started == AttemptStarted(
        call="call", parent="parent", callee="write", attempt=1, definition=definition_digest(made), pure=True
    )


async def test_a_composed_callee_is_named_once_and_writes_no_start_and_no_end() -> None:
    ran = list[str]()

    @tool(effect=Effect.COMPOSED)
    async def pipeline(ctx: Context) -> str:
        """Call others."""
        ran.append(ctx.key)
        return "done"

    bench = Bench(pipeline)
    for _ in range(2):
        ledger = await bench.drive()
        assert (await bench.base(pipeline, ledger=ledger)).value == "done"
        assert [*ledger.items_for("call")] == [CallEntered(call="call", parent="parent", callee="pipeline")]
    assert ran == ["call", "call"], "it is driven again until its call has an end at the door"


@each_leaf
async def test_an_error_of_the_body_is_its_end_and_is_raised(effect: Effect) -> None:
    @tool(effect=effect)
    async def refuse(_ctx: LeafContext) -> str:
        """Refuse."""
        raise ConflictError("it changed; it is at revision 4")

    bench = Bench(refuse)
    ledger = await bench.drive()
    with pytest.raises(ConflictError, match="revision 4"):
        await bench.base(refuse, ledger=ledger)
    (ended,) = of_kind(ledger.items_for("call"), AttemptEnded)
    assert ended.outcome == "error"
    assert ended.content == Reply.from_error(ConflictError("it changed; it is at revision 4")).content
    assert (ended in await bench.stored()) is (effect is not Effect.PURE)


async def test_an_error_that_is_not_ours_is_named_and_kept_as_the_cause() -> None:
    cause = ZeroDivisionError("the world\nended" + "!" * 5_000)

    @tool
    async def explode() -> str:
        """Explode."""
        raise cause

    with pytest.raises(InternalError, match="explode failed: ZeroDivisionError: the world") as raised:
        await Bench(explode).base(explode)
    assert raised.value.__cause__ is cause
    assert len(raised.value.message) == 1_000


@each_leaf
@pytest.mark.parametrize("cause", [ConnectionResetError("reset"), KeyError("named")], ids=repr)
async def test_a_lost_connection_and_what_retries_name_are_an_external_error_on_record_too(
    effect: Effect, cause: Exception
) -> None:
    @tool(effect=effect)
    async def fetch(_ctx: LeafContext) -> str:
        """Fetch a page."""
        raise cause

    bench = Bench(fetch)
    ledger = await bench.drive()
    call = (await bench.call(fetch, ledger=ledger)).replace(retry_on=(KeyError,))
    with pytest.raises(ExternalError, match=f"fetch failed: {type(cause).__name__}") as raised:
        await Base(fetch, bench.door)(call)
    assert raised.value.__cause__ is cause
    (ended,) = of_kind(ledger.items_for("call"), AttemptEnded)
    assert isinstance(Reply.from_journal(ended.content, ended.outcome, is_final=False).error, ExternalError)


@pytest.mark.parametrize("effect", [*LEAVES, Effect.COMPOSED], ids=lambda effect: effect.value)
@pytest.mark.parametrize("leaving", [SystemExit(3), KeyboardInterrupt("it was me")], ids=repr)
async def test_a_body_that_would_end_the_process_has_only_failed(effect: Effect, leaving: BaseException) -> None:
    @tool(effect=effect)
    async def leave(_ctx: LeafContext) -> str:
        """Leave."""
        raise leaving

    with pytest.raises(InternalError, match=f"leave failed: {type(leaving).__name__}: {leaving}") as raised:
        await Bench(leave).base(leave)
    assert raised.value.__cause__ is leaving


async def test_a_second_interrupt_of_a_body_that_is_being_stopped_ends_the_process() -> None:
    begun = asyncio.Event()

    @tool(effect=Effect.KEYED)
    async def wait(_ctx: LeafContext) -> str:
        """Wait for ever."""
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        return "never"

    async def interrupted() -> str:
        try:
            await Bench(wait).base(wait)
        except KeyboardInterrupt:  # which a task may not raise: it would end the loop of this test
            return "interrupted"
        return "not interrupted"

    running = asyncio.create_task(interrupted())
    await begun.wait()
    running.cancel()
    assert await running == "interrupted"


@each_leaf
async def test_a_body_that_is_stopped_says_that_it_may_have_happened_in_part(effect: Effect) -> None:
    begun = asyncio.Event()

    @tool(effect=effect)
    async def wait(_ctx: LeafContext) -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    bench = Bench(wait)
    ledger = await bench.drive()
    running = asyncio.create_task(bench.base(wait, ledger=ledger))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (ended,) = of_kind(ledger.items_for("call"), AttemptEnded)
    assert (ended.attempt, ended.outcome) == (1, "error")
    assert '"errorCode":"CANCELLED"' in ended.content
    assert "may have happened in part" in ended.content


async def test_an_attempt_that_was_stopped_in_a_run_that_goes_on_had_run_out_of_time() -> None:
    bench, world, made = built(Effect.KEYED)
    ledger = await bench.drive()
    stopped = Reply.from_error(CallCancelledError("write was stopped while it ran")).content
    ledger.add(AttemptStarted(call="call", parent="parent", callee="write", attempt=1))
    await ledger.commit(AttemptEnded(call="call", attempt=1, outcome="error", content=stopped))
    with pytest.raises(DeadlineError, match="write was stopped while it ran"):
        await bench.base(made, '{"number":4}')
    assert world.done == []


@each_leaf
async def test_a_result_that_breaks_the_contract_is_an_error_of_a_call_that_has_ended(effect: Effect) -> None:
    @tool(effect=effect)
    async def lie(_ctx: LeafContext) -> int:
        """Promise a number."""
        return "seven"  # type: ignore[return-value]

    bench = Bench(lie)
    ledger = await bench.drive()
    with pytest.raises(InvalidOutputError, match="does not match the contract"):
        await bench.base(lie, ledger=ledger)
    assert [ended.outcome for ended in of_kind(ledger.items_for("call"), AttemptEnded)] == ["error"]


async def test_a_body_may_give_a_reply_of_its_own() -> None:
    @tool
    async def finish() -> Any:
        """End the run."""
        return Reply.final("over")

    bench = Bench(finish)
    reply = await bench.base(finish)
    assert (reply.content, reply.is_final) == ("over", True)
    assert of_kind(await bench.stored(), AttemptEnded)[0].content == "over"


async def test_arguments_that_no_layer_bound_are_bound_leniently() -> None:
    bench, world, made = built(Effect.KEYED)
    assert (await bench.base(made, '{"number":"7","more":1}')).value == 7
    with pytest.raises(InvalidArgumentsError, match="number: Field required"):
        await bench.base(made, "{}")
    assert len(world.done) == 1


async def test_what_a_layer_bound_is_what_runs() -> None:
    bench, _, made = built(Effect.PURE)
    call = await bench.call(made, '{"number":1}')
    payload = made.schema_in.model(number=2)
    assert (await Base(made, bench.door)(call.with_payload(payload))).value == 2


@each_writing
async def test_a_call_that_has_ended_is_answered_from_the_journal(effect: Effect) -> None:
    bench, world, made = built(effect)
    await bench.base(made, '{"number":4}')
    before = await bench.stored()
    reply = await bench.base(made, '{"number":4}')
    assert (reply.content, reply.outcome) == ("4", "ok")
    assert world.done == ["call"]
    assert await bench.stored() == before


@each_writing
async def test_a_call_that_has_failed_raises_its_recorded_error_again(effect: Effect) -> None:
    ran = list[int]()

    @tool(effect=effect)
    async def refuse(_ctx: LeafContext) -> str:
        """Refuse."""
        ran.append(1)
        raise ConflictError("it changed")

    bench = Bench(refuse)
    for _ in range(2):
        with pytest.raises(ConflictError, match="it changed"):
            await bench.base(refuse)
    assert ran == [1]


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED], ids=lambda effect: effect.value)
async def test_what_may_run_again_runs_again_with_the_same_key_after_a_crash(effect: Effect) -> None:
    keys = list[str]()

    @tool(effect=effect)
    async def write(ctx: LeafContext) -> str:
        """Write."""
        keys.append(ctx.key)
        if len(keys) == 1:
            raise Crash
        return "written"

    bench = Bench(write)
    with pytest.raises(Crash):
        await bench.base(write)
    assert await bench.kinds() == ([] if effect is Effect.PURE else ["started"])
    ledger = await bench.drive()
    assert (await bench.base(write, ledger=ledger)).value == "written"
    assert keys == ["call", "call"]
    assert len(of_kind(ledger.items_for("call"), AttemptStarted)) == 1, "it is one attempt"


async def test_a_read_is_read_again_although_its_failure_is_known() -> None:
    answers = [ConflictError("not now"), None]

    @tool(effect=Effect.PURE)
    async def look() -> str:
        """Look."""
        error = answers.pop(0)
        if error:
            raise error
        return "seen"

    bench = Bench(look)
    ledger = await bench.drive()
    with pytest.raises(ConflictError):
        await bench.base(look, ledger=ledger)
    await ledger.flush()
    assert (await bench.base(look)).value == "seen"


@pytest.mark.parametrize("effect", [Effect.IDEMPOTENT, Effect.KEYED])
async def test_each_attempt_has_its_own_start_and_end(effect: Effect) -> None:
    bench, world, made = built(effect)
    call = await bench.call(made, '{"number":4}')
    for attempt in (1, 2):
        await Base(made, bench.door)(call.replace(attempt=attempt))
    assert [(item.kind, getattr(item, "attempt", 0)) for item in await bench.stored()] == [
        ("started", 1),
        ("ended", 1),
        ("started", 2),
        ("ended", 2),
    ]
    assert world.done == ["call", "call"], "all attempts of a call share its key"


async def test_what_a_strict_layer_refused_never_comes_to_the_base() -> None:
    _, world, made = built(Effect.KEYED)
    bench = Bench(made, layers=Stack(Validate()))
    ledger = await bench.drive()
    reply = await bench.door.service("", made)(await bench.call(made, '{"number":"7"}', ledger=ledger))
    assert (reply.outcome, world.done) == ("error", [])
    assert of_kind(ledger.items_for("call"), AttemptStarted) == []


@pytest.mark.parametrize("effect", [*LEAVES, Effect.COMPOSED], ids=lambda effect: effect.value)
async def test_a_body_that_raises_an_error_of_ours_about_something_else_has_failed(effect: Effect) -> None:
    @tool(effect=effect)
    async def misuse(_ctx: LeafContext) -> str:
        """Use something wrongly."""
        raise SetupError("once works inside a transaction")

    with pytest.raises(CallError, match="misuse failed: SetupError: once works inside a transaction"):
        await Bench(misuse).base(misuse)


async def test_a_body_that_was_not_cancelled_and_says_so_has_failed() -> None:
    @tool(effect=Effect.KEYED)
    async def wait_for_another(_ctx: LeafContext) -> str:
        """Await something that another task has given up."""
        given_up = asyncio.get_running_loop().create_future()
        given_up.cancel()
        return await given_up

    with pytest.raises(InternalError):
        await Bench(wait_for_another).base(wait_for_another)


async def test_a_reply_that_ends_the_run_does_so_from_the_journal_too() -> None:
    @tool
    async def finish() -> Any:
        """End the run."""
        return Reply.final("over")

    bench = Bench(finish)
    await bench.base(finish)
    assert (await bench.base(finish)).is_final
