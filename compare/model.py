"""A scripted model behind an OpenAI-compatible endpoint on this machine, shared by all frameworks."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "searcher": ("How do bees winter?",),
    "writer": ("Publish: bees keep warm in a cluster.",),
    "search": ("bees in winter",),
    "weather": ("Lisbon",),
    "publish": ("Bees in winter", "Bees keep warm in a cluster."),
}
"""What the model passes to each tool, in the order of its parameters: frameworks name those of an agent differently."""

SCRIPT: Final = {"lead": ("searcher", "writer"), "searcher": ("search",), "writer": ("publish",), "guide": ("weather",)}
"""The tools that each agent calls, one after the other; then it ends with a text."""

USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class ScriptedModel:
    """Serves chat completions and counts them."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.last_messages: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base URL of its API."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        requests, last_messages = self.requests, self.last_messages

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                agent, message = answer(request)
                requests.append(agent)
                last_messages.append(str(request["messages"][-1]["content"]))
                is_stream = bool(request.get("stream"))
                data = (_stream if is_stream else _completion)(len(requests), message).encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any, **__: Any) -> None:
                """Print nothing."""

        return Handler


def answer(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The agent that asks, and the next message of its script: its first offered tool that has no result yet."""
    texts = [str(each["content"]) for each in request["messages"] if each["role"] in ("system", "developer")]
    agent = next(name for name in SCRIPT if any(f"You are the {name}." in text for text in texts))
    called = {call["function"]["name"] for each in request["messages"] for call in each.get("tool_calls") or ()}
    offered = {each["function"]["name"]: each["function"] for each in request.get("tools") or ()}
    for name in SCRIPT[agent]:
        if name in offered and name not in called:
            parameters = offered[name]["parameters"]["properties"]
            arguments = json.dumps(dict(zip(parameters, ARGUMENTS[name], strict=False)))
            call = {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
            return agent, {"role": "assistant", "content": None, "tool_calls": [call]}
    return agent, {"role": "assistant", "content": f"The {agent} is done."}


def _completion(number: int, message: dict[str, Any]) -> str:
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(message)}
    return json.dumps({**_head(number), "object": "chat.completion", "choices": [choice], "usage": USAGE})


def _stream(number: int, message: dict[str, Any]) -> str:
    head = {**_head(number), "object": "chat.completion.chunk"}
    calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": calls} if calls else message
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish_reason(message)}]},
        {**head, "choices": [], "usage": USAGE},
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def _head(number: int) -> dict[str, Any]:
    return {"id": f"completion_{number}", "created": 0, "model": "scripted"}


def _finish_reason(message: dict[str, Any]) -> str:
    return "tool_calls" if "tool_calls" in message else "stop"
