"""Documents that go with a change set: staged like edits, shown in its question, undone with it."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.publishing.payloads import PublishChangeSet, RevertChangeSet


async def make_live(ann: Editor, *titles: str) -> None:
    for title in titles:
        await ann.create(title)
    await ann.publish()


async def test_a_page_goes_with_the_edits_of_its_change_set_after_one_question(ann: Editor) -> None:
    await make_live(ann, "Prices", "Old prices")
    await ann.update("prices", title="New prices")
    reply = await ann.remove("old-prices")
    assert (reply.page.status, await ann.live_title("old-prices")) == ("deleting", "Old prices")
    assert reply.message.endswith("Visitors see it until that is published")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert [(each.where, each.before, each.after) for each in preview.changes] == [
        ("Old prices", "page 'Old prices' (/old-prices)", "deleted"),
        ("New prices: title", "Prices", "New prices"),
    ]
    assert "; the page 'Old prices' (/old-prices) is deleted" in preview.summary
    published = await ann.publish()
    assert published.message.endswith(": 'New prices'; 'Old prices' is deleted")
    assert [page.title for page in published.pages] == ["New prices"]
    with pytest.raises(NotFoundError):
        await ann.draft("old-prices")


async def test_undoing_the_set_brings_back_what_visitors_saw(ann: Editor) -> None:
    await make_live(ann, "Prices", "Old prices", "Jobs")
    await ann.update("prices", title="New prices")
    await ann.remove("old-prices")
    await ann.remove("jobs", "hide")
    await ann.publish()
    with pytest.raises(NotFoundError):
        await ann.live_title("jobs")
    assert (await ann.draft("jobs")).status == "draft"
    preview = await ann.sets.preview_reversion(ann.call(), RevertChangeSet())
    assert all(title in preview.summary for title in ("'Old prices'", "'Jobs'", "'New prices'"))
    await ann.revert()
    assert [await ann.live_title(slug) for slug in ("prices", "old-prices", "jobs")] == ["Prices", "Old prices", "Jobs"]
    assert (await ann.draft("old-prices")).status == "published"


async def test_a_removal_is_taken_back_alone_or_with_its_set(ann: Editor) -> None:
    await make_live(ann, "Prices")
    await ann.remove("prices")
    kept = await ann.remove("prices", "none")
    assert (kept.page.status, kept.message.partition(" with")[0]) == ("published", "'Prices' stays")
    with pytest.raises(ConflictError, match="has nothing to publish"):
        await ann.publish()
    await ann.remove("prices")
    assert (await ann.remove("prices")).message.startswith("'Prices' is to be deleted with the change set")
    assert (await ann.remove("prices", "hide")).page.status == "hiding"
    await ann.discard()
    assert ((await ann.draft("prices")).status, await ann.live_title("prices")) == ("published", "Prices")


async def test_what_is_to_go_is_not_edited_in_the_same_conversation_and_says_with_what_it_goes(
    ann: Editor, bob: Editor
) -> None:
    await make_live(ann, "Prices")
    await ann.remove("prices")
    with pytest.raises(ConflictError, match=r"'Prices' is not edited: it is to be deleted with .*removal none keeps"):
        await ann.update("prices", title="New")
    reply = await ann.read("prices")
    assert reply.message.endswith("; it is to be deleted with the change set 'Edits by ann, 2026-01-01 00:02' by ann")
    await bob.update("prices", title="Bob's")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "with unpublished edits by bob" in preview.summary
    theirs = await bob.sets.preview_publication(bob.call(), PublishChangeSet())
    assert "it is to be deleted with the change set 'Edits by ann" in theirs.summary
    await bob.publish()
    assert (await ann.draft("page_1")).status == "deleting"
    await ann.publish()
    await ann.revert()
    assert await ann.live_title("page_1") == "Bob's"


async def test_edits_of_what_goes_are_there_again_when_it_comes_back(ann: Editor) -> None:
    await make_live(ann, "Prices")
    await ann.update("prices", title="New")
    await ann.remove("prices")
    assert [(page.title, len(page.differences)) for page in (await ann.look()).pages] == [("Prices", 1)]
    await ann.publish()
    await ann.revert()
    draft = await ann.draft("page_1")
    assert (draft.title, draft.status, await ann.live_title("page_1")) == ("New", "changed", "Prices")


async def test_what_is_not_live_or_has_to_stay_is_refused_before_it_is_in_a_set(ann: Editor, bob: Editor) -> None:
    await ann.create("Draft")
    with pytest.raises(ConflictError, match="'Draft' is not live: visitors do not see it"):
        await ann.remove("draft")
    await ann.publish()
    await ann.remove("draft", "hide")
    await bob.unpublish_page("draft")
    with pytest.raises(ConflictError, match="has nothing to publish"):
        await ann.publish()
    with pytest.raises(NotFoundError):
        await ann.remove("nothing")


async def test_a_call_outside_a_conversation_names_the_set(world: World, ann: Editor) -> None:
    await make_live(ann, "Prices", "Old prices")
    await ann.update("prices", title="New prices")
    pat = Editor(world, "pat")
    with pytest.raises(InvalidArgumentsError, match="give changeSetId"):
        await pat.remove("old-prices")
    open_set = await ann.look()
    await pat.remove("old-prices", change_set=open_set.id)
    await ann.publish()
    with pytest.raises(ConflictError, match="is published, not open"):
        await pat.remove("prices", change_set=open_set.id)


async def test_a_set_made_of_drafts_takes_removals_with_it(world: World, ann: Editor) -> None:
    await make_live(ann, "Prices")
    await ann.remove("prices")
    pat = Editor(world, "pat")
    await ann.create("Jobs")
    other = Editor(world, "ann", "wednesday")
    await other.create("Team")
    await pat.add("prices", change_set=(await other.look()).id)
    assert [page.title for page in (await ann.look()).pages] == ["Jobs"]
    await other.publish()
    with pytest.raises(NotFoundError):
        await ann.draft("prices")


async def test_the_question_names_the_links_that_would_lead_nowhere_after_the_whole_set(ann: Editor) -> None:
    home = await ann.create("Home", ("text", {"content": "[Prices](/prices)"}))
    await ann.create("Prices")
    await ann.write(home.sections[0].id, content="See [our prices](/prices)")
    await ann.publish()
    await ann.remove("prices")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "is deleted, to which 'Home' links" in preview.summary
    await ann.write(home.sections[0].id, content="No prices")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "links" not in preview.summary


async def test_a_page_that_is_to_go_can_still_be_published_by_others(ann: Editor, bob: Editor) -> None:
    await make_live(ann, "Prices")
    await ann.remove("prices")
    await bob.update("prices", title="Last prices")
    await bob.publish_page("prices")
    assert await ann.live_title("prices") == "Last prices"
    await ann.publish()
    with pytest.raises(NotFoundError):
        await ann.draft("page_1")
