"""The receipt of a run says what its calls changed, whatever the model says, and is the same when it is read again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Block, Context, Effect, LeafContext, Policy, Risk, Runtime, When, tool
from remit.agent import AgentDriver
from remit.cli.receipt import receipt_lines
from remit.errors import BlockedError, ConflictError, ExternalError
from remit.items import AttemptEnded, AttemptStarted, ErasedItem, Item, ItemEvent, Message, ToolOutput
from remit.messages import encode_message
from remit.runtime import Receipt, make_receipt
from remit.testing import Scripted, calls, superuser
from remit.tools import Changed, entity
from tests.agent.both import BOTH, look
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser, items_of


@entity("page", id="slug", name="title")
class Page(BaseModel):
    """A page."""

    slug: str
    title: str


@tool(effect=Effect.UNSAFE)
async def rename(ctx: LeafContext, slug: str, title: str) -> Page:
    """Rename a page."""
    ctx.emit(Changed("page", slug, fields=("title",)))
    return Page(slug=slug, title=title)


@tool(effect=Effect.KEYED)
async def publish(ctx: LeafContext, slug: str) -> Page:
    """Publish a page."""
    assert ctx.key
    return Page(slug=slug, title="About us")


@tool(effect=Effect.IDEMPOTENT)
async def lock(slug: str) -> str:
    """Lock a page, which somebody else holds."""
    raise ConflictError("somebody else holds it")


@tool(effect=Effect.PURE)
async def find(slug: str) -> str:
    """Find a page, which is not there."""
    raise ExternalError("cannot be reached")


@tool(effect=Effect.UNSAFE)
async def delete(slug: str, *, confirmed: bool = False) -> str:
    """Delete a page."""
    return f"deleted {slug}"


@tool(effect=Effect.COMPOSED)
async def rename_both(ctx: Context, title: str) -> str:
    """Rename two pages."""
    for slug in ("a", "b"):
        await ctx.call(rename, slug=slug, title=title)
    return "renamed"


def runtime_of(lines: Any, driver: AgentDriver | None = None, **known: Any) -> Runtime:
    tools = [look, rename, publish, lock, find, delete, rename_both]
    agent = Agent("agent", instructions="x", tools=tools, driver=driver, model=Scripted(lines))
    policy = Policy.only(When("deletes", lambda call: call.callee.name == "delete", Block(reason="never")))
    return Runtime(App(name="test", agents=(agent,), policy=policy), directory=find_superuser, **known)


def names(receipt: Receipt) -> dict[str, list[str]]:
    kinds = {kind: [call.tool for call in getattr(receipt, kind)] for kind in receipt.__struct_fields__}
    return {kind: tools for kind, tools in kinds.items() if tools}


@BOTH
async def test_a_receipt_lists_what_was_changed_failed_or_was_not_made(driver: AgentDriver) -> None:
    script = [
        calls(("rename", {"slug": "a", "title": "A"}), ("look", {"page": "a"}), ("lock", {"slug": "a"})),
        calls(("publish", {"slug": "a"}), ("find", {"slug": "z"}), ("delete", {"slug": "a", "confirmed": True})),
        calls(("publish", {"slug": "a"})),
        "I have deleted it.",
    ]
    runtime = runtime_of(script, driver)
    result = await runtime.run("go", by=superuser())
    receipt = result.receipt
    assert names(receipt) == {"changed": ["rename", "publish"], "failed": ["lock"], "not_made": ["delete"]}
    assert receipt.changed[0].objects == (Changed("page", "a", fields=("title",)),)
    assert receipt.changed[0].arguments == '{"slug": "a", "title": "A"}'
    assert [each.name for each in receipt.changed[1].entities] == ["About us"]
    assert [type(each[0].error) for each in (receipt.failed, receipt.not_made)] == [ConflictError, BlockedError]
    assert not receipt.has_changed_nothing
    client = runtime.client(superuser())
    assert repr((await client.details(result.run)).receipt) == repr(receipt)
    events = [event async for event in client.stream(result.run)]
    ends = [repr(event.receipt) for event in events if isinstance(event, ItemEvent) and event.receipt is not None]
    assert ends == [repr(receipt)]
    assert events[-1].after == str(len(events) - 1)


@BOTH
async def test_a_model_that_only_says_so_has_changed_nothing(driver: AgentDriver) -> None:
    runtime = runtime_of([calls(("look", {"page": "a"})), "It has been renamed."], driver)
    result = await runtime.run("go", by=superuser())
    assert (names(result.receipt), result.receipt.has_changed_nothing) == ({}, True)


async def test_changes_of_nested_calls_and_agents_are_on_the_receipt() -> None:
    script = Scripted([calls(("rename_both", {"title": "T"})), "done"])
    inner = Agent("inner", instructions="x", tools=[rename_both, rename], model=script)
    model = Scripted([calls(("inner", {"prompt": "go"})), "done"])
    runtime = Runtime(App(name="test", agents=(Agent("lead", instructions="x", tools=[inner]),)), model=model)
    result = await runtime.run("go", by=superuser())
    assert [each.objects[0].id for each in result.receipt.changed] == ["a", "b"]


async def test_a_call_of_unknown_outcome_is_neither_changed_nor_failed() -> None:
    receipts: list[Receipt] = []
    for append in range(1, 6):
        clock = Clock()
        store = Mortal(clock)
        runtime = runtime_of([calls(("rename", {"slug": "a", "title": "A"})), "done"], store=store, clock=clock)
        store.die_at(append, after=True)
        with contextlib.suppress(Crash):
            await runtime.run("go", by=superuser(), idempotency_key="k")
        store.revive()
        clock.now += 60
        result = await runtime.run("go", by=superuser(), idempotency_key="k")
        receipts += [result.receipt] if result.status == "waiting" else []
    assert receipts
    for receipt in receipts:
        assert (receipt.changed, [call.tool for call in receipt.unknown]) == ((), ["rename"])
        assert not receipt.has_changed_nothing


async def test_a_read_that_was_cancelled_has_changed_nothing_even_if_the_tool_is_not_known_any_more() -> None:
    @tool(effect=Effect.PURE)
    async def read() -> str:
        """Read for ever."""
        began.set()
        await asyncio.Event().wait()
        return "read"

    began = asyncio.Event()
    runtime = Runtime(App(name="pages", tools=(read,)))
    async with runtime.client(superuser()).open_run() as run:
        reading = asyncio.create_task(run.call("read", {}))
        await began.wait()
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
    receipt = make_receipt(await items_of(runtime.store, run.id))
    assert (receipt.has_changed_nothing, receipt.unknown) == (True, ())


async def test_a_waiting_call_is_no_change_and_a_decided_one_is() -> None:
    world = World()
    danger = world.write("danger", risk=Risk.HIGH)
    model = Scripted([calls(("danger", {"text": "a"})), "done"])
    runtime = Runtime(
        App(name="test", agents=(Agent("agent", instructions="x", tools=[danger], model=model),)),
        directory=find_superuser,
    )
    waiting = await runtime.run("go", by=superuser())
    assert (waiting.status, names(waiting.receipt)) == ("waiting", {})
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert names((await runtime.resume(waiting.run)).receipt) == {"changed": ["danger"]}


@BOTH
async def test_a_result_has_turns_and_events_also_of_a_run_that_had_ended(driver: AgentDriver) -> None:
    runtime = runtime_of([calls(("look", {"page": "a"})), "done"], driver)
    first = await runtime.run("go", by=superuser(), idempotency_key="k")
    again = await runtime.run("go", by=superuser(), idempotency_key="k")
    resumed = await runtime.resume(first.run)
    for result in (first, again, resumed):
        assert (result.turns, result.usage.requests) == (2, 2)
        assert [event.kind for event in result.events] == ["message", "message", "message", "tool_output", "message"]
        assert result.receipt == first.receipt
    assert [event.text for event in first.events][1:] == await runtime.history(first.run)
    tool_result = await runtime.call(look, superuser(), page="a")
    assert (tool_result.turns, tool_result.events) == (0, [])


async def test_a_receipt_can_be_made_while_a_run_goes_on() -> None:
    seen: list[Any] = []
    begun = asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait."""
        begun.set()
        await asyncio.sleep(0)
        return "waited"

    model = Scripted([calls(("rename", {"slug": "a", "title": "A"})), calls(("wait", {})), "done"])
    agent = Agent("agent", instructions="x", tools=[rename, wait], model=model)
    runtime = Runtime(App(name="test", agents=(agent,)), on_item=lambda position: seen.append(position.item))
    result = await runtime.run("go", by=superuser())
    assert begun.is_set()
    half = seen[: next(n for n, item in enumerate(seen) if item.kind == "tool_output") + 1]
    assert names(make_receipt(half)) == {"changed": ["rename"]}
    assert names(make_receipt(await items_of(runtime.store, result.run))) == {"changed": ["rename"]}


async def test_a_change_that_a_tool_reports_between_its_calls_is_on_the_receipt() -> None:
    @tool(effect=Effect.COMPOSED)
    async def order(ctx: Context) -> str:
        """Order bread."""
        await ctx.call(look, page="bread")
        ctx.emit(Changed("order", "7", fields=("state",)))
        return "ordered"

    agent = Agent("agent", instructions="x", tools=[order, look], model=Scripted([calls(("order", {})), "done"]))
    runtime = Runtime(App(name="test", agents=(agent,)), directory=find_superuser)
    receipt = (await runtime.run("go", by=superuser())).receipt
    assert [(each.tool, [change.id for change in each.objects]) for each in receipt.changed] == [("order", ["7"])]


RENAMED = (calls(("rename", {"slug": "a", "title": "A"})),)


async def erased_receipt(*kinds: str, script: Sequence[Any] = RENAMED) -> tuple[dict[str, list[str]], Receipt]:
    """The receipt of a run after the items of these kinds were erased, but not those of the run itself."""
    runtime = runtime_of([*script, "done"])
    run = (await runtime.run("go", by=superuser())).run
    found = await runtime.store.read(run)
    root = next(each.item.call for each in reversed(found) if isinstance(each.item, ToolOutput))
    await runtime.store.erase(run, [each.seq for each in found if each.item.kind in kinds and each.item.call != root])
    receipt = (await runtime.resume(run)).receipt
    assert receipt_lines(receipt) != ["nothing was changed"] or receipt.has_changed_nothing
    return names(receipt), receipt


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("ended", "note"), {"erased": ["rename"]}),
        (("started", "ended", "note"), {"erased": ["rename"]}),
        (("started", "ended", "note", ToolOutput.kind), {"erased": [""]}),
        ((ToolOutput.kind, "note"), {"erased": ["rename"]}),
        ((ToolOutput.kind,), {"changed": ["rename"]}),
        (("ended",), {"changed": ["rename"]}),
        (("note",), {"changed": ["rename"]}),
        (("message",), {"changed": ["rename"]}),
    ],
)
async def test_a_receipt_claims_nothing_about_what_was_erased(
    kinds: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    found, receipt = await erased_receipt(*kinds)
    assert (found, receipt.has_changed_nothing) == (expected, False)


@pytest.mark.parametrize("kinds", [("ended", "note", "started"), ("message", "note")])
async def test_a_call_that_only_reads_has_changed_nothing_even_if_its_items_were_erased(kinds: tuple[str, ...]) -> None:
    found, receipt = await erased_receipt(*kinds, script=[calls(("look", {"page": "a"}))])
    assert (found, receipt.has_changed_nothing) == ({}, True)


@tool(effect=Effect.UNSAFE, confirm="confirmed")
async def wipe(slug: str, *, confirmed: bool = False) -> str:
    """Wipe a page."""
    return f"wiped {slug}"


@pytest.mark.parametrize(("confirmed", "expected"), [(True, {"changed": ["wipe"]}), (False, {})])
def test_whether_a_call_was_only_announced_is_not_known_without_its_arguments(
    *, confirmed: bool, expected: dict[str, list[str]]
) -> None:
    asked = calls(("wipe", {"slug": "a", "confirmed": confirmed}))
    wire = asked["tool_calls"][0]["id"]
    said = Message(call="agent:1", agent="agent", text=encode_message({"role": "assistant", **asked}))
    made: list[Item] = [
        AttemptStarted(call="wipe", parent="agent", callee="wipe", wire=wire, attempt=1),
        AttemptEnded(call="wipe", attempt=1, outcome="ok", content='"x"'),
        ToolOutput(call="wipe", parent="agent", callee="wipe", wire=wire, text='{"content":"x"}', outcome="ok"),
    ]

    def find(name: str) -> Any:
        return wipe if name == "wipe" else None

    assert names(make_receipt([said, *made], find)) == expected
    assert names(make_receipt([ErasedItem(call=said.call, was=said.kind), *made], find)) == {"erased": ["wipe"]}
