"""Scheduled actions through a runtime: who is asked, who carries them out, and what ends them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import cancel, look
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.engines import RunSchedules
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.scheduling.payloads import ListScheduledActions
from remit_cms.tools import scheduling_operations

NOON = "2026-06-01T12:00"


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
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert await office.execute(noon) == ["failed"]
    assert (await ann.draft("about")).status == "draft"
    assert (await look(ann, "action_1")).reason is None
    office.now = noon + timedelta(minutes=16)
    assert (await look(ann, "action_1")).reason == (
        "This is overdue: its call was cancelled, or the person who scheduled it, or their agent, may not do this any "
        "more, or no executor has run. cms_cancelScheduledAction gives its edits back"
    )
    listed = await world.scheduling.list_scheduled_actions(ann.call(), ListScheduledActions())
    assert listed.message == "1 scheduled action, 1 overdue"
    await cancel(Editor(world, "bob"), "action_1")
    await ann.publish_page("about")
    assert await ann.live_title("about") == "About"


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
    assert "the page 'About' (/about), which is new, on 1 May 2026, 00:01 UTC" in row.question.shown
    office.now += timedelta(minutes=1)
    for question in asked.questions:
        await runtime.decide(question, approved=True, by=office.ann)
    result = await runtime.resume(asked.run)
    assert "has passed" in result.text
    assert (await office.store.list_runs())[0].run == asked.run
