"""Adapts a model of Remit's port to PydanticAI, so that local and scripted models work with its driver."""

from __future__ import annotations

from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel
from remit.contracts.callee import Frame
from remit.contracts.chat import ChatRequest, History
from remit.workers.wire_messages import completion_to_response, messages_to_wire, refuse_content, tools_to_wire


class ModelPortAdapter(Model):
    """A model for one task of an agent. Sends each request to ``port``, with the frame of the task."""

    def __init__(self, port: Port, frame: Frame, first_turn: int = 1) -> None:
        super().__init__(settings=ModelSettings(framing_announcement="never"))
        self.port = port
        self._frame = frame
        self._turn = first_turn - 1

    @property
    def model_name(self) -> str:
        """The name of the port's model, if it has one."""
        return self.port.model if isinstance(self.port, NamedModel) else type(self.port).__name__

    @property
    def system(self) -> str:
        """The provider of the port's model, if it names one."""
        return self.port.vendor if isinstance(self.port, NamedModel) else "remit"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send one request.

        Raises:
            CallError: the port raised it.
        """
        self._turn += 1
        settings, parameters = self.prepare_request(model_settings, model_request_parameters)
        knobs: dict[str, Any] = {**(settings or {})}
        completion = await self.port(
            ChatRequest(
                agent_call_id=self._frame.id,
                turn=self._turn,
                ledger=self._frame.ledger,
                history=History(messages_to_wire(messages, parameters, refuse_content)),
                tools=tools_to_wire(parameters),
                temperature=knobs.get("temperature"),
                max_tokens=knobs.get("max_tokens"),
            )
        )
        return completion_to_response(completion)
