"""The settings of a model request: validated when built, part of the digest, and changed without losing a field."""

from __future__ import annotations

from typing import Any

import pytest

from remit.chat.settings import NO_SETTINGS, ModelSettings
from remit.errors import SetupError


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"temprature": 1}, "ModelSettings: there is no setting 'temprature'; did you mean temperature?"),
        ({"temperature": "warm"}, "ModelSettings: temperature: Input should be a valid number"),
        ({"temperature": float("nan")}, "ModelSettings: temperature: Input should be a finite number"),
        ({"temperature": -1}, "ModelSettings: temperature"),
        ({"temperature": True}, "ModelSettings: temperature"),
        ({"top_p": 1.5}, "ModelSettings: top_p"),
        ({"max_tokens": 0}, "ModelSettings: max_tokens: Input should be greater than or equal to 1"),
        ({"max_tokens": True}, "ModelSettings: max_tokens: Input should be a valid integer"),
        ({"seed": "1"}, "ModelSettings: seed: Input should be a valid integer"),
        ({"stop": "END"}, "ModelSettings: stop: give a list of texts"),
        ({"stop": [3]}, "ModelSettings: stop.0: Input should be a valid string"),
        ({"reasoning_effort": "much"}, "ModelSettings: reasoning_effort: Input should be 'none', 'minimal', 'low', "),
        ({"tool_choice": "my tool"}, "ModelSettings: tool_choice: not in the required form; expected:"),
        ({"response_format": {"type": object()}}, "ModelSettings: response_format.type: input was not a valid JSON"),
        (
            {"max_tokens": 1, "max_completion_tokens": 1},
            "ModelSettings: max_tokens and max_completion_tokens contradict each other; keep one",
        ),
        ({"extra_body": {"seed": 1}}, "ModelSettings: extra_body cannot set 'seed'; write seed=…"),
        (
            {"extra_body": {"messages": []}},
            "ModelSettings: extra_body cannot set 'messages'; Remit",
        ),
        (
            {"extra_headers": {"X-Key": "12345678"}},
            "ModelSettings: extra_headers.X-Key: not in the required form; expected:",
        ),
        ({"extra_headers": {"X Key": "env:KEY"}}, "ModelSettings: extra_headers: 'X Key' is not the name"),
        ({"extra_headers": {"X-Key": "file:key"}}, "ModelSettings: extra_headers: X-Key refers to file:…"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(values: dict[str, Any], said: str) -> None:
    with pytest.raises(SetupError) as error:
        ModelSettings(**values)
    assert error.value.message.startswith(said)
    assert "\n" not in error.value.message


def test_a_secret_that_was_written_as_a_header_is_not_in_the_error() -> None:
    with pytest.raises(SetupError) as error:
        ModelSettings(extra_headers={"X-Key": "sk-very-secret"})
    assert "very-secret" not in error.value.message


def test_only_what_is_set_is_printed_and_has_a_value() -> None:
    settings = ModelSettings(temperature=0, stop=("END",), extra_headers={"X-Key": "env:KEY"})
    assert settings.values == {"temperature": 0, "stop": ["END"], "extra_headers": {"X-Key": "env:KEY"}}
    assert repr(settings) == "ModelSettings(temperature=0, stop=['END'], extra_headers={'X-Key': 'env:KEY'})"
    assert (NO_SETTINGS.values, repr(NO_SETTINGS)) == ({}, "ModelSettings()")


def test_a_change_keeps_the_other_settings_and_is_validated() -> None:
    settings = ModelSettings(temperature=0.5, seed=3)
    assert settings.update(seed=None, top_p=0.5) == ModelSettings(temperature=0.5, top_p=0.5)
    with pytest.raises(SetupError, match="there is no setting 'sed'; did you mean seed"):
        settings.update(sed=1)


@pytest.mark.parametrize(
    ("settings", "limit"),
    [(NO_SETTINGS, None), (ModelSettings(max_tokens=5), 5), (ModelSettings(max_completion_tokens=7), 7)],
)
def test_the_longest_answer_is_the_one_of_either_setting(settings: ModelSettings, limit: int | None) -> None:
    assert settings.output_limit == limit


def test_the_digest_covers_the_first_two_settings_as_the_first_journals_did() -> None:
    assert NO_SETTINGS.digest_text == "|None|None"
    assert ModelSettings(temperature=1, max_tokens=9).digest_text == "|1|9"
    assert ModelSettings(temperature=0.0, seed=3).digest_text == '|0.0|None|{"seed":3}'


@pytest.mark.parametrize(("choice", "later"), [("required", None), ("look", None), ("auto", "auto"), ("none", "none")])
def test_only_the_first_request_makes_the_model_call_a_tool(choice: str, later: str | None) -> None:
    settings = ModelSettings(tool_choice=choice, seed=1)
    assert settings.for_turn(1) == settings
    assert (settings.for_turn(2).tool_choice, settings.for_turn(2).seed) == (later, 1)
    assert settings.forced_tool == ("look" if choice == "look" else "")
    assert NO_SETTINGS.forced_tool == ""
