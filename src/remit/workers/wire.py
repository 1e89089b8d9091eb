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
from remit.contracts.items import Failure, Mismatch, ModelReply, Usage
from remit.contracts.reply import Reply
from remit.errors import (
    CallError,
    CompletionError,
    DivergedError,
    JournalError,
    NoModelError,
    SetupError,
    Suspended,
    from_reply,
    no_model,
)
from remit.layers.trace import TraceModel
from remit.models.pydantic_ai import finish_of
from remit.workers.absent import AbsentModel, AbsentPort
from remit.workers.canonical import RequestDigest, response_of, response_text
from remit.workers.explaining import explained
from remit.workers.port import PortModel
from remit.workers.toolset import UNKNOWN, DoorToolset

_CUT: Final = " "
"""Arguments that were cut before they began are no JSON; no text at all would mean none."""


class OverError(Exception):
    """PydanticAI is to stop: the toolset knows why. Never seen outside the worker."""


class JournaledModel(WrapperModel):
    """The model of one call of a worker, between PydanticAI and whoever is asked."""

    def __init__(self, model: Model, frame: Frame, toolset: DoorToolset) -> None:
        super().__init__(model)
        self._frame = frame
        self._toolset = toolset
        self._spans = _traced(model).spans()
        self._digest = RequestDigest()
        self._turn = 0
        self._used: set[str] = set()
        self._unknown: dict[str, str] = {}

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
        if self._toolset.is_over:
            raise OverError
        self._turn += 1
        if self._frame.ledger.stopping and self._known() is None:
            self._toolset.stop(asyncio.CancelledError())
            raise OverError
        parameters = _shown(model_request_parameters)
        try:
            response = await self._told(messages, model_settings, parameters)
        except (JournalError, DivergedError, NoModelError, Suspended) as error:
            self._toolset.stop(error)
            raise OverError from error
        return self._expected(response, parameters)

    @property
    def _missing(self) -> NoModelError | None:
        """Why there is no model to ask, if so: then a request that differs says nothing of today's code."""
        model = self.wrapped
        port = model.port if isinstance(model, PortModel) else model
        return port.missing if isinstance(port, (AbsentModel, AbsentPort)) else None

    @property
    def _call(self) -> str:
        """The id under which the journal files the answer."""
        return f"{self._frame.id}:{self._turn}"

    def _known(self) -> ModelReply | None:
        """The answer of this turn, as the journal has it."""
        items = self._frame.ledger.known(self._call)
        return next((item for item in items if isinstance(item, ModelReply)), None)

    async def _told(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The answer, in a span where somebody listens."""
        if self._spans is None:
            return await self._answer(messages, settings, parameters)
        with self._spans.request(self._frame.run, self._call) as span:
            response = await self._answer(messages, settings, parameters)
            span.answered(self._usage(response))
            return response

    async def _answer(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The answer, from the journal or from the model."""
        digest = self._digest.of(messages, settings, parameters)
        known = self._known()
        if known is None:
            return await self._ask(self._as_written(messages), settings, parameters, digest)
        self._compare(known.request, digest)
        return response_of(known.response)

    async def _ask(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        digest: str,
    ) -> ModelResponse:
        """Ask the model; a failure is recorded, so that a replay meets it too, and a resume asks anew."""
        ledger = self._frame.ledger
        failures = [item for item in ledger.known(self._call) if isinstance(item, Failure)]
        if failures and ledger.replaying:
            self._compare(failures[-1].request, digest)
            raise from_reply(failures[-1].content)
        ledger.store()
        try:
            response = self._named_apart(await self.wrapped.request(messages, settings, parameters))
            text = response_text(response)
        except SetupError as error:
            raise no_model(error) from error
        except Exception as error:
            failed = error if isinstance(error, CallError) else explained(error)
            ledger.add(Failure(call=self._call, content=Reply.failed(failed).content, request=digest))
            if failed is error:
                raise
            raise failed from error
        self._record(response, text, digest)
        return response_of(text)

    def _record(self, response: ModelResponse, text: str, digest: str) -> None:
        ledger = self._frame.ledger
        ledger.add(ModelReply(call=self._call, agent=self._frame.id, request=digest, response=text))
        ledger.add(self._usage(response))

    def _usage(self, response: ModelResponse) -> Usage:
        return Usage(
            call=self._call,
            model=response.model_name or "",
            finish=finish_of(response),
            prompt_tokens=response.usage.input_tokens,
            completion_tokens=response.usage.output_tokens,
            response="",
        )

    def _compare(self, recorded: str, digest: str) -> None:
        if recorded == digest:
            return
        if self._missing is not None:
            raise self._missing
        ledger = self._frame.ledger
        if ledger.replaying:
            raise DivergedError(
                f"turn {self._turn}: the request to the model is not the recorded one (recorded {recorded[:12]}, "
                f"today {digest[:12]}): the prompt, the tools, a knob or an earlier message changed"
            )
        known = [item for item in ledger.known(self._call) if isinstance(item, Mismatch)]
        if all(item.today != digest for item in known):
            what = f"request of turn {self._turn}"
            ledger.add(Mismatch(call=self._call, what=what, recorded=recorded, today=digest))

    def _expected(self, response: ModelResponse, parameters: ModelRequestParameters) -> ModelResponse:
        """The response as PydanticAI is told it, once the door knows of its calls."""
        outputs = {tool.name for tool in parameters.output_tools}
        names = {tool.name for tool in parameters.function_tools}
        calls = [part for part in _calls(response) if part.tool_name not in outputs]
        self._used.update(part.tool_call_id for part in _calls(response))
        unknown = {part.tool_call_id: part.tool_name for part in calls if part.tool_name not in names}
        self._unknown.update(unknown)
        self._toolset.expect(_uncut(calls, response), unknown)
        return _renamed(response, dict.fromkeys(unknown, UNKNOWN))

    def _as_written(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages with the names that the model wrote."""
        if not self._unknown:
            return messages
        return [_renamed(message, self._unknown) for message in messages]

    def _named_apart(self, response: ModelResponse) -> ModelResponse:
        """The response with an id of its own and a name for every call.

        Some providers give no id, or the same one each turn, and some models name no tool.
        """
        if response.state != "complete":
            raise CompletionError(f"the model paused its answer ({response.state}); switch off its background mode")
        calls = _calls(response)
        ids = [call.tool_call_id for call in calls]
        named = all(call.tool_call_id and call.tool_name for call in calls)
        if named and len(set(ids)) == len(ids) and self._used.isdisjoint(ids):
            return response
        numbered = (f"call_{number}_{self._turn}" for number in count(len(self._used)))
        fresh = (made for made in numbered if made not in self._used)
        parts = [
            replace(part, tool_call_id=next(fresh), tool_name=part.tool_name or "unnamed")
            if isinstance(part, ToolCallPart)
            else part
            for part in response.parts
        ]
        return replace(response, parts=parts)


def _traced(model: Model) -> TraceModel:
    """How a request is told, with the name of the model where it says one."""
    if isinstance(model, PortModel) and not isinstance(model.port, NamedModel):
        return TraceModel()
    return TraceModel(model=model.model_name, vendor=model.system)


def _calls(response: ModelResponse) -> list[ToolCallPart]:
    return [part for part in response.parts if isinstance(part, ToolCallPart)]


def _shown(parameters: ModelRequestParameters) -> ModelRequestParameters:
    """What the model is told of: not of the tool that stands for those that there are not."""
    return replace(parameters, function_tools=[each for each in parameters.function_tools if each.name != UNKNOWN])


def _uncut(calls: Sequence[ToolCallPart], response: ModelResponse) -> list[ToolCallPart]:
    """The calls; where the response was cut before the arguments of the last one began, they are no JSON either."""
    if not calls or response.finish_reason != "length" or calls[-1] is not response.parts[-1] or calls[-1].args:
        return list(calls)
    return [*calls[:-1], replace(calls[-1], args=_CUT)]


def _renamed(message: Any, names: Mapping[str, str]) -> Any:
    """A message whose calls, and what they gave, have other names, by the ids of the calls."""
    if not any(_wire_of(part) in names for part in message.parts):
        return message
    parts = [
        replace(part, tool_name=names[part.tool_call_id]) if _wire_of(part) in names else part for part in message.parts
    ]
    return replace(message, parts=parts)


def _wire_of(part: object) -> str:
    return part.tool_call_id if isinstance(part, (ToolCallPart, ToolReturnPart)) else ""
