"""A type of one's own on the site: its pages, its list, its feed, and what search engines read, in each language."""

from __future__ import annotations

import json
import re
from typing import Any

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import START, World
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, UpdateEntry
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site import Site
from remit_cms.types.payloads import ChangeType, DefineType
from remit_cms.types.types import Types

EVENTS: dict[str, Any] = {
    "name": "Events",
    "fields": [
        {"key": "date", "type": "date", "required": True, "label": "When"},
        {"key": "place", "type": "text"},
        {"key": "price", "type": "number", "label": "Price"},
        {"key": "free", "type": "yesNo", "label": "Free"},
    ],
}
GERMAN: dict[str, Any] = {
    "typeId": "events",
    "localeCode": "de",
    "name": "Veranstaltungen",
    "changeFields": [{"key": "date", "label": "Wann"}],
}
CARDS = r'<time datetime="([^"]*)">([^<]*)</time></p>\s*<h2><a href="([^"]*)">'


async def define(world: World) -> None:
    types = Types(world.database)
    await types.define_type(world.call(), DefineType.model_validate(EVENTS))
    await types.change_type(world.call(), ChangeType.model_validate(GERMAN))


async def event(world: World, title: str, date: str, **fields: Any) -> str:
    content = {"date": date, **fields}
    payload = CreateEntry(collection_id="events", title=title, content=content)
    made = (await Collections(world.database).create_entry(world.call(), payload)).entry.id
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=made))
    return made


def open_site(world: World, days: float = 0) -> Site:
    return make_site(world, clock=lambda: START.timestamp() + days * 86_400)


async def test_a_list_shows_what_is_next_first_and_then_what_has_been(world: World) -> None:
    await publish(world, "Home")
    await define(world)
    for title, date in (("Fair", "2026-01-03T15:00"), ("Ball", "2026-01-01"), ("Walk", "2026-02-01")):
        await event(world, title, date)

    async def listed(days: float, path: str = "/events") -> list[str]:
        return [href for _, _, href in re.findall(CARDS, (await visit(open_site(world, days), path)).text)]

    assert await listed(0) == ["/events/ball", "/events/fair", "/events/walk"]
    assert await listed(1) == ["/events/fair", "/events/walk", "/events/ball"]
    assert await listed(60) == ["/events/walk", "/events/fair", "/events/ball"]


async def test_a_list_is_sorted_again_when_a_day_has_passed_and_nothing_was_published(world: World) -> None:
    await define(world)
    await event(world, "Ball", "2026-01-01")
    await event(world, "Walk", "2026-01-02")
    now = [START.timestamp()]
    site = make_site(world, clock=lambda: now[0])
    first = re.findall(CARDS, (await visit(site, "/events")).text)
    now[0] += 86_400
    second = re.findall(CARDS, (await visit(site, "/events")).text)
    assert [each[2] for each in (*first, *second)] == ["/events/ball", "/events/walk", "/events/walk", "/events/ball"]


async def test_list_and_page_are_in_the_words_of_each_language(world: World) -> None:
    await publish(world, "Home")
    await define(world)
    fair = await event(world, "Summer fair", "2026-06-14T15:00", place="Market square", price=4.5, free=False)
    update = UpdateEntry(entry_id=fair, title="Sommerfest", slug="sommerfest", locale_code="de")
    await Collections(world.database).update_entry(world.call(), update)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=fair))
    site = open_site(world)
    german = (await visit(site, "/de/events")).text
    assert "<h1>Veranstaltungen</h1>" in german
    assert re.findall(CARDS, german) == [("2026-06-14T15:00", "14. Juni 2026, 15:00", "/de/events/sommerfest")]
    page = (await visit(site, "/de/events/sommerfest")).text
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page) == [
        ("Wann", '<time datetime="2026-06-14T15:00">14. Juni 2026, 15:00</time>'),
        ("Place", "Market square"),
        ("Price", "4,5"),
        ("Free", "nein"),
    ]
    assert "<dt>When</dt>" in (await visit(site, "/events/summer-fair")).text


async def test_search_engines_read_an_entry_with_date_and_place_as_an_event(world: World) -> None:
    await define(world)
    await event(world, "Fair", "2026-06-14", place="Market square")
    await event(world, "Somewhere", "2026-06-15")

    async def kinds(path: str) -> dict[str, Any]:
        found = re.search(
            r'<script type="application/ld\+json">(.*?)</script>', (await visit(open_site(world), path)).text
        )
        return {each["@type"]: each for each in json.loads(found[1] if found else "{}")["@graph"]}

    event_data = (await kinds("/events/fair"))["Event"]
    assert (event_data["name"], event_data["startDate"]) == ("Fair", "2026-06-14")
    assert event_data["location"] == {"@type": "Place", "name": "Market square"}
    assert "Event" not in await kinds("/events/somewhere")


async def test_a_feed_says_when_and_where(world: World) -> None:
    await define(world)
    await event(world, "Fair", "2026-06-14", place="Market & square")
    (item,) = json.loads((await visit(open_site(world), "/de/events/feed.json")).text)["items"]
    assert item["content_html"] == "<p>Wann: 14. Juni 2026</p><p>Place: Market &amp; square</p>"
    assert "Veranstaltungen" in (await visit(open_site(world), "/de/events/feed.xml")).text


async def test_what_a_type_no_longer_shows_is_gone_for_visitors_at_once(world: World) -> None:
    await define(world)
    await event(world, "Fair", "2026-06-14", place="Market square", price=4)
    site = open_site(world)
    assert "Market square" in (await visit(site, "/events/fair")).text
    change = {"typeId": "events", "removeFields": ["place"], "changeFields": [{"key": "price", "label": "Entry fee"}]}
    await Types(world.database).change_type(world.call(), ChangeType.model_validate(change))
    page = (await visit(site, "/events/fair")).text
    assert ("Market square" in page, "<dt>Entry fee</dt>" in page) == (False, True)


async def test_a_single_document_has_the_address_of_its_type_and_no_list(world: World) -> None:
    fields = [{"key": "text", "type": "richText"}]
    given = {"name": "Opening hours", "kind": "single", "fields": fields}
    await Types(world.database).define_type(world.call(), DefineType.model_validate(given))
    entry = CreateEntry(collection_id="opening-hours", title="When we are open", content={"text": "Nine to six."})
    made = (await Collections(world.database).create_entry(world.call(), entry)).entry
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=made.id))
    site = open_site(world)
    assert "Nine to six." in (await visit(site, "/opening-hours")).text
    assert (await visit(site, "/opening-hours/feed.xml")).status == 404
    assert (await visit(site, "/sitemap.xml")).text.count("/opening-hours</loc>") == 1
