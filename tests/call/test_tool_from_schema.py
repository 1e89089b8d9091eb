"""A tool made from a JSON schema: what its function gets, what Python callers give, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ConfigDict

from remit.call.callee import Context, LeafContext
from remit.call.facts import Effect, Risk
from remit.call.json_contract import JsonInput, JsonPayload
from remit.call.tool import Tool
from remit.errors import ContractError, InvalidArgumentsError
from tests.call.test_tool import frame_of

SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://example.com/find.json",
    "type": "object",
    "properties": {
        "query": {"type": "string", "title": "Query"},
        "limit": {"type": "integer", "default": 5},
        "copy": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["query"],
}


async def find(arguments: dict[str, Any]) -> dict[str, Any]:
    arguments["seen"] = True
    return arguments


async def find_with_context(ctx: LeafContext, arguments: dict[str, Any]) -> list[Any]:
    return [ctx.run, arguments]


async def find_and_call(ctx: Context, arguments: dict[str, Any]) -> Any:
    return await ctx.call("other", arguments)


def make(call: Any = find, **changes: Any) -> Tool[..., Any]:
    given: dict[str, Any] = {"name": "find", "description": "Find things.", "schema": SCHEMA, "call": call}
    return Tool.from_schema(**(given | changes))


async def test_its_function_gets_a_dictionary_of_its_own() -> None:
    made = make()
    payload = made.schema_in.bind(made.build_arguments(query="a", copy=["x"]))
    given = await made.run(payload, await frame_of(made))
    assert given == {"query": "a", "limit": 5, "copy": ["x"], "seen": True}
    assert payload.to_dict() == {"query": "a", "limit": 5, "copy": ["x"]}


def find_in_thread(arguments: dict[str, Any]) -> list[str]:
    return sorted(arguments)


async def test_a_plain_function_runs_in_a_thread() -> None:
    made = make(find_in_thread)
    assert await made.run(made.schema_in.bind_values({"query": "a"}), await frame_of(made)) == ["limit", "query"]


async def test_its_function_gets_the_context_if_it_asks_for_it() -> None:
    made = make(find_with_context)
    assert await made.run(made.schema_in.bind_values({"query": "a"}), await frame_of(made)) == [
        "run",
        {"query": "a", "limit": 5},
    ]


def test_a_model_sees_the_schema_as_it_was_received_without_the_names_of_draft_and_document() -> None:
    made = make()
    assert made.schema_in.json_schema == {key: each for key, each in SCHEMA.items() if not key.startswith("$")}
    assert made.where.endswith("find)") or "test_tool_from_schema.py" in made.where
    assert made.function is find


def test_it_has_the_facts_it_is_given_and_keeps_its_schema_under_another_name() -> None:
    made = make(effect=Effect.PURE, risk=Risk.HIGH, permissions=["pages:read"], tags=["x"])
    assert (made.facts.effect, made.facts.risk) == (Effect.PURE, Risk.HIGH)
    assert made.facts.permissions == {"pages:read"}
    renamed = made.with_name("search").with_facts(made.facts, name="seek", description="Seek.", where="x:1")
    assert (renamed.name, renamed.schema_in) == ("seek", made.schema_in)


def test_python_callers_give_arguments_by_name() -> None:
    assert make().build_arguments(query="a").raw == '{"query":"a"}'
    for wrong in ({"query": 1}, {"limit": 5}, {"query": "a", "other": 1}, {"query": object()}):
        with pytest.raises(InvalidArgumentsError):
            make().build_arguments(**wrong)
    with pytest.raises(InvalidArgumentsError, match="find: too many positional arguments; pass them by name"):
        make().build_arguments("a")


def test_a_payload_has_its_arguments_as_attributes_but_for_those_of_every_model() -> None:
    payload = JsonPayload.from_dict({"query": "a", "copy": ["x"]})
    assert payload.query == "a"  # type: ignore[attr-defined]
    assert payload.to_dict() == {"query": "a", "copy": ["x"]}
    assert payload == JsonPayload.from_dict({"query": "a", "copy": ["x"]})
    assert payload != JsonPayload.from_dict({"query": "b", "copy": ["x"]})


def test_a_payload_that_json_would_read_back_as_another_has_no_canonical_text() -> None:
    schema = JsonInput(SCHEMA)
    for wrong in (("x",), {"x"}, {1: "x"}, object(), [("x",)]):
        with pytest.raises(InvalidArgumentsError, match="JSON cannot hold the arguments"):
            schema.dump_canonical(JsonPayload.from_dict({"query": wrong}))


def test_a_mapping_is_a_payload_once_it_is_bound() -> None:
    schema = JsonInput(SCHEMA)
    assert schema.check_payload({"query": "a"}) == schema.bind_values({"query": "a"})
    assert JsonPayload.model_config == ConfigDict(extra="allow", frozen=True, protected_namespaces=())


def test_a_confirmation_flag_is_a_boolean_parameter_of_the_schema() -> None:
    flagged = {"type": "object", "properties": {"sure": {"type": "boolean", "default": False}}}
    assert make(schema=flagged, confirm="sure").facts.confirm == "sure"
    with pytest.raises(ContractError, match="must name a boolean parameter"):
        make(confirm="sure")


def test_a_function_that_makes_calls_is_composed() -> None:
    assert make(find_and_call, effect=Effect.COMPOSED).facts.effect is Effect.COMPOSED
    with pytest.raises(ContractError, match="its effect is COMPOSED"):
        make(find_and_call)


async def yielding(arguments: dict[str, Any]) -> Any:
    yield arguments


async def takes_nothing() -> None: ...


async def takes_two(first: Any, second: Any) -> None: ...


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "a b"}, "'a b' is not a tool name"),
        ({"description": ""}, "find has no description"),
        ({"call": yielding}, "find yields its results"),
        ({"call": takes_nothing}, "find: the function of a JSON schema takes one dictionary"),
        ({"call": takes_two}, "find: the function of a JSON schema takes one dictionary"),
        ({"schema": {"type": "array"}}, "find: its JSON schema does not describe an object with named fields"),
        ({"schema": {"type": "object", "$ref": "https://x/y"}}, "find: its JSON schema refers to 'https://x/y' at #"),
        ({"output_schema": {"$ref": "#/a"}}, "find: its JSON schema refers to '#/a' at #, which does not exist"),
        ({"rate": "often"}, "rate"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_with_the_reason(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ContractError) as caught:
        make(**changes)
    assert reason in caught.value.message
    assert "\n" not in caught.value.message
