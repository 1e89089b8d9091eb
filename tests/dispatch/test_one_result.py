"""Content and value of a reply are one result: models, Python callers and the journal get the same, on resume too."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Ask, Context, Effect, LeafContext, Policy, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.dispatch.unwrapping import unwrap_reply
from remit.errors import ConflictError, InvalidOutputError
from remit.layers import Call, CallLayer, CallService, Redact, Reply, layer_fn
from remit.record.items import AttemptEnded, ToolOutput
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.dispatch.kit import Bench, Crash, of_kind
from tests.runtime.kit import find_superuser, items_of

ASKS = Policy.only(When("payments", lambda call: call.callee.name == "pay", Ask(reason="it costs money")))


@tool(effect=Effect.KEYED)
async def find(_ctx: LeafContext) -> dict[str, str]:
    """Find a customer."""
    return {"name": "ada", "iban": "DE02"}


@tool(effect=Effect.KEYED)
async def pay(_ctx: LeafContext, to: str) -> str:
    """Pay a customer."""
    return f"paid {to}"


@tool(effect=Effect.COMPOSED)
async def settle(ctx: Context) -> str:
    """Pay the customer that is found."""
    found = await ctx.call("find")
    return await ctx.call(pay, found["iban"])


@layer_fn
async def hide(call: Call, inner: CallService) -> Reply:
    """Replace the account in a result."""
    reply = await inner(call)
    return reply.map({"name": "ada", "iban": "[x]"}) if call.callee.name == "find" else reply


@layer_fn
async def answer(call: Call, inner: CallService, reply: Reply, callee: str = "find") -> Reply:
    """Reply in place of a callee."""
    return reply if call.callee.name == callee else await inner(call)


def runtime_of(layer: CallLayer, scope: str, store: InMemoryStore) -> Runtime:
    """A new process with the layer at one scope."""
    found, at_run = find, preset(Env(), policy=ASKS)
    if scope == "tool":
        found = find.layer(layer)
    if scope == "run":
        at_run = Stack[CallLayer](at_run, layer)
    if scope == "outermost":
        at_run = Stack[CallLayer](layer, at_run)
    clerk = Agent("clerk", instructions="Pay.", tools=[settle, found, pay])
    if scope == "agent":
        clerk = clerk.layer(layer)
    model = Scripted([calls(("find", {})), calls(("settle", {})), "done"])
    app = App(name="bank", agents=(clerk,))
    return Runtime(app, store=store, model=model, layers=at_run, clock=lambda: 0.0, directory=find_superuser)


@pytest.mark.parametrize("scope", ["tool", "agent", "run", "outermost"])
@pytest.mark.parametrize("layer", [hide(), Redact(patterns=["DE.."])], ids=["map", "redact"])
async def test_a_redacted_result_is_the_same_before_and_after_an_approval_in_another_process(
    scope: str, layer: CallLayer
) -> None:
    store = InMemoryStore(lambda: 0.0)
    first = runtime_of(layer, scope, store)
    result = await first.run("Pay.", by=superuser())
    await first.decide(result.questions[0], approved=True, by=superuser(name="bob"))
    second = runtime_of(layer, scope, store)
    assert (await second.resume(result.run)).value() == "done"
    items = await items_of(store, result.run)
    mark = "[x]" if layer.__class__ is not Redact else "[redacted]"
    assert [mark in item.text for item in of_kind(items, ToolOutput) if item.callee == "find"] == [True, True]
    assert [item.text for item in of_kind(items, ToolOutput) if item.callee == "pay"] == [f"paid {mark}"]
    assert (await second.replay(result.run)).difference == ""
    if isinstance(layer, Redact):
        assert "DE02" not in repr(await store.read(result.run)), "the end of the attempt does not hold it either"


@pytest.mark.parametrize(
    "reply", [Reply.from_value({"name": 7}), Reply.from_value("ada"), Reply("no JSON")], ids=["field", "type", "text"]
)
async def test_a_result_that_the_callee_cannot_have_is_an_error_for_all(reply: Reply) -> None:
    made = find.layer(answer(reply))
    bench = Bench(made)
    got = await bench.reply(made)
    assert got.outcome == "error"
    assert got.content.startswith('{"success":false,"error":"a layer changed the result of find: the result does')
    with pytest.raises(InvalidOutputError):
        unwrap_reply(made, got)


async def test_a_changed_result_is_checked_and_written_as_the_callee_writes_it() -> None:
    made = find.layer(answer(Reply('{ "name": "bob" }')))
    got = await Bench(made).reply(made)
    assert (got.content, got.value) == ('{ "name": "bob" }', {"name": "bob"})
    made = find.layer(answer(Reply("unread").map({"name": "bob"})))
    mapped = await Bench(made).reply(made)
    assert (mapped.content, mapped.value) == ('{"name":"bob"}', {"name": "bob"})


def test_a_bad_reply_has_no_result_to_change() -> None:
    bad = Reply.from_error(ConflictError("taken"))
    assert bad.map("fine") is bad


async def test_what_a_final_reply_gives_is_loaded_from_its_content() -> None:
    made = find.layer(answer(Reply.final({"name": "end"}).map({"name": "over"})))
    got = await Bench(made).reply(made)
    assert (got.is_final, got.content) == (True, '{"name":"over"}')
    assert unwrap_reply(made, got) == {"name": "over"}


async def test_layers_see_the_value_of_an_attempt_that_ended_before_a_crash() -> None:
    seen: list[Any] = []

    @layer_fn
    async def die_once(call: Call, inner: CallService) -> Reply:
        reply = await inner(call)
        seen.append(reply.value)
        if len(seen) == 1:
            raise Crash
        return reply

    made = find.layer(die_once())
    bench = Bench(made)
    with pytest.raises(Crash):
        await bench.reply(made)
    await bench.reply(made)
    assert seen == [{"name": "ada", "iban": "DE02"}] * 2
    assert len(of_kind(await bench.stored(), AttemptEnded)) == 1
