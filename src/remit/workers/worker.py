"""A worker, as a callee: called like a tool, it has a model work on the call until that gives a valid result."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from remit.agent.model import Model as Port
from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer, ToolLayer, to_call_layers
from remit.contracts.callee import UNKNOWN, Callee, Frame, ReconcileResult
from remit.contracts.schema import Input, Output
from remit.core import Stack
from remit.core.background_import import import_in_background
from remit.errors import InvalidArgumentsError, NoModelError, SetupError, as_no_model_error
from remit.journal.codec import RESULT_TOOL
from remit.layers.timeout import Timeout
from remit.models.resolve import MODEL_VARIABLE, AnyModel, ModelResolver, ResolvedModel, get_model_name
from remit.workers.definition import WorkerDefinition

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

AnyCallee = Callee[..., Any]


class Worker:
    """A definition joined with what it may call, and a model. Immutable: `layer` and `using` give a new worker.

    Args:
        tools: what its tools are taken from, by their names.
        workers: what its workers are taken from; it may be filled until the worker is first asked for its tools.
        model: who is asked, an object or a name; None for the file's, else the runtime's, else the environment's.
        model_resolver: from a name to a model, by default to those of PydanticAI and of Remit.
        call_layers: around the calls that it makes.
        parallel: how many calls of one reply run at once.
    """

    def __init__(
        self,
        definition: WorkerDefinition,
        *,
        tools: Iterable[AnyCallee] = (),
        workers: Mapping[str, AnyCallee] | None = None,
        model: AnyModel | None = None,
        model_resolver: Callable[[str], Model | Port] | None = None,
        call_layers: Stack[CallLayer] | None = None,
        parallel: int = 8,
    ) -> None:
        if parallel < 1:
            raise SetupError(f"worker {definition.name}: parallel={parallel}; it makes at least one call at a time")
        self.definition = definition
        self.name = definition.name
        self.description = definition.description or f"The worker {definition.name}."
        self.facts = definition.facts
        self.call_layers: Stack[CallLayer] = call_layers or Stack()
        self.layers: Stack[CallLayer] = _make_limit_layers(definition)
        self.provider_tools = definition.builtin_tools
        self.tool_scope: frozenset[str] | None = definition.tool_scope
        self.permissions = definition.permissions
        self._tools_by_name = {tool.name: tool for tool in tools}
        self._workers_by_name: Mapping[str, AnyCallee] = {} if workers is None else workers
        self._model_resolver = model_resolver or ModelResolver()
        self._parallel = parallel
        self._identity = object()
        self._model = model
        self._agent: Agent[Frame, Any] | None = None

    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Worker:
        """A new worker with ``layer`` around this one: it sees the result once PydanticAI has taken it for valid."""
        clone = self._copy()
        clone.layers = Stack(to_call_layers(layer), self.layers)
        clone._identity = object()
        return clone

    def with_model(self, model: AnyModel) -> Worker:
        """The same worker with another model."""
        clone = self._copy()
        clone._model = model
        return clone

    @property
    def model(self) -> AnyModel | None:
        """The model that it was given, or that its file names."""
        return self._model or self.definition.model or None

    @property
    def where(self) -> str:
        """Where it is written, as ``file:line``."""
        return self.definition.locate()

    @property
    def body(self) -> object:
        """What it runs: the same for this worker with another model."""
        return self._identity

    @property
    def schema_in(self) -> Input[Any]:
        """The payload it takes."""
        return self.definition.schema_in

    @property
    def schema_out(self) -> Output[Any]:
        """The result it gives."""
        return self.definition.schema_out

    @property
    def tools(self) -> tuple[AnyCallee, ...]:
        """What its model may call: its tools, and its workers.

        Raises:
            SetupError: one that it names is not there.
        """
        definition = self.definition
        tools = [self._resolve_callee("tools", index, name) for index, name in enumerate(definition.tools)]
        return (
            *tools,
            *(self._resolve_callee("workers", index, name) for index, name in enumerate(definition.workers)),
        )

    def build_arguments(self, payload: BaseModel | str | None = None, /, **fields: Any) -> Arguments:
        """The arguments that a payload stands for, or a prompt, or the fields of a payload.

        Raises:
            InvalidArgumentsError: they are not what it takes.
        """
        try:
            if isinstance(payload, str):
                fields = {"prompt": payload, **fields}
            if not isinstance(payload, BaseModel):
                payload = self.schema_in.model.model_validate(fields, by_alias=True, by_name=True)
            return self.schema_in.dump_arguments(self.schema_in.check_payload(payload))
        except ValidationError as error:
            raise InvalidArgumentsError(self.schema_in.explain(error)) from error

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """Have an agent of PydanticAI work until its output is valid, which is not checked again."""
        try:
            await import_in_background("remit.workers.runner")  # PydanticAI takes seconds to import
            from remit.workers.missing_model import make_missing_model  # noqa: PLC0415 - with PydanticAI, which only running needs
            from remit.workers.runner import WorkerCall, build_agent, run_worker  # noqa: PLC0415 - as above
        except ModuleNotFoundError as error:
            extra = "pip install 'remit[pydantic-ai]'"
            raise NoModelError(f"worker {self.name} needs {error.name}; install it with: {extra}") from error
        agent = self._agent = self._agent or build_agent(self.definition)
        try:
            model = self._resolve_model()
            if isinstance(model, ResolvedModel):
                model = model.as_pydantic_ai() or model
        except SetupError as error:
            model = make_missing_model(self._get_configured_model(), as_no_model_error(error))
        worker_call = WorkerCall(
            agent=agent,
            definition=self.definition,
            tools=self.tools,
            model=model,
            parallel=self._parallel,
        )
        return await run_worker(worker_call, payload, frame)

    def check_model(self) -> None:
        """See to it, before a run is opened, that the model can be had. It is not asked anything.

        Raises:
            NoModelError: it cannot, or nobody names one.
        """
        try:
            model = self._resolve_model()
            if isinstance(model, ResolvedModel):
                model.check()
        except SetupError as error:
            raise NoModelError(f"worker {self.name} cannot run here: {error.message}") from error

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """A worker is driven again; there is nothing to find out."""
        return UNKNOWN

    def _resolve_callee(self, key: str, index: int, name: str) -> AnyCallee:
        """The callee that a list of the definition names."""
        if key == "workers" and name == self.name:
            return self
        found = self._tools_by_name.get(name) or (self._workers_by_name.get(name) if key == "workers" else None)
        if found is None:
            at = self.definition.locate(key, index)
            raise SetupError(
                f"{f'{at}: ' if at else ''}worker {self.name} names {name!r} among its {key}, and there is none; "
                f"give it to the worker, or correct the name"
            )
        if found.name == RESULT_TOOL:
            raise SetupError(
                f"worker {self.name} cannot call {name!r}: its model gives results by that name; rename it"
            )
        return found

    def _resolve_model(self) -> Model | Port:
        """Who is asked: what it was given, else what its file names, else what the environment does.

        Raises:
            SetupError: nobody is named, or it is not made for that model.
        """
        definition, model = self.definition, self._model
        if model is None:
            model = definition.resolve_model_name(default_name=os.environ.get(MODEL_VARIABLE, ""))
        elif definition.compatible_models:
            definition.resolve_model_name(requested_name=get_model_name(model) or type(model).__name__)
        return self._model_resolver(model) if isinstance(model, str) else model

    def _get_configured_model(self) -> AnyModel | None:
        """The model that would be asked, whether it can be had or not."""
        return self.model or os.environ.get(MODEL_VARIABLE) or None

    def _copy(self) -> Worker:
        return copy.copy(self)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same worker, whichever model it has been given."""
        return isinstance(other, Worker) and self._identity is other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        definition = self.definition
        text = f"Worker {self.name} ({len(definition.tools)} tools, {len(definition.workers)} workers)"
        ungoverned = ", ".join(self.provider_tools)
        text = f"{text}, and ungoverned {ungoverned}" if ungoverned else text
        return f"{text}\n{self.layers!r}" if len(self.layers) else text


def _make_limit_layers(definition: WorkerDefinition) -> Stack[CallLayer]:
    """The layers that its limits call for."""
    seconds = definition.limits.seconds
    return Stack() if seconds is None else to_call_layers(Timeout(seconds))
