"""A worker, as a callee: called like a tool, it has a model work on the call until that gives a valid result."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from remit.agent.model import Model as Port
from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer, ToolLayer, as_calls
from remit.contracts.callee import UNKNOWN, Callee, Found, Frame
from remit.contracts.schema import Input, Output
from remit.core import Stack
from remit.errors import InvalidError, NoModelError, SetupError, no_model
from remit.journal.codec import RESULT
from remit.layers.timeout import Timeout
from remit.workers.definition import WorkerDefinition
from remit.workers.models import ENVIRONMENT, AnyModel, LocalModel, Models, name_of

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
        models: from a name to a model, by default to those of PydanticAI and of Remit.
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
        models: Callable[[str], Model | Port] | None = None,
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
        self.layers: Stack[CallLayer] = _within(definition)
        self.provider_tools = definition.builtin_tools
        self.reach: frozenset[str] | None = definition.reach
        self.permissions = definition.permissions
        self._given = {tool.name: tool for tool in tools}
        self._team: Mapping[str, AnyCallee] = {} if workers is None else workers
        self._models = models or Models()
        self._parallel = parallel
        self._identity = object()
        self._model = model
        self._agent: Agent[Frame, Any] | None = None

    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Worker:
        """A new worker with ``layer`` around this one: it sees the result once PydanticAI has taken it for valid."""
        same = self._copied()
        same.layers = Stack(as_calls(layer), self.layers)
        same._identity = object()
        return same

    def using(self, model: AnyModel) -> Worker:
        """The same worker with another model."""
        same = self._copied()
        same._model = model
        return same

    @property
    def model(self) -> AnyModel | None:
        """The model that it was given, or that its file names."""
        return self._model or self.definition.model or None

    @property
    def where(self) -> str:
        """Where it is written, as ``file:line``."""
        return self.definition.where()

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
        tools = [self._named("tools", index, name) for index, name in enumerate(definition.tools)]
        return (*tools, *(self._named("workers", index, name) for index, name in enumerate(definition.workers)))

    def arguments(self, payload: BaseModel | str | None = None, /, **fields: Any) -> Arguments:
        """The arguments that a payload stands for, or a prompt, or the fields of a payload.

        Raises:
            InvalidError: they are not what it takes.
        """
        try:
            if isinstance(payload, str):
                fields = {"prompt": payload, **fields}
            if not isinstance(payload, BaseModel):
                payload = self.schema_in.model.model_validate(fields, by_alias=True, by_name=True)
            return self.schema_in.arguments(self.schema_in.check(payload))
        except ValidationError as error:
            raise InvalidError(self.schema_in.explain(error)) from error

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """Have an agent of PydanticAI work until its output is valid, which is not checked again."""
        try:
            from remit.workers.absent import stand_in  # noqa: PLC0415 - with PydanticAI, which only running needs
            from remit.workers.running import Work, agent_of, work  # noqa: PLC0415 - as above
        except ModuleNotFoundError as error:
            extra = "pip install 'remit[pydantic-ai]'"
            raise NoModelError(f"worker {self.name} needs {error.name}; install it with: {extra}") from error
        agent = self._agent = self._agent or agent_of(self.definition)
        try:
            model = self._asked()
        except SetupError as error:
            model = stand_in(self._known_model(), no_model(error))
        asked = Work(agent=agent, definition=self.definition, tools=self.tools, model=model, parallel=self._parallel)
        return await work(asked, payload, frame)

    def check_model(self) -> None:
        """See to it, before a run is opened, that the model can be had. It is not asked anything.

        Raises:
            NoModelError: it cannot, or nobody names one.
        """
        try:
            model = self._asked()
            if isinstance(model, LocalModel):
                model.check()
        except SetupError as error:
            raise NoModelError(f"worker {self.name} cannot run here: {error.message}") from error

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> Found:
        """A worker is driven again; there is nothing to find out."""
        return UNKNOWN

    def _named(self, key: str, index: int, name: str) -> AnyCallee:
        """The callee that a list of the definition names."""
        if key == "workers" and name == self.name:
            return self
        found = self._given.get(name) or (self._team.get(name) if key == "workers" else None)
        if found is None:
            at = self.definition.where(key, index)
            raise SetupError(
                f"{f'{at}: ' if at else ''}worker {self.name} names {name!r} among its {key}, and there is none; "
                f"give it to the worker, or correct the name"
            )
        if found.name == RESULT:
            raise SetupError(
                f"worker {self.name} cannot call {name!r}: its model gives results by that name; rename it"
            )
        return found

    def _asked(self) -> Model | Port:
        """Who is asked: what it was given, else what its file names, else what the environment does.

        Raises:
            SetupError: nobody is named, or it is not made for that model.
        """
        definition, given = self.definition, self._model
        if given is None:
            given = definition.chosen(environment=os.environ.get(ENVIRONMENT, ""))
        elif definition.compatible_models:
            definition.chosen(call=name_of(given) or type(given).__name__)
        return self._models(given) if isinstance(given, str) else given

    def _known_model(self) -> AnyModel | None:
        """The model that would be asked, whether it can be had or not."""
        return self.model or os.environ.get(ENVIRONMENT) or None

    def _copied(self) -> Worker:
        return copy.copy(self)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same worker, whichever model it has been given."""
        return isinstance(other, Worker) and self._identity is other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        definition = self.definition
        said = f"Worker {self.name} ({len(definition.tools)} tools, {len(definition.workers)} workers)"
        ungoverned = ", ".join(self.provider_tools)
        said = f"{said}, and ungoverned {ungoverned}" if ungoverned else said
        return f"{said}\n{self.layers!r}" if len(self.layers) else said


def _within(definition: WorkerDefinition) -> Stack[CallLayer]:
    """The layers that its limits call for."""
    seconds = definition.limits.seconds
    return Stack() if seconds is None else as_calls(Timeout(seconds))
