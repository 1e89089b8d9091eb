"""An endpoint on this machine that answers in one shape until it is healed, and that checks requests strictly."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final, Self, cast

from remit.chat.call_ids import MAX_ID, is_kept_id
from remit.chat.chat import encode_message
from remit.chat.stand_in import MESSAGE_NAME
from remit.chat.wire import has_surrogates
from remit.schemas.jsontext import compact_json, reject_constant
from remit.testing.history_check import HistoryErrorKind, history_errors
from remit.testing.provider_suite.shape import GOOD, HttpAnswer, Shape, as_stream, whole

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

_FORMS: Final = {"tool_calls": list, "function_call": dict, "audio": dict}


class ShapedEndpoint:
    """Answers requests for chat completions in the order of a shape; ``received`` are their bodies.

    It refuses a request whose history a strict provider would refuse, with the reason. After `heal`, it answers
    normally.
    """

    def __init__(self, shape: Shape) -> None:
        self.received: list[dict[str, Any]] = []
        self._shape = shape
        self._is_well = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in [*self._writers]:
            writer.transport.abort()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """The address of its API."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def heal(self) -> None:
        """Answer normally from now on."""
        self._is_well = True

    def _answer(self, body: dict[str, Any]) -> HttpAnswer:
        self.received.append(body)
        for reason in list_refusals(body):
            return whole({"error": {"message": reason, "code": "invalid_value"}}, 400)
        answers = self._shape.answers
        answer = GOOD if self._is_well else answers[min(len(self.received), len(answers)) - 1]
        if body.get("stream") and answer.media_type == "application/json":
            with contextlib.suppress(ValueError, RecursionError):
                return as_stream(answer, json.loads(answer.body))
        return answer

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            await self._respond(reader, writer)
        finally:  # even an invalid shape must not leave its model waiting
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._writers.discard(writer)

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = re.search(r"content-length: *(\d+)", head)
            answer = self._answer(json.loads(await reader.readexactly(int(length[1]) if length else 0)))
            data = answer.body.encode()
            headers = [("content-type", answer.media_type), ("content-length", str(len(data))), *answer.headers]
            lines = "".join(f"{key}: {value}\r\n" for key, value in (*headers, ("connection", "close")))
            writer.write(f"HTTP/1.1 {answer.status} -\r\n{lines}\r\n".encode() + data)
            await writer.drain()


def list_refusals(body: dict[str, Any]) -> Iterator[str]:
    """Why a strict provider refuses a request because of its history."""
    messages = cast("list[dict[str, Any]]", body["messages"])
    for number, message in enumerate(messages):
        for reason in _list_faults(message):
            yield f"messages[{number}].{reason}"
    for error in history_errors(map(encode_message, messages)):
        if error.kind is not HistoryErrorKind.EMPTY_CALLS:  # some providers write it and accept it back
            yield f"messages[{error.message_index}]: {error.kind.value}"


def _list_faults(message: dict[str, Any]) -> Iterator[str]:
    """The defect for which a strict provider refuses a message, starting with the field."""
    if has_surrogates(compact_json(message)):
        yield "content: lone surrogate in hex escape"
    if message["role"] != "assistant":
        return
    calls = cast("list[dict[str, Any]]", message.get("tool_calls") or [])
    said = message.get("content") or message.get("refusal") or message.get("audio")
    if not calls and not (said.strip() if isinstance(said, str) else said):
        yield "content: text content must be non-empty"
    name: object = message.get("name")
    if name is not None and not (isinstance(name, str) and MESSAGE_NAME.fullmatch(name)):
        yield f"name: {name!r} does not match the pattern of names of messages"
    if not isinstance(message.get("refusal"), str | None):
        yield "refusal: expected a string"
    for name, form in _FORMS.items():
        if not isinstance(message.get(name), form | None):
            yield f"{name}: expected {form.__name__}"
    parts: object = message.get("content")
    for number, part in enumerate(cast("list[object]", parts) if isinstance(parts, list) else ()):
        if not isinstance(part, dict) or not isinstance(cast("dict[str, Any]", part).get("type"), str):
            yield f"content[{number}]: expected an object with a type"
    for number, call in enumerate(calls):
        yield from (f"tool_calls[{number}].{reason}" for reason in _list_faults_of_call(call))


def _list_faults_of_call(call: dict[str, Any]) -> Iterator[str]:
    if call.get("type") != "function":
        yield "type: expected 'function'"
    ident: object = call.get("id")
    if not isinstance(ident, str) or not is_kept_id(ident):
        yield f"id: expected at most {MAX_ID} characters, without spaces and characters that cannot be printed"
    function: dict[str, Any] = call.get("function") or {}
    name, arguments = function.get("name"), function.get("arguments")
    if not _is_name(name):
        yield f"function.name: {name!r} does not match the pattern of names"
    if not isinstance(arguments, str):
        yield f"function.arguments: expected a string, but got {type(arguments).__name__}"
    elif not _is_object(arguments):
        yield f"function.arguments: those of {name} are not a JSON object"


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _is_object(arguments: str) -> bool:
    """Whether arguments are a JSON object whose texts UTF-8 can encode."""
    try:
        value: object = json.loads(arguments, parse_constant=reject_constant)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not has_surrogates(compact_json(cast("dict[str, Any]", value)))
