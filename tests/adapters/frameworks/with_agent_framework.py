"""The paying agent with the Microsoft Agent Framework, whose session is saved when it pauses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    tool,
)

from remit import Tool
from remit.adapters.agent_framework import GovernMiddleware, adopt_tool, offer_tool
from remit.call.facts import FactOptions
from remit.runtime import OpenRun, ToolInfo
from tests.adapters.frameworks.bank import Bank, Step, Turn


class ScriptedChat(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A chat client with a script; it keeps the messages that it was sent last."""

    def __init__(self, script: Sequence[Step]) -> None:
        super().__init__()
        self._steps = iter(script)
        self.sent: Sequence[Message] = ()

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **others: Any
    ) -> ChatResponse[Any]:
        self.sent = messages
        return ChatResponse(messages=[Message("assistant", _contents(next(self._steps)))])


class AgentFramework:
    """The agent."""

    def __init__(self, bank: Bank, *, offers: bool) -> None:
        self._offers = offers
        self._saved = bank.home / "session.json"
        self._pay: FunctionTool = tool(bank.pay)

    def adopt(self, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
        """The framework's own tool as a tool of Remit."""
        return adopt_tool(self._pay, **facts)

    async def start(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Run the agent from its first message."""
        return await self._run(run, script, tools, AgentSession(), Message("user", ["Pay the bakery."]))

    async def resume(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Continue the agent from its saved session, letting it ask the run again."""
        saved = json.loads(self._saved.read_text(encoding="utf-8"))
        requests = [Content.from_dict(each) for each in saved["requests"]]
        answers = [each.to_function_approval_response(approved=True) for each in requests]
        session = AgentSession.from_dict(saved["session"])
        return await self._run(run, script, tools, session, Message("user", answers))

    async def _run(
        self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo], session: AgentSession, given: Message
    ) -> Turn:
        chat = ScriptedChat(script)
        given_tools = [offer_tool(each) for each in tools] if self._offers else [self._pay]
        agent: Any = Agent(client=chat, tools=given_tools, middleware=[GovernMiddleware(run)])
        response = await agent.run(given, session=session)
        requests: list[Content] = response.user_input_requests
        saved = {"session": session.to_dict(), "requests": [each.to_dict() for each in requests]}
        self._saved.write_text(json.dumps(saved), encoding="utf-8")
        contents = [each for message in chat.sent for each in message.contents if each.type == "function_result"]
        texts = [str(each.result) for each in contents]
        read = [("error" if each.startswith('{"success":false') else "success", each) for each in texts]
        questions = [each for request in requests for each in request.additional_properties["questions"]]
        return Turn(questions, read, "" if questions else response.text)


def _contents(step: Step) -> list[Content | str]:
    if isinstance(step, str):
        return [step]
    return [Content.from_function_call(each.id, each.name, arguments=json.dumps(each.arguments)) for each in step]
