"""Events: each has a type, each is kept once, and they are read by those who may."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from apps.casefile.tests.desk import COMPLETED, RECEIVED, SENT, STARTED, Desk
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import START, rows
from remit_casefile.policies.env import CallEvent
from remit_casefile.sessions.events import ToolEvent, ToolEvents
from remit_casefile.storage.database import Database

FIELDS: dict[str, Any] = {
    "event_id": "te_000000000001",
    "tool_name": "get_casefile",
    "timestamp": START,
    "parameters": {},
    "result_summary": None,
    "duration_ms": None,
    "status": "completed",
    "error_message": None,
    "initiator": "ann",
    "chain_position": None,
    "chain_id": None,
    "reasoning": None,
    "source_message_id": None,
    "related_events": [],
}


def event(session: str | None = None, *, casefile: str = "cf_260101_000001", tenant: str = "default") -> CallEvent:
    """An event as a layer files it."""
    return CallEvent(
        id="te_000000000001",
        tenant=tenant,
        run="run",
        call="call",
        parent="",
        request="",
        casefile=casefile,
        session=session,
        event_type="casefile_changed",
        tool_name="update_casefile",
        timestamp=START,
        parameters={"title": "Jones"},
        result_summary=None,
        duration_ms=12,
        status="completed",
        error_message=None,
        initiator="ann",
    )


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database)


def test_there_is_no_event_without_a_type() -> None:
    assert ToolEvent.model_validate({**FIELDS, "event_type": SENT}).event_type == SENT
    for missing in (FIELDS, {**FIELDS, "event_type": ""}):
        with pytest.raises(ValidationError, match="event_type"):
            ToolEvent.model_validate(missing)


async def test_an_event_that_is_filed_again_is_kept_once(database: Database) -> None:
    events = ToolEvents(database)
    for _ in range(2):
        await events.append(event())
    assert await rows(database, "events") == {"events": 1}


async def test_the_events_of_a_session_are_read_in_order_and_by_type_and_paged(desk: Desk) -> None:
    session = await desk.session()
    await desk.ask(session, "list_casefiles", {})
    told = await desk.call("list_events", session_id=session)
    assert [each["event_type"] for each in told["events"]] == [RECEIVED, STARTED, COMPLETED, SENT]
    assert (told["total_count"], told["limit"], told["offset"]) == (4, 50, 0)
    one = await desk.call("list_events", session_id=session, event_type=COMPLETED)
    assert [each["tool_name"] for each in one["events"]] == ["list_casefiles"]
    two = await desk.call("list_events", session_id=session, limit=2, offset=1)
    assert [each["event_type"] for each in two["events"]] == [STARTED, COMPLETED]


async def test_the_events_of_a_session_are_its_users(desk: Desk) -> None:
    session = await desk.session()
    await desk.ask(session, "list_casefiles", {})
    for by in (principal("bob"), principal("ann", "other")):
        assert (await desk.call("list_events", by, session_id=session))["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize(("level", "code"), [("viewer", "PERMISSION_DENIED"), ("admin", "")])
async def test_the_events_of_a_casefile_are_read_by_its_admins(desk: Desk, level: str, code: str) -> None:
    casefile = await desk.casefile()
    await desk.grant(casefile, "bob", level)
    session = await desk.session(casefile_id=casefile)
    await desk.ask(session, "list_casefiles", {})
    told = await desk.call("list_events", "bob", casefile_id=casefile)
    assert told.get("errorCode", "") == code
    if not code:
        assert {RECEIVED, STARTED, COMPLETED, SENT} <= {each["event_type"] for each in told["events"]}


async def test_events_are_asked_for_by_casefile_or_by_session(desk: Desk) -> None:
    casefile = await desk.casefile()
    session = await desk.session()
    for asked in ({}, {"casefile_id": casefile, "session_id": session}):
        refused = await desk.call("list_events", **asked)
        assert refused["errorCode"] == "VALIDATION_ERROR"
        assert "one of the two" in refused["error"]


async def test_what_a_layer_files_in_a_session_is_among_its_events(desk: Desk) -> None:
    session = await desk.session()
    await ToolEvents(desk.database).append(event(session))
    told = await desk.call("list_events", session_id=session)
    assert [(each["event_type"], each["chain_id"]) for each in told["events"]] == [("casefile_changed", None)]
    assert (await desk.call("get_tool_session", session_id=session))["event_count"] == 1


@pytest.mark.parametrize("is_open", [True, False], ids=["in an open run", "in a run of its own"])
async def test_a_change_that_is_asked_for_in_a_session_is_filed_there_and_in_its_casefile(
    desk: Desk, *, is_open: bool
) -> None:
    casefile = await desk.casefile()
    session = await desk.session()
    update = {"casefile_id": casefile, "title": "Jones"}
    if is_open:
        await desk.ask(session, "update_casefile", update)
    else:
        await desk.run("process_tool_request", at=session, tool_name="update_casefile", parameters=update)
    told = await desk.call("list_events", session_id=session, event_type="casefile_changed")
    assert [each["tool_name"] for each in told["events"]] == ["update_casefile"]
    of_casefile = await desk.call("list_events", casefile_id=casefile, event_type="casefile_changed")
    assert told["events"][0] in of_casefile["events"]
    chain = (await desk.call("list_events", session_id=session))["events"]
    assert [each["event_type"] for each in chain] == [RECEIVED, STARTED, "casefile_changed", COMPLETED, SENT]
    assert [each["chain_position"] for each in chain] == [0, 1, 2, 3, 4]
    assert len({each["chain_id"] for each in chain}) == 1


async def test_an_event_in_a_conversation_that_is_no_session_is_filed_without_one(desk: Desk) -> None:
    casefile = await desk.casefile()
    await ToolEvents(desk.database).append(event("talk", casefile=casefile))
    told = await desk.call("list_events", casefile_id=casefile)
    assert {"title": "Jones"} in [each["parameters"] for each in told["events"]]
