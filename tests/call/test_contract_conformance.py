"""One suite over both kinds of contracts: a pydantic model, and the JSON schema of the same model."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from remit.call.contract import InputSchema, OutputSchema, definition_digest
from remit.call.json_contract import JsonInput, JsonOutput
from remit.call.schema import Input, Output
from remit.call.tool import Tool, tool
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import Arguments, Limits, content_digest, parse_arguments
from remit.record.secret import Secret


class Address(BaseModel):
    street: str = Field(min_length=2)
    zip: str = "0"


class Shop(BaseModel):
    name: str


class Order(BaseModel):
    to: str = Field(pattern="^[a-z]+$", description="Who gets it.")
    cents: int = Field(ge=0)
    rate: float = 1.5
    kind: Literal["gift", "sale"] = "sale"
    address: Address | None = None
    places: list[Address | Shop] = []
    factors: dict[str, float] = {}
    amount: int | float | str = 0
    anything: Any = None


class Nothing(BaseModel):
    pass


MODEL: Any = Input(Order)
KINDS: dict[str, InputSchema[Any]] = {"pydantic": MODEL, "JSON schema": JsonInput(MODEL.json_schema)}
BOTH = pytest.mark.parametrize("kind", KINDS)

DEFAULTS = '"address":null,"amount":0,"anything":null'
ACCEPTED: dict[str, tuple[str, str]] = {
    "defaults": (
        '{"to":"bob","cents":3}',
        f'{{{DEFAULTS},"cents":3,"factors":{{}},"kind":"sale","places":[],"rate":1.5,"to":"bob"}}',
    ),
    "another order, spaces and escapes": (
        '{ "cents": 3,\n"to": "\\u0062ob" }',
        f'{{{DEFAULTS},"cents":3,"factors":{{}},"kind":"sale","places":[],"rate":1.5,"to":"bob"}}',
    ),
    "fractions": (
        '{"to":"bob","cents":3,"rate":2.50,"factors":{"a":1e-1}}',
        f'{{{DEFAULTS},"cents":3,"factors":{{"a":0.1}},"kind":"sale","places":[],"rate":2.5,"to":"bob"}}',
    ),
    "an integer of 64 bits": (
        '{"to":"bob","cents":9223372036854775807}',
        f'{{{DEFAULTS},"cents":9223372036854775807,"factors":{{}},"kind":"sale","places":[],"rate":1.5,"to":"bob"}}',
    ),
    "models within, and one of two": (
        '{"to":"bob","cents":3,"address":{"street":"Elm"},"places":[{"name":"x"},{"street":"Oak","zip":"7"}]}',
        (
            '{"address":{"street":"Elm","zip":"0"},"amount":0,"anything":null,"cents":3,"factors":{},"kind":"sale",'
            '"places":[{"name":"x"},{"street":"Oak","zip":"7"}],"rate":1.5,"to":"bob"}'
        ),
    ),
    "one of several types": (
        '{"to":"bob","cents":3,"amount":1.5,"anything":{"x":[1,2.0,true]}}',
        (
            '{"address":null,"amount":1.5,"anything":{"x":[1,2.0,true]},"cents":3,"factors":{},"kind":"sale",'
            '"places":[],"rate":1.5,"to":"bob"}'
        ),
    ),
    "a number that is written with an exponent": (
        '{"to":"bob","cents":3,"rate":1e20}',
        f'{{{DEFAULTS},"cents":3,"factors":{{}},"kind":"sale","places":[],"rate":1e+20,"to":"bob"}}',
    ),
}

REFUSED: dict[str, tuple[str, str]] = {
    "missing": ('{"cents":3}', "to: Field required"),
    "an unknown key": (
        '{"to":"bob","cents":3,"slug":1}',
        "slug: no such parameter. Parameters: to, cents, rate, kind, address, places, factors, amount, anything",
    ),
    "an unknown key within": (
        '{"to":"bob","cents":3,"address":{"street":"Elm","x":1}}',
        "address.x: no such parameter",
    ),
    "text for a number": ('{"to":"bob","cents":"3"}', "cents: Input should be a valid integer"),
    "a fraction for a whole number": ('{"to":"bob","cents":3.0}', "cents: Input should be a valid integer"),
    "a boolean for a number": ('{"to":"bob","cents":true}', "cents: Input should be a valid integer"),
    "a number for text": ('{"to":1,"cents":3}', "to: Input should be a valid string"),
    "a text for an object": ('{"to":"bob","cents":3,"address":"x"}', "address: Input should be an object"),
    "an object for a list": ('{"to":"bob","cents":3,"places":{}}', "places: Input should be a valid array"),
    "too small": ('{"to":"bob","cents":-1}', "cents: Input should be greater than or equal to 0"),
    "another word": ('{"to":"bob","cents":3,"kind":"c"}', "kind: Input should be 'gift' or 'sale'"),
    "a pattern, said with the description": (
        '{"to":"B","cents":3}',
        "to: not in the required form; expected: Who gets it.",
    ),
    "too short within": (
        '{"to":"bob","cents":3,"address":{"street":"E"}}',
        "address.street: give at least 2 characters",
    ),
    "a key twice": ('{"to":"bob","to":"eve","cents":3}', "the key 'to' occurs twice"),
    "not a number": ('{"to":"bob","cents":NaN}', "NaN"),
    "not finite": ('{"to":"bob","cents":3,"rate":1e400}', ""),
    "an integer beyond 64 bits": ('{"to":"bob","cents":9223372036854775808}', "a whole number of 64 bits is too large"),
    "an enormous integer": (f'{{"to":"bob","cents":1{"0" * 400}}}', "a whole number of 1329 bits is too large"),
    "an enormous fraction": (f'{{"to":"bob","cents":1,"rate":1{"0" * 400}}}', ""),
    "a huge number further in": ('{"to":"bob","cents":1,"anything":[9223372036854775808]}', "too large"),
    "a lone surrogate": (r'{"to":"\ud800","cents":3}', ""),
    "a list": ("[]", "the arguments must be a JSON object, not an array"),
    "no JSON": ("{", "the arguments are not JSON: "),
    "too deep": (f'{{"anything":{"[" * 70}{"]" * 70}}}', "the arguments are nested too deeply; at most 64 levels"),
}


def arguments(raw: str) -> Arguments:
    return parse_arguments(raw, Limits())


@BOTH
@pytest.mark.parametrize("name", ACCEPTED)
def test_equal_arguments_have_one_canonical_text_and_digest_whatever_describes_them(kind: str, name: str) -> None:
    raw, canonical = ACCEPTED[name]
    payload = KINDS[kind].bind(arguments(raw), strict=True)
    assert KINDS[kind].dump_canonical(payload) == canonical
    assert content_digest(KINDS[kind].dump_canonical(payload)) == content_digest(canonical)
    assert KINDS[kind].load(canonical) == payload
    assert KINDS[kind].dump_canonical(KINDS[kind].load(canonical)) == canonical


@BOTH
@pytest.mark.parametrize("name", ACCEPTED)
def test_the_arguments_of_a_payload_bind_to_it_again_and_say_no_defaults(kind: str, name: str) -> None:
    schema = KINDS[kind]
    payload = schema.bind(arguments(ACCEPTED[name][0]), strict=True)
    given = schema.dump_arguments(payload)
    assert schema.bind(given, strict=True) == payload
    assert given.value is not None
    assert given.value.keys() == arguments(ACCEPTED[name][0]).value.keys()  # type: ignore[union-attr]
    assert given.raw == KINDS["pydantic"].dump_arguments(MODEL.bind(given, strict=True)).raw


@BOTH
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_one_code_in_one_line(kind: str, name: str) -> None:
    raw, reason = REFUSED[name]
    with pytest.raises(InvalidArgumentsError) as caught:
        KINDS[kind].dump_canonical(KINDS[kind].bind(arguments(raw), strict=True))
    assert reason in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.code == "VALIDATION_ERROR"


@BOTH
@pytest.mark.parametrize(
    ("raw", "cents"),
    [
        ('{"to":"bob","cents":3,"slug":1}', 3),
        ('{"to":"bob","cents":3.0}', 3),
        ('{"to":"eve","to":"bob","cents":3}', 3),
    ],
    ids=["unknown keys", "a fraction that is whole", "a key twice"],
)
def test_lenient_reading_takes_what_can_be_meant(kind: str, raw: str, cents: int) -> None:
    payload = KINDS[kind].bind(arguments(raw))
    assert (payload.to, payload.cents) == ("bob", cents)
    assert '"cents":3,' in KINDS[kind].dump_canonical(payload)
    assert "slug" not in KINDS[kind].dump_canonical(payload)


@BOTH
def test_python_values_are_bound_by_name(kind: str) -> None:
    payload = KINDS[kind].bind_values({"to": "bob", "cents": 3, "rate": 2.5})
    assert KINDS[kind].dump_arguments(payload).raw == '{"cents":3,"rate":2.5,"to":"bob"}'
    for values in ({"to": "bob"}, {"to": "bob", "cents": object()}):
        with pytest.raises(InvalidArgumentsError):
            KINDS[kind].bind_values(values)


@BOTH
def test_what_was_stored_and_no_longer_fits_is_explained(kind: str) -> None:
    with pytest.raises(ValueError, match="cents") as caught:
        KINDS[kind].load('{"to":"bob","cents":[]}')
    assert KINDS[kind].explain(caught.value) == "cents: Input should be a valid integer"
    assert KINDS[kind].explain(ValueError("another")) == "another"


@BOTH
def test_the_value_of_a_secret_is_not_an_argument(kind: str) -> None:
    secret = Secret("env:KEY", "sesame-open-wide")
    payload = KINDS[kind].bind_values({"to": "bob", "cents": 3, "anything": "x"})
    changed = payload.model_copy(update={"anything": secret.reveal()})
    with pytest.raises(InvalidArgumentsError, match="the value of a secret"):
        KINDS[kind].dump_arguments(changed)


@BOTH
def test_a_payload_is_checked_by_its_type(kind: str) -> None:
    payload = KINDS[kind].bind_values({"to": "bob", "cents": 3})
    assert KINDS[kind].check_payload(payload) is payload
    with pytest.raises(InvalidArgumentsError, match=r"^give a .*, not a int$"):
        KINDS[kind].check_payload(3)


def test_a_schema_without_parameters_takes_none() -> None:
    model: Any = Input(Nothing)
    for schema in (model, JsonInput(model.json_schema)):
        with pytest.raises(InvalidArgumentsError, match=r"^a: no such parameter\. Parameters: none$"):
            schema.bind(arguments('{"a":1}'), strict=True)


def test_a_tool_has_one_definition_however_it_is_described() -> None:
    async def order(order: Order) -> list[Address]:
        """Order something."""
        return []

    typed = tool(order)
    made = Tool.from_schema("order", "Order something.", typed.schema_in.json_schema, as_dict)
    assert definition_digest(made) == definition_digest(typed)


async def as_dict(arguments: dict[str, Any]) -> list[Any]:
    return [arguments]


OUTPUTS: dict[str, tuple[Any, Any, str]] = {
    "text": (str, "café", "café"),
    "text or nothing": (str | None, "café", '"café"'),
    "nothing": (None, None, "null"),
    "a number": (int, 7, "7"),
    "a list": (list[int], [3, 1], "[3,1]"),
    "a mapping": (dict[str, int], {"a": 1}, '{"a":1}'),
    "anything": (Any, {"a": [1, None]}, '{"a":[1,null]}'),
    "anything, text": (Any, "café", '"café"'),
}
WRONG = {"text": 7, "text or nothing": 7, "nothing": 7, "a number": "7x", "a list": ["x"], "a mapping": {"a": "x"}}


def outputs(name: str) -> list[OutputSchema[Any]]:
    typed = Output[Any](OUTPUTS[name][0])
    return [typed, JsonOutput(typed.json_schema)]


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_result_is_content_and_comes_back(name: str) -> None:
    _, value, content = OUTPUTS[name]
    for output in outputs(name):
        assert output.dump(value) == (value, content)
        assert output.load(content) == value
        assert output.load_json(content) == value


@pytest.mark.parametrize("name", WRONG)
def test_a_result_that_does_not_fit_is_refused(name: str) -> None:
    for output in outputs(name):
        with pytest.raises(InvalidOutputError) as caught:
            output.dump(WRONG[name])
        assert caught.value.message.startswith("the result does not match the contract: ")


STRICT = {
    "true for an integer": (int, "true", "1"),
    "text for an integer": (int, '"1"', "1"),
    "a fraction for an integer": (int, "1.0", "1"),
    "true for a number": (float, "true", "1"),
    "a number for a truth value": (bool, "1", "true"),
    "text for a truth value": (bool, '"yes"', "false"),
    "a number for text or nothing": (str | None, "1", "null"),
    "true in a list": (list[int], "[true]", "[1]"),
}


@pytest.mark.parametrize("name", STRICT)
def test_a_result_that_a_person_wrote_is_not_converted(name: str) -> None:
    kind, wrong, right = STRICT[name]
    typed = Output[Any](kind)
    for output in (typed, JsonOutput(typed.json_schema)):
        with pytest.raises(ValueError, match="valid"):
            output.load(wrong, strict=True)
        output.load(right, strict=True)


def test_a_strict_result_of_any_type_is_taken_as_it_is() -> None:
    for output in (Output[Any](Any), JsonOutput()):
        assert output.load("[true]", strict=True) == [True]


def test_a_stored_result_that_no_longer_fits_is_explained() -> None:
    for output in outputs("a list"):
        with pytest.raises(ValueError, match="valid integer") as caught:
            output.load('["x"]')
        assert output.explain(caught.value).startswith("0: Input should be a valid integer")
        assert output.explain(ValueError("another")) == "another"


def test_a_value_that_json_cannot_hold_is_refused() -> None:
    for output in (Output[Any](Any), JsonOutput(), JsonOutput({"type": "object"})):
        for value in (float("nan"), object(), b"\xff"):
            with pytest.raises(InvalidOutputError):
                output.dump(value)


def test_a_model_is_a_result_as_json_has_it() -> None:
    output = JsonOutput({"type": "object", "properties": {"name": {"type": "string"}}})
    assert output.dump(Shop(name="x")) == ({"name": "x"}, '{"name":"x"}')


def test_a_result_without_a_schema_is_what_its_content_says() -> None:
    assert JsonOutput().dump((1, 2)) == ([1, 2], "[1,2]")


def test_what_is_no_object_with_named_fields_is_not_an_input() -> None:
    with pytest.raises(ContractError, match="add 'type': 'object'"):
        JsonInput({"type": "array"})
