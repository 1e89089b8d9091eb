"""The paying agent with PydanticAI, whose messages are saved when it pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter
from pydantic_ai import Tool as FrameworkTool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Tool
from remit.adapters.pydantic_ai import GovernedToolset, adopt_tool
from remit.call.facts import FactOptions
from remit.runtime import OpenRun, ToolInfo
from tests.adapters.frameworks.bank import Bank, Step, Turn

REQUESTS = TypeAdapter(DeferredToolRequests)


class PydanticAI:
    """The agent. A toolset always offers tools of Remit."""

    def __init__(self, bank: Bank, *, offers: bool) -> None:
        self._messages, self._requests = bank.home / "messages.json", bank.home / "requests.json"
        self._pay: FrameworkTool[Any] = FrameworkTool(bank.pay)

    def adopt(self, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
        """The framework's own tool as a tool of Remit."""
        return adopt_tool(self._pay, **facts)

    async def start(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Run the agent from its first message."""
        return await self._run(run, script, tools, user_prompt="Pay the bakery.")

    async def resume(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Continue the agent from its saved messages, letting it ask the run again."""
        history = ModelMessagesTypeAdapter.validate_json(self._messages.read_bytes())
        requests = REQUESTS.validate_json(self._requests.read_bytes())
        answers = DeferredToolResults(approvals={each.tool_call_id: True for each in requests.approvals})
        return await self._run(run, script, tools, message_history=history, deferred_tool_results=answers)

    async def _run(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo], **given: Any) -> Turn:
        steps = iter(script)

        def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return _response(next(steps))

        agent = Agent(
            FunctionModel(respond), toolsets=[GovernedToolset(run, tools)], output_type=[str, DeferredToolRequests]
        )
        result: Any = await agent.run(**given)
        self._messages.write_bytes(result.all_messages_json())
        parts = [part for each in result.all_messages() for part in each.parts]
        read = [(each.outcome, str(each.content)) for each in parts if isinstance(each, ToolReturnPart)]
        if isinstance(result.output, DeferredToolRequests):
            self._requests.write_bytes(REQUESTS.dump_json(result.output))
            metadata = result.output.metadata.values()
            return Turn([each for pause in metadata for each in pause["questions"]], read, "")
        return Turn([], read, result.output)


def _response(step: Step) -> ModelResponse:
    if isinstance(step, str):
        return ModelResponse([TextPart(step)])
    return ModelResponse([ToolCallPart(each.name, each.arguments, tool_call_id=each.id) for each in step])
