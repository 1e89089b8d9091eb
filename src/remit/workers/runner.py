"""Runs a worker: one agent of PydanticAI for all calls of it, and tools and a model for each call alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from remit.errors import InvalidOutputError
from remit.workers.definition import WorkerDefinition
from remit.workers.errors import to_call_error
from remit.workers.first_messages import build_user_prompt, record_first_messages
from remit.workers.journaled_model import JournaledModel
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.toolset import DispatcherToolset


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerCall:
    """What one call of a worker runs on: agent, definition, tools, model, and how many calls of a reply run at once."""

    agent: Agent[Frame, Any]
    definition: WorkerDefinition
    tools: Sequence[Callee[..., Any]]
    model: Model | Port
    parallel: int


async def run_worker(worker_call: WorkerCall, payload: BaseModel, frame: Frame) -> Reply:
    """Have PydanticAI work until its output is valid, which is not checked again.

    Raises:
        CallError: it came to no valid output, or the model failed; the original is the cause.
        Suspended: calls wait for a person.
    """
    definition = worker_call.definition
    attachments = definition.get_attachments(payload)
    instructions, message = record_first_messages(
        frame, definition.render_instructions(payload), definition.render_message(payload)
    )
    toolset = DispatcherToolset(worker_call.tools, frame, parallel=worker_call.parallel)
    try:
        result = await worker_call.agent.run(
            build_user_prompt(message, attachments),
            deps=frame,
            instructions=instructions,
            model=_wrap_model(worker_call, frame, toolset),
            toolsets=[toolset],
            usage_limits=_make_usage_limits(definition),
        )
    except Exception as error:
        final = toolset.settle()
        if final is not None:
            return _check_size(Reply(final.content, "ok", is_final=True), definition)
        failed = to_call_error(definition.name, error, definition.limits)
        if failed is None:
            raise
        raise failed from error
    final = toolset.settle()
    return _check_size(
        Reply.from_value(result.output) if final is None else Reply(final.content, "ok", is_final=True), definition
    )


def build_agent(definition: WorkerDefinition) -> Agent[Frame, Any]:
    """What all calls of a worker share. To build it takes PydanticAI longer than to run a short call."""
    return Agent(
        output_type=[definition.output, DeferredToolRequests],
        deps_type=Frame,
        name=definition.name,
        retries={"tools": 0, "output": definition.retries},
        capabilities=[NativeTool(NATIVE_TOOL_TYPES[each]()) for each in definition.builtin_tools],
    )


def _wrap_model(worker_call: WorkerCall, frame: Frame, toolset: DispatcherToolset) -> JournaledModel:
    model = worker_call.model if isinstance(worker_call.model, Model) else ModelPortAdapter(worker_call.model, frame)
    return JournaledModel(model, frame, toolset)


def _make_usage_limits(definition: WorkerDefinition) -> UsageLimits:
    limits = definition.limits
    return UsageLimits(request_limit=limits.turns, tool_calls_limit=limits.tool_calls, total_tokens_limit=limits.tokens)


def _check_size(reply: Reply, definition: WorkerDefinition) -> Reply:
    size, most = len(reply.content.encode(errors="replace")), definition.limits.output_bytes
    if size > most:
        raise InvalidOutputError(f"worker {definition.name} gave {size:,} bytes; it may give {most:,}")
    return reply
