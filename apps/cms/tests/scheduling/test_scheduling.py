"""Publishing and unpublishing at times to come: what was approved is what visitors see then, or nothing happens."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.engines import RunSchedules
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.images.payloads import DeleteImage
from remit_cms.publishing.payloads import PublishPage, PurgePage
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    ListScheduledActions,
    RunScheduledAction,
    ScheduleChangeSet,
    ScheduledActionReply,
    ScheduledActionView,
    SchedulePage,
)
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.tools import scheduling_operations

NOON = "2026-06-01T12:00"


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


async def schedule(editor: Editor, page: str, at: str = NOON) -> str:
    payload = SchedulePage(page_id=page, at=at)
    return (await editor.world.scheduling.schedule_page(editor.call(), payload)).action.id


async def expire(editor: Editor, page: str, at: str = NOON) -> str:
    return (await editor.world.scheduling.expire_page(editor.call(), ExpirePage(page_id=page, at=at))).action.id


async def carry_out(editor: Editor, action: str) -> ScheduledActionReply:
    """What the scheduled call does at its time."""
    call = editor.world.call(run=editor.world.calls.run)
    return await editor.world.scheduling.run_scheduled_action(call, RunScheduledAction(action_id=action))


async def look(editor: Editor, action: str) -> ScheduledActionView:
    payload = ListScheduledActions(include_ended=True)
    reply = await editor.world.scheduling.list_scheduled_actions(editor.call(), payload)
    (found,) = [each for each in reply.actions if each.id == action]
    return found


async def test_what_is_published_is_the_approved_revision_and_later_edits_stay_in_the_draft(ann: Editor) -> None:
    await ann.create("About")
    action = await schedule(ann, "about")
    tool, arguments, at = ann.world.calls.made[action]
    assert (tool, arguments) == ("cms_runScheduledAction", {"actionId": action})
    assert at == datetime(2026, 6, 1, 12, tzinfo=UTC)
    await ann.update("about", title="Not approved")
    assert (await carry_out(ann, action)).message == "Published page 'Not approved' (/about) as it was approved"
    assert await ann.live_title("about") == "About"
    assert (await ann.draft("about")).status == "changed"
    found = await look(ann, action)
    assert (found.state, found.revision, found.at, found.author) == ("done", 1, "2026-06-01T12:00+00:00", "ann")


async def test_a_page_that_others_published_since_is_left_alone_with_the_difference(ann: Editor) -> None:
    await ann.create("About")
    action = await schedule(ann, "about")
    await ann.update("about", title="Published since")
    await ann.publish_page("about")
    with pytest.raises(ConflictError, match=r"another revision of 'Published since' than when .*: title, slug"):
        await carry_out(ann, action)
    found = await look(ann, action)
    assert (found.state, (found.reason or "")[:38]) == ("refused", "Visitors see another revision of 'Publ")
    assert await ann.live_title("about") == "Published since"
    assert "refused before" in (await carry_out(ann, action)).message


async def test_what_is_live_already_or_deleted_by_then_is_said(ann: Editor) -> None:
    await ann.create("About")
    done, gone = await schedule(ann, "about"), await schedule(ann, "about")
    await ann.publish_page("about")
    assert (await carry_out(ann, done)).message == "'About' was live already as it was approved"
    await ann.delete("page_1")
    with pytest.raises(NotFoundError, match="'About' has been deleted since this was approved"):
        await carry_out(ann, gone)
    assert (await look(ann, gone)).state == "refused"


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


async def test_a_page_that_was_published_and_hidden_since_does_not_come_back(ann: Editor) -> None:
    await ann.create("Offer")
    action = await schedule(ann, "offer")
    await ann.publish_page("offer")
    await Editor(ann.world, "bob").unpublish_page("offer")
    with pytest.raises(ConflictError, match="bob has changed what visitors see of 'Offer' since this was approved"):
        await carry_out(ann, action)
    assert (await look(ann, action)).state == "refused"


async def test_a_page_that_was_deleted_and_restored_since_does_not_come_back(ann: Editor) -> None:
    await ann.create("Offer")
    action = await schedule(ann, "offer")
    await ann.delete("page_1")
    await ann.restore("page_1")
    with pytest.raises(ConflictError, match="ann has restored 'Offer' since this was approved"):
        await carry_out(ann, action)
    await carry_out(ann, await schedule(ann, "offer"))
    assert await ann.live_title("offer") == "Offer"


async def test_a_page_may_be_shown_and_hidden_and_shown_again_as_it_was_approved(ann: Editor) -> None:
    await ann.create("Offer")
    spring, summer = await schedule(ann, "offer", "2026-04-01"), await expire(ann, "offer", "2026-05-01")
    autumn = await schedule(ann, "offer", "2026-09-01")
    for action in (spring, summer, autumn):
        await carry_out(ann, action)
    assert await ann.live_title("offer") == "Offer"


async def test_a_change_set_whose_page_was_shown_and_hidden_since_is_not_published(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Offer")
    reply = await world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))
    await ann.publish_page("offer")
    await ann.unpublish_page("offer")
    with pytest.raises(ConflictError, match="ann has changed what visitors see of 'Offer' since this was approved"):
        await carry_out(ann, reply.action.id)


async def test_a_change_set_whose_publication_is_scheduled_keeps_its_edits(world: World) -> None:
    ann, bob = Editor(world, "ann", "monday"), Editor(world, "bob", "tuesday")
    await ann.create("About")
    action = (await world.scheduling.schedule_change_set(ann.call(), ScheduleChangeSet(at=NOON))).action.id
    await bob.create("Contact")
    await bob.update("about", title="Bob's")
    refusal = f"to be published at 2026-06-01T12:00Z as it was approved.*cms_cancelScheduledAction, {action}"
    for call in (bob.add("page_1"), bob.add("contact", change_set="set_1"), ann.discard()):
        with pytest.raises(ConflictError, match=refusal):
            await call
    await bob.add("contact")
    await carry_out(ann, action)
    assert await ann.live_title("about") == "About"


async def test_the_scheduled_actions_of_a_page_end_with_it(ann: Editor) -> None:
    await ann.create("Offer")
    action = await schedule(ann, "offer")
    await ann.delete("page_1")
    await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))
    found = await look(ann, action)
    assert (found.state, found.reason) == ("cancelled", "'Offer' was purged by ann")
    assert (await carry_out(ann, action)).message == "It was cancelled before."


async def test_a_page_that_others_link_to_since_does_not_expire(ann: Editor) -> None:
    await ann.create("Offer")
    await ann.publish_page("offer")
    payload = ExpirePage(page_id="offer", at=NOON)
    assert "link" not in (await ann.world.scheduling.preview_expiry(ann.call(), payload)).summary
    action = await expire(ann, "offer")
    await ann.create("About", ("text", {"content": "See [the offer](/offer)."}))
    preview = await ann.world.scheduling.preview_expiry(ann.call(), payload)
    assert "to which 'About' links, at 2026-06-01T12:00+00:00 (UTC)" in preview.summary
    with pytest.raises(ConflictError, match="'About' links to 'Offer' since this was approved"):
        await carry_out(ann, action)


async def test_a_change_set_is_published_as_a_whole_and_only_as_it_was_approved(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("About")
    await ann.create("Prices")

    async def schedule_set() -> str:
        payload = ScheduleChangeSet(at=NOON)
        preview = await world.scheduling.preview_change_set(ann.call(), payload)
        assert preview.summary.endswith("at 2026-06-01T12:00+00:00 (UTC)")
        return (await world.scheduling.schedule_change_set(ann.call(), payload)).action.id

    stale = await schedule_set()
    await ann.update("about", title="Us")
    with pytest.raises(
        ConflictError, match=r"'Us' has changed since the change set '.*' was approved: title\. cms_sch"
    ):
        await carry_out(ann, stale)
    short = await schedule_set()
    await ann.create("Extra")
    with pytest.raises(ConflictError, match="has edits of 'Extra' since it was approved"):
        await carry_out(ann, short)
    long = await schedule_set()
    await ann.delete("page_3")
    with pytest.raises(ConflictError, match=r"no longer has edits of a page \(page_3\)"):
        await carry_out(ann, long)
    assert (await carry_out(ann, await schedule_set())).message.startswith("Published the change set")
    assert [await ann.live_title(page) for page in ("about", "prices")] == ["Us", "Prices"]
    await ann.revert("set_1")


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
    times = [(await look(ann, await schedule(ann, "about", at))).at for at in (NOON, "2026-01-10T12:00Z")]
    assert times == ["2026-06-01T12:00+02:00", "2026-01-10T13:00+01:00"]
    assert ann.world.calls.made["action_1"][2] == datetime(2026, 6, 1, 10, tzinfo=UTC)
    preview = await ann.world.scheduling.preview_page(ann.call(), SchedulePage(page_id="about", at=NOON))
    assert preview.summary == "the page 'About' (/about), which is new, at 2026-06-01T12:00+02:00 (Europe/Berlin)"


class Office:
    """The tools in a runtime whose clock, and that of the database, is moved by hand."""

    def __init__(self, world: World) -> None:
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.store = InMemoryStore(self.read_clock)
        self.permissions = {"cms:*", "approvals:decide"}
        world.database.clock = lambda: self.now
        tools = scheduling_operations(world.database, RunSchedules()).callees
        self._app = App(name="cms", tools=tuple(tools), references=world.references)

    def read_clock(self) -> float:
        return self.now.timestamp()

    @property
    def ann(self) -> Principal:
        return Principal("ann", "local-site", frozenset(self.permissions))

    def runtime(self) -> Runtime:
        return Runtime(
            self._app,
            store=self.store,
            clock=self.read_clock,
            directory=lambda _name, _tenant: self.ann,
        )

    async def call(self, tool: str, **arguments: str) -> RunResult[Any]:
        """Call a tool, and approve it if it asks."""
        runtime = self.runtime()
        result = await runtime.call_by_name(tool, Arguments(json.dumps(arguments), dict(arguments)), by=self.ann)
        for question in result.questions:
            await runtime.decide(question, approved=True, by=self.ann)
            result = await runtime.resume(result.run)
        return result

    async def execute(self, to: datetime) -> list[str]:
        """What an executor does at a time: it attempts every run that has not ended. Returns how these stand."""
        self.now = to
        unfinished = [row.run for row in await self.store.list_runs() if row.status in ("running", "scheduled")]
        return [(await self.runtime().resume(run)).status for run in unfinished]


async def test_a_person_is_asked_once_and_the_call_comes_at_its_time_or_once_after_it(world: World) -> None:
    office, ann = Office(world), Editor(world)
    await ann.create("About")
    result = await office.call("cms_schedulePage", pageId="about", at=NOON)
    assert json.loads(result.text)["message"] == "'About' is to be published at 2026-06-01T12:00+00:00"
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert await office.execute(noon - timedelta(seconds=1)) == ["scheduled"]
    assert (await ann.draft("about")).status == "draft"
    assert await office.execute(noon + timedelta(days=3)) == ["done"]
    assert await ann.live_title("about") == "About"
    assert await office.execute(noon + timedelta(days=4)) == []
    publications = (await world.rows())["publications"]
    assert publications == 1


async def test_a_right_that_is_lost_before_the_time_holds(world: World) -> None:
    office, ann = Office(world), Editor(world)
    await ann.create("About")
    await office.call("cms_schedulePage", pageId="about", at=NOON)
    office.permissions = {"cms:read", "cms:write"}
    assert await office.execute(datetime(2026, 6, 1, 12, tzinfo=UTC)) == ["failed"]
    assert (await ann.draft("about")).status == "draft"


async def test_a_cancelled_action_ends_its_scheduled_call(world: World) -> None:
    office, ann = Office(world), Editor(world)
    await ann.create("About")
    made = json.loads((await office.call("cms_schedulePage", pageId="about", at=NOON)).text)["action"]["id"]
    await office.execute(office.now)
    assert (await office.call("cms_cancelScheduledAction", actionId=made)).status == "done"
    assert await office.execute(office.now) == ["cancelled"]
    assert await office.execute(datetime(2026, 7, 1, tzinfo=UTC)) == []


async def test_the_time_can_pass_while_the_approver_thinks(world: World) -> None:
    office, ann = Office(world), Editor(world)
    await ann.create("About")
    runtime = office.runtime()
    arguments = {"pageId": "about", "at": "2026-05-01T00:01"}
    asked = await runtime.call_by_name(
        "cms_schedulePage", Arguments(json.dumps(arguments), dict(arguments)), by=office.ann
    )
    (row,) = await office.store.list_questions()
    assert "the page 'About' (/about), which is new, at 2026-05-01T00:01+00:00 (UTC)" in row.question.shown
    office.now += timedelta(minutes=1)
    for question in asked.questions:
        await runtime.decide(question, approved=True, by=office.ann)
    result = await runtime.resume(asked.run)
    assert "has passed" in result.text
    assert (await office.store.list_runs())[0].run == asked.run
