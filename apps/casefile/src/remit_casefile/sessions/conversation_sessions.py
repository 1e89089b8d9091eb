"""The session capability: the session of a call is the one of its conversation."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from sqlalchemy import Select, select

from remit.errors import BlockedError
from remit.inventory import SessionState
from remit.layers import Call
from remit_casefile.casefiles.access import Level, require_casefile
from remit_casefile.sessions import rows
from remit_casefile.sessions.payloads import CreateSessionPayload
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import SESSION_ID
from remit_casefile.storage.tables import Session
from remit_casefile.storage.transactions import View, make_edit, open_view, session_not_found

IDLE_AFTER: Final = timedelta(hours=8)
"""A session in which nothing happened for so long is idle; it may be taken up again."""


class ConversationSessions:
    """Sessions by conversation. A session does not exist for anyone but its user.

    It works while its user may write in its casefile and the casefile is active.

    Args:
        idle_after: the inactivity after which a session is idle.
    """

    def __init__(self, database: Database, *, idle_after: timedelta = IDLE_AFTER) -> None:
        self._database = database
        self._idle_after = idle_after

    async def state(self, call: Call, /) -> SessionState:
        """The state of this call's session.

        Raises:
            NotFoundError: there is no such session, or it belongs to another user; both look the same. Or the user may
                no longer see its casefile.
            DeniedError: the user may no longer write in its casefile.
            BlockedError: its casefile is archived.
        """
        async with open_view(self._database, call) as view:
            session = await find_session(view, _conversation_key(call))
        if session is None:
            return SessionState.ABSENT
        if session.state == "closed":
            return SessionState.CLOSED
        idle_time = self._database.clock() - session.updated_at
        return SessionState.IDLE if session.state == "idle" or idle_time > self._idle_after else SessionState.ACTIVE

    async def open(self, call: Call, /) -> None:
        """Open a tool session for the conversation of this call, or for its run if it has none."""
        async with self._database.write() as session:
            edit, conversation = make_edit(self._database, session, call.caller), _conversation_key(call)
            if await find_session(edit, conversation) is None:
                await rows.add_session(edit, "tool", CreateSessionPayload(), conversation)

    async def resume(self, call: Call, /) -> None:
        """Resume the session of this call."""
        tenant = call.caller.principal.tenant
        async with self._database.write() as session:
            found = (await session.scalars(_session_query(tenant, _conversation_key(call)))).one()
            found.state, found.updated_at = "active", self._database.clock()


async def find_session(view: View, conversation: str) -> Session | None:
    """The caller's session of a conversation; None if the conversation is not a session.

    Work in a session is recorded in its casefile, so the user must have write access and the casefile must be active.

    Raises:
        NotFoundError: it looks like a session id but is not one of the caller's, or its casefile does not exist.
        DeniedError: the caller may only read its casefile.
        BlockedError: its casefile is archived.
    """
    found = (await view.session.scalars(_session_query(view.tenant, conversation))).one_or_none()
    if found is None and re.match(SESSION_ID, conversation) is None:
        return None
    if found is None or found.user != view.person:
        raise session_not_found(conversation)
    if found.casefile is not None:
        doing = f"the session '{found.id}'"
        casefile = await require_casefile(view, found.casefile, Level.EDITOR, doing)
        if casefile.state != "active":
            raise BlockedError(f"casefile '{casefile.id}' is {casefile.state}; {doing} needs one that is active")
    return found


def _session_query(tenant: str, conversation: str) -> Select[Session]:
    return select(Session).where(Session.tenant == tenant, Session.conversation == conversation)


def _conversation_key(call: Call) -> str:
    return call.caller.conversation or f"run {call.caller.run}"
