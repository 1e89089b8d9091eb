"""Runs a worker: one agent of PydanticAI for all calls of it, and tools and a model for each call alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.models import Model
from pydantic_ai.native_tools import NATIVE_TOOL_TYPES
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.usage import UsageLimits

from remit.agent.model import Model as Port
from remit.contracts.callee import Callee, Frame
from remit.contracts.reply import Reply
from remit.core.frozen import frozen
from remit.errors import OutputError
from remit.workers.definition import WorkerDefinition
from remit.workers.explaining import ended
from remit.workers.opening import asked, opened
from remit.workers.port import PortModel
from remit.workers.toolset import DoorToolset
from remit.workers.wire import JournaledModel


@frozen
class Work:
    """What one call of a worker runs on: agent, definition, tools, model, and how many calls of a reply run at once."""

    agent: Agent[Frame, Any]
    definition: WorkerDefinition
    tools: Sequence[Callee[..., Any]]
    model: Model | Port
    parallel: int


async def work(given: Work, payload: BaseModel, frame: Frame) -> Reply:
    """Have PydanticAI work until its output is valid, which is not checked again.

    Raises:
        CallError: it came to no valid output, or the model failed; the original is the cause.
        Suspended: calls wait for a person.
    """
    definition = given.definition
    attached = definition.attached(payload)
    instructions, message = opened(frame, definition.instructions(payload), definition.message(payload))
    toolset = DoorToolset(given.tools, frame, parallel=given.parallel)
    try:
        result = await given.agent.run(
            asked(message, attached),
            deps=frame,
            instructions=instructions,
            model=_model(given, frame, toolset),
            toolsets=[toolset],
            usage_limits=_limits(definition),
        )
    except Exception as error:
        final = toolset.settle()
        if final is not None:
            return _sized(Reply(final.content, "ok", ends=True), definition)
        failed = ended(definition.name, error, definition.limits)
        if failed is None:
            raise
        raise failed from error
    final = toolset.settle()
    return _sized(Reply.of(result.output) if final is None else Reply(final.content, "ok", ends=True), definition)


def agent_of(definition: WorkerDefinition) -> Agent[Frame, Any]:
    """What all calls of a worker share. To build it takes PydanticAI longer than to run a short call."""
    return Agent(
        output_type=[definition.output, DeferredToolRequests],
        deps_type=Frame,
        name=definition.name,
        retries={"tools": 0, "output": definition.retries},
        capabilities=[NativeTool(NATIVE_TOOL_TYPES[each]()) for each in definition.builtin_tools],
    )


def _model(given: Work, frame: Frame, toolset: DoorToolset) -> JournaledModel:
    model = given.model if isinstance(given.model, Model) else PortModel(given.model, frame)
    return JournaledModel(model, frame, toolset)


def _limits(definition: WorkerDefinition) -> UsageLimits:
    limits = definition.limits
    return UsageLimits(request_limit=limits.turns, tool_calls_limit=limits.tool_calls, total_tokens_limit=limits.tokens)


def _sized(reply: Reply, definition: WorkerDefinition) -> Reply:
    size, most = len(reply.content.encode(errors="replace")), definition.limits.output_bytes
    if size > most:
        raise OutputError(f"worker {definition.name} gave {size:,} bytes; it may give {most:,}")
    return reply
