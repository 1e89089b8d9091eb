"""Sessions of others: seen by the admins of their casefile, and used, closed or taken along by their user alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sqlalchemy import select

from figures.acl import ALL, CASEFILE_PARAMETER, STANDINGS, TOOL_REQUEST, Standing, Trial, mark_of
from remit import Principal
from remit.tools import Arguments
from remit_casefile.casefiles.access import Level
from remit_casefile.storage.tables import CasefileSession, ChatMessage, Event, Session

READ_ACTIONS: Final = ("get_{kind}_session", "list_{kind}_sessions", "list_events")
WRITE_ACTIONS: Final = ("close_{kind}_session", "add_session_to_casefile", "call in it")
KINDS: Final = ("tool", "chat")
_TABLES: Final = (Session, CasefileSession, ChatMessage, Event)


async def find_violations(trial: Trial, kind: str, name: str, standing: Standing) -> list[str]:
    """What is wrong with what somebody, who stands so to the casefile of a session of its owner, does to that."""
    casefile, _, by = await trial.create_case(standing)
    owner = Principal(f"owner{casefile[-6:]}", "default", ALL)
    mark = mark_of(casefile)
    made = await _call(trial, f"create_{kind}_session", {CASEFILE_PARAMETER: casefile, "title": mark}, owner)
    session = str(made["session_id"])
    if (by.name, by.tenant) == (owner.name, owner.tenant):
        return []
    before = await _stored_rows(trial, session)
    response = json.dumps(await _perform(trial, kind, name, session, by, owner))
    may_see = standing.level >= Level.ADMIN and name in READ_ACTIONS
    wrong: list[str] = []
    if may_see and (session if name == "list_events" else mark) not in response and '"events": []' not in response:
        wrong.append(f"does not see it: {response[:300]}")
    if not may_see and mark in response:
        wrong.append(f"sees it: {response[:300]}")
    if not may_see and not name.startswith("list") and "error" not in response:
        wrong.append(f"does it: {response[:300]}")
    if before != await _stored_rows(trial, session):
        wrong.append("changes it")
    return [f"{standing.name} {each} (by {name.format(kind=kind)}, of a {kind} session)" for each in wrong]


async def _perform(
    trial: Trial, kind: str, name: str, session: str, by: Principal, owner: Principal
) -> Mapping[str, Any]:
    """Do it; what is said."""
    if name == "call in it":
        request = {"tool_name": "list_casefiles"} if kind == "tool" else {"message": "go"}
        return await _call(trial, TOOL_REQUEST if kind == "tool" else "process_chat_request", request, by, at=session)
    if name == "add_session_to_casefile":
        mine = await _call(trial, "create_casefile", {"title": "mine"}, by)
        arguments = {CASEFILE_PARAMETER: mine["casefile_id"], "session_id": session, "session_type": kind}
        return await _call(trial, name, arguments, by)
    arguments = {"user_id": owner.name, "active_only": False} if name.startswith("list_{") else {"session_id": session}
    return await _call(trial, name.format(kind=kind), arguments, by)


async def _call(trial: Trial, name: str, payload: dict[str, Any], by: Principal, *, at: str = "") -> dict[str, Any]:
    arguments = Arguments(json.dumps(payload), payload)
    return json.loads((await trial.runtime.call_by_name(name, arguments, by=by, conversation=at)).text)


async def _stored_rows(trial: Trial, session: str) -> list[str]:
    """Everything that is kept of a session."""
    async with trial.parts.database.read() as reading:
        found: list[str] = []
        for table in _TABLES:
            columns = table.__table__.columns
            column = columns["id"] if table is Session else columns["session"]
            rows = (await reading.execute(select(*columns).where(column == session))).all()
            found += sorted(repr(tuple(row)) for row in rows)
        return found


async def find_leaks(*, names: Sequence[str] | None = None, enforces: bool = True) -> tuple[list[str], int]:
    """What is wrong, and out of how many rows."""
    wrong: list[str] = []
    looked_at = 0
    with TemporaryDirectory() as folder:
        async with aclosing(Trial(Path(folder), enforces=enforces)) as trial:
            for kind in KINDS:
                for name in READ_ACTIONS + WRITE_ACTIONS:
                    for standing in STANDINGS:
                        if (names is None or standing.name in names) and standing.name != "owner":
                            wrong += await find_violations(trial, kind, name, standing)
                            looked_at += 1
    return wrong, looked_at
