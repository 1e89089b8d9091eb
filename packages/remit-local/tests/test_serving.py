"""Serving a local model in a child process: its options, its failures and, marked, the real server."""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import openai
import pytest
from jinja2 import Template
from openai.types.chat import ChatCompletionAssistantMessageParam, ChatCompletionMessageParam, ChatCompletionToolParam

from remit_local.gguf import GgufError
from remit_local.serving import (
    ServedModel,
    ServeOptions,
    ServingError,
    choose_template,
    make_parameters,
    make_serve_options,
    serve,
)
from remit_local.weights import BASE, cache_dir, download_weights

CODER = "Qwen2.5-Coder"


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


@pytest.fixture
def hollow(tmp_path: Path) -> Path:
    """A GGUF file with a valid header and no model."""
    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("qwen2"),
        text("qwen2.context_length") + struct.pack("<II", 4, 4096),
    ]
    path = tmp_path / "hollow.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


def test_qwen_coder_is_asked_for_the_json_block_that_it_writes_anyway() -> None:
    template = "within <tool_call></tool_call> tags:\n<tool_call>\n{}\n</tool_call>"

    mended = choose_template({"general.basename": CODER, "tokenizer.chat_template": template})

    assert mended == "within ```json``` tags:\n```json\n{}\n```"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ('{"success":true}', "Do not call this again. "),
        ('{"success":false,"error":"There is no page.","errorCode":"NOT_FOUND"}', "This call failed. "),
        ('{"success":false,"error":"You made it before.","errorCode":"REPEATED_CALL"}', "Do not call this again. "),
    ],
)
def test_qwen_coder_is_told_after_a_reply_not_to_repeat_the_call_and_after_an_error_to_correct_it(
    reply: str, told: str
) -> None:
    template = r"<tool_call> {{- '\n</tool_response>' }}"

    mended = choose_template({"general.basename": CODER, "tokenizer.chat_template": template})

    assert f"\n</tool_response>\n{told}" in Template(mended).render(message={"content": reply})


@pytest.mark.parametrize(
    ("basename", "template"), [("Other", "<tool_call></tool_call>"), (CODER, "plain"), (CODER, "")]
)
def test_every_other_template_is_left_alone(basename: str, template: str) -> None:
    assert choose_template({"general.basename": basename, "tokenizer.chat_template": template}) == ""


@pytest.mark.parametrize(("asked", "given"), [(8192, 4096), (1024, 1024)])
def test_the_context_is_no_longer_than_the_model_was_trained_for(asked: int, given: int, hollow: Path) -> None:
    assert make_serve_options(hollow, context=asked, threads=1).context == given


def test_a_file_that_is_no_model_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("bread, salt")

    with pytest.raises(GgufError, match=r"not a GGUF file.*notes\.txt"), serve(tmp_path / "notes.txt"):
        pytest.fail("nothing to serve")


def test_without_the_runtime_the_extra_that_brings_it_is_named(hollow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(ServingError, match=r"pip install \./packages/remit-local"), serve(hollow):
        pytest.fail("nothing to serve with")


@pytest.mark.process
def test_a_model_that_does_not_load_is_named_with_the_runtimes_own_words(hollow: Path) -> None:
    with pytest.raises(ServingError, match=r"failed to load model.*hollow\.gguf"), serve(hollow):
        pytest.fail("nothing was loaded")


@pytest.mark.process
def test_a_model_that_takes_too_long_to_load_is_given_up(hollow: Path) -> None:
    with pytest.raises(ServingError, match="nothing was said within 0 s"), serve(hollow, load_timeout=0):
        pytest.fail("nothing was loaded")


@pytest.fixture(scope="module")
def weights() -> Path:
    def ignore(_: int) -> None:
        """A progress callback that does nothing."""

    return download_weights(BASE, cache_dir(), ignore)


@pytest.fixture(scope="module")
def served(weights: Path) -> Iterator[ServedModel]:
    with serve(weights) as served:
        yield served


TOOL: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@pytest.mark.model
def test_a_call_comes_back_structured_and_its_reply_is_understood(served: ServedModel) -> None:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Answer with the help of the tool."},
        {"role": "user", "content": "What is the weather in Paris?"},
    ]
    with openai.OpenAI(base_url=served.base_url, api_key=served.api_key, max_retries=0) as client:
        asked = client.chat.completions.create(model=served.model, messages=messages, tools=[TOOL], temperature=0)
        (call,) = asked.choices[0].message.tool_calls or []
        assert call.type == "function"
        assert call.function.name == "weather"
        assert json.loads(call.function.arguments) == {"city": "Paris"}

        said: ChatCompletionAssistantMessageParam = {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": "weather", "arguments": call.function.arguments},
                }
            ],
        }
        snow = '{"success": true, "weather": "snow"}'
        messages.append(said)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": snow})
        told = client.chat.completions.create(model=served.model, messages=messages, tools=[TOOL], temperature=0)

    assert "snow" in (told.choices[0].message.content or "")


@pytest.mark.model
def test_without_the_key_nothing_is_answered(served: ServedModel) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{served.base_url}/models")  # noqa: S310

    refused.value.close()
    assert refused.value.code == 401


@pytest.mark.model
def test_the_port_is_closed_when_the_block_is_over(weights: Path) -> None:
    with serve(weights) as served:
        pass

    with pytest.raises(URLError, match="refused"):
        urlopen(f"{served.base_url}/models")  # noqa: S310


@pytest.mark.model
@pytest.mark.skipif(sys.platform != "linux", reason="watches a grandchild, which needs pidfd")
def test_the_child_does_not_outlive_a_killed_parent(weights: Path) -> None:
    body = """
        import os, pathlib, signal, sys
        from remit_local.serving import serve
        with serve(pathlib.Path(sys.argv[1])):
            print(pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
            signal.pause()
    """
    program = "\n".join(line[8:] for line in body.splitlines())
    with subprocess.Popen([sys.executable, "-c", program, str(weights)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        over, _, _ = select.select([child], [], [], 30)
        os.close(child)

    assert over


def test_answers_are_repeatable_unless_a_request_says_otherwise() -> None:
    runtime = pytest.importorskip("xllamacpp")
    options = ServeOptions(path="x.gguf", model="x", context=64, threads=1, template="")
    assert (runtime.CommonParams().sampling.temp > 0, make_parameters(runtime, options, "k").sampling.temp) == (True, 0)
