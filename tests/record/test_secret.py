"""The value of a secret is told to nobody but who asks for it, and redacted from whatever Remit writes."""

from __future__ import annotations

import base64
import copy
import json
import pickle
from urllib.parse import quote

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from remit import Effect, tool
from remit.errors import ContractError, InvalidArgumentsError, SetupError
from remit.record.arguments import parse_arguments
from remit.record.secret import KNOWN_SECRETS, redact_secrets, redact_secrets_in_content
from remit.secrets import Secret, SecretRef
from remit.tools import Limits

VALUE = 'sk_contracts_"7"\\ é\n%'
SECRET = Secret("env:CONTRACTS", VALUE)
SHOWN = "[secret env:CONTRACTS]"


def test_it_shows_its_reference_and_reveals_its_value() -> None:
    assert (repr(SECRET), str(SECRET), f"{SECRET}") == ("Secret('env:CONTRACTS')",) * 3
    assert SECRET.reveal() == VALUE


def test_it_can_be_neither_written_nor_copied() -> None:
    for write in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps):
        with pytest.raises(TypeError) as raised:
            write(SECRET)
        assert "7" not in str(raised.value)
    with pytest.raises(PydanticSerializationError, match="unknown type"):
        to_json(SECRET)


def test_a_value_too_short_to_be_redacted_is_refused_and_not_told() -> None:
    with pytest.raises(SetupError, match="the secret env:PIN has 4 characters; redaction needs at least 8") as raised:
        Secret("env:PIN", "1234")
    assert "1234" not in str(raised.value)


@pytest.mark.parametrize(
    "spelled",
    [
        VALUE,
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(VALUE)[1:-1])[1:-1],
        repr(VALUE)[1:-1],
        quote(VALUE, safe=""),
    ],
)
def test_text_shows_the_reference_in_place_of_the_value_however_it_is_spelled(spelled: str) -> None:
    assert redact_secrets(f"a {spelled} b") == f"a {SHOWN} b"


def test_the_start_of_what_was_written_in_base64_is_found() -> None:
    header = base64.b64encode(f"{VALUE}:".encode()).decode()
    assert redact_secrets(f"Basic {header}").startswith(f"Basic {SHOWN}")


def test_content_that_was_json_is_still_json() -> None:
    Secret("env:DIGITS", "7305918264")
    content = json.dumps({VALUE: [VALUE, 7305918264, 1.5, True, None, {"inner": json.dumps({"key": VALUE})}]})
    inner = '{"key": "' + SHOWN + '"}'
    told = json.loads(redact_secrets_in_content(content))
    assert told == {SHOWN: [SHOWN, "[secret env:DIGITS]", 1.5, True, None, {"inner": inner}]}


def test_a_key_that_occurs_twice_hides_no_value() -> None:
    content = json.dumps({"key": VALUE, "clef": "x"}).replace("clef", "key")
    assert redact_secrets_in_content(content) == content.replace(json.dumps(VALUE)[1:-1], SHOWN)


def test_content_without_secrets_is_kept_to_the_byte() -> None:
    for content in ('{"a" : 1.0e3}', "plain", '{"a": "\\u00e9"}', '"text"', "[" * 100_000):
        assert redact_secrets_in_content(content) == content


def test_text_that_is_no_json_is_redacted_as_text() -> None:
    assert redact_secrets_in_content(f"{{ {VALUE}") == f"{{ {SHOWN}"


def test_a_secret_within_another_leaves_nothing_of_the_longer_one() -> None:
    Secret("env:SHORT", "abcdefgh-nested")
    Secret("env:LONG", "abcdefgh-nested-and-more")
    assert redact_secrets("abcdefgh-nested-and-more, abcdefgh-nested") == "[secret env:LONG], [secret env:SHORT]"


def test_a_value_that_is_read_again_is_known_once() -> None:
    before = KNOWN_SECRETS.spellings.replacements
    Secret("env:CONTRACTS", VALUE)
    assert KNOWN_SECRETS.spellings.replacements is before


@pytest.mark.parametrize("text", [json.dumps({"token": VALUE}), json.dumps({"token": VALUE}).replace("a", "\\u0061")])
def test_raw_arguments_that_hold_a_value_are_refused_each_time_they_are_read_and_kept_without_it(text: str) -> None:
    arguments = parse_arguments(text, Limits())
    assert SHOWN in json.loads(arguments.raw)["contained_a_secret"]
    for each in (arguments, parse_arguments(arguments.raw, Limits())):
        assert (each.raw, each.value) == (arguments.raw, None)
        assert "pass its reference" in each.error
    assert parse_arguments('{"token": "none"}', Limits()).value == {"token": "none"}


def test_arguments_from_python_that_hold_a_value_are_refused() -> None:
    @tool(effect=Effect.PURE)
    async def send(text: str) -> str:
        """Send."""
        return text

    with pytest.raises(InvalidArgumentsError, match="contain the value of a secret"):
        send.build_arguments(f"with {VALUE}")


def test_a_parameter_takes_a_reference_and_nothing_else() -> None:
    @tool(effect=Effect.PURE)
    async def pay(key: SecretRef) -> str:
        """Pay."""
        return key

    assert pay.schema_in.model.model_validate({"key": "file:stripe.key"})
    for wrong in ("sk_live_1234", "env:", "env:../x", "ENV:X", "env:a b"):
        with pytest.raises(ValidationError):
            pay.schema_in.model.model_validate({"key": wrong})


def test_a_secret_itself_is_no_parameter_and_no_result() -> None:
    async def pay(key: Secret) -> None:
        """Pay."""

    async def find() -> Secret:
        """Find."""
        return SECRET

    for function in (pay, find):
        with pytest.raises(ContractError):
            tool(function)
