"""A turn of a chat: the user sends a message, and the agent answers with its tools under all policies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from remit import Agent, Context
from remit.errors import CallError
from remit.tools import Callee
from remit_casefile.chat.payloads import ChatRequest, ChatResponse, ChatResponsePayload
from remit_casefile.chat.turns import EarlierMessage, TurnEnd, Turns
from remit_casefile.sessions.request_writes import track_interruption
from remit_casefile.storage.database import Database

HISTORY_HEADING: Final = "What was said before in this chat, one message a line, the oldest first:"
MESSAGE_HEADING: Final = "What the person says now:"


class Chat:
    """Lets a user talk to an agent. This is not a tool of the agent."""

    def __init__(self, database: Database, agent: Agent) -> None:
        self._database = database
        self._agent = agent
        self._turns = Turns(database)

    @property
    def record_tools(self) -> tuple[Callee[..., Any], ...]:
        """The writes of the record, for the application to list."""
        return self._turns.begin, self._turns.end

    async def chat(self, ctx: Context, request: ChatRequest) -> ChatResponse:
        """Send a message to the agent in the chat session of the call, and get its answer."""
        message = request.payload.message
        turn = await ctx.call(self._turns.begin, message)
        async with track_interruption(self._database, turn.session_request_id):
            try:
                reply = await ctx.call(self._agent, build_prompt(turn.earlier, message))
            except CallError as error:
                await ctx.call(self._turns.end, TurnEnd(turn=turn, reply=None))
                return ChatResponse.failed(request, error)
            progress = await ctx.call(self._turns.end, TurnEnd(turn=turn, reply=reply))
        answer = ChatResponsePayload(
            reply=reply,
            session_id=turn.session_id,
            tool_session_id=turn.tool_session_id,
            session_request_id=turn.session_request_id,
            message_count=progress.message_count,
        )
        return ChatResponse.completed(request, answer)


def build_prompt(earlier: Sequence[EarlierMessage], message: str) -> str:
    """The prompt for the agent: the earlier messages, then the new one.

    Each earlier message is one line of JSON, so that its text cannot imitate another message.
    """
    if not earlier:
        return message
    lines = [json.dumps(entry.model_dump(), ensure_ascii=False) for entry in earlier]
    return "\n".join([HISTORY_HEADING, *lines, "", MESSAGE_HEADING, message])
