"""A decision that is sent again with its idempotency key gives the same answer, and never a second one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, Principal, Risk, Runtime
from remit.errors import IdempotencyError, RequestConflictError, RequestError
from remit.record.items import RunOpened
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from tests.runtime.announcing import ANNOUNCE, Desk
from tests.runtime.kit import World, items_of, runtime_of

ADA = Principal("ada", "bakery", frozenset({"approvals:decide"}))
BOB = Principal("bob", "bakery", frozenset({"approvals:decide"}))


def erasing(store: Store, app: str = "test") -> Runtime:
    world = World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    return runtime_of(Scripted([]), erase, store=store, app=app, directory=None)


async def ask(runtime: Runtime, text: str = "about", by: Principal = ADA) -> str:
    (question,) = (await runtime.client(by).call("erase", {"text": text})).questions
    return question


async def test_a_decision_that_is_sent_again_gives_the_same_answer(store: Store) -> None:
    runtime = erasing(store)
    question = await ask(runtime)
    yes: dict[str, Any] = {"approved": True, "reason": "stale", "arguments": '{"text":"home"}', "idempotency_key": "r1"}
    client = runtime.client(BOB)
    assert [await client.decide(question, **yes) for _ in range(2)] == [None, None]
    row = await client.question(question)
    assert row.decision is not None
    assert (await runtime.resume(row.question.run)).value() == "wrote home"
    assert await client.decide(question, **yes) is None
    assert (await client.question(question)).decision == row.decision
    with pytest.raises(RequestConflictError, match="already approved by bob"):
        await client.decide(question, approved=True)


async def test_a_key_with_which_something_else_was_decided_is_refused(store: Store) -> None:
    runtime = erasing(store)
    question, other = await ask(runtime), await ask(runtime, "home")
    client = runtime.client(BOB)
    await client.decide(question, approved=True, idempotency_key="r1")
    changes: tuple[dict[str, Any], ...] = ({"approved": False}, {"approved": True, "reason": "why"})
    for change in changes:
        with pytest.raises(IdempotencyError, match=f"used for another decision on question {question}; use a new key"):
            await client.decide(question, idempotency_key="r1", **change)
    with pytest.raises(IdempotencyError, match=f"the idempotency key was used to decide question {question}"):
        await client.decide(other, approved=True, idempotency_key="r1")
    assert (await client.question(other)).status == "open"


async def test_keys_of_decisions_are_apart_by_principal_and_application(store: Store) -> None:
    runtime, elsewhere = erasing(store), erasing(store, "elsewhere")
    for approver, asking in ((ADA, runtime), (BOB, runtime), (ADA, elsewhere)):
        question = await ask(asking, approver.name)
        await asking.client(approver).decide(question, approved=True, idempotency_key="r1")
        assert (await asking.client(approver).question(question)).status == "approved"


async def test_another_principal_with_the_same_key_does_not_repeat_a_decision(store: Store) -> None:
    runtime = erasing(store)
    question = await ask(runtime)
    await runtime.client(ADA).decide(question, approved=True, idempotency_key="r1")
    with pytest.raises(RequestConflictError, match="already approved by ada"):
        await runtime.client(BOB).decide(question, approved=True, idempotency_key="r1")


async def test_who_may_no_longer_decide_does_not_repeat_a_decision_either(store: Store) -> None:
    runtime = erasing(store)
    question = await ask(runtime)
    await runtime.client(BOB).decide(question, approved=True, idempotency_key="r1")
    with pytest.raises(RequestError, match="does not exist"):
        await runtime.client(Principal("bob", "bakery")).decide(question, approved=True, idempotency_key="r1")


async def test_a_key_that_cannot_be_one_is_refused(store: Store) -> None:
    runtime = erasing(store)
    question = await ask(runtime)
    with pytest.raises(RequestError, match="idempotency_key is 4,001 bytes long; at most 4,000"):
        await runtime.client(BOB).decide(question, approved=True, idempotency_key="k" * 4001)


@pytest.mark.every_store
async def test_of_many_that_decide_at_once_with_one_key_all_get_the_one_answer(store: Store) -> None:
    runtimes = [erasing(store) for _ in range(4)]
    question = await ask(runtimes[0])
    deciding = [each.client(BOB).decide(question, approved=True, idempotency_key="r1") for each in runtimes * 3]
    assert await asyncio.gather(*deciding) == [None] * 12
    opposite = [each.client(BOB).decide(question, approved=False, idempotency_key="r1") for each in runtimes]
    errors = await asyncio.gather(*opposite, return_exceptions=True)
    assert {type(each) for each in errors} == {IdempotencyError}


@pytest.mark.every_store
async def test_the_run_that_a_yes_to_an_announced_call_opens_is_opened_once(store: Store) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", store=store)
    await desk.say()
    question = (await desk.question()).id
    runs = await asyncio.gather(*(desk.decide(question, idempotency_key="r1") for _ in range(8)))
    assert len({*runs}) == 1
    run = str(runs[0])
    assert isinstance((await items_of(store, run))[0], RunOpened)
    assert (await desk.runtime.resume(run)).value() == "Gone."
    assert await desk.decide(question, idempotency_key="r1") == run
    assert (desk.dropped, len(await store.list_runs())) == (["about"], 2)


async def test_one_key_does_not_open_the_runs_of_two_announced_calls() -> None:
    store = InMemoryStore()
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", calls(("drop", {"page": "home"})), "Shall I?", store=store)
    await desk.say()
    await desk.runtime.resume(str(await desk.decide(idempotency_key="r1")))
    await desk.say("drop home")
    other = next(row.question.id for row in await store.list_questions())
    with pytest.raises(IdempotencyError, match="the idempotency key was used to decide question"):
        await desk.decide(other, idempotency_key="r1")
    assert len(await store.list_runs()) == 3
