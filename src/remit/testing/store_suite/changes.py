"""The index of changes: a watcher gets each changed row exactly once, wherever it continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from remit.errors import RequestError
from remit.journal.changes import ChangePage, Place, parse_place
from remit.journal.conversation_row import ConversationKey, ConversationRow
from remit.journal.ports import QuestionRow, Store
from remit.record.items import DETACHED as _DIRECT_CALL
from remit.record.items import RunFinished, RunSuspended
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import Clock, begin, question, question_item, start_item, yes

_TALK = ConversationKey("default", "app", "talk")


async def now(store: Store, tenant: str = "default") -> Place:
    return (await store.read_changes(tenant, None, 100)).place


async def changes(store: Store, place: Place, tenant: str = "default") -> list[tuple[str, str]]:
    return describe(await store.read_changes(tenant, place, 100))


def describe(page: ChangePage) -> list[tuple[str, str]]:
    """The ids of rows and their states."""
    return [description(each.row) for each in page.changes]


def description(row: Any) -> tuple[str, str]:
    if isinstance(row, QuestionRow):
        return row.question.id, row.status
    if isinstance(row, ConversationRow):
        return row.conversation, row.title
    return row.run, row.status


async def test_a_row_that_has_changed_comes_once_as_it_is_now(store: Store) -> None:
    start = await now(store)
    assert await changes(store, start) == []
    run = await begin(store)
    assert await changes(store, start) == [("run", "running")]
    between = await now(store)
    await run.append(question_item(question()))
    await run.append(RunSuspended(call="run", questions=("q1",)))
    assert await changes(store, between) == [("q1", "open"), ("run", "waiting")]
    await store.decide(yes())
    assert await changes(store, between) == [("run", "waiting"), ("q1", "approved")]
    assert await changes(store, await now(store)) == []


async def test_a_lease_and_items_that_change_no_row_are_no_change(store: Store) -> None:
    run = await begin(store)
    place = await now(store)
    await store.renew("run", run.epoch, 10.0)
    await run.append(start_item())
    await store.release("run", run.epoch)
    assert await changes(store, place) == []


async def test_the_use_of_a_decision_and_the_end_of_its_run_are_changes(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    place = await now(store)
    await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))
    assert await changes(store, place) == [("q1", "taken")]
    place = await now(store)
    await run.append(RunFinished(call="run", status="done"))
    assert await changes(store, place) == [("run", "done")]


async def test_a_conversation_changes_with_its_runs_its_title_and_its_shares(store: Store) -> None:
    place = await now(store)
    run = await begin(store, conversation="talk")
    await begin(store, "direct", conversation="talk", after=_DIRECT_CALL)
    assert await changes(store, place) == [("talk", "about"), ("run", "running"), ("direct", "running")]
    place = await now(store)
    await store.change_conversation(_TALK, title="Pages")
    assert await changes(store, place) == [("talk", "Pages")]
    place = await now(store)
    await run.append(RunFinished(call="run", status="done"))
    await begin(store, "next", conversation="talk", after="run")
    assert await changes(store, place) == [("run", "done"), ("talk", "Pages"), ("next", "running")]


async def test_what_was_erased_or_deleted_is_left_out(store: Store) -> None:
    place = await now(store)
    run = await begin(store, conversation="talk")
    await run.append(question_item(question()))
    await run.append(RunFinished(call="run", status="done"))
    await store.change_conversation(_TALK, deletion="begun")
    await store.erase("run", [0])
    assert await changes(store, place) == [("q1", "open")]
    await store.erase("run", [1])
    assert await changes(store, place) == [("q1", "erased")]


async def test_the_first_message_of_a_conversation_is_erased_with_its_header(store: Store) -> None:
    await begin(store, conversation="talk")
    place = await now(store)
    await store.erase("run", [0])
    assert await changes(store, place) == [("talk", "")]


async def test_changes_of_another_tenant_do_not_come(store: Store) -> None:
    place = await now(store, "another")
    run = await begin(store, conversation="talk")
    await run.append(question_item(question()))
    assert await changes(store, place, "another") == []


async def test_a_question_changes_when_it_expires_and_once_only(store: Store, clock: Clock) -> None:
    run = await begin(store)
    place = await now(store)
    await run.append(question_item(question(expires=1010.0)), question_item(question("q2", expires=1030.0)))
    page = await store.read_changes("default", place, 100)
    assert (describe(page), page.expires_in) == ([("q1", "open"), ("q2", "open")], 10.0)
    clock.pass_by(10.0)
    expired = await store.read_changes("default", page.place, 100)
    assert (describe(expired), expired.expires_in) == ([("q1", "expired")], 20.0)
    assert await changes(store, expired.place) == []
    assert await changes(store, place) == [("q1", "expired"), ("q2", "open")]
    clock.pass_by(-5.0)
    backwards = await store.read_changes("default", expired.place, 100)
    clock.pass_by(10.0)
    assert (describe(backwards), await changes(store, backwards.place)) == ([], [])


async def test_a_question_that_is_asked_anew_or_decided_in_time_does_not_expire(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010.0)))
    place = await now(store)
    await store.decide(yes())
    clock.pass_by(20.0)
    page = await store.read_changes("default", place, 100)
    assert (describe(page), page.expires_in) == ([("q1", "approved")], float("inf"))


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_pages_and_readers_that_go_on_anywhere_miss_nothing_and_get_nothing_twice(
    store: Store, clock: Clock, limit: int
) -> None:
    early = await begin(store, "early")
    await early.append(*(question_item(question(name, expires=1010.0)) for name in ("old", "other")))
    start = await now(store)
    for name in ("B", "a", "ä", "z/:"):
        run = await begin(store, name, conversation=f"talk {name}")
        await run.append(question_item(question(f"q {name}", run=name, expires=5000.0)))
    clock.pass_by(10.0)
    whole = await store.read_changes("default", start, 1000)
    assert (len(whole.changes), whole.is_last) == (14, True)
    assert sorted(set(describe(whole))) == sorted(describe(whole))
    for first in (start, *(each.place for each in whole.changes)):
        expected = [] if first is start else describe(whole)[: describe(whole).index(_last(whole, first)) + 1]
        place, found = parse_place(str(first)), expected
        while place is not None:
            page = await store.read_changes("default", place, limit)
            assert len(page.changes) <= limit
            found += describe(page)
            place = None if page.is_last else parse_place(str(page.place))
        assert found == describe(whole)


def _last(page: ChangePage, place: Place) -> tuple[str, str]:
    return next(description(each.row) for each in page.changes if each.place == place)


async def test_changes_after_a_reader_left_in_the_middle_of_others_come_too(store: Store) -> None:
    start = await now(store)
    for name in ("a", "b", "c"):
        await begin(store, name)
    page = await store.read_changes("default", start, 100)
    run = await begin(store, "d")
    await run.append(RunFinished(call="d", status="done"))
    found: Sequence[tuple[str, str]] = []
    place, is_last = page.changes[0].place, False
    while not is_last:
        page = await store.read_changes("default", place, 100)
        found, place, is_last = [*found, *describe(page)], page.place, page.is_last
    assert found == [("b", "running"), ("c", "running"), ("d", "done")]


async def test_each_change_wakes_those_who_watch(store: Store) -> None:
    with store.watch_changes() as changed, store.watch_changes() as second:
        await begin(store)
        await changed.wait()
        await second.wait()


@pytest.mark.parametrize(
    "text",
    [
        *("x", "/", "1:1::1.0/", "1:1::nan", "2:1::1.0", "1:2:5:1.0", "1:1:", "1:1::1.0/1:1::1.0", "1:2:x:0.0"),
        *("1:1::1.0/1:1::1.0/0:1:7:a", "1:1::1.0/1:1::1.0/1:inf:1:a", f"{2**63}:{2**63}::1.0", "-1:1::1.0"),
    ],
)
async def test_a_place_that_no_reader_was_given_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match=r"^after is '.+'; give the after of an event, or none to watch from now$"):
        parse_place(text)


async def test_a_place_in_the_future_is_refused(store: Store) -> None:
    far = f"{2**60}:{2**60}::1.0"
    for text in (far, f"1:1::1.0/{far}/0:1:1:a"):
        with pytest.raises(RequestError, match=r"watch from now$"):
            await store.read_changes("default", parse_place(text), 100)
