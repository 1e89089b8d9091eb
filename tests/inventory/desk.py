"""A desk with methods and tools, and what its requests in envelopes are answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel, JsonValue

from remit import App, Runtime
from remit.errors import NotFoundError
from remit.inventory import (
    Operations,
    PolicyTable,
    Request,
    Response,
    Status,
    Vocabulary,
    business_rules_section,
    handle_request,
    read_inventory,
)
from remit.items import RunOpened
from remit.testing import superuser
from tests.runtime.kit import items_of

_ENTRY = "{classification: {capability: read}, effect: pure, business_rules: {template: public_access}}"


class Kept(BaseModel):
    """Any value."""

    value: JsonValue


class KeepRequest(Request[Kept], operation="keep_value"):
    """The request to keep a value."""


class KeepResponse(Response[Kept]):
    """The value that was kept."""


class FailRequest(Request[Kept], operation="fail"):
    """The request for an error."""


class FailResponse(Response[Kept]):
    """What the method answers."""


class Desk:
    """Operations that return what they are given, and one that answers as ``answer`` says."""

    def __init__(self, folder: Path) -> None:
        names = ("say", "keep_value", "fail")
        text = "".join(f"  {name}: {_ENTRY}\n" for name in names)
        (folder / "desk.yaml").write_text(f"domain: office\nsubdomain: desk\nmethods:\n{text}", encoding="utf-8")
        table = PolicyTable(business_rules_section(version="1.0"))
        inventory = read_inventory(folder, table, Vocabulary(domains={"office": {"desk"}}, permissions=()))
        self._operations = Operations(inventory, (_Methods(self),))
        self.runtime = self._open()
        self.taken: list[object] = []
        self.answer: Callable[[FailRequest], FailResponse]

    def _open(self) -> Runtime:
        """A runtime without runs."""
        return Runtime(App(name="office", tools=self._operations.callees, operations=self._operations))

    async def send(self, **fields: object) -> Response[Any]:
        """The response to a request, which is JSON."""
        response = await handle_request(self.runtime, {"user_id": "ada", **fields}, by=superuser())
        json.loads(response.model_dump_json(), parse_constant=_refuse)
        return response

    async def keeps(self, value: JsonValue) -> bool:
        """Whether a value is the same as payload and result, as a parameter and in metadata, at every step."""
        self.runtime, metadata = self._open(), {"a": value, "": [value]}
        called = {"tool_name": "keep_value", "parameters": {"value": value}}
        responses = [
            await self.send(operation="keep_value", payload={"value": value}, metadata=metadata),
            await self.send(payload=called, metadata=metadata),
        ]
        found = [response.payload and response.payload.model_dump() for response in responses]
        expected: list[object] = [{"value": value}, {"result": {"value": value}}]
        headers = [(await items_of(self.runtime.store, row.run))[0] for row in await self.runtime.store.list_runs()]
        stored = [json.loads(header.metadata) for header in headers if isinstance(header, RunOpened)]
        taken, self.taken = self.taken, []
        is_kept = _write([found, taken]) == _write([expected, [value, value]])
        return is_kept and {_write(each) for each in (*stored, *(r.metadata for r in responses))} == {_write(metadata)}

    async def says(self, text: str) -> bool:
        """Whether a text is the same text as a parameter and as the result of a tool, and as that of a method."""
        by_tool = await self.send(payload={"tool_name": "say", "parameters": {"text": text}})
        by_method = await self.send(operation="say", payload={"text": text})
        found = [each.payload and each.payload.model_dump() for each in (by_tool, by_method)]
        taken, self.taken = self.taken, []
        return (found, taken) == ([{"result": text}, text], [text, text])

    async def answers(self, fields: Mapping[str, Any], says: str) -> bool:
        """Whether a request is answered, or fails in one line that says what is wrong, under its own id."""
        sent = {"operation": "keep_value", "payload": {"value": 1}, "metadata": {"a": 1}, **fields}
        response = await self.send(**sent)
        self.taken.clear()
        has_id = _read_id(sent.get("request_id")) in (None, response.request_id)
        has_metadata = "metadata" in fields or response.metadata == {"a": 1}
        if not says:
            return has_id and has_metadata and response.status is Status.COMPLETED
        message = "" if response.error is None else response.error.message
        return has_id and has_metadata and says in message and message.isprintable()

    async def fails(self, message: str, details: dict[str, Any]) -> bool:
        """Whether the error of a method is that of its response, also when the request comes again."""

        def answer(_request: FailRequest) -> FailResponse:
            error = NotFoundError(message)
            error.details = details
            raise error

        self.answer = answer
        sent: dict[str, object] = {"request_id": str(uuid4()), "operation": "fail", "payload": {"value": 1}}
        first, again = (await self.send(**sent)).error, (await self.send(**sent)).error
        if first is None or first != again or first.code != "NOT_FOUND":
            return False
        said, is_json = message.replace("\ud800", "\ufffd"), "words" in details or not details
        is_said = first.message == said or (len(said) > 10_000 and said.startswith(first.message[:1_000]))
        return is_said and (not is_json or first.details == details)


class _Methods:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def say(self, text: str) -> str:
        """Say it again."""
        self._desk.taken.append(text)
        return text

    async def keep_value(self, request: KeepRequest) -> KeepResponse:
        """Return the value."""
        self._desk.taken.append(request.payload.value)
        return KeepResponse.completed(request, request.payload)

    async def fail(self, request: FailRequest) -> FailResponse:
        """Answer as the desk says."""
        return self._desk.answer(request)


def _read_id(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _write(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
