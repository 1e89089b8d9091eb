"""The native driver: Remit's own loop over raw chat messages."""

from __future__ import annotations

import contextlib
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

from msgspec import structs

from remit.agent.attachments import Attachment
from remit.agent.chat_recorder import RecordModel
from remit.agent.compactor import Compactor
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentService, AgentTask, AgentTools
from remit.agent.layered_model import LayeredModel
from remit.agent.layered_step import compose_recorded_steps
from remit.agent.loop import AgentLoop, AgentRun, LimitedStep, Loop
from remit.agent.media import make_part, reads_of
from remit.agent.model import (
    AnyModel,
    Model,
    NamedModel,
    VendorModel,
    ask_directly,
    check_settings,
    is_native_output,
    model_name,
)
from remit.agent.step import AgentStep
from remit.agent.stop import continue_text
from remit.agent.turns import AgentTurns
from remit.agent.typed_result import TypedResults
from remit.contracts.call import StepLayer, StepService
from remit.contracts.chat import (
    ChatRequest,
    Completion,
    History,
    ToolDefinitions,
    decode_message,
    encode_message,
    message_text,
)
from remit.contracts.estimate import PDF
from remit.contracts.guard import compose_models
from remit.contracts.schema import shorten_text
from remit.contracts.settings import ModelSettings
from remit.contracts.step import StepOutcome, StepRequest
from remit.core.checks import check_functions
from remit.errors import InvalidArgumentsError, NoModelError, SetupError, ToolFailedError
from remit.layers.trace import TraceModel


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
            SetupError: the agent uses provider tools or does not support this model.
        """
        if definition.provider_tools:
            name = definition.provider_tools[0].name
            raise SetupError(
                f"agent {definition.name}: the native driver cannot run {name!r}, a tool of the model's provider; "
                "pass driver=PydanticAIDriver()"
            )
        if model is not None and model_name(model):
            definition.check_compatible(model_name(model))
        return _NativeAgent(definition, tools, _to_port(definition.name, model), self._loop).run

    def check_model(self, definition: AgentDefinition, model: AnyModel | None, /) -> None:
        """Refuse a model that is known not to take the agent's settings. Nothing else is known without a request."""
        check_settings(definition.name, model, definition.settings)

    def __repr__(self) -> str:
        return "NativeDriver()" if self._loop is None else f"NativeDriver({self._loop!r})"


def _check_takes_step(loop: Loop) -> None:
    """Refuse a loop that cannot be called with a step, such as the class `AgentLoop`.

    Raises:
        SetupError: says what to give.
    """
    with contextlib.suppress(ValueError):  # it has no signature to look at
        try:
            inspect.signature(loop).bind(None)
        except TypeError as error:
            what = f"NativeDriver: loop is {loop!r}, which does not take a step ({error})"
            raise SetupError(f"{what}; give a loop, such as AgentLoop()") from error


class _BoundStep(NamedTuple):
    """The step of an agent, with the tools and settings of its requests."""

    step: StepService
    tools: ToolDefinitions
    settings: ModelSettings


class _NativeAgent:
    """One agent with one model. Its tools are resolved by its first run."""

    def __init__(self, definition: AgentDefinition, tools: AgentTools, model: Model, loop: Loop | None) -> None:
        self._definition = definition
        self._loop = loop
        self._tools = tools
        _ = definition.schema_out  # refuses a type that cannot be a result before anything runs
        self._model = model
        self._bound: _BoundStep | None = None

    async def run(self, task: AgentTask, /) -> AgentRun:
        """Loop until the agent finishes or hands over."""
        bound = self._bound = self._bound or await self._bind()
        self._tools.record_withheld(task, self._definition.permissions)
        chat = ChatRequest(
            agent_call_id=task.frame.id,
            turn=task.first_turn,
            ledger=task.frame.ledger,
            history=_with_attachments(task.history, task.attachments, self._model),
            used_call_ids=task.used_call_ids,
            tools=bound.tools,
            settings=bound.settings.for_turn(task.first_turn),
        )
        turns = AgentTurns(self._definition, self._tools, task.frame)
        request = StepRequest(chat=chat, calls=turns, end_turn=turns.end_turn)
        limits, name = self._definition.limits, self._definition.name
        if self._loop is None:
            return await AgentLoop(max_turns=limits.turns)(bound.step)(request)
        step = LimitedStep(bound.step, limits, name, task.first_turn)
        return structs.replace(await self._run_loop(self._loop, step, request), turns=step.turns)

    async def _run_loop(self, loop: Loop, step: StepService, request: StepRequest) -> AgentRun:
        """Run a loop of the application, and check what it returns.

        Raises:
            ToolFailedError: it is no loop, or returned something else than a run of its agent.
        """
        made = cast("object", loop(step))
        run: object = made(request) if callable(made) else made
        run = cast("object", await run) if inspect.isawaitable(run) else run
        agent, targets = self._definition.name, ("", *self._tools.handoffs.targets.values())
        if not isinstance(run, AgentRun) or run.agent != request.chat.agent_call_id:
            remedy = "return AgentRun.from_outcome(request, outcome, turns) from an async function of the request"
            raise ToolFailedError(f"the loop of agent {agent} returned {shorten_text(repr(run), 100)}; {remedy}")
        if run.handoff_target not in targets:
            raise ToolFailedError(f"the loop of agent {agent} hands over to {run.handoff_target!r}, which it cannot")
        return run

    async def _bind(self) -> _BoundStep:
        definition, tools, settings = self._definition, self._tools.definitions, self._definition.settings
        if definition.returns_text:
            return _BoundStep(self._build_step(None), tools, settings)
        results = TypedResults(
            agent=definition.name,
            output=definition.schema_out,
            retries=definition.retries,
            is_native=await is_native_output(definition.output_mode, self._model),
        )
        if results.is_native:
            settings = settings.update(response_format=results.response_format())
        else:
            listed: list[Mapping[str, Any]] = json.loads(tools.text)
            tools = ToolDefinitions([*listed, results.tool_definition()])
        return _BoundStep(self._build_step(results), tools, settings)

    def _build_step(self, results: TypedResults | None) -> StepService:
        definition, model = self._definition, self._model
        steps = [layer for layer in definition.agent_layers if isinstance(layer, StepLayer)]
        traced = TraceModel(model=model.model, vendor=model.vendor) if isinstance(model, NamedModel) else TraceModel()
        layered = LayeredModel(definition.model_layers)
        recorder = RecordModel(layered, model_name(model), reads=reads_of(model))
        compactor = Compactor(definition.compaction, lambda: self._tools.callees, layered, model)
        step: StepService = AgentStep(
            model=compactor.around(compose_models([traced, recorder], partial(ask_directly, model))),
            parallel=definition.parallel,
            handoffs=self._tools.handoffs,
            results=results,
            limits=definition.limits,
            continue_text="" if definition.stop is None else continue_text(definition.stop),
        )
        if self._tools.is_searched:
            step = self._with_found_tools(step, results)
        return compose_recorded_steps(steps, step)

    def _with_found_tools(self, step: StepService, results: TypedResults | None) -> StepService:
        """Give each request the definitions of the tools that the model has found so far."""
        fixed = [] if results is None or results.is_native else [results.tool_definition()]

        async def search_step(request: StepRequest, /) -> StepOutcome:
            chat = replace(request.chat, tools=self._tools.definitions_after(request.chat, fixed))
            return await step(structs.replace(request, chat=chat))

        return search_step


class _UnresolvedModel:
    """Placeholder for a missing or unresolved model: recorded turns replay, the first new request fails."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def __call__(self, _request: ChatRequest, /) -> Completion:
        raise NoModelError(self._reason)


def _to_port(agent: str, model: AnyModel | None) -> Model:
    """Return the model if it accepts chat requests.

    Raises:
        SetupError: the model belongs to a vendor's library.
    """
    if model is None:
        return _UnresolvedModel(f"agent {agent} has no model; pass model= to it or to the runtime, or set REMIT_MODEL")
    if isinstance(model, str):
        return _UnresolvedModel(f"agent {agent} runs in a runtime that does not resolve the model {model!r}")
    if isinstance(model, VendorModel):
        raise SetupError(
            f"agent {agent}: the native driver cannot use a {type(model).__name__}; wrap it: PydanticAIModel(model)"
        )
    return model


def _with_attachments(history: History, attachments: Sequence[Attachment], model: Model) -> History:
    """The history with the attachments in its last message."""
    if not attachments:
        return history
    *earlier, last = history
    parts: list[Any] = [{"type": "text", "text": message_text(decode_message(last))}]
    parts += [_content_part(each, model) for each in attachments]
    return History([*earlier, encode_message({"role": "user", "content": parts})])


def _content_part(attachment: Attachment, model: Model) -> dict[str, Any]:
    if attachment.media_type == PDF and not reads_of(model).pdfs:
        raise InvalidArgumentsError(f"{attachment.name}: this model is sent no PDFs; use one that reads them")
    if attachment.media_type == PDF or attachment.media_type.startswith("image/"):
        return make_part(attachment.media_type, attachment.data or "", attachment.name)
    if attachment.media_type.startswith("text/"):
        return {"type": "text", "text": attachment.content.decode(errors="replace")}
    raise InvalidArgumentsError("chat completions accept only text, images and PDFs as attachments; use another driver")
