"""A tool that answers that it has failed has failed, on record: its caller is told why, and it does not run again."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Runtime, Tool, tool
from remit.agent import AgentDriver
from remit.errors import ToolFailed
from remit.journal.ports import Store
from remit.record.items import AttemptEnded, AttemptStarted
from remit.testing import Scripted, calls, superuser
from remit.tools import with_recommended_layers
from remit.views import RunView
from tests.agent.both import BOTH
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of, last_reply

REASON = "the card was declined"
REPLY = {"success": False, "error": REASON, "errorCode": "TOOL_FAILED", "details": {"bank": 51}}
EFFECTS = pytest.mark.parametrize("effect", list(Effect), ids=lambda effect: effect.value)


def declined(ran: list[str], effect: Effect) -> Tool[..., Any]:
    """A tool whose card is declined, with the layers that try again what may pass."""

    async def pay(ctx: LeafContext, to: str) -> str:
        """Pay."""
        assert ctx.key
        ran.append(to)
        raise ToolFailed(REASON, details={"bank": 51})

    async def pay_with_calls(ctx: Context, to: str) -> str:
        """Pay."""
        ctx.emit("paying")
        ran.append(to)
        raise ToolFailed(REASON, details={"bank": 51})

    made: Tool[..., Any] = tool(effect=effect, name="pay")(pay_with_calls if effect is Effect.COMPOSED else pay)
    return with_recommended_layers(made)


def shop(
    pay: Tool[..., Any], store: Store | None = None, driver: AgentDriver | None = None
) -> tuple[Runtime, Scripted]:
    model = Scripted([calls(("pay", {"to": "bob"})), "It was declined."])
    agent = Agent("clerk", instructions="Pay.", tools=[pay], driver=driver)
    return Runtime(App(name="shop", agents=(agent,)), model=model, store=store, directory=find_superuser), model


@BOTH
@EFFECTS
async def test_a_model_reads_why_a_tool_has_failed_once_and_nothing_is_reported_to_developers(
    effect: Effect, driver: AgentDriver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    ran = list[str]()
    runtime, model = shop(declined(ran, effect), driver=driver)
    done = await runtime.run("pay bob", by=superuser())
    assert (done.value(), ran, last_reply(model)) == ("It was declined.", ["bob"], REPLY)
    assert (await runtime.replay(done.run)).is_identical
    assert (ran, caplog.records) == (["bob"] * (2 if effect is Effect.COMPOSED else 1), [])


@EFFECTS
async def test_a_view_and_the_receipt_say_that_it_failed_and_not_that_it_may_have_happened(effect: Effect) -> None:
    runtime, _ = shop(declined([], effect))
    done = await runtime.run("pay bob", by=superuser())
    view = RunView.of(await runtime.store.read(done.run))
    pay = next(call for call in view.calls.values() if call.tool == "pay")
    attempts = [] if effect is Effect.COMPOSED else ["error"]
    assert (pay.state, [each.outcome for each in pay.attempts]) == ("failed", attempts)
    assert view.first_failure is not None
    assert (view.first_failure.code, view.first_failure.message) == ("TOOL_FAILED", REASON)
    failed = [] if effect in (Effect.PURE, Effect.COMPOSED) else [REASON]
    assert [each.error.message for each in done.receipt.failed if each.error] == failed
    assert not done.receipt.unknown


@pytest.mark.parametrize("after", [False, True], ids=["lost", "stored"])
@pytest.mark.parametrize("effect", [Effect.KEYED, Effect.UNSAFE, Effect.IDEMPOTENT], ids=lambda effect: effect.value)
async def test_once_its_answer_is_stored_it_does_not_run_again_after_a_crash(effect: Effect, *, after: bool) -> None:
    for append in range(1, 20):
        clock, ran = Clock(), list[str]()
        store = Mortal(clock)
        store.die_at(append, after=after)
        try:
            await shop(declined(ran, effect), store)[0].run("pay bob", by=superuser(), idempotency_key="go")
        except Crash:
            store.revive()
            clock.now += 1_000
        else:
            return
        stored = [item for row in await store.list_runs() for item in await items_of(store, row.run)]
        before, kinds = len(ran), {item.kind for item in stored}
        again, model = shop(declined(ran, effect), store)
        result = await again.run("pay bob", by=superuser(), idempotency_key="go")
        if AttemptEnded.kind in kinds:
            assert (len(ran), result.status) == (before, "done")
            assert not model.requests or last_reply(model) == REPLY
        elif effect is Effect.UNSAFE and AttemptStarted.kind in kinds:
            assert result.status == "waiting", "without its answer, a person says what became of it"
        else:
            assert (ran[before:], last_reply(model)) == (["bob"], REPLY)
    pytest.fail("the run has never come to its end")


async def test_a_caller_in_python_gets_the_reason_and_the_details() -> None:
    runtime = Runtime(App(name="shop", tools=(pay := declined([], Effect.KEYED),)))
    with pytest.raises(ToolFailed, match=f"^{REASON}$") as raised:
        (await runtime.call(pay, superuser(), "bob")).value()
    assert raised.value.details == {"bank": 51}


async def test_a_tool_of_a_json_schema_fails_on_record_too() -> None:
    async def fetch(_arguments: dict[str, Any]) -> object:
        raise ToolFailed("no such page: /about")

    pay = Tool.from_schema("pay", "Pay.", {"type": "object"}, fetch, effect=Effect.UNSAFE)
    runtime, model = shop(pay)
    await runtime.run("go", by=superuser())
    assert last_reply(model) == {"success": False, "error": "no such page: /about", "errorCode": "TOOL_FAILED"}


@EFFECTS
@pytest.mark.parametrize("together", [[REASON], [REASON, "no funds"]], ids=["one", "two"])
async def test_the_answer_of_a_task_of_a_group_is_that_of_the_tool(
    effect: Effect, together: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)

    async def fail(reason: str) -> None:
        raise ToolFailed(reason, details={"bank": 51})

    async def pay(ctx: LeafContext, to: str) -> str:
        """Pay."""
        assert ctx.key
        return await pay_together(to)

    async def pay_with_calls(ctx: Context, to: str) -> str:
        """Pay."""
        ctx.emit("paying")
        return await pay_together(to)

    async def pay_together(to: str) -> str:
        async with asyncio.TaskGroup() as group, asyncio.TaskGroup() as within:
            for reason in together:
                within.create_task(fail(reason))
            group.create_task(asyncio.sleep(9))
        return to

    made: Tool[..., Any] = tool(effect=effect, name="pay")(pay_with_calls if effect is Effect.COMPOSED else pay)
    runtime, model = shop(with_recommended_layers(made))
    done = await runtime.run("pay bob", by=superuser())
    assert (done.value(), last_reply(model), caplog.records) == ("It was declined.", REPLY, [])
    assert (await runtime.replay(done.run)).is_identical


async def test_a_group_in_which_another_exception_was_raised_too_is_a_failure_of_the_tool() -> None:
    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay."""
        raise ExceptionGroup("both", [ToolFailed(REASON), KeyError(to)])

    runtime, model = shop(pay)
    await runtime.run("pay bob", by=superuser())
    assert last_reply(model)["errorCode"] == "INTERNAL_ERROR"


async def test_an_answer_whose_details_cannot_be_written_keeps_its_reason() -> None:
    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay."""
        details: dict[str, object] = {"to": to}
        raise ToolFailed(REASON, details={**details, "again": details, "of": details.setdefault("self", details)})

    runtime, model = shop(pay)
    await runtime.run("pay bob", by=superuser())
    assert (last_reply(model)["error"], last_reply(model)["errorCode"]) == (REASON, "TOOL_FAILED")
