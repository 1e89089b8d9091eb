"""Local models are named by weights or file and get histories that they can read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remit.chat.chat import encode_message
from remit.errors import RemitError, SetupError
from remit.testing.history_check import history_errors
from remit_local.models import open_local_model, replace_invalid_arguments
from remit_local.weights import KNOWN_WEIGHTS, cache_dir, find_gguf


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path))
    return cache_dir()


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("which", KNOWN_WEIGHTS)
def test_weights_that_are_not_here_are_told_with_the_command_that_gets_them(which: str) -> None:
    with pytest.raises(SetupError, match=f"the weights of '{which}' are not downloaded; run: remit model fetch"):
        find_gguf(which)


@pytest.mark.parametrize("which", KNOWN_WEIGHTS)
def test_weights_that_are_here_are_the_file_in_the_cache(which: str, empty_cache: Path) -> None:
    empty_cache.mkdir(parents=True)
    path = empty_cache / KNOWN_WEIGHTS[which].filename
    with path.open("wb") as file:
        file.truncate(KNOWN_WEIGHTS[which].size)
    assert find_gguf(which) == path


def test_any_file_can_be_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.gguf").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_gguf(str(tmp_path / "own.gguf")) == tmp_path / "own.gguf"
    assert find_gguf("~/own.gguf") == tmp_path / "own.gguf"


@pytest.mark.parametrize("which", ["nowhere.gguf", "BASE", "", "."])
def test_what_is_neither_is_refused_with_the_names_there_are(which: str) -> None:
    with pytest.raises(SetupError, match=f"give {', '.join(KNOWN_WEIGHTS)}, or the path of a GGUF file"):
        find_gguf(which)


async def test_a_model_that_is_not_here_is_refused_before_anything_is_started() -> None:
    with pytest.raises(SetupError, match=r"there is no model 'nowhere\.gguf'"):
        async with open_local_model("nowhere.gguf"):
            pytest.fail("there is nothing to ask")


async def test_a_file_that_is_no_model_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("bread, salt")
    with pytest.raises(RemitError, match="not a GGUF file") as refused:
        async with open_local_model(str(path)):
            pytest.fail("there is nothing to ask")
    assert "\n" not in str(refused.value)


def asks(*arguments: str) -> str:
    calls = [
        {"id": f"c{index}", "type": "function", "function": {"name": "double", "arguments": text}}
        for index, text in enumerate(arguments)
    ]
    return encode_message({"role": "assistant", "content": "é", "tool_calls": calls})


def arguments_of(text: str) -> list[str]:
    return [call["function"]["arguments"] for call in json.loads(text)["tool_calls"]]


UNTOUCHED = {
    "system": encode_message({"role": "system", "content": "Work."}),
    "user": encode_message({"role": "user", "content": 'say {"tool_calls": 1}'}),
    "assistant": encode_message({"role": "assistant", "content": "done"}),
    "no calls": '{"role":"assistant","content":"x","tool_calls":null}',
    "tool": '{"role":"tool","tool_call_id":"a","content":"x","tool_calls":[]}',
    "calls": asks('{"number": 1}', "{}"),
    "another spelling": '{"role": "assistant", "content": "\\u00e9", "tool_calls": []}',
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_a_message_that_can_be_read_is_sent_to_the_byte(name: str) -> None:
    assert replace_invalid_arguments(UNTOUCHED[name]) is UNTOUCHED[name]


@pytest.mark.parametrize("broken", ["", "{", "[1]", '"x"', "null", "1", '{"a":1}{'])
def test_a_call_whose_arguments_are_no_object_is_sent_without_any(broken: str) -> None:
    sent = replace_invalid_arguments(asks('{"number": 1}', broken, "{}"))
    assert arguments_of(sent) == ['{"number": 1}', "{}", "{}"]
    assert json.loads(sent)["content"] == "é", "nothing else changes"
    assert [fault.kind.name for fault in history_errors([sent])] == ["UNPAIRED_CALL"] * 3, (
        "but for the replies it is whole"
    )


def test_a_call_whose_arguments_are_nested_too_deep_to_be_read_is_sent_without_any() -> None:
    assert arguments_of(replace_invalid_arguments(asks('{"number":' + "[" * 100_000 + "]" * 100_000 + "}"))) == ["{}"]


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_call_with_a_number_that_is_not_json_is_sent_without_arguments(constant: str) -> None:
    assert arguments_of(replace_invalid_arguments(asks(f'{{"number":{constant}}}'))) == ["{}"]
