"""The writers of JSON text write what `json.dumps` writes, built once."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from remit.schemas import jsontext
from remit.schemas.jsontext import (
    JsonWriter,
    StrictError,
    ascii_json,
    canonical_text,
    compact_json,
    decode_strictly,
    make_writer,
    read_json,
)
from tests.call.json_values import any_values

SETTINGS: dict[str, tuple[JsonWriter, dict[str, Any]]] = {
    "compact": (compact_json, {"ensure_ascii": False}),
    "ascii_compact": (ascii_json, {"ensure_ascii": True}),
    "canonical_text": (canonical_text, {"ensure_ascii": False, "sort_keys": True, "allow_nan": False}),
}
EACH = pytest.mark.parametrize("name", SETTINGS)


@EACH
@given(value=any_values)
def test_a_writer_writes_what_json_dumps_writes(name: str, value: Any) -> None:
    write, options = SETTINGS[name]
    assert write(value) == json.dumps(value, separators=(",", ":"), **options)


@given(value=any_values)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_an_interpreter_without_the_c_encoder_writes_the_same(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "_C_MAKE_ENCODER", None)
    assert make_writer(sort_keys=True, finite=True)(value) == canonical_text(value)


@EACH
def test_half_of_a_surrogate_pair_is_written(name: str) -> None:
    write, _ = SETTINGS[name]
    assert json.loads(write("\ud800")) == "\ud800"


@EACH
def test_what_json_cannot_hold_is_refused_by_its_type(name: str) -> None:
    write, _ = SETTINGS[name]
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        write({"a": {1}})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_only_the_writer_for_digests_refuses_numbers_that_are_not_finite(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_text([number])
    assert "N" in compact_json([number]) or "I" in compact_json([number])


def test_a_writer_keeps_nothing_between_two_values() -> None:
    write = make_writer()
    assert [write({"a": 1}), write({"b": 2}), write({"a": 1})] == ['{"a":1}', '{"b":2}', '{"a":1}']


@given(value=any_values)
def test_a_text_is_read_as_json_loads_reads_it(value: Any) -> None:
    text = json.dumps(value)
    assert repr(read_json(text)) == repr(read_json(f" {text}\n")) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["", " ", "{", "1 2", "[1],", "\ufeff1", "nul"])
def test_what_is_no_json_is_refused_as_json_loads_refuses_it(text: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the message is compared
        json.loads(text)
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the message is compared
        read_json(text)
    assert str(found.value) == str(refused.value)


def test_a_value_of_a_type_is_read_strictly() -> None:
    assert decode_strictly(b'{"a":1}', dict[str, int]) == {"a": 1}
    with pytest.raises(msgspec.ValidationError, match="Expected `int`"):
        decode_strictly(b'{"a":"1"}', dict[str, int])
    with pytest.raises(StrictError, match="'a'"):
        decode_strictly(b'{"a":1,"a":2}', dict[str, int])
