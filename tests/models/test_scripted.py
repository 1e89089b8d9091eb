"""A script answers in a model's place: the same history always gets the same answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Runtime
from remit.chat.chat import ChatRequest, History, encode_message
from remit.errors import ModelBusyError, ModelError, SetupError
from remit.models.scripted import SCRIPTED_MODEL_NAME, Scripted, ScriptLine, calls
from remit.testing import read_only_ledger, superuser
from remit.testing.history_check import history_errors

USER = encode_message({"role": "user", "content": "go"})


def request(*texts: str) -> ChatRequest:
    return ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History([USER, *texts]))


def answer_text(text: str) -> str:
    return encode_message({"role": "assistant", "content": text})


async def test_a_line_of_text_is_an_answer_without_calls() -> None:
    completion = await Scripted(["hello"])(request())
    assert completion.message == '{"role":"assistant","content":"hello"}'
    assert completion.content == "hello"
    assert (completion.tool_calls, completion.finish_reason) == ((), "stop")


async def test_a_raw_message_is_answered_as_it_is() -> None:
    completion = await Scripted([calls(("double", {"number": 2}), content="wait")])(request())
    assert json.loads(completion.message)["role"] == "assistant"
    assert completion.content == "wait"
    assert completion.tool_calls == (("call_0_double", "double", '{"number": 2}'),)
    assert completion.finish_reason == "tool_calls"


async def test_a_script_never_passes_for_a_model() -> None:
    assert (await Scripted(["hello"])(request())).model == SCRIPTED_MODEL_NAME
    assert "no model" in SCRIPTED_MODEL_NAME


async def test_a_function_answers_by_the_request() -> None:
    def echo(asked: ChatRequest) -> ScriptLine:
        return lambda _: f"you said {json.loads(asked.history[-1])['content']}"

    assert (await Scripted([echo])(request())).content == "you said go"


@pytest.mark.parametrize("error", [ModelBusyError("later"), ValueError("bug"), KeyboardInterrupt()], ids=repr)
async def test_an_error_in_the_script_is_raised(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised:
        await Scripted([error])(request())
    assert raised.value is error


async def test_the_number_of_assistant_messages_before_it_chooses_the_line() -> None:
    script = Scripted(["first", "second", "third"])
    assert (await script(request(answer_text("x"), USER, answer_text("y")))).content == "third"
    assert (await script(request())).content == "first", "whatever was asked before"
    assert (await script(request(answer_text("x")))).content == "second"


@pytest.mark.parametrize("role", ["user", "tool"])
async def test_what_others_say_about_assistants_is_not_counted(role: str) -> None:
    text = encode_message({"role": role, "content": '{"role":"assistant"}', "tool_call_id": '"role":"assistant"'})
    assert (await Scripted(["first"])(request(text))).content == "first"


async def test_a_script_for_a_run_that_is_given_answers_begins_with_a_line_for_each() -> None:
    history = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    agent = Agent("a", instructions="x", model=Scripted(["c"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", messages=history, by=superuser())
    said = "request 2 of the conversation, counting the answers in its messages=[…]: the script begins with a line for "
    assert f"{said}each; add an answer" in result.reason


async def test_a_script_that_is_over_says_how_long_it_was() -> None:
    with pytest.raises(
        ModelError,
        match="the script has 1 answers, and this is request 2 of the conversation; add an answer",
    ):
        await Scripted(["only"])(request(answer_text("only")))


async def test_every_request_is_remembered() -> None:
    script = Scripted(["one"])
    asked = request()
    await script(asked)
    with pytest.raises(ModelError):
        await script(request(answer_text("one")))
    assert script.requests[0] is asked
    assert len(script.requests) == 2


async def test_calls_of_one_message_have_ids_of_their_own_and_arguments_as_given() -> None:
    message = calls(("double", '{"number" : 1'), ("double", {"number": 2}), ("triple", {}))
    first, second, third = message["tool_calls"]
    assert len({call["id"] for call in (first, second, third)}) == 3
    assert first["function"] == {"name": "double", "arguments": '{"number" : 1'}
    assert json.loads(second["function"]["arguments"]) == {"number": 2}
    text = encode_message({"role": "assistant", **message})
    replies = [encode_message({"role": "tool", "tool_call_id": c["id"], "content": ""}) for c in (first, second, third)]
    assert history_errors([text, *replies]) == []


def test_calls_with_text_keep_the_text() -> None:
    assert calls(("double", {}), content="a moment")["content"] == "a moment"
    assert calls(("double", {}))["content"] is None


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"script": [calls(("double", {"number": 2})), "dåne"]}), encoding="utf-8")
    script = Scripted.load(path)
    assert (await script(request())).tool_calls[0].name == "double"
    assert (await script(request(answer_text("")))).content == "dåne"


UNREADABLE: dict[str, Any] = {
    "not JSON": "hello",
    "not UTF-8": b"\xff",
    "no script in it": "{}",
    "an array": "[]",
    "a number": "1",
    "a script that is null": '{"script": null}',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_is_no_script_is_refused_with_the_right_form(name: str, tmp_path: Path) -> None:
    content, path = UNREADABLE[name], tmp_path / "script.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SetupError, match=r'script\.json is not a script: .*; it must hold \{"script": \[messages\]\}'):
        Scripted.load(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"nowhere\.json is not a script: .*No such file"):
        Scripted.load(tmp_path / "nowhere.json")


@pytest.mark.parametrize("script", ['"hello"', '{"a": 1}', "[1]", "[[]]", "[null]"])
def test_a_file_whose_script_holds_no_messages_is_refused_when_it_is_read(script: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(f'{{"script": {script}}}')
    with pytest.raises(SetupError):
        Scripted.load(path)
