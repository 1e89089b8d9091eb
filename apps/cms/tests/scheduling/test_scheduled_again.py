"""What is scheduled again for the same time, corrected: it replaces the former action, and what is later follows it."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import carry_out, look, schedule
from apps.cms.tests.world import World
from remit.errors import ConflictError
from remit.tools import Preview
from remit_cms.scheduling.payloads import ScheduleChangeSet, ScheduledActionReply, SchedulePage
from remit_cms.sections.payloads import DeletePageSection

MONDAY = "2026-06-01"
FRIDAY = "2026-06-05"


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "spring")


async def preview(editor: Editor, page: str, at: str) -> Preview:
    return await editor.world.scheduling.preview_page(editor.call(), SchedulePage(page_id=page, at=at))


async def schedule_set(editor: Editor, at: str) -> ScheduledActionReply:
    return await editor.world.scheduling.schedule_change_set(editor.call(), ScheduleChangeSet(at=at))


def triples(shown: Preview) -> set[tuple[str, str, str]]:
    return {(each.where, each.before, each.after) for each in shown.changes}


async def test_a_corrected_text_replaces_the_one_that_was_scheduled_for_the_same_time(ann: Editor) -> None:
    await ann.create("Prices")
    await ann.publish_page("prices")
    await ann.update("prices", title="Prices, wrong")
    former = await schedule(ann, "prices", MONDAY)
    await ann.update("prices", title="Prices, right")
    shown = await preview(ann, "prices", MONDAY)
    replaced = "in place of what is scheduled: 'Prices, wrong' is to be published on 1 June 2026, 00:00 UTC (by ann)"
    assert replaced in shown.summary
    assert ("title", "Prices", "Prices, right") in triples(shown)
    reply = await ann.world.scheduling.schedule_page(ann.call(), SchedulePage(page_id="prices", at=MONDAY))
    assert reply.replaced == [former]
    found = await look(ann, former)
    assert (found.state, found.reason) == (
        "cancelled",
        "'Prices, right' is to be published on 1 June 2026, 00:00 UTC in its place",
    )
    assert (await carry_out(ann, former)).message == "It was cancelled before."
    await carry_out(ann, reply.action.id)
    assert await ann.live_title("prices") == "Prices, right"


async def test_monday_and_friday_are_scheduled_and_both_are_corrected_and_nothing_is_written_again(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    await schedule(ann, "offer", MONDAY)
    await ann.update("offer", title="Friday", meta={"description": "Until Sunday."})
    await schedule(ann, "offer", FRIDAY)
    await ann.update("offer", title="Monday, corrected")
    shown = await preview(ann, "offer", MONDAY)
    assert triples(shown) >= {
        ("title", "Offer", "Monday, corrected"),
        ("from 5 June 2026, 00:00 UTC: title", "Monday, corrected", "Friday"),
    }
    monday = await schedule(ann, "offer", MONDAY)
    assert (await ann.draft("offer")).title == "Friday"
    await ann.update("offer", title="Friday, corrected")
    friday = await schedule(ann, "offer", FRIDAY)
    for action, title in ((monday, "Monday, corrected"), (friday, "Friday, corrected")):
        await carry_out(ann, action)
        assert await ann.live_title("offer") == title
    assert await ann.differences("offer") == []


async def test_what_is_later_goes_live_as_it_was_approved_if_only_what_precedes_it_is_corrected(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    actions: dict[str, str] = {}
    for title, at in (("Monday", MONDAY), ("Friday", FRIDAY), ("Sunday", "2026-06-07")):
        await ann.update("offer", title=title)
        actions[title] = await schedule(ann, "offer", at)
    await ann.update("offer", title="Monday, corrected")
    actions["Monday"] = await schedule(ann, "offer", MONDAY)
    assert (await ann.draft("offer")).title == "Sunday"
    assert (await look(ann, actions["Friday"])).state == "scheduled"
    for day, title in (("Monday", "Monday, corrected"), ("Friday", "Friday"), ("Sunday", "Sunday")):
        await carry_out(ann, actions[day])
        assert await ann.live_title("offer") == title


async def test_what_is_later_in_other_places_needs_no_second_approval(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    await schedule(ann, "offer", MONDAY)
    await ann.update("offer", meta={"description": "Until Sunday."})
    friday = await schedule(ann, "offer", FRIDAY)
    await ann.update("offer", title="Monday, corrected")
    assert not [each for each in triples(await preview(ann, "offer", MONDAY)) if "from 5 June" in each[0]]
    for action in (await schedule(ann, "offer", MONDAY), friday):
        await carry_out(ann, action)
    assert await ann.differences("offer") == []


async def test_a_corrected_change_set_replaces_the_scheduled_one_with_all_its_documents(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.create("Prices")
    await ann.publish()
    await ann.update("offer", title="Monday")
    await ann.update("prices", title="Prices of Monday")
    former = (await schedule_set(ann, MONDAY)).action.id
    await ann.update("offer", title="Friday")
    friday = (await schedule_set(ann, FRIDAY)).action.id
    await ann.update("offer", title="Monday, corrected")
    shown = await ann.world.scheduling.preview_change_set(ann.call(), ScheduleChangeSet(at=MONDAY))
    assert triples(shown) >= {
        ("Monday, corrected: title", "Offer", "Monday, corrected"),
        ("Prices of Monday: title", "Prices", "Prices of Monday"),
        ("from 5 June 2026, 00:00 UTC: title", "Monday, corrected", "Friday"),
    }
    assert "in place of what is scheduled: 'Edits by ann" in shown.summary
    reply = await schedule_set(ann, MONDAY)
    assert reply.replaced == [former]
    await carry_out(ann, reply.action.id)
    assert [await ann.live_title(page) for page in ("offer", "prices")] == ["Monday, corrected", "Prices of Monday"]
    await carry_out(ann, friday)
    assert await ann.live_title("offer") == "Friday"


async def test_a_correction_that_keeps_words_of_what_is_later_is_refused_with_what_to_write(ann: Editor) -> None:
    page = await ann.create("Offer", ("text", {"content": "Bread."}))
    section = page.sections[0].id
    await ann.publish_page("offer")
    await ann.write(section, content="Bread for 3 euros.")
    await schedule(ann, "offer", MONDAY)
    await ann.write(section, content="Bread for 3 euros. Cake from Friday on.")
    await schedule(ann, "offer", FRIDAY)
    await ann.write(section, content="Bread for 2 euros. Cake from Friday on.")
    with pytest.raises(ConflictError, match=r"keep words of what is scheduled for later: 'Offer' is .* without those"):
        await preview(ann, "offer", MONDAY)
    await ann.write(section, content="Bread for 2 euros.")
    shown = await preview(ann, "offer", MONDAY)
    assert (
        "from 5 June 2026, 00:00 UTC: text / text (en)",
        "Bread for 2 euros.",
        "Bread for 3 euros. Cake from Friday on.",
    ) in triples(shown)


async def test_a_page_is_not_scheduled_over_the_change_set_that_has_it(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.create("Prices")
    await ann.publish()
    await ann.update("offer", title="Monday")
    await ann.update("prices", title="Prices of Monday")
    action = (await schedule_set(ann, MONDAY)).action.id
    await ann.update("offer", title="Monday, corrected")
    with pytest.raises(ConflictError, match=rf"'Edits by ann.*in the same places.*Action, {action}"):
        await preview(ann, "offer", MONDAY)


async def test_what_is_later_is_not_laid_over_newer_edits_of_others_in_the_same_places(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish()
    await ann.update("offer", title="Monday")
    await schedule_set(ann, MONDAY)
    await ann.update("offer", title="Friday")
    await schedule_set(ann, FRIDAY)
    await ann.update("offer", title="Monday, corrected")
    await Editor(ann.world, "bob", "summer").update("offer", title="Bob's")
    with pytest.raises(ConflictError, match=r"'Edits by ann.* and unpublished edits by bob .* are of the same places"):
        await ann.world.scheduling.preview_change_set(ann.call(), ScheduleChangeSet(at=MONDAY))


async def test_what_is_later_in_a_section_that_a_correction_removes_is_to_be_cancelled_first(ann: Editor) -> None:
    page = await ann.create("Offer", ("hero", {"heading": "Bread"}))
    section = page.sections[0].id
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    await schedule(ann, "offer", MONDAY)
    await ann.write(section, heading="Cake")
    friday = await schedule(ann, "offer", FRIDAY)
    await ann.update("offer", title="Monday, corrected")
    await ann.world.sections.delete_page_section(ann.call(), DeletePageSection(page_section_id=section, confirmed=True))
    with pytest.raises(ConflictError, match=rf"in places that are gone then.*Action, {friday}"):
        await preview(ann, "offer", MONDAY)
