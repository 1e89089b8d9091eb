"""Runs one task of an agent on PydanticAI, with the tools and the model of this call only."""

from __future__ import annotations

from typing import Any, Final

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.output import NativeOutput, ToolOutput
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.usage import UsageLimits

from remit.agent.bound_step import BoundStep
from remit.agent.driver import AgentTask
from remit.agent.loop import AgentRun
from remit.agent.typed_result import TypedResults
from remit.contracts.artifact import check_given_artifacts
from remit.contracts.callee import Frame
from remit.contracts.chat import decode_message, message_text
from remit.errors import InvalidOutputError
from remit.journal.codec import RESULT_TOOL
from remit.workers.chat_model import ChatModel, WorkerStoppedError
from remit.workers.toolset import DispatcherToolset

_NO_LIMITS: Final = UsageLimits(request_limit=None)
"""The steps hold the limits of the agent."""


async def run_agent(agent: Agent[Frame, Any], bound: BoundStep, task: AgentTask) -> AgentRun:
    """Run PydanticAI until its output is valid, a reply ends the run, or the agent hands over.

    Raises:
        CallError: there is no valid output, a limit is used up, or the model failed.
        Suspended: calls wait for a person.
    """
    toolset, definition = DispatcherToolset(bound.agent_tools), bound.definition
    model = ChatModel(bound, await bound.first_request(task), toolset)
    prompt = message_text(decode_message(task.history[-1]))
    while model.run is None:
        try:
            await model.accept(
                await agent.run(prompt, deps=task.frame, model=model, toolsets=[toolset], usage_limits=_NO_LIMITS)
            )
        except WorkerStoppedError:
            await model.refuse()
        except UnexpectedModelBehavior as error:  # PydanticAI counts invalid results as the step does
            failed = InvalidOutputError(f"agent {definition.name} gave no valid result: {error}")
            try:
                is_done = await model.refuse()
            except InvalidOutputError as explained:
                is_done, failed = False, explained
            if not is_done:
                raise failed from error
    return model.run


def build_agent(bound: BoundStep) -> Agent[Frame, Any]:
    """Build PydanticAI's agent for all calls of a Remit agent. This takes longer than a short call."""
    definition, results = bound.definition, bound.step.results
    agent = Agent[Frame, Any](
        output_type=[
            _output_of(definition.output, results),
            DeferredToolRequests,
        ],
        deps_type=Frame,
        name=definition.name,
        retries={"tools": 0, "output": definition.retries},
    )
    agent.output_validator(_check_files)
    return agent


def _output_of(output: Any, results: TypedResults | None) -> Any:
    if results is None:
        return output
    return (NativeOutput if results.is_native else ToolOutput)(output, name=RESULT_TOOL)


async def _check_files(output: Any) -> Any:
    try:
        await check_given_artifacts(output)
    except InvalidOutputError as error:
        raise ModelRetry(error.message) from error
    return output
