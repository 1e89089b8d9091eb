"""Change sets that meet in a document of which a site has one: each has the items of its own conversation alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import ConflictError
from remit_cms.navigation.items import read_items
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem, UpdateNavigationItem
from remit_cms.redirects.items import read_redirects
from remit_cms.redirects.payloads import AddRedirect, UpdateRedirect
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.settings.values import load_settings
from remit_cms.storage.documents import load_document
from remit_cms.storage.tables import Kind
from remit_cms.storage.transactions import open_view

SHOP = "https://shop.example.com/"
VALUES = {"ann": "Daily bread", "bob": "Write plainly.", "ann again": "Europe/Berlin"}

Write = Callable[[Editor, str], Awaitable[str]]


async def link(editor: Editor, name: str) -> str:
    """Add an item of that name to the navigation."""
    payload = AddNavigationItem(label=name, href=SHOP)
    return (await Navigation(editor.world.database).add_navigation_item(editor.call(), payload)).id


async def redirect(editor: Editor, name: str) -> str:
    """Add a redirect from an address of that name."""
    payload = AddRedirect(path=name.replace(" ", "-"), href=SHOP)
    return (await editor.world.redirects.add_redirect(editor.call(), payload)).id


async def choose(editor: Editor, name: str) -> str:
    """Change a setting: one for each name."""
    slot = dict(zip(VALUES, ("tagline", "instructions", "timeZone"), strict=True))[name]
    payload = UpdateSiteSettings.model_validate({slot: VALUES[name]})
    await Settings(editor.world.database).update_site_settings(editor.call(), payload)
    return slot


async def names(world: World, write: Write, *, live: bool) -> list[str]:
    """The names of what visitors see, or of what is in the draft."""
    async with open_view(world.database, HOME) as scope:
        if write is link:
            return [each.label for each in read_items(scope, await load_document(scope, Kind.NAVIGATION, live=live))]
        if write is redirect:
            state = await load_document(scope, Kind.REDIRECTS, live=live)
            return [each.path.strip("/").replace("-", " ") for each in read_redirects(scope, state)]
        shown = (await load_settings(scope, live=live)).model_dump().values()
        return [name for name, value in VALUES.items() if value in shown]


@pytest.fixture(params=[link, redirect, choose], ids=lambda write: write.__name__)
def write(request: pytest.FixtureRequest) -> Write:
    return request.param


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, "bob", "tuesday")


async def write_in_turns(ann: Editor, bob: Editor, write: Write) -> None:
    for editor, name in ((ann, "ann"), (bob, "bob"), (ann, "ann again")):
        await write(editor, name)


async def test_each_set_is_published_and_reverted_without_the_items_of_the_other(
    ann: Editor, bob: Editor, write: Write
) -> None:
    await write_in_turns(ann, bob, write)
    first = (await ann.publish()).change_set.id
    assert await names(ann.world, write, live=True) == ["ann", "ann again"]
    assert await names(ann.world, write, live=False) == [*VALUES]
    second = (await bob.publish()).change_set.id
    assert sorted(await names(ann.world, write, live=True)) == ["ann", "ann again", "bob"]
    await ann.revert(first)
    for live in (True, False):
        assert await names(ann.world, write, live=live) == ["bob"]
    await bob.revert(second)
    for live in (True, False):
        assert await names(ann.world, write, live=live) == []


async def test_each_set_is_discarded_without_the_items_of_the_other(ann: Editor, bob: Editor, write: Write) -> None:
    await write_in_turns(ann, bob, write)
    await ann.discard()
    assert await names(ann.world, write, live=False) == ["bob"]
    await bob.publish()
    assert await names(ann.world, write, live=True) == ["bob"]


async def test_a_set_is_published_beside_one_that_is_reverted_and_one_that_waits(
    ann: Editor, bob: Editor, write: Write
) -> None:
    cyd = Editor(ann.world, "cyd", "wednesday")
    await write(ann, "ann")
    made = (await ann.publish()).change_set.id
    await write(bob, "bob")
    await write(cyd, "ann again")
    await ann.revert(made)
    assert await names(ann.world, write, live=True) == []
    await cyd.publish()
    assert await names(ann.world, write, live=True) == ["ann again"]
    await bob.discard()
    assert await names(ann.world, write, live=False) == ["ann again"]


async def test_an_item_that_two_sets_have_edited_belongs_to_the_one_that_is_published_later(
    ann: Editor, bob: Editor
) -> None:
    for write in (link, redirect):
        item = await write(ann, "ann")
        await ann.publish()
        await edit(ann, write, item, "ann-2")
        await edit(bob, write, item, "bob")
        await bob.publish()
        assert await names(ann.world, write, live=True) == ["bob"]


async def test_what_one_wrote_counts_as_seen_also_if_it_was_there_already(ann: Editor, bob: Editor) -> None:
    for write in (link, redirect):
        item = await write(bob, "bob")
        await edit(ann, write, item, "bob")
        await edit(bob, write, item, "bob-2")
        with pytest.raises(ConflictError, match="last by bob"):
            await edit(ann, write, item, "ann")
        await bob.discard()


async def edit(editor: Editor, write: Write, item: str, name: str) -> None:
    """Give an item another name."""
    if write is link:
        payload = UpdateNavigationItem(label=item, new_label=name)
        await Navigation(editor.world.database).update_navigation_item(editor.call(), payload)
    else:
        await editor.world.redirects.update_redirect(editor.call(), UpdateRedirect(path=item, new_path=name))
