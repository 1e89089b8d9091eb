"""The calendar of a site: what is scheduled, and the site at the end of each day."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import cancel, carry_out, expire, schedule
from apps.cms.tests.viewing.test_views import ANN, OTHER, UNPERMITTED, visit
from apps.cms.tests.world import PREVIEW_KEY, World
from remit.object_views import ObjectDetail, ObjectView
from remit_cms.publishing.payloads import PublishPage
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.storage.pins import DatePin, PagePin, name_pin
from remit_cms.storage.tables import ScheduledAction
from remit_cms.views import object_views

JUNE, JULY = (datetime(2026, month, 1, tzinfo=UTC).timestamp() for month in (6, 7))


@pytest.fixture
def views(world: World, tmp_path: Path) -> dict[str, ObjectView]:
    return {each.kind: each for each in object_views(world.database, tmp_path, PREVIEW_KEY)}


@pytest.fixture
def calendar(views: dict[str, ObjectView]) -> ObjectView:
    return views["scheduled-action"]


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


async def open_object(view: ObjectView, name: str) -> ObjectDetail:
    found = await view.detail(ANN, name)
    assert found is not None
    return found


async def refuse(ann: Editor, action: str) -> None:
    """Let an action have been refused at its time, so that its edits wait."""
    values = {"state": "refused", "reason": "Something is in the way."}
    async with ann.world.database.write() as session:
        await session.execute(update(ScheduledAction).where(ScheduledAction.id == action).values(**values))


async def test_a_month_has_what_is_scheduled_done_and_cancelled_in_it(ann: Editor, calendar: ObjectView) -> None:
    for title in ("Home", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    await ann.create("One")
    await carry_out(ann, await schedule(ann, "one", "2026-06-01"))
    await expire(ann, "old", "2026-06-02")
    await ann.create("Two")
    await cancel(ann, await schedule(ann, "two", "2026-06-03"))
    await schedule(ann, "two", "2026-07-01")
    events = await calendar.events_between(ANN, JUNE, JULY)
    assert [(each.name, each.label, each.is_over, each.needs_person) for each in events] == [
        ("One", "Published", True, False),
        ("Old", "Hide", False, False),
        ("Two", "Cancelled", True, False),
    ]
    assert (events[1].at, events[1].note) == (datetime(2026, 6, 2, tzinfo=UTC).timestamp(), "asked by ann")
    for stranger in (UNPERMITTED, OTHER):
        assert await calendar.events_between(stranger, JUNE, JULY) == []
        assert await calendar.rows(stranger) == ()
        assert await calendar.detail(stranger, events[1].id) is None


async def test_the_list_has_what_needs_a_person_first_and_then_the_next(ann: Editor, calendar: ObjectView) -> None:
    for title in ("Home", "Old", "Late", "Soon", "Done"):
        await ann.create(title)
        await ann.publish_page(title.lower())
        await ann.update(title.lower(), title=f"{title} too")
    await schedule(ann, "late", "2026-06-09")
    await schedule(ann, "soon", "2026-06-01")
    await carry_out(ann, await schedule(ann, "done", "2026-06-02"))
    refused = await schedule(ann, "old")
    await refuse(ann, refused)
    assert [(each.name, each.group, each.needs_person) for each in await calendar.rows(ANN)] == [
        ("Old too", "Refused", True),
        ("Soon too", "Scheduled", False),
        ("Late too", "Scheduled", False),
        ("Done too", "Done", False),
    ]
    (found,) = await calendar.rows(ANN, "soon")
    assert found.note == "Publish · 1 June 2026, 00:00 UTC · ann"
    shown = await open_object(calendar, refused)
    assert (shown.blocked, shown.actions) == ("Something is in the way.", ())


async def test_an_action_whose_call_does_not_come_waits_for_a_person(ann: Editor, calendar: ObjectView) -> None:
    await ann.create("Home")
    await ann.publish_page("home")
    await ann.create("New")
    action = await schedule(ann, "new", "2026-01-01T01:00")
    ann.world.clock.looks += 60 + 15
    (row,) = await calendar.rows(ANN)
    assert (row.group, row.needs_person) == ("Overdue", True)
    found = await open_object(calendar, action)
    assert found.blocked.startswith("This is overdue: its call was cancelled, or the person who scheduled it")
    assert [each.tool for each in found.actions] == ["cms_cancelScheduledAction"]
    day = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    (event,) = await calendar.events_between(ANN, day, day + 86400)
    assert (event.needs_person, event.note) == (True, found.blocked)


async def test_an_action_shows_its_pages_until_and_from_its_time_and_can_be_cancelled(
    ann: Editor, calendar: ObjectView
) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    await schedule(ann, "offer", "2026-06-01")
    await ann.update("offer", title="Tuesday")
    action = await schedule(ann, "offer", "2026-06-02")
    found = await open_object(calendar, action)
    assert (found.name, found.note) == ("Tuesday", "Publish: 2 June 2026, 00:00 UTC, asked by ann")
    assert [(each.where, each.before, each.after) for each in found.changes] == [("title", "Monday", "Tuesday")]
    page, site = found.pages
    before, after = [(await visit(calendar, each))[1] for each in (page.before, page.after)]
    assert ("Monday" in before, "Tuesday" in after, site.title) == (True, True, "The whole site")
    now, then = [(await visit(calendar, each))[1] for each in (site.before, site.after)]
    assert ("as visitors see it now" in now, "As it will be from 2 June 2026, 00:00 UTC on" in then) == (True, True)
    (cancelling,) = found.actions
    assert (cancelling.tool, cancelling.arguments, cancelling.destructive) == (
        "cms_cancelScheduledAction",
        {"actionId": action},
        True,
    )


async def test_a_page_that_expires_goes_away_at_its_time(ann: Editor, calendar: ObjectView) -> None:
    for title in ("Home", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    found = await open_object(calendar, await expire(ann, "old"))
    assert [(bool(each.before), bool(each.after), each.note) for each in found.pages] == [
        (True, False, "hidden"),
        (True, True, ""),
    ]


async def test_a_day_shows_the_site_at_its_end_in_the_time_zone_of_the_site(ann: Editor, calendar: ObjectView) -> None:
    await Settings(ann.world.database).update_site_settings(ann.call(), UpdateSiteSettings(time_zone="Europe/Berlin"))
    await ann.publish_page("Site settings")
    await ann.create("Home")
    await ann.publish_page("home")
    await ann.create("New")
    await schedule(ann, "new", "2026-06-01T23:59")
    await ann.create("Next day")
    await schedule(ann, "next-day", "2026-06-02T00:00")
    found = await open_object(calendar, "2026-06-01")
    assert found.name == "The site at the end of 1 June 2026"
    assert found.note == "by what is scheduled until then, 1 page will have changed"
    site, new = found.pages
    assert (new.title, new.before, "New" in (await visit(calendar, new.after))[1]) == ("New", "", True)
    assert "As it will be from 1 June 2026, 23:59 CEST on" in (await visit(calendar, site.after))[1]
    assert [[*each.rows] for each in found.sections] == [[("23:59", "New", "Publish", "asked by ann")]]
    empty = await open_object(calendar, "2026-05-01")
    assert [each.text for each in empty.sections] == ["Nothing is scheduled for this day."]


async def test_a_day_that_is_over_has_no_preview(ann: Editor, calendar: ObjectView) -> None:
    found = await open_object(calendar, "2025-12-24")
    assert (found.pages, found.note) == ((), "This day is over.")


@pytest.mark.parametrize("name", ["2026-02-30", "9999-12-31", "0001-01-01", "1969-01-01", "2026-1-1", "nothing", ""])
async def test_what_is_no_day_and_no_action_does_not_exist(calendar: ObjectView, name: str) -> None:
    assert await calendar.detail(ANN, name) is None


async def test_what_a_question_asks_about_is_shown_before_and_after(ann: Editor, views: dict[str, ObjectView]) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await ann.update("about", title="New")
    asked = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="about"))
    assert asked.shows is not None
    view = views[asked.shows.kind]
    found = await open_object(view, asked.shows.id)
    (page,) = found.pages
    assert (found.name, found.note) == ("New", "as visitors would see it at once")
    assert [(each.where, each.before, each.after) for each in found.changes] == [("title", "About", "New")]
    assert ">New<" in (await visit(view, page.after))[1]
    for stranger in (UNPERMITTED, OTHER):
        seen = await view.detail(stranger, asked.shows.id)
        assert seen is None or seen.pages == ()
    await ann.update("about", title="Newer")
    assert (await open_object(view, asked.shows.id)).blocked.startswith("It is done, or what the question shows")


async def test_a_preview_opens_nothing_but_what_questions_name(ann: Editor, views: dict[str, ObjectView]) -> None:
    await ann.create("About")
    for name in ("nothing", name_pin(PagePin("page_1", 1)), name_pin(DatePin(1, 1))):
        assert await views["preview"].detail(ANN, name) is None
