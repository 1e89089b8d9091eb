"""A person who loses the right to the agent that took over a conversation goes on with the one before it."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Effect, Principal, Runtime
from remit.call.facts import Facts
from remit.inventory import EnabledGate
from remit.record.items import RunOpened
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from tests.agent.team import TO_WRITER, system
from tests.runtime.kit import items_of

EXPERIMENT = "tools:experiment"


def team(model: Scripted, front: dict[str, Any] | None = None, **writer: Any) -> Runtime:
    agents = (
        Agent(
            "front", instructions="You ask.", handoffs=["writer"], facts=Facts(effect=Effect.COMPOSED, **(front or {}))
        ),
        Agent("writer", instructions="You write.", facts=Facts(effect=Effect.COMPOSED, **writer)),
    )
    return Runtime(App(name="desk", agents=agents), model=model)


def ada(*permissions: str) -> Principal:
    return Principal("ada", permissions=frozenset(permissions))


async def passed_over(runtime: Runtime, run: str) -> str:
    (header,) = [each for each in await items_of(runtime.store, run) if isinstance(each, RunOpened)]
    return header.passed_over


@pytest.mark.parametrize(
    ("known", "right", "reason"),
    [
        ({"permissions": {"a:b"}}, "a:b", "ada may not call writer: missing permission a:b"),
        (
            {"visibility": "experimental"},
            EXPERIMENT,
            "writer is experimental: ada needs the permission tools:experiment",
        ),
    ],
)
async def test_a_conversation_goes_on_with_the_agent_before_the_one_that_its_person_may_no_longer_call(
    known: dict[str, Any], right: str, reason: str
) -> None:
    model = Scripted([calls(TO_WRITER), "one", "two", "three", "four"])
    runtime = team(model, **known)
    await runtime.run("go", by=ada(right), conversation="c")
    kept = await runtime.run("and?", by=ada(right), conversation="c")
    assert (kept.value(), system(model), await passed_over(runtime, kept.run)) == ("two", "You write.", "")
    lost = await runtime.run("Thank you!", by=ada(), conversation="c")
    assert (lost.value(), system(model), await passed_over(runtime, lost.run)) == ("three", "You ask.", reason)
    later = await runtime.run("Thank you!", by=ada(right), conversation="c")
    assert (later.value(), system(model), await passed_over(runtime, later.run)) == ("four", "You ask.", "")
    assert (await runtime.replay(lost.run)).difference == ""


async def test_a_conversation_goes_on_with_the_agent_before_one_that_was_disabled() -> None:
    model = Scripted([calls(TO_WRITER), "one", "two"])
    store = InMemoryStore()
    front = Agent("front", instructions="You ask.", handoffs=["writer"])
    writer = Agent("writer", instructions="You write.")
    for each in (writer, writer.layer_around(EnabledGate(enabled=False))):
        runtime = Runtime(App(name="desk", agents=(front, each)), model=model, store=store)
        last = await runtime.run("go", by=ada(), conversation="c")
    assert (last.value(), system(model)) == ("two", "You ask.")
    assert await passed_over(runtime, last.run) == "writer is disabled; it was declared `enabled: false`"


async def test_a_right_that_holds_for_the_target_of_a_conversation_is_not_lost() -> None:
    model = Scripted([calls(TO_WRITER), "one", "two"])
    runtime = team(model, permissions={"a:b"})
    by = ada("a:b@bakery")
    await runtime.run("go", by=by, conversation="c", target="bakery")
    result = await runtime.run("go", by=by, conversation="c", target="bakery")
    assert (system(model), await passed_over(runtime, result.run)) == ("You write.", "")


async def test_a_person_who_may_call_no_agent_of_a_conversation_is_refused() -> None:
    model = Scripted([calls(TO_WRITER), "one"])
    runtime = team(model, front={"permissions": {"c:d"}}, permissions={"a:b"})
    await runtime.run("go", by=ada("a:b", "c:d"), conversation="c")
    refused = await runtime.run("Thank you!", by=ada(), conversation="c")
    assert refused.reply is not None
    assert "ada may not call front: missing permission c:d" in refused.reply.content
    assert await passed_over(runtime, refused.run) == (
        "ada may not call writer: missing permission a:b; ada may not call front: missing permission c:d"
    )


async def test_a_repeated_request_goes_to_its_agent_also_without_the_right() -> None:
    model = Scripted([calls(TO_WRITER), "one", "two"])
    runtime = team(model, permissions={"a:b"})
    await runtime.run("go", by=ada("a:b"), conversation="c")
    first = await runtime.run("and?", by=ada("a:b"), conversation="c", idempotency_key="k")
    again = await runtime.run("and?", by=ada(), conversation="c", idempotency_key="k")
    assert (again.run, again.value()) == (first.run, "two")


async def test_a_reason_names_the_target_of_the_conversation() -> None:
    model = Scripted([calls(TO_WRITER), "one", "two"])
    runtime = team(model, permissions={"a:b"})
    await runtime.run("go", by=ada("a:b@bakery"), conversation="c", target="bakery")
    result = await runtime.run("go", by=ada("a:b@mill"), conversation="c")
    assert await passed_over(runtime, result.run) == (
        "ada may not call writer: missing permission a:b for the target bakery"
    )


async def test_an_agent_that_the_caller_names_is_not_passed_over() -> None:
    model = Scripted([calls(TO_WRITER), "one"])
    runtime = team(model, permissions={"a:b"})
    await runtime.run("go", by=ada("a:b"), conversation="c")
    refused = await runtime.run("Thank you!", by=ada(), conversation="c", agent="writer")
    assert refused.status == "failed"
