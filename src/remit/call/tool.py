"""Tools: plain functions without knowledge of policy, with a contract from their signature or a JSON schema."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from types import CoroutineType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, Unpack, overload

from pydantic import BaseModel

from remit.call.body_context import BodyContext, LeafBodyContext
from remit.call.call import CallLayer, ToolLayer, to_call_layers
from remit.call.callee import UNKNOWN, Frame, LeafContext, ReconcileResult
from remit.call.contract import InputSchema, OutputSchema, check_callee_name, check_name
from remit.call.facts import FactOptions, Facts, facts_from_options
from remit.call.naming import canonical_name, find_function
from remit.call.signature import Signature, read_dict_call, read_signature
from remit.call.threads import awaitable_body
from remit.call.tool_facts import check_facts
from remit.core import Stack
from remit.core.call_checks import check_awaitable, check_call, check_callback
from remit.core.checks import check_functions, check_instances, check_text
from remit.errors import ContractError, InvalidArgumentsError, SetupError
from remit.record.arguments import Arguments
from remit.record.current_run import CURRENT_RUN
from remit.record.question import Preview
from remit.schemas.finding import locate_function

P = ParamSpec("P")
Out = TypeVar("Out")
Ctx = TypeVar("Ctx", bound=LeafContext)
"""The context that a body declares: a context of Remit, or one that knows the tools of an application; see `remit
stubs`."""


ReconcileFunction = Callable[[LeafContext, Any], Awaitable[ReconcileResult]]
PreviewFunction = Callable[[LeafContext, Any], Awaitable[Preview | str]]


class Tool(Generic[P, Out]):
    """A function with a contract, which a model can call. Immutable: `layer` and `with_name` return a new tool.

    Make one with `tool`, or with `Tool.from_schema` if a JSON schema describes the arguments. It has no layers until
    you attach some.
    """

    __slots__ = (
        "_body",
        "_function",
        "_preview",
        "_reconcile",
        "_signature",
        "description",
        "facts",
        "layers",
        "name",
        "schema_in",
        "schema_out",
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
        where: str = "",
    ) -> None:
        self.where = where
        self._reconcile = reconcile
        self._preview = preview
        self._function = function
        self._body = awaitable_body(function)
        self._signature = signature
        self.schema_in: InputSchema[Any] = signature.schema_in
        self.schema_out: OutputSchema[Out] = signature.schema_out
        self.name = check_callee_name(name)
        self.description = description
        self.facts = facts
        check_instances(f"tool {name}", layers=(layers, Stack), facts=(facts, Facts))
        self.layers = layers

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):
            raise SetupError(f"{self.name}.{name} cannot be changed; make a new tool, as `layer` and `with_name` do")
        super().__setattr__(name, value)

    @classmethod
    def from_schema(
        cls,
        name: str,
        description: str,
        schema: Mapping[str, Any],
        call: Callable[..., Any],
        output_schema: Mapping[str, Any] | None = None,
        **facts: Unpack[FactOptions],
    ) -> Tool[..., Any]:
        """Make a tool whose arguments a JSON schema describes, as in MCP servers and OpenAPI documents.

        It behaves like a typed tool: arguments are checked strictly, defaults are filled in, and equal arguments
        have one canonical form. Needs ``pip install '.[schema]'``.

        Args:
            name: the name that models see.
            description: when and why to call it.
            schema: draft 2020-12 or draft-07, with local references only.
            call: a function of one dictionary, async or plain. If its first parameter is annotated `LeafContext` or
                `Context`, it gets the context of the call too.
            output_schema: the schema of the result; None for any JSON value.
            facts: as `tool` takes them.

        Raises:
            ContractError: an argument cannot be part of a contract; the message gives the reason.
            SetupError: the extra is not installed.
        """
        check_functions(f"Tool.from_schema({name!r})", call=call)
        check_text(f"the description of {name}", description, ContractError)
        signature = read_dict_call(call, check_name(name), schema, output_schema)
        built = facts_from_options("Tool.from_schema()", facts)
        check_facts(name, signature, built)
        if not description:
            raise ContractError(f"{name} has no description, which a model needs to decide when to call it")
        where = locate_function(call)
        return Tool(call, signature, name=name, description=description, facts=built, layers=Stack(), where=where)

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself, without layers."""
        return self._function

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The function, and its reconcile and preview functions, if any."""
        return tuple(each for each in (self._function, self._reconcile, self._preview) if each is not None)

    @property
    def body(self) -> object:
        """Identifies the tool's function and governance, independent of its layers and name."""
        return self._function, self._signature, self.facts, self._reconcile, self._preview

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Call the function directly, as in a test: without layers, approval and journal.

        Inside a run this is refused. It cannot be refused in code that leaves the run's context, such as a
        `run_in_executor` thread or an empty `contextvars.Context`, because Python does not tell such code about the
        run.

        Raises:
            ContractError: the call is made inside a run, or the function takes a context.
        """
        if CURRENT_RUN.get().run:
            raise ContractError(f"{self.name}(…) inside a run passes no layer: write `await ctx.call({self.name}, …)`")
        if self._signature.wants_context:
            raise ContractError(f"{self.name} takes a context: call {self.name}.function with one, or in a run")
        result: Any = self._function(*args, **kwargs)
        return await result if inspect.isawaitable(result) else result

    @check_call
    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Tool[P, Out]:
        """Return a new tool with ``layer`` around this one, as far out as its place allows; see `Stack.layer`."""
        return self._copy(layers=self.layers.layer(to_call_layers(layer)))

    def with_layers(self, layers: Stack[CallLayer]) -> Tool[P, Out]:
        """Return the same tool with ``layers`` instead of its own."""
        return self._copy(layers=to_call_layers(layers))

    def with_name(self, name: str) -> Tool[P, Out]:
        """Return the same tool under another name."""
        return self._copy(name=check_name(name))

    def with_key(self, key: str) -> Tool[P, Out]:
        """Return the same tool under a method's key, by which programs, but not models, can call it."""
        return self._copy(name=key)

    def with_reconcile(self, reconcile: ReconcileFunction) -> Tool[P, Out]:
        """Return the same tool with a function that finds out whether an interrupted call took effect.

        ``reconcile(ctx, payload)`` returns `Happened` with the result, `DID_NOT_HAPPEN`, or `UNKNOWN`, in which case a
        person is asked.
        """
        check_callback(f"tool {self.name}: reconcile", reconcile, "ctx", "payload", is_async=True)
        return self._copy(reconcile=reconcile)

    def with_preview(self, preview: PreviewFunction) -> Tool[P, Out]:
        """Return the same tool with a preview for the approver of a call.

        ``await preview(ctx, payload)`` returns a few lines, like the title behind an id, or a `Preview` that also lists
        the changes and names the state that it describes. It must change nothing, because the call is not approved yet.
        If the preview fails, the call fails too, and no person is asked.
        """
        check_callback(f"tool {self.name}: preview", preview, "ctx", "payload", is_async=True)
        return self._copy(preview=preview)

    def build_arguments(self, *args: P.args, **kwargs: P.kwargs) -> Arguments:
        """Build the arguments of a call from Python.

        Raises:
            InvalidArgumentsError: they do not fit the signature.
        """
        try:
            bound = self._signature.python_signature.bind(*args, **kwargs)
        except TypeError as error:
            hint = "; pass them by name, such as **arguments" if self._signature.takes_dict else ""
            raise InvalidArgumentsError(f"{self.name}: {error}{hint}") from error
        if self._signature.takes_dict:
            payload = self.schema_in.bind_values(bound.kwargs)
        elif self._signature.field_names is None:
            bound.apply_defaults()
            payload = self.schema_in.check_payload(*bound.arguments.values())
        else:
            payload = self.schema_in.bind_values(bound.arguments)
        return self.schema_in.dump_arguments(payload)

    async def run(self, payload: BaseModel, frame: Frame, /) -> Out:
        """Run the function with the arguments in the payload."""
        made = BodyContext if self._signature.makes_calls else LeafBodyContext
        first = (made(frame),) if self._signature.wants_context else ()
        if self._signature.field_names is None:
            whole = self._signature.dictionary_of(payload) if self._signature.takes_dict else payload
            result = await self._body(*first, whole)
        else:
            result = await self._body(*first, **self._signature.keyword_arguments(payload))
        if isinstance(result, CoroutineType):
            result.close()
            raise TypeError("it returned a coroutine; write `await` before the call that makes it")
        return result

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> ReconcileResult:
        """Find out whether an interrupted unsafe call took effect."""
        return UNKNOWN if self._reconcile is None else await self._reconcile(LeafBodyContext(frame), payload)

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> Preview | str:
        """The preview of a call for the approver; empty if the tool has none."""
        return "" if self._preview is None else await check_awaitable(self._preview(ctx, payload))

    def with_facts(self, facts: Facts, *, name: str, description: str, where: str) -> Tool[P, Out]:
        """Return a tool of the same function with an inventory entry's name and facts, without layers.

        Raises:
            ContractError: the facts do not fit the function.
        """
        check_facts(check_name(name), self._signature, facts)
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
            where=self.where,
        )

    def __repr__(self) -> str:
        facts = f"Tool {self.name} ({self.facts.effect.value}, {self.facts.risk.value})"
        return f"{facts}\n{self.layers!r}" if len(self.layers) else facts


class ToolDecorator(Protocol):
    """The decorator that `tool` returns when called with facts only."""

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
    **facts: Unpack[FactOptions],
) -> Tool[P, Out]: ...
@overload
def tool(
    function: Callable[P, Awaitable[Out] | Out],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **facts: Unpack[FactOptions],
) -> Tool[P, Out]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    **facts: Unpack[FactOptions],
) -> ToolDecorator: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **facts: Unpack[FactOptions],
) -> Any:
    """Make a tool of a function: ``@tool``, ``@tool(effect=Effect.PURE)`` or ``tool(service.method)``.

    An object with ``__call__`` is a function too: ``tool(DatabaseTool(pool), effect="pure")``.

    A plain ``def`` runs in a thread, which cannot be stopped: a timeout reports that the call is still running.

    The signature and docstring define the contract: the types become the schema, the docstring the description, and its
    ``Args:`` the descriptions of the parameters. If the only parameter is a pydantic model, the model is the payload. A
    first parameter annotated `LeafContext` or `Context` receives the call's context. The other arguments of `tool` are
    `Facts`.

    Raises:
        ContractError: the function has no valid contract; the message gives the reason.
    """
    built = facts_from_options("tool()", facts)

    def make(function: Callable[..., Any]) -> Tool[..., Any]:
        return _build_tool(function, name, description, built, "")

    return make if function is None else make(function)


def build_tool(
    function: Callable[..., Any],
    facts: Facts,
    *,
    name: str | None = None,
    description: str | None = None,
    where: str = "",
) -> Tool[..., Any]:
    """Make a tool of a function with facts from an inventory; see `tool`. ``where`` is the location of the entry.

    Raises:
        ContractError: the function has no valid contract; the message gives the reason.
    """
    return _build_tool(function, name, description, facts, where)


def _build_tool(
    function: Callable[..., Any], name: str | None, description: str | None, facts: Facts, where: str
) -> Tool[..., Any]:
    function, name = find_function(function, name)
    tool_name = canonical_name(function, name)
    signature = read_signature(function, tool_name)
    check_facts(tool_name, signature, facts)
    text = description or signature.description
    check_text(f"the description of {tool_name}", text, ContractError)
    if not text:
        raise ContractError(
            f"{tool_name} has no description: write a docstring in {function.__qualname__}, by which a model decides "
            "when to call it"
        )
    where = where or locate_function(function)
    return Tool(function, signature, name=tool_name, description=text, facts=facts, layers=Stack(), where=where)
