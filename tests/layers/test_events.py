"""Events about calls: one for each that ends, with what was asked for in it and nothing that was to be left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Effect, tool
from remit.errors import NotFoundError
from remit.layers import Call, Reply
from remit.layers.events import RecordEvents, redact_fields
from remit.record.items import Note
from remit.testing import call_through, make_call, memory_ledger


@tool(effect=Effect.PURE)
async def find(name: str = "") -> str:
    """Find."""
    return name


async def filed(layer: RecordEvents, reply: Reply | None, arguments: str = "{}") -> list[tuple[str, Any]]:
    ledger = await memory_ledger()
    call = await make_call(find, arguments, ledger=ledger)

    async def inner(_call: Call, /) -> Reply:
        if reply is None:
            raise NotFoundError("nothing there")
        return reply

    if reply is None:
        with pytest.raises(NotFoundError):
            await call_through(layer, call, inner)
    else:
        assert await call_through(layer, call, inner) is reply
    notes = [item for item in ledger.items_for(call.id) if isinstance(item, Note)]
    return [(note.name, json.loads(note.data)) for note in notes]


WELL = {"tool": "find", "by": "ada", "outcome": "ok"}


async def test_a_call_that_went_well_is_filed_under_its_name() -> None:
    assert await filed(RecordEvents(success="found"), Reply.from_value(1)) == [("found", WELL)]


async def test_one_that_went_wrong_is_filed_with_its_code_and_raised_on() -> None:
    event = {"tool": "find", "by": "ada", "outcome": "error", "error": "NOT_FOUND"}
    assert await filed(RecordEvents(failure="lost"), None) == [("lost", event)]
    assert await filed(RecordEvents(failure="lost"), Reply.from_error(NotFoundError("no"))) == [("lost", event)]


async def test_an_event_without_a_name_is_not_filed() -> None:
    assert await filed(RecordEvents(failure="lost"), Reply.from_value(1)) == []
    assert await filed(RecordEvents(success="found"), None) == []


async def test_arguments_and_result_are_in_it_where_that_is_said() -> None:
    layer = RecordEvents(success="found", request=True, response=True)
    reply = Reply.from_value({"a": 1, "b": [2]})
    event = {**WELL, "request": {"name": "x"}, "response": {"a": 1, "b": [2]}}
    assert await filed(layer, reply, '{"name":"x"}') == [("found", event)]


async def test_only_the_fields_that_are_named_are_in_it() -> None:
    layer = RecordEvents(success="found", response=True, fields=("a",))
    assert await filed(layer, Reply.from_value({"a": 1, "b": 2})) == [("found", {**WELL, "response": {"a": 1}})]
    assert await filed(layer, Reply.from_value("words")) == [("found", {**WELL, "response": "words"})]


async def test_what_must_not_be_read_is_left_out_however_deep() -> None:
    layer = RecordEvents(success="found", request=True, response=True, redact=("token",))
    reply = Reply.from_value({"list": [{"Token": "t1"}], "token": {"deep": "t2"}})
    ((_, event),) = await filed(layer, reply, '{"name":"x","token":"t3"}')
    assert event["response"] == {"list": [{"Token": "[redacted]"}], "token": "[redacted]"}
    assert event["request"] == {"name": "x", "token": "[redacted]"}


def test_nothing_else_is_changed() -> None:
    assert redact_fields((), {"a": [1, None, "x"]}) == {"a": [1, None, "x"]}
