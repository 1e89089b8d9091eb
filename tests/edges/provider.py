"""A server of chat completions on this machine, which streams what a test scripts, as far as the test allows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self, cast

Piece = str | Mapping[str, Any] | threading.Event
"""A piece of text, a call of a tool (`call`), or a gate: what follows it is sent once the gate is open."""

_GATE_SECONDS: Final = 300


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call that the model makes."""
    return {"name": tool, "arguments": json.dumps(arguments)}


class Provider:
    """Answers the last prompt of a person with its script: one answer after another, each a list of pieces."""

    def __init__(self) -> None:
        self._scripts: dict[str, Sequence[Sequence[Piece]]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def environ(self) -> dict[str, str]:
        """The environment in which `openai:NAME` is this server."""
        port = self._server.server_address[1]
        return {
            "REMIT_MODEL": "openai:scripted-stream",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_API_KEY": "unused",
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def script(self, prompt: str, *answers: Sequence[Piece]) -> str:
        """Answer ``prompt`` with these; the prompt."""
        self._scripts[prompt] = answers
        return prompt

    def answer_to(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Piece]:
        """The pieces that come next in a history."""
        for index in range(len(messages) - 1, -1, -1):
            text = messages[index].get("content")
            if messages[index]["role"] == "user" and text in self._scripts:
                given = sum(each["role"] == "assistant" for each in messages[index:])
                answers = self._scripts[cast("str", text)]
                return answers[given] if given < len(answers) else ["That is all."]
        return ["There is no script for this."]


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one request after another."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Stream the next answer."""
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for chunk in _chunks_of(provider.answer_to(json.loads(body)["messages"])):
                try:
                    self.wfile.write(b"data: %b\n\n" % chunk.encode())
                    self.wfile.flush()
                except OSError:  # the process that asked is gone
                    return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    return Handler


def _chunks_of(pieces: Sequence[Piece]) -> Iterator[str]:
    calls = 0
    for piece in pieces:
        if isinstance(piece, threading.Event):
            piece.wait(_GATE_SECONDS)
        elif isinstance(piece, str):
            yield _chunk({"content": piece})
        else:
            function = {"id": f"call_{calls}_{id(piece)}", "type": "function", "function": dict(piece)}
            yield _chunk({"tool_calls": [{"index": calls, **function}]})
            calls += 1
    yield _chunk({}, finish="tool_calls" if calls else "stop")
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    yield json.dumps({**_HEAD, "choices": [], "usage": usage})
    yield "[DONE]"


_HEAD: Final = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted-stream"}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    return json.dumps({**_HEAD, "choices": [choice]})
