"""Adapts a model of Remit's port to PydanticAI, so that local and scripted models work with its driver."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings as PydanticSettings

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel, ask_directly
from remit.contracts.callee import Frame
from remit.contracts.chat import ChatRequest, History
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.workers.wire_messages import (
    completion_to_response,
    messages_to_wire,
    refuse_content,
    tools_to_wire,
    with_schema,
)


class ModelPortAdapter(Model):
    """A model for one task of an agent. Sends each request to ``port``, with the frame of the task."""

    def __init__(
        self, port: Port, frame: Frame, first_turn: int = 1, own_settings: ModelSettings = NO_SETTINGS
    ) -> None:
        super().__init__(
            settings=PydanticSettings(framing_announcement="never"),
            profile=ModelProfile(supports_json_schema_output=True),
        )
        self._own_settings = own_settings
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
        model_settings: PydanticSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send one request.

        Raises:
            CallError: the port raised it.
        """
        self._turn += 1
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        completion = await ask_directly(
            self.port,
            ChatRequest(
                agent_call_id=self._frame.id,
                turn=self._turn,
                ledger=self._frame.ledger,
                history=History(messages_to_wire(messages, parameters, refuse_content)),
                tools=tools_to_wire(parameters),
                settings=with_schema(self._own_settings.for_turn(self._turn), parameters),
            ),
        )
        return completion_to_response(completion)
