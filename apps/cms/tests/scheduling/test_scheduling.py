"""Publishing and unpublishing at times to come: what was approved is what visitors see then, or nothing happens."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import NOON, cancel, carry_out, expire, look, move_call, schedule
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.images.payloads import DeleteImage
from remit_cms.pages.payloads import MovePage
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    ListScheduledActions,
    RunScheduledAction,
    ScheduleChangeSet,
    SchedulePage,
)
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


async def test_what_is_published_is_the_approved_revision_and_later_edits_stay_in_the_draft(ann: Editor) -> None:
    await ann.create("About")
    action = await schedule(ann, "about")
    tool, arguments, at = ann.world.calls.made[action]
    assert (tool, arguments) == ("cms_runScheduledAction", {"actionId": action})
    assert at == datetime(2026, 6, 1, 12, tzinfo=UTC)
    await ann.update("about", title="Not approved")
    assert (await carry_out(ann, action)).message == "Published 'About' as it was approved"
    assert await ann.live_title("about") == "About"
    assert (await ann.draft("about")).status == "changed"
    found = await look(ann, action)
    assert (found.state, found.revision, found.at, found.author) == ("done", 1, "2026-06-01T12:00+00:00", "ann")


async def test_what_builds_on_a_scheduled_page_is_refused_before_a_person_is_asked(ann: Editor) -> None:
    await ann.create("About")
    action = await schedule(ann, "about")
    await ann.update("about", title="Published since")
    refusal = rf"build on others, which are scheduled: 'About' is .*cms_cancelScheduledAction, {action}"
    with pytest.raises(ConflictError, match=refusal):
        await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="about"))
    await cancel(ann, action)
    await ann.publish_page("about")
    assert await ann.live_title("about") == "Published since"
    assert "cancelled before" in (await carry_out(ann, action)).message


async def test_scheduled_actions_are_layers_in_order_of_time(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    monday = await schedule(ann, "offer", "2026-06-01")
    await ann.update("offer", title="Friday", meta={"description": "Until Sunday."})
    payload = SchedulePage(page_id="offer", at="2026-06-05")
    preview = await ann.world.scheduling.preview_page(ann.call(), payload)
    assert ("title", "Monday", "Friday") in [(each.where, each.before, each.after) for each in preview.changes]
    assert "'Monday' is to be published on 1 June 2026, 00:00 UTC (by ann)" in preview.summary
    friday = await schedule(ann, "offer", "2026-06-05")
    with pytest.raises(ConflictError, match=rf"'Friday' is .* \({friday}.*approved as what follows this"):
        await cancel(ann, monday)
    for action, title in ((monday, "Monday"), (friday, "Friday")):
        await carry_out(ann, action)
        assert await ann.live_title("offer") == title


async def test_what_changes_other_places_goes_live_today_and_the_scheduled_edits_at_their_time(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Christmas")
    action = await schedule(ann, "offer", "2026-12-24")
    await ann.update("offer", meta={"description": "Every day."})
    preview = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="page_1"))
    assert [each.where for each in preview.changes] == ["meta description"]
    assert "'Christmas' is to be published on 24 December 2026, 00:00 UTC (by ann)" in preview.summary
    await ann.publish_page("page_1")
    assert (await ann.live_title("page_1"), (await ann.draft("page_1")).title) == ("Offer", "Christmas")
    await carry_out(ann, action)
    assert await ann.differences("page_1") == []


async def test_an_edit_that_takes_back_what_is_scheduled_is_not_published_before_it(ann: Editor) -> None:
    page = await ann.create("Offer", ("hero", {"heading": "Hi"}))
    await ann.publish_page("offer")
    await ann.write(page.sections[0].id, subheading="Christmas")
    action = await schedule(ann, "offer", "2026-12-24")
    await ann.write(page.sections[0].id, subheading=None, heading="Hello")
    with pytest.raises(ConflictError, match=rf"in the same places.*Action, {action}"):
        await ann.publish_page("offer")


async def test_a_deleted_page_that_comes_back_is_not_published_with_a_set_that_was_scheduled_without_it(
    world: World,
) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Old")
    await ann.create("New")
    await ann.delete("page_1")
    action = (await world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))).action.id
    await ann.revert()
    await carry_out(ann, action)
    assert [(await ann.draft(page)).status for page in ("page_1", "page_2")] == ["draft", "published"]
    await ann.publish_page("page_1")


async def test_an_action_waits_for_an_earlier_one_and_is_refused_without_it(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Monday")
    monday = await schedule(ann, "offer", "2026-06-01")
    await ann.update("offer", title="Friday")
    friday = await schedule(ann, "offer", "2026-06-05")
    calls, before = ann.world.calls, len(ann.world.calls.made)
    calls.is_keyed = True
    for attempt in range(1, 10):
        key = friday if attempt == 1 else f"{friday}/{attempt - 1}"
        if attempt == 1:
            await move_call(ann, friday, calls.find_run(key))
        assert "this one waits for it" in (await carry_out(ann, friday, run=calls.find_run(key))).message
    assert len(calls.made) == before + 9
    with pytest.raises(
        ConflictError, match=r"than when 'Friday' was approved: title\. That difference is not approved"
    ):
        await carry_out(ann, friday, run=calls.find_run(f"{friday}/9"))
    found = await look(ann, friday)
    assert (found.state, "was approved: title" in (found.reason or "")) == ("refused", True)
    listed = await ann.world.scheduling.list_scheduled_actions(ann.call(), ListScheduledActions())
    assert ([each.id for each in listed.actions], listed.message) == (
        [monday, friday],
        "2 scheduled actions, 1 refused",
    )
    await move_call(ann, monday, calls.run)
    await carry_out(ann, monday)
    await ann.publish_page("offer")
    assert await ann.live_title("offer") == "Friday"


async def test_a_page_waits_for_the_one_above_it_which_is_scheduled_for_the_same_time(ann: Editor) -> None:
    await ann.create("Order")
    await ann.publish_page("order")
    await ann.update("page_1", slug="shopping")
    above = await schedule(ann, "page_1")
    await ann.create("Vouchers")
    await ann.world.pages.move_page(ann.call(), MovePage(page_id="page_2", parent_id="page_1"))
    below, calls = await schedule(ann, "page_2"), ann.world.calls
    calls.is_keyed = True
    await move_call(ann, below, calls.find_run(below))
    assert "this one waits for it" in (await carry_out(ann, below, run=calls.find_run(below))).message
    await move_call(ann, above, calls.run)
    await carry_out(ann, above)
    await carry_out(ann, below, run=calls.find_run(f"{below}/1"))
    assert await ann.live_title("shopping/vouchers") == "Vouchers"


async def test_a_page_expires_even_if_it_goes_live_only_before_that(ann: Editor) -> None:
    await ann.create("Offer")
    with pytest.raises(ConflictError, match="its publication before that time is not scheduled"):
        await expire(ann, "offer")
    first, last = await schedule(ann, "offer", "2026-05-01"), await expire(ann, "offer")
    await carry_out(ann, first)
    assert (await carry_out(ann, last)).message == "'Offer' is hidden from visitors"
    with pytest.raises(NotFoundError, match="is not live"):
        await ann.live_title("offer")
    await ann.publish_page("offer")
    again = await expire(ann, "offer")
    await ann.unpublish_page("offer")
    assert (await carry_out(ann, again)).message == "'Offer' was hidden from visitors already"


async def test_a_page_whose_publication_is_scheduled_is_not_published_before_it(ann: Editor) -> None:
    await ann.create("Offer")
    action = await schedule(ann, "offer")
    with pytest.raises(ConflictError, match=rf"nothing to publish but what is scheduled: .*Action, {action}"):
        await Editor(ann.world, "bob").publish_page("offer")


async def test_a_page_for_which_something_is_scheduled_is_not_deleted_or_hidden(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    await ann.update("offer", title="Summer")
    action = await schedule(ann, "offer")
    refusal = rf"'Summer' is to be published .*cms_cancelScheduledAction, {action}"
    for call in (ann.delete("page_1"), ann.unpublish_page("page_1"), expire(ann, "page_1", "2026-05-01")):
        with pytest.raises(ConflictError, match=refusal):
            await call
    await cancel(ann, action)
    await ann.delete("page_1")


async def test_a_page_may_be_shown_and_hidden_and_shown_again_as_it_was_approved(ann: Editor) -> None:
    await ann.create("Offer")
    spring, summer = await schedule(ann, "offer", "2026-04-01"), await expire(ann, "offer", "2026-05-01")
    autumn = await schedule(ann, "offer", "2026-09-01")
    for action in (spring, summer, autumn):
        await carry_out(ann, action)
    assert await ann.live_title("offer") == "Offer"


async def test_a_scheduled_change_set_leaves_the_conversation_which_goes_on_in_another(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Offer")
    action = (await world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))).action.id
    await ann.create("Gift cards")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "1 page ('Gift cards')" in preview.summary
    await ann.publish()
    assert (await ann.draft("offer")).status == "draft"
    await carry_out(ann, action)
    assert await ann.live_title("offer") == "Offer"
    await ann.revert()
    assert (await ann.draft("offer")).status == "draft"


async def test_a_change_set_whose_publication_is_scheduled_keeps_its_edits(world: World) -> None:
    ann, bob = Editor(world, "ann", "monday"), Editor(world, "bob", "tuesday")
    await ann.create("About")
    action = (await world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))).action.id
    await bob.create("Contact")
    await bob.update("about", title="Bob's")
    refusal = f"to be published on 1 June 2026, 12:00 UTC as it was approved.*cms_cancelScheduledAction, {action}"
    with pytest.raises(NotFoundError, match=rf"no unpublished edits.*to be published on .*Action, {action}"):
        await ann.publish()
    for call in (bob.add("contact", change_set="set_1"), ann.discard("set_1"), ann.publish("set_1")):
        with pytest.raises(ConflictError, match=refusal):
            await call
    with pytest.raises(ConflictError, match="build on others, which are scheduled"):
        await bob.publish()
    await carry_out(ann, action)
    assert await ann.live_title("about") == "About"


async def test_edits_whose_publication_is_cancelled_wait_in_their_conversation_again(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Offer")
    action = await schedule(ann, "offer")
    await ann.create("Contact")
    await cancel(ann, action)
    assert [each.title for each in (await ann.look()).pages] == ["Contact", "Offer"]
    await ann.publish()
    assert await ann.live_title("offer") == "Offer"


async def test_a_page_that_others_link_to_since_does_not_expire(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    payload = ExpirePage(page_id="offer", at=NOON)
    assert "link" not in (await ann.world.scheduling.preview_expiry(ann.call(), payload)).summary
    action = await expire(ann, "offer")
    with pytest.raises(ConflictError, match=rf"'Offer' is to be hidden .*cms_cancelScheduledAction, {action}"):
        await ann.world.scheduling.preview_expiry(ann.call(), payload)
    await cancel(ann, action)
    action = await expire(ann, "offer")
    await ann.create("About", ("text", {"content": "See [the offer](/offer)."}))
    with pytest.raises(ConflictError, match="'About' links to 'Offer' since this was approved"):
        await carry_out(ann, action)
    preview = await ann.world.scheduling.preview_expiry(ann.call(), payload)
    assert "to which 'About' links, on 1 June 2026, 12:00 UTC" in preview.summary
    await carry_out(ann, await expire(ann, "offer"))


async def test_a_change_set_is_published_as_a_whole_and_only_as_it_was_approved(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("About")
    await ann.create("Prices")
    payload = ScheduleChangeSet(at=NOON)
    preview = await world.scheduling.preview_change_set(ann.call(), payload)
    assert preview.summary.endswith("on 1 June 2026, 12:00 UTC")
    action = (await world.scheduling.schedule_change_set(ann.call(), payload)).action.id
    await ann.update("about", title="Us")
    await ann.create("Extra")
    assert (await carry_out(ann, action)).message.startswith("Published 'Edits by ann")
    assert [await ann.live_title(page) for page in ("about", "prices")] == ["About", "Prices"]
    assert [each.title for each in (await ann.look()).pages] == ["Us", "Extra"]
    await ann.revert("set_1")
    assert (await ann.draft("prices")).status == "draft"


async def test_a_cancelled_action_is_not_carried_out_and_is_listed_no_more(ann: Editor) -> None:
    await ann.create("About")
    action = await schedule(ann, "about")
    payload = CancelScheduledAction(action_id=action)
    reply = await ann.world.scheduling.cancel_scheduled_action(ann.call(), payload)
    assert (reply.message, reply.action.state) == ("Cancelled: 'About' will not be published", "cancelled")
    assert ann.world.calls.cancelled == [ann.world.calls.run]
    assert (await carry_out(ann, action)).message == "It was cancelled before."
    with pytest.raises(ConflictError, match="is cancelled already"):
        await ann.world.scheduling.cancel_scheduled_action(ann.call(), payload)
    listed = await ann.world.scheduling.list_scheduled_actions(ann.call(), ListScheduledActions())
    assert (listed.actions, listed.total, listed.message) == ([], 0, "0 scheduled actions")


async def test_nobody_carries_out_an_action_before_its_time(ann: Editor) -> None:
    await ann.create("About")
    payload = RunScheduledAction(action_id=await schedule(ann, "about"))
    with pytest.raises(ConflictError, match="runs at its time, by itself"):
        await ann.world.scheduling.run_scheduled_action(ann.call(), payload)
    assert (await look(ann, payload.action_id)).state == "scheduled"


@pytest.mark.parametrize(
    ("at", "error"),
    [
        ("2025-12-31T23:59", "2025-12-31T23:59 has passed; give a time to come"),
        ("0001-01-01T00:00+14:00", "0001-01-01T00:00+14:00 has passed; give a time to come"),
        ("2026-01-01T00:00Z", "2026-01-01T00:00+00:00 has passed, as it is 2026-01-01T00:0"),
        ("9999-12-31", "at is '9999-12-31'; give a year until 9998"),
        ("9998-12-31T23:59-23:59", "give a year until 9998"),
        ("tomorrow", "at is 'tomorrow'; give a date and time such as 2026-12-24T09:00, or with a zone"),
    ],
)
async def test_a_time_that_has_passed_or_is_none_is_refused_in_one_line(ann: Editor, at: str, error: str) -> None:
    await ann.create("About")
    with pytest.raises(InvalidArgumentsError) as caught:
        await ann.world.scheduling.preview_page(ann.call(), SchedulePage(page_id="about", at=at))
    assert error in caught.value.message
    assert "\n" not in caught.value.message
    with pytest.raises(InvalidArgumentsError):
        await schedule(ann, "about", at)
    assert ann.world.calls.made == {}


async def test_a_time_over_which_clocks_are_put_forward_is_refused(ann: Editor) -> None:
    zone = UpdateSiteSettings(time_zone="Europe/Berlin")
    await Settings(ann.world.database).update_site_settings(ann.call(), zone)
    await ann.publish_page("Site settings")
    await ann.create("About")
    with pytest.raises(InvalidArgumentsError, match=r"2026-03-29T02:30 is not a time in Europe/Berlin: .*03:30"):
        await schedule(ann, "about", "2026-03-29T02:30")
    assert (await look(ann, await schedule(ann, "about", "2026-03-29T01:30Z"))).at == "2026-03-29T03:30+02:00"


async def test_an_image_that_a_scheduled_publication_shows_is_not_deleted(world: World) -> None:
    ann, image = Editor(world, "ann", "a"), await world.image()
    await ann.create("About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))
    action, bob = await schedule(ann, "about"), Editor(ann.world, "bob", "b")
    await bob.write("section_1", image=None)
    delete = DeleteImage(image_id=image.id)
    with pytest.raises(ConflictError, match=r"[(]hero, en, in the scheduled publication of 'About'[)]"):
        await ann.world.images.preview_deletion(ann.call(), delete)
    cancel = CancelScheduledAction(action_id=action)
    await ann.world.scheduling.cancel_scheduled_action(ann.call(), cancel)
    with pytest.raises(ConflictError, match=r"[(]hero, en, in the change set 'Edits by ann"):
        await ann.world.images.preview_deletion(ann.call(), delete)
    await bob.publish_page("about")
    await ann.world.images.delete_image(ann.call(), delete)


async def test_a_time_without_a_zone_is_one_of_the_site(ann: Editor) -> None:
    settings = Settings(ann.world.database)
    await settings.update_site_settings(ann.call(), UpdateSiteSettings(time_zone="Europe/Berlin"))
    await ann.publishing.publish_page(ann.call(), PublishPage(page_id="settings_1"))
    await ann.create("About")
    times: list[str] = []
    for at in (NOON, "2026-01-10T12:00Z"):
        action = await schedule(ann, "about", at)
        times.append((await look(ann, action)).at)
        await cancel(ann, action)
    assert times == ["2026-06-01T12:00+02:00", "2026-01-10T13:00+01:00"]
    assert ann.world.calls.made["action_1"][2] == datetime(2026, 6, 1, 10, tzinfo=UTC)
    preview = await ann.world.scheduling.preview_page(ann.call(), SchedulePage(page_id="about", at=NOON))
    assert preview.summary == "the page 'About' (/about), which is new, on 1 June 2026, 12:00 (Europe/Berlin)"
    await schedule(ann, "about", NOON)
    with pytest.raises(ConflictError, match=r"'About' is to be published on 1 June 2026, 12:00 \(Europe/Berlin\)"):
        await ann.world.scheduling.preview_page(ann.call(), SchedulePage(page_id="about", at=NOON))
