"""The PydanticAI driver: runs any agent on PydanticAI, and is the default for `.worker` files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from remit.agent.bound_step import BoundStep, bind_step
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentService, AgentTask, AgentTools
from remit.agent.loop import AgentRun
from remit.agent.model import (
    MODEL_VARIABLE,
    AnyModel,
    MissingModel,
    VendorModel,
    as_no_model_error,
    check_provider_tools,
    check_settings,
    model_name,
)
from remit.agent.model import Model as Port
from remit.call.call import StepLayer
from remit.core.background_import import import_in_background
from remit.core.call_checks import check_arguments
from remit.errors import ModelAccessError, NoModelError, SetupError
from remit.lazy_exports import install_hint
from remit.models.resolve import ModelResolver, ResolvedModel

if TYPE_CHECKING:
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models import Model

    from remit.drivers.chat_model import ChatModel

ResolveModel = Callable[[str], "Model | Port"]


@check_arguments()
class PydanticAIDriver:
    """Runs agents on PydanticAI: any provider, its own tools, and output that PydanticAI validates.

    Needs the extra ``pydantic-ai``, which is imported by the first run.

    Args:
        resolve_model: finds the model for a name.
    """

    finds_models = True

    def __init__(self, resolve_model: ResolveModel | None = None) -> None:
        self._resolve_model = resolve_model or ModelResolver()

    def bind(self, definition: AgentDefinition, tools: AgentTools, model: AnyModel | None, /) -> AgentService:
        """The service that runs one agent with one model.

        Raises:
            SetupError: the agent has layers around steps, which PydanticAI makes itself.
        """
        for layer in definition.agent_layers:
            if isinstance(layer, StepLayer):
                raise SetupError(
                    f"agent {definition.name}: {layer!r} cannot be attached, because PydanticAI makes the steps; use "
                    "the native driver, or a layer around calls or the model"
                )
        return _PydanticAIAgent(self, definition, tools, model).run

    def check_model(self, definition: AgentDefinition, model: AnyModel | None, /) -> None:
        """Check, without a request, that the model can be used here.

        Raises:
            NoModelError: it cannot be used, or no model is named.
        """
        try:
            found = _as_port(self.find_model(definition, model))
            check_provider_tools(found, definition.hosted_tools)
            if isinstance(found, ResolvedModel):
                found.check()
        except (SetupError, ModelAccessError) as error:
            raise NoModelError(f"agent {definition.name} cannot run here: {error.message}") from error
        check_settings(definition.name, found, definition.settings)

    def find_model(self, definition: AgentDefinition, model: AnyModel | None) -> Model | Port:
        """The model of an agent, or else the one that the environment names.

        Raises:
            SetupError: no model is named, or the agent does not support it.
        """
        chosen = model or os.environ.get(MODEL_VARIABLE, "")
        if not chosen:
            raise SetupError(f"agent {definition.name} names no model; give it one, or set {MODEL_VARIABLE}")
        definition.check_compatible(model_name(chosen) or type(chosen).__name__)
        found: Any = self._resolve_model(chosen) if isinstance(chosen, str) else chosen
        return found

    def __repr__(self) -> str:
        return "PydanticAIDriver()"


def _as_port(model: Model | Port) -> Port:
    """The model, or the port to a model of PydanticAI. The port refuses objects of other libraries."""
    if not isinstance(model, VendorModel):
        return model
    from remit.models.pydantic_ai import PydanticAIModel  # noqa: PLC0415 - imports the vendor

    return PydanticAIModel(model)


class _PydanticAIAgent:
    """One agent with one model. PydanticAI's agent is built by the first run."""

    def __init__(
        self, driver: PydanticAIDriver, definition: AgentDefinition, tools: AgentTools, model: AnyModel | None
    ) -> None:
        self._driver = driver
        self._definition = definition
        self._tools = tools
        self._model = model
        self._bound: tuple[object, BoundStep, PydanticAgent[ChatModel, Any]] | None = None

    async def run(self, task: AgentTask, /) -> AgentRun:
        """Run until the output is valid or the agent hands over."""
        name = self._definition.name
        try:
            await import_in_background("remit.drivers.runner")  # PydanticAI takes seconds to import
            from remit.drivers.runner import build_agent, run_agent  # noqa: PLC0415 - imports PydanticAI
        except ModuleNotFoundError as error:
            raise NoModelError(f"agent {name} needs {error.name}; {_INSTALL}") from error
        try:
            found = self._driver.find_model(self._definition, self._model)
            port = _as_port(found)
        except SetupError as error:
            found = port = MissingModel(as_no_model_error(error))
        bound = self._bound
        if bound is None or bound[0] is not found:
            step = await bind_step(self._definition, self._tools, port)
            bound = self._bound = (found, step, build_agent(step))
        return await run_agent(bound[2], bound[1], task)


_INSTALL: Final = install_hint("pydantic-ai")
