"""Redirects of the owner, for visitors: after pages, before those that the CMS made, and only once they are live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import KEY, Reply, make_site, publish, visit
from apps.cms.tests.world import ELSEWHERE, HOME, PREVIEW_KEY, World
from remit_cms.pages.payloads import TranslatePage
from remit_cms.redirects.payloads import AddRedirect, RemoveRedirect, UpdateRedirect
from remit_cms.site.payloads import CreatePreviewLink, ExportSite
from remit_cms.storage.tables import Kind, Page, PageSection, SectionContent
from remit_cms.viewing.previewing import Previews


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


async def add(editor: Editor, path: str, href: str, **more: Any) -> None:
    await editor.world.redirects.add_redirect(editor.call(), AddRedirect(path=path, href=href, **more))


def _goes(reply: Reply) -> tuple[int, str | None]:
    return reply.status, reply.headers.get("location")


async def test_a_published_redirect_leads_visitors_to_its_page_or_to_another_server(ann: Editor, world: World) -> None:
    await publish(world, "Menu")
    german = TranslatePage(page_id="page_1", locale_code="de", title="Karte", slug="karte")
    await world.pages.translate_page(world.call(), german)
    await ann.publish_page("page_1")
    await add(ann, "/old-menu", "menu")
    await add(ann, "/de/alt", "menu")
    await add(ann, "/speisen", "menu", locale_code="de")
    await add(ann, "/shop.php", "https://shop.example.com/ä?a=1&b=%20#c")
    site = make_site(world)
    assert _goes(await visit(site, "/old-menu")) == (404, None)
    await ann.publish()
    for path, new in (
        ("/old-menu", "/menu"),
        ("/Old-Menu/", "/menu"),
        ("/en/old-menu", "/menu"),
        ("/EN/old-menu", "/menu"),
        ("/de/alt", "/de/karte"),
        ("/DE/Alt", "/de/karte"),
        ("/DE/karte", "/de/karte"),
        ("/speisen", "/de/karte"),
        ("/shop.php", "https://shop.example.com/%C3%A4?a=1&b=%20#c"),
    ):
        assert _goes(await visit(site, path)) == (301, new), path
    assert _goes(await visit(site, "/de/old-menu")) == (404, None)
    assert "old-menu" not in (await visit(site, "/sitemap.xml")).text
    changed = UpdateRedirect(path="redirect_1", new_href="https://example.com/")
    await world.redirects.update_redirect(ann.call(), changed)
    assert _goes(await visit(site, "/old-menu")) == (301, "/menu")
    await ann.publish()
    assert _goes(await visit(site, "/old-menu")) == (301, "https://example.com/")
    await world.redirects.remove_redirect(ann.call(), RemoveRedirect(path="redirect_1"))
    await ann.publish()
    assert _goes(await visit(site, "/old-menu")) == (404, None)


async def test_a_page_comes_before_a_redirect_and_that_before_one_that_the_cms_made(ann: Editor, world: World) -> None:
    for title in ("Menu", "About"):
        await publish(world, title)
    await ann.update("page_1", slug="food")
    await ann.publish_page("page_1")
    site = make_site(world)
    assert _goes(await visit(site, "/menu")) == (301, "/food")
    await add(ann, "/menu", "about")
    await ann.publish()
    assert _goes(await visit(site, "/menu")) == (301, "/about")
    await ann.unpublish_page("about")
    assert _goes(await visit(site, "/menu")) == (301, "/food")
    await ann.publish_page("about")
    await publish(world, "Menu")
    assert _goes(await visit(site, "/menu")) == (200, None)
    await ann.unpublish_page("page_3")
    assert _goes(await visit(site, "/menu")) == (301, "/about")
    await ann.delete("page_2")
    assert _goes(await visit(site, "/menu")) == (404, None)


async def test_a_redirect_to_the_home_page_leads_to_its_one_address(ann: Editor, world: World) -> None:
    await publish(world, "Home")
    await add(ann, "/start-here", "home")
    await ann.publish()
    assert _goes(await visit(make_site(world), "/start-here")) == (301, "/")


async def test_a_redirect_to_the_site_itself_that_was_written_elsewhere_is_not_followed(
    ann: Editor, world: World
) -> None:
    await publish(world, "Home")
    await add(ann, "/loop", "https://other.example./loop")
    await ann.publish()
    assert _goes(await visit(make_site(world), "/loop")) == (301, "https://other.example./loop")
    assert _goes(await visit(make_site(world, url="https://other.example"), "/loop")) == (404, None)


async def test_a_preview_of_a_change_set_follows_its_redirects_and_visitors_do_not(ann: Editor, world: World) -> None:
    await publish(world, "Home")
    await ann.create("Menu")
    await add(ann, "/old-menu", "menu")
    await add(ann, "/shop", "https://shop.example.com/")
    for chosen in (CreatePreviewLink(), CreatePreviewLink(page_id="Redirects")):
        link = await Previews(world.database, PREVIEW_KEY).create_preview_link(ann.call(), chosen)
        token = link.url.split("/")[4]
        site = make_site(world, preview_key=KEY, clock=lambda: world.database.clock().timestamp())
        found = await visit(site, f"/preview/{token}/shop")
        assert _goes(found) == (301, "https://shop.example.com/")
        assert found.headers["cache-control"] == "private, no-store"
        menu = f"/preview/{token}/menu" if chosen.page_id is None else None
        assert (await visit(site, f"/preview/{token}/old-menu")).headers.get("location") == menu
        assert _goes(await visit(site, "/shop")) == (404, None)


async def test_an_exported_site_has_a_file_for_each_redirect(ann: Editor, world: World, tmp_path: Path) -> None:
    for title in ("Home", "Menu", "Food"):
        await publish(world, title)
    await ann.update("page_2", slug="card")
    await ann.publish_page("page_2")
    await add(ann, "/menu", "food")
    await add(ann, "/de/alt/karte.html", "food")
    await add(ann, "/shop", "https://shop.example.com/?a=1&b=\"'<")
    await ann.publish()
    folder = Path((await world.exports.export_site(ann.call(), ExportSite())).path)
    for name, new in (
        ("menu", "/food"),
        ("de/menu", "/de/card"),
        ("de/alt/karte.html", "/de/food"),
        ("shop", "https://shop.example.com/?a=1&amp;b=&quot;&#x27;&lt;"),
    ):
        assert f'content="0; url={new}"' in (folder / name / "index.html").read_text(), name
    assert "old" not in (folder / "sitemap.xml").read_text()


async def test_another_site_does_not_know_a_redirect(ann: Editor, world: World) -> None:
    await publish(world, "Menu")
    await publish(world, "Menu", tenant="other")
    await add(ann, "/old-menu", "menu")
    await ann.publish()
    assert _goes(await visit(make_site(world, ELSEWHERE), "/old-menu")) == (404, None)
    assert _goes(await visit(make_site(world, HOME), "/old-menu")) == (301, "/menu")


async def test_a_row_that_names_a_page_of_another_site_leads_nowhere(ann: Editor, world: World) -> None:
    await publish(world, "Secret", tenant="other")
    await publish(world, "Menu")
    await add(ann, "/old", "menu")
    async with world.database.write() as session:
        row = await session.get_one(SectionContent, ("redirect_1", "en"))
        row.content = {"path": "/old", "target": {"page": "page_1"}}
        kinds = {page.id: page.kind for page in [await session.get_one(Page, "page_1")]}
        assert kinds == {"page_1": Kind.PAGE}
        assert (await session.get_one(PageSection, "redirect_1")).page == "redirects_1"
    await add(ann, "/other", "menu")
    await ann.publish()
    assert _goes(await visit(make_site(world), "/old")) == (404, None)
