"""References in the schema of a tool: what they accept, what they write, and which resolvers they need."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from remit import App, Effect, LeafContext, Runtime, tool
from remit.call.contract import definition_digest
from remit.call.reference import ids_of_referents
from remit.call.resolution import find_referents
from remit.call.schema import Input
from remit.errors import ContractError, InvalidArgumentsError, SetupError
from remit.inventory.narrowing import resolve_fixed_values
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.schemas.jsontext import compact_json
from remit.testing import make_call, superuser
from remit.tools import Candidate, Limits, Reference, Referent, parse_arguments

PageRef = Annotated[str, Field(max_length=20), Reference("page")]
HOME = Candidate("7", "Home", "3", ("home",))
CANONICAL = '{"id":"7","name":"Home","revision":"3"}'


@dataclass
class Pair:
    """Two pages."""

    one: PageRef
    other: PageRef


class Named(NamedTuple):
    """A page and a title."""

    page: PageRef
    title: str = ""


class Move(BaseModel):
    """References in every kind of part."""

    page: PageRef
    under: PageRef | None = None
    others: list[PageRef] = Field(default_factory=list[str])
    by_name: dict[str, PageRef] = Field(default_factory=dict[str, str])
    pair: Pair | None = None
    named: Named | None = None
    some: set[PageRef] | Literal["all"] = "all"
    nested: Move | None = None
    title: str = ""


@tool(effect=Effect.PURE)
async def move(payload: Move) -> str:
    """Move a page."""
    assert isinstance(payload.page, Referent)
    return f"{payload.page.describe()} under {payload.under}"


class Open(BaseModel):
    """A page by its name in small letters."""

    page: Annotated[str, Field(min_length=4, pattern="^[a-z]+$"), Reference("page")]


@tool(effect=Effect.PURE)
async def open_page(payload: Open) -> str:
    """Open a page."""
    return repr(payload.page)


async def find(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
    return [HOME, Candidate("8", "About")]


async def resolved(raw: str) -> Move:
    token = CURRENT_RUN.set(CurrentRun(resolvers={"page": find}))
    try:
        call = await make_call(move, raw)
        call = call.with_payload(move.schema_in.bind(call.arguments, strict=True))
        payload = (await find_referents(call)).payload
    finally:
        CURRENT_RUN.reset(token)
    assert isinstance(payload, Move)
    return payload


async def test_a_constraint_before_a_reference_applies_to_what_a_model_says_and_not_to_the_id() -> None:
    runtime = Runtime(App(name="test", tools=(open_page,), references={"page": find}))
    result = await runtime.call_by_name("open_page", parse_arguments('{"page": "home"}', Limits()), by=superuser())
    assert result.text == "'7'"
    assert (await runtime.replay(result.run)).is_identical
    for said, mistake in (("hom", "at least 4 characters"), ("HOME", "not in the required form; expected: '^[a-z]+$'")):
        raw = parse_arguments(compact_json({"page": said}), Limits())
        text = (await runtime.call_by_name("open_page", raw, by=superuser())).text
        assert text.count("page: ") == 1
        assert mistake in text


class Dated(BaseModel):
    """A page on a day."""

    page: PageRef
    day: int


class Undated(BaseModel):
    """A page."""

    page: PageRef


async def test_a_reference_that_pydantic_reads_for_two_members_of_a_union_is_resolved() -> None:
    @tool(effect=Effect.PURE)
    async def show(chosen: Dated | Undated) -> str:
        """Show a page."""
        return repr(chosen.page)

    runtime = Runtime(App(name="test", tools=(show,), references={"page": find}))
    raw = parse_arguments('{"chosen": {"page": "home"}}', Limits())
    assert (await runtime.call_by_name("show", raw, by=superuser())).text == "'7'"


async def test_references_are_resolved_in_every_part_of_a_payload() -> None:
    payload = await resolved(
        '{"page": "home", "under": "Home", "others": ["7", "about"], "by_name": {"a": "HOME"}, "title": "home",'
        ' "pair": {"one": "home", "other": "8"}, "nested": {"page": "home"},'
        ' "named": ["home", "home"], "some": ["home", "Home"]}'
    )
    assert payload.nested is not None
    assert payload.pair is not None
    found = [payload.page, payload.under, *payload.others, payload.by_name["a"], payload.nested.page]
    assert found == ["7", "7", "7", "8", "7", "7"]
    assert (payload.named, payload.some) == (Named("7", "home"), {"7"})
    assert (payload.pair.one, payload.pair.other, payload.title) == ("7", "8", "home")
    assert all(isinstance(each, Referent) for each in (*found, payload.pair.one, payload.pair.other))
    text = move.schema_in.dump_canonical(payload)
    assert text.count(CANONICAL) == 8
    assert move.schema_in.load(text) == payload


async def find_for(payload: BaseModel, *, unresolved_only: bool = False) -> BaseModel | None:
    token = CURRENT_RUN.set(CurrentRun(resolvers={"page": find}))
    try:
        call = (await make_call(move, "{}")).replace(payload=payload)
        return (await find_referents(call, unresolved_only=unresolved_only)).payload
    finally:
        CURRENT_RUN.reset(token)


async def test_a_dataclass_in_which_nothing_changes_stays_the_same_object() -> None:
    payload = Move(page="home", pair=Pair(*[Referent("8", "page", "About", "")] * 2))
    found = await find_for(payload, unresolved_only=True)
    assert isinstance(found, Move)
    assert found.pair is payload.pair


def test_a_text_that_python_put_in_place_of_a_reference_is_resolved_when_it_is_bound_and_not_run_as_it_is() -> None:
    payload = Move(page="7", pair=Pair("home", "8"))
    assert move.build_arguments(payload).raw == '{"page":"7","pair":{"one":"home","other":"8"}}'
    with pytest.raises(InvalidArgumentsError, match="'home' would not be resolved as a reference"):
        move.schema_in.dump_canonical(payload)


class Stripped(BaseModel):
    page: PageRef

    @field_validator("page")
    @classmethod
    def strip(cls, value: str) -> str:
        return value.strip()


class StrippedLater(BaseModel):
    page: PageRef

    @model_validator(mode="after")
    def strip(self) -> StrippedLater:
        self.page = self.page.strip()
        return self


class ByDefault(BaseModel):
    pages: list[PageRef] = Field(default_factory=lambda: ["home"])


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Annotated[PageRef, Field(pattern="^h")], "a validator or constraint follows Reference\\('page'\\)"),
        (
            Annotated[PageRef, StringConstraints(strip_whitespace=True)],
            "which it would discard; write it first: Annotated",
        ),
        (Annotated[PageRef, AfterValidator(str.strip)], "a validator or constraint follows"),
        (Annotated[PageRef | None, Field(pattern="^h")], "a validator or constraint follows"),
        (Annotated[PageRef | None, AfterValidator(lambda page: page)], "a validator or constraint follows"),
        (Stripped, "a validator or constraint follows"),
        (dict[PageRef, str], "a mapping has keys of a type .* write dict\\[str, …\\]"),
        (deque[PageRef], "Reference\\('page'\\) is in a deque; use a list"),
    ],
    ids=["pattern", "strip", "after", "optional", "optional after", "field", "key", "deque"],
)
def test_what_would_lose_a_reference_is_refused_before_any_call(kind: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        _ = Input(create(kind)).references


@pytest.mark.parametrize("default", [("home",), ["home"], {"a": ["home"]}, frozenset({"home"})], ids=str)
def test_a_default_that_holds_a_text_is_refused(default: Any) -> None:
    kind = tuple[PageRef, ...] | list[PageRef] | dict[str, list[PageRef]] | frozenset[PageRef]
    with pytest.raises(ContractError, match=r"a parameter with Reference\('page'\) has the default .*; give none"):
        _ = Input(create(kind, page=default)).references


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (StrippedLater, '{"page": " home "}'),
        (deque[PageRef], '["home"]'),
        (Annotated[PageRef, AfterValidator(str.strip)], '"home"'),
    ],
    ids=["validator", "deque", "after"],
)
def test_a_reference_that_gets_lost_ends_the_call(kind: Any, raw: str) -> None:
    schema = Input(create(kind))
    with pytest.raises(InvalidArgumentsError, match=r"home ?' would not be resolved as a reference"):
        schema.bind(parse_arguments(f'{{"page": {raw}}}', Limits()))


def test_a_default_from_a_function_is_not_resolved_and_ends_the_call() -> None:
    schema = Input(ByDefault)
    with pytest.raises(InvalidArgumentsError, match="'home' would not be resolved as a reference"):
        schema.dump_canonical(schema.bind(parse_arguments("{}", Limits())))


async def test_a_collection_that_takes_no_other_values_ends_the_call() -> None:
    class Held(BaseModel):
        pages: Any

    with pytest.raises(
        InvalidArgumentsError, match="'home' is in a part of the arguments where a page cannot be inserted"
    ):
        await find_for(Held(pages=MappingProxyType({"a": Move(page="home").page})))


def test_a_reference_may_stand_beside_other_values() -> None:
    schema = Input(create(PageRef | int | Literal["all"]))
    for raw in ('"all"', "3", '"home"'):
        payload = schema.bind(parse_arguments(f'{{"page": {raw}}}', Limits()))
        assert schema.dump_canonical(payload) == f'{{"page":{raw}}}'


async def test_parts_without_references_stay_the_same_objects() -> None:
    payload = await resolved('{"page": "home", "others": []}')
    assert (payload.others, payload.by_name, payload.nested) == ([], {}, None)


def test_a_model_sees_a_text_and_the_definition_says_no_more() -> None:
    assert move.schema_in.json_schema["properties"]["page"] == {"type": "string", "maxLength": 20}
    assert move.schema_in.references == {"page"}
    assert definition_digest(move)


@pytest.mark.parametrize(
    "value", ["7", '{"id": "7"}', '{"id": "7", "name": "Home", "revision": 3}', '"a text of more than 20 characters"']
)
def test_what_is_no_text_is_refused(value: str) -> None:
    with pytest.raises(InvalidArgumentsError):
        move.schema_in.bind(parse_arguments(f'{{"page": {value}}}', Limits()), strict=True)


async def test_a_referent_from_python_is_accepted_and_looked_up_again() -> None:
    old = Referent("7", "page", "Old name", "1")
    arguments = move.build_arguments(Move(page=old))
    assert arguments.raw == '{"page":{"id":"7","name":"Old name","revision":"1"}}'
    page = (await resolved(arguments.raw)).page
    assert isinstance(page, Referent)
    assert page.describe() == "the page “Home”, revision 3"


def test_a_referent_may_be_annotated_as_such() -> None:
    @tool(effect=Effect.PURE)
    async def show(page: Annotated[Referent, Reference("page")]) -> str:
        """Show a page."""
        return page.name

    assert show.schema_in.json_schema["properties"]["page"] == {"type": "string"}


@pytest.mark.parametrize("kind", [str | None, int, list[str]], ids=["none", "int", "list"])
def test_only_a_text_can_be_a_reference(kind: Any) -> None:
    with pytest.raises(
        ContractError, match=r"Reference\('page'\) is not on a text; write Annotated\[str, Reference\('pa"
    ):
        Input(create(Annotated[kind, Reference("page")]))


def create(kind: Any, **default: Any) -> type[BaseModel]:
    return type("Made", (BaseModel,), {"__annotations__": {"page": kind}, "__module__": __name__, **default})


def test_a_text_as_default_is_refused_because_nothing_would_resolve_it() -> None:
    with pytest.raises(ContractError, match="a parameter with Reference\\('page'\\) has the default 'home'; give none"):
        _ = Input(create(PageRef, page="home")).references
    assert Input(create(PageRef | None, page=None)).references == {"page"}


def test_an_application_without_the_resolver_does_not_start() -> None:
    with pytest.raises(SetupError, match=r"move refers to a page, .* register one: App\(references=\{'page': …\}\)"):
        Runtime(App(name="test", tools=(move,)))
    assert Runtime(App(name="test", tools=(move,), references={"page": find}))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"id": ""}, "Candidate: id is empty"),
        ({"name": None}, "Candidate: name is None"),
        ({"revision": 3}, "Candidate: revision is 3"),
        ({"id": "7" * 201}, "Candidate: id is longer than 200 characters; give a digest of it"),
        ({"revision": "7" * 201}, "Candidate: revision is longer than 200 characters"),
        ({"aliases": 3}, "Candidate: aliases is 3"),
    ],
)
def test_a_candidate_is_made_of_texts(wrong: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"id": "7", "name": "Home", **wrong}
    with pytest.raises(SetupError, match=message):
        Candidate(**given)


def test_a_kind_has_a_name() -> None:
    with pytest.raises(SetupError, match="Reference: kind is empty"):
        Reference("")


def test_a_person_reads_the_object_in_one_line() -> None:
    assert (
        Referent("7", "page", "Home\n\u202ex", "3\x1b", "ho\rme").describe()
        == "“ho\\rme” is the page “Home\\n\\u202ex”, revision 3\\u001b"
    )


def test_a_fixed_parameter_is_no_reference() -> None:
    with pytest.raises(ContractError, match="'page' is a reference, which is resolved for each call"):
        resolve_fixed_values(Move, {"page": "home"}, ())


def test_two_calls_are_compared_by_the_ids_of_their_objects() -> None:
    old, new = ({"pages": [{"id": "7", "name": "Home", "revision": each}], "n": 1} for each in "34")
    assert ids_of_referents(old) == ids_of_referents(new) == {"pages": ["7"], "n": 1}


class Anything(BaseModel):
    """A reference, and a part of any type."""

    page: PageRef
    part: Any = None


@pytest.mark.parametrize("beside", [(), ({1, 2},)], ids=["alone", "beside a set"])
def test_an_unresolved_reference_within_a_part_of_any_type_is_refused(beside: tuple[Any, ...]) -> None:
    part = [*beside, Anything.model_construct(page="home")]
    made = Anything(page=Referent("7", "page", "Home", "3"), part=part)
    with pytest.raises(InvalidArgumentsError, match="'home' would not be resolved as a reference"):
        Input(Anything).dump_canonical(made)


def test_the_validators_of_an_application_find_nothing_in_the_context_in_which_references_are_read() -> None:
    found: list[object] = []

    class Titled(BaseModel):
        page: PageRef
        title: str = ""

        @field_validator("title")
        @classmethod
        def look(cls, title: str, info: ValidationInfo[Any]) -> str:
            found.append(dict(info.context or {}))
            return title

    assert Input(Titled).bind(parse_arguments('{"page":"home","title":"Start"}')).title == "Start"
    assert found == [{}]
