"""An MCP server as a source of tools, from its process to the record of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit import App, Effect, Principal, Runtime
from remit.artifacts import Artifact
from remit.errors import ToolFailed
from remit.mcp import mcp_address, mcp_process
from remit.mcp.upstream.content import read_result
from remit.sources import PinFolder, Source, Trust
from tests.mcp.upstream.kit import ODD, OFFICIAL, official_http

ADA = Principal("ada", permissions=frozenset({"*"}))


def _runtime(source: Source) -> Runtime:
    return Runtime(App(name="desk", tools=source.tools, resources=[source]))


@pytest.mark.process
async def test_calls_of_an_official_server_are_governed_and_recorded(tmp_path: Path) -> None:
    trust = Trust(effects=dict.fromkeys(("add", "count", "picture", "fail"), "pure"))
    async with mcp_process("files", OFFICIAL, PinFolder(tmp_path), trust=trust) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        assert (await client.call("files_add", {"a": 1, "b": 2})).value() == {"sum": 3}
        assert (await client.call("files_count", {"to": 2})).value() == {"result": "counted to 2"}
        failed = await client.call("files_fail", {})
        assert (failed.status, json.loads(failed.text)["errorCode"]) == ("failed", "TOOL_FAILED")
        (picture,) = (await client.call("files_picture", {})).value()
        stored = Artifact.model_validate(picture)
        assert await runtime.artifacts.read(stored, by=ADA) == b"\x89PNG not really"
        assert (stored.media_type, stored.name) == ("image/png", "image.png")
        refused = await client.call("files_add", {"a": "1", "b": 2})
        assert json.loads(refused.text)["errorCode"] == "VALIDATION_ERROR"

        asked = await client.call("files_erase", {"text": "all"})
        assert asked.status == "waiting"
        for question in asked.questions:
            await client.decide(question, approved=True)
        assert (await client.resume(asked.run)).value() == {"result": "erased all"}
        assert (await runtime.replay(asked.run)).is_identical


@pytest.mark.process
async def test_an_unsafe_call_whose_server_dies_asks_what_became_of_it_and_others_go_on(tmp_path: Path) -> None:
    trust = Trust(effects={"die": Effect.UNSAFE, "answer": Effect.PURE})
    async with mcp_process("odd", ODD, PinFolder(tmp_path), trust=trust) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        died = await client.call("odd_die", {})
        assert died.status == "waiting"
        (row,) = (await client.questions()).items
        assert (row.question.kind, row.question.tool) == ("outcome", "odd_die")
        assert (await client.call("odd_answer", {})).value() == "answer: {}"
        await client.decide(row.question.id, approved=True, result='"it was done"')
        assert (await client.resume(died.run)).value() == "it was done"


@pytest.mark.process
async def test_a_description_that_changes_with_the_next_process_is_noticed_before_the_call(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    offered: dict[str, Any] = {"name": "answer", "description": "Answer.", "inputSchema": {"type": "object"}}
    die = offered | {"name": "die"}
    tools.write_text(json.dumps([offered, die]))
    trust = Trust(effects={"die": "pure", "answer": "pure"})
    command = [*ODD, "old", str(tools)]
    async with mcp_process("odd", command, PinFolder(tmp_path), trust=trust) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        assert (await client.call("odd_answer", {})).status == "done"
        tools.write_text(json.dumps([offered | {"description": "Answer. CANARY"}, die]))
        assert json.loads((await client.call("odd_die", {})).text)["errorCode"] == "ANSWER_LOST"
        refused = await client.call("odd_answer", {})
        assert "answer of odd is in quarantine" in refused.text
        assert "CANARY" not in refused.text


@pytest.mark.process
async def test_a_server_behind_an_address_is_governed_like_one_in_a_process(tmp_path: Path) -> None:
    trust = Trust(effects={"add": "pure"})
    async with official_http() as port:
        address = f"http://127.0.0.1:{port}/mcp"
        async with mcp_address("web", address, PinFolder(tmp_path), trust=trust) as source, _runtime(source) as runtime:
            client = runtime.client(ADA)
            assert (await client.call("web_add", {"a": 1, "b": 2})).value() == {"sum": 3}
            assert (await client.call("web_erase", {"text": "all"})).status == "waiting"
    async with mcp_address("web", address, PinFolder(tmp_path), trust=trust) as source, _runtime(source) as runtime:
        away = json.loads((await runtime.client(ADA).call("web_add", {"a": 1, "b": 2})).text)
        assert away["errorCode"] == "EXTERNAL_SERVICE_ERROR"
        assert "the MCP server web: it cannot be reached" in away["error"]


@pytest.mark.parametrize(
    ("result", "has_schema", "value"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, False, "a\nb"),
        ({"content": []}, False, ""),
        ({}, False, ""),
        ({"content": "odd"}, False, ""),
        ({"content": [{"type": "text", "text": "1"}], "structuredContent": {"n": 1}}, False, {"n": 1}),
        ({"structuredContent": {"n": 1}}, True, {"n": 1}),
        ({"structuredContent": {}}, True, {}),
        (
            {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}], "structuredContent": {"n": 1}},
            False,
            {"result": {"n": 1}, "content": [{"uri": "file:///a", "name": "a"}]},
        ),
        ({"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}]}, False, "inside"),
        ({"content": [{"type": "image", "data": "!!", "mimeType": "image/png"}]}, False, "a file that cannot be read"),
        (
            {"content": [{"type": "hologram"}, 7]},
            False,
            "a block of type 'hologram', which is not read\na block of type '', which is not read",
        ),
    ],
)
async def test_the_value_of_a_result(result: dict[str, Any], has_schema: bool, value: object) -> None:
    assert await read_result(result, has_schema=has_schema) == value


async def test_an_error_result_is_a_failure_with_its_text() -> None:
    with pytest.raises(ToolFailed, match="no such file"):
        await read_result({"isError": True, "content": [{"type": "text", "text": "no such file"}]}, has_schema=True)
    with pytest.raises(ToolFailed, match="does not say why"):
        await read_result({"isError": True}, has_schema=False)
