"""Due runs: a store finds each run that can continue, however old, and no other; conversations do not use clocks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from remit.errors import RequestError
from remit.journal.ports import Store
from remit.record.items import DETACHED as _DIRECT_CALL
from remit.record.items import Item, RunFinished, RunResumed, RunSuspended
from remit.testing.store_suite.samples import (
    Clock,
    Run,
    acquire_run,
    begin,
    header_item,
    question,
    question_item,
    yes,
)


async def leave_run(store: Store, name: str, *items: Item, conversation: str = "", after: str = "") -> Run:
    """A run that no executor holds."""
    run = await begin(store, name, conversation=conversation, after=after)
    if items:
        await run.append(*items)
    await store.release(name, run.epoch)
    return run


async def due_runs(store: Store) -> list[str]:
    return await store.list_due_runs("app")


def suspension(run: str, *questions: str) -> RunSuspended:
    return RunSuspended(call=run, questions=questions)


async def test_a_running_run_is_due_once_no_executor_holds_it(store: Store, clock: Clock) -> None:
    held = (await store.acquire("held", "driver", 10.0)).epoch
    await Run(store, "held", held).append(header_item("held"))
    await leave_run(store, "free")
    await begin(store, "busy")
    assert await due_runs(store) == ["free"]
    clock.pass_by(10)
    assert sorted(await due_runs(store)) == ["free", "held"]


async def test_a_run_is_held_until_its_lease_is_released_or_expires(store: Store, clock: Clock) -> None:
    assert not await store.is_held("run")
    epoch = (await store.acquire("run", "driver", 10.0)).epoch
    assert (await store.is_held("run"), await store.is_held("another")) == (True, False)
    clock.pass_by(10)
    assert not await store.is_held("run")
    await store.renew("run", epoch, 10.0)
    assert await store.is_held("run")
    await store.release("run", epoch)
    assert not await store.is_held("run")


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
async def test_a_run_that_has_ended_is_never_due(store: Store, status: str) -> None:
    run = await begin(store)
    await run.append(RunFinished(call="run", status=status))  # pyright: ignore[reportArgumentType]
    assert await due_runs(store) == []


async def test_a_run_that_is_leased_but_not_opened_is_not_due(store: Store, clock: Clock) -> None:
    await store.acquire("run", "driver", 10.0)
    clock.pass_by(10)
    assert await due_runs(store) == []


async def test_a_waiting_run_is_due_when_the_first_of_its_questions_expires(store: Store, clock: Clock) -> None:
    asked = (question("q1", expires=1050), question("q2", expires=1020))
    await leave_run(store, "run", *map(question_item, asked), suspension("run", "q1", "q2"))
    clock.now = 1019
    assert await due_runs(store) == []
    clock.now = 1020
    assert await due_runs(store) == ["run"]


async def test_a_waiting_run_is_due_as_soon_as_one_of_its_questions_is_decided(store: Store) -> None:
    asked = (question("q1"), question("q2"))
    await leave_run(store, "run", *map(question_item, asked), suspension("run", "q1", "q2"))
    await store.decide(yes("q2"))
    assert await due_runs(store) == ["run"]


async def test_a_run_that_comes_to_wait_for_a_decided_question_is_due_at_once(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.append(suspension("run", "q1"))
    await store.release("run", run.epoch)
    assert await due_runs(store) == ["run"]


async def test_a_decision_makes_every_run_due_that_waits_for_its_question_and_no_other(store: Store) -> None:
    asked = question(run="asks", conversation="talk")
    await leave_run(store, "asks", question_item(asked), suspension("asks", "q1"), conversation="talk")
    shared = question_item(asked, call="another")
    await leave_run(store, "shares", shared, suspension("shares", "q1"), conversation="talk", after=_DIRECT_CALL)
    own = question("q2", run="alone", conversation="talk")
    await leave_run(
        store, "alone", question_item(own), suspension("alone", "q2"), conversation="talk", after=_DIRECT_CALL
    )
    await store.decide(yes("q1"))
    assert sorted(await due_runs(store)) == ["asks", "shares"]


async def test_a_waiting_run_is_due_when_it_is_to_be_cancelled(store: Store) -> None:
    await leave_run(store, "run", question_item(question()), suspension("run", "q1"))
    await store.request_cancel("run", "ada")
    assert await due_runs(store) == ["run"]


async def test_a_waiting_run_is_due_when_the_run_that_asked_is_cancelled(store: Store) -> None:
    asks = await begin(store, "asks", conversation="talk")
    asked = question(run="asks", conversation="talk")
    await asks.append(question_item(asked))
    shared = question_item(asked, call="another")
    await leave_run(store, "shares", shared, suspension("shares", "q1"), conversation="talk", after=_DIRECT_CALL)
    assert await due_runs(store) == []
    await asks.append(RunFinished(call="asks", status="cancelled"))
    assert await due_runs(store) == ["shares"]


async def test_a_waiting_run_is_due_when_its_question_is_erased(store: Store) -> None:
    await leave_run(store, "run", question_item(question()), suspension("run", "q1"))
    await store.erase("run", [1])
    assert await due_runs(store) == ["run"]


async def test_a_waiting_run_that_is_resumed_is_running_and_due_when_its_executor_dies(
    store: Store, clock: Clock
) -> None:
    run = await leave_run(store, "run", question_item(question(expires=9e9)), suspension("run", "q1"))
    run.epoch = (await store.acquire("run", "driver", 10.0)).epoch
    await run.append(RunResumed(call="run", driver="driver"))
    assert await due_runs(store) == []
    clock.pass_by(10)
    assert await due_runs(store) == ["run"]


async def test_a_postponed_run_is_due_when_its_time_has_come(store: Store, clock: Clock) -> None:
    await leave_run(store, "run")
    await store.postpone("run", 60.0)
    await store.postpone("unknown", 60.0)
    clock.pass_by(59)
    assert await due_runs(store) == []
    clock.pass_by(1)
    assert await due_runs(store) == ["run"]


async def test_a_decision_makes_a_postponed_run_due_at_once(store: Store) -> None:
    await leave_run(store, "run", question_item(question()), suspension("run", "q1"))
    await store.postpone("run", 1e6)
    await store.decide(yes())
    assert await due_runs(store) == ["run"]


async def test_the_longest_due_runs_come_first_up_to_the_limit(store: Store, clock: Clock) -> None:
    for name, expires in (("second", 1020.0), ("third", 1030.0), ("first", 1010.0)):
        asked = question(f"of {name}", run=name, expires=expires)
        await leave_run(store, name, question_item(asked), suspension(name, asked.id))
    clock.now = 1040
    assert await due_runs(store) == ["first", "second", "third"]
    assert await store.list_due_runs("app", limit=2) == ["first", "second"]


async def test_runs_of_another_application_are_not_listed_as_due(store: Store) -> None:
    run = await acquire_run(store)
    await run.append(replace(header_item(), application="other"))
    await store.release("run", run.epoch)
    assert await due_runs(store) == []
    assert await store.list_due_runs("other") == ["run"]


# --- the order of a conversation --------------------------------------------------------------------------------


async def test_runs_of_a_conversation_follow_one_another_whatever_their_clocks_say(store: Store) -> None:
    after = ""
    for name, at in (("one", 1000.0), ("two", 500.0), ("three", 999.0)):
        run = await begin(store, name, conversation="talk", after=after, at=at)
        await run.append(RunFinished(call=name, status="done"), at=at)
        after = name
    latest = await store.find_latest_run("talk", tenant="default", application="app")
    assert latest is not None
    assert latest.run == "three"
    assert [row.run for row in await store.list_runs(conversation="talk")] == ["three", "two", "one"]
    late = await acquire_run(store, "late")
    with pytest.raises(RequestError, match="has continued with run three"):
        await late.append(header_item("late", conversation="talk", after="one"), at=2000)


async def test_a_conversation_without_runs_has_no_latest_run(store: Store) -> None:
    await begin(store, "call", conversation="talk", after=_DIRECT_CALL)
    assert await store.find_latest_run("talk", tenant="default", application="app") is None
    assert await store.find_latest_run("unknown", tenant="default", application="app") is None
    assert await store.find_latest_run("", tenant="default", application="app") is None
