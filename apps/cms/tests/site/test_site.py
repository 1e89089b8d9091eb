"""The site as visitors see it: live pages and no others, moved addresses, images, and nothing that runs scripts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from apps.cms.tests.images.files import open_picture, picture_file
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.statements import watch_statements
from apps.cms.tests.world import ELSEWHERE, HOME, World
from remit.errors import ExternalError
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.sections.payloads import UpdateSectionContent
from remit_cms.site import Site

HERO: Any = ("hero", {"heading": "We bake bread"})


async def test_visitors_see_the_live_revision_and_not_the_draft(world: World) -> None:
    page, site = await publish(world, "About", HERO), make_site(world)
    payload = UpdateSectionContent(page_section_id=page.sections[0].id, content={"heading": "We bake cake"})
    await world.sections.update_section_content(world.call(), payload)
    found = await visit(site, "/about")
    assert (found.status, "We bake bread" in found.text, "cake" in found.text) == (200, True, False)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    assert "We bake cake" in (await visit(site, "/about")).text
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    assert (await visit(site, "/about")).status == 404


async def test_what_is_not_live_here_looks_like_what_is_not_there(world: World) -> None:
    await world.page("Draft", HERO)
    await publish(world, "Theirs", tenant="other")
    site = make_site(world)
    replies = [
        await visit(site, path) for path in ("/draft", "/theirs", "/nothing", "/a/b", "/images/x/1.png", "/preview/x")
    ]
    assert {reply.status for reply in replies} == {404}
    assert len({reply.body for reply in replies}) == 1
    assert "Page not found" in replies[0].text
    assert replies[0].headers["x-robots-tag"] == "noindex"
    german = (await visit(site, "/de/nothing")).text
    assert "Seite nicht gefunden" in german
    assert re.search(r'<a href="/de"[^>]*>Zur Startseite</a>', german)
    languages = german.partition('<nav aria-label="Sprachen">')[2]
    assert re.findall(r'<a href="(.*?)".*?>(.*?)</a>', languages) == [("/", "English"), ("/de", "Deutsch")]
    assert "hreflang" not in german.partition("<body>")[0]
    assert (await visit(make_site(world, ELSEWHERE), "/theirs")).status == 200


@pytest.mark.parametrize(
    "path", ["/" + "a" * 3000, "/a\0b", "/..%2f", "/../etc/passwd", "//evil.example", "/%", "/de/"]
)
async def test_odd_addresses_are_answered_like_others(world: World, path: str) -> None:
    assert (await visit(make_site(world), path)).status in (301, 404)


async def test_an_old_address_leads_to_the_page_in_one_step(world: World) -> None:
    page, site = await publish(world, "About", HERO), make_site(world)
    for slug in ("us", "we"):
        await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug=slug))
        await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    for old in ("/about", "/us"):
        moved = await visit(site, old)
        assert (moved.status, moved.headers["location"]) == (301, "/we")
    moved = await visit(site, "/de/about")
    assert moved.headers["location"] == "/de/we"
    assert (await visit(site, "/we/")).headers["location"] == "/we"
    assert (await visit(site, "/en/we")).headers["location"] == "/we"


async def test_a_page_is_shown_in_its_languages_and_names_the_others(world: World) -> None:
    page, site = await world.page("About", HERO), make_site(world)
    payload = UpdateSectionContent(
        page_section_id=page.sections[0].id, content={"heading": "Wir backen"}, locale_code="de"
    )
    await world.sections.update_section_content(world.call(), payload)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    german = await visit(site, "/de/about")
    assert ('<html lang="de">' in german.text, "<h1>Wir backen</h1>" in german.text) == (True, True)
    assert '<link rel="alternate" hreflang="en" href="https://bakery.example/about">' in german.text
    assert '<link rel="alternate" hreflang="x-default" href="https://bakery.example/about">' in german.text
    assert '<link rel="canonical" href="https://bakery.example/de/about">' in german.text
    assert '<a href="/about" lang="en" hreflang="en">English</a>' in german.text


async def test_a_page_that_is_not_translated_poses_as_no_translation(world: World) -> None:
    await publish(world, "About", HERO)
    site = make_site(world)
    german = (await visit(site, "/de/about")).text
    assert ('<html lang="de">' in german, '<main id="content" lang="en">' in german) == (True, True)
    assert '<link rel="canonical" href="https://bakery.example/about">' in german
    assert "alternate" not in german.partition("<body>")[0].replace("application/atom+xml", "").replace(
        '<link rel="alternate" hreflang="en"', ""
    )
    assert '<a href="/about" lang="en" hreflang="en">English</a>' in german


async def test_a_page_has_what_others_show_of_a_link_to_it(world: World) -> None:
    image = await world.image("A loaf of rye", name="loaf.png")
    await publish(world, "About", ("hero", {"heading": "We bake <bread>", "image": {"imageId": image.id}}))
    head = (await visit(make_site(world), "/about")).text.partition("<body>")[0]
    told = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', head))
    assert told.pop("image").startswith("https://bakery.example/images/")
    assert told == {
        "site_name": "Local site",
        "type": "website",
        "title": "About",
        "url": "https://bakery.example/about",
        "locale": "en",
        "image:alt": "A loaf of rye",
    }
    assert re.search(r'<link rel="icon" href="data:image/svg\+xml,[^"<>]+">', head)


async def test_the_first_page_is_home_or_else_the_oldest(world: World) -> None:
    site = make_site(world)
    assert (await visit(site, "/")).status == 404
    await publish(world, "About", HERO)
    assert "We bake bread" in (await visit(site, "/")).text
    await publish(world, "Home", ("hero", {"heading": "Welcome"}))
    first = await visit(site, "/")
    assert "Welcome" in first.text
    assert '<link rel="canonical" href="https://bakery.example/">' in first.text
    moved = await visit(site, "/home")
    assert (moved.status, moved.headers["location"]) == (301, "/")


async def test_the_menu_is_the_live_navigation_without_pages_that_are_not_live(world: World) -> None:
    await publish(world, "About", HERO)
    await world.page("Draft")
    site = make_site(world)
    assert ">About</a>" in (await visit(site, "/about")).text  # the live pages, while there is no navigation
    navigation = Navigation(world.database)
    call = world.call(conversation="c")
    for label, href in (("Who we are", "about"), ("Soon", "draft"), ("Shop", "https://shop.example.com/")):
        item = AddNavigationItem(label=label, href=href, location="header")
        await navigation.add_navigation_item(world.call(conversation="c"), item)
    assert "Who we are" not in (await visit(site, "/about")).text
    await ChangeSets(world.database).publish_change_set(call, PublishChangeSet())
    menu = re.search(r'<nav aria-label="Main">(.*?)</nav>', (await visit(site, "/about")).text, re.DOTALL)
    assert menu is not None
    assert re.findall(r'href="(.*?)".*?>(.*?)</a>', menu[1]) == [
        ("/about", "Who we are"),
        ("https://shop.example.com/", "Shop"),
    ]
    assert 'aria-current="page"' in menu[1]


async def test_images_are_served_in_the_sizes_that_pages_name_and_kept_for_ever(world: World) -> None:
    image = await world.image(content=picture_file("JPEG", (700, 350)))
    await publish(world, "About", ("hero", {"heading": "x", "image": {"imageId": image.id}}))
    site = make_site(world)
    page = (await visit(site, "/about")).text
    assert 'alt="A loaf" width="700" height="350"' in page
    assert '<source type="image/avif" srcset="/images/' in page
    addresses = {*re.findall(r"/images/[0-9a-f]+/\d+\.\w+", page)}
    assert len(addresses) == 4
    for address in addresses:
        served = await visit(site, address)
        width = int(re.findall(r"/(\d+)\.", address)[0])
        assert open_picture(served.body).size == (width, width // 2)
        assert served.headers["cache-control"] == "public, max-age=31536000, immutable"
        again = await visit(site, address, if_none_match=served.headers["etag"])
        assert (again.status, again.body) == (304, b"")
    elsewhere = make_site(world, ELSEWHERE)
    assert {(await visit(elsewhere, address)).status for address in addresses} == {404}
    assert (await visit(site, addresses.pop().replace("640", "641").replace("320", "321"))).status == 404


async def test_responses_are_safe_to_show_and_cheap_to_ask_for_again(world: World) -> None:
    await publish(world, "About", HERO)
    site = make_site(world)
    found = await visit(site, "/about")
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["cache-control"] == "public, max-age=0, must-revalidate"
    again = await visit(site, "/about", if_none_match=found.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    head = await visit(site, "/about", "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(found.body)))
    assert (await visit(site, "/about", "POST")).status == 405


async def test_pages_are_kept_until_the_next_look(world: World) -> None:
    page, site = await publish(world, "About", HERO), make_site(world, look_every=1000.0)
    first = await visit(site, "/about")
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    assert (await visit(site, "/about")).body == first.body


async def test_requests_that_come_at_once_share_a_look_that_began_after_them(world: World) -> None:
    page, site = await publish(world, "About", HERO), Site(world.database, world.rendering, world.renditions, HOME)
    before = await asyncio.gather(*(visit(site, "/about") for _ in range(8)))
    with watch_statements() as statements:
        again = await asyncio.gather(*(visit(site, "/about") for _ in range(8)))
    assert {reply.status for reply in (*before, *again)} == {200}
    assert len([each for each in statements if "environments.version" in each]) == 2
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    assert {reply.status for reply in await asyncio.gather(*(visit(site, "/about") for _ in range(8)))} == {404}


async def test_a_look_that_fails_shows_nothing_that_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    page, site = await publish(world, "About", HERO), make_site(world)
    assert (await visit(site, "/about")).status == 200
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))

    @asynccontextmanager
    async def fail() -> AsyncGenerator[AsyncSession]:
        await asyncio.sleep(0)
        raise ExternalError("the disk is away")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(world.database, "read", fail)
        failed = await asyncio.gather(*(visit(site, "/about") for _ in range(3)), return_exceptions=True)
    assert [str(each) for each in failed] == ["the disk is away"] * 3
    assert (await visit(site, "/about")).status == 404


async def test_a_slow_request_does_not_bring_back_a_page_that_was_hidden_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, site = await publish(world, "About", HERO), make_site(world)
    read, has_read, may_end, reads = world.database.read, asyncio.Event(), asyncio.Event(), [0]

    @asynccontextmanager
    async def read_slowly() -> AsyncGenerator[AsyncSession]:
        async with read() as session:
            yield session
        if asyncio.current_task() is slow:
            reads[0] += 1
            if reads[0] == 2:  # the first one looks whether anything was published
                has_read.set()
                await may_end.wait()

    monkeypatch.setattr(world.database, "read", read_slowly)
    slow = asyncio.create_task(visit(site, "/about"))
    await has_read.wait()
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    assert (await visit(site, "/other")).status == 404  # sees that something was published
    may_end.set()
    assert (await slow).status == 200
    assert (await visit(site, "/about")).status == 404


@pytest.mark.parametrize(
    ("given", "status"),
    [("{}", 304), ("*", 304), ('"x", W/{}', 304), ('"x"', 200), ('"{}"', 200), ("x{}", 200), ("", 200)],
)
async def test_who_has_a_response_is_not_sent_it_again(world: World, given: str, status: int) -> None:
    await publish(world, "About", HERO)
    site = make_site(world)
    tag = (await visit(site, "/about")).headers["etag"]
    assert (await visit(site, "/about", if_none_match=given.replace("{}", tag))).status == status
    assert (await visit(site, "/nothing", if_none_match="*")).status == 404


async def test_search_engines_are_told_of_pages_that_they_may_list(world: World) -> None:
    await publish(world, "About & us", HERO)
    page = await world.page("Hidden")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, indexing=False))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    await world.page("Draft")
    site = make_site(world)
    sitemap = (await visit(site, "/sitemap.xml")).text
    assert re.findall(r"<loc>(.*?)</loc>", sitemap) == ["https://bakery.example/about-us"]
    assert sitemap.count("<lastmod>2026-01-01</lastmod>") == 1
    assert "Sitemap: https://bakery.example/sitemap.xml" in (await visit(site, "/robots.txt")).text
    assert '<meta name="robots" content="noindex">' in (await visit(site, "/hidden")).text
    assert '<meta name="robots"' not in (await visit(site, "/about-us")).text


async def test_a_server_starts_and_ends_it(world: World) -> None:
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[str] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await make_site(world)({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
