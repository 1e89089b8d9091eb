"""Each operation that takes a token gives one, or leaves nothing of which it could be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import (
    AddNavigationItem,
    GetNavigation,
    RemoveNavigationItem,
    UpdateNavigationItem,
)
from remit_cms.pages.payloads import DeletePage, MovePage, TranslatePage, UpdatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import ArchivePost, CreatePost, DeleteEntry, DeletePost, GetPost, PublishPost, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import (
    AddToChangeSet,
    DiscardChangeSet,
    GetChangeSet,
    PublishChangeSet,
    PublishPage,
    PurgePage,
    RestorePage,
    RevertChangeSet,
    RevertPage,
    UnpublishPage,
)
from remit_cms.sections.payloads import DeletePageSection
from remit_cms.settings.payloads import GetSiteSetting, GetSiteSettings, UpdateSiteSettings
from remit_cms.settings.settings import Settings

Call = Callable[..., Awaitable[Any]]


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor who made the pages About and Team; About is live."""
    ann = Editor(world)
    await ann.create("About", ("text", {"content": "Hello"}))
    await ann.create("Team")
    await ann.publish_page("about")
    return ann


def page_calls(ann: Editor) -> list[tuple[Call, Any]]:
    """A write of each kind to the page, in an order in which each has something to do."""
    pages, sections = ann.world.pages, ann.world.sections
    return [
        (pages.update_page, UpdatePage(page_id="page_1", title="Us")),
        (pages.translate_page, TranslatePage(page_id="page_1", locale_code="de", title="Wir")),
        (pages.move_page, MovePage(page_id="page_1", parent_id="team")),
        (ann.publishing.publish_page, PublishPage(page_id="page_1")),
        (ann.publishing.unpublish_page, UnpublishPage(page_id="page_1")),
        (ann.history.revert_page, RevertPage(page_id="page_1", revision=1)),
        (pages.delete_page, DeletePage(page_id="page_1")),
        (sections.delete_page_section, DeletePageSection(page_section_id="section_1")),
        (sections.delete_page_section, DeletePageSection(page_section_id="section_1", confirmed=True)),
    ]


async def test_each_write_to_a_page_takes_a_token_and_gives_the_next_one(ann: Editor) -> None:
    await ann.publish_page("team")  # visitors have the page that the other one goes below
    old = await ann.world.token("about")
    await ann.update("page_1", indexing=False)
    for run, payload in page_calls(ann):
        with pytest.raises(ConflictError, match="has changed since it was read"):
            await run(ann.call(), payload.model_copy(update={"if_unchanged": old}))
        tokens = {"if_unchanged": await ann.world.token("page_1"), "with_token": True}
        reply = await run(ann.call(), payload.model_copy(update=tokens))
        assert reply.token == await ann.world.token("page_1"), payload


async def test_the_previews_check_a_token_before_anybody_is_asked(ann: Editor) -> None:
    old = await ann.world.token("about")
    await ann.update("about", title="Us")
    publish, unpublish = (
        PublishPage(page_id="about", if_unchanged=old),
        UnpublishPage(page_id="about", if_unchanged=old),
    )
    for preview in (
        ann.publishing.preview_publication(ann.call(), publish),
        ann.publishing.preview_unpublication(ann.call(), unpublish),
    ):
        with pytest.raises(ConflictError, match="title: 'About' is now 'Us'"):
            await preview


async def test_a_deletion_gives_the_token_of_what_is_in_the_trash(ann: Editor) -> None:
    def delete() -> Awaitable[Any]:
        return ann.world.pages.delete_page(ann.call(), DeletePage(page_id="page_1", confirmed=True, with_token=True))

    first = (await delete()).token
    restored = await ann.trash.restore_page(
        ann.call(), RestorePage(page_id="page_1", if_unchanged=first, with_token=True)
    )
    assert restored.token == await ann.world.token("page_1")
    second = (await delete()).token
    purge = PurgePage(page_id="page_1", if_unchanged=first)
    for refused in (
        ann.trash.restore_page(ann.call(), RestorePage(page_id="page_1", if_unchanged=first)),
        ann.trash.purge_page(ann.call(), purge),
        ann.trash.preview_purge(ann.call(), purge),
    ):
        with pytest.raises(ConflictError, match="'About' has changed since it was read"):
            await refused
    await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1", if_unchanged=second))


async def test_a_setting_and_the_navigation_give_tokens(ann: Editor) -> None:
    settings, navigation = Settings(ann.world.database), Navigation(ann.world.database)
    changed = await settings.update_site_settings(
        ann.call(), UpdateSiteSettings.model_validate({"tagline": "Bread", "withToken": True})
    )
    one = await settings.get_site_setting(ann.call(), GetSiteSetting(key="tagline", with_token=True))
    all_ = await settings.get_site_settings(ann.call(), GetSiteSettings(with_token=True))
    assert changed.token
    assert changed.token == one.token == all_.token
    for label in ("One", "Two"):
        await navigation.add_navigation_item(ann.call(), AddNavigationItem(label=label, href="about"))
    old = (await navigation.get_navigation(ann.call(), GetNavigation(with_token=True))).token
    await navigation.update_navigation_item(ann.call(), UpdateNavigationItem(label="item_1", new_label="Uno"))
    stale = RemoveNavigationItem(label="item_2", if_unchanged=old)
    for refused in (navigation.remove_navigation_item, navigation.preview_removal):
        with pytest.raises(ConflictError, match="has changed since it was read"):
            await refused(ann.call(), stale)
    removal = RemoveNavigationItem(label="item_2", with_token=True)
    removed = await navigation.remove_navigation_item(ann.call(), removal)
    assert removed.token == (await navigation.get_navigation(ann.call(), GetNavigation(with_token=True))).token


async def test_posts_and_entries_take_tokens(ann: Editor) -> None:
    posts, collections = Posts(ann.world.database), Collections(ann.world.database)
    await posts.create_post(ann.call(), CreatePost(title="Hi", body="Hello"))
    post: dict[str, Any] = {"post_slug": "posts/hi"}
    old = (await posts.get_post(ann.call(), GetPost(**post, with_token=True))).token
    await posts.update_post(ann.call(), UpdatePost(**post, title="Ho"))
    token = (await posts.get_post(ann.call(), GetPost(**post, with_token=True))).token
    calls: list[tuple[Call, Call, Any]] = [
        (posts.publish_post, posts.preview_publication, PublishPost(**post, with_token=True)),
        (posts.archive_post, posts.preview_archiving, ArchivePost(**post, with_token=True)),
        (posts.delete_post, posts.preview_deletion, DeletePost(**post, with_token=True)),
        (
            collections.delete_entry,
            collections.preview_deletion,
            DeleteEntry(entry_id="posts/hi", with_token=True),
        ),
    ]
    for run, preview, payload in calls:
        for refused in (run, preview):
            with pytest.raises(ConflictError, match="title: 'Hi' is now 'Ho'"):
                await refused(ann.call(), payload.model_copy(update={"if_unchanged": old}))
        reply = await run(ann.call(), payload.model_copy(update={"if_unchanged": token}))
        if not isinstance(payload, DeletePost | DeleteEntry):
            assert reply.token == token
            continue
        assert reply.token not in (None, token)
        await ann.trash.restore_page(ann.call(), RestorePage(page_id="entry_1", if_unchanged=reply.token))
        token = (await posts.get_post(ann.call(), GetPost(**post, with_token=True))).token


async def test_change_sets_take_tokens(ann: Editor) -> None:
    bob, sets = Editor(ann.world, "bob", "monday"), ann.sets
    await bob.update("team", title="Crew")
    own = await ann.world.find_open_set()

    async def read(change_set: str = own) -> str:
        payload = GetChangeSet(change_set_id=change_set, with_token=True)
        return (await sets.get_change_set(ann.call(), payload)).token or ""

    named: dict[str, Any] = {"change_set_id": own, "with_token": True}
    old = await read()
    await bob.update("team", title="Staff")
    await ann.update("about", title="Us")
    added = await sets.add_to_change_set(
        ann.call(), AddToChangeSet(**named, page_ids=["about", "team"], if_unchanged=await read())
    )
    assert added.token == await read()
    stale: list[tuple[Call, Any]] = [
        (sets.add_to_change_set, AddToChangeSet(**named, page_ids=["team"], if_unchanged=old)),
        (sets.publish_change_set, PublishChangeSet(**named, if_unchanged=old)),
        (sets.preview_publication, PublishChangeSet(**named, if_unchanged=old)),
        (sets.discard_change_set, DiscardChangeSet(**named, if_unchanged=old)),
    ]
    for call, payload in stale:
        with pytest.raises(ConflictError, match=r"'Edits by bob.*' has changed since it was read"):
            await call(ann.call(), payload)
    published = await sets.publish_change_set(ann.call(), PublishChangeSet(**named, if_unchanged=await read()))
    assert published.token == await read()
    await ann.update("about", title="We")
    for call in (sets.revert_change_set, sets.preview_reversion):
        with pytest.raises(ConflictError, match="has changed since it was read"):
            await call(ann.call(), RevertChangeSet(**named, if_unchanged=published.token))
    reverted = await sets.revert_change_set(ann.call(), RevertChangeSet(**named, if_unchanged=await read()))
    assert reverted.token == await read()
    await bob.update("team", title="Crew")
    other = await ann.world.find_open_set()
    discard = DiscardChangeSet(change_set_id=other, with_token=True, if_unchanged=await read(other))
    assert (await sets.discard_change_set(bob.call(), discard)).token == await read(other)


async def test_a_text_that_is_no_token_is_refused(ann: Editor) -> None:
    other = await ann.world.token("team")
    for wrong in ("7", "ä", "bm9uZQ", other, "cGFnZV8xIDk", "cGFnZV8xIHg"):
        with pytest.raises(InvalidArgumentsError, match="is not a token of 'About'"):
            await ann.publishing.publish_page(ann.call(), PublishPage(page_id="page_1", if_unchanged=wrong))
