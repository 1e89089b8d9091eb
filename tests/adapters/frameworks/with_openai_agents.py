"""The paying agent with the OpenAI Agents SDK, whose state is saved when it pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from agents import Agent, FunctionTool, RunConfig, Runner, RunResult, RunState, function_tool
from agents.items import TResponseOutputItem
from agents.testing import ScriptedModel, assistant_message, function_call

from remit import Tool
from remit.adapters.openai_agents import GovernedTools, adopt_tool
from remit.call.facts import FactOptions
from remit.runtime import OpenRun, ToolInfo
from tests.adapters.frameworks.bank import Bank, Step, Turn

UNTRACED = RunConfig(tracing_disabled=True)


class OpenAIAgents:
    """The agent."""

    def __init__(self, bank: Bank, *, offers: bool) -> None:
        self._offers = offers
        self.state = bank.home / "state.json"
        self._pay: FunctionTool = function_tool(bank.pay)

    def adopt(self, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
        """The framework's own tool as a tool of Remit."""
        return adopt_tool(self._pay, **facts)

    async def start(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Run the agent from its first message."""
        agent, governed = self.build(run, script, tools)
        return await self._finish(await Runner.run(agent, "Pay the bakery.", run_config=UNTRACED), governed)

    async def resume(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Continue the agent from its saved state, with the decisions made in Remit."""
        agent, governed = self.build(run, script, tools)
        state = await RunState.from_string(agent, self.state.read_text(encoding="utf-8"))
        await governed.answer(state)
        return await self._finish(await Runner.run(agent, state, run_config=UNTRACED), governed)

    def build(
        self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]
    ) -> tuple[Agent[Any], GovernedTools]:
        """The agent and its tools."""
        governed = GovernedTools(run, tools if self._offers else [self._pay])
        model = ScriptedModel([_output(step) for step in script])
        return Agent("clerk", tools=[*governed.tools], model=model), governed

    async def _finish(self, result: RunResult, governed: GovernedTools) -> Turn:
        state = result.to_state()
        waiting = await governed.answer(state)
        self.state.write_text(state.to_string(), encoding="utf-8")
        questions = [each for call in waiting for each in call["questions"]]
        items: list[Any] = result.to_input_list()
        outputs = [each["output"] for each in items if each.get("type") == "function_call_output"]
        read = [("error" if each.startswith('{"success":false') else "success", each) for each in outputs]
        return Turn(questions, read, result.final_output or "")


def _output(step: Step) -> list[TResponseOutputItem]:
    if isinstance(step, str):
        return [assistant_message(step)]
    return [function_call(each.name, each.arguments, call_id=each.id) for each in step]
