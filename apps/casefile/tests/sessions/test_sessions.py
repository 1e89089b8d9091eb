"""Tool sessions through the runtime: they are created, seen by those who may, listed, and closed once."""

from __future__ import annotations

import re
from typing import Any

import pytest

from apps.casefile.tests.desk import Desk
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import Clock
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import SESSION_ID

KINDS = ("tool", "chat")


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_new_session_is_its_users_and_empty(desk: Desk, kind: str) -> None:
    made = await desk.call(f"create_{kind}_session", title="Mail of Smith")
    assert re.match(SESSION_ID, made["session_id"])
    assert made["session_id"][:2] == {"tool": "ts", "chat": "cs"}[kind]
    told = await desk.call(f"get_{kind}_session", session_id=made["session_id"])
    assert told["user_id"] == made["created_by"] == "ann"
    assert (told["title"], told["casefile_id"], told["active"]) == ("Mail of Smith", None, True)
    assert (told["request_count"], told["event_count"]) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_session_in_a_casefile_is_one_of_the_casefiles_and_needs_an_editor(desk: Desk, kind: str) -> None:
    casefile = await desk.casefile()
    session = await desk.session(kind, casefile_id=casefile)
    assert session in (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["session_ids"]
    create = f"create_{kind}_session"
    assert (await desk.call(create, "bob", casefile_id=casefile))["errorCode"] == "NOT_FOUND"
    await desk.grant(casefile, "bob", "viewer")
    assert (await desk.call(create, "bob", casefile_id=casefile))["errorCode"] == "PERMISSION_DENIED"
    await desk.grant(casefile, "bob", "editor")
    assert (await desk.call(create, "bob", casefile_id=casefile))["casefile_id"] == casefile


@pytest.mark.parametrize("kind", KINDS)
async def test_a_session_of_somebody_else_looks_like_one_that_is_not_there(desk: Desk, kind: str) -> None:
    session = await desk.session(kind)
    gone = session[:-6] + "ffffff"
    for tool in (f"get_{kind}_session", f"close_{kind}_session"):
        for by in (principal("bob"), principal("ann", "other")):
            refused = await desk.call(tool, by, session_id=session)
            missing = await desk.call(tool, by, session_id=gone)
            assert refused["errorCode"] == "NOT_FOUND"
            assert refused["error"].replace(session, gone) == missing["error"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_session_of_one_kind_is_none_of_the_other(desk: Desk, kind: str) -> None:
    session = await desk.session(kind)
    other = {"tool": "chat", "chat": "tool"}[kind]
    for tool in (f"get_{other}_session", f"close_{other}_session"):
        assert (await desk.call(tool, session_id=session))["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize(("level", "sees"), [("viewer", False), ("editor", False), ("admin", True)])
async def test_others_see_a_session_if_they_are_admins_of_its_casefile_and_never_close_it(
    desk: Desk, level: str, sees: bool
) -> None:
    casefile = await desk.casefile()
    session = await desk.session(casefile_id=casefile)
    apart = await desk.session()
    await desk.grant(casefile, "bob", level)
    assert ("errorCode" not in await desk.call("get_tool_session", "bob", session_id=session)) is sees
    listed = await desk.call("list_tool_sessions", "bob")
    assert [each["session_id"] for each in listed["sessions"]] == ([session] if sees else [])
    assert (await desk.call("get_tool_session", "bob", session_id=apart))["errorCode"] == "NOT_FOUND"
    assert (await desk.call("close_tool_session", "bob", session_id=session))["errorCode"] == "NOT_FOUND"


async def test_the_owner_of_a_casefile_sees_the_sessions_that_others_have_in_it(desk: Desk) -> None:
    casefile = await desk.casefile()
    await desk.grant(casefile, "bob", "editor")
    session = await desk.session(by="bob", casefile_id=casefile)
    assert (await desk.call("get_tool_session", session_id=session))["user_id"] == "bob"
    assert (await desk.call("list_tool_sessions", user_id="bob"))["total_count"] == 1


async def test_an_admin_whose_grant_has_ended_sees_no_session(desk: Desk, clock: Clock) -> None:
    casefile = await desk.casefile()
    session = await desk.session(casefile_id=casefile)
    until = {"permission": "admin", "expires_at": "2026-01-01T01:00:00Z"}
    await desk.call("grant_permission", casefile_id=casefile, target_user_id="bob", **until)
    assert (await desk.call("list_tool_sessions", "bob"))["total_count"] == 1
    clock.advance(hours=1)
    assert (await desk.call("list_tool_sessions", "bob"))["total_count"] == 0
    assert (await desk.call("get_tool_session", "bob", session_id=session))["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_list_is_narrowed_by_user_casefile_and_state_and_paged_newest_first(
    desk: Desk, clock: Clock, kind: str
) -> None:
    casefile = await desk.casefile()
    await desk.grant(casefile, "bob", "editor")
    made: list[str] = []
    for by, more in (("ann", {}), ("ann", {"casefile_id": casefile}), ("bob", {"casefile_id": casefile}), ("ann", {})):
        made.append(await desk.session(kind, by, **more))
        clock.advance(minutes=1)
    await desk.call(f"close_{kind}_session", session_id=made[3])

    async def listed(**asked: Any) -> list[int]:
        told = await desk.call(f"list_{kind}_sessions", **asked)
        assert told["total_count"] >= len(told["sessions"])
        return [made.index(each["session_id"]) for each in told["sessions"]]

    assert await listed() == [2, 1, 0]
    assert await listed(active_only=False) == [3, 2, 1, 0]
    assert await listed(casefile_id=casefile) == [2, 1]
    assert await listed(user_id="ann") == [1, 0]
    assert await listed(user_id="ann", casefile_id=casefile) == [1]
    assert await listed(limit=1) == [2]
    assert await listed(limit=2, offset=1) == [1, 0]
    told = await desk.call(f"list_{kind}_sessions", limit=1, offset=1)
    assert (told["total_count"], told["limit"], told["offset"]) == (3, 1, 1)


async def test_the_sessions_of_a_casefile_that_one_may_not_see_are_not_listed(desk: Desk) -> None:
    casefile = await desk.casefile()
    await desk.session(casefile_id=casefile)
    assert (await desk.call("list_tool_sessions", "bob", casefile_id=casefile))["errorCode"] == "NOT_FOUND"


async def test_closing_tells_what_the_session_came_to_and_a_second_time_says_since_when(
    desk: Desk, clock: Clock
) -> None:
    session = await desk.session()
    await desk.ask(session, "list_casefiles", {})
    clock.advance(minutes=90)
    closed = await desk.call("close_tool_session", session_id=session)
    assert closed == {
        "session_id": session,
        "closed_at": "2026-01-01T01:30:00Z",
        "total_requests": 1,
        "total_events": 4,
        "duration_seconds": 5400,
    }
    again = await desk.call("close_tool_session", session_id=session)
    assert again["errorCode"] == "CONFLICT"
    assert again["error"] == f"The session '{session}' is closed since 2026-01-01 01:30 UTC."
    told = await desk.call("get_tool_session", session_id=session)
    assert (told["active"], told["request_count"]) == (False, 1)


async def test_a_session_that_does_not_look_like_one_is_refused(desk: Desk) -> None:
    for wrong in ("cf_260101_000001", "ts_1", "ts_260101_ann00000_00000g", ""):
        assert (await desk.call("get_tool_session", session_id=wrong))["errorCode"] == "VALIDATION_ERROR"
