"""A signature and its docstring are the contract; what cannot be one is refused with the parameter and the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import BaseModel, Field, RootModel

from remit import Context, LeafContext
from remit.call.signature import Signature, read_signature
from remit.errors import ContractError
from remit.record.arguments import Limits, parse_arguments
from tests.call.payloads import Color, Page

if TYPE_CHECKING:
    from fractions import Fraction as Unknown


async def plain(
    query: str, limit: int = 10, *, color: Color | None = None, tags: Annotated[list[str], Field(max_length=3)]
) -> list[str]:
    """Find pages.

    Args:
        query: What to look for.
        tags: Only with these.
    """
    return [query, str(limit), str(color), *tags]


async def takes_payload(page: Page) -> Page:
    """Save a page."""
    return page


async def leaf(ctx: LeafContext, query: str) -> str:
    """Look."""
    return ctx.key + query


async def composed(ctx: Context, query: str) -> str:
    """Look further."""
    return ctx.key + query


async def nothing() -> None:
    """Do nothing."""


async def untyped_result(query: str):
    """Give anything."""
    return query


async def two_models(page: Page, other: Page) -> None:
    """Merge."""


async def optional_model(page: Page | None = None) -> None:
    """Save, or not."""


async def shadows(
    json: int,
    copy: str,
    schema: bool,
    dict: float,  # noqa: A002
    construct: int,
    model_config: int,
) -> None:
    """Take names that pydantic's BaseModel has for itself."""


def read(function: Callable[..., Any]) -> Signature:
    return read_signature(function, function.__name__)


def test_parameters_become_the_schema() -> None:
    assert read(plain).schema_in.json_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
            "color": {"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}], "default": None},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "description": "Only with these."},
        },
        "required": ["query", "tags"],
        "$defs": {"Color": {"enum": ["red", "blue"], "type": "string"}},
    }


def test_a_payload_becomes_the_parameters_it_stands_for() -> None:
    signature = read(plain)
    payload = signature.schema_in.bind(
        parse_arguments('{"query":"x","tags":["a"],"color":"red"}', Limits()), strict=True
    )
    assert signature.keyword_arguments(payload) == {"query": "x", "limit": 10, "color": Color.RED, "tags": ["a"]}


def test_the_docstring_is_the_description() -> None:
    assert read(plain).description == "Find pages."


def test_the_return_type_is_the_result() -> None:
    assert read(plain).schema_out.json_schema == {"type": "array", "items": {"type": "string"}}
    assert read(nothing).schema_out.json_schema == {"type": "null"}


def test_no_return_type_means_anything() -> None:
    assert read(untyped_result).schema_out.json_schema == {}


def test_one_parameter_that_is_a_model_is_the_payload_itself() -> None:
    signature = read(takes_payload)
    assert signature.field_names is None
    assert signature.schema_in.model is Page
    assert signature.keyword_arguments(Page(title="x")) == {}


@pytest.mark.parametrize("function", [two_models, optional_model])
def test_models_among_parameters_are_parameters(function: Callable[..., Any]) -> None:
    assert "page" in read(function).schema_in.json_schema["properties"]


def test_no_parameters_are_an_empty_object() -> None:
    assert read(nothing).schema_in.json_schema == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("function", "wants", "calls"), [(plain, False, False), (leaf, True, False), (composed, True, True)]
)
def test_a_first_parameter_that_is_a_context_is_no_argument(
    function: Callable[..., Any], wants: bool, calls: bool
) -> None:
    signature = read(function)
    assert (signature.wants_context, signature.makes_calls) == (wants, calls)
    assert "ctx" not in signature.schema_in.json_schema["properties"]


def test_names_that_models_have_for_themselves_keep_their_names_outside() -> None:
    signature = read(shadows)
    names = ["json", "copy", "schema", "dict", "construct", "model_config"]
    assert list(signature.schema_in.json_schema["properties"]) == names
    raw = '{"json":1,"copy":"x","schema":true,"dict":0.5,"construct":2,"model_config":3}'
    payload = signature.schema_in.bind(parse_arguments(raw, Limits()), strict=True)
    assert list(signature.keyword_arguments(payload).items()) == list(
        zip(names, [1, "x", True, 0.5, 2, 3], strict=True)
    )


async def both_spellings(json: str, json_: str) -> None:
    """Take two names that differ by what an alias adds."""


def test_a_name_with_an_underscore_beside_one_that_shadows_is_another_parameter() -> None:
    assert list(read(both_spellings).schema_in.json_schema["properties"]) == ["json", "json_"]


async def dumps(model_dump: int) -> None:
    """Take a name that pydantic protects."""


def test_a_name_that_pydantic_protects_makes_no_warning() -> None:
    assert list(read(dumps).schema_in.json_schema["properties"]) == ["model_dump"]


async def annotated(page_size: Annotated[int, Field(alias="pageSize", description="How many.", ge=1)] = 5) -> None:
    """Count."""


async def defaulted(limit: int = Field(5, ge=1)) -> None:
    """Count."""


def test_an_annotated_field_keeps_its_alias_and_description() -> None:
    assert read(annotated).schema_in.json_schema["properties"] == {
        "pageSize": {"type": "integer", "minimum": 1, "default": 5, "description": "How many."}
    }


def test_a_field_given_as_default_says_what_it_says() -> None:
    assert read(defaulted).schema_in.json_schema["properties"] == {
        "limit": {"type": "integer", "minimum": 1, "default": 5}
    }


def yielding(query: str) -> Iterator[str]:
    """Look."""
    yield query


async def yielding_later(query: str) -> AsyncIterator[str]:
    """Look."""
    yield query


def calling(ctx: Context, query: str) -> str:
    """Look."""
    return query


async def many(*queries: str) -> None:
    """Look."""


async def named(**queries: str) -> None:
    """Look."""


async def positional(query: str, /) -> None:
    """Look."""


async def untyped(query) -> None:  # type: ignore[no-untyped-def]
    """Look."""


async def late_context(query: str, ctx: LeafContext) -> None:
    """Look."""


async def two_contexts(ctx: LeafContext, other: Context) -> None:
    """Look."""


async def private(_query: str) -> None:
    """Look."""


async def unknown(query: Unknown) -> None:
    """Look."""


class Service:
    async def find(self, query: str) -> str:
        """Find."""
        return query

    async def find_with(self, ctx: LeafContext, query: str) -> str:
        """Find."""
        return ctx.key + query


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "a generator": (yielding, "f yields its results: return them, as a list"),
    "an async generator": (yielding_later, "f yields its results: return them, as a list"),
    "calling others from a thread": (
        calling,
        "f takes a Context: write `async def`, so that it can await other tools",
    ),
    "any number": (many, "f: a model cannot use '*queries'; name each parameter"),
    "any names": (named, "f: a model cannot use '*queries'; name each parameter"),
    "positional": (positional, "f: 'query' is positional-only, but arguments come by name; remove the '/'"),
    "untyped": (untyped, "f: 'query' has no type; annotate it"),
    "a late context": (late_context, "f: the context 'ctx' must be the first parameter"),
    "two contexts": (two_contexts, "f: the context 'other' must be the first parameter"),
    "private": (private, "f: '_query' begins with '_'; rename it, models must not see private names"),
    "an unknown type": (unknown, "f: name 'Unknown' is not defined; import the type where the function is defined"),
    "not bound": (Service.find, "f is an unbound method; make the tool from an instance: `tool(service.f)`"),
    "not bound, with a context": (
        Service.find_with,
        "f is an unbound method; make the tool from an instance: `tool(service.f)`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_contract_is_refused_with_the_reason(name: str) -> None:
    function, said = REFUSED[name]
    with pytest.raises(ContractError) as caught:
        read_signature(function, "f")
    assert caught.value.message == said


@pytest.mark.parametrize("function", [Service().find, Service().find_with])
def test_a_bound_method_is_a_contract(function: Callable[..., Any]) -> None:
    assert list(read(function).schema_in.json_schema["properties"]) == ["query"]


class Opaque:
    """What pydantic knows nothing of."""


class Unfinished(BaseModel):
    other: Unknown


class Numbers(RootModel[list[int]]):
    """No object, so no parameters."""


async def takes_a_function(then: Callable[[], int]) -> None:
    """Call back."""


async def takes_an_object(thing: Opaque) -> None:
    """Take it."""


async def takes_a_model_of_unknown_types(payload: Unfinished) -> None:
    """Take it."""


async def takes_an_array(numbers: Numbers) -> None:
    """Add."""


@pytest.mark.parametrize(
    "function", [takes_a_function, takes_an_object, takes_a_model_of_unknown_types, takes_an_array]
)
def test_a_type_that_a_model_cannot_be_told_of_is_refused_by_its_parameter(function: Callable[..., Any]) -> None:
    with pytest.raises(ContractError, match=function.__name__):
        read(function)


async def nul_in_args(query: str) -> str:
    """Find.

    Args:
        query: what\0to find.
    """
    return query


async def nul_in_field(query: Annotated[str, Field(description="what\0to find")]) -> str:
    """Find."""
    return query


@pytest.mark.parametrize("function", [nul_in_args, nul_in_field])
def test_a_description_of_a_parameter_has_no_character_that_cannot_be_stored(function: Callable[..., Any]) -> None:
    said = r"the description of 'query' is 'what\\x00to find.?'; give a string without the character NUL"
    with pytest.raises(ContractError, match=said):
        read_signature(function, "find")
