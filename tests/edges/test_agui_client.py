"""The AG-UI client that others use, in Node: it talks, is interrupted, resumes, and reads the run again."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from figures.figure import BUILD
from scripts.build_console import node_home
from tests.cli.kit import PATIENCE
from tests.edges.provider import Provider, call
from tests.edges.served import Server
from tests.edges.streams import as_resumed, check_streams

pytestmark = pytest.mark.process

CLIENT = BUILD / "edges" / "agui_client"


def test_a_stock_client_finishes_a_run_that_asks_and_reads_it_again(server: Server, provider: Provider) -> None:
    if not (CLIENT / "node_modules" / "@ag-ui/client").exists():
        pytest.skip("npm could not install @ag-ui/client")
    prompt = provider.script(
        "Make the page Foreign words and publish it",
        ["I make ", "it.", call("cms_createPage", title="Foreign words")],
        [call("cms_publishPage", pageId="Foreign words")],
        ["It is ", "published."],
    )
    line = [str(node_home() / "bin/node"), str(CLIENT / "talk.mjs"), server.url, server.token_of("ada"), prompt]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    streams: list[list[dict[str, Any]]] = seen["streams"]
    check_streams(streams[0], as_resumed(streams[0], streams[1]), streams[2])
    assert seen["failures"] == []
    assert seen["asked"] == ["Publish the page Foreign words"]
    assert [events[-1]["outcome"]["type"] for events in streams] == ["interrupt", "success", "success"]
    live = [message for message in seen["live"] if message["role"] != "user"]
    assert [message["role"] for message in live] == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert [message["content"] for message in live if message["role"] == "assistant"] == [
        "I make it.",
        "",
        "It is published.",
    ]
    assert [message for message in seen["late"] if message["role"] != "user"] == live
