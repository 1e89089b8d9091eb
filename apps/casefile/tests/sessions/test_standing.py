"""The session of a call is the one whose conversation it is made in: active, idle, closed, or absent."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from apps.casefile.tests.office import principal
from apps.casefile.tests.world import Clock, rows
from remit import Effect, Principal, tool
from remit.errors import NotFoundError
from remit.inventory import SessionState
from remit.layers import Call
from remit.testing import make_call
from remit_casefile.sessions.conversation_sessions import ConversationSessions
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Session

MINE = "ts_260101_ann00000_000001"


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


async def call(conversation: str = MINE, by: Principal | None = None) -> Call:
    """A call in a conversation."""
    return await make_call(look, conversation=conversation, by=by or principal())


async def begin(database: Database, state: str = "active") -> None:
    """The session of ann."""
    now = database.clock()
    async with database.write() as writing:
        writing.add(
            Session(
                id=MINE,
                tenant="default",
                kind="tool",
                user="ann",
                title="",
                state=state,
                created_at=now,
                updated_at=now,
                conversation=MINE,
            )
        )


@pytest.mark.parametrize(
    ("state", "standing"),
    [("active", SessionState.ACTIVE), ("idle", SessionState.IDLE), ("closed", SessionState.CLOSED)],
)
async def test_a_session_stands_as_it_is_stored(database: Database, state: str, standing: SessionState) -> None:
    await begin(database, state)
    assert await ConversationSessions(database).state(await call()) is standing


async def test_a_session_in_which_nothing_happens_is_idle_until_it_is_taken_up_again(
    database: Database, clock: Clock
) -> None:
    await begin(database)
    standing = ConversationSessions(database)
    clock.advance(hours=8)
    assert await standing.state(await call()) is SessionState.ACTIVE
    clock.advance(seconds=1)
    assert await standing.state(await call()) is SessionState.IDLE
    await standing.resume(await call())
    assert await standing.state(await call()) is SessionState.ACTIVE


@pytest.mark.parametrize("by", [principal("bob"), principal("ann", "other")], ids=["person", "tenant"])
async def test_the_session_of_somebody_else_is_not_there_in_the_same_words(database: Database, by: Principal) -> None:
    standing = ConversationSessions(database)
    with pytest.raises(NotFoundError) as missing:
        await standing.state(await call(by=by))
    await begin(database)
    with pytest.raises(NotFoundError) as refused:
        await standing.state(await call(by=by))
    assert refused.value.message == missing.value.message


@pytest.mark.parametrize("conversation", ["talk", ""])
async def test_a_conversation_that_is_no_session_can_be_made_one_once(database: Database, conversation: str) -> None:
    standing = ConversationSessions(database)
    assert await standing.state(await call(conversation)) is SessionState.ABSENT
    for _ in range(2):
        await standing.open(await call(conversation))
    assert await standing.state(await call(conversation)) is SessionState.ACTIVE
    assert await rows(database, "sessions") == {"sessions": 1}
    async with database.read() as reading:
        session = (await reading.scalars(select(Session))).one()
    assert (session.user, session.kind, session.conversation) == ("ann", "tool", conversation or "run run")


async def test_what_was_made_a_session_by_one_is_not_there_for_another(database: Database) -> None:
    standing = ConversationSessions(database)
    await standing.open(await call("talk"))
    with pytest.raises(NotFoundError, match="No session 'talk' of yours"):
        await standing.state(await call("talk", principal("bob")))
    assert await standing.state(await call("talk", principal("ann", "other"))) is SessionState.ABSENT
