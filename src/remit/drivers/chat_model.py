"""The model that PydanticAI asks. Each of its requests is a step of the agent, as in the native loop."""

from __future__ import annotations

import asyncio
from functools import partial

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings

from remit.agent.bound_step import BoundStep
from remit.agent.loop import AgentRun
from remit.agent.step import Answer
from remit.agent.typed_result import InvalidResult, Judge
from remit.call.reply import Reply
from remit.call.step import Done, StepRequest
from remit.chat.stand_in import NO_TEXT
from remit.chat.wire import escape_surrogates, replace_surrogates
from remit.drivers.toolset import UNKNOWN_TOOL_NAME, DispatcherToolset, is_cancel_requested
from remit.errors import Suspended


class WorkerStoppedError(Exception):
    """Stops PydanticAI: the agent is done, or cannot continue now. Never leaves the driver."""


class ChatModel(Model):
    """The model of one task of an agent.

    PydanticAI decides when the model is asked again, makes the calls and parses the output. The model reads the chat
    of the step, which both drivers keep and record in the same way: PydanticAI's own messages are not sent.
    """

    def __init__(self, bound: BoundStep, request: StepRequest, toolset: DispatcherToolset) -> None:
        super().__init__(profile=ModelProfile(supports_json_schema_output=True))
        self._step = bound.step
        self._definition = bound.definition
        self._request = request
        self._toolset = toolset
        self._answer: Answer | None = None
        self._judge: Judge | None = None
        self._read: dict[str, Reply | InvalidResult] = {}
        self._stop_signal: BaseException | None = None
        self._turns = 0
        self.run: AgentRun | None = None

    @property
    def model_name(self) -> str:
        """PydanticAI's name for the model, which differs from the provider's."""
        return "remit"

    @property
    def system(self) -> str:
        """PydanticAI's name for the model's provider."""
        return "remit"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The model's answer, from the journal or from the model.

        Raises:
            WorkerStoppedError: the agent is done, or `end_step` raises the reason why it cannot continue now.
            CallError: the model failed, or a limit of the agent is used up.
        """
        try:
            if await self.end_step():
                raise WorkerStoppedError
            limits = self._definition.limits
            if self._turns >= limits.turns:
                raise limits.turns_error(self._definition.name)
            answer = await self._step.ask(self._request)
        except Suspended as signal:
            self._stop_signal = signal
            raise WorkerStoppedError from signal
        except asyncio.CancelledError as signal:
            if is_cancel_requested():
                raise
            self._stop_signal = signal
            raise WorkerStoppedError from signal
        self._turns += 1
        self._answer, self._judge, self._read = answer, partial(self._step.read_result, answer), {}
        self._toolset.expect_calls(partial(self._step.make_calls, self._request, answer))
        return self._to_response(answer)

    async def read_result(self, text: str) -> Reply | InvalidResult:
        """The model's result. It is read once, for PydanticAI and for the end of the step."""
        assert self._judge is not None  # noqa: S101 - a result is a part of an answer
        if text not in self._read:
            self._read[text] = await self._judge(text)
        return self._read[text]

    async def end_step(self) -> bool:
        """End the present step, if there is one, after its calls. Returns whether the agent is done.

        Raises:
            Suspended, CancelledError: the agent cannot continue now.
            InvalidOutputError: the model gave too many invalid results.
        """
        if self._stop_signal is not None:
            raise self._stop_signal
        answer, self._answer = self._answer, None
        if answer is not None:
            outcome = await self._step.end(self._request, answer, *await self._toolset.settle(), self.read_result)
            if isinstance(outcome, Done):
                self.run = AgentRun.from_outcome(self._request, outcome, self._turns)
            else:
                self._request = self._request.after(outcome)
        return self.run is not None

    def _to_response(self, answer: Answer) -> ModelResponse:
        """The answer as PydanticAI reads it: its text and its calls.

        PydanticAI would repeat the request after an empty answer.
        """
        text = replace_surrogates(answer.completion.content or "")
        if not (text.strip() or answer.calls or answer.result_calls):
            text = NO_TEXT
        parts: list[ModelResponsePart] = [TextPart(text)] if text else []
        for call in (*answer.calls, *answer.result_calls):
            is_result, arguments = call in answer.result_calls, escape_surrogates(call.arguments)
            name = call.name if is_result or self._toolset.has(call.name) else UNKNOWN_TOOL_NAME
            parts.append(ToolCallPart(name, {"text": arguments} if is_result else arguments, call.id))
        return ModelResponse(parts=parts)
