"""A tool is a function with the contract that its signature defines; every change of one gives another."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any, cast

import pytest
from pydantic import SecretStr

from remit import Context, Effect, LeafContext, Retry, Risk, Stack, Timeout, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Happened, ReconcileResult
from remit.dispatch.context import CallContext
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import Registry
from remit.errors import ContractError, InvalidArgumentsError, SetupError
from remit.layers import Reply, Transform
from remit.record.arguments import Limits, parse_arguments
from remit.testing import make_call
from remit.tools import Facts, Rate
from tests.call.payloads import Page


@tool
async def find(query: str, limit: int = 10, json: bool = False) -> list[str]:
    """Find pages."""
    return [query] * limit + ["json"] * json


@tool(effect=Effect.KEYED)
async def save(ctx: LeafContext, page: Page) -> str:
    """Save a page."""
    return f"{ctx.key}: {page.title}"


async def confirming(page: str, confirmed: bool = False) -> str:
    """Delete a page."""
    return f"{page} {confirmed}"


async def frame_of(callee: Tool[..., Any]) -> CallContext:
    """The real context of a call of ``callee``."""
    return CallContext(await make_call(callee), callee, Dispatcher(Stack(), Registry(), Limits()))


def test_a_bare_decorator_takes_name_and_description_from_the_function() -> None:
    assert (find.name, find.description, find.facts) == ("find", "Find pages.", Facts(declared=False))
    assert list(find.layers) == []


def test_a_decorator_with_facts_keeps_them() -> None:
    made = tool(
        name="drop",
        description="Drop it.",
        effect=Effect.IDEMPOTENT,
        risk=Risk.HIGH,
        permissions=["cms:delete"],
        timeout=5,
        rate="60/minute",
        egress=True,
        trusted=True,
        tags=["page"],
        confirm="confirmed",
    )(confirming)
    assert (made.name, made.description) == ("drop", "Drop it.")
    assert made.facts == Facts(
        effect=Effect.IDEMPOTENT,
        risk=Risk.HIGH,
        permissions=frozenset({"cms:delete"}),
        timeout=5,
        rate=Rate(60, 60.0),
        egress=True,
        trusted=True,
        tags=frozenset({"page"}),
        confirm="confirmed",
    )


async def _echo(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


def test_a_misspelt_fact_is_refused_by_the_name_that_was_typed() -> None:
    misspelt: Any = {"rsik": "high"}
    of_others: Any = {"requires_approval": True}
    with pytest.raises(
        ContractError, match=r"^tool\(\) has no argument 'rsik'; facts are: effect, risk, permissions, "
    ):
        tool(**misspelt)
    with pytest.raises(
        ContractError, match=r"no argument 'requires_approval'; write risk='high', or let a rule of a po"
    ):
        tool(**of_others)
    with pytest.raises(ContractError, match=r"^Tool\.from_schema\(\) has no argument 'rsik'; facts are: "):
        Tool.from_schema("find", "Find.", {"type": "object"}, _echo, **misspelt)


async def test_a_tool_called_directly_runs_its_function_without_any_layer() -> None:
    @tool
    def count(text: str) -> int:
        """Count letters."""
        return len(text)

    assert await find("a", 2) == ["a", "a"]
    assert await count("abc") == 3


async def test_a_tool_that_takes_a_context_is_not_called_directly() -> None:
    with pytest.raises(ContractError) as caught:
        await save(Page(title="x"))
    assert caught.value.message == "save takes a context: call save.function with one, or in a run"


async def test_the_body_gets_what_the_payload_says() -> None:
    payload = find.schema_in.bind(parse_arguments('{"query":"a","limit":1,"json":true}', Limits()))
    assert await find.run(payload, await frame_of(find)) == ["a", "json"]


async def test_a_body_that_asks_for_a_context_and_a_payload_gets_both() -> None:
    frame = await frame_of(save)
    assert await save.run(Page(title="About"), frame) == "call: About"


@pytest.mark.parametrize(
    ("arguments", "raw"),
    [
        (find.build_arguments("a"), '{"query":"a"}'),
        (find.build_arguments("a", 3), '{"limit":3,"query":"a"}'),
        (find.build_arguments(query="a", json=True), '{"json":true,"query":"a"}'),
        (save.build_arguments(Page(title="x")), '{"title":"x"}'),
        (save.build_arguments(page=Page(title="x", pageId=1)), '{"pageId":1,"title":"x"}'),
    ],
)
def test_python_arguments_become_canonical_text_without_defaults(arguments: Any, raw: str) -> None:
    assert arguments.raw == raw
    assert arguments.identity == raw


loose: Tool[..., Any] = find
strict_page: Tool[..., Any] = save


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (loose.build_arguments, "find: missing a required argument: 'query'"),
        (lambda: loose.build_arguments("a", 1, True, 4), "find: too many positional arguments"),
        (lambda: loose.build_arguments("a", slug=1), "find: got an unexpected keyword argument 'slug'"),
        (lambda: loose.build_arguments(7), "query: Input should be a valid string"),
        (lambda: loose.build_arguments("\ud800"), "lone surrogates"),
        (lambda: loose.build_arguments("a", 2**63), "too large"),
        (lambda: strict_page.build_arguments({"title": "x"}), "give a Page, not a dict"),
    ],
    ids=["too few", "too many", "unknown", "another type", "half a pair", "too large", "no payload"],
)
def test_python_arguments_that_do_not_fit_are_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=said):
        make()


@tool
async def take(value: Any) -> None:
    """Take anything."""


@tool
async def read(data: bytes) -> None:
    """Take bytes."""


def circle() -> list[Any]:
    around: list[Any] = []
    around.append(around)
    return around


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(3000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("callee", "make"),
    [(take, object), (take, circle), (take, deep), (read, lambda: b"\xff")],
    ids=["an object", "a circle", "3000 deep", "not UTF-8"],
)
def test_python_arguments_that_json_cannot_hold_are_refused(callee: Tool[..., Any], make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidArgumentsError):
        callee.build_arguments(make())


async def optional_payload(page: Page = Page(title="default")) -> None:  # noqa: B008 - a frozen default, in effect
    """Save."""


def test_a_payload_with_a_default_may_be_left_out() -> None:
    assert tool(optional_payload).build_arguments().raw == '{"title":"default"}'


async def secret(password: SecretStr) -> None:
    """Log in."""


def test_a_type_that_hides_its_value_from_json_is_no_contract() -> None:
    with pytest.raises(ContractError, match="password"):
        tool(secret)


def test_the_layer_attached_last_is_outermost() -> None:
    layered = find.layer(Timeout(5)).layer(Retry())
    assert repr(layered.layers) == "Retry(attempts=3, base_delay=0.5, max_delay=10.0, on=())\n└─ Timeout(seconds=5)"


def test_a_stack_is_attached_in_its_own_order() -> None:
    assert len(find.layer(Stack(Retry(), Timeout(5))).layers) == 2


def test_attaching_a_layer_leaves_the_tool_as_it_was() -> None:
    find.layer(Retry())
    assert list(find.layers) == []


def test_a_tool_may_have_other_layers_in_place_of_its_own() -> None:
    other = find.layer(Retry()).with_layers(Stack(Retry(attempts=5)))
    assert list(other.layers) == [Retry(attempts=5)]
    assert (other.name, other.schema_in) == (find.name, find.schema_in)


def test_another_name_is_another_tool_with_the_same_contract() -> None:
    renamed = find.layer(Retry()).with_name("cms_find")
    assert (renamed.name, find.name) == ("cms_find", "find")
    assert renamed.schema_in is find.schema_in
    assert renamed.schema_out is find.schema_out
    assert len(renamed.layers) == 1


@pytest.mark.parametrize("name", ["a b", "a" * 65, "é", "a.b"])
def test_a_name_that_providers_refuse_is_refused(name: str) -> None:
    with pytest.raises(ContractError, match="use 1 to 64 letters, digits, '_' or '-'"):
        find.with_name(name)


def test_an_empty_name_is_refused_too() -> None:
    with pytest.raises(ContractError, match="use 1 to 64"):
        find.with_name("")


async def happened(ctx: LeafContext, payload: Any) -> ReconcileResult:
    return Happened(f"{ctx.key} {payload.title}")


async def did_not(ctx: LeafContext, payload: Any) -> ReconcileResult:
    return DID_NOT_HAPPEN


async def test_a_tool_cannot_find_out_what_happened_unless_it_is_told_how() -> None:
    assert await save.reconcile(Page(title="x"), await frame_of(save)) is UNKNOWN


async def test_a_tool_finds_out_by_the_context_and_payload_of_the_call() -> None:
    found = await save.with_reconcile(happened).reconcile(Page(title="x"), await frame_of(save))
    assert found == Happened("call x")


async def test_a_way_to_find_out_stays_with_the_tool_until_another_is_given() -> None:
    reconciling = save.with_reconcile(happened).layer(Retry()).with_name("store")
    frame = await frame_of(save)
    assert await reconciling.reconcile(Page(title="x"), frame) == Happened("call x")
    assert await reconciling.with_reconcile(did_not).reconcile(Page(title="x"), frame) is DID_NOT_HAPPEN
    assert await save.reconcile(Page(title="x"), frame) is UNKNOWN


def test_a_tool_prints_its_name_effect_and_risk_and_its_layers() -> None:
    assert repr(find) == "Tool find (unsafe, safe)"
    layered = tool(effect=Effect.PURE, risk=Risk.HIGH)(confirming).layer(Timeout(1))
    assert repr(layered) == "Tool confirming (pure, high)\nTimeout(seconds=1)"


async def undescribed(query: str) -> None: ...


async def calls_others(ctx: Context, query: str) -> str:
    """Look further."""
    return ctx.run + query


async def flag_on(confirmed: bool = True) -> None:
    """Go."""


async def flag_required(confirmed: bool) -> None:
    """Go."""


async def flag_of_text(confirmed: str = "") -> None:
    """Go."""


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no description": (lambda: tool(undescribed), "undescribed has no description: write a docstring in undescribed"),
    "calls others, not composed": (lambda: tool(calls_others), "so its effect is COMPOSED; ask for a LeafContext"),
    "confirm names nothing": (lambda: tool(confirm="sure")(confirming), "confirm='sure' must name a boolean"),
    "confirm is on": (lambda: tool(confirm="confirmed")(flag_on), "must name a boolean parameter whose default"),
    "confirm is required": (lambda: tool(confirm="confirmed")(flag_required), "whose default is False"),
    "confirm is text": (lambda: tool(confirm="confirmed")(flag_of_text), "must name a boolean parameter"),
    "a bad name": (lambda: tool(name="a b")(confirming), "'a b' is not a tool name"),
    "a bad permission": (lambda: tool(permissions=["write"])(confirming), "is not of the form area:verb"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_tool_is_refused_with_the_reason(name: str) -> None:
    make, said = REFUSED[name]
    with pytest.raises(ContractError, match=said):
        make()


def test_a_description_may_be_given_instead_of_a_docstring() -> None:
    assert tool(description="Look.")(undescribed).description == "Look."


def test_a_composed_function_may_ask_for_the_way_to_call_others() -> None:
    assert tool(effect=Effect.COMPOSED)(calls_others).name == "calls_others"


class Ready:
    async def __call__(self, query: str) -> str:
        """Look."""
        return query


partial = functools.partial(confirming, "about")
ready = Ready()


NO_FUNCTIONS: list[Any] = [partial, len, 3, tool(ready)]


def test_a_class_says_that_its_instance_makes_a_tool() -> None:
    with pytest.raises(ContractError, match=r"^Ready is a class: write tool\(Ready\(…\)\), with its __call__$"):
        tool(cast("Any", Ready))


@pytest.mark.parametrize("function", NO_FUNCTIONS, ids=["partial", "builtin", "number", "tool"])
def test_a_callable_that_is_no_function_is_refused_as_a_contract(function: Any) -> None:
    with pytest.raises(ContractError, match="is not a function or method: write a function that calls it"):
        tool(function)


async def test_an_object_with_a_call_is_a_tool_with_the_name_of_its_class_or_another() -> None:
    made = tool(ready, effect="pure")
    assert (made.name, made.description, tool(ready, name="look").name) == ("Ready", "Look.", "look")
    assert await made("books") == "books"


async def ends(value: str) -> Reply:
    """End the run."""
    return Reply.final(value)


def test_a_function_may_return_a_reply() -> None:
    assert tool(ends).name == "ends"


def test_a_transform_of_a_tool_is_a_layer_like_any_other() -> None:
    def same(reply: Reply) -> Reply:
        return reply

    assert repr(find.layer(Transform(same)).layers).startswith("Transform(change=")


@pytest.mark.parametrize("name", ["facts", "name", "layers", "description", "where", "_function", "body"])
def test_what_a_tool_is_cannot_be_changed_but_copied(name: str) -> None:
    made = tool(effect=Effect.KEYED, name="pay")(_pay)
    before = getattr(made, name)
    with pytest.raises(SetupError, match=f"pay.{name} cannot be changed; make a new tool"):
        setattr(made, name, Facts(effect=Effect.PURE))
    assert getattr(made, name) == getattr(copy.copy(made), name) == before


async def _pay(ctx: LeafContext) -> str:
    """Pay."""
    return ctx.key
