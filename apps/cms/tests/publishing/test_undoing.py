"""What change sets did is undone, in drafts and for visitors, without the edits of others."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import AlreadyExistsError, ConflictError, NotFoundError
from remit_cms.publishing.payloads import CreateChangeSet, ListChangeSets, RevertChangeSet


async def test_edits_of_others_are_not_discarded_and_their_pages_not_deleted(ann: Editor, bob: Editor) -> None:
    await bob.create("Launch plan")
    with pytest.raises(ConflictError, match="has edits of bob on page 'Launch plan', and only edits of one's own"):
        await ann.discard("set_1")
    await ann.create("About")
    await ann.add("launch-plan")
    with pytest.raises(ConflictError, match="has edits of bob"):
        await ann.discard()
    payload = CreateChangeSet(name="All", page_ids=["launch-plan"])
    made = await ann.sets.create_change_set(ann.call(), payload)
    with pytest.raises(ConflictError, match="has edits of bob"):
        await ann.discard(made.change_set.id)
    assert (await ann.draft("launch-plan")).title == "Launch plan"


async def test_new_pages_of_another_conversation_stay_as_drafts_of_no_set(world: World, ann: Editor) -> None:
    await ann.create("Old")
    await ann.publish()
    await ann.create("About")
    await ann.update("old", title="Older")
    reply = await Editor(world, "ann", "wednesday").discard("set_2")
    assert reply.message.endswith("stay as drafts: 'About'. cms_deletePage deletes one")
    assert sorted((page.title, page.status) for page in reply.pages) == [("About", "draft"), ("Old", "published")]
    person = Editor(world, "ann")
    await person.sets.create_change_set(person.call(), CreateChangeSet(name="Mine", page_ids=["about"]))
    await person.discard("set_3")
    await ann.create("Contact")
    await ann.add("about")
    await ann.discard()
    assert (await ann.draft("about")).title == "About"
    with pytest.raises(NotFoundError):
        await ann.draft("contact")


async def test_a_draft_whose_later_edits_were_undone_follows_a_reverted_set(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Wrong price")
    await ann.create("Contact")
    set_id = (await ann.publish()).change_set.id
    await bob.update("page_1", title="Draft of bob")
    await bob.discard()
    assert (await ann.revert(set_id)).message == "Reverted the change set 'Edits by ann, 2026-01-01 00:02'."
    draft = await ann.draft("page_1")
    assert (draft.title, draft.status) == ("About", "published")


async def test_a_set_is_reverted_though_the_draft_of_another_page_has_an_address(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", slug="us")
    set_id = (await ann.publish()).change_set.id
    await bob.create("New")
    await bob.update("new", slug="about")
    await ann.sets.preview_reversion(ann.call(), RevertChangeSet(change_set_id=set_id))
    message = (await ann.revert(set_id)).message
    assert message.endswith("The drafts of 'About' keep what was reverted, since other drafts have their addresses.")
    assert await ann.live_title("about") == "About"
    draft = await ann.draft("page_1")
    assert (draft.slug, draft.status) == ("us", "changed")


async def test_a_conversation_undoes_what_it_published_last(world: World, ann: Editor, bob: Editor) -> None:
    with pytest.raises(NotFoundError, match="has published no change set that could be reverted"):
        await ann.revert()
    for title in ("About", "Contact"):
        await ann.create(title)
        await ann.publish()
    await bob.create("Jobs")
    await bob.publish()
    await ann.update("about", title="Us")
    preview = await ann.sets.preview_reversion(ann.call(), RevertChangeSet())
    assert "'Contact'" in preview.summary
    assert [(await ann.revert()).change_set.id for _ in range(2)] == ["set_2", "set_1"]
    with pytest.raises(NotFoundError):
        await Editor(world, "ann").revert()
    reply = await ann.sets.list_change_sets(ann.call(), ListChangeSets())
    assert reply.message == "1 open change set; 1 published, 2 reverted, which includeClosed lists"


async def test_what_a_deletion_and_a_publication_name_takes_them_back_also_for_visitors(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await ann.revert(await ann.delete("page_1"))
    assert ((await ann.draft("page_1")).status, await ann.live_title("about")) == ("published", "About")
    await ann.revert(await ann.unpublish_page("about"))
    assert await ann.live_title("about") == "About"
    await ann.update("about", title="Us")
    await ann.revert(await ann.publish_page("about"))
    assert await ann.live_title("about") == "About"
    await ann.create("Draft")
    await ann.revert(await ann.delete("page_2"))
    assert (await ann.draft("page_2")).status == "draft"


async def test_no_approver_is_asked_to_bring_a_page_back_whose_slug_another_has(ann: Editor, bob: Editor) -> None:
    page = await ann.create("Temp")
    await ann.publish()
    deletion = await ann.delete(page.id)
    await bob.create("Temp")
    with pytest.raises(
        AlreadyExistsError, match=r"slug already: 'Temp', id page_2\. cms_restorePage brings 'Temp' back"
    ):
        await ann.sets.preview_reversion(ann.call(), RevertChangeSet(change_set_id=deletion))
    with pytest.raises(AlreadyExistsError, match=rf'another slug: {{"pageId": "{page.id}", "slug": "\.\.\."}}'):
        await ann.restore(page.id)
