"""What a message of a given history is: one contract, in every way to run, with both drivers; nothing of it is lost."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import pytest

from remit import Agent, App, Principal, Runtime, tool
from remit.agent import NativeDriver
from remit.chat.stand_in import stand_in
from remit.chat.wire import ModelText
from remit.errors import RequestError, SetupError
from remit.messages import decode_message
from remit.record.arguments import Limits
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver

ADA = superuser()
ASKED = {"role": "user", "content": "hi"}
GIF = b"GIF89a a very small picture"
PDF = b"%PDF-1.7 a very short letter"
BOTH = pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=["native", "pydantic-ai"])


def data_url(content: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def image(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, **more}}


def letter(data: str, **more: Any) -> dict[str, Any]:
    return {"type": "file", "file": {"file_data": data, **more}}


def asks(*parts: Any) -> list[Any]:
    return [{"role": "user", "content": [*parts]}]


def answers(**fields: Any) -> list[Any]:
    return [ASKED, {"role": "assistant", **fields}]


def call(name: str = "look", call_id: str = "a", **fields: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}, **fields}


def called(*made: Any, content: Any = None) -> list[Any]:
    results = [{"role": "tool", "tool_call_id": each["id"], "content": "r"} for each in made]
    return [*answers(content=content, tool_calls=[*made]), *results]


@tool(effect="pure")
async def look(found: str = "") -> str:
    """Look."""
    return json.loads(f'"{found}"')


def start(driver: Any = None, *lines: Any, limits: Limits | None = None) -> tuple[Runtime, Scripted]:
    """A runtime with one agent, and its model, which answers after those answers that are given."""
    model = Scripted(lines or ["given", "Yes."])
    agent = Agent("clerk", instructions="Help.", tools=[look], model=model, driver=driver or NativeDriver())
    return Runtime(App(name="shop", agents=(agent,)), limits=limits), model


def sent(model: Scripted) -> list[dict[str, Any]]:
    """The messages between the instructions and the prompt of the first request."""
    return [{**decode_message(text)} for text in model.requests[0].history][1:-1]


@BOTH
@pytest.mark.parametrize("found", [r"a\u0000b", r"a\ud800b", r"\"\\ \u2028", "ünï"])
@pytest.mark.parametrize("form", ["texts", "plain texts", "dicts"])
async def test_a_history_that_a_runtime_stored_is_taken_back(driver: Any, found: str, form: str) -> None:
    first, _ = start(driver, calls(("look", {"found": found})), f"{json.loads(chr(34) + found + chr(34))}")
    ended = await first.run("go", by=ADA)
    saved: list[Any] = await first.history(ended.run)
    if form != "texts":
        saved = [str(each) if form == "plain texts" else json.loads(each) for each in saved]
    runtime, model = start(driver, "given", "given", "Yes.")
    result = await runtime.run("Sure?", by=ADA, messages=saved)
    assert (result.status, result.text) == ("done", "Yes.")
    assert sent(model) == [json.loads(stand_in(each) or each) for each in await first.history(ended.run)]
    assert (await runtime.replay(result.run)).is_identical


LOST_NOTHING: dict[str, tuple[list[Any], list[Any]]] = {
    "a name": ([{**ASKED, "name": "bob"}], [{**ASKED, "name": "bob"}]),
    "fields without a value": ([{**ASKED, "name": None, "audio": None}], [ASKED]),
    "a refusal": (answers(content=None, refusal="no"), answers(content=None, refusal="no")),
    "a refusal as a part": (answers(content=[{"type": "refusal", "refusal": "no"}]), answers(content="no")),
    "speech": (answers(content=None, audio={"id": "x", "transcript": "hello"}), answers(content="hello")),
    "thoughts of a vendor": (
        answers(content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}]),
        answers(content="x"),
    ),
    "a text as a part": (answers(content=["x", {"type": "text", "text": "y"}]), answers(content="xy")),
    "no list of calls": (answers(content="x", tool_calls=None), answers(content="x")),
    "arguments that are an object": (
        called(call(function={"name": "look", "arguments": {"found": "x"}})),
        called(call(function={"name": "look", "arguments": '{"found":"x"}'})),
    ),
    "a custom call": (
        called({"id": "a", "type": "custom", "custom": {"name": "look", "input": "print(1)"}}),
        called(call(function={"name": "look", "arguments": '{"input":"print(1)"}'})),
    ),
    "a custom call with an object": (
        called({"id": "a", "type": "custom", "custom": {"name": "look", "input": '{"found": "x"}'}}),
        called(call(function={"name": "look", "arguments": '{"found": "x"}'})),
    ),
    "a custom call with an object that is no text": (
        called({"id": "a", "type": "custom", "custom": {"name": "look", "input": {"found": "x"}}}),
        called(call(function={"name": "look", "arguments": '{"found":"x"}'})),
    ),
    "the name of the tool in its result": (
        [*called(call())[:2], {"role": "tool", "tool_call_id": "a", "name": "look", "content": "r"}],
        called(call()),
    ),
    "an id that is used again": (
        [*called(call()), *called(call())],
        [*called(call()), *called(call(call_id="call00000"))],
    ),
}


@BOTH
@pytest.mark.parametrize("case", LOST_NOTHING)
async def test_what_a_message_says_is_kept(case: str, driver: Any) -> None:
    messages, kept = LOST_NOTHING[case]
    runtime, model = start(driver, *["given"] * str(kept).count("'assistant'"), "Yes.")
    result = await runtime.run("Sure?", by=ADA, messages=messages)
    assert (result.status, sent(model)) == ("done", kept)
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).is_identical


TEXT = {"type": "text", "text": "a"}
HEADLESS = "give a message, such as {'role': 'user', 'content': '…'}"
REFUSED: dict[str, tuple[Any, str]] = {
    "a message in place of a list": (ASKED, "messages is {'role': 'user', 'content': 'hi'}; give a list"),
    "a set": ({"x"}, "messages is {'x'}; give a list"),
    "an empty set": (set(), "messages is set(); give a list"),
    "no messages": (None, "messages is None; give a list"),
    "bytes": ([b"{}"], f"messages[0] is b'{{}}'; {HEADLESS}"),
    "no message as JSON": (["null"], f"messages[0] is 'null'; {HEADLESS}"),
    "no number": ([{**ASKED, "z": math.nan}], "messages[0] is not JSON: NaN is not a JSON number"),
    "no number as text": (['{"role":"user","content":"x","z":NaN}'], "messages[0] is not JSON: NaN is not a JSON"),
    "no finite number in a dict": (answers(z=math.inf), "messages[1] is not JSON: Infinity is not a JSON number"),
    "no finite number": (['{"role":"user","z":1e999}'], "messages[0] is not JSON: the number 1e999 would"),
    "no number in arguments": (
        called(call(function={"name": "look", "arguments": {"x": math.inf}})),
        "messages[1] is not JSON: Infinity is not a JSON number",
    ),
    "a key twice": (['{"role":"user","role":"system","content":""}'], "messages[0] is not JSON: the key 'role' occurs"),
    "a field that users do not have": (
        [{**ASKED, "cache_control": {}}],
        "messages[0] has the field 'cache_control'; leave it out, or give one of role, content, name",
    ),
    "a field that results do not have": (
        [*called(call())[:2], {"role": "tool", "tool_call_id": "a", "content": "r", "is_error": True}],
        "messages[2] has the field 'is_error'; leave it out, or give one of role, tool_call_id, content, name",
    ),
    "half a character": (asks({**TEXT, "text": "a\ud800"}), "messages[0] has a lone surrogate, which is no"),
    "a name with spaces": (
        [{**ASKED, "name": "bob smith"}],
        "messages[0] has the name 'bob smith'; give one of at most 64 characters that can be seen, without ",
    ),
    "a name that is none": (answers(content="x", name=5), "messages[1] has the name 5; give"),
    "the name of another tool": (
        [*called(call())[:2], {"role": "tool", "tool_call_id": "a", "name": "gone", "content": "r"}],
        "messages[2] has the name 'gone', but is the result of a call of 'look'; leave the name out",
    ),
    "a part without a kind": (
        asks({"text": "a"}),
        "messages[0].content[0] is {'text': 'a'}; give a part of type text,",
    ),
    "a part of an unknown kind": (
        asks(TEXT, {"type": "artifact", "text": "a", "artifact": "sha256:00"}),
        "messages[0].content[1] is {'type': 'artifact', 'text': 'a', 'artifact': 'sha256:00'}; give a part of",
    ),
    "a kind that is no text": (asks({"type": 5, "text": "a"}), "messages[0].content[0] is {'type': 5, 'text': 'a'}; "),
    "a part that is no object": (asks("a"), "messages[0].content[0] is 'a'; give a part of type text, image_url, "),
    "a part without its value": (asks({"type": "text"}), "messages[0].content[0] is {'type': 'text'}; give"),
    "a part with another field": (
        asks({**TEXT, "cache_control": {}}),
        "messages[0].content[0] has the field 'cache_control'; leave it out, or give one of type, text",
    ),
    "an image that has a text": (
        asks({**image("x"), "text": "a"}),
        "messages[0].content[0] has the field 'text'; leave it out",
    ),
    "the address of an image": (
        asks(image("https://example.org/a.png")),
        "is a file at 'https://example.org/a.png'; give its content as data:image/png;base64,…, or store it and give",
    ),
    "no base64": (asks(image("data:image/png;base64,%%")), "messages[0].content[0] is a file at 'data:image/png;bas"),
    "no comma": (asks(image("data:image/png;base64")), "messages[0].content[0] is a file at 'data:image/png;base64'"),
    "another scheme": (asks(image("file:image/png;base64,abcd")), "messages[0].content[0] is a file at 'file:image/"),
    "plain data": (asks(image("data:text/plain,abcd")), "messages[0].content[0] is a file at 'data:text/plain,abcd'"),
    "no address": (asks(image("")), "messages[0].content[0] is a file at ''; give its content"),
    "no object": (asks({"type": "image_url", "image_url": "x"}), "messages[0].content[0] is {'type': 'image_url', "),
    "a level of detail": (
        asks(image(data_url(GIF, "image/gif"), detail="high")),
        "messages[0].content[0] has the field 'detail'; leave it out, or give one of url",
    ),
    "the id of a file": (asks(letter("x", file_id="f")), "messages[0].content[0] has the field 'file_id'; leave it"),
    "a path in place of a name": (
        asks(letter(data_url(PDF, "application/pdf"), filename="a/b.pdf")),
        "messages[0].content[0]: the name 'a/b.pdf' of an artifact is not valid",
    ),
    "files that are too large": (
        asks(*[image(data_url(b"GIF8" * 1_500, "image/gif"))] * 2),
        "the files in messages are 12,000 bytes long; at most 10,000: give some as files=",
    ),
    "a large file": (
        asks(image(data_url(b"GIF8" * 3_000, "image/gif"))),
        "messages[0].content[0]: an artifact of 12,000 bytes is too large",
    ),
    "a text that is too long to be read": (
        [json.dumps({"role": "user", "content": "x" * 40_000})],
        "messages[0] has 40,031 characters; at most 22,000",
    ),
    "speech as a question": (
        asks({"type": "input_audio", "input_audio": {}}),
        "messages[0].content[0] is {'type': 'inp",
    ),
    "an answer that is a number": (
        answers(content=5),
        "messages[1] has the content 5; give a text, or a list of parts, such as {'type': 'text', 'text': '…'}",
    ),
    "an answer of numbers": (answers(content=[5]), "messages[1].content[0] is 5; give a part of type text or refusal"),
    "an image in an answer": (
        answers(content=[image(data_url(GIF, "image/gif"))]),
        "messages[1].content[0] is {'type': 'image_url'",
    ),
    "a refusal that is no text": (answers(refusal=5), "messages[1] has the refusal 5; give a text"),
    "speech of which only an id is known": (
        answers(content=None, audio={"id": "x"}),
        "messages[1] has audio without a transcript; give what was said as the content",
    ),
    "a result that is an object": (
        [*called(call())[:2], {"role": "tool", "tool_call_id": "a", "content": {"x": 1}}],
        "messages[2] has the content {'x': 1}; give a text, or a list of parts",
    ),
    "a name that a prompt cannot have": (
        "no prompt",
        "messages ends with a message of 'bob', and a prompt has no name; leave out its name",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_would_be_lost_or_misread_is_refused_in_one_line(case: str) -> None:
    messages, said = REFUSED[case]
    prompt: str | None = "go"
    if messages == "no prompt":
        prompt, messages = None, [{**ASKED, "name": "bob"}]
    runtime, _ = start(limits=Limits(argument_bytes=2_000, artifact_bytes=10_000))
    with pytest.raises((RequestError, SetupError)) as raised:
        await runtime.run(prompt, by=ADA, messages=messages)
    assert said in raised.value.message
    assert "\n" not in raised.value.message
    assert await runtime.store.list_runs() == []


PICTURED = [
    {"role": "user", "content": [TEXT, image(data_url(GIF, "image/gif"))]},
    {"role": "assistant", "content": "A picture."},
    {"role": "user", "content": [letter(data_url(PDF, "application/pdf"), filename="letter.pdf")]},
    *called(call())[1:2],
    {"role": "tool", "tool_call_id": "a", "content": [image(data_url(b"\x89PNG\r\n\x1a\n", "image/png"))]},
]


@BOTH
@pytest.mark.parametrize("way", ["run", "submit", "texts"])
async def test_files_of_a_saved_history_become_artifacts_that_the_model_is_shown(driver: Any, way: str) -> None:
    runtime, model = start(driver, "given", "given", "Yes.", "Yes.")
    given: list[Any] = [json.dumps(each) for each in PICTURED] if way == "texts" else PICTURED
    if way == "submit":
        run = await runtime.submit("Sure?", by=ADA, messages=given)
        assert (await runtime.resume(run)).text == "Yes."
    else:
        run = (await runtime.run("Sure?", by=ADA, messages=given)).run

    def kinds(index: int) -> list[str]:
        content: Any = decode_message(model.requests[0].history[index]).get("content")
        return [part["type"] for part in content]

    assert kinds(1) == kinds(6) == ["text", "image_url"]  # the last is behind the result of the tool
    saved = await runtime.history(run)
    assert json.loads(saved[0])["content"].startswith('a\nFile: {"digest":"sha256:')
    assert '\\"name\\":\\"letter.pdf\\"' in saved[2]
    assert "base64" not in str(saved)
    assert (await runtime.replay(run)).is_identical
    again = await runtime.run("Again?", by=ADA, messages=saved)
    assert (again.status, json.loads(model.requests[1].history[1])["content"][1]["type"]) == ("done", "image_url")


async def test_a_question_with_a_picture_is_a_prompt() -> None:
    runtime, model = start(None, "A picture.")
    result = await runtime.run(messages=PICTURED[:1], by=ADA)
    assert result.text == "A picture."
    assert [part["type"] for part in json.loads(model.requests[0].history[-1])["content"]] == ["text", "image_url"]


async def test_of_a_refused_request_no_file_is_stored() -> None:
    runtime, _ = start()
    artifact = await runtime.artifacts.refer(GIF, by=ADA, media_type="image/gif")
    with pytest.raises(RequestError, match="takes no files"):
        await runtime.run("x", by=ADA, messages=PICTURED, files=[artifact])
    await runtime.run("x", by=superuser(name="bob"), conversation="c")
    with pytest.raises(RequestError, match="another user"):
        await runtime.submit("x", by=Principal("ada"), messages=PICTURED, conversation="c")
    with pytest.raises(Exception, match="there is no artifact"):
        await runtime.artifacts.read(artifact, by=ADA)


async def test_a_marked_text_is_kept_to_the_byte_and_its_ids_stay_apart() -> None:
    made = '{"role": "assistant", "thoughts": [1], "content": null, "tool_calls": [' + json.dumps(call()) + "]}"
    saved = [ASKED, ModelText(made, "m:x"), called(call())[2], ModelText(made, "m:x"), called(call())[2]]
    runtime, _ = start(None, "given", "given", "Yes.")
    result = await runtime.run("Sure?", by=ADA, messages=saved)
    history = await runtime.history(result.run)
    assert history[1] == made
    assert isinstance(history[3], ModelText)
    assert '"thoughts":[1]' in history[3]
    assert [json.loads(each)["tool_call_id"] for each in (history[2], history[4])] == ["a", "call00000"]
    assert history_errors(history) == []
    for odd in ('"z":NaN,"content":"x"', '"content":"y","content":"x"'):
        answer = '{"role":"assistant",' + odd + "}"
        if "NaN" in odd:
            with pytest.raises(RequestError, match="the field 'z', which cannot be kept; leave it out"):
                await start(None, "given", "Yes.")[0].run("Sure?", by=ADA, messages=[ASKED, answer])
        for given in (ModelText(answer, "m:x"), *(() if "NaN" in odd else (answer,))):
            runtime, _ = start(None, "given", "Yes.")
            result = await runtime.run("Sure?", by=ADA, messages=[ASKED, given])
            kept = (await runtime.history(result.run))[1]
            assert kept == (answer if isinstance(given, ModelText) else '{"role":"assistant","content":"x"}')
    broken = ModelText('{"role":"user","content":"x","more":1}', "m:x")
    with pytest.raises(RequestError, match="has the field 'more'"):
        await runtime.run("Sure?", by=ADA, messages=[broken])


ANSWERS: dict[str, dict[str, Any]] = {
    "thoughts beside the text": {"content": "x", "reasoning_content": "hm"},
    "thoughts as a part": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}]},
    "an id and notes": {"content": "x", "id": "msg_1", "annotations": [{"a": {"b": 1}}]},
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_what_only_a_vendor_knows_of_an_answer_is_kept_and_not_sent_to_another(name: str) -> None:
    answer = {"role": "assistant", **ANSWERS[name]}
    runtime, model = start(None, "given", "Yes.", "given", "Again.")
    result = await runtime.run("Sure?", by=ADA, messages=[ASKED, answer])
    history = await runtime.history(result.run)
    assert json.loads(history[1]) == answer
    assert json.loads(model.requests[0].for_model("test").history[2]) == {"role": "assistant", "content": "x"}
    assert (await runtime.replay(result.run)).is_identical
    again = await runtime.run("Sure?", by=ADA, messages=history[:2], idempotency_key="again")
    assert (await runtime.history(again.run))[:2] == history[:2]


async def test_a_field_of_an_answer_that_is_nested_too_deeply_is_refused() -> None:
    runtime, _ = start(None, "given", "Yes.")
    deep = {"role": "assistant", "content": "x", "n": json.loads("[" * 900 + "]" * 900)}
    with pytest.raises(RequestError, match=r"messages\[1\] has the field 'n', which cannot be kept"):
        await runtime.run("Sure?", by=ADA, messages=[ASKED, deep])


async def test_a_conversation_whose_only_message_was_withdrawn_has_not_begun() -> None:
    runtime, model = start(None, "Yes.", "given", "Yes.")
    history = answers(content="hello")
    run = await runtime.submit("withdrawn", by=ADA, messages=asks(TEXT), conversation="c")
    await runtime.cancel(run, by=ADA)
    assert await runtime.history(run) == []
    assert (await runtime.replay(run)).is_identical
    with pytest.raises(RequestError, match="ends with a message of"):
        await runtime.run(by=ADA, messages=[{**ASKED, "name": "b"}], conversation="c")
    second = await runtime.run("Sure?", by=ADA, messages=asks(TEXT), conversation="c")
    assert (second.text, [json.loads(each).get("content") for each in model.requests[0].history]) == (
        "Yes.",
        ["Help.", [TEXT], "Sure?"],
    )
    with pytest.raises(RequestError, match="has begun"):
        await runtime.run("Sure?", by=ADA, messages=history, conversation="c")
