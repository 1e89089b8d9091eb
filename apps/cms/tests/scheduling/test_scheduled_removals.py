"""Documents that go with a change set at a time to come: approved once, and done as they were approved."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import NOON, cancel, carry_out, expire, schedule
from apps.cms.tests.world import World
from remit.errors import ConflictError, NotFoundError
from remit_cms.scheduling.payloads import ScheduleChangeSet


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, "bob", "tuesday")


async def schedule_removal(ann: Editor) -> str:
    """A set that is scheduled for noon, with a new page, and with one that goes then."""
    await ann.create("Prices")
    await ann.create("Old prices")
    await ann.publish()
    await ann.update("prices", title="New prices")
    await ann.remove("old-prices")
    return (await ann.world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))).action.id


async def test_a_page_goes_at_the_time_of_its_set_and_comes_back_with_its_undo(ann: Editor) -> None:
    action = await schedule_removal(ann)
    assert (await ann.draft("old-prices")).status == "published"
    assert (await carry_out(ann, action)).message.startswith("Published 'Edits by ann")
    assert await ann.live_title("prices") == "New prices"
    with pytest.raises(NotFoundError):
        await ann.draft("old-prices")
    await ann.revert()
    assert await ann.live_title("old-prices") == "Old prices"


async def test_the_question_names_the_page_that_goes_and_the_time(ann: Editor) -> None:
    await ann.create("Old prices")
    await ann.publish()
    await ann.remove("old-prices", "hide")
    preview = await ann.world.scheduling.preview_change_set(ann.call(), ScheduleChangeSet(at=NOON))
    assert preview.summary.endswith(
        "; the page 'Old prices' (/old-prices) is hidden from visitors, on 1 June 2026, 12:00 UTC"
    )
    assert [change.after for change in preview.changes] == ["hidden from visitors"]


async def test_what_goes_at_a_time_is_not_deleted_before_or_scheduled_after_it(ann: Editor, bob: Editor) -> None:
    action = await schedule_removal(ann)
    await bob.update("old-prices", title="Last prices")
    refusal = rf"is to be published .*cms_cancelScheduledAction, {action}"
    for call in (bob.delete("page_2"), schedule(bob, "page_2", "2026-09-01"), expire(bob, "page_2", "2026-09-01")):
        with pytest.raises(ConflictError, match=refusal):
            await call
    await bob.publish_page("page_2")
    assert await ann.live_title("old-prices") == "Last prices"
    await carry_out(ann, action)
    with pytest.raises(NotFoundError):
        await ann.draft("page_2")


async def test_a_link_since_the_approval_keeps_a_page_from_going(ann: Editor, bob: Editor) -> None:
    action = await schedule_removal(ann)
    await bob.create("Home", ("text", {"content": "See [old prices](/old-prices)"}))
    with pytest.raises(ConflictError, match="'Home' links to 'Old prices' since this was approved"):
        await carry_out(ann, action)
    assert (await ann.draft("old-prices")).status == "deleting"
    await ann.remove("old-prices", "none")
    await ann.publish()
    assert await ann.live_title("old-prices") == "Old prices"


async def test_a_page_that_goes_waits_in_its_conversation_again_once_its_set_is_cancelled(ann: Editor) -> None:
    action = await schedule_removal(ann)
    await ann.create("Jobs")
    await cancel(ann, action)
    assert (await ann.draft("old-prices")).status == "deleting"
    assert [page.title for page in (await ann.look()).pages] == ["Jobs", "Old prices", "New prices"]
