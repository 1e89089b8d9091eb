"""Adapts a model of Remit's port to PydanticAI, so that local and scripted models work with its driver."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings as PydanticSettings

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel


class ModelPortAdapter(Model):
    """A model for PydanticAI's agent that stands for ``port``. `RequestView` asks the port itself."""

    def __init__(self, port: Port) -> None:
        super().__init__(
            settings=PydanticSettings(framing_announcement="never"),
            profile=ModelProfile(supports_json_schema_output=True),
        )
        self.port = port

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
        """Never called, because PydanticAI's request has neither the number nor the settings of the agent's."""
        raise NotImplementedError
