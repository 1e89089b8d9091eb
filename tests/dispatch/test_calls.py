"""The id of a call is content, so that a run which is driven again makes the same calls; what it said is said once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import Context, Effect, LeafContext, Tool, tool
from remit.dispatch.base import Base
from remit.dispatch.context import CallContext
from remit.dispatch.registry import AnyCallee
from remit.errors import DivergedError
from remit.journal.before_calls import STALL_TIMEOUT
from remit.layers import Reply
from remit.record.items import AttemptStarted, Note, ToolOutput
from tests.dispatch.kit import Bench, Crash, of_kind

Body = Callable[[LeafContext], Awaitable[Any]]


def echo(keys: list[str]) -> Tool[[str, int], str]:
    @tool(effect=Effect.KEYED)
    async def echo(ctx: LeafContext, text: str, times: int = 1) -> str:
        """Say it again."""
        keys.append(ctx.key)
        return text * times

    return echo


@tool(effect=Effect.COMPOSED)
async def caller(ctx: Context) -> None:
    """Call others."""


async def keys_of(*raw: str, names: tuple[str, ...] = ()) -> list[str]:
    """The ids of calls that one body makes one after another."""
    keys = list[str]()
    made = echo(keys)
    bench = Bench(made, made.with_name("other"))
    frame = CallContext(await bench.call(caller), caller, bench.door)
    for index, arguments in enumerate(raw):
        await frame.prepare(names[index] if names else "echo", arguments, "").make()
    return keys


async def test_the_same_call_twice_is_two_calls() -> None:
    first, second = await keys_of('{"text":"a"}', '{"text":"a"}')
    assert first != second


async def test_a_body_that_runs_again_makes_the_same_calls() -> None:
    script = ('{"text":"a"}', '{"text":"b"}', '{"text":"a"}')
    assert await keys_of(*script) == await keys_of(*script)
    assert len(set(await keys_of(*script))) == 3


@pytest.mark.parametrize(
    "spelled", ['{"times":2,"text":"é"}', '{ "text" : "\\u00e9" , "times" : 2 }', '{"text":"é","times":2}']
)
async def test_key_order_white_space_and_escapes_do_not_change_the_call(spelled: str) -> None:
    assert await keys_of(spelled) == await keys_of('{"text":"é","times":2}')


@pytest.mark.parametrize("other", ['{"text":"b"}', '{"text":"a","times":1}', '{"text":"a","times":2}', '{"text":" a"}'])
async def test_other_arguments_are_another_call(other: str) -> None:
    assert await keys_of(other) != await keys_of('{"text":"a"}')


async def test_another_callee_is_another_call() -> None:
    assert await keys_of('{"text":"a"}', names=("echo",)) != await keys_of('{"text":"a"}', names=("other",))


async def test_arguments_that_cannot_be_read_are_a_call_by_their_text() -> None:
    bench = Bench(echo([]))
    ledger = await bench.drive()
    frame = CallContext(await bench.call(caller, ledger=ledger), caller, bench.door)
    for raw in ("{", "{", "[1]"):
        assert (await frame.prepare("echo", raw, "").make()).outcome == "error"
    await ledger.flush()
    ends = of_kind(await bench.stored(), ToolOutput)
    assert len({end.call for end in ends}) == 3


async def test_a_model_that_sends_no_arguments_at_all_means_none() -> None:
    @tool(effect=Effect.PURE)
    async def now() -> str:
        """Say when."""
        return "now"

    bench = Bench(now)
    frame = CallContext(await bench.call(caller), caller, bench.door)
    assert (await frame.prepare("now", "", "").make()).content == "now"


async def test_calls_get_their_ids_as_they_are_prepared_whichever_is_made_first() -> None:
    async def ids(*order: int) -> dict[int, str]:
        keys = list[str]()
        made = echo(keys)
        bench = Bench(made)
        frame = CallContext(await bench.call(caller), caller, bench.door)
        prepared = [frame.prepare("echo", '{"text":"a"}', "") for _ in range(2)]
        for index in order:
            await prepared[index].make()
        return dict(zip(order, keys, strict=True))

    assert await ids(0, 1) == await ids(1, 0)


class Talk:
    """A tool whose body is another one each time it runs."""

    def __init__(self, *bodies: Body, effect: Effect = Effect.COMPOSED) -> None:
        left = list(bodies)

        @tool(effect=effect)
        async def talk(ctx: LeafContext) -> str:
            """Say something."""
            await left.pop(0)(ctx)
            return "said"

        self.tool = talk


async def notes(bench: Bench) -> list[tuple[str, Any]]:
    return [(note.name, json.loads(note.data)) for note in of_kind(await bench.stored(), Note)]


def saying(*words: str, dies: bool = False) -> Body:
    async def body(ctx: LeafContext) -> None:
        for word in words:
            ctx.log(word, by="ada")
            ctx.emit("said", {"word": word})
        if dies:
            raise Crash

    return body


async def test_what_a_body_says_is_filed_under_its_call() -> None:
    talk = Talk(saying("a"), effect=Effect.KEYED).tool
    bench = Bench(talk)
    await bench.base(talk)
    assert await notes(bench) == [("log", {"message": "a", "by": "ada"}), ("said", {"word": "a"})]
    assert {note.call for note in of_kind(await bench.stored(), Note)} == {"call"}


async def test_an_event_may_carry_nothing() -> None:
    async def body(ctx: LeafContext) -> None:
        ctx.emit("begun")

    talk = Talk(body, effect=Effect.KEYED).tool
    bench = Bench(talk)
    await bench.base(talk)
    assert await notes(bench) == [("begun", None)]


@pytest.mark.parametrize("effect", [Effect.COMPOSED, Effect.KEYED], ids=lambda effect: effect.value)
async def test_what_was_said_before_a_crash_is_not_said_again(effect: Effect) -> None:
    talk = Talk(saying("a", dies=True), saying("a", "b"), effect=effect).tool
    bench = Bench(talk)
    ledger = await bench.drive()
    with pytest.raises(Crash):
        await bench.base(talk, ledger=ledger)
    await ledger.flush()
    ledger = await bench.drive()
    await bench.base(talk, ledger=ledger)
    await ledger.flush()
    assert [said for name, said in await notes(bench) if name == "said"] == [{"word": "a"}, {"word": "b"}]


async def test_what_another_attempt_says_differently_is_heard() -> None:
    talk = Talk(saying("a"), saying("b"), effect=Effect.IDEMPOTENT).tool
    bench = Bench(talk)
    call = await bench.call(talk)
    for attempt in (1, 2):
        await Base(talk, bench.door)(call.replace(attempt=attempt))
    assert [said for name, said in await notes(bench) if name == "said"] == [{"word": "a"}, {"word": "b"}]


def world() -> tuple[list[str], Tool[[str], str]]:
    ran = list[str]()

    @tool(effect=Effect.KEYED)
    async def step(_ctx: LeafContext, name: str) -> str:
        """Do a step."""
        ran.append(name)
        return name

    return ran, step


async def redriven(
    first: Callable[[Context], Awaitable[Any]], second: Callable[[Context], Awaitable[Any]], *steps: AnyCallee
) -> Reply:
    """A composed body that dies after ``first`` and is driven again as ``second``; both call ``steps``."""
    bodies = [first, second]

    @tool(effect=Effect.COMPOSED)
    async def pipeline(ctx: Context) -> str:
        """Do some steps."""
        body = bodies.pop(0)
        await body(ctx)
        if bodies:
            raise Crash
        return "done"

    bench = Bench(pipeline, *steps)
    ledger = await bench.drive()
    with pytest.raises(Crash):
        await bench.base(pipeline, ledger=ledger)
    await ledger.flush()
    return await bench.base(pipeline)


async def test_a_body_that_is_driven_again_does_only_what_it_has_not_done() -> None:
    ran, step = world()

    async def first(ctx: Context) -> None:
        await ctx.call(step, "a")
        await ctx.call(step, "b")

    async def second(ctx: Context) -> None:
        assert [await ctx.call(step, name) for name in ("a", "b", "c")] == ["a", "b", "c"]

    await redriven(first, second, step)
    assert ran == ["a", "b", "c"]


@pytest.mark.looptime
async def test_a_new_call_waits_until_every_call_of_the_journal_has_been_made() -> None:
    ran, step = world()

    async def first(ctx: Context) -> None:
        await ctx.call(step, "a")

    async def second(ctx: Context) -> None:
        await asyncio.gather(ctx.call(step, "new"), ctx.call(step, "a"))

    await redriven(first, second, step)
    assert ran == ["a", "new"]


@pytest.mark.looptime
async def test_a_new_call_goes_as_soon_as_every_call_of_the_journal_has_been_made() -> None:
    _, step = world()
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def first(ctx: Context) -> None:
        await ctx.call(step, "a")

    async def second(ctx: Context) -> None:
        await asyncio.gather(ctx.call(step, "new"), ctx.call(step, "a"))

    await redriven(first, second, step)
    assert loop.time() - began < 1


@pytest.mark.looptime
async def test_a_new_call_that_waits_for_ever_has_diverged_and_runs_nothing() -> None:
    ran, step = world()
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def first(ctx: Context) -> None:
        await ctx.call(step, "a")

    async def second(ctx: Context) -> None:
        await ctx.call(step, "new")

    with pytest.raises(DivergedError, match=r"the journal records a call \(.+\) that the current code does not make"):
        await redriven(first, second, step)
    assert ran == ["a"]
    assert loop.time() - began == pytest.approx(STALL_TIMEOUT)


@pytest.mark.looptime
async def test_a_new_call_waits_as_long_as_its_siblings_are_under_way() -> None:
    ran, step = world()

    @tool(effect=Effect.PURE)
    async def think() -> str:
        """Take three times as long as a stalled body is given."""
        await asyncio.sleep(3 * STALL_TIMEOUT)
        return "thought"

    async def first(ctx: Context) -> None:
        await ctx.call(think)
        await ctx.call(step, "a")

    async def second(ctx: Context) -> None:
        async def both() -> None:
            await ctx.call(think)
            await ctx.call(step, "a")

        await asyncio.gather(both(), ctx.call(step, "new"))

    await redriven(first, second, step, think)
    assert ran == ["a", "new"]


async def test_a_body_that_leaves_out_a_call_of_the_journal_has_diverged() -> None:
    ran, step = world()

    async def first(ctx: Context) -> None:
        await ctx.call(step, "a")

    async def second(_ctx: Context) -> None:
        return

    with pytest.raises(DivergedError, match="the current code does not make; nothing was run"):
        await redriven(first, second, step)
    assert ran == ["a"]


async def test_a_call_that_was_cut_off_is_claimed_by_its_start() -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED)
    async def cut(ctx: LeafContext) -> str:
        """Die the first time."""
        ran.append(ctx.key)
        if len(ran) == 1:
            raise Crash
        return "done"

    @tool(effect=Effect.COMPOSED)
    async def pipeline(ctx: Context) -> str:
        """Do one step."""
        return await ctx.call(cut)

    bench = Bench(pipeline, cut)
    with pytest.raises(Crash):
        await bench.base(pipeline)
    assert [item.parent for item in of_kind(await bench.stored(), AttemptStarted)] == ["call"]
    assert (await bench.base(pipeline)).value == "done"
    assert ran[0] == ran[1]
