"""Validate turns raw arguments into the payload that everything further in sees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Runtime, tool
from remit.errors import InvalidArgumentsError
from remit.layers import Place, Reply, Validate
from remit.testing import Scripted, call_through, calls, make_call, superuser
from tests.layers.inner import Inner, stopped_within


@tool
async def find(query: str, limit: int = 10) -> str:
    """Find pages."""
    return query * limit


async def test_a_valid_call_goes_on_with_its_payload_and_canonical_form() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(find, '{"query": "a"}')
    assert await call_through(Validate(), call, inner) is reply
    (seen,) = inner.calls
    assert seen.payload == find.schema_in.model(query="a")
    assert seen.canonical_arguments == '{"limit":10,"query":"a"}'
    assert seen.replace(payload=None, canonical_arguments="") == call


LENIENT = {
    "text for a number": ('{"query":"a","limit":"3"}', "limit: Input should be a valid integer", 3),
    "an unknown parameter": ('{"query":"a","slug":1}', "slug: no such parameter. Parameters: query, limit", 10),
    "a key twice": ('{"query":"a","limit":1,"limit":3}', "the key 'limit' occurs twice", 3),
    "a fraction for a whole number": ('{"query":"a","limit":3.0}', "limit: Input should be a valid integer", 3),
}


@pytest.mark.parametrize("name", LENIENT)
async def test_strictly_what_must_be_guessed_is_refused_before_inner(name: str) -> None:
    raw, said, _ = LENIENT[name]
    inner = Inner()
    with pytest.raises(InvalidArgumentsError) as caught:
        await call_through(Validate(), await make_call(find, raw), inner)
    assert (caught.value.code, caught.value.message) == ("VALIDATION_ERROR", said)
    assert inner.calls == []


@pytest.mark.parametrize("name", LENIENT)
async def test_leniently_what_can_be_guessed_is(name: str) -> None:
    raw, _, limit = LENIENT[name]
    inner = Inner()
    await call_through(Validate(strict=False), await make_call(find, raw), inner)
    assert inner.calls[0].payload == find.schema_in.model(query="a", limit=limit)


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(
    "raw",
    ["", "[]", "{", "{}", '{"query":1}', '{"query":"a","limit":9223372036854775808}', r'{"query":"\ud800"}'],
)
async def test_what_nobody_can_guess_is_refused_either_way(raw: str, strict: bool) -> None:
    inner = Inner()
    with pytest.raises(InvalidArgumentsError):
        await call_through(Validate(strict=strict), await make_call(find, raw), inner)
    assert inner.calls == []


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Validate(), await make_call(find, '{"query":"a"}')) == ["call"]


async def test_two_of_it_share_no_state() -> None:
    strict, lenient = Validate()(Inner()), Validate(strict=False)(Inner())
    call = await make_call(find, '{"query":"a","limit":"3"}')
    await lenient(call)
    with pytest.raises(InvalidArgumentsError):
        await strict(call)


def test_it_stands_at_its_place_and_prints_how_strict_it_is() -> None:
    assert Validate().place is Place.VALIDATE
    assert repr(Validate(strict=False)) == "Validate(strict=False)"


async def reply_to(name: str, arguments: str) -> dict[str, Any]:
    """What a model reads that calls ``name``, by way of the whole runtime."""
    agent = Agent("agent", instructions="Work.", tools=(find,))
    runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([calls((name, arguments)), "done"]))
    result = await runtime.run("go", by=superuser())
    history: list[dict[str, Any]] = [json.loads(text) for text in await runtime.history(result.run)]
    return next(json.loads(message["content"]) for message in history if message["role"] == "tool")


async def test_a_tool_that_nobody_has_is_unknown() -> None:
    said = await reply_to("fnd", "{}")
    assert (said["errorCode"], said["error"]) == ("UNKNOWN_TOOL", "there is no tool 'fnd'; similar: find")


async def test_a_tool_that_nobody_has_is_unknown_whatever_it_is_called_with() -> None:
    said = await reply_to("fnd", '{"query":"a"}')
    assert (said["errorCode"], said["error"]) == ("UNKNOWN_TOOL", "there is no tool 'fnd'; similar: find")
