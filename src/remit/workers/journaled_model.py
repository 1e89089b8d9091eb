"""The journal at the wire of a worker's model: a request it knows is answered from it, every other asked and recorded.

PydanticAI sees a model like every other. What it is given is always what the journal holds, the first time too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remit.agent.model import NamedModel
from remit.contracts.callee import Frame
from remit.contracts.items import Mismatch, ModelFailure, ModelReply, ModelUsage
from remit.contracts.reply import Reply
from remit.errors import (
    CallError,
    CompletionError,
    DivergedError,
    JournalError,
    NoModelError,
    SetupError,
    Suspended,
    as_no_model_error,
    error_from_reply,
)
from remit.layers.trace import TraceModel
from remit.models.pydantic_ai import get_finish_reason
from remit.workers.errors import to_model_error
from remit.workers.missing_model import MissingModel, MissingModelPort
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.request_digest import RequestDigester, parse_response, serialize_response
from remit.workers.toolset import UNKNOWN_TOOL_NAME, DispatcherToolset

_TRUNCATED_ARGUMENTS: Final = " "
"""Arguments that were cut before they began are no JSON; no text at all would mean none."""


class WorkerStoppedError(Exception):
    """PydanticAI is to stop: the toolset knows why. Never seen outside the worker."""


class JournaledModel(WrapperModel):
    """The model of one call of a worker, between PydanticAI and whoever is asked."""

    def __init__(self, model: Model, frame: Frame, toolset: DispatcherToolset) -> None:
        super().__init__(model)
        self._frame = frame
        self._toolset = toolset
        self._spans = _make_trace_layer(model).make_spans()
        self._digester = RequestDigester()
        self._turn = 0
        self._used_call_ids: set[str] = set()
        self._unknown_tool_names: dict[str, str] = {}

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The model's response, from the journal or from the model.

        Raises:
            OverError: the worker is to stop.
            CallError: the model failed.
        """
        if self._toolset.is_finished:
            raise WorkerStoppedError
        self._turn += 1
        if self._frame.ledger.is_stopping and self._find_recorded_reply() is None:
            self._toolset.stop(asyncio.CancelledError())
            raise WorkerStoppedError
        parameters = _hide_unknown_tool(model_request_parameters)
        try:
            response = await self._respond_in_span(messages, model_settings, parameters)
        except (JournalError, DivergedError, NoModelError, Suspended) as error:
            self._toolset.stop(error)
            raise WorkerStoppedError from error
        return self._prepare_calls(response, parameters)

    @property
    def _missing_reason(self) -> NoModelError | None:
        """Why there is no model to ask, if so: then a request that differs says nothing of today's code."""
        model = self.wrapped
        port = model.port if isinstance(model, ModelPortAdapter) else model
        return port.reason if isinstance(port, (MissingModel, MissingModelPort)) else None

    @property
    def _call_id(self) -> str:
        """The id under which the journal files the answer."""
        return f"{self._frame.id}:{self._turn}"

    def _find_recorded_reply(self) -> ModelReply | None:
        """The answer of this turn, as the journal has it."""
        items = self._frame.ledger.items_for(self._call_id)
        return next((item for item in items if isinstance(item, ModelReply)), None)

    async def _respond_in_span(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The answer, in a span where somebody listens."""
        if self._spans is None:
            return await self._respond(messages, settings, parameters)
        with self._spans.request_span(self._frame.run, self._call_id) as span:
            response = await self._respond(messages, settings, parameters)
            usage = self._usage(response)
            span.record_answer(usage, usage.finish)
            return response

    async def _respond(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The answer, from the journal or from the model."""
        digest = self._digester.compute_digest(messages, settings, parameters)
        known = self._find_recorded_reply()
        if known is None:
            return await self._ask_and_record(self._restore_tool_names(messages), settings, parameters, digest)
        self._check_digest(known.request, digest)
        return parse_response(known.response)

    async def _ask_and_record(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        digest: str,
    ) -> ModelResponse:
        """Ask the model; a failure is recorded, so that a replay meets it too, and a resume asks anew."""
        ledger = self._frame.ledger
        failures = [item for item in ledger.items_for(self._call_id) if isinstance(item, ModelFailure)]
        if failures and ledger.is_replaying:
            self._check_digest(failures[-1].request, digest)
            raise error_from_reply(failures[-1].content)
        ledger.start_flush()
        try:
            response = self._ensure_unique_call_ids(await self.wrapped.request(messages, settings, parameters))
            text = serialize_response(response)
        except SetupError as error:
            raise as_no_model_error(error) from error
        except Exception as error:
            failed = error if isinstance(error, CallError) else to_model_error(error)
            ledger.add(ModelFailure(call=self._call_id, content=Reply.from_error(failed).content, request=digest))
            if failed is error:
                raise
            raise failed from error
        self._record(response, text, digest)
        return parse_response(text)

    def _record(self, response: ModelResponse, text: str, digest: str) -> None:
        ledger = self._frame.ledger
        ledger.add(ModelReply(call=self._call_id, agent=self._frame.id, request=digest, response=text))
        ledger.add(self._usage(response))

    def _usage(self, response: ModelResponse) -> ModelUsage:
        return ModelUsage(
            call=self._call_id,
            model=response.model_name or "",
            finish=get_finish_reason(response),
            prompt_tokens=response.usage.input_tokens,
            completion_tokens=response.usage.output_tokens,
            response="",
        )

    def _check_digest(self, recorded: str, digest: str) -> None:
        if recorded == digest:
            return
        if self._missing_reason is not None:
            raise self._missing_reason
        ledger = self._frame.ledger
        if ledger.is_replaying:
            raise DivergedError(
                f"turn {self._turn}: the request to the model is not the recorded one (recorded {recorded[:12]}, "
                f"today {digest[:12]}): the prompt, the tools, a knob or an earlier message changed"
            )
        known = [item for item in ledger.items_for(self._call_id) if isinstance(item, Mismatch)]
        if all(item.today != digest for item in known):
            what = f"request of turn {self._turn}"
            ledger.add(Mismatch(call=self._call_id, what=what, recorded=recorded, today=digest))

    def _prepare_calls(self, response: ModelResponse, parameters: ModelRequestParameters) -> ModelResponse:
        """The response as PydanticAI is told it, once the door knows of its calls."""
        outputs = {tool.name for tool in parameters.output_tools}
        names = {tool.name for tool in parameters.function_tools}
        calls = [part for part in _select_tool_calls(response) if part.tool_name not in outputs]
        self._used_call_ids.update(part.tool_call_id for part in _select_tool_calls(response))
        unknown = {part.tool_call_id: part.tool_name for part in calls if part.tool_name not in names}
        self._unknown_tool_names.update(unknown)
        self._toolset.prepare_calls(_mark_truncated_call(calls, response), unknown)
        return _rename_tools(response, dict.fromkeys(unknown, UNKNOWN_TOOL_NAME))

    def _restore_tool_names(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages with the names that the model wrote."""
        if not self._unknown_tool_names:
            return messages
        return [_rename_tools(message, self._unknown_tool_names) for message in messages]

    def _ensure_unique_call_ids(self, response: ModelResponse) -> ModelResponse:
        """The response with an id of its own and a name for every call.

        Some providers give no id, or the same one each turn, and some models name no tool.
        """
        if response.state != "complete":
            raise CompletionError(f"the model paused its answer ({response.state}); switch off its background mode")
        calls = _select_tool_calls(response)
        ids = [call.tool_call_id for call in calls]
        named = all(call.tool_call_id and call.tool_name for call in calls)
        if named and len(set(ids)) == len(ids) and self._used_call_ids.isdisjoint(ids):
            return response
        numbered = (f"call_{number}_{self._turn}" for number in count(len(self._used_call_ids)))
        fresh = (made for made in numbered if made not in self._used_call_ids)
        parts = [
            replace(part, tool_call_id=next(fresh), tool_name=part.tool_name or "unnamed")
            if isinstance(part, ToolCallPart)
            else part
            for part in response.parts
        ]
        return replace(response, parts=parts)


def _make_trace_layer(model: Model) -> TraceModel:
    """How a request is told, with the name of the model where it says one."""
    if isinstance(model, ModelPortAdapter) and not isinstance(model.port, NamedModel):
        return TraceModel()
    return TraceModel(model=model.model_name, vendor=model.system)


def _select_tool_calls(response: ModelResponse) -> list[ToolCallPart]:
    return [part for part in response.parts if isinstance(part, ToolCallPart)]


def _hide_unknown_tool(parameters: ModelRequestParameters) -> ModelRequestParameters:
    """What the model is told of: not of the tool that stands for those that there are not."""
    return replace(
        parameters, function_tools=[each for each in parameters.function_tools if each.name != UNKNOWN_TOOL_NAME]
    )


def _mark_truncated_call(calls: Sequence[ToolCallPart], response: ModelResponse) -> list[ToolCallPart]:
    """The calls; where the response was cut before the arguments of the last one began, they are no JSON either."""
    if not calls or response.finish_reason != "length" or calls[-1] is not response.parts[-1] or calls[-1].args:
        return list(calls)
    return [*calls[:-1], replace(calls[-1], args=_TRUNCATED_ARGUMENTS)]


def _rename_tools(message: Any, names: Mapping[str, str]) -> Any:
    """A message whose calls, and what they gave, have other names, by the ids of the calls."""
    if not any(_get_call_id(part) in names for part in message.parts):
        return message
    parts = [
        replace(part, tool_name=names[part.tool_call_id]) if _get_call_id(part) in names else part
        for part in message.parts
    ]
    return replace(message, parts=parts)


def _get_call_id(part: object) -> str:
    return part.tool_call_id if isinstance(part, (ToolCallPart, ToolReturnPart)) else ""
