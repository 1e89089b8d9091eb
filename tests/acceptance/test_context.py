"""The design of the context, sentence by sentence: calls by name, what all callees share, and the one registry."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.call.callee import Callee
from remit.dispatch.registry import Registry
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError, NameTakenError
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls, superuser
from remit.tools import tool_name
from tests.dispatch.actors import Actor


class Text(BaseModel):
    """What is to be analyzed."""

    text: str


class Analysis(BaseModel):
    """What came of it."""

    words: int


@tool(effect=Effect.PURE)
async def analyze(text: Text) -> Analysis:
    """Count the words of a text."""
    return Analysis(words=len(text.text.split()))


@tool(effect=Effect.PURE)
@tool_name("word-list")
async def words_of(text: str) -> list[str]:
    """List the words of a text."""
    return text.split()


async def value_of(body: Any, *tools: Callee[..., Any]) -> Any:
    """What a composed tool gives whose body is ``body``, in an application with ``tools``."""
    callee = tool(effect=Effect.COMPOSED, name="body", description="Work.")(body)
    return (await Runtime(App(name="test", tools=(callee, *tools))).call(callee, superuser())).value()


async def test_tools_by_alias() -> None:
    """`ctx.tools.<alias>(input)` is the primary call style."""

    async def body(ctx: Context) -> list[Any]:
        by_model = await ctx.tools.analyze(Text(text="one two"))
        by_name = await ctx.tools.analyze(text="one two three")
        assert [by_model, by_name] == [Analysis(words=2), Analysis(words=3)]
        return await ctx.tools.word_list({"text": "a b"})

    assert await value_of(body, analyze, words_of) == ["a", "b"]


async def test_call_by_canonical_name() -> None:
    """`ctx.call("canonical-name", input)` remains for dynamic routing and non-identifier names."""

    async def body(ctx: Context) -> list[int]:
        found = [await ctx.call(name, {"text": "one two"}) for name in ("analyze", "word-list")]
        return [found[0].words, len(found[1])]

    assert await value_of(body, analyze, words_of) == [2, 2]


@pytest.mark.parametrize("name", ["tools", "call", "emit", "last_seen", "log", "run", "caller", "deadline", "key"])
def test_reserved_members(name: str) -> None:
    """`ctx.tools` is the only method namespace; context methods are reserved."""
    public = {each for each, _ in inspect.getmembers(Context) if not each.startswith("_")}
    assert public == {"tools", "call", "emit", "last_seen", "log", "run", "caller", "deadline", "key"}
    with pytest.raises(ContractError, match=f"ctx.{name} is a member of the context"):
        Runtime(App(name="test", tools=(analyze.with_name(name),)))


async def _count(_ctx: object) -> int:
    return 7


WORKER = Actor("counter", _count)
AGENT = Agent("writer", instructions="Write.", model=Scripted(["written"]))
CALLEES: list[Callee[..., Any]] = [analyze, words_of, WORKER, AGENT]
EACH = pytest.mark.parametrize("callee", CALLEES, ids=lambda callee: callee.name)


@EACH
def test_name(callee: Callee[..., Any]) -> None:
    """`name` (canonical identifier for registry lookup)"""
    assert Registry(CALLEES).find(callee.name) is callee


async def test_schemas() -> None:
    """`schema_in`, `schema_out` (validation contracts)"""

    @tool(effect=Effect.PURE)
    async def wrong() -> int:
        """Give what is no number."""
        given: Any = "many"
        return given

    async def body(ctx: Context) -> str:
        with pytest.raises(InvalidArgumentsError, match="text: Field required"):
            await ctx.call("analyze", {"txt": "a"})
        with pytest.raises(InvalidOutputError, match="the result does not match the contract"):
            await ctx.call(wrong)
        return "both"

    assert await value_of(body, analyze, wrong) == "both"
    assert analyze.schema_in.json_schema["required"] == ["text"]
    assert analyze.schema_out.json_schema["required"] == ["words"]


@pytest.mark.parametrize(("risk", "status"), [(Risk.SAFE, "done"), (Risk.HIGH, "waiting")])
async def test_risk_profile(risk: Risk, status: str) -> None:
    """`risk_profile` (approval and policy input)"""

    @tool(effect=Effect.PURE, risk=risk)
    async def touch() -> str:
        """Touch it."""
        return "touched"

    assert touch.facts.risk is risk
    assert (await Runtime(App(name="test", tools=(touch,))).call(touch, superuser())).status == status


async def test_one_way_of_dispatch() -> None:
    """`call(input, ctx) -> output` (single dispatch path)"""

    async def body(ctx: Context) -> list[Any]:
        return [await ctx.call(analyze, Text(text="a b")), await ctx.call(WORKER), await ctx.call(AGENT, "write")]

    callee = tool(effect=Effect.COMPOSED, name="body", description="Work.")(body)
    runtime = Runtime(App(name="test", tools=(callee, *CALLEES)), make_run_id=lambda: "run")
    value = (await runtime.call(callee, superuser())).value()
    assert value == [{"words": 2}, 7, "written"]
    items = [position.item for position in await runtime.store.read("run")]
    ended = [item for item in items if isinstance(item, ToolOutput)]
    assert [item.callee for item in ended] == ["analyze", "counter", "writer", "body"]
    assert {item.outcome for item in ended} == {"ok"}


@EACH
def test_one_registry(callee: Callee[..., Any]) -> None:
    """Single registry keyed by canonical tool names; workers are registered as entries alongside tools."""
    taken = analyze.with_name(callee.name) if callee is not analyze else words_of.with_name("analyze")
    with pytest.raises(NameTakenError, match=f"two callees are named '{callee.name}'"):
        Runtime(App(name="test", tools=(*CALLEES, taken)))


async def test_canonical_name() -> None:
    """`@tool_name("some-tool-name")` overrides the canonical name; otherwise the function name is canonical."""

    @tool_name("some-tool-name")
    async def first() -> str:
        """Be first."""
        return "first"

    async def second() -> str:
        """Be second."""
        return "second"

    one, two = tool(effect=Effect.PURE)(first), tool(effect=Effect.PURE)(second)
    assert (one.name, two.name) == ("some-tool-name", "second")

    async def body(ctx: Context) -> list[str]:
        return [await ctx.call("some-tool-name"), await ctx.tools.some_tool_name(), await ctx.tools.second()]

    assert await value_of(body, one, two) == ["first", "first", "second"]


async def test_what_a_model_sees() -> None:
    """LLMs see the canonical tool name (decorator name if present, otherwise function name)."""
    model = Scripted([calls(("word-list", {"text": "a b"}), ("analyze", {"text": "a"})), "done"])
    agent = Agent("agent", instructions="Work.", tools=[analyze, words_of])
    await Runtime(App(name="test", agents=(agent,)), model=model).run("go", by=superuser())
    assert model.requests[0].tools.names == ("analyze", "word-list")
    replies = [json.loads(text) for text in list(model.requests[1].history)[-2:]]
    assert [reply["content"] for reply in replies] == ['["a","b"]', '{"words":1}']


async def test_what_a_body_tells() -> None:
    """What a body says with `ctx.log` and `ctx.emit` reaches whoever watches once, also when the run is resumed."""
    seen = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def pay(ctx: LeafContext) -> str:
        """Pay."""
        ctx.emit("paying")
        return "paid"

    @tool(effect=Effect.COMPOSED)
    async def shop(ctx: Context) -> str:
        """Go shopping."""
        ctx.log("to the shop", by="bus")
        ctx.emit("arrived", {"at": 9})
        paid = await ctx.call(pay)
        ctx.log("home")
        return paid

    def watch(position: Any) -> None:
        if position.item.kind == "note":
            seen.append(f"{position.item.name} {position.item.data}")

    runtime = Runtime(App(name="test", tools=(shop, pay)), on_item=watch, make_run_id=lambda: "run")
    ada = superuser()
    waiting = await runtime.call(shop, ada)
    before = ['log {"message":"to the shop","by":"bus"}', 'arrived {"at":9}']
    assert (waiting.status, seen) == ("waiting", before)
    await runtime.decide(waiting.questions[0], approved=True, by=ada)
    assert (await runtime.resume("run")).value() == "paid"
    assert seen == [*before, "paying null", 'log {"message":"home"}']
