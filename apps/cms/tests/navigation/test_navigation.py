"""The navigation: items that lead to pages that exist, or to other servers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.navigation.items import read_items
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import (
    AddNavigationItem,
    GetNavigation,
    NavigationItemView,
    RemoveNavigationItem,
    ToggleNavigationItem,
    UpdateNavigationItem,
)
from remit_cms.storage.documents import load_document
from remit_cms.storage.tables import Kind
from remit_cms.storage.transactions import open_view


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


async def add(editor: Editor, label: str, href: str, **more: Any) -> NavigationItemView:
    payload = AddNavigationItem(label=label, href=href, **more)
    made = (await Navigation(editor.world.database).add_navigation_item(editor.call(), payload)).id
    return await read(editor, made)


async def update(editor: Editor, item: str, **changes: Any) -> NavigationItemView:
    payload = UpdateNavigationItem(label=item, **changes)
    changed = (await Navigation(editor.world.database).update_navigation_item(editor.call(), payload)).id
    return await read(editor, changed)


async def read(editor: Editor, item: str) -> NavigationItemView:
    reply = await Navigation(editor.world.database).get_navigation(editor.world.call(), GetNavigation())
    return next(each for each in reply.items if each.id == item)


async def labels(editor: Editor, locale: str | None = None) -> list[str]:
    reply = await Navigation(editor.world.database).get_navigation(editor.call(), GetNavigation(locale_code=locale))
    return [item.label for item in reply.items]


@pytest.mark.parametrize("href", ["page_1", "about", "/about", "About us", "/pages/about?locale=en", "ABOUT US"])
async def test_a_page_is_named_by_id_address_or_title_and_stored_by_its_id(ann: Editor, href: str) -> None:
    await ann.update((await ann.create("About us")).id, slug="about")
    item = await add(ann, "Us", href)
    assert (item.href, item.page_id, item.location) == ("/about", "page_1", "header")


@pytest.mark.parametrize(
    ("href", "error", "message"),
    [
        ("abuot", NotFoundError, "Did you mean 'About' "),
        ("http://example.com", InvalidArgumentsError, "begins with https://"),
        ("javascript:alert(1)", InvalidArgumentsError, "begins with https://"),
        ("//example.com", InvalidArgumentsError, "begins with https://"),
        ("https:///x", InvalidArgumentsError, "begins with https://"),
        ("https://[", InvalidArgumentsError, "begins with https://"),
        ("about#team", InvalidArgumentsError, "leads to a whole page, without '#team'. Give 'about'"),
        ("/pages/about?x=1", InvalidArgumentsError, r"without '\?x=1'. Give '/pages/about'"),
        ("Twice", InvalidArgumentsError, r"'Twice' \(/twice-1, id page_2\), 'Twice' \(/twice-2, id page_3\)"),
    ],
)
async def test_a_target_that_does_not_exist_or_is_ambiguous_is_refused(
    ann: Editor, href: str, error: type[Exception], message: str
) -> None:
    await ann.create("About")
    for slug in ("twice-1", "twice-2"):
        await ann.update((await ann.create(slug)).id, title="Twice")
    with pytest.raises(error, match=message):
        await add(ann, "Link", href)


async def test_a_title_may_have_a_question_mark_or_a_number_sign(ann: Editor) -> None:
    for title in ("Who are we?", "Shop #1"):
        await ann.create(title)
    await ann.update("page_1", slug="us")
    assert [(await add(ann, name, name)).href for name in ("who are we?", "Shop #1")] == ["/us", "/shop-1"]


async def test_items_are_moved_translated_hidden_and_removed(ann: Editor) -> None:
    await ann.create("About")
    first = await add(ann, "About", "about")
    second = await add(ann, "Shop", "https://shop.example.com/", location="both", position=0)
    assert await labels(ann) == ["Shop", "About"]
    await update(ann, first.id, new_label="Über uns", locale_code="de", new_position=0)
    assert (await labels(ann), await labels(ann, "de")) == (["About", "Shop"], ["Über uns", "Shop"])
    changed = await update(ann, second.id, new_href="about", new_location="footer", visible=False)
    assert (changed.href, changed.location, changed.visible) == ("/about", "footer", False)
    navigation = Navigation(ann.world.database)
    shown = await navigation.toggle_navigation_item(ann.call(), ToggleNavigationItem(label=second.id))
    assert (shown.changed, shown.message) == (
        ["visible"],
        "Changed the item 'Shop' of the navigation (footer), which leads to /about",
    )
    preview = await navigation.preview_removal(ann.call(), RemoveNavigationItem(label=second.id))
    assert preview.summary == "the item 'Shop' of the navigation (footer), which leads to /about"
    removed = await navigation.remove_navigation_item(ann.call(), RemoveNavigationItem(label=second.id))
    assert (removed.id, removed.message) == (second.id, f"Removed {preview.summary}")
    assert await labels(ann) == ["About"]
    with pytest.raises(NotFoundError, match="There is no item 'item_2' in the navigation"):
        await update(ann, second.id, visible=True)


async def test_what_changes_nothing_makes_no_revision(ann: Editor) -> None:
    await ann.create("About")
    item = await add(ann, "About", "about")
    payload = UpdateNavigationItem(label=item.id, new_label="About", visible=True)
    reply = await Navigation(ann.world.database).update_navigation_item(ann.call(), payload)
    assert (reply.message, reply.changed) == (
        "Like that already: the item 'About' of the navigation (header), which leads to /about",
        [],
    )
    assert (await Navigation(ann.world.database).get_navigation(ann.call(), GetNavigation())).revision == 1
    with pytest.raises(ValidationError, match="nothing to change"):
        UpdateNavigationItem(label=item.id)


async def test_an_item_is_not_added_twice_to_one_place(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "About", "about")
    with pytest.raises(AlreadyExistsError, match="an item 'About' in the header already, id item_1"):
        await add(ann, "about", "about", location="both")
    await add(ann, "About", "about", location="footer")
    candidates = await ann.world.references["navigation-item"](ann.call(), "About")
    assert [candidate.name for candidate in candidates] == ["About", "About"]


async def test_visitors_see_items_that_were_published_with_their_change_set(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "About", "about")
    await add(ann, "Shop", "https://shop.example.com/")

    async def live() -> list[str]:
        async with open_view(world.database, HOME) as scope:
            state = await load_document(scope, Kind.NAVIGATION, live=True)
            return [item.label for item in read_items(scope, state)]

    assert await live() == []
    (differences,) = [each.differences for each in (await ann.look()).pages if each.title == "Navigation"]
    assert [(each.where, each.after) for each in differences][:2] == [
        ("'About'", "item"),
        ("'About' / label (en)", "About"),
    ]
    set_id = (await ann.publish()).change_set.id
    assert await live() == ["About", "Shop"]
    await update(ann, "item_1", new_position=1)
    assert await ann.differences("Navigation") == [("order of sections", "'About', 'Shop'", "'Shop', 'About'")]
    await ann.discard()
    assert await labels(ann) == ["About", "Shop"]
    await ann.revert(set_id)
    assert await live() == []


async def test_nobody_is_asked_to_remove_an_item_that_another_changed(ann: Editor, world: World) -> None:
    await ann.create("About")
    item = await add(ann, "About", "about")
    await update(Editor(world, "bob", "tuesday"), item.id, new_label="Bob's")
    navigation, payload = Navigation(world.database), RemoveNavigationItem(label=item.id)
    with pytest.raises(ConflictError, match=r"last by bob: .*Read it again first\."):
        await navigation.preview_removal(ann.call(), payload)
    assert await labels(ann) == ["Bob's"]
    assert "'Bob's'" in (await navigation.preview_removal(ann.call(), payload)).summary


async def test_an_item_is_no_section_of_a_page(ann: Editor, world: World) -> None:
    await ann.create("About")
    item = await add(ann, "About", "about")
    with pytest.raises(NotFoundError, match="There is no section 'item_1'"):
        await ann.write(item.id, label="Evil")
    with pytest.raises(NotFoundError, match="There is no section 'item_1'"):
        await world.references["section"](ann.call(), item.id)


async def test_a_rendered_page_has_the_visible_items_whose_pages_exist(ann: Editor, world: World) -> None:
    for title in ("About", "Gone", "Contact"):
        await ann.create(title)
    await add(ann, "<About>", "about", location="both")
    await add(ann, "Gone", "gone")
    await add(ann, "Hidden", "contact")
    await update(ann, "item_3", visible=False)
    await add(ann, "Shop", "https://shop.example.com/?a=1&b=2")
    await ann.delete("page_2")
    reply = await Navigation(world.database).get_navigation(ann.call(), GetNavigation())
    assert [(item.label, item.href) for item in reply.items if item.broken] == [("Gone", None)]
    document = await world.rendering.render(HOME, "about")
    header, footer = (
        document.partition(f'<nav aria-label="{name}">')[2].partition("</nav>")[0] for name in ("Main", "Footer")
    )
    assert header.split("\n")[1:-1] == [
        '<a href="about.html" aria-current="page">&lt;About&gt;</a>',
        '<a href="https://shop.example.com/?a=1&amp;b=2" rel="noopener noreferrer">Shop</a>',
    ]
    assert footer.count("<a ") == 1
