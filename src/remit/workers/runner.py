"""Runs one task of an agent on PydanticAI, with the tools and the model of this call only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.messages import BinaryContent, UserContent
from pydantic_ai.models import Model
from pydantic_ai.output import NativeOutput
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.usage import RunUsage, UsageLimits

from remit.agent.attachments import Attachment
from remit.agent.compactor import Compactor
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentTask, AgentTools
from remit.agent.layered_model import LayeredModel
from remit.agent.loop import AgentRun
from remit.agent.model import Model as Port
from remit.agent.model import origin_of
from remit.agent.stop import NoCalls, continue_text
from remit.agent.turns import AgentTurns
from remit.contracts.artifact import check_given_artifacts
from remit.contracts.callee import Frame
from remit.contracts.chat import History, decode_message, message_text, texts_for_model
from remit.contracts.reply import Reply
from remit.errors import InvalidOutputError
from remit.journal.codec import RESULT_TOOL
from remit.models.model_origin import model_origin
from remit.models.provider_tools import make_native_tool
from remit.models.pydantic_ai import PydanticAIModel, to_model_messages
from remit.workers.errors import to_call_error
from remit.workers.journaled_model import JournaledModel
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.toolset import DispatcherToolset


class BoundAgent(Struct, frozen=True, kw_only=True):
    """PydanticAI's agent together with Remit's definition, tools and model."""

    agent: Agent[Frame, Any]
    definition: AgentDefinition
    tools: AgentTools
    model: Model | Port
    layers: LayeredModel


async def run_agent(bound: BoundAgent, task: AgentTask) -> AgentRun:
    """Run PydanticAI until its output is valid, a reply ends the run, or the agent hands over.

    Raises:
        CallError: there is no valid output, a limit is used up, or the model failed; the original is the cause.
        Suspended: calls wait for a person.
    """
    definition, frame = bound.definition, task.frame
    system, *messages = texts_for_model(task.history, _origin_of(bound.model)) or task.history
    last = decode_message(messages[-1])
    user = message_text(last) if last["role"] == "user" else None
    bound.tools.record_withheld(task, definition.permissions)
    turns = AgentTurns(definition, bound.tools, frame)
    toolset = DispatcherToolset(bound.tools, frame, turns, parallel=definition.parallel, history=task.history)
    own_model = bound.model if isinstance(bound.model, Model) else ModelPortAdapter(bound.model)
    port = PydanticAIModel(bound.model) if isinstance(bound.model, Model) else bound.model
    compactor = Compactor(definition.compaction, lambda: bound.tools.callees, bound.layers, port)
    model = JournaledModel(own_model, task, toolset, bound.layers, compactor, turns, definition.settings)
    prompt = None if user is None else _build_user_prompt(user, task.attachments)
    history = to_model_messages(messages if user is None else messages[:-1]) or None
    usage, output = RunUsage(), None
    try:
        is_done = False
        while not is_done:
            result = await bound.agent.run(
                prompt,
                message_history=history,
                deps=frame,
                instructions=message_text(decode_message(system)),
                model=model,
                toolsets=[toolset],
                usage=usage,
                usage_limits=_make_usage_limits(definition),
            )
            output = result.output
            is_done = not definition.returns_text or toolset.is_finished or model.end_turn()
            prompt, history = continue_text(definition.stop or NoCalls()), result.all_messages()
    except Exception as error:
        if model.result is None and toolset.settle() is None and not toolset.handoff_target:
            failed = to_call_error(definition.name, error, definition.limits)
            if failed is None:
                raise
            raise failed from error
    final = toolset.settle()
    reply = Reply.from_value(output) if definition.stop is None or model.result is None else model.result
    return AgentRun(
        agent=frame.id,
        messages=History([*task.history, *model.wire_texts()]),
        usage=model.usage,
        turns=model.turns,
        result=None if final is not None or toolset.handoff_target else reply,
        final=final,
        handoff_target=toolset.handoff_target,
    )


def build_agent(definition: AgentDefinition, *, is_native: bool = False) -> Agent[Frame, Any]:
    """Build PydanticAI's agent for all calls of a Remit agent. This takes longer than a short call."""
    agent = Agent[Frame, Any](
        output_type=[
            NativeOutput(definition.output, name=RESULT_TOOL) if is_native else definition.output,
            DeferredToolRequests,
        ],
        deps_type=Frame,
        name=definition.name,
        retries={"tools": 0, "output": definition.retries},
        capabilities=[NativeTool(make_native_tool(each)) for each in definition.provider_tools],
    )
    agent.output_validator(_check_files)
    return agent


async def _check_files(output: Any) -> Any:
    try:
        await check_given_artifacts(output)
    except InvalidOutputError as error:
        raise ModelRetry(f"the result is not valid: {error.message}") from error
    return output


def _origin_of(model: Model | Port) -> str:
    return model_origin(model) if isinstance(model, Model) else origin_of(model)


def _build_user_prompt(message: str, attachments: Sequence[Attachment]) -> str | list[UserContent]:
    if not attachments:
        return message
    return [message, *(BinaryContent(each.content, media_type=each.media_type) for each in attachments)]


def _make_usage_limits(definition: AgentDefinition) -> UsageLimits:
    limits = definition.limits
    return UsageLimits(request_limit=limits.turns, tool_calls_limit=limits.tool_calls, total_tokens_limit=limits.tokens)
