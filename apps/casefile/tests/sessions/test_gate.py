"""Whatever is called in the conversation of a session: it must be the caller's own session, and open."""

from __future__ import annotations

import pytest

from apps.casefile.tests.desk import Desk, code_of, said_by
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import Clock, rows
from remit import Principal
from remit.testing import calls
from remit_casefile.storage.database import Database


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database, "Hello.")


async def test_a_tool_is_called_in_a_session_of_ones_own_or_in_a_conversation_that_is_none(desk: Desk) -> None:
    session = await desk.session()
    for at in (session, "talk", ""):
        assert code_of(await desk.run("create_casefile", at=at, title="Smith")) == ""


async def test_nothing_is_called_in_a_closed_session(desk: Desk) -> None:
    session = await desk.session("chat")
    await desk.call("close_chat_session", session_id=session)
    for tool, arguments in (("create_casefile", {"title": "Smith"}), ("list_casefiles", {})):
        refused = await desk.run(tool, at=session, **arguments)
        assert (code_of(refused), said_by(refused)) == (
            "PERMISSION_DENIED",
            f"{tool}: the session is closed; start a new one",
        )
    told = await desk.runtime.run("Hello", by=principal(), conversation=session)
    assert code_of(told) == "PERMISSION_DENIED"
    assert await rows(desk.database, "casefiles") == {"casefiles": 0}


@pytest.mark.parametrize("by", [principal("bob"), principal("ann", "other")], ids=["person", "tenant"])
async def test_nothing_is_called_in_the_session_of_somebody_else(desk: Desk, by: Principal) -> None:
    session = await desk.session()
    assert code_of(await desk.run("create_casefile", by, at=session, title="Smith")) == "NOT_FOUND"
    assert code_of(await desk.runtime.run("Hello", by=by, conversation=session)) == "NOT_FOUND"
    assert await rows(desk.database, "casefiles", "events") == {"casefiles": 0, "events": 0}


async def test_a_call_in_an_idle_session_takes_it_up(desk: Desk, clock: Clock) -> None:
    session = await desk.session()
    clock.advance(days=1)
    await desk.run("list_casefiles", at=session)
    assert (await desk.call("get_tool_session", session_id=session))["updated_at"] == "2026-01-02T00:00:00Z"


async def test_a_run_that_waits_while_its_session_is_closed_does_nothing_more(database: Database) -> None:
    desk = Desk(database)
    casefile = await desk.casefile()
    desk = Desk(database, calls(("delete_casefile", {"casefile_id": casefile, "confirm": True})), "It is gone.")
    session = await desk.session("chat")
    waiting = await desk.runtime.run("Delete it", by=principal(), conversation=session)
    assert waiting.status == "waiting"
    await desk.call("close_chat_session", session_id=session)
    assert code_of(await desk.decide(waiting)) == "PERMISSION_DENIED"
    assert await rows(database, "casefiles") == {"casefiles": 1}
