"""The capability to know the session of a call: the one whose conversation the call is made in."""

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
from remit_casefile.sessions.request_writes import make_edit
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import SESSION_ID
from remit_casefile.storage.tables import Session
from remit_casefile.storage.transactions import View, open_view, session_not_found

IDLE_AFTER: Final = timedelta(hours=8)
"""A session in which nothing happened for so long is idle; it may be taken up again."""


class ConversationSessions:
    """Sessions by their conversation. A session is its user's: to anybody else it is not there.

    It is theirs as long as they may write in its casefile, and works while that is active.

    Args:
        idle_after: how long nothing happens in a session until it is idle.
    """

    def __init__(self, database: Database, *, idle_after: timedelta = IDLE_AFTER) -> None:
        self._database = database
        self._idle_after = idle_after

    async def state(self, call: Call, /) -> SessionState:
        """How the session of this call stands.

        Raises:
            NotFoundError: the call names a session that is not there, or somebody else's: these look the same.
            NotFoundError, DeniedError: its user may not write in its casefile any more.
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
        """Open a tool session for the conversation of this call, or for its run where it is in none."""
        async with self._database.write_session() as session:
            edit, conversation = make_edit(self._database, session, call.caller), _conversation_key(call)
            if await find_session(edit, conversation) is None:
                await rows.add_session(edit, "tool", CreateSessionPayload(), conversation)

    async def resume(self, call: Call, /) -> None:
        """Take the session of this call up again."""
        tenant = call.caller.principal.tenant
        async with self._database.write_session() as session:
            found = (await session.scalars(_session_query(tenant, _conversation_key(call)))).one()
            found.state, found.updated_at = "active", self._database.clock()


async def find_session(view: View, conversation: str) -> Session | None:
    """The caller's session of a conversation; None where the conversation is no session.

    What is done in a session is recorded in its casefile. So there is one only for as long as its user may write there,
    and the casefile is active.

    Raises:
        NotFoundError: it has the form of a session's id and is none of the caller's, or its casefile is not there.
        DeniedError: the caller may only read its casefile. BlockedError: its casefile is archived.
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
