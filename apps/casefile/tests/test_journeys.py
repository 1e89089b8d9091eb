"""What a person does with the application, from one end to the other, through the real runtime."""

from __future__ import annotations

import json

from apps.casefile.tests.desk import COMPLETED, RECEIVED, SENT, STARTED, Desk
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import Clock
from remit import Principal
from remit_casefile.storage.database import Database

SERVICE = Principal("nightly", permissions=frozenset({"casefiles:read", "casefiles:write"}))
"""A program with a token: it has no session of a person, and may do what its roles and grants let it."""


async def test_from_an_empty_workspace_to_a_closed_session(database: Database, clock: Clock) -> None:
    desk = Desk(database)
    casefile, session = await _set_up(desk)
    await _run_a_tool_in_context(desk, casefile, session)
    await _grant_and_revoke(desk, casefile)
    await _serve_without_a_session(desk, casefile)
    await _close(desk, clock, casefile, session)


async def _set_up(desk: Desk) -> tuple[str, str]:
    """A workspace is set up: a casefile, a session in it, somebody who works on it, too."""
    assert (await desk.call("list_casefiles"))["total_count"] == 0
    casefile = await desk.casefile("Smith")
    session = await desk.session(casefile_id=casefile)
    await desk.grant(casefile, "bob", "editor")
    assert (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["session_ids"] == [session]
    assert [each["casefile_id"] for each in (await desk.call("list_casefiles", "bob"))["casefiles"]] == [casefile]
    return casefile, session


async def _run_a_tool_in_context(desk: Desk, casefile: str, session: str) -> None:
    """A tool is asked for in the session; what happened is written there, and in the casefile."""
    done = await desk.ask(session, "update_casefile", {"casefile_id": casefile, "notes": "call on Monday"})
    assert json.loads(done.text)["result"]["updated_fields"] == ["notes"]
    assert await desk.types(session) == [RECEIVED, STARTED, COMPLETED, SENT]
    filed = await desk.call("list_events", casefile_id=casefile, event_type="casefile_changed")
    assert "update_casefile" in [each["tool_name"] for each in filed["events"]]


async def _grant_and_revoke(desk: Desk, casefile: str) -> None:
    """What is granted holds from the next call on, and what is revoked no longer does."""
    refused = await desk.call("get_casefile", "eve", casefile_id=casefile)
    assert refused["errorCode"] == "NOT_FOUND"
    await desk.grant(casefile, "eve", "viewer")
    assert (await desk.call("get_casefile", "eve", casefile_id=casefile))["your_level"] == "viewer"
    denied = await desk.call("update_casefile", "eve", casefile_id=casefile, title="Eve's")
    assert denied["errorCode"] == "PERMISSION_DENIED"
    await desk.call("revoke_permission", casefile_id=casefile, target_user_id="eve")
    assert await desk.call("get_casefile", "eve", casefile_id=casefile) == refused


async def _serve_without_a_session(desk: Desk, casefile: str) -> None:
    """A program works without a session, within its roles and the access list; what wants a session it cannot do."""
    assert (await desk.call("get_casefile", SERVICE, casefile_id=casefile))["errorCode"] == "NOT_FOUND"
    await desk.grant(casefile, "nightly", "editor")
    done = await desk.call("update_casefile", SERVICE, casefile_id=casefile, tags=["nightly"])
    assert done["updated_fields"] == ["tags"]
    shared = await desk.call(
        "grant_permission", SERVICE, casefile_id=casefile, target_user_id="eve", permission="viewer"
    )
    assert shared["errorCode"] == "PERMISSION_DENIED"
    bare = principal("nightly")
    asked = await desk.call("process_tool_request", bare, tool_name="list_casefiles")
    assert (asked["errorCode"], "session" in asked["error"]) == ("PERMISSION_DENIED", True)


async def _close(desk: Desk, clock: Clock, casefile: str, session: str) -> None:
    """A session that was idle is taken up; one that is closed takes nothing more, and tells what it came to."""
    clock.advance(hours=9)
    await desk.ask(session, "get_casefile", {"casefile_id": casefile})
    closed = await desk.call("close_tool_session", session_id=session)
    assert (closed["total_requests"], closed["duration_seconds"]) == (2, 9 * 3600)
    for refused in (
        await desk.call("process_tool_request", at=session, tool_name="list_casefiles"),
        await desk.call("get_casefile", at=session, casefile_id=casefile),
        await desk.call("close_tool_session", session_id=session),
    ):
        assert "closed" in refused["error"]
    assert (await desk.call("get_tool_session", session_id=session))["active"] is False
    assert (await desk.call("list_tool_sessions"))["total_count"] == 0
    assert (await desk.call("list_tool_sessions", active_only=False))["total_count"] == 1
