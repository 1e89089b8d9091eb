"""The record of a chat turn: two writes around the agent, each a call in the journal of the run."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select, update

from remit import Effect, LeafContext, tool
from remit.errors import ConflictError, DeniedError
from remit.inventory import Visibility
from remit.tools import with_recommended_layers
from remit_casefile.chat.interruptions import OPEN_STATUSES
from remit_casefile.chat.payloads import Role
from remit_casefile.chat.sessions import count_messages, message_role
from remit_casefile.sessions import rows
from remit_casefile.sessions.conversation_sessions import find_session
from remit_casefile.sessions.payloads import Payload
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import request_id
from remit_casefile.storage.tables import ChatMessage, Session
from remit_casefile.storage.transactions import Edit, write_once

MAX_EARLIER_MESSAGES: Final = 40
MAX_EARLIER_CHARACTERS: Final = 24_000
"""So much of what was said before reaches the agent: the newest messages, and letters in all."""


class EarlierMessage(Payload):
    """An earlier message."""

    role: Role
    text: str


class Turn(Payload):
    """A turn that has started."""

    session_id: str
    tool_session_id: str
    session_request_id: str
    earlier: list[EarlierMessage]


class TurnEnd(Payload):
    """A turn that has ended, with the agent's answer if there is one."""

    turn: Turn
    reply: str | None


class ChatProgress(Payload):
    """The number of messages in the chat."""

    message_count: int


class Turns:
    """The two writes, as tools that only the function around them calls."""

    def __init__(self, database: Database) -> None:
        self._database = database
        begin = tool(
            name="begin_chat_turn",
            effect=Effect.KEYED,
            visibility=Visibility.INTERNAL,
            says="Record the message {message}",
        )(self._begin)
        end = tool(
            name="end_chat_turn",
            effect=Effect.KEYED,
            visibility=Visibility.INTERNAL,
            says="Record the answer of the agent",
        )(self._end)
        self.begin = with_recommended_layers(begin)
        self.end = with_recommended_layers(end)

    async def _begin(self, ctx: LeafContext, message: str) -> Turn:
        """Store the user's message, and return the earlier ones."""

        async def work(edit: Edit) -> Turn:
            session = await _claim_chat_session(edit, ctx.caller.conversation)
            inner = await rows.get_or_add_tool_session(edit, session)
            request = request_id(edit.run, ctx.caller.call)
            earlier = await _recent_messages(edit, session)
            await _add_message(edit, session, "user", message, request)
            edit.add_change("session", session.id, "messages", "requests")
            return Turn(session_id=session.id, tool_session_id=inner.id, session_request_id=request, earlier=earlier)

        return await write_once(self._database, ctx, Turn, work)

    async def _end(self, ctx: LeafContext, payload: TurnEnd) -> ChatProgress:
        """Store the agent's answer."""

        async def work(edit: Edit) -> ChatProgress:
            session = await edit.session.get_one(Session, payload.turn.session_id)
            request = payload.turn.session_request_id
            asked = (ChatMessage.request == request, ChatMessage.role == "user")
            status = "failed" if payload.reply is None else "completed"
            await edit.session.execute(update(ChatMessage).where(*asked).values(status=status))
            edit.add_change("session", session.id, "requests")
            if payload.reply is not None:
                await _add_message(edit, session, "assistant", payload.reply, request)
                edit.add_change("session", session.id, "messages")
            return ChatProgress(message_count=await count_messages(edit, session))

        return await write_once(self._database, ctx, ChatProgress, work)


async def _claim_chat_session(edit: Edit, conversation: str) -> Session:
    """The chat session of a conversation, if no other turn is in progress.

    Raises:
        NotFoundError, DeniedError: the caller has none, or it is closed.
        ConflictError: it is busy.
    """
    session = await find_session(edit, conversation) if conversation else None
    if session is None or session.kind != "chat":
        raise DeniedError("A person talks in a chat session: create one with create_chat_session, and call in it.")
    if session.state == "closed":
        raise DeniedError(f"The session '{session.id}' is closed; begin a new one.")
    here = (ChatMessage.session == session.id, ChatMessage.status.in_(OPEN_STATUSES))
    busy = (await edit.session.scalars(select(ChatMessage).where(*here))).first()
    if busy is not None:
        raise ConflictError(
            f"The session '{session.id}' is busy: its last message is {busy.status} (run {busy.run}); "
            "decide, resume or cancel that first."
        )
    session.state, session.updated_at = "active", edit.now
    return session


async def _add_message(edit: Edit, session: Session, role: Role, text: str, request: str) -> None:
    message = ChatMessage(
        id=await edit.draw_unused_id(ChatMessage, edit.ids.message),
        session=session.id,
        position=await count_messages(edit, session),
        role=role,
        text=text,
        created_at=edit.now,
        request=request,
        run=edit.run,
        status="running" if role == "user" else None,
    )
    edit.session.add(message)
    await edit.session.flush()


async def _recent_messages(edit: Edit, session: Session) -> list[EarlierMessage]:
    """The latest messages, oldest first."""
    newest = select(ChatMessage).where(ChatMessage.session == session.id).order_by(ChatMessage.position.desc())
    messages: list[EarlierMessage] = []
    remaining = MAX_EARLIER_CHARACTERS
    for message in await edit.session.scalars(newest.limit(MAX_EARLIER_MESSAGES)):
        remaining -= len(message.text)
        if remaining < 0:
            break
        messages.append(EarlierMessage(role=message_role(message), text=message.text))
    return messages[::-1]
