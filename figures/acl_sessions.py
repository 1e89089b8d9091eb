"""Sessions of others: seen by the admins of their casefile, and used, closed or taken along by their user alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sqlalchemy import select

from figures.acl import ALL, DOOR, PARAMETER, STANDINGS, Standing, Trial, mark_of
from remit import Arguments, Principal
from remit_casefile.casefiles.access import Level
from remit_casefile.storage.tables import CasefileSession, ChatMessage, Event, Session, SessionRequest

LOOKS: Final = ("get_{kind}_session", "list_{kind}_sessions", "list_events")
USES: Final = ("close_{kind}_session", "add_session_to_casefile", "call in it")
KINDS: Final = ("tool", "chat")
_TABLES: Final = (Session, SessionRequest, CasefileSession, ChatMessage, Event)


async def violations(trial: Trial, kind: str, name: str, standing: Standing) -> list[str]:
    """What is wrong with what somebody, who stands so to the casefile of a session of its owner, does to that."""
    casefile, _, by = await trial.stand(standing)
    owner = Principal(f"owner{casefile[-6:]}", "default", ALL)
    mark = mark_of(casefile)
    made = await _call(trial, f"create_{kind}_session", {PARAMETER: casefile, "title": mark}, owner)
    session = str(made["session_id"])
    if (by.name, by.tenant) == (owner.name, owner.tenant):
        return []
    before = await _kept(trial, session)
    told = json.dumps(await _done(trial, kind, name, session, by, owner))
    sees = standing.level >= Level.ADMIN and name in LOOKS
    wrong: list[str] = []
    if sees and (session if name == "list_events" else mark) not in told and '"events": []' not in told:
        wrong.append(f"does not see it: {told[:300]}")
    if not sees and mark in told:
        wrong.append(f"sees it: {told[:300]}")
    if not sees and not name.startswith("list") and "error" not in told:
        wrong.append(f"does it: {told[:300]}")
    if before != await _kept(trial, session):
        wrong.append("changes it")
    return [f"{standing.name} {each} (by {name.format(kind=kind)}, of a {kind} session)" for each in wrong]


async def _done(trial: Trial, kind: str, name: str, session: str, by: Principal, owner: Principal) -> Mapping[str, Any]:
    """Do it; what is said."""
    if name == "call in it":
        asked = {"tool_name": "list_casefiles"} if kind == "tool" else {"message": "go"}
        return await _call(trial, DOOR if kind == "tool" else "process_chat_request", asked, by, at=session)
    if name == "add_session_to_casefile":
        mine = await _call(trial, "create_casefile", {"title": "mine"}, by)
        said = {PARAMETER: mine["casefile_id"], "session_id": session, "session_type": kind}
        return await _call(trial, name, said, by)
    said = {"user_id": owner.name, "active_only": False} if name.startswith("list_{") else {"session_id": session}
    return await _call(trial, name.format(kind=kind), said, by)


async def _call(trial: Trial, name: str, said: dict[str, Any], by: Principal, *, at: str = "") -> dict[str, Any]:
    arguments = Arguments(json.dumps(said), said)
    return json.loads((await trial.runtime.call_named(name, arguments, by=by, conversation=at)).text)


async def _kept(trial: Trial, session: str) -> list[str]:
    """Everything that is kept of a session."""
    async with trial.parts.database.reading() as reading:
        found: list[str] = []
        for table in _TABLES:
            columns = table.__table__.columns
            column = columns["id"] if table is Session else columns["session"]
            rows = (await reading.execute(select(*columns).where(column == session))).all()
            found += sorted(repr(tuple(row)) for row in rows)
        return found


async def leaks(*, names: Sequence[str] | None = None, enforces: bool = True) -> tuple[list[str], int]:
    """What is wrong, and out of how many rows."""
    wrong: list[str] = []
    looked_at = 0
    with TemporaryDirectory() as folder:
        async with aclosing(Trial(Path(folder), enforces=enforces)) as trial:
            for kind in KINDS:
                for name in LOOKS + USES:
                    for standing in STANDINGS:
                        if (names is None or standing.name in names) and standing.name != "owner":
                            wrong += await violations(trial, kind, name, standing)
                            looked_at += 1
    return wrong, looked_at
