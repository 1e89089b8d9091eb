"""Files and objects as resources: listed, linked from results, read, and refused."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from remit import App, Effect, Principal, Runtime, tool
from remit.artifacts import Artifact, RunArtifacts
from remit.mcp.server import McpServer, Sender
from remit.mcp.settings import McpSettings
from remit.mcp.wire import ProtocolError
from remit.object_views import ObjectDetail, ObjectRow, ObjectSection, ObjectView, Viewer
from remit.record.question import Change
from remit.tools import entity
from tests.mcp.kit import ADA, GRACE, SESSION, ask


@entity("page", name="title")
class Page(BaseModel):
    """A page with its picture."""

    id: str
    title: str
    picture: Artifact


@tool(effect=Effect.IDEMPOTENT)
async def draw(text: str) -> Page:
    """Draw a page."""
    picture = await RunArtifacts().add(text.encode(), name="a.png", media_type="image/png")
    return Page(id="a/b", title="About", picture=picture)


async def _list(_viewer: Viewer, _search: str, _limit: int) -> Sequence[ObjectRow]:
    return [ObjectRow(id="a/b", name="About", note="a draft")]


async def _open(viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - the port names it
    if id != "a/b" or viewer.principal.name != "ada":
        return None
    section = ObjectSection(title="Times", text="We are open.", columns=("Day", "Hours"), rows=(("Monday", "8|18"),))
    changes = (Change(where="title", before="", after="About"),)
    return ObjectDetail(name="About", note="a draft", sections=(section,), changes=changes)


def _server() -> McpServer:
    view = ObjectView(kind="page", title="Pages", open=_open, list=_list)
    runtime = Runtime(App(name="site", tools=[draw], views=[view]))
    runtime.add_principals(ADA, GRACE)
    return McpServer(runtime, McpSettings())


async def _ask(server: McpServer, method: str, by: Principal = ADA, **params: Any) -> Any:
    return await ask(server, Sender(client=server.runtime.client(by), peer=SESSION), method, params)


async def _read(server: McpServer, uri: str, by: Principal = ADA) -> Any:
    (content,) = (await _ask(server, "resources/read", by, uri=uri))["contents"]
    assert content["uri"] == uri
    return content


async def test_objects_are_listed_and_read_as_their_views_show_them() -> None:
    server = _server()
    (listed,) = (await _ask(server, "resources/list"))["resources"]
    assert (listed["name"], listed["description"]) == ("About", "Pages, a draft")
    read = await _read(server, listed["uri"])
    assert read["text"].splitlines() == [
        *("# About", "", "a draft", "", "## Times", "", "We are open.", ""),
        *("| Day | Hours |", "| --- | --- |", "| Monday | 8\\|18 |", "", "## What changes", ""),
        "- title: (nothing) → About",
    ]


async def test_a_result_links_to_its_objects_and_files() -> None:
    server = _server()
    result = await _ask(server, "tools/call", name="draw", arguments={"text": "ink"})
    _, file, page = result["content"]
    assert (file["type"], file["name"], file["mimeType"], file["size"]) == ("resource_link", "a.png", "image/png", 3)
    assert (page["name"], (await _read(server, page["uri"]))["mimeType"]) == ("About", "text/markdown")
    content = await _read(server, file["uri"])
    assert (b64decode(content["blob"]), content["mimeType"]) == (b"ink", "image/png")
    for uri in (file["uri"], page["uri"]):
        with pytest.raises(ProtocolError, match="no such resource") as refused:
            await _read(server, uri, GRACE)
        assert (refused.value.code, refused.value.data) == (-32602, {"uri": uri})


@pytest.mark.parametrize(
    "uri",
    [
        "remit://objects/page/b",
        "remit://objects/post/a",
        "remit://objects/page",
        "remit://files/sha256:0?size=1",
        f"remit://files/sha256:{'0' * 64}?size=x",
        f"remit://files/sha256:{'0' * 64}?size=3&type=text/plain",
        "file:///etc/passwd",
        "http://[",
        "",
        "remit://objects/page/" + "a" * 5000,
    ],
)
async def test_an_address_without_a_resource_is_refused(uri: str) -> None:
    with pytest.raises(ProtocolError, match="no such resource"):
        await _read(_server(), uri)


async def test_the_templates_say_how_addresses_are_made() -> None:
    listed = (await _ask(_server(), "resources/templates/list"))["resourceTemplates"]
    assert [each["uriTemplate"] for each in listed] == [
        "remit://objects/{kind}/{id}",
        "remit://files/{digest}{?size,type,name}",
    ]
