"""The calls of an open run are judged like direct calls: by permissions, visibility, cage, terms and policy."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Policy, Principal, Risk, Runtime, tool
from remit.errors import ModelBusyError, RequestDeniedError, RequestError, SetupError
from remit.inventory import Status, handle_request
from remit.layers import Budget, Timeout
from remit.messages import ChatRequest
from remit.policies import Ask, When
from remit.record.items import Message, RunStalled
from remit.runtime import OpenRun
from remit.testing import Scripted, calls
from tests.runtime.kit import find_superuser, items_of
from tests.runtime.open_desk import ADA, BOB, Desk

pytestmark = pytest.mark.looptime


@tool(effect=Effect.PURE, visibility="internal")
async def hidden() -> str:
    """Read what only other operations read."""
    return "hidden"


@tool(effect=Effect.COMPOSED)
async def show(ctx: Context) -> str:
    """Show it."""
    return await ctx.call(hidden)


async def test_a_call_from_outside_sees_what_a_direct_call_sees() -> None:
    async with Runtime(App(name="test", tools=(hidden, show))).client(ADA).open_run() as run:
        assert "internal" in (await run.call("hidden", {})).text
        assert (await run.call("show", {})).value() == "hidden"


async def test_permissions_are_those_of_the_moment() -> None:
    @tool(effect=Effect.PURE, permissions=["pages:read"])
    async def read() -> str:
        """Read."""
        return "text"

    may = True

    def directory(name: str, tenant: str) -> Principal:
        return Principal(name, tenant, frozenset({"pages:read"}) if may else frozenset())

    runtime = Runtime(App(name="test", tools=(read,)), directory=directory)
    async with runtime.client(ADA).open_run() as run:
        assert (await run.call("read", {})).status == "done"
    may = False
    async with runtime.client(ADA).open_run(run_id=run.id) as run:
        denied = await run.call("read", {})
        assert denied.reply is not None
        assert denied.reply.outcome == "denied"


async def test_a_run_that_the_body_of_a_call_opens_has_its_cage_and_no_wider_one_serves_there() -> None:
    held: list[OpenRun] = []
    refused: list[str] = []
    texts: list[str] = []

    @tool(effect=Effect.PURE)
    async def read() -> str:
        """Read."""
        return "text"

    @tool(effect=Effect.IDEMPOTENT)
    async def work(ctx: LeafContext) -> str:
        """Work in open runs."""
        client = runtime.client(ctx.caller.principal)
        async with client.open_run() as inner:
            texts.append((await inner.call("read", {})).text)
        for attempt in (held[0].call("read", {}), held[0].close()):
            with pytest.raises(RequestDeniedError, match="open one in the call"):
                await attempt
            refused.append("refused")
        return "done"

    agent = Agent("agent", instructions="Work.", tools=(work,), tool_scope={"work"})
    app = App(name="test", agents=(agent,), tools=(read, work))
    runtime = Runtime(app, model=Scripted([calls(("work", {})), "done"]), directory=find_superuser)
    async with runtime.client(ADA).open_run() as outer:
        held.append(outer)
        assert (await runtime.client(ADA).run("go")).status == "done"
    assert "could not reach read" in texts[0]
    assert refused == ["refused", "refused"]


async def test_a_body_that_may_do_what_the_run_may_uses_it() -> None:
    held: list[OpenRun] = []

    @tool(effect=Effect.PURE)
    async def read() -> str:
        """Read."""
        return "text"

    @tool(effect=Effect.COMPOSED)
    async def work(ctx: Context) -> str:
        """Call in the open run."""
        return (await held[0].call("read", {})).value()

    async with Runtime(App(name="test", tools=(read, work))).client(ADA).open_run() as run:
        held.append(run)
        assert (await run.call("work", {})).value() == "text"


async def test_a_timeout_of_the_application_is_around_the_calls_and_not_around_the_run() -> None:
    desk = Desk()
    async with desk.process(layers=Timeout(5)).client(ADA).open_run() as run:
        for _ in range(3):
            await run.call("linger", {"seconds": 4})
        assert (await run.close()).status == "done"


async def test_a_run_that_this_process_would_run_under_less_stalls_and_tells_its_callers() -> None:
    desk = Desk()
    async with (
        desk.process(policy=Policy(When("audited", lambda _: True, Ask(reason="always")))).client(ADA).open_run() as run
    ):
        pass
    async with desk.client().open_run(run_id=run.id) as run:
        stalled = await run.call("write", {"page": "a"})
        assert (stalled.status, "lacks" in stalled.reason) == ("stalled", True)
        with pytest.raises(RequestError, match="lacks"):
            await run.close()
    assert desk.ran == []


async def test_an_agent_is_called_in_an_open_run_and_its_stall_leaves_the_run_to_the_others() -> None:
    reasons = ["busy"]

    def answer(_request: ChatRequest) -> str:
        if reasons:
            raise ModelBusyError(reasons[0])
        return "hello"

    model = Scripted([answer])
    agent = Agent("agent", instructions="Talk.")
    desk = Desk()
    app = App(name="test", agents=(agent,), tools=desk.tools())
    runtime = Runtime(app, model=model, store=desk.store, directory=find_superuser)
    async with runtime.client(ADA).open_run(conversation="talk") as run:
        stalled = await run.call("agent", {"prompt": "hi"}, key="1")
        assert (stalled.status, "busy" in stalled.reason) == ("stalled", True)
        assert (await run.call("read", {"page": "home"})).status == "done"
        with pytest.raises(RequestError, match="waits"):
            await run.close()
    reasons.clear()
    assert any(isinstance(each, RunStalled) for each in await items_of(desk.store, run.id))
    async with runtime.client(ADA).open_run(run_id=run.id) as run:
        assert (await run.call("agent", {"prompt": "hi"}, key="1")).value() == "hello"
        await run.close()
    messages = [each for each in await items_of(desk.store, run.id) if isinstance(each, Message)]
    assert [each.by for each in messages] == ["instructions", "person", "model"]
    assert (await runtime.replay(run.id)).difference == ""


async def test_a_call_with_a_flag_waits_in_the_open_run_and_opens_no_other() -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")
    async def erase(ctx: LeafContext, confirmed: bool = False) -> str:
        """Erase."""
        return "erased"

    model = Scripted([calls(("erase", {})), calls(("erase", {"confirmed": True})), "done"])
    agent = Agent("agent", instructions="Work.", tools=(erase,))
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, directory=find_superuser)
    client = runtime.client(ADA)
    async with client.open_run(conversation="talk") as run:
        asked = await run.call("agent", {"prompt": "erase it"}, key="1")
        assert asked.status == "waiting"
        assert await runtime.client(BOB).decide(asked.questions[0], approved=True) is None
        assert (await run.call("agent", {"prompt": "erase it"}, key="1")).value() == "done"
        await run.close()


async def test_the_options_of_a_run_are_checked() -> None:
    desk = Desk()
    with pytest.raises(RequestError, match="idle_seconds is 0; give a positive number"):
        desk.client().open_run(idle_seconds=0)
    with pytest.raises(RequestError, match="target"):
        async with desk.client().open_run(target=" "):
            pass
    run = desk.client().open_run()
    async with run:
        with pytest.raises(RequestError, match="entered before"):
            async with run:
                pass


async def test_budgets_of_seconds_do_not_count_the_time_at_rest() -> None:
    desk = Desk()
    async with desk.process(budget=Budget(seconds=30)).client(ADA).open_run() as run:
        await run.call("write", {"page": "a"})
        await asyncio.sleep(60)
        assert (await run.call("write", {"page": "b"})).status == "done"


async def test_each_call_from_outside_may_ask_as_many_questions_as_a_run() -> None:
    desk = Desk()
    async with desk.process(max_questions=1).client(ADA).open_run() as run:
        asked = [await run.call("erase", {"page": str(number)}) for number in range(3)]
        rows = [row.question for row in await desk.store.list_questions()]
    assert sorted(each.questions[0] for each in asked) == sorted(each.id for each in rows)
    assert not any(each.is_about_run for each in rows)


async def test_requests_in_envelopes_are_calls_of_an_open_run_for_its_principal_only() -> None:
    desk = Desk()
    runtime = desk.process()
    sent = {"user_id": "ada", "payload": {"tool_name": "write", "parameters": {"page": "a"}}}
    once = {**sent, "request_id": "00000000-0000-0000-0000-000000000001"}
    async with runtime.client(ADA).open_run() as run:
        for _ in range(2):
            answer = await handle_request(runtime, once, by=ADA, run=run)
            assert (answer.status, answer.payload and answer.payload.model_dump()) == (
                Status.COMPLETED,
                {"result": "wrote a"},
            )
        refused = await handle_request(runtime, {**sent, "user_id": "bob"}, by=BOB, run=run)
        assert refused.error is not None
        assert "does not belong to 'bob'" in refused.error.message
    assert desk.ran == ["write a"]
    with pytest.raises(SetupError, match="give an OpenRun"):
        await handle_request(runtime, sent, by=ADA, run=cast("Any", "run"))


async def test_a_call_has_no_more_permissions_than_its_client_whatever_the_directory_says() -> None:
    @tool(effect=Effect.PURE, permissions=["pages:read"])
    async def read() -> str:
        """Read."""
        return "text"

    runtime = Runtime(App(name="test", tools=(read,)), directory=find_superuser)
    reader, nobody = Principal("ada", "bakery", frozenset({"pages:read@a/*"})), Principal("ada", "bakery")
    async with runtime.client(nobody).open_run(target="a/b") as run:
        assert "pages:read" in (await run.call("read", {})).text
        async with runtime.client(reader).open_run(run_id=run.id) as other:
            assert (await other.call("read", {})).value() == "text"


async def test_the_same_arguments_written_in_another_way_are_the_same_call_before_and_after_the_end() -> None:
    ran = list[float]()

    @tool(effect=Effect.UNSAFE)
    async def pay(amount: float, to: str = "ada") -> str:
        """Pay."""
        ran.append(amount)
        return f"{amount} to {to}"

    async with Runtime(App(name="bank", tools=[pay])).client(ADA).open_run() as run:
        same = ({"amount": 42}, '{"amount":42.0}', {"to": "ada", "amount": 4.2e1})
        assert {(await run.call("pay", each, key="1")).value() for each in same} == {"42.0 to ada"}
        await run.close()
        assert {(await run.call("pay", each, key="1")).value() for each in same} == {"42.0 to ada"}
    assert ran == [42.0]
