"""The native driver: Remit's own loop over raw chat messages."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

from msgspec import structs

from remit.agent.bound_step import BoundStep, bind_step
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentService, AgentTask, AgentTools
from remit.agent.layered_step import compose_recorded_steps
from remit.agent.loop import AgentLoop, AgentRun, LimitedStep, Loop
from remit.agent.model import (
    AnyModel,
    MissingModel,
    Model,
    VendorModel,
    check_provider_tools,
    check_settings,
    model_name,
)
from remit.call.call import StepLayer, StepService
from remit.call.schema import shorten_text
from remit.call.step import StepRequest
from remit.core.call_checks import check_arguments
from remit.core.checks import check_functions
from remit.errors import InternalError, ModelAccessError, NoModelError, SetupError
from remit.shown import show_value


@check_arguments()
class NativeDriver:
    """Runs agents with `AgentLoop` over `AgentStep`. Chat messages are sent exactly as they are recorded.

    Args:
        loop: takes the place of `AgentLoop`; see `Loop`.
    """

    finds_models = False

    def __init__(self, loop: Loop | None = None) -> None:
        self._loop = loop
        if loop is not None:
            check_functions("NativeDriver", loop=loop)
            _check_takes_step(loop)

    def bind(self, definition: AgentDefinition, tools: AgentTools, model: AnyModel | None, /) -> AgentService:
        """Make the service that runs one agent with one model.

        Raises:
            SetupError: the agent does not support this model.
        """
        if model is not None and model_name(model):
            definition.check_compatible(model_name(model))
        return _NativeAgent(definition, tools, _to_port(definition.name, model), self._loop).run

    def check_model(self, definition: AgentDefinition, model: AnyModel | None, /) -> None:
        """Refuse a model that is known not to take the agent's settings, or that lacks the provider's tools.

        Raises:
            NoModelError: names them.
        """
        if model is not None and not isinstance(model, str):
            try:
                check_provider_tools(model, definition.hosted_tools)
            except ModelAccessError as error:
                raise NoModelError(f"agent {definition.name} cannot run here: {error.message}") from error
        check_settings(definition.name, model, definition.settings)

    def __repr__(self) -> str:
        return "NativeDriver()" if self._loop is None else f"NativeDriver({self._loop!r})"


def _check_takes_step(loop: Loop) -> None:
    """Refuse a loop that cannot be called with a step, such as the class `AgentLoop`.

    Raises:
        SetupError: says what to give.
    """
    with contextlib.suppress(ValueError):  # its signature cannot be read
        try:
            inspect.signature(loop).bind(None)
        except TypeError as error:
            what = f"NativeDriver: loop is {show_value(loop)}, which does not take a step ({error})"
            raise SetupError(f"{what}; give a loop, such as AgentLoop()") from error


class _NativeAgent:
    """One agent with one model. Its tools are resolved by its first run."""

    def __init__(self, definition: AgentDefinition, tools: AgentTools, model: Model, loop: Loop | None) -> None:
        self._definition = definition
        self._tools = tools
        _ = definition.schema_out  # refuses a type that cannot be a result before anything runs
        self._model = model
        self._loop = loop or AgentLoop(max_turns=definition.limits.turns + 1)  # the step enforces the limit
        self._bound: tuple[BoundStep, StepService] | None = None

    async def run(self, task: AgentTask, /) -> AgentRun:
        """Loop until the agent finishes or hands over."""
        bound, layered = self._bound = self._bound or await self._bind()
        request = await bound.first_request(task)
        step = LimitedStep(layered, self._definition.limits, self._definition.name, task.first_turn)
        run = await self._run_loop(step, request)
        return run if run.turns == step.turns else structs.replace(run, turns=step.turns)

    async def _bind(self) -> tuple[BoundStep, StepService]:
        bound = await bind_step(self._definition, self._tools, self._model)
        layers = [layer for layer in self._definition.agent_layers if isinstance(layer, StepLayer)]
        return bound, compose_recorded_steps(layers, bound.step)

    async def _run_loop(self, step: StepService, request: StepRequest) -> AgentRun:
        """Run the loop, which may be one of the application, and check what it returns.

        Raises:
            InternalError: it is not a loop, or returned something other than a run of its agent.
        """
        made: Any = self._loop(step)
        run: Any = made(request) if callable(made) else made
        run = await run if inspect.isawaitable(run) else run
        agent, targets = self._definition.name, ("", *self._tools.handoffs.targets.values())
        if not isinstance(run, AgentRun) or run.agent != request.chat.agent_call_id:
            remedy = "return AgentRun.from_outcome(request, outcome, turns) from an async function of the request"
            raise InternalError(f"the loop of agent {agent} returned {shorten_text(repr(run), 100)}; {remedy}")
        if run.handoff_target not in targets:
            raise InternalError(
                f"the loop of agent {agent} hands over to {run.handoff_target!r}, which is not one of its handoffs"
            )
        return run


def _to_port(agent: str, model: AnyModel | None) -> Model:
    """Return the model if it accepts chat requests.

    Raises:
        SetupError: the model belongs to a vendor's library.
    """
    if model is None:
        why = f"agent {agent} has no model; pass model= to it or to the runtime, or set REMIT_MODEL"
        return MissingModel(NoModelError(why))
    if isinstance(model, str):
        why = f"agent {agent} runs in a runtime that does not resolve the model {model!r}"
        return MissingModel(NoModelError(why))
    if isinstance(model, VendorModel):
        raise SetupError(
            f"agent {agent}: the native driver cannot use a {type(model).__name__}; wrap it: PydanticAIModel(model)"
        )
    return model
