"""Requests of the read API: what is not sent again, who may read it, and what hostile ones get."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from typing import Any

import httpx
import pytest
import uvicorn

from apps.cms.tests.site.test_api import ask
from apps.cms.tests.site.test_feeds import publish_post
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World
from remit.errors import SetupError
from remit_cms.pages.payloads import UpdatePage
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site.cors import Cors

HERO: Any = ("hero", {"heading": "We bake bread"})


async def test_an_answer_is_not_sent_again_to_those_who_have_it(world: World) -> None:
    page = await publish(world, "About", HERO)
    site = make_site(world)
    first = await visit(site, "/api/pages?content=true")
    again = await visit(site, "/api/pages?content=true", if_none_match=first.headers["etag"])
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert first.headers["x-robots-tag"] == "noindex"
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Us"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    new = await visit(site, "/api/pages?content=true", if_none_match=first.headers["etag"])
    assert (new.status, json.loads(new.body)["items"][0]["title"]) == (200, "Us")
    head = await visit(site, "/api/pages", "HEAD")
    assert (head.status, head.body) == (200, b"")
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert (await visit(site, "/api/pages", method)).status == 405


@pytest.mark.parametrize(
    ("origins", "origin", "allowed"),
    [
        ((), "https://app.example", None),
        (("*",), "https://app.example", "*"),
        (("https://app.example",), "https://app.example", "https://app.example"),
        (("https://app.example",), "https://evil.example", None),
        (("https://app.example",), "null", None),
    ],
)
async def test_scripts_of_the_named_origins_may_read_the_api(
    world: World, origins: tuple[str, ...], origin: str, allowed: str | None
) -> None:
    await publish(world, "About", HERO)
    site = make_site(world, cors=Cors(origins))
    reply = await visit(site, "/api/pages", origin=origin)
    assert reply.headers.get("access-control-allow-origin") == allowed
    assert "access-control-allow-credentials" not in reply.headers
    assert ("origin" in reply.headers.get("vary", "")) == (bool(origins) and "*" not in origins)
    asked = await visit(site, "/api/pages", "OPTIONS", origin=origin, access_control_request_headers="if-none-match")
    assert (asked.status, asked.headers.get("access-control-allow-headers")) == (
        204 if origins else 405,
        "if-none-match" if allowed else None,
    )
    assert "access-control-allow-origin" not in (await visit(site, "/about", origin=origin)).headers


@pytest.mark.parametrize(
    "origin", ["app.example", "https://app.example/", "ftp://a.example", "https://A.example", "", "https://a@b.example"]
)
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(SetupError, match="is no origin"):
        Cors((origin,))


HOSTILE = (
    "limit=0",
    "limit=101",
    "limit=1e9",
    "limit=-1",
    "limit=%D9%A1",
    "limit=1&limit=2",
    "locale=",
    "locale=en-%00",
    "locale=" + "x" * 500,
    "cursor=" + "A" * 1900,
    "content=1",
    "content=TRUE",
    "x=1",
    "__proto__=1",
    "&",
    "=",
    "a",
    "locale=%ff",
    "locale=%ed%a0%80",
    "limit=%31%30%31",
    "locale[]=en",
    ";",
    "limit=5;locale=de",
    "a=" * 500,
    "locale=%22%27%3Cscript%3E",
    "x" * 5000,
    "locale=%0d%0aset-cookie:a",
)


@pytest.mark.parametrize("query", HOSTILE)
async def test_a_hostile_query_is_refused_in_one_line(world: World, query: str) -> None:
    await publish(world, "About", HERO)
    refused = await ask(make_site(world), f"/api/pages?{query}", 400)
    assert set(refused) == {"error", "errorCode"}
    assert "\n" not in refused["error"]
    assert len(refused["error"]) < 300


async def test_no_address_or_query_breaks_the_api_or_shows_a_draft(world: World) -> None:
    page = await publish(world, "About", HERO)
    await publish_post(world, "We bake", body="Daily.")
    await world.page("Draft", ("hero", {"heading": "Secret"}))
    site, chance = make_site(world), random.Random(18)  # noqa: S311 - the same in every run
    parts = [
        "pages",
        "entries",
        "posts",
        page.id,
        "..",
        "%2e%2e",
        "",
        "draft",
        "_settings",
        "\u202e",
        "\0",
        "x" * 300,
        "{id}",
        "openapi.json",
    ]
    names = ["locale", "limit", "cursor", "content", "path", "", "\u00e9", "Locale"]
    values = [
        "en",
        "de",
        "1",
        "true",
        "/draft",
        "/about",
        "//evil.example",
        "/de/about",
        "%",
        "%zz",
        "'--",
        "\U0001f35e",
        "9" * 40,
    ]
    for _ in range(300):
        path = "/api/" + "/".join(chance.choices(parts, k=chance.randint(0, 4)))
        query = "&".join(f"{chance.choice(names)}={chance.choice(values)}" for _ in range(chance.randint(0, 4)))
        reply = await visit(site, f"{path}?{query}", if_none_match=chance.choice(["", "*x", '"', "W/" * 50]))
        assert reply.status in (200, 400, 404), (path, query)
        assert "Secret" not in json.dumps(json.loads(reply.body)), (path, query)


@pytest.mark.process
async def test_a_real_server_answers_over_http(world: World) -> None:
    page = await publish(world, "About", HERO)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        site = make_site(world, url=url, cors=Cors(("*",)))
        server = uvicorn.Server(uvicorn.Config(site, log_level="warning", access_log=False))
        serving = asyncio.create_task(server.serve([listener]))
        try:
            async with httpx.AsyncClient(base_url=url, timeout=60) as client:
                found = await client.get("/api/pages", params={"content": "true", "limit": 5})
                assert (found.status_code, found.json()["items"][0]["id"]) == (200, page.id)
                assert found.headers["access-control-allow-origin"] == "*"
                again = await client.get(
                    "/api/pages?content=true&limit=5", headers={"if-none-match": found.headers["etag"]}
                )
                assert (again.status_code, again.content) == (304, b"")
                index = (await client.get("/api")).json()
                assert {(await client.get(link)).status_code for link in index["links"].values()} == {200}
                strange = [
                    await client.get(path)
                    for path in (
                        "/api/pages/%00",
                        "/api/pages?limit=%ff",
                        "/api//pages",
                        "/api/pages/%ed%a0%80",
                        "/api/..%2fpages",
                    )
                ]
                assert [reply.status_code for reply in strange] == [404, 400, 404, 404, 404]
                asked = await client.options("/api/pages", headers={"origin": "https://a.example"})
                assert (asked.status_code, asked.content) == (204, b"")
        finally:
            server.should_exit = True
            await serving
