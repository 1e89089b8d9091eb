"""A model is recorded once, and its script plays the same conversation back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.chat.chat import ChatRequest, History, encode_message
from remit.errors import ModelBusyError, SetupError
from remit.testing import Scripted, calls, read_only_ledger, record_script, superuser

USER = encode_message({"role": "user", "content": "go"})
OTHER = encode_message({"role": "user", "content": "another"})
CUT = {"content": "cut", "finish_reason": "length", "usage": {"prompt_tokens": 12, "completion_tokens": 3}}


def request(*texts: str) -> ChatRequest:
    return ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(texts))


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return 2 * number


async def test_a_recorded_conversation_is_played_back_with_its_tokens(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    model = Scripted([calls(("double", {"number": 2}), content="wait", tokens=(40, 7)), "it is 4"])
    app = App(name="shop", agents=(Agent("clerk", instructions="Count.", tools=[double]),))
    recorded = await Runtime(app, model=record_script(model, path)).run("double 2", by=superuser())

    script = Scripted.load(path)
    played = await Runtime(app, model=script).run("double 2", by=superuser())
    assert played.value() == recorded.value() == "it is 4"
    assert [tuple(request.history) for request in script.requests] == [
        tuple(request.history) for request in model.requests
    ]
    assert json.loads(path.read_text())["script"][0]["usage"] == {"prompt_tokens": 40, "completion_tokens": 7}


async def test_an_answer_keeps_why_it_ended_and_what_it_cost(tmp_path: Path) -> None:
    model = record_script(Scripted([CUT]), tmp_path / "script.json")
    first = await model(request(USER))
    again = await Scripted.load(tmp_path / "script.json")(request(USER))
    assert again == first
    assert (again.finish_reason, again.prompt_tokens, again.completion_tokens) == ("length", 12, 3)
    assert "usage" not in again.message


async def test_a_request_that_is_made_again_replaces_its_answer(tmp_path: Path) -> None:
    answers = iter(["bad", "good"])
    model = record_script(Scripted([lambda _: next(answers)]), tmp_path / "script.json")
    await model(request(USER))
    await model(request(USER))
    assert (await Scripted.load(tmp_path / "script.json")(request(USER))).content == "good"


async def test_an_error_of_the_model_is_not_recorded(tmp_path: Path) -> None:
    model = record_script(Scripted([ModelBusyError("later")]), tmp_path / "script.json")
    with pytest.raises(ModelBusyError):
        await model(request(USER))
    assert not (tmp_path / "script.json").exists()


async def test_a_script_holds_one_conversation(tmp_path: Path) -> None:
    model = record_script(Scripted(["one", "two"]), tmp_path / "script.json")
    answer = (await model(request(USER))).message
    for history in ((OTHER,), (OTHER, answer), (USER, answer, USER, answer, USER)):
        with pytest.raises(SetupError, match="holds one conversation"):
            await model(request(*history))
    assert (await model(request(USER, answer, OTHER))).content == "two"
