"""What one framework has or lacks: ids given again, approvals in advance, tools that cannot be adopted."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest
from agents import (
    Runner,
    RunState,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrailData,
    function_tool,
    tool_input_guardrail,
)
from agents.exceptions import UserError
from langchain_core.tools import InjectedToolCallId
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import RunContext
from pydantic_ai import Tool as FrameworkTool

from remit.adapters import langchain, openai_agents, pydantic_ai
from remit.adapters.framework_calls import call_tool, refuse_ungoverned
from remit.errors import ContractError, RequestConflictError, SetupError
from tests.adapters.frameworks.bank import ADA, Bank, Process, ScriptedCall
from tests.adapters.frameworks.with_openai_agents import UNTRACED, OpenAIAgents
from tests.adapters.test_frameworks import BAKERY, CLASSES, PAID, REST, SCRIPT, Programs


@tool_input_guardrail
def _allow(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
    """Allow everything."""
    return ToolGuardrailFunctionOutput.allow(data.context.tool_name)


async def pay(euros: int) -> str:
    """Pay."""
    return f"paid {euros}"


@pytest.mark.parametrize("name", ["with_langchain", "with_pydantic_ai", "with_agent_framework"])
async def test_calls_of_two_messages_with_the_same_id_are_two_calls(name: str, tmp_path: Path) -> None:
    framework = getattr(import_module(f"tests.adapters.frameworks.{name}"), CLASSES[name])
    programs = Programs(Bank(tmp_path), framework)
    turn = await programs.start(risk="safe").start([[BAKERY], [BAKERY], "Paid."])
    assert turn.read == [PAID, PAID]
    assert programs.bank.payments == ["bakery 40", "bakery 40"]


async def test_a_state_that_a_program_approves_before_the_decision_fails_and_can_be_continued(tmp_path: Path) -> None:
    programs = Programs(Bank(tmp_path), OpenAIAgents)
    here = programs.start()
    await here.start(SCRIPT)
    clerk = OpenAIAgents(programs.bank, offers=False)
    async with here.open_run() as run:
        agent, _ = clerk.build(run, REST, await here.runtime.client(ADA).tools())
        state = await RunState.from_string(agent, clerk.state.read_text(encoding="utf-8"))
        (interruption,) = state.get_interruptions()
        state.approve(interruption)
        with pytest.raises(UserError, match=r"still waits .* decide it in Remit"):
            await Runner.run(agent, state, run_config=UNTRACED)
    assert programs.bank.payments == []
    await here.decide(approved=True)
    assert await here.resume(REST) == ([], [PAID], "Paid.")


async def test_arguments_that_are_no_json_are_an_error_although_the_sdk_asks_for_an_approval(tmp_path: Path) -> None:
    programs = Programs(Bank(tmp_path), OpenAIAgents)
    here = programs.start(risk="safe")
    broken: Any = '{"account": '
    asked = await here.start([[ScriptedCall("call_1", broken)], "Not paid."])
    assert (asked.questions, asked.read, asked.answer) == ([], [], "")
    turn = await here.resume(["Not paid."])
    ((status, text),) = turn.read
    assert (status, turn.answer) == ("error", "Not paid.")
    assert '"errorCode":"VALIDATION_ERROR"' in text


def test_tools_that_need_the_run_of_their_framework_are_refused() -> None:
    def pay(ctx: RunContext[None], euros: int) -> str:
        """Pay."""
        return f"{ctx} {euros}"

    with pytest.raises(ContractError, match=r"^pay takes a RunContext, .* leave it out$"):
        pydantic_ai.adopt_tool(FrameworkTool(pay))

    @langchain_tool
    def send(euros: int, call: Annotated[str, InjectedToolCallId]) -> str:
        """Send."""
        return f"{euros} {call}"

    with pytest.raises(ContractError, match=r"^send takes call from the agent that calls it, .* leave it out$"):
        langchain.adopt_tool(send)


def test_a_tool_that_declares_what_a_run_would_not_keep_is_refused(tmp_path: Path) -> None:
    bank = Bank(tmp_path)
    asks = function_tool(bank.pay, needs_approval=True)
    with pytest.raises(ContractError, match=r"^pay declares needs_approval, which does not hold in a run of Remit; "):
        openai_agents.adopt_tool(asks)
    with pytest.raises(ContractError, match=r"^pay declares needs_approval, "):
        openai_agents.GovernedTools(Process(bank, OpenAIAgents(bank, offers=False), 0).open_run(), [asks])
    with pytest.raises(ContractError, match=r"^pay declares tool_input_guardrails, timeout_seconds, "):
        openai_agents.adopt_tool(function_tool(pay, timeout=3.0, tool_input_guardrails=[_allow]))
    with pytest.raises(ContractError, match=r"^pay declares requires_approval, timeout, "):
        pydantic_ai.adopt_tool(FrameworkTool(bank.pay, requires_approval=True, timeout=3.0))


async def test_a_call_without_an_id_is_refused(tmp_path: Path) -> None:
    here = Programs(Bank(tmp_path), OpenAIAgents).start()
    async with here.open_run() as run:
        with pytest.raises(RequestConflictError, match="the call of pay has no id"):
            await call_tool(run, "pay", {}, key="")


async def test_an_offered_tool_that_is_called_past_its_run_is_refused() -> None:
    with pytest.raises(SetupError, match="give the agent the middleware"):
        await refuse_ungoverned(euros=3)


def test_what_is_no_tool_of_the_framework_is_refused_in_one_line() -> None:
    wrong: Any = 3
    with pytest.raises(SetupError, match=r"^adopt_tool: tool is 3; give BaseTool"):
        langchain.adopt_tool(wrong)
