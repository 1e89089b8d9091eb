"""Tool requests: a tool is asked for by name in a session, under all its policies, and each step is recorded once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from apps.casefile.tests.desk import COMPLETED, FAILED, RECEIVED, SENT, STARTED, Desk, code_of, said_by
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import Clock, rows
from remit import Principal
from remit.items import CallReceived
from remit_casefile.app import CasefileApplication
from remit_casefile.sessions.requests import NESTED_REQUEST_TOOLS
from remit_casefile.storage.database import Database
from tests.runtime.kit import Clock as Seconds
from tests.runtime.kit import Crash, Mortal


@pytest.fixture
def location(sqlite_location: Path) -> Path | str:
    """What these tests check does not depend on the kind of database."""
    return sqlite_location


TITLE = {"title": "Smith"}
COUNTED = {"casefiles": 1, "events": 5}
WELL = [RECEIVED, STARTED, COMPLETED, SENT]
BADLY = [RECEIVED, STARTED, FAILED, SENT]


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database)


async def test_a_tool_runs_as_its_user_and_what_it_gave_is_the_result(desk: Desk) -> None:
    session = await desk.session()
    done = json.loads((await desk.ask(session, "create_casefile", TITLE)).text)
    assert (done["result"]["title"], done["result"]["created_by"]) == ("Smith", "ann")
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}
    events = await desk.events(session)
    assert [event.id for event in events] == done["events"]
    assert {(event.chain_id, event.tool_name) for event in events} == {(done["session_request_id"], "create_casefile")}


async def test_four_events_tell_of_a_request_in_order_with_their_chain_and_who_asked(desk: Desk) -> None:
    session = await desk.session()
    done = json.loads((await desk.ask(session, "create_casefile", TITLE, prompt="a file for Smith")).text)
    events = await desk.events(session)
    assert [event.event_type for event in events] == WELL
    assert [event.status for event in events] == ["received", "running", "completed", "completed"]
    assert [event.chain_position for event in events] == [0, 1, 3, 4], "the casefile's own event stands between"
    assert {event.chain_id for event in events} == {done["session_request_id"]}
    assert {(event.tool_name, event.initiator) for event in events} == {("create_casefile", "ann")}
    assert [event.related_events for event in events] == [[], *([event.id] for event in events[:-1])]
    assert events[0].parameters == TITLE
    assert events[0].reasoning == "a file for Smith"
    summary = events[2].result_summary
    assert summary is not None
    assert json.loads(summary)["title"] == "Smith"
    assert events[2].duration_ms == 0, "no time passed on the clock of the database"


async def test_a_tool_that_fails_is_recorded_as_failed_and_its_error_is_the_requests(desk: Desk) -> None:
    session = await desk.session()
    gone = {"casefile_id": "cf_260101_ffffff"}
    result = await desk.ask(session, "get_casefile", gone)
    assert code_of(result) == "NOT_FOUND"
    assert said_by(result) == said_by(await desk.run("get_casefile", **gone))
    events = await desk.events(session)
    assert [event.event_type for event in events] == BADLY
    assert events[2].error_message == said_by(result)


async def test_a_tool_that_is_not_there_is_refused_with_near_ones_and_recorded(desk: Desk) -> None:
    session = await desk.session()
    result = await desk.ask(session, "create_casfile", TITLE)
    assert code_of(result) == "UNKNOWN_TOOL"
    assert "create_casefile" in said_by(result)
    assert await desk.types(session) == BADLY


WRITES: dict[str, dict[str, Any]] = {
    "begin_session_request": dict.fromkeys(("prompt", "casefile_id", "session_request_id"))
    | {"tool_name": "list_casefiles", "parameters": {}},
    "begin_chat_turn": {"message": "Hello"},
}


@pytest.mark.parametrize("tool", WRITES)
async def test_the_writes_of_the_record_cannot_be_called_from_outside(desk: Desk, tool: str) -> None:
    result = await desk.run(tool, at=await desk.session(), **WRITES[tool])
    assert (code_of(result), said_by(result)) == ("BLOCKED", f"{tool} is internal: only other operations can call it")
    assert await desk.types() == []


@pytest.mark.parametrize("tool", sorted(NESTED_REQUEST_TOOLS))
async def test_a_request_within_a_request_is_refused(desk: Desk, tool: str) -> None:
    session = await desk.session()
    result = await desk.ask(session, tool, {"tool_name": "list_casefiles", "parameters": {}})
    assert code_of(result) == "BLOCKED"
    assert await desk.types() == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"user_id": "bob"},
        {"session_id": "ts_260101_bob00000_000001"},
        {"request_id": "00000000-0000-0000-0000-000000000001"},
        {"operation": "delete_casefile"},
        {"metadata": {"tenant": "other"}},
        {"tenant": "other"},
        {"dry_run": True},
        {"timeout_seconds": 300},
        {"tool_name": "delete_casefile"},
        {"ctx": {}},
        {"self": {}},
    ],
    ids=lambda metadata: next(iter(metadata)),
)
async def test_how_a_tool_is_run_is_no_parameter_of_it(desk: Desk, metadata: dict[str, Any]) -> None:
    session = await desk.session()
    assert code_of(await desk.ask(session, "create_casefile", {**TITLE, **metadata})) == "VALIDATION_ERROR"
    if metadata.keys() != {"tool_name"}:
        assert code_of(await desk.ask(session, "create_casefile", TITLE, **metadata)) == "VALIDATION_ERROR"
    assert await rows(desk.database, "casefiles") == {"casefiles": 0}


async def test_a_tool_needs_the_permissions_it_needs_anywhere(desk: Desk) -> None:
    bob = principal("bob", "default", "tools:execute", "tools:read", "casefiles:read")
    session = await desk.session(by=bob)
    assert code_of(await desk.ask(session, "create_casefile", TITLE, bob)) == "PERMISSION_DENIED"
    assert code_of(await desk.ask(session, "list_casefiles", {}, bob)) == ""
    reader = principal("bob", "default", "casefiles:read")
    assert code_of(await desk.ask(session, "list_casefiles", {}, reader)) == "PERMISSION_DENIED"


async def test_a_tool_needs_the_level_it_needs_anywhere(desk: Desk) -> None:
    casefile = await desk.casefile()
    await desk.grant(casefile, "bob", "viewer")
    session = await desk.session(by="bob")
    update = {"casefile_id": casefile, "title": "Jones"}
    assert code_of(await desk.ask(session, "update_casefile", update, "bob")) == "PERMISSION_DENIED"
    assert code_of(await desk.ask(session, "get_casefile", {"casefile_id": casefile}, "bob")) == ""


async def test_outside_a_session_nothing_is_asked_for(desk: Desk) -> None:
    for at, code in (
        ("", "PERMISSION_DENIED"),
        ("talk", "PERMISSION_DENIED"),
        ("ts_260101_ann00000_ffffff", "NOT_FOUND"),
    ):
        assert code_of(await desk.ask(at, "create_casefile", TITLE)) == code
    assert await rows(desk.database, "casefiles", "events") == {"casefiles": 0, "events": 0}


@pytest.mark.parametrize("by", [principal("bob"), principal("ann", "other")], ids=["person", "tenant"])
async def test_the_session_of_somebody_else_is_not_there(desk: Desk, by: Principal) -> None:
    session = await desk.session()
    refused = await desk.ask(session, "create_casefile", TITLE, by)
    gone = session[:-6] + "ffffff"
    missing = await desk.ask(gone, "create_casefile", TITLE, by)
    assert code_of(refused) == "NOT_FOUND"
    assert said_by(refused).replace(session, gone) == said_by(missing)
    assert await desk.types() == []


async def test_a_closed_session_takes_no_more_requests(desk: Desk) -> None:
    session = await desk.session()
    await desk.call("close_tool_session", session_id=session)
    result = await desk.ask(session, "create_casefile", TITLE)
    assert (code_of(result), said_by(result)) == (
        "PERMISSION_DENIED",
        "process_tool_request: the session is closed; start a new one",
    )
    assert await rows(desk.database, "casefiles", "events") == {"casefiles": 0, "events": 0}


async def test_an_idle_session_is_taken_up_again(desk: Desk, clock: Clock) -> None:
    session = await desk.session()
    clock.advance(days=3)
    assert code_of(await desk.ask(session, "list_casefiles", {})) == ""
    assert (await desk.call("get_tool_session", session_id=session))["updated_at"] == "2026-01-04T00:00:00Z"


async def delete(desk: Desk, session: str) -> tuple[str, Any]:
    """A casefile, and the request to delete it, which waits for a person."""
    casefile = await desk.casefile()
    waiting = await desk.ask(session, "delete_casefile", {"casefile_id": casefile, "confirm": True})
    assert waiting.status == "waiting"
    return casefile, waiting


async def test_a_tool_that_asks_a_person_leaves_its_request_waiting_and_ends_right_after_the_yes(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    assert await desk.types(session) == [RECEIVED, STARTED]
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}
    done = await desk.decide(waiting)
    assert done.status == "done"
    assert await desk.types(session) == WELL
    assert await rows(desk.database, "casefiles") == {"casefiles": 0}


async def test_a_tool_that_a_person_refuses_is_recorded_as_failed(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    assert code_of(await desk.decide(waiting, approved=False)) == "APPROVAL_DENIED"
    assert await desk.types(session) == BADLY
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}


async def test_driving_a_waiting_request_again_and_again_records_nothing_twice(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    for _ in range(3):
        assert (await desk.runtime.resume(waiting.run)).status == "waiting"
    assert await desk.types(session) == [RECEIVED, STARTED]
    await desk.decide(waiting)
    assert (await desk.runtime.resume(waiting.run)).status == "open"
    assert await desk.types(session) == WELL


async def test_a_session_that_is_closed_while_a_request_waits_stops_it(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    await desk.call("close_tool_session", session_id=session)
    assert code_of(await desk.decide(waiting)) == "PERMISSION_DENIED"
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}


async def test_other_requests_of_the_session_go_on_while_one_waits(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    assert code_of(await desk.ask(session, "list_casefiles", {})) == ""
    both = await asyncio.gather(*(desk.ask(session, "list_casefiles", {}) for _ in range(2)))
    assert [code_of(each) for each in both] == ["", ""]
    assert (await desk.decide(waiting)).status == "done"
    assert sorted(await desk.types(session)) == sorted(WELL * 4)


async def test_a_request_that_is_cancelled_is_stopped(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    await desk.runtime.cancel(waiting.run, by=principal())
    assert await desk.types(session) == [RECEIVED, STARTED]
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}


async def test_a_request_that_was_made_replays_though_its_session_is_closed_and_writes_nothing(desk: Desk) -> None:
    session = await desk.session()
    _, waiting = await delete(desk, session)
    await desk.decide(waiting)
    failed = await desk.ask(session, "get_casefile", {"casefile_id": "cf_260101_ffffff"})
    await desk.call("close_tool_session", session_id=session)
    tables = ("events", "remit_effects")
    before = await rows(desk.database, *tables)
    for run in (waiting.run, failed.run):
        assert (await desk.runtime.replay(run)).difference == ""
    assert await rows(desk.database, *tables) == before


async def test_a_request_is_made_again_with_the_key_of_its_call_and_with_no_parameter(desk: Desk) -> None:
    session = await desk.session()
    first = json.loads((await desk.ask(session, "create_casefile", TITLE)).text)["session_request_id"]
    refused = await desk.ask(session, "create_casefile", TITLE, session_request_id=first)
    assert code_of(refused) == "VALIDATION_ERROR"
    second = json.loads((await desk.ask(session, "create_casefile", TITLE)).text)["session_request_id"]
    assert second != first
    assert (await desk.call("get_tool_session", session_id=session))["request_count"] == 2


async def test_who_may_only_read_a_casefile_records_nothing_among_its_events(desk: Desk) -> None:
    casefile = await desk.casefile()
    before = (await desk.call("list_events", casefile_id=casefile))["total_count"]
    session = await desk.session(by="bob")
    asked = {"casefile_id": casefile, "prompt": "x" * 10_000}
    for level, code in (("viewer", "PERMISSION_DENIED"), ("editor", "")):
        await desk.grant(casefile, "bob", level)
        assert code_of(await desk.ask(session, "list_casefiles", {}, "bob", **asked)) == code
        assert await desk.types(session) == ([] if code else WELL)
    after = (await desk.call("list_events", casefile_id=casefile))["total_count"]
    assert after == before + 2 + len(WELL), "the two grants, and what the editor asked for"


async def test_events_are_those_of_the_sessions_casefile_or_of_the_one_that_is_named(desk: Desk) -> None:
    first, second = await desk.casefile("One"), await desk.casefile("Two")
    session = await desk.session(casefile_id=first)
    await desk.ask(session, "list_casefiles", {})
    assert {event.casefile for event in await desk.events(session)} == {first}
    apart = await desk.session()
    await desk.ask(apart, "list_casefiles", {}, casefile_id=second)
    assert {event.casefile for event in await desk.events(apart)} == {second}
    bob = await desk.session(by="bob")
    assert code_of(await desk.ask(bob, "list_casefiles", {}, "bob", casefile_id=second)) == "NOT_FOUND"


async def test_what_must_not_be_read_is_in_no_record(desk: Desk) -> None:
    session = await desk.session()
    await desk.ask(session, "create_casefile", {**TITLE, "password": "hunter2-hunter2"})
    events = await desk.events(session)
    assert events[0].parameters == {**TITLE, "password": "[redacted]"}
    for event in events:
        assert "hunter2" not in f"{event.parameters} {event.result_summary} {event.error_message}"


async def test_a_long_result_is_summed_up_by_its_beginning(desk: Desk) -> None:
    session = await desk.session()
    for number in range(4):
        await desk.call("create_casefile", title=f"{number}", description="long " * 100)
    await desk.ask(session, "list_casefiles", {})
    summary = (await desk.events(session))[2].result_summary
    assert summary is not None
    assert (len(summary), summary[-1]) == (501, "…")


async def test_a_process_may_die_at_any_write_of_the_journal_and_each_event_is_there_once(database: Database) -> None:
    parts = Desk(database).parts
    for after in (False, True):
        append = 1
        while await dies(database, parts, append, after=after):
            append += 1
        assert append > 5, "the request made so many writes, and one more"


async def dies(database: Database, parts: CasefileApplication, append: int, *, after: bool) -> bool:
    """Whether a process dies at that append while a tool is asked for; if so, another one drives the run to its end."""
    clock = Seconds()
    store = Mortal(clock)
    desk = Desk(database, store=store, parts=parts)
    session, before = await desk.session(), await rows(database, *COUNTED)
    store.die_at(append, after=after)
    with contextlib.suppress(Crash):
        await desk.ask(session, "create_casefile", TITLE)
    if not store.dead:
        return False
    store.revive()
    clock.now += 3_600
    (run,) = [row.run for row in await store.list_runs(conversation=session)] or [""]
    if run:
        assert (await Desk(database, store=store, parts=parts).runtime.resume(run)).status == "open"
    made = len([each for each in await store.read(run) if isinstance(each.item, CallReceived)])
    assert await rows(database, *COUNTED) == {table: before[table] + n * made for table, n in COUNTED.items()}
    assert await desk.types(session) == WELL * made
    return True
