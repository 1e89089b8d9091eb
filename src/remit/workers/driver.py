"""The PydanticAI driver: runs any agent on PydanticAI, and is the default for `.worker` files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentService, AgentTask, AgentTools
from remit.agent.layered_model import LayeredModel
from remit.agent.loop import AgentRun
from remit.agent.model import MODEL_VARIABLE, AnyModel, VendorModel, check_settings, is_native_output, model_name
from remit.agent.model import Model as Port
from remit.contracts.call import StepLayer
from remit.contracts.callee import Frame
from remit.core.background_import import import_in_background
from remit.errors import NoModelError, SetupError, as_no_model_error
from remit.models.resolve import ModelResolver, ResolvedModel
from remit.schemas.suggestions import suggest

if TYPE_CHECKING:
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models import Model

ResolveModel = Callable[[str], "Model | Port"]

ProviderToolName = Literal["code_execution", "image_generation", "web_fetch", "web_search", "x_search"]
PROVIDER_TOOLS: Final[tuple[str, ...]] = get_args(ProviderToolName)
"""The tools of providers that need no configuration. They run where the model runs, and nothing here governs them."""


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
            SetupError: the agent has layers around steps, which PydanticAI makes itself, or no provider has its tools.
        """
        for name in (each.name for each in definition.provider_tools):
            if name not in PROVIDER_TOOLS:
                hint = suggest(name, PROVIDER_TOOLS)
                raise SetupError(f"agent {definition.name}: provider_tools: no provider has the tool {name!r}; {hint}")
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
            found = self.find_model(definition, model)
            _check_provider_tools(definition, found)
            if isinstance(found, ResolvedModel):
                found.check()
            elif isinstance(found, VendorModel):
                from remit.models.pydantic_ai import PydanticAIModel  # noqa: PLC0415 - imports the vendor

                found = PydanticAIModel(found)
        except SetupError as error:
            raise NoModelError(f"agent {definition.name} cannot run here: {error.message}") from error
        check_settings(definition.name, found, definition.settings)

    def find_model(self, definition: AgentDefinition, model: AnyModel | None) -> Model | Port:
        """The model of an agent, else the one that the environment names.

        Raises:
            SetupError: no model is named, or the agent does not support it.
        """
        chosen = model or os.environ.get(MODEL_VARIABLE, "")
        if not chosen:
            raise SetupError(f"agent {definition.name} names no model; give it one, or set {MODEL_VARIABLE}")
        definition.check_compatible(model_name(chosen) or type(chosen).__name__)
        return self._resolve_model(chosen) if isinstance(chosen, str) else _as_model(chosen)

    def __repr__(self) -> str:
        return "PydanticAIDriver()"


def _check_provider_tools(definition: AgentDefinition, model: Model | Port) -> None:
    """Refuse a model whose API lacks a tool of the agent, or an option of it."""
    tools = definition.provider_tools
    refused = {each.name: f"has no tool {each.name!r}" for each in tools}
    if tools and isinstance(model, ResolvedModel):
        refused = model.unsupported_tools(tools)
    elif tools and isinstance(model, VendorModel):
        from remit.models.provider_tools import find_unsupported  # noqa: PLC0415 - imports the vendor

        refused = dict(find_unsupported(model, tools))
    name = model_name(model) or type(model).__name__
    for why in refused.values():
        raise SetupError(f"the API of the model {name!r} {why}; remove it, or use another model")


def _as_model(model: Port | VendorModel) -> Model | Port:
    """Convert to a model that PydanticAI can use. It refuses objects of other libraries itself."""
    found: Any = model
    return found


class _PydanticAIAgent:
    """One agent with one model. PydanticAI's agent is built by the first run."""

    def __init__(
        self, driver: PydanticAIDriver, definition: AgentDefinition, tools: AgentTools, model: AnyModel | None
    ) -> None:
        self._driver = driver
        self._definition = definition
        self._tools = tools
        self._model = model
        self._layers = LayeredModel(definition.model_layers)
        self._agent: PydanticAgent[Frame, Any] | None = None

    async def run(self, task: AgentTask, /) -> AgentRun:
        """Run until the output is valid or the agent hands over."""
        name = self._definition.name
        try:
            await import_in_background("remit.workers.runner")  # PydanticAI takes seconds to import
            from remit.workers.missing_model import make_missing_model  # noqa: PLC0415 - imports PydanticAI
            from remit.workers.runner import BoundAgent, build_agent, run_agent  # noqa: PLC0415 - imports PydanticAI
        except ModuleNotFoundError as error:
            raise NoModelError(f"agent {name} needs {error.name}; install it with: {_INSTALL}") from error
        mode = "tool" if self._definition.returns_text else self._definition.output_mode
        is_native = mode == "native"
        try:
            model = self._driver.find_model(self._definition, self._model)
            is_native = await is_native_output(mode, model)
            if isinstance(model, ResolvedModel):
                model = model.as_pydantic_ai() or model
        except SetupError as error:
            chosen: Any = self._model or os.environ.get(MODEL_VARIABLE) or None
            model = make_missing_model(chosen, as_no_model_error(error))
        agent = self._agent = self._agent or build_agent(self._definition, is_native=is_native)
        bound = BoundAgent(
            agent=agent, definition=self._definition, tools=self._tools, model=model, layers=self._layers
        )
        return await run_agent(bound, task)


_INSTALL: Final = "pip install 'remit[pydantic-ai]'"
