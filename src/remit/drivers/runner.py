"""Runs one task of an agent on PydanticAI, with the tools and the model of this call only."""

from __future__ import annotations

from typing import Any, Final

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.output import TextOutput, ToolOutput
from pydantic_ai.tools import DeferredToolRequests, RunContext
from pydantic_ai.usage import UsageLimits

from remit.agent.bound_step import BoundStep
from remit.agent.driver import AgentTask
from remit.agent.loop import AgentRun
from remit.agent.typed_result import InvalidResult, TypedResults
from remit.chat.chat import decode_message, message_text
from remit.drivers.chat_model import ChatModel, WorkerStoppedError
from remit.drivers.toolset import DispatcherToolset
from remit.errors import InvalidOutputError
from remit.journal.codec import RESULT_TOOL

_NO_LIMITS: Final = UsageLimits(request_limit=None)
"""The steps enforce the agent's limits."""


async def run_agent(agent: Agent[ChatModel, Any], bound: BoundStep, task: AgentTask) -> AgentRun:
    """Run PydanticAI until its output is valid, a reply ends the run, or the agent hands over.

    Raises:
        CallError: there is no valid output, a limit is used up, or the model failed.
        Suspended: calls wait for a person.
    """
    toolset = DispatcherToolset(bound.agent_tools)
    model = ChatModel(bound, await bound.first_request(task), toolset)
    prompt = message_text(decode_message(task.history[-1]))
    while model.run is None:
        try:
            await agent.run(prompt, deps=model, model=model, toolsets=[toolset], usage_limits=_NO_LIMITS)
            await model.end_step()
        except WorkerStoppedError:
            await model.end_step()
        except UnexpectedModelBehavior as error:  # PydanticAI counts invalid results as the step does
            failed = InvalidOutputError(f"agent {bound.definition.name} returned no valid result: {error}")
            try:
                is_done = await model.end_step()
            except InvalidOutputError as explained:
                is_done, failed = False, explained
            if not is_done:
                raise failed from error
    return model.run


def build_agent(bound: BoundStep) -> Agent[ChatModel, Any]:
    """Build PydanticAI's agent for all calls of a Remit agent. This takes longer than a short call."""
    definition, results = bound.definition, bound.step.results
    return Agent[ChatModel, Any](
        output_type=[definition.output if results is None else _output_of(results), DeferredToolRequests],
        deps_type=ChatModel,
        name=definition.name,
        retries={"tools": 0, "output": definition.retries},
    )


def _output_of(results: TypedResults) -> Any:
    return TextOutput(_read_result) if results.is_native else ToolOutput(_read_result, name=RESULT_TOOL)


async def _read_result(context: RunContext[ChatModel], text: str) -> object:
    """Read a result from the text that the model wrote, as every driver does."""
    found = await context.deps.read_result(text)
    if isinstance(found, InvalidResult):
        raise ModelRetry(found)
    return found
