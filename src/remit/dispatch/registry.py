"""The registry resolves names, which exist only at the edges, and rejects duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from remit.call.call import CallLayer
from remit.call.callee import (
    UNKNOWN,
    AgentLike,
    Callee,
    Frame,
    HasBody,
    HasModel,
    HasSource,
    HasSteps,
    ReconcileResult,
)
from remit.call.contract import check_name
from remit.call.facts import Effect, Facts
from remit.call.naming import check_not_reserved, python_alias
from remit.call.schema import Input, Output
from remit.core import Stack
from remit.core.protocols import implements
from remit.errors import InvalidArgumentsError, NameTakenError, SetupError, UnknownToolError
from remit.record.arguments import Arguments
from remit.schemas.suggestions import find_similar

AnyCallee = Callee[..., Any]
AnyAgent = AgentLike[..., Any]


def collect_callees(callees: Iterable[AnyCallee]) -> list[AnyCallee]:
    """Collect ``callees`` and, recursively, the tools of the agents among them, each once."""
    collected: list[AnyCallee] = []
    pending = list(callees)
    while pending:
        new = [callee for callee in dict.fromkeys(pending) if callee not in collected]
        collected += new
        pending = [tool for callee in new if implements(callee, AgentLike) for tool in callee.tools]
    return collected


class Registry:
    """Callees by canonical name. Provider-run tools reserve names here too, because models see both.

    Args:
        callees: the callees that the application offers.
        methods: maps each method's key to the tool that makes its calls, or to a callee that is not offered.

    Raises:
        NameTakenError: two callees have the same name or alias.
        ContractError: a name is reserved.
    """

    def __init__(self, callees: Iterable[AnyCallee] = (), methods: Mapping[str, AnyCallee] | None = None) -> None:
        self._methods = methods or {}
        self._by_name: dict[str, AnyCallee] = {}
        self._aliases: dict[str, str] = {}
        self._providers: dict[str, str] = {}
        for callee in callees:
            self.add(callee)

    def add(self, callee: AnyCallee) -> None:
        """Add a callee and its provider's tools. Adding the same callee again changes nothing."""
        name = check_name(callee.name)
        check_not_reserved(name)
        existing = self._by_name.get(name)
        if existing is not None and not _is_same(existing, callee):
            raise NameTakenError(
                f"two callees are named {name!r}: {describe(existing)} and {describe(callee)}; rename one of them"
            )
        if name in self._providers:
            raise _provider_conflict(name, self._providers[name], callee)
        other = self._aliases.get(python_alias(name), name)
        if other != name:
            both = f"{describe(self._by_name[other])} and {describe(callee)}"
            raise NameTakenError(f"ctx.tools.{python_alias(name)} would be two callees: {both}; rename one of them")
        self._aliases[python_alias(name)] = name
        self._by_name[name] = callee
        if implements(callee, AgentLike):
            for each in callee.provider_tools:
                self.add_provider_tool(each, describe(callee))

    def add_provider_tool(self, name: str, where: str) -> None:
        """Reserve a name for a provider-run tool. ``where`` describes the agent that declares it."""
        if name in self._by_name:
            raise _provider_conflict(name, where, self._by_name[name])
        self._providers.setdefault(name, where)

    def find(self, name: str) -> AnyCallee | None:
        """The callee with that name or method key, or None."""
        found = self._by_name.get(str(name))
        method = self._methods.get(str(name)) if found is None else None
        return found if method is None else method if method.name == name else self._by_name.get(method.name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a program may call: the names of callees and the keys of methods."""
        return (*self._by_name, *self._methods)

    @property
    def programs(self) -> tuple[AnyCallee, ...]:
        """The methods without a tool, which programs call by key."""
        return tuple(each for key, each in self._methods.items() if each.name == key)

    def resolve(self, callee: AnyCallee) -> AnyCallee:
        """Resolve an object to itself or, if it is an agent, to the listed agent with the object's model.

        The object must be listed or derived from a listed one. A derived object has the same body and name, and has all
        layers of the listed one and possibly more, or another model.

        Raises:
            UnknownToolError: it is neither listed nor derived. The message says how to fix it.
        """
        listed = self.find(callee.name)
        if listed is callee:
            return callee
        if listed is None:
            raise UnknownToolError(
                f"{describe(callee)} is not listed; add it to the tools of the application or of an agent"
            )
        if not runs_same_body(callee, listed):
            raise UnknownToolError(
                f"{describe(callee)} is not listed: its name is that of {describe(listed)}; rename it and list it"
            )
        if not keeps_layers(callee, listed):
            raise UnknownToolError(
                f"{describe(callee)} lacks layers of the listed {callee.name}; call that one, or derive from it"
            )
        return _with_given_model(listed, callee) if implements(callee, AgentLike) else callee

    def check_steps(self) -> None:
        """Refuse a pipeline with a step that is not listed, before any step runs.

        Raises:
            SetupError: names the pipeline and the step.
        """
        for callee in self:
            for step in callee.callees if implements(callee, HasSteps) else ():
                try:
                    self.resolve(step)
                except UnknownToolError as error:
                    raise SetupError(f"{callee.name} calls {error.message}") from None

    def canonical_name(self, alias: str) -> str | None:
        """The canonical name for an alias, or None."""
        return alias if alias in self._by_name else self._aliases.get(alias)

    def get_or_missing(self, name: str) -> AnyCallee:
        """The callee with that name, or one that answers every call with an `UnknownToolError`."""
        return self.find(name) or MissingCallee(name, self._by_name)

    def __iter__(self) -> Iterator[AnyCallee]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)


def describe(callee: AnyCallee) -> str:
    """Describe a callee in one line of a message, with its source location if known."""
    text = repr(callee).split("\n", 1)[0]
    return f"{text} at {callee.where}" if implements(callee, HasSource) and callee.where else text


def _is_same(listed: AnyCallee, callee: AnyCallee) -> bool:
    """Whether both are equal by the listed object's type, so that another type's ``__eq__`` cannot decide."""
    return type(callee) is type(listed) and listed == callee


def runs_same_body(callee: AnyCallee, listed: AnyCallee) -> bool:
    """Whether a callee is the listed one or derived from it, with the same body and facts."""
    if _is_same(listed, callee):
        return True
    same_type = type(callee) is type(listed)
    return same_type and implements(listed, HasBody) and listed.body == cast("HasBody", callee).body


def keeps_layers(callee: AnyCallee, listed: AnyCallee) -> bool:
    """Whether a callee has the identical layers of the listed one in order, since equal layers may have other counts.

    Layers that were attached later may stand between them.
    """
    own = iter(callee.layers)
    return all(any(other is each for other in own) for each in listed.layers)


def _with_given_model(listed: AnyCallee, callee: object) -> AnyCallee:
    """The listed agent, which linking has completed, with the model and settings of ``callee`` if they differ."""
    if not (implements(listed, HasModel) and implements(callee, HasModel)):
        return listed
    keeps_model = callee.model is None or (listed.model is not None and callee == listed)
    given = listed if keeps_model else listed.with_model(callee.model)
    return given if callee.settings == listed.settings else given.with_settings(callee.settings)


def _provider_conflict(name: str, where: str, callee: AnyCallee) -> NameTakenError:
    return NameTakenError(f"{name!r} names both a provider tool of {where} and {describe(callee)}; rename the latter")


class AnyPayload(BaseModel):
    """A payload without fields."""

    model_config = ConfigDict(defer_build=True)


class _AnyInput(Input[AnyPayload]):
    """Accepts any arguments, because the unknown name is reported first, except those refused for a reason."""

    __slots__ = ()

    def bind(self, arguments: Arguments, *, strict: bool = False) -> AnyPayload:
        if arguments.is_refused:
            raise InvalidArgumentsError(arguments.error)
        return AnyPayload()


@cache
def _any_input() -> Input[AnyPayload]:
    return _AnyInput(AnyPayload)


@cache
def _no_output() -> Output[Any]:
    return Output(Any)


class MissingCallee:
    """Stands for an unknown name. Its calls take the usual path and end in a clear error."""

    description = "There is no such tool."
    facts = Facts(effect=Effect.PURE)
    layers: Stack[CallLayer] = Stack()

    def __init__(self, name: str, known_names: Iterable[str]) -> None:
        self.name = name
        self._suggestions = find_similar(name, known_names, count=3, cutoff=0.4)

    @property
    def schema_in(self) -> Input[AnyPayload]:
        """Accepts any arguments."""
        return _any_input()

    @property
    def schema_out(self) -> Output[Any]:
        """Never used."""
        return _no_output()

    def build_arguments(self) -> Arguments:
        """Empty arguments."""
        return Arguments("{}", {})

    @property
    def error(self) -> UnknownToolError:
        """The error, with similar names."""
        near = f"; similar: {', '.join(self._suggestions)}" if self._suggestions else ""
        return UnknownToolError(f"there is no tool {self.name[:80]!r}{near}")

    async def run(self, _payload: BaseModel, _frame: Frame, /) -> Any:
        """Raise the error."""
        raise self.error

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN; no attempt is ever started."""
        return UNKNOWN
