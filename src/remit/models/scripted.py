"""A scripted model for tests and rehearsals. Its name says that it is a script.

A script is a list of messages. A request with n assistant messages in its history, without those of the runtime, gets
message number n, counted from 0, so the same history always gets the same answer. Assistant messages that a run was
given as ``messages`` count too: a script begins with an unused line for each of them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, cast

from msgspec import structs
from pydantic import PositiveInt

from remit.call.call import given_id
from remit.chat.chat import (
    CARRIED_ID,
    AssistantMessage,
    ChatRequest,
    Completion,
    completion_from_message,
    encode_message,
)
from remit.chat.streaming import Delta
from remit.core.argument_types import Converted
from remit.core.call_checks import check_arguments
from remit.core.checks import (
    as_path,
    as_tuple,
    as_tuple_of,
    check_instances,
    wrong_value,
)
from remit.errors import ModelError, SetupError
from remit.journal.codec import RESULT_TOOL
from remit.record.items import GivenMessage

SCRIPTED_MODEL_NAME: Final = "scripted (no model)"

_TYPED_RESULT: Final = f"a typed result is a call of {RESULT_TOOL}, or JSON with output_mode='native'; "
_NO_TOKENS: Final[dict[str, int]] = {}

ScriptLine = str | dict[str, Any] | Callable[[ChatRequest], "ScriptLine"] | BaseException


def _as_lines(what: str, value: Any) -> tuple[ScriptLine, ...]:
    lines: tuple[ScriptLine, ...] = as_tuple(what, value)
    for line in lines:
        if not (isinstance(line, (str, Mapping, BaseException)) or callable(line)):
            raise wrong_value("a line of Scripted", line, "give a text, calls(…), an error or a function")
    return lines


@check_arguments()
class Scripted:
    """Answers from a list: text, a raw assistant message, a function of the request, or an error to raise.

    A raw message may also have ``usage`` (``{"prompt_tokens": 12, "completion_tokens": 3}``) and ``finish_reason``,
    which are removed from the message. By default an answer costs no tokens and ends with ``stop`` or ``tool_calls``.
    A streamed answer is sent in pieces of ``piece_chars`` characters, with ``delay`` seconds after each.
    """

    model: Final = SCRIPTED_MODEL_NAME
    vendor: Final = "scripted"
    origin = ""
    """None: its answers are of no vendor."""

    def __init__(
        self,
        lines: Annotated[Sequence[ScriptLine], Converted(_as_lines)],
        *,
        piece_chars: PositiveInt = 16,
        delay: float = 0.0,
    ) -> None:
        self._piece_chars = piece_chars
        self._delay = delay
        self._lines: tuple[ScriptLine, ...] = tuple(lines)
        self.requests: list[ChatRequest] = []

    @staticmethod
    def load(path: Path) -> Scripted:
        """Load a script from a JSON file: ``{"script": [...]}`` with texts and raw assistant messages.

        Raises:
            SetupError: the file is missing or not a script.
        """
        path = as_path("Scripted.load: path", path)
        try:
            return Scripted(_parse_script(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SetupError(f'{path} is not a script: {error}; it must hold {{"script": [messages]}}') from error

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The next line of the script.

        Raises:
            ModelError: the script has no more lines.
        """
        self.requests.append(request)
        own = (text for text in request.history if f'"id":"{CARRIED_ID}' not in text)
        number = sum(map(_is_answer, own))
        if number >= len(self._lines):
            raise ModelError(
                f"the script has {len(self._lines)} answers, and this is request {number + 1} of the conversation"
                f"{_explain_given(request)}; "
                f"{_TYPED_RESULT if RESULT_TOOL in request.tools.text else ''}add an answer"
            )
        line = self._lines[number]
        while callable(line):
            line = line(request)
        if isinstance(line, BaseException):
            raise line
        return make_completion(line)

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """The next line of the script, reported in pieces."""
        return await stream_completion(await self(request), on_delta, self._piece_chars, self._delay)


async def stream_completion(
    completion: Completion, on_delta: Callable[[Delta], None], piece_chars: int = 16, delay: float = 0.0
) -> Completion:
    """Report a completion in pieces, with a delay in seconds after each, and return it."""
    deltas = [Delta(completion.content or "")]
    for index, call in enumerate(completion.tool_calls):
        deltas.append(Delta(call.arguments, "arguments", index, call.name))
    for delta in deltas:
        for start in range(0, len(delta.text), piece_chars):
            on_delta(structs.replace(delta, text=delta.text[start : start + piece_chars]))
            await asyncio.sleep(delay)
    return completion


def _is_answer(text: str) -> bool:
    return '"role":"assistant"' in text[:40]


def _explain_given(request: ChatRequest) -> str:
    """Explain the count of requests of a run that was given answers."""
    given = request.ledger.items_for(given_id(request.agent_call_id))
    if not any(_is_answer(each.text) for each in given if isinstance(each, GivenMessage)):
        return ""
    return ", counting the answers in its messages=[…]: the script begins with a line for each"


def make_completion(line: str | Mapping[str, Any]) -> Completion:
    """The completion for a text or a raw assistant message."""
    message = {"role": "assistant", "content": line} if isinstance(line, str) else {"role": "assistant", **line}
    usage = cast("dict[str, int]", message.pop("usage", _NO_TOKENS))
    finish = message.pop("finish_reason", "tool_calls" if message.get("tool_calls") else "stop")
    return completion_from_message(
        encode_message(cast("AssistantMessage", message)),
        model=SCRIPTED_MODEL_NAME,
        finish_reason=str(finish),
        prompt_tokens=usage.get("prompt_tokens", 0),
        completion_tokens=usage.get("completion_tokens", 0),
    )


def _parse_script(text: str) -> list[ScriptLine]:
    lines = cast("dict[str, object]", json.loads(text))["script"]
    if isinstance(lines, list) and all(isinstance(line, (str, dict)) for line in cast("list[object]", lines)):
        return cast("list[ScriptLine]", lines)
    raise ValueError("a message must be text or an object")


def calls(
    *tool_calls: tuple[str, dict[str, Any] | str], content: str | None = None, tokens: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Make a raw assistant message that calls tools: ``calls(("cms_getPages", {}))``. ``tokens``: prompt and answer."""
    check_instances("calls", tokens=(tokens, tuple | None))
    given = as_tuple_of(
        tuple, "calls", "calls", tool_calls, "give name and arguments, such as ('double', {'number': 3})"
    )
    usage = {} if tokens is None else {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
    return {
        **usage,
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
            for index, (name, arguments) in enumerate(given)
        ],
    }
