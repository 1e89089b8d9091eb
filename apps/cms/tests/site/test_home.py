"""The home page: which page the settings make it, its one address, and that visitors never lose it."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from pathlib import Path

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import HOME, World
from remit.errors import ConflictError, NotFoundError
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CreatePage, DeletePage, UpdatePage
from remit_cms.publishing.payloads import PublishPage, RevertChangeSet, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.scheduling.payloads import ExpirePage
from remit_cms.settings.payloads import SettingsChange, UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.settings.values import SiteSettings, load_settings
from remit_cms.site.payloads import ExportSite
from remit_cms.storage.transactions import open_view


@pytest.fixture
def pat(world: World) -> Editor:
    """A person, whose edits are in no change set."""
    return Editor(world, "pat")


async def choose(editor: Editor, page: str) -> SettingsChange:
    """Make a page the home page, in the draft of the settings."""
    settings = Settings(editor.world.database)
    return await settings.update_site_settings(editor.call(), UpdateSiteSettings(home_page=page))


async def read(editor: Editor) -> SiteSettings:
    """The settings in the draft."""
    async with open_view(editor.world.database, HOME) as scope:
        return await load_settings(scope, live=False)


async def choose_live(editor: Editor, page: str) -> None:
    """Make a live page the home page for visitors."""
    await choose(editor, page)
    await editor.publishing.publish_page(editor.call(), PublishPage(page_id="Site settings"))


async def test_visitors_see_the_home_page_of_the_settings_at_its_one_address(pat: Editor, world: World) -> None:
    await publish(world, "Home", ("hero", {"heading": "The page called home"}))
    page = await publish(world, "About", ("hero", {"heading": "We bake bread"}))
    await pat.write(page.sections[0].id, "de", subheading="Brot")
    await pat.publishing.publish_page(pat.call(), PublishPage(page_id=page.id))
    await publish(world, "Linking", ("text", {"content": "[us](/about)"}))
    site = make_site(world)
    await choose(pat, "About")
    assert "The page called home" in (await visit(site, "/")).text
    await pat.publishing.publish_page(pat.call(), PublishPage(page_id="Site settings"))
    for path, here, other in (("/", "/", "/de"), ("/de", "/de", "/")):
        shown = (await visit(site, path)).text
        assert "We bake bread" in shown
        assert f'<link rel="canonical" href="https://bakery.example{here}">' in shown
        assert f'href="https://bakery.example{other}">' in shown
    for path, home in (("/about", "/"), ("/de/about", "/de"), ("/en", "/")):
        moved = await visit(site, path)
        assert (moved.status, moved.headers["location"]) == (301, home)
    assert "The page called home" in (await visit(site, "/home")).text
    assert '<a href="/" rel="noopener noreferrer">us</a>' in (await visit(site, "/linking")).text
    listed = re.findall("<loc>https://bakery.example(.*?)</loc>", (await visit(site, "/sitemap.xml")).text)
    assert listed == ["/home", "/", "/de", "/linking"]
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="us"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    assert (await visit(site, "/about")).headers["location"] == "/"


async def test_the_navigation_leads_to_the_address_of_the_home_page(pat: Editor, world: World) -> None:
    await publish(world, "About")
    await choose_live(pat, "about")
    item = AddNavigationItem(label="Welcome", href="about", location="header")
    await Navigation(world.database).add_navigation_item(pat.call(), item)
    await pat.publishing.publish_page(pat.call(), PublishPage(page_id="Navigation"))
    assert '<a href="/" aria-current="page">Welcome' in (await visit(make_site(world), "/")).text


async def test_an_export_has_the_home_page_once_and_leads_to_it_from_its_own_address(pat: Editor, world: World) -> None:
    await publish(world, "About", ("hero", {"heading": "We bake bread"}))
    await choose_live(pat, "about")
    folder = Path((await world.exports.export_site(world.call(), ExportSite())).path)
    assert "We bake bread" in (folder / "index.html").read_text()
    for path, home in (("about", "/"), ("de/about", "/de")):
        assert f'content="0; url={home}"' in (folder / path / "index.html").read_text()


async def test_a_home_page_is_named_like_other_pages_and_an_empty_value_removes_it(pat: Editor, world: World) -> None:
    page = await world.page("About")
    await choose(pat, "/about")
    assert (await read(pat)).home_page == {"page": page.id}
    again = Settings(world.database).update_site_settings(
        pat.call(), UpdateSiteSettings.model_validate({"settings": {"frontPage": {"page": page.id}}})
    )
    assert (await again).message == "The settings are like that already"
    with pytest.raises(NotFoundError, match=r"There is no page 'abuot'\. Did you mean 'About' "):
        await choose(pat, "abuot")
    with pytest.raises(NotFoundError):
        await choose(pat, "Site settings")
    await choose(pat, "")
    assert (await read(pat)).home_page is None


async def refuse(work: Awaitable[object], message: str) -> None:
    with pytest.raises(ConflictError, match=message):
        await work


async def test_the_home_page_is_neither_hidden_nor_deleted(pat: Editor, world: World) -> None:
    page = await publish(world, "About")
    await choose_live(pat, "about")
    message = "'About' is the home page, which visitors see at '/'"
    hide, delete = UnpublishPage(page_id=page.id), DeletePage(page_id=page.id, confirmed=True)
    await refuse(pat.publishing.preview_unpublication(pat.call(), hide), message)
    await refuse(pat.publishing.unpublish_page(pat.call(), hide), message)
    await refuse(world.pages.preview_deletion(pat.call(), delete), message)
    await refuse(world.pages.delete_page(pat.call(), delete), message)
    later = ExpirePage(page_id=page.id, at="2126-01-01T09:00")
    await refuse(world.scheduling.preview_expiry(pat.call(), later), message)
    await refuse(world.scheduling.expire_page(pat.call(), later), message)
    await publish(world, "Other")
    await choose_live(pat, "other")
    await world.pages.delete_page(pat.call(), delete)


async def test_settings_whose_home_page_is_not_live_are_not_published(pat: Editor, world: World) -> None:
    await world.page("Draft")
    await choose(pat, "draft")
    publish_settings = PublishPage(page_id="Site settings")
    message = "make 'Draft' the home page, which is not live"
    await refuse(pat.publishing.preview_publication(pat.call(), publish_settings), message)
    await refuse(pat.publishing.publish_page(pat.call(), publish_settings), message)
    await world.pages.delete_page(pat.call(), DeletePage(page_id="page_1", confirmed=True))
    await refuse(pat.publishing.publish_page(pat.call(), publish_settings), "does not exist any more")
    await choose(pat, "")


async def test_page_and_settings_of_one_change_set_go_live_and_back_together(world: World) -> None:
    ann, bob, cat = Editor(world, "ann", "monday"), Editor(world, "bob", "tuesday"), Editor(world, "cat")
    await publish(world, "Old", ("hero", {"heading": "Old"}))
    site = make_site(world)
    await world.pages.create_page(ann.call(), CreatePage(title="New"))
    await choose(ann, "new")
    set_id = (await ann.publish()).change_set.id
    assert "<h1>New" in (await visit(site, "/")).text
    await ann.revert(set_id)
    assert "<h1>Old" in (await visit(site, "/")).text
    await world.pages.create_page(bob.call(), CreatePage(title="Newer"))
    first = (await bob.publish()).change_set.id
    await choose_live(cat, "newer")
    with pytest.raises(ConflictError, match="'Newer' is the home page"):
        await bob.sets.revert_change_set(bob.call(), RevertChangeSet(change_set_id=first))
