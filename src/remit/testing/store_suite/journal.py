"""The journal: a store keeps the items of a run in order, from one executor, all or nothing."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from remit.errors import ApprovalUsedError, JournalError, LeaseError
from remit.journal.codec import ERASED_BODY
from remit.journal.ports import Store
from remit.record.items import (
    ITEM_TYPES,
    DecisionItem,
    ErasedItem,
    Item,
    Position,
    QuestionItem,
    RunFinished,
    RunOpened,
)
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import (
    acquire_run,
    begin,
    header_item,
    no,
    note,
    positions,
    question,
    question_item,
    yes,
)


def sample(kind: type[Item]) -> Item:
    """An item with unusual text in every field, except valid values in the fields that the index reads."""
    bodies: dict[type[Item], str] = {QuestionItem: question().to_json(), DecisionItem: yes().to_json()}
    values: dict[str, Any] = {name: odd(hint) for name, hint in get_type_hints(kind).items() if name != "kind"}
    values["call"] = "call"
    if "question" in values:  # its id is a column of the index, which holds no lone surrogate
        values["question"] = "q1"
    return kind(**values | ({"body": bodies[kind]} if kind in bodies else {}))


def odd(hint: Any) -> Any:
    choices = get_args(hint)
    if get_origin(hint) is Literal:
        return choices[-1]
    if type(None) in choices:
        return odd(choices[0])
    if get_origin(next(iter(choices), None)) is tuple:
        return (tuple(odd(each) if each is float else "q1" for each in get_args(choices[0])),)
    return {str: "café 🎂 \x00\r\n\ud800|", int: 2**40, float: 1e9, bool: True}.get(hint, ("q1", "q2"))


async def test_items_are_read_back_in_order_and_equal_in_every_field(store: Store) -> None:
    run = await begin(store)
    added = await run.append(note("one"), note("two"), at=1234.56789)
    assert (await store.read("run"))[1:] == added


async def test_an_item_of_every_kind_survives(store: Store) -> None:
    run = await acquire_run(store)
    items = [header_item(), *(sample(kind) for kind in ITEM_TYPES.values() if kind is not RunOpened)]
    await run.append(*items)
    assert [p.item for p in await store.read("run")] == items


async def test_reading_after_a_seq_gives_only_what_came_later(store: Store) -> None:
    run = await begin(store)
    await run.append(note("one"), note("two"), note("three"))
    assert [p.seq for p in await store.read("run", after=1)] == [2, 3]
    assert await store.read("run", after=3) == []


async def test_an_unknown_run_has_no_items(store: Store) -> None:
    assert await store.read("unknown") == []


async def test_read_returns_a_copy(store: Store) -> None:
    await begin(store)
    (await store.read("run")).clear()
    assert len(await store.read("run")) == 1


async def test_runs_do_not_mix(store: Store) -> None:
    one, two = await begin(store, "one"), await begin(store, "two")
    await two.append(note("of two"))
    await one.append(note("of one"))
    assert [p.item for p in await store.read("one", after=0)] == [note("of one")]
    assert [p.item for p in await store.read("two", after=0)] == [note("of two")]


async def test_a_run_without_a_lease_accepts_no_item(store: Store) -> None:
    with pytest.raises(LeaseError, match="run stray"):
        await store.append("stray", 1, positions("stray", [note()]))
    assert await store.read("stray") == []


@pytest.mark.parametrize("epoch", [0, 1, 3])
async def test_only_the_epoch_that_holds_may_append(store: Store, epoch: int) -> None:
    run = await begin(store)
    await store.release("run", 1)
    assert (await store.acquire("run", "second", 10)).epoch == 2
    with pytest.raises(LeaseError, match="another executor has taken over"):
        await store.append("run", epoch, positions("run", [note()], epoch=epoch, first=run.next))
    assert len(await store.read("run")) == 1


async def test_an_expired_lease_may_write_until_another_executor_takes_over(store: Store) -> None:
    """An expired lease alone does no harm, because the epoch keeps two executors apart."""
    epoch = (await store.acquire("run", "slow", 0.0)).epoch
    await store.append("run", epoch, positions("run", [header_item()]))
    assert len(await store.read("run")) == 1


@pytest.mark.parametrize("first", [0, 1, 3, 4])
async def test_items_must_follow_the_last_one(store: Store, first: int) -> None:
    run = await begin(store)
    await run.append(note())
    with pytest.raises(LeaseError):
        await store.append("run", run.epoch, positions("run", [note("late")], first=first))
    assert len(await store.read("run")) == 2


async def test_the_first_item_of_a_run_has_seq_zero(store: Store) -> None:
    run = await acquire_run(store)
    with pytest.raises(LeaseError):
        await store.append("run", run.epoch, positions("run", [header_item()], first=1))


async def test_a_gap_inside_one_append_is_refused(store: Store) -> None:
    run = await acquire_run(store)
    torn = positions("run", [header_item(), note("lost"), note("kept")])
    del torn[1]
    with pytest.raises(LeaseError):
        await store.append("run", run.epoch, torn)


async def test_a_refused_approval_stores_none_of_the_items(store: Store) -> None:
    run = await begin(store, conversation="talk")
    with pytest.raises(ApprovalUsedError):
        await run.append(
            question_item(question("q2")),
            RunFinished(call="run", status="done"),
            take=Consumption(("q1",), "run", "call"),
        )
    assert len(await store.read("run")) == 1
    assert await store.find_question("q2") is None
    row = await store.find_run("run")
    assert row is not None
    assert row.status == "running"
    await run.append(note("the run goes on at the same place"))


async def test_a_refused_append_consumes_no_approval(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    with pytest.raises(LeaseError):
        await store.append(
            "run", run.epoch + 1, positions("run", [note()], first=run.next), Consumption(("q1",), "run", "call")
        )
    row = await store.find_question("q1")
    assert row is not None
    assert row.consumed_by is None


async def test_an_item_that_cannot_be_indexed_stores_nothing(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    broken = QuestionItem(call="call", parent="root", callee="save", question="q2", body="{}")
    with pytest.raises((JournalError, ValueError), match="Question"):
        await run.append(note(), broken, take=Consumption(("q1",), "run", "call"))
    row = await store.find_question("q1")
    assert row is not None
    assert (len(await store.read("run")), row.consumed_by) == (2, None)


async def test_a_decision_on_an_unknown_question_changes_no_question(store: Store) -> None:
    run = await begin(store)
    await run.append(DecisionItem(call="call", question="unknown", body=no("unknown").to_json()))
    assert await store.list_questions(only_open=False) == []


async def test_concurrent_appends_of_many_runs_are_all_stored(store: Store) -> None:
    runs = [await begin(store, f"run{index}") for index in range(20)]
    await asyncio.gather(*(run.append(note(run.run), note("more")) for run in runs))
    for run in runs:
        assert [p.item for p in await store.read(run.run, after=0)] == [note(run.run), note("more")]


async def test_one_of_two_appends_at_the_same_seq_is_refused(store: Store) -> None:
    run = await begin(store)
    both = [positions("run", [note(name)], first=1) for name in ("one", "two")]
    outcomes = await asyncio.gather(*(store.append("run", run.epoch, each) for each in both), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [LeaseError]
    assert len(await store.read("run")) == 2


# --- erasure --------------------------------------------------------------------------------------------------


async def test_an_erased_body_is_gone_and_its_position_digest_and_chain_remain(store: Store) -> None:
    run = await begin(store)
    await run.append(note("secret"), note("kept"))
    before = await store.read("run")
    await store.erase("run", [1])
    after = await store.read("run")
    gone = before[1]
    tombstone = ErasedItem(call="call", was="note")
    assert after[1] == Position("run", 1, 1, gone.at, tombstone, ERASED_BODY, gone.digest, gone.chain)
    assert [after[0], after[2]] == [before[0], before[2]]
    assert not any("secret" in p.body for p in after)


@pytest.mark.parametrize("seqs", [[], [99]])
async def test_erasing_nothing_changes_nothing(store: Store, seqs: list[int]) -> None:
    await begin(store)
    before = await store.read("run")
    await store.erase("run", seqs)
    assert await store.read("run") == before


async def test_erasing_twice_changes_nothing(store: Store) -> None:
    await begin(store)
    await store.erase("run", [0])
    once = await store.read("run")
    await store.erase("run", [0])
    assert await store.read("run") == once


async def test_only_the_named_run_is_erased(store: Store) -> None:
    await begin(store, "one")
    await begin(store, "two")
    await store.erase("one", [0])
    assert [p.item for p in await store.read("two")] == [header_item("two")]


async def test_a_run_continues_after_erased_items(store: Store) -> None:
    run = await begin(store)
    await store.erase("run", [0])
    await run.append(note())
    assert [p.seq for p in await store.read("run")] == [0, 1]


async def test_nothing_is_erased_of_an_unknown_run(store: Store) -> None:
    await store.erase("unknown", [0])
    assert await store.read("unknown") == []
