"""A session works in a casefile only as long as its user may write there, and the casefile takes in more."""

from __future__ import annotations

from datetime import timedelta

import pytest

from apps.casefile.tests.desk import Desk, code_of, said_by
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import START, Clock, rows
from remit.testing import calls
from remit_casefile.storage.database import Database

RECORDED = ("events", "chat_messages")


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database, "Hello.", "Hello again.")


async def shared(desk: Desk, kind: str = "tool", expires_at: str | None = None) -> tuple[str, str]:
    """A casefile of ann's, and a session of bob's in it, who may write there."""
    casefile = await desk.casefile()
    granted = {"casefile_id": casefile, "target_user_id": "bob", "permission": "editor"}
    await desk.call("grant_permission", **granted, **({} if expires_at is None else {"expires_at": expires_at}))
    return casefile, await desk.session(kind, "bob", casefile_id=casefile)


async def test_who_may_only_read_the_casefile_now_records_nothing_more_in_their_session(desk: Desk) -> None:
    casefile, session = await shared(desk)
    assert code_of(await desk.ask(session, "get_casefile", {"casefile_id": casefile}, "bob")) == ""
    await desk.grant(casefile, "bob", "viewer")
    before = await rows(desk.database, *RECORDED)
    for refused in (
        await desk.ask(session, "get_casefile", {"casefile_id": casefile}, "bob"),
        await desk.ask(session, "list_casefiles", {}, "bob"),
        await desk.run("create_casefile", "bob", at=session, title="Mine"),
    ):
        assert code_of(refused) == "PERMISSION_DENIED"
        assert f"the session '{session}' needs the level editor of casefile '{casefile}'" in said_by(refused)
    assert await rows(desk.database, *RECORDED) == before
    assert code_of(await desk.run("get_casefile", "bob", casefile_id=casefile)) == "", "outside of it bob may read"
    await desk.grant(casefile, "bob", "editor")
    assert code_of(await desk.ask(session, "list_casefiles", {}, "bob")) == ""


async def test_who_lost_the_casefile_can_still_close_their_session_of_it(desk: Desk) -> None:
    casefile, session = await shared(desk)
    await desk.call("revoke_permission", casefile_id=casefile, target_user_id="bob")
    assert code_of(await desk.ask(session, "list_casefiles", {}, "bob")) == "NOT_FOUND"
    assert (await desk.call("close_tool_session", "bob", session_id=session))["session_id"] == session


async def test_who_lost_the_casefile_still_reads_the_events_of_their_own_sessions_and_no_others(desk: Desk) -> None:
    casefile, session = await shared(desk)
    await desk.ask(session, "list_casefiles", {}, "bob")
    await desk.call("revoke_permission", casefile_id=casefile, target_user_id="bob")
    events = (await desk.call("list_events", "bob", session_id=session))["events"]
    assert [event["event_type"] for event in events][-1] == "tool_response_sent"
    assert code_of(await desk.run("list_events", "bob", casefile_id=casefile)) == "NOT_FOUND"


async def test_access_that_ends_ends_the_session_too_and_in_the_words_for_what_is_not_there(
    desk: Desk, clock: Clock
) -> None:
    ends = START + timedelta(hours=1)
    casefile, session = await shared(desk, expires_at=ends.isoformat())
    clock.advance(minutes=59)
    assert code_of(await desk.ask(session, "list_casefiles", {}, "bob")) == ""
    clock.advance(minutes=1)
    refused = await desk.ask(session, "list_casefiles", {}, "bob")
    missing = await desk.run("get_casefile", "bob", casefile_id=casefile)
    assert (code_of(refused), said_by(refused)) == ("NOT_FOUND", said_by(missing))


async def test_nothing_more_is_said_in_a_chat_of_a_casefile_that_one_may_only_read(desk: Desk) -> None:
    casefile, session = await shared(desk, "chat")
    assert code_of(await desk.run("process_chat_request", "bob", at=session, message="Hello")) == ""
    await desk.grant(casefile, "bob", "viewer")
    before = await rows(desk.database, *RECORDED)
    assert code_of(await desk.run("process_chat_request", "bob", at=session, message="More")) == "PERMISSION_DENIED"
    told = await desk.runtime.run("Hello", by=principal("bob"), conversation=session)
    assert code_of(told) == "PERMISSION_DENIED"
    assert await rows(desk.database, *RECORDED) == before


@pytest.mark.every_store
async def test_a_request_that_waits_while_access_is_lowered_does_nothing_more(database: Database) -> None:
    first = Desk(database)
    casefile, session = await shared(first, "chat")
    mine = await first.casefile("Mine", "bob")
    desk = Desk(database, calls(("delete_casefile", {"casefile_id": mine, "confirm": True})), "It is gone.")
    waiting = await desk.run("process_chat_request", "bob", at=session, message="Delete mine")
    assert waiting.questions
    await desk.grant(casefile, "bob", "viewer")
    assert code_of(await desk.decide(waiting)) == "PERMISSION_DENIED"
    assert await rows(database, "casefiles") == {"casefiles": 2}


async def archive(desk: Desk, casefile: str, *, archived: bool = True) -> None:
    """Archive a casefile of ann's, or take it up again."""
    assert (await desk.call("archive_casefile", casefile_id=casefile, archived=archived))["changed"]


@pytest.mark.parametrize("kind", ["tool", "chat"])
async def test_no_session_is_created_in_an_archived_casefile(desk: Desk, kind: str) -> None:
    casefile = await desk.casefile()
    await archive(desk, casefile)
    refused = await desk.run(f"create_{kind}_session", casefile_id=casefile)
    assert (code_of(refused), said_by(refused)) == (
        "BLOCKED",
        f"casefile '{casefile}' is archived; create_{kind}_session needs one that is active",
    )
    assert await rows(desk.database, "sessions") == {"sessions": 0}


async def test_a_session_records_nothing_more_while_its_casefile_is_archived(desk: Desk) -> None:
    casefile = await desk.casefile()
    tools, chat = await desk.session(casefile_id=casefile), await desk.session("chat", casefile_id=casefile)
    await archive(desk, casefile)
    before = await rows(desk.database, *RECORDED)
    for session, refused in (
        (tools, await desk.ask(tools, "list_casefiles", {})),
        (tools, await desk.run("create_casefile", at=tools, title="Jones")),
        (chat, await desk.run("process_chat_request", at=chat, message="Hello")),
        (chat, await desk.runtime.run("Hello", by=principal(), conversation=chat)),
    ):
        assert (code_of(refused), said_by(refused)) == (
            "BLOCKED",
            f"casefile '{casefile}' is archived; the session '{session}' needs one that is active",
        )
    assert await rows(desk.database, *RECORDED) == before
    assert (await desk.call("get_tool_session", session_id=tools))["active"]
    assert (await desk.call("close_chat_session", session_id=chat))["session_id"] == chat
    await archive(desk, casefile, archived=False)
    assert code_of(await desk.ask(tools, "list_casefiles", {})) == ""


async def test_what_is_asked_for_elsewhere_is_not_recorded_in_an_archived_casefile(desk: Desk) -> None:
    casefile, session = await desk.casefile(), await desk.session()
    await archive(desk, casefile)
    before = await rows(desk.database, *RECORDED)
    refused = await desk.ask(session, "list_casefiles", {}, casefile_id=casefile)
    assert code_of(refused) == "BLOCKED"
    assert await rows(desk.database, *RECORDED) == before


async def test_a_request_in_a_session_may_archive_its_casefile_and_is_recorded_to_its_end(desk: Desk) -> None:
    casefile = await desk.casefile()
    session = await desk.session(casefile_id=casefile)
    done = await desk.ask(session, "archive_casefile", {"casefile_id": casefile, "archived": True})
    assert code_of(done) == ""
    assert (await desk.types(session))[-1] == "tool_response_sent"
    assert code_of(await desk.ask(session, "list_casefiles", {})) == "BLOCKED"


@pytest.mark.every_store
async def test_a_request_that_waits_while_its_casefile_is_archived_does_nothing_more(database: Database) -> None:
    first = Desk(database)
    casefile, mine = await first.casefile(), await first.casefile("Mine")
    session = await first.session("chat", casefile_id=casefile)
    desk = Desk(database, calls(("delete_casefile", {"casefile_id": mine, "confirm": True})), "It is gone.")
    waiting = await desk.run("process_chat_request", at=session, message="Delete mine")
    assert waiting.questions
    await archive(desk, casefile)
    assert code_of(await desk.decide(waiting)) == "BLOCKED"
    assert await rows(database, "casefiles") == {"casefiles": 2}
