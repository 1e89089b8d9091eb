"""The side that goes in: what the arguments say becomes a payload, and a payload has one canonical text."""

from __future__ import annotations

import json
from dataclasses import InitVar
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel, Tag
from pydantic.dataclasses import dataclass

from remit.call.schema import Input, create_payload_model
from remit.errors import ContractError, InvalidArgumentsError
from remit.record.arguments import Arguments, Limits, parse_arguments
from tests.call.json_values import any_text
from tests.call.payloads import Everything, Frozen, Hero, Page, Sections, Sizes, everything

PAGE, EVERYTHING = Input(Page), Input(Everything)
VALIDATOR: Any = Draft202012Validator(EVERYTHING.json_schema)


class Deep(BaseModel):
    page: Page
    pages: list[Page] = []


class Anything(BaseModel):
    value: Any


class Number(BaseModel):
    number: int = 0
    fraction: float = 0.0
    flag: bool = False
    text: str = ""


def arguments(raw: str) -> Arguments:
    return parse_arguments(raw, Limits())


def refusal(schema: Input[Any], raw: str, *, strict: bool) -> str:
    with pytest.raises(InvalidArgumentsError) as caught:
        schema.bind(arguments(raw), strict=strict)
    assert "\n" not in caught.value.message
    return caught.value.message


STRICT = pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])


@STRICT
def test_arguments_become_a_payload(strict: bool) -> None:
    page = PAGE.bind(arguments('{"title":"About","pageId":7}'), strict=strict)
    assert page == Page(title="About", pageId=7)


@STRICT
def test_what_is_not_said_has_its_default(strict: bool) -> None:
    assert PAGE.bind(arguments('{"title":"About"}'), strict=strict).page_id is None


@STRICT
def test_a_missing_field_is_named(strict: bool) -> None:
    assert refusal(PAGE, "{}", strict=strict) == "title: Field required"


@STRICT
def test_what_could_not_be_read_says_why(strict: bool) -> None:
    assert refusal(PAGE, "[]", strict=strict) == "the arguments must be a JSON object, not an array"


COERCED = {
    "text for a number": ('{"number":"1"}', Number(number=1)),
    "a fraction for a whole number": ('{"number":1.0}', Number(number=1)),
    "a boolean for a number": ('{"number":true}', Number(number=1)),
    "text for a fraction": ('{"fraction":"0.5"}', Number(fraction=0.5)),
    "text for a boolean": ('{"flag":"yes"}', Number(flag=True)),
    "a number for a boolean": ('{"flag":1}', Number(flag=True)),
}


@pytest.mark.parametrize("name", COERCED)
def test_lenient_takes_what_can_be_meant(name: str) -> None:
    raw, payload = COERCED[name]
    assert Input(Number).bind(arguments(raw)) == payload


@pytest.mark.parametrize("name", COERCED)
def test_strict_takes_nothing_for_something_else(name: str) -> None:
    raw, _ = COERCED[name]
    assert "Input should be a valid" in refusal(Input(Number), raw, strict=True)


@STRICT
def test_a_number_is_never_text(strict: bool) -> None:
    assert "text: Input should be a valid string" in refusal(Input(Number), '{"text":1}', strict=strict)


def test_strict_still_takes_a_whole_number_for_a_fraction() -> None:
    assert Input(Number).bind(arguments('{"fraction":1}'), strict=True).fraction == 1.0


def test_strict_refuses_an_unknown_parameter_and_names_those_there_are() -> None:
    said = refusal(PAGE, '{"title":"About","slug":"about"}', strict=True)
    assert said == "slug: no such parameter. Parameters: title, pageId"


def test_strict_refuses_an_unknown_key_further_in_by_its_path() -> None:
    said = refusal(Input(Deep), '{"page":{"title":"x","slug":"y"},"pages":[{"title":"x"},{"name":"z"}]}', strict=True)
    assert said == (
        "page.slug: no such parameter; pages.1.title: Field required; pages.1.name: no such parameter. "
        "page has: title, pageId. pages.1 has: title, pageId"
    )


def test_strict_says_where_there_are_no_parameters_at_all() -> None:
    assert (
        refusal(Input(create_payload_model("nothing", {})), '{"a":1}', strict=True)
        == "a: no such parameter. Parameters: none"
    )


def test_lenient_leaves_unknown_parameters_out() -> None:
    assert PAGE.bind(arguments('{"title":"About","slug":"about"}')) == Page(title="About")


def test_strict_refuses_a_key_that_stands_twice() -> None:
    assert refusal(PAGE, '{"title":"a","title":"b"}', strict=True) == "the key 'title' occurs twice"


def test_lenient_takes_the_last_of_a_key_that_stands_twice() -> None:
    assert PAGE.bind(arguments('{"title":"a","title":"b"}')).title == "b"


@STRICT
@pytest.mark.parametrize("raw", [r'{"title":"\ud800"}', '{"title":"\ud800"}'], ids=["escaped", "raw"])
def test_half_of_a_surrogate_pair_is_refused(raw: str, strict: bool) -> None:
    assert refusal(PAGE, raw, strict=strict)


def test_many_errors_are_told_in_one_line_of_the_first_five() -> None:
    said = refusal(Input(Deep), json.dumps({"pages": [{}] * 7, "page": {"title": "x"}}), strict=False)
    assert said.count("Field required") == 5
    assert said.endswith("; and 2 more")


def test_an_error_of_the_whole_names_no_field() -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^Input should be an object$"):
        PAGE.bind(Arguments("[]", {}))


@given(everything)
@settings(max_examples=25)
def test_a_payloads_arguments_bind_to_the_same_payload_even_strictly(payload: Everything) -> None:
    assert EVERYTHING.bind(EVERYTHING.dump_arguments(payload), strict=True) == payload
    assert EVERYTHING.bind(arguments(EVERYTHING.dump_arguments(payload).raw), strict=True) == payload


@given(any_text, any_text)
def test_a_payload_with_nul_makes_no_arguments(before: str, after: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="the character NUL"):
        PAGE.dump_arguments(Page(title=f"{before}\0{after}"))


@given(everything)
@settings(max_examples=25)
def test_the_canonical_text_says_the_same_payload(payload: Everything) -> None:
    text = EVERYTHING.dump_canonical(payload)
    assert EVERYTHING.load(text) == payload
    assert EVERYTHING.dump_canonical(EVERYTHING.load(text)) == text


@given(everything)
@settings(max_examples=25)
def test_the_canonical_text_fits_the_json_schema(payload: Everything) -> None:
    VALIDATOR.validate(json.loads(EVERYTHING.dump_canonical(payload)))


def test_defaults_are_in_the_canonical_text_and_not_in_the_arguments() -> None:
    page = Page(title="About")
    assert PAGE.dump_canonical(page) == '{"pageId":null,"title":"About"}'
    assert PAGE.dump_arguments(page).raw == '{"title":"About"}'
    assert PAGE.dump_arguments(page).value == {"title": "About"}


class Sets(BaseModel):
    numbers: set[int]
    groups: dict[str, list[frozenset[str]]] = {}


def test_sets_are_sorted_in_the_canonical_text() -> None:
    first, second = Sets(numbers={0, 8}), Sets(numbers={8, 0})
    assert Input(Sets).dump_canonical(first) == Input(Sets).dump_canonical(second) == '{"groups":{},"numbers":[0,8]}'


def test_equal_sets_are_equal_arguments() -> None:
    first, second = Sets(numbers={0, 8}), Sets(numbers={8, 0})
    assert Input(Sets).dump_arguments(first).raw == Input(Sets).dump_arguments(second).raw


class Models(BaseModel):
    models: set[Frozen]


def test_a_set_of_models_has_a_canonical_text() -> None:
    text = Input(Models).dump_canonical(Models(models={Frozen(number=2), Frozen(number=1)}))
    assert text == '{"models":[{"number":1},{"number":2}]}'


class Tagged(BaseModel):
    value: Annotated[str, Tag("text")] | Annotated[set[int], Tag("numbers")]


def test_a_set_that_is_one_of_several_types_is_sorted_too() -> None:
    assert Input(Tagged).dump_canonical(Tagged(value={8, 0})) == '{"value":[0,8]}'


class Encoded(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    raw: bytes
    tags: set[int] = set()


def test_a_set_changes_nothing_of_the_fields_beside_it() -> None:
    payload = Encoded(raw=b"\xff\xfe")
    assert Input(Encoded).load(Input(Encoded).dump_canonical(payload)) == payload


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_a_whole_number_of_more_than_64_bits_has_no_canonical_text(number: int) -> None:
    with pytest.raises(InvalidArgumentsError, match="too large"):
        Input(Anything).dump_canonical(Anything(value=[{"a": number}]))


NOT_FINITE = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"]


@pytest.mark.parametrize("number", NOT_FINITE)
def test_a_fraction_that_is_not_finite_has_no_canonical_text(number: str) -> None:
    payload = Input(Number).bind(arguments(f'{{"fraction":{number}}}'))
    with pytest.raises(InvalidArgumentsError, match="not finite"):
        Input(Number).dump_canonical(payload)


@pytest.mark.parametrize("number", NOT_FINITE)
def test_a_number_that_is_not_finite_is_not_shown_as_null(number: str) -> None:
    payload = Input(Anything).bind(arguments(f'{{"value":[{number}]}}'))
    with pytest.raises(InvalidArgumentsError, match="not finite"):
        Input(Anything).dump_canonical(payload)


def test_a_member_of_a_union_keeps_the_default_that_names_it() -> None:
    payload = Sections(sections=[Hero(title="Hi")])
    assert Input(Sections).bind(Input(Sections).dump_arguments(payload)) == payload


class Kept(BaseModel):
    length: int = Field(exclude=True)


@dataclass
class Range:
    length: Annotated[int, Field(validation_alias=AliasPath("sizes", 0))]


class Holds(BaseModel):
    ranges: list[Range | None]


class Choices(BaseModel):
    length: int = Field(validation_alias=AliasChoices("size", "length"))


class Numbers(RootModel[list[int]]):
    """No object, so no parameters."""


class KeptSometimes(BaseModel):
    length: int = Field(default=0, exclude_if=lambda value: value != 3)


@dataclass
class Made:
    length: InitVar[int]


class HoldsMade(BaseModel):
    made: Made


@pytest.mark.parametrize("model", [Sizes, Kept, Holds, HoldsMade])
def test_a_field_that_is_not_written_by_the_name_it_is_read_by_is_no_contract(model: type[BaseModel]) -> None:
    with pytest.raises(ContractError, match=r"^'length' is lost in JSON"):
        Input(model)


def test_a_value_of_a_field_that_is_left_out_of_json_is_refused_unless_it_is_the_default() -> None:
    schema = Input(KeptSometimes)
    for text in ("{}", '{"length":0}', '{"length":3}'):
        payload = schema.bind(arguments(text))
        assert schema.load(schema.dump_canonical(payload)) == payload
    with pytest.raises(InvalidArgumentsError):
        schema.dump_canonical(schema.bind(arguments('{"length":9}')))


def test_a_field_may_be_read_by_other_names_too() -> None:
    payload = Input(Choices).bind(arguments('{"size":3}'))
    assert payload == Input(Choices).bind(Input(Choices).dump_arguments(payload)) == Choices(length=3)


def test_a_payload_that_is_no_object_is_no_contract() -> None:
    with pytest.raises(ContractError, match="Numbers is not an object"):
        Input(Numbers)


def test_a_payload_is_checked_by_its_type() -> None:
    page = Page(title="About")
    assert PAGE.check_payload(page) is page
    with pytest.raises(InvalidArgumentsError, match=r"^give a Page, not a dict$"):
        PAGE.check_payload({"title": "About"})


class Described(BaseModel):
    """A page to find."""

    title: str = Field(description="What it is called.", max_length=5)
    kind: str = Field(default="page", title="Kind of thing")


def test_the_json_schema_has_names_descriptions_and_bounds_and_no_titles() -> None:
    assert Input(Described).json_schema == {
        "type": "object",
        "description": "A page to find.",
        "properties": {
            "title": {"type": "string", "description": "What it is called.", "maxLength": 5},
            "kind": {"type": "string", "default": "page"},
        },
        "required": ["title"],
    }


class Defaulted(BaseModel):
    hero: Hero = Hero(title="Hi")


def test_a_default_keeps_its_own_title() -> None:
    assert Input(Defaulted).json_schema["properties"]["hero"]["default"] == {"type": "hero", "title": "Hi"}


class Listed(BaseModel):
    shape: dict[str, Any] = {"properties": ["a", "b"]}


def test_a_default_may_have_a_key_named_properties() -> None:
    assert Input(Listed).json_schema["properties"]["shape"]["default"] == {"properties": ["a", "b"]}
