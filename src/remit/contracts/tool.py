"""A tool: a plain function that knows nothing of policy, with the contract that its signature defines."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from pydantic import BaseModel, ValidationError

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer, ToolLayer, to_call_layers
from remit.contracts.callee import UNKNOWN, Frame, LeafContext, ReconcileResult
from remit.contracts.contract import check_name
from remit.contracts.current_run import CURRENT_RUN
from remit.contracts.facts import Effect, Facts, Rate, Risk, build_facts
from remit.contracts.naming import canonical_name
from remit.contracts.redact import Redaction
from remit.contracts.schema import Input, Output
from remit.contracts.signature import Signature, read_signature
from remit.contracts.threads import awaitable_body
from remit.core import Stack
from remit.errors import ContractError, InvalidArgumentsError
from remit.schemas.finding import locate_function

P = ParamSpec("P")
Out = TypeVar("Out")
Ctx = TypeVar("Ctx", bound=LeafContext)
"""What a body asks for: a context of Remit, or one that knows the tools of an application; see `remit stubs`."""


ReconcileFunction = Callable[[LeafContext, Any], Awaitable[ReconcileResult]]
PreviewFunction = Callable[[LeafContext, Any], Awaitable[str]]


class Tool(Generic[P, Out]):
    """What a model can call. Immutable: `layer` and `with_name` give a new tool. Bare until you attach layers.

    Make one with `tool`.
    """

    __slots__ = (
        "_body",
        "_function",
        "_preview",
        "_reconcile",
        "_redaction",
        "_signature",
        "description",
        "facts",
        "layers",
        "name",
        "where",
    )

    def __init__(
        self,
        function: Callable[..., Awaitable[Out] | Out],
        signature: Signature,
        *,
        name: str,
        description: str,
        facts: Facts,
        layers: Stack[CallLayer],
        reconcile: ReconcileFunction | None = None,
        preview: PreviewFunction | None = None,
        redaction: Redaction | None = None,
        where: str = "",
    ) -> None:
        self.where = where
        self._reconcile = reconcile
        self._preview = preview
        self._redaction = redaction
        self._function = function
        body = awaitable_body(function, wants_context=signature.wants_context)
        self._body: Callable[..., Awaitable[Any]] = (
            body if redaction is None else redaction.wrap_body(body, name, signature.schema_out)
        )
        self._signature = signature
        self.name = check_name(name)
        self.description = description
        self.facts = facts
        self.layers = layers

    @property
    def schema_in(self) -> Input[Any]:
        """The payload it takes."""
        return self._signature.schema_in

    @property
    def schema_out(self) -> Output[Out]:
        """The result it gives."""
        return self._signature.schema_out

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself, with no layer around it."""
        return self._function

    @property
    def body(self) -> object:
        """What it runs: the function, whichever layers and name it has."""
        return self._function

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Call the function directly, as a test does: with no layer, no approval and no journal.

        Raises:
            ContractError: this happens inside a run, or the function takes a context.
        """
        if CURRENT_RUN.get():
            raise ContractError(f"{self.name}(…) inside a run passes no layer: write `await ctx.call({self.name}, …)`")
        if self._signature.wants_context:
            raise ContractError(f"{self.name} takes a context: call {self.name}.function with one, or in a run")
        result: Any = self._function(*args, **kwargs)
        return await result if inspect.isawaitable(result) else result

    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Tool[P, Out]:
        """A new tool with ``layer`` around this one; the one attached last is outermost."""
        return self._copy(layers=Stack(to_call_layers(layer), self.layers))

    def with_layers(self, layers: Stack[CallLayer]) -> Tool[P, Out]:
        """The same tool with ``layers`` in place of its own."""
        return self._copy(layers=layers)

    def with_name(self, name: str) -> Tool[P, Out]:
        """The same tool under another name."""
        return self._copy(name=name)

    def with_reconcile(self, reconcile: ReconcileFunction) -> Tool[P, Out]:
        """The same tool, which can find out whether a call of it that was cut off has happened.

        ``reconcile(ctx, payload)`` gives `Happened` with the result, `DID_NOT_HAPPEN`, or `UNKNOWN`: then a person is
        asked.
        """
        return self._copy(reconcile=reconcile)

    def with_redaction(self, *, fields: Iterable[str] = (), patterns: Iterable[str] = ()) -> Tool[P, Out]:
        """The same tool, whose results are redacted before anybody sees them: the model, the journal, Python callers.

        Args:
            fields: names of fields whose values are left out, at any depth.
            patterns: regular expressions. What they match is left out of every text, of those in errors too.

        Raises:
            ContractError: a pattern is no regular expression.
        """
        return self._copy(redaction=(self._redaction or Redaction()).with_rules(fields, patterns))

    def with_preview(self, preview: PreviewFunction) -> Tool[P, Out]:
        """The same tool, which tells the person who is asked about a call what that is about.

        ``await show(ctx, payload)`` gives a line or a few, like the title behind an id. It must change nothing: nobody
        has allowed anything yet.
        """
        return self._copy(preview=preview)

    def build_arguments(self, *args: P.args, **kwargs: P.kwargs) -> Arguments:
        """The arguments that a Python caller means.

        Raises:
            InvalidArgumentsError: they do not fit the signature.
        """
        try:
            bound = self._signature.python_signature.bind(*args, **kwargs)
            if self._signature.field_names is None:
                bound.apply_defaults()
                payload = self.schema_in.check_payload(*bound.arguments.values())
            else:
                payload = self.schema_in.model.model_validate(bound.arguments, by_alias=True, by_name=True)
        except TypeError as error:
            raise InvalidArgumentsError(f"{self.name}: {error}") from error
        except ValidationError as error:
            raise InvalidArgumentsError(self.schema_in.explain(error)) from error
        return self.schema_in.dump_arguments(payload)

    async def run(self, payload: BaseModel, frame: Frame, /) -> Out:
        """The body: the function, called with what the payload says."""
        first = (frame,) if self._signature.wants_context else ()
        if self._signature.field_names is None:
            return await self._body(*first, payload)
        return await self._body(*first, **self._signature.keyword_arguments(payload))

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> ReconcileResult:
        """Find out whether an unsafe call that was cut off has happened."""
        found = UNKNOWN if self._reconcile is None else await self._reconcile(frame, payload)
        return found if self._redaction is None else self._redaction.redact_reconcile_result(found, self.schema_out)

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> str:
        """What a call is about, for the person who is asked; empty where the tool does not say."""
        return "" if self._preview is None else await self._preview(ctx, payload)

    def with_facts(self, facts: Facts, *, name: str, description: str, where: str) -> Tool[P, Out]:
        """The same function under another name and other facts, as an inventory says them; bare.

        Raises:
            ContractError: the facts do not fit the function.
        """
        _check_facts(check_name(name), self._signature, facts)
        return Tool(
            self._function,
            self._signature,
            name=name,
            description=description,
            facts=facts,
            layers=Stack(),
            where=where,
        )

    def _copy(
        self,
        *,
        name: str | None = None,
        layers: Stack[CallLayer] | None = None,
        reconcile: ReconcileFunction | None = None,
        preview: PreviewFunction | None = None,
        redaction: Redaction | None = None,
    ) -> Tool[P, Out]:
        return Tool(
            self._function,
            self._signature,
            name=self.name if name is None else name,
            description=self.description,
            facts=self.facts,
            layers=self.layers if layers is None else layers,
            reconcile=reconcile or self._reconcile,
            preview=preview or self._preview,
            redaction=redaction or self._redaction,
            where=self.where,
        )

    def __repr__(self) -> str:
        facts = f"Tool {self.name} ({self.facts.effect.value}, {self.facts.risk.value})"
        text = facts if self._redaction is None else f"{facts}, {self._redaction!r}"
        return f"{text}\n{self.layers!r}" if len(self.layers) else text


class ToolDecorator(Protocol):
    """`tool` with its facts given: waits for the function."""

    @overload
    def __call__(self, function: Callable[Concatenate[Ctx, P], Awaitable[Out] | Out], /) -> Tool[P, Out]: ...
    @overload
    def __call__(self, function: Callable[P, Awaitable[Out] | Out], /) -> Tool[P, Out]: ...


@overload
def tool(
    function: Callable[Concatenate[Ctx, P], Awaitable[Out] | Out],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = ...,
    risk: Risk = ...,
    permissions: Iterable[str] = ...,
    timeout: float | None = ...,
    rate: str | tuple[int, float] | Rate | None = ...,
    egress: bool = ...,
    trusted: bool = ...,
    tags: Iterable[str] = ...,
    confirm: str | None = ...,
) -> Tool[P, Out]: ...
@overload
def tool(
    function: Callable[P, Awaitable[Out] | Out],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = ...,
    risk: Risk = ...,
    permissions: Iterable[str] = ...,
    timeout: float | None = ...,
    rate: str | tuple[int, float] | Rate | None = ...,
    egress: bool = ...,
    trusted: bool = ...,
    tags: Iterable[str] = ...,
    confirm: str | None = ...,
) -> Tool[P, Out]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = ...,
    risk: Risk = ...,
    permissions: Iterable[str] = ...,
    timeout: float | None = ...,
    rate: str | tuple[int, float] | Rate | None = ...,
    egress: bool = ...,
    trusted: bool = ...,
    tags: Iterable[str] = ...,
    confirm: str | None = ...,
) -> ToolDecorator: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = Effect.UNSAFE,
    risk: Risk = Risk.SAFE,
    permissions: Iterable[str] = (),
    timeout: float | None = None,
    rate: str | tuple[int, float] | Rate | None = None,
    egress: bool = False,
    trusted: bool = False,
    tags: Iterable[str] = (),
    confirm: str | None = None,
) -> Any:
    """Make a tool of a function: ``@tool``, ``@tool(effect=Effect.PURE)`` or ``tool(service.method)``.

    A plain ``def`` runs in a thread. A thread cannot be stopped: a timeout reports that the call is still running.

    The signature and docstring are the contract: types become the schema, the docstring the description, its ``Args:``
    the descriptions of the parameters. A function whose one parameter is a pydantic model takes that as its payload. A
    first parameter annotated `LeafContext` or `Context` gets the context of the call. The other arguments are `Facts`.

    Raises:
        ContractError: the function cannot be a contract; the message says why.
    """
    facts = build_facts(
        effect=effect,
        risk=risk,
        permissions=permissions,
        timeout=timeout,
        rate=rate,
        egress=egress,
        trusted=trusted,
        tags=tags,
        confirm=confirm,
    )

    def make(function: Callable[..., Any]) -> Tool[..., Any]:
        return _build_tool(function, name, description, facts, "")

    return make if function is None else make(function)


def build_tool(
    function: Callable[..., Any],
    facts: Facts,
    *,
    name: str | None = None,
    description: str | None = None,
    where: str = "",
) -> Tool[..., Any]:
    """The tool of a function whose facts were said elsewhere, as by an inventory; see `tool`. ``where``: its entry.

    Raises:
        ContractError: the function cannot be a contract; the message says why.
    """
    return _build_tool(function, name, description, facts, where)


def _build_tool(
    function: Callable[..., Any], name: str | None, description: str | None, facts: Facts, where: str
) -> Tool[..., Any]:
    if not isinstance(function, (FunctionType, MethodType)):
        raise ContractError(f"{function!r} is not a function or method: write a function that calls it")
    tool_name = canonical_name(function, name)
    signature = read_signature(function, tool_name)
    _check_facts(tool_name, signature, facts)
    text = description or signature.description
    if not text:
        raise ContractError(f"{tool_name} has no description: write a docstring, a model decides by it when to call")
    where = where or locate_function(function)
    return Tool(function, signature, name=tool_name, description=text, facts=facts, layers=Stack(), where=where)


def _check_facts(name: str, signature: Signature, facts: Facts) -> None:
    if signature.makes_calls and facts.effect is not Effect.COMPOSED:
        raise ContractError(
            f"{name} asks for a Context, to call other tools, so its effect is COMPOSED; ask for a LeafContext if it "
            f"touches the world itself"
        )
    if facts.confirm is not None:
        flag = signature.schema_in.json_schema.get("properties", {}).get(facts.confirm, {})
        if flag.get("type") != "boolean" or flag.get("default") is not False:
            raise ContractError(
                f"{name}: confirm={facts.confirm!r} must name a boolean parameter whose default is False"
            )
