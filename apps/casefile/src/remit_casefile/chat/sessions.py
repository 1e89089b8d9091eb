"""Opens, reads and closes chat sessions. A model reads the methods' docstrings."""

from __future__ import annotations

from sqlalchemy import func, select

from remit import LeafContext
from remit_casefile.chat.payloads import (
    ChatMessagePayload,
    ChatSessionClosedPayload,
    ChatSessionPayload,
    ChatSessionsPayload,
    GetSessionPayload,
    Role,
)
from remit_casefile.sessions import rows
from remit_casefile.sessions.payloads import (
    CloseSessionPayload,
    CreateSessionPayload,
    ListSessionsPayload,
    SessionCreatedPayload,
)
from remit_casefile.sessions.sessions import session_created_payload
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import ChatMessage, Session
from remit_casefile.storage.transactions import Edit, View, edit_once, open_view


class ChatSessions:
    """The chat sessions of a tenant. A session belongs to its user; admins of its casefile may read it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_session(self, ctx: LeafContext, payload: CreateSessionPayload) -> SessionCreatedPayload:
        """Create a chat session: its messages are stored, and the agent continues from them."""

        async def work(edit: Edit) -> SessionCreatedPayload:
            return session_created_payload(await rows.add_session(edit, "chat", payload))

        return await edit_once(self._database, ctx, payload, SessionCreatedPayload, work)

    async def get_session(self, ctx: LeafContext, payload: GetSessionPayload) -> ChatSessionPayload:
        """Read a chat session: its state, the number of messages, and the messages if requested."""
        async with open_view(self._database, ctx) as view:
            session = await rows.get_visible_session(view, payload.session_id, "chat")
            messages = await _load_messages(view, session) if payload.include_messages else None
            return (await _chat_session_payload(view, session)).model_copy(update={"messages": messages})

    async def list_sessions(self, ctx: LeafContext, payload: ListSessionsPayload) -> ChatSessionsPayload:
        """List chat sessions, the newest first: your own, and those of casefiles that you are an admin of."""
        async with open_view(self._database, ctx) as view:
            found, total = await rows.list_visible_sessions(view, "chat", payload)
            session_payloads = [await _chat_session_payload(view, session) for session in found]
        return ChatSessionsPayload(
            sessions=session_payloads, total_count=total, offset=payload.offset, limit=payload.limit
        )

    async def close_session(self, ctx: LeafContext, payload: CloseSessionPayload) -> ChatSessionClosedPayload:
        """Close one of your chat sessions, and the tool session of its agent. It accepts no more messages."""

        async def work(edit: Edit) -> ChatSessionClosedPayload:
            session = await rows.get_own_session(edit, payload.session_id, "chat")
            total = await rows.close_session(edit, session)
            return ChatSessionClosedPayload(
                session_id=session.id,
                closed_at=edit.now,
                total_requests=total.requests,
                total_events=total.events,
                total_messages=await count_messages(edit, session),
                duration_seconds=round((edit.now - session.created_at).total_seconds()),
            )

        closed = await edit_once(self._database, ctx, payload, ChatSessionClosedPayload, work)
        await rows.end_run_of_session(self._database, ctx, closed.session_id)
        return closed


async def count_messages(view: View, session: Session) -> int:
    """The number of messages in a chat session."""
    query = select(func.count()).select_from(ChatMessage).where(ChatMessage.session == session.id)
    return await view.session.scalar(query) or 0


async def _chat_session_payload(view: View, session: Session) -> ChatSessionPayload:
    base = await rows.session_payload(view, session)
    return ChatSessionPayload(
        **dict(base), message_count=await count_messages(view, session), tool_session_id=session.tool_session
    )


async def _load_messages(view: View, session: Session) -> list[ChatMessagePayload]:
    query = select(ChatMessage).where(ChatMessage.session == session.id).order_by(ChatMessage.position)
    return [
        ChatMessagePayload(message_id=each.id, role=message_role(each), text=each.text, created_at=each.created_at)
        for each in await view.session.scalars(query)
    ]


def message_role(message: ChatMessage) -> Role:
    """The role of a message's author."""
    return "user" if message.role == "user" else "assistant"
