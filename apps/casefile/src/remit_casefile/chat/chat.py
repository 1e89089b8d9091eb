"""A turn of a chat: the user sends a message, and the agent answers with its tools under all policies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from remit import Agent, Context
from remit.errors import CallError, InvalidArgumentsError
from remit.tools import Callee
from remit_casefile.chat.interruptions import track_interruption
from remit_casefile.chat.payloads import ChatRequestPayload, ChatResponsePayload
from remit_casefile.chat.turns import EarlierMessage, TurnEnd, Turns
from remit_casefile.storage.database import Database

HISTORY_HEADING: Final = "What was said before in this chat, one message a line, the oldest first:"
MESSAGE_HEADING: Final = "What the person says now:"


class Chat:
    """Lets a user talk to an agent. This is not a tool of the agent.

    Args:
        models: the names of the models that a user may choose; by default none.
    """

    def __init__(self, database: Database, agent: Agent, models: Iterable[str] = ()) -> None:
        self._database = database
        self._agent = agent
        self._models = tuple(models)
        self._turns = Turns(database)

    @property
    def record_tools(self) -> tuple[Callee[..., Any], ...]:
        """The writes of the record, for the application to list."""
        return self._turns.begin, self._turns.end

    async def chat(self, ctx: Context, payload: ChatRequestPayload) -> ChatResponsePayload:
        """Send a message to the agent in the chat session of the call, and get its answer."""
        message, agent = payload.message, self._agent_for(payload)
        turn = await ctx.call(self._turns.begin, message)
        async with track_interruption(self._database, turn.session_request_id):
            try:
                reply = await ctx.call(agent, build_prompt(turn.earlier, message))
            except CallError:
                await ctx.call(self._turns.end, TurnEnd(turn=turn, reply=None))
                raise
            progress = await ctx.call(self._turns.end, TurnEnd(turn=turn, reply=reply))
        return ChatResponsePayload(
            reply=reply,
            session_id=turn.session_id,
            tool_session_id=turn.tool_session_id,
            session_request_id=turn.session_request_id,
            message_count=progress.message_count,
        )

    def _agent_for(self, payload: ChatRequestPayload) -> Agent:
        """The agent with the model and the temperature that the user chose.

        Raises:
            InvalidArgumentsError: the application does not offer the model.
        """
        agent = self._agent
        if payload.model is not None:
            if payload.model not in self._models:
                offered = ", ".join(self._models) or "none; leave model out"
                raise InvalidArgumentsError(f"model: {payload.model!r} cannot be chosen here. Offered: {offered}.")
            agent = agent.with_model(payload.model)
        return (
            agent
            if payload.temperature is None
            else agent.with_settings(agent.settings.update(temperature=payload.temperature))
        )


def build_prompt(earlier: Sequence[EarlierMessage], message: str) -> str:
    """The prompt for the agent: the earlier messages, then the new one.

    Each earlier message is one line of JSON, so that its text cannot imitate another message.
    """
    if not earlier:
        return message
    lines = [json.dumps(entry.model_dump(), ensure_ascii=False) for entry in earlier]
    return "\n".join([HISTORY_HEADING, *lines, "", MESSAGE_HEADING, message])
