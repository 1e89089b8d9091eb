"""Where items and redirects lead: an address of the site means its page, in whichever way it is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import PREVIEW_KEY, World
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import TranslatePage
from remit_cms.redirects.payloads import AddRedirect

Lead = Callable[[Editor, str], Awaitable[str | None]]


async def link(editor: Editor, href: str) -> str | None:
    """The address to which an item leads."""
    navigation = Navigation(editor.world.database, PREVIEW_KEY.url)
    payload = AddNavigationItem(label="Us", href=href)
    return (await navigation.add_navigation_item(editor.call(), payload)).href


async def redirect(editor: Editor, href: str) -> str | None:
    """The address to which a redirect leads."""
    payload = AddRedirect(path="/old", href=href)
    return (await editor.world.redirects.add_redirect(editor.call(), payload)).href


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with the page About us, in two languages."""
    ann = Editor(world, "ann", "monday")
    await ann.create("About us")
    await ann.update("page_1", slug="about")
    german = TranslatePage(page_id="page_1", locale_code="de", title="Über uns", slug="ueber-uns")
    await world.pages.translate_page(ann.call(), german)
    return ann


@pytest.mark.parametrize(
    "href",
    [
        "page_1",
        "about",
        "/About/",
        "About us",
        "/pages/about?locale=en",
        "/en/about",
        "/EN/about",
        "https://bakery.example/about",
        "https://bakery.example:443/en/about",
    ],
)
async def test_a_page_has_one_address_in_however_many_ways_it_is_written(ann: Editor, href: str) -> None:
    for lead in (link, redirect):
        assert await lead(ann, href) == "/about"


@pytest.mark.parametrize(
    "href", ["/de/ueber-uns", "/DE/Ueber-uns", "about?locale=de", "https://bakery.example/de/ueber-uns"]
)
async def test_a_redirect_keeps_the_language_of_an_address_and_an_item_follows_its_reader(
    ann: Editor, href: str
) -> None:
    assert (await link(ann, href), await redirect(ann, href)) == ("/about", "/de/ueber-uns")


async def test_what_is_no_page_of_the_site_is_no_address_on_another_server(ann: Editor) -> None:
    for lead in (link, redirect):
        with pytest.raises(NotFoundError, match="There is no page or entry '/old-menu'"):
            await lead(ann, "https://bakery.example/old-menu")
        with pytest.raises(InvalidArgumentsError, match="home page of this site"):
            await lead(ann, "https://bakery.example/")


async def test_people_are_told_of_a_page_that_is_not_live(ann: Editor) -> None:
    navigation = Navigation(ann.world.database)
    added = await navigation.add_navigation_item(ann.call(), AddNavigationItem(label="Us", href="about"))
    assert added.remarks == ["its page is not live, so visitors do not get there yet"]
