"""The model that PydanticAI calls: it answers from the journal, or calls the real model and records the response."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryFeedbackPart,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings as PydanticSettings

from remit.agent.compactor import Compactor
from remit.agent.driver import AgentTask
from remit.agent.layered_model import LayeredModel, LayeredRequests
from remit.agent.media import reads_of as port_reads
from remit.agent.model import NamedModel
from remit.agent.model_recorder import ModelRecorder, check_complete
from remit.agent.turns import AgentTurns
from remit.agent.typed_result import correction_message
from remit.contracts.chat import decode_message, message_text
from remit.contracts.items import Message
from remit.contracts.reply import Reply
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.contracts.step import StepUsage
from remit.errors import DivergedError, JournalError, NoModelError, Suspended
from remit.layers.trace import TraceModel
from remit.models.model_origin import drop_impossible_usage, mark_response, reads_of
from remit.models.pydantic_ai import keep_as_received
from remit.models.pydantic_settings import to_pydantic_settings
from remit.models.pydantic_stream import ask_pydantic_model
from remit.workers.compacted_request import ask_compacted
from remit.workers.media import add_media
from remit.workers.missing_model import MissingModel, MissingModelPort
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.request_digest import RequestDigester
from remit.workers.request_view import RequestView
from remit.workers.response_codec import (
    RecordedRequest,
    ResponseCodec,
    get_finish_reason,
    has_content,
    make_usage,
    select_tool_calls,
    to_wire_text,
)
from remit.workers.toolset import UNKNOWN_TOOL_NAME, DispatcherToolset

_TRUNCATED_ARGUMENTS: Final = " "
"""Invalid JSON in place of arguments that were cut before they began; empty text would mean no arguments."""

_TAG: Final = re.compile(r"</?pyai:\w+>")


class WorkerStoppedError(Exception):
    """Stops PydanticAI; the toolset holds the reason. Never leaves the driver."""


class JournaledModel(WrapperModel):
    """The model of one task of an agent, between PydanticAI and the real model."""

    def __init__(
        self,
        model: Model,
        task: AgentTask,
        toolset: DispatcherToolset,
        layers: LayeredModel,
        compactor: Compactor,
        turns: AgentTurns,
        own_settings: ModelSettings = NO_SETTINGS,
    ) -> None:
        super().__init__(keep_as_received(model))
        self._own_settings = own_settings
        self._compactor = compactor
        self._turns = turns
        self.usage = StepUsage()
        self.result: Reply | None = None
        self._task = task
        self._frame = task.frame
        self._toolset = toolset
        self._trace = _make_trace_layer(model)
        self._digester = RequestDigester()
        self._recorder: ModelRecorder[RecordedRequest, ModelResponse] = ModelRecorder(
            model=self._send,
            codec=ResponseCodec(),
            model_name=f"{model.system}:{model.model_name}",
            reads=port_reads(model.port) if isinstance(model, ModelPortAdapter) else reads_of(model),
            missing_model=_missing_reason(model),
            layered=LayeredRequests(layers, self._view),
        )
        self._turn = task.first_turn - 1
        self._responses: list[ModelResponse] = []
        self._has_open_turn = False
        self._last_request: RecordedRequest | None = None
        self._corrections: dict[int, str] = {}
        self._unknown_tool_names: dict[str, str] = {}

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: PydanticSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The model's response, from the journal or from the model.

        Raises:
            WorkerStoppedError: the agent stops; the toolset holds the reason.
            CallError: the model failed.
        """
        if self._toolset.is_finished or (self._responses and self.end_turn()):
            raise WorkerStoppedError
        self._has_open_turn = True
        self._turn += 1
        parameters = _hide_unknown_tool(model_request_parameters)
        request = RecordedRequest(
            agent_call_id=self._frame.id,
            turn=self._turn,
            ledger=self._frame.ledger,
            messages=messages,
            base_settings=model_settings,
            settings=self._own_settings.for_turn(self._turn),
            parameters=parameters,
            used_call_ids=self._task.used_call_ids,
            digester=self._digester,
        )
        if self._frame.ledger.is_stopping and not self._recorder.has_answer(request):
            self._toolset.stop(asyncio.CancelledError())
            raise WorkerStoppedError
        try:
            self._record_correction(request)
            response = await ask_compacted(self._compactor, request, self._answer_in_span)
        except (JournalError, DivergedError, NoModelError, Suspended) as error:
            self._toolset.stop(error)
            raise WorkerStoppedError from error
        if not select_tool_calls(response):
            finish_reason = get_finish_reason(response)
            check_complete(finish_reason, has_content=has_content(response), max_tokens=request.max_tokens)
        return self._prepare_calls(response, parameters)

    @property
    def turns(self) -> int:
        """The number of requests of this task."""
        return self._turn - self._task.first_turn + 1

    def end_turn(self) -> bool:
        """End the present turn, if it has not ended; whether the agent is done. Then ``result`` holds its result."""
        if self._has_open_turn:
            self._has_open_turn = False
            text = message_text(decode_message(to_wire_text(self._responses[-1])))
            self.result = self._turns.end_turn(self._turn, text)
        return self.result is not None

    def wire_texts(self) -> list[str]:
        """The messages that this task added: the responses, each followed by the replies to its calls.

        After a response with an invalid result comes the message with the reason.
        """
        texts: list[str] = []
        for number, response in enumerate(self._responses, 1):
            texts += [to_wire_text(response), *self._toolset.replies_to(select_tool_calls(response))]
            texts += [self._corrections[number]] if number in self._corrections else []
        return texts

    def _record_correction(self, request: RecordedRequest) -> None:
        """Journal why the last result was not valid, as PydanticAI tells the model.

        Runs of earlier versions that had the answer do not have the reason; their order stays.
        """
        last, self._last_request = self._last_request, request
        reasons = _find_reasons(request) if last is not None else []
        if last is None or not reasons:
            return
        ledger = request.ledger
        is_recorded = any(isinstance(item, Message) for item in ledger.items_for(last.call_id))
        if is_recorded or not (ledger.is_replaying or self._recorder.has_answer(request)):
            text = self._corrections[len(self._responses)] = correction_message("\n\n".join(reasons))
            if ledger.is_replaying or not is_recorded:
                ledger.add(Message(call=last.call_id, agent=last.agent_call_id, text=text))

    async def _answer_in_span(self, request: RecordedRequest) -> ModelResponse:
        """The response, in a span if tracing is on."""
        with self._trace.request_span(self._frame.ledger, request.call_id) as span:
            response = await self._recorder(request)
            usage = make_usage(request.call_id, response)
            span.record_answer(usage, usage.finish)
            return response

    async def _send(self, request: RecordedRequest) -> ModelResponse:
        """Ask the real model, with the tool names that it wrote."""
        if isinstance(self.wrapped, ModelPortAdapter):
            view = self._view(request)
            return view.to_answer(await view.ask(view.chat))
        settings = await to_pydantic_settings(request.settings, self.wrapped, request.base_settings)
        messages = await add_media(self._restore_tool_names(request.messages), self.wrapped)
        response = await ask_pydantic_model(self.wrapped, messages, settings, request.parameters)
        return mark_response(drop_impossible_usage(response), self.wrapped)

    def _view(self, request: RecordedRequest) -> RequestView:
        """The request as layers see it, with the tool names that the model wrote."""
        return RequestView(request, self._restore_tool_names(request.messages), self.wrapped)

    def _prepare_calls(self, response: ModelResponse, parameters: ModelRequestParameters) -> ModelResponse:
        """Prepare the calls of a response and return it as PydanticAI reads it."""
        self._responses.append(response)
        outputs = {tool.name for tool in parameters.output_tools}
        names = {tool.name for tool in parameters.function_tools}
        calls = [part for part in select_tool_calls(response) if part.tool_name not in outputs]
        unknown = {part.tool_call_id: part.tool_name for part in calls if part.tool_name not in names}
        self._unknown_tool_names.update(unknown)
        tokens = StepUsage(response.usage.input_tokens, response.usage.output_tokens, len(calls))
        self.usage = self.usage.add(tokens)
        self._toolset.prepare_calls(_mark_truncated_call(calls, response), unknown)
        return _rename_tools(response, dict.fromkeys(unknown, UNKNOWN_TOOL_NAME))

    def _restore_tool_names(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """The messages with the names that the model wrote."""
        if not self._unknown_tool_names:
            return list(messages)
        return [_rename_tools(message, self._unknown_tool_names) for message in messages]


def _find_reasons(request: RecordedRequest) -> list[str]:
    """What PydanticAI tells the model about its last response, beside the replies to its calls.

    Without PydanticAI's own tags: in the history of a later run it would warn the model of them.
    """
    reasons: list[str] = []
    for part in request.messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            reasons += [part.model_response_str()] if part.outcome == "retried" else []
        elif isinstance(part, RetryFeedbackPart):
            reasons.append(part.model_response())
        elif isinstance(part, (UserPromptPart, SystemPromptPart)) and isinstance(part.content, str):
            reasons.append(part.content)
    return [_TAG.sub("", reason).strip() for reason in reasons]


def _missing_reason(model: Model) -> NoModelError | None:
    """Why no model is available; None if one is."""
    port = model.port if isinstance(model, ModelPortAdapter) else model
    return port.reason if isinstance(port, (MissingModel, MissingModelPort)) else None


def _make_trace_layer(model: Model) -> TraceModel:
    """The tracing layer of requests, with the model's name if it has one."""
    if isinstance(model, ModelPortAdapter) and not isinstance(model.port, NamedModel):
        return TraceModel()
    return TraceModel(model=model.model_name, vendor=model.system)


def _hide_unknown_tool(parameters: ModelRequestParameters) -> ModelRequestParameters:
    """Remove the placeholder for unknown tools from the parameters; the model must not see it."""
    return replace(
        parameters, function_tools=[each for each in parameters.function_tools if each.name != UNKNOWN_TOOL_NAME]
    )


def _mark_truncated_call(calls: Sequence[ToolCallPart], response: ModelResponse) -> list[ToolCallPart]:
    """The calls of a response. If it was cut before the last one's arguments, these become invalid JSON."""
    if not calls or response.finish_reason != "length" or calls[-1] is not response.parts[-1] or calls[-1].args:
        return list(calls)
    return [*calls[:-1], replace(calls[-1], args=_TRUNCATED_ARGUMENTS)]


def _rename_tools(message: Any, names: Mapping[str, str]) -> Any:
    """Replace the tool names in a message's calls and results, by call id."""
    if not any(_get_call_id(part) in names for part in message.parts):
        return message
    parts = [
        replace(part, tool_name=names[part.tool_call_id]) if _get_call_id(part) in names else part
        for part in message.parts
    ]
    return replace(message, parts=parts)


def _get_call_id(part: object) -> str:
    return part.tool_call_id if isinstance(part, (ToolCallPart, ToolReturnPart)) else ""
