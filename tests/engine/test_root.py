"""When a run makes its root call: in its turn, with its rights and terms; and what of it is ended or compared."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Block, Effect, Policy, Principal, Risk, Runtime, When
from remit.items import ToolOutput
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import World, items_of, runtime_of

ADA, BOB = Principal("ada", permissions=frozenset({"approvals:decide"})), Principal("bob")
ERASE = calls(("erase", {"text": "about"}))
MORE = Policy(When("never", lambda call: call.callee.name == "nothing", Block(reason="never")))


def runtime_for(store: InMemoryStore, *script: Any, **options: Any) -> Runtime:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted(list(script)), erase, store=store, directory=None, **options)
    runtime.add_principals(ADA, BOB)
    return runtime


async def test_a_message_that_waits_for_its_turn_can_be_cancelled() -> None:
    runtime = runtime_for(InMemoryStore(), ERASE)
    await runtime.run("one", by=ADA, conversation="talk")
    queued = await runtime.submit("two", by=ADA, conversation="talk", when_busy="queue")
    result = await runtime.cancel(queued, by=ADA)
    assert result is not None
    assert result.status == "cancelled"


async def test_a_run_that_has_begun_goes_on_though_its_conversation_is_shared_no_more() -> None:
    runtime = runtime_for(InMemoryStore(), "hello", ERASE, "erased")
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    await ada.run("hello", conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    waiting = await bob.run("go", conversation="talk")
    await ada.unshare_conversation("talk", "bob")
    await ada.decide(waiting.questions[0], approved=True)
    assert (await runtime.resume(waiting.run)).value() == "erased"


@pytest.mark.parametrize(
    ("policy", "conversation"),
    [(None, "talk"), (None, ""), (MORE, "")],
    ids=["in a conversation", "alone", "under more terms"],
)
async def test_the_open_calls_of_a_cancelled_run_are_ended_even_where_terms_are_missing(
    policy: Policy | None, conversation: str
) -> None:
    store = InMemoryStore()
    waiting = await runtime_for(store, ERASE, policy=policy).run("go", by=ADA, conversation=conversation)
    result = await runtime_for(store).cancel(waiting.run, by=ADA)
    assert result is not None
    assert result.status == "cancelled"
    outputs = [item for item in await items_of(store, waiting.run) if isinstance(item, ToolOutput)]
    assert "erase" in [item.callee for item in outputs]


async def test_a_run_that_lacks_terms_is_cancelled_after_it_came_to_rest_for_them() -> None:
    store = InMemoryStore()
    waiting = await runtime_for(store, ERASE, policy=MORE).run("go", by=ADA)
    await runtime_for(store).client(ADA).decide(waiting.questions[0], approved=True)
    assert (await runtime_for(store).resume(waiting.run)).status == "stalled"
    result = await runtime_for(store).cancel(waiting.run, by=ADA)
    assert result is not None
    assert result.status == "cancelled"


async def test_a_cancelled_run_that_had_begun_is_compared_in_a_replay_and_one_that_had_not_has_nothing() -> None:
    store = InMemoryStore()
    runtime = runtime_for(store, ERASE)
    waiting = await runtime.run("go", by=ADA)
    await runtime.cancel(waiting.run, by=ADA)
    assert (await runtime.replay(waiting.run)).is_identical
    assert not (await runtime_for(store, instructions="Work otherwise.").replay(waiting.run)).is_identical
    submitted = await runtime.submit("go", by=superuser())
    report = await runtime.replay(submitted)
    assert (report.is_identical, report.compared_count) == (True, 0)
