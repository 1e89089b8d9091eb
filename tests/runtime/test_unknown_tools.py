"""No person is asked about a call of a tool that the application does not have, or no longer has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Ask, Effect, Policy, Tool, When, preset, tool
from remit.app import Env
from remit.journal.ports import Store
from remit.runtime import Runtime
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import runtime_of, tool_messages

ERASE = calls(("erase", {"text": "about"}))


def make_tool(name: str) -> Tool[..., Any]:
    @tool(name=name, effect=Effect.UNSAFE)
    async def work(text: str) -> str:
        """Work."""
        return text

    return work


def office(store: Store, name: str) -> Runtime:
    """An agent with a tool of that name, whose model calls ``erase``. A person is asked about every call of a tool."""
    policy = Policy(When("each call", lambda call: call.callee.name != "agent", Ask(reason="look first")))
    return runtime_of(Scripted([ERASE, "done"]), make_tool(name), store=store, layers=preset(Env(), policy=policy))


async def test_a_name_that_a_model_invents_is_refused_at_once(store: Store) -> None:
    runtime = office(store, "erased")
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.questions) == ("done", ())
    reply = json.loads((await tool_messages(runtime, result.run))[0])
    assert (reply["errorCode"], reply["error"]) == ("UNKNOWN_TOOL", "there is no tool 'erase'; similar: erased")
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize("is_approved", [True, False])
async def test_a_tool_that_was_renamed_while_its_question_was_open_is_not_asked_about_again(
    store: Store, is_approved: bool
) -> None:
    before = office(store, "erase")
    waiting = await before.run("go", by=superuser())
    assert waiting.status == "waiting"
    if is_approved:
        await before.decide(waiting.questions[0], approved=True, by=superuser(name="bob"))
    after = office(store, "wipe")
    after.add_principals(superuser())
    result = await after.resume(waiting.run)
    reply = json.loads((await tool_messages(after, result.run))[0])
    assert (result.status, reply["errorCode"]) == ("done", "UNKNOWN_TOOL")
    assert len(await store.list_questions(only_open=False)) == 1
