"""The step of an agent, bound to its tools and its model, and its first request. Both drivers use it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from remit.agent.attachments import Attachment
from remit.agent.compactor import Compactor
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentTask, AgentTools
from remit.agent.layered_model import LayeredModel
from remit.agent.media import make_part, reads_of
from remit.agent.model import Model, is_native_output
from remit.agent.model_recorder import recorded_model
from remit.agent.model_window import record_window
from remit.agent.step import AgentStep
from remit.agent.stop import continue_text
from remit.agent.turns import AgentTurns
from remit.agent.typed_result import TypedResults
from remit.call.step import StepRequest
from remit.chat.chat import ChatRequest, History, ToolDefinitions, decode_message, encode_message, message_text
from remit.chat.settings import ModelSettings
from remit.errors import InvalidArgumentsError
from remit.record.estimate import PDF


class BoundStep(Struct, frozen=True, kw_only=True):
    """The step of an agent with one model, and the tools and settings of its requests."""

    definition: AgentDefinition
    agent_tools: AgentTools
    model: Model
    step: AgentStep
    tools: ToolDefinitions
    settings: ModelSettings

    async def first_request(self, task: AgentTask) -> StepRequest:
        """The request of the first step of a task.

        Raises:
            InvalidArgumentsError: the model does not accept files of an attachment's type.
        """
        self.agent_tools.record_offer(task, self.definition.narrowed_permissions, self.model)
        frame = task.frame
        await record_window(frame.ledger, frame.id, self.definition.name, task.first_turn, self.model)
        chat = ChatRequest(
            agent_call_id=frame.id,
            turn=task.first_turn,
            ledger=frame.ledger,
            history=_with_attachments(task.history, task.attachments, self.model),
            used_call_ids=task.used_call_ids,
            tools=self.agent_tools.without_withheld(self.tools, frame.ledger, frame.id),
            provider_tools=self.definition.hosted_tools,
            settings=self.settings.for_turn(task.first_turn),
            first_turn=task.first_turn,
        )
        turns = AgentTurns(self.definition, self.agent_tools, frame)
        return StepRequest(chat=chat, calls=turns, end_turn=turns.end_turn)


async def bind_step(definition: AgentDefinition, tools: AgentTools, model: Model) -> BoundStep:
    """Bind an agent to its model. Resolves its tools."""
    results, offered, settings = None, tools.definitions, definition.settings
    fixed: list[Mapping[str, Any]] = []
    if not definition.returns_text:
        results = TypedResults(
            agent=definition.name,
            output=definition.schema_out,
            retries=definition.retries,
            is_native=await is_native_output(definition.output_mode, model),
        )
        if results.is_native:
            settings = settings.update(response_format=results.response_format())
        else:
            fixed = [results.tool_definition()]
            offered = ToolDefinitions([*json.loads(offered.text), *fixed])
    layers = LayeredModel(definition.model_layers)
    find_tools = partial(tools.definitions_after, fixed=fixed) if tools.is_searched else None
    compactor = Compactor(definition, lambda: tools.callees, find_tools, layers, model)
    step = AgentStep(
        model=compactor.around(recorded_model(model, layers)),
        parallel=definition.parallel,
        handoffs=tools.handoffs,
        results=results,
        limits=definition.limits,
        continue_text="" if definition.stop is None else continue_text(definition.stop),
        calls_by_name=tools.are_called_by_name,
    )
    return BoundStep(definition=definition, agent_tools=tools, model=model, step=step, tools=offered, settings=settings)


def _with_attachments(history: History, attachments: Sequence[Attachment], model: Model) -> History:
    """The history with the attachments in its last message."""
    if not attachments:
        return history
    *earlier, last = history
    parts: list[Any] = [{"type": "text", "text": message_text(decode_message(last))}]
    parts += [_content_part(each, model) for each in attachments]
    return History([*earlier, encode_message({"role": "user", "content": parts})])


def _content_part(attachment: Attachment, model: Model) -> dict[str, Any]:
    kind, reads = attachment.media_type, reads_of(model)
    if kind.startswith("text/"):
        return {"type": "text", "text": attachment.content.decode(errors="replace")}
    if not (kind.startswith("image/") or reads.others or (kind == PDF and reads.pdfs)):
        what = "PDFs" if kind == PDF else kind
        raise InvalidArgumentsError(f"{attachment.name}: this model does not read {what}; use one that does")
    return make_part(kind, attachment.data or "", attachment.name)
