"""The tools requested in a session are calls of one open run, whose id is that of the session's conversation."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from apps.casefile.tests.desk import COMPLETED, RECEIVED, SENT, STARTED, Desk
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import rows
from remit.errors import RequestConflictError
from remit.inventory import Status, handle_request
from remit.items import CallReceived
from remit.runtime import CallResult, OpenRun
from remit_casefile.storage.database import Database


@pytest.fixture
def location(sqlite_location: Path) -> Path | str:
    """What these tests check does not depend on the kind of database."""
    return sqlite_location


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


def run_of(desk: Desk, session: str) -> OpenRun:
    return desk.runtime.client(principal()).open_run(idempotency_key=session, conversation=session)


async def ask(run: OpenRun, tool: str, key: str = "", **parameters: Any) -> CallResult[Any]:
    return await run.call("process_tool_request", {"tool_name": tool, "parameters": parameters}, key=key)


async def test_requests_at_once_are_recorded_each_with_its_own_events(desk: Desk) -> None:
    session = await desk.session()
    async with run_of(desk, session) as run:
        made = await asyncio.gather(*(ask(run, "create_casefile", title=each) for each in ("Smith", "Jones", "Smith")))
    requests = {json.loads(each.text)["session_request_id"]: json.loads(each.text)["events"] for each in made}
    assert len(requests) == 3
    for request, ids in requests.items():
        events = [each for each in await desk.events(session) if each.chain_id == request]
        assert [each.event_type for each in events] == [RECEIVED, STARTED, COMPLETED, SENT]
        assert [each.chain_position for each in events] == [0, 1, 3, 4], "the casefile's own event stands between"
        assert [each.id for each in events] == ids
    assert await rows(desk.database, "casefiles") == {"casefiles": 3}


async def test_a_request_that_is_repeated_with_its_key_is_one_request(desk: Desk) -> None:
    session = await desk.session()
    async with run_of(desk, session) as run:
        first = await ask(run, "create_casefile", "1", title="Smith")
    async with run_of(desk, session) as run:
        assert (await ask(run, "create_casefile", "1", title="Smith")).text == first.text
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}
    assert await desk.types(session) == [RECEIVED, STARTED, COMPLETED, SENT]


async def test_a_request_that_waits_leaves_the_session_to_others_and_is_finished_once_it_is_decided(desk: Desk) -> None:
    casefile = await desk.casefile()
    session = await desk.session()
    delete = {"casefile_id": casefile, "confirm": True}
    async with run_of(desk, session) as run:
        asked = await ask(run, "delete_casefile", "1", **delete)
        assert asked.status == "waiting"
        assert (await ask(run, "list_casefiles")).status == "done"
        await desk.runtime.decide(asked.questions[0], approved=True, by=principal())
        assert (await ask(run, "delete_casefile", "1", **delete)).status == "done"
        closed = await run.close()
    assert closed.value() == {"calls": 2, "failed": 0, "denied": 0}
    assert (await desk.call("get_tool_session", session_id=session))["request_count"] == 2
    assert (await desk.runtime.replay(run.id)).difference == ""


async def test_envelopes_of_a_session_are_calls_of_its_run_and_done_once(desk: Desk) -> None:
    session = await desk.session()
    sent = {
        "request_id": "00000000-0000-0000-0000-000000000001",
        "session_id": session,
        "user_id": "ann",
        "payload": {"tool_name": "create_casefile", "parameters": {"title": "Smith"}},
    }
    ids = set[str]()
    for _ in range(2):
        async with run_of(desk, session) as run:
            ids.add(run.id)
            answer = await handle_request(desk.runtime, sent, by=principal(), run=run)
            assert (answer.status, answer.payload and answer.payload.result["title"]) == (Status.COMPLETED, "Smith")
            other = await handle_request(desk.runtime, {**sent, "user_id": "bob"}, by=principal(), run=run)
            assert other.status is Status.FAILED
            as_bob = {**sent, "user_id": "bob"}
            assert (await handle_request(desk.runtime, as_bob, by=principal("bob"), run=run)).status is Status.FAILED
    (ident,) = ids
    received = [each.item for each in await desk.runtime.store.read(ident) if isinstance(each.item, CallReceived)]
    assert [each.key for each in received] == [sent["request_id"]]


@pytest.mark.parametrize("requested", [False, True], ids=["called", "requested"])
@pytest.mark.parametrize("kind", ["tool", "chat"])
async def test_a_session_that_is_closed_in_its_run_ends_the_run_after_that_call(
    desk: Desk, kind: str, requested: bool
) -> None:
    session, other = await desk.session(kind), await desk.session(kind)
    close = f"close_{kind}_session"
    async with run_of(desk, session) as run:
        assert (await run.call(close, {"session_id": other})).status == "done"
        assert (await run.call("list_casefiles", {})).status == "done", "it was another session"
        asked = ask(run, close, session_id=session) if requested else run.call(close, {"session_id": session})
        assert (await asked).status == "done"
        with pytest.raises(RequestConflictError, match="open another"):
            await run.call("list_casefiles", {})
        assert (await run.close()).value() == {"calls": 3, "failed": 0, "denied": 0}
    assert (await desk.runtime.replay(run.id)).difference == ""


async def test_nothing_is_called_in_the_run_of_a_closed_session(desk: Desk) -> None:
    session = await desk.session()
    async with run_of(desk, session) as run:
        assert (await run.call("create_casefile", {"title": "Smith"})).status == "done"
        await desk.call("close_tool_session", session_id=session)
        for tool, arguments in (("create_casefile", {"title": "Jones"}), ("list_casefiles", {})):
            refused = await run.call(tool, arguments)
            assert "the session is closed" in refused.text
    assert await rows(desk.database, "casefiles") == {"casefiles": 1}


async def test_nothing_is_called_in_an_open_run_in_the_session_of_somebody_else(desk: Desk) -> None:
    session = await desk.session()
    async with desk.runtime.client(principal("bob")).open_run(conversation=session) as run:
        refused = await run.call("create_casefile", {"title": "Smith"})
    assert "NOT_FOUND" in refused.text
    assert await rows(desk.database, "casefiles", "events") == {"casefiles": 0, "events": 0}
