"""A number is what was written, or it is refused: nothing makes another one of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import pytest
from pydantic import BaseModel, create_model

from remit.call.json_contract import JsonInput
from remit.call.schema import Input
from remit.errors import InvalidArgumentsError
from remit.record.arguments import Limits, parse_arguments
from tests.strangers.numbers import CHANGED, KEPT, KINDS

_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "no type": {},
}


def build_input(kind: str) -> Input[Any] | JsonInput:
    """The input of a tool with one parameter ``n``."""
    if kind in _SCHEMAS:
        return JsonInput({"type": "object", "properties": {"n": _SCHEMAS[kind]}})
    return Input(create_model("Payment", n=(KINDS[kind], ...)))


def read(kind: str, number: str) -> str:
    """The canonical text of a number."""
    made = build_input(kind)
    payload: Any = made.bind(parse_arguments(f'{{"n":{number}}}', Limits()), strict=True)
    return made.dump_canonical(payload)[5:-1]


@pytest.mark.parametrize(("kind", "number"), [(kind, number) for kind in CHANGED for number in CHANGED[kind]])
def test_a_number_that_would_be_another_one_is_refused(kind: str, number: str) -> None:
    with pytest.raises(InvalidArgumentsError):
        read(kind, number)


@pytest.mark.parametrize(("kind", "number", "text"), [(kind, *each) for kind in KEPT for each in KEPT[kind]])
def test_a_number_that_is_kept_is_read(kind: str, number: str, text: str) -> None:
    assert read(kind, number) == text


def test_the_refusal_says_what_would_be_changed() -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        read("float", "18446744073709551617")
    assert caught.value.message == (
        "n: Input should be a number that a float holds; 18446744073709551617 would be changed"
    )


class Payment(BaseModel):
    amount: Decimal
    rate: float


class Order(BaseModel):
    payments: list[Payment]


def test_numbers_within_models_are_checked_by_the_type_of_each() -> None:
    text = '{"payments":[{"amount":18446744073709551617,"rate":0.30000000000000004441}]}'
    (paid,) = Input(Order).bind(parse_arguments(text, Limits()), strict=True).payments
    assert (paid.amount, paid.rate) == (18446744073709551617, 0.30000000000000004)
    for wrong in (text.replace('7,"rate"', '7.5,"rate"'), text.replace("0.3", "12345678901234567890")):
        with pytest.raises(InvalidArgumentsError):
            Input(Order).bind(parse_arguments(wrong, Limits()), strict=True)


def test_values_of_python_are_checked_alike() -> None:
    made = Input(create_model("Payment", n=(float, ...)))
    payload: Any = made.bind_values({"n": 2**53})
    assert payload.n == 2.0**53
    with pytest.raises(InvalidArgumentsError, match=r"^n: .*would be changed$"):
        made.bind_values({"n": 2**53 + 1})


def test_a_decimal_with_an_exponent_of_very_many_digits_is_refused_however_it_is_read() -> None:
    made = Input(create_model("Payment", n=(Decimal, ...)))
    arguments = parse_arguments('{"n":0.1000000000000000e-99999999999999999999}', Limits())
    with pytest.raises(InvalidArgumentsError, match=r"^n: Input should be a text: "):
        made.bind(arguments, strict=False)


@pytest.mark.parametrize("number", ["1e-400", "9007199254740993.0"])
def test_a_number_that_is_lost_when_it_is_read_is_a_strict_error(number: str) -> None:
    arguments = parse_arguments(f'{{"n":{number}}}', Limits())
    assert (arguments.error, arguments.value is not None) == ("", True)
    assert arguments.strict_error.startswith(f"the number {number} would be changed")
