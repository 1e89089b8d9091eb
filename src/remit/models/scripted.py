"""A script in a model's place, for tests and rehearsals. It says what it is, and is never presented as a model.

A script is a list of messages. The answer to a request is the message whose number is the number of assistant messages
in the history before it, so that the same history always gets the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

from remit.contracts.chat import ChatRequest, Completion, completion_from_message, encode_message
from remit.errors import CompletionError, SetupError

SCRIPTED_MODEL_NAME: Final = "scripted (no model)"

ScriptLine = str | dict[str, Any] | Callable[[ChatRequest], "ScriptLine"] | BaseException


class Scripted:
    """Answers from a list: text, a raw assistant message, a function of the request, or an error to raise."""

    model: Final = SCRIPTED_MODEL_NAME
    vendor: Final = "scripted"

    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        self._lines = tuple(lines)
        self.requests: list[ChatRequest] = []

    @staticmethod
    def load(path: Path) -> Scripted:
        """The script in a JSON file: ``{"script": [...]}`` of texts and raw assistant messages.

        Raises:
            SetupError: the file is missing or no script.
        """
        try:
            return Scripted(_parse_script(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SetupError(f'{path} is no script: {error}; it holds {{"script": [messages]}}') from error

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The next line of the script.

        Raises:
            CompletionError: the script is over.
        """
        self.requests.append(request)
        number = sum('"role":"assistant"' in text[:40] for text in request.history)
        if number >= len(self._lines):
            raise CompletionError(
                f"the script has {len(self._lines)} lines, and line {number + 1} was asked for: "
                "each answer of the whole conversation takes the next line"
            )
        line = self._lines[number]
        while callable(line):
            line = line(request)
        if isinstance(line, BaseException):
            raise line
        message = {"role": "assistant", "content": line} if isinstance(line, str) else {"role": "assistant", **line}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        return completion_from_message(encode_message(message), model=SCRIPTED_MODEL_NAME, finish_reason=finish)


def _parse_script(text: str) -> list[ScriptLine]:
    lines = cast("dict[str, object]", json.loads(text))["script"]
    if isinstance(lines, list) and all(isinstance(line, (str, dict)) for line in cast("list[object]", lines)):
        return cast("list[ScriptLine]", lines)
    raise ValueError("a message is a text or an object")


def calls(*tool_calls: tuple[str, dict[str, Any] | str], content: str | None = None) -> dict[str, Any]:
    """A raw assistant message that calls tools: ``calls(("cms_getPages", {}))``."""
    return {
        "content": content,
        "tool_calls": [
            {
                "id": f"call_{index}_{name}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for index, (name, arguments) in enumerate(tool_calls)
        ],
    }
