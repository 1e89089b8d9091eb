"""Requests of a worker's model are spans by the same conventions as those of an agent's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

Spans = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def spans() -> Spans:
    """What a program was told that listens to its workers, in a process of its own: a provider is set once."""
    here = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.workers.traced"], cwd=here, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: Spans = json.loads(done.stdout)
    return found


def span_names(spans: Spans, which: str) -> list[str]:
    return [span["name"] for span in spans[which]]


def test_each_request_is_a_chat_within_the_invocation_of_the_worker(spans: Spans) -> None:
    assert span_names(spans, "worker") == ["chat script", "execute_tool pipeline", "chat script", "invoke_agent worker"]
    first, called, second, _ = spans["worker"]
    assert {span["within"] for span in (first, called, second)} == {"invoke_agent worker"}
    assert (first["kind"], first["status"]) == ("CLIENT", "UNSET")
    about = dict(second["about"])
    assert about.pop("remit.run") == called["about"]["remit.run"]
    assert about.pop("remit.call").endswith(":2")
    assert about == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "function",
        "gen_ai.request.model": "script",
        "gen_ai.response.model": "script",
        "gen_ai.response.finish_reasons": ["length"],
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 0,
    }


def test_a_replay_makes_no_call_and_no_request(spans: Spans) -> None:
    assert spans["replayed"] == []


def test_what_is_told_of_a_model_of_remit_is_what_an_agent_tells_of_it(spans: Spans) -> None:
    def about(which: str) -> list[dict[str, Any]]:
        own = ("remit.call", "remit.run")
        return [{name: value for name, value in span["about"].items() if name not in own} for span in spans[which]]

    assert span_names(spans, "port") == span_names(spans, "agent")
    assert about("port") == about("agent")


def test_a_model_that_says_no_name_is_a_chat_with_nobody(spans: Spans) -> None:
    (chat, _) = spans["nameless"]
    assert (chat["name"], chat["about"]["gen_ai.provider.name"]) == ("chat", "unknown")
    assert not {"gen_ai.request.model", "gen_ai.response.model"} & set(chat["about"])


@pytest.mark.parametrize(("which", "code"), [("failed", "MODEL_BUSY"), ("absent", "NO_MODEL")])
def test_a_request_that_fails_is_told_by_the_code_of_its_error(spans: Spans, which: str, code: str) -> None:
    (chat, _) = spans[which]
    assert (chat["status"], chat["about"]["error.type"]) == ("ERROR", code)


def test_a_request_that_is_cancelled_ends_its_span_and_is_no_error(spans: Spans) -> None:
    chat = spans["cancelled"][0]
    assert (chat["name"], chat["status"]) == ("chat", "UNSET")
    assert "error.type" not in chat["about"]
