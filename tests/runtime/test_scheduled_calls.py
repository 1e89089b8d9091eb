"""A call for later is asked about when it is opened, and made when its time has come, with the permissions of then."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from remit import App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.app import Env
from remit.engine.local import LocalEngine
from remit.engine.schedule import Missed, Schedule
from remit.errors import IdempotencyError, LeaseError, SetupError
from remit.record.question import Decision, Preview, Question
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Limits, parse_arguments

pytestmark = pytest.mark.looptime
START = datetime(2026, 11, 23, 9, tzinfo=UTC)
HOUR = 3600.0


class Office:
    """A letter that is posted later; processes come and go, and the clock is that of the event loop."""

    def __init__(self, *, risk: Risk = Risk.SAFE, effect: Effect = Effect.KEYED) -> None:
        self.posted: list[tuple[float, str]] = []
        self.store = InMemoryStore(self.now)
        self.permissions = {"letters:post", "approvals:decide"}
        self.answer_seconds = 0.0
        self.state = "1"
        self.post_seconds = 0.0
        self._risk, self._effect = risk, effect

    @staticmethod
    def now() -> float:
        return START.timestamp() + asyncio.get_running_loop().time()

    @staticmethod
    def report(run: str, error: BaseException) -> None:
        """Fail for whatever an executor reports."""
        raise AssertionError(f"{run}: {error}") from error

    @property
    def hours(self) -> list[float]:
        """When letters were posted, in hours."""
        return [round((time - START.timestamp()) / HOUR, 1) for time, _ in self.posted]

    async def decide(self, question: Question, /) -> Decision | None:
        """Approve after ``answer_seconds``, or leave it to the inbox if that is 0."""
        await asyncio.sleep(self.answer_seconds)
        return Decision(question=question.id, approved=True, by="ada") if self.answer_seconds else None

    def runtime(self) -> Runtime:
        async def describe(_ctx: LeafContext, _payload: object) -> Preview:
            return Preview("a letter", state=self.state)

        @tool(effect=self._effect, risk=self._risk, permissions={"letters:post"})
        async def post(ctx: LeafContext, to: str) -> str:
            """Post a letter."""
            await asyncio.sleep(self.post_seconds)
            key = ctx.key if self._effect is Effect.KEYED else ""
            if not key or key not in [each for _, each in self.posted]:
                self.posted.append((self.now(), key))
            return f"posted to {to}"

        return Runtime(
            App(name="office", tools=(post.with_preview(describe),), env=Env(approver=self)),
            limits=Limits(callback_seconds=10_800),
            store=self.store,
            clock=self.now,
            directory=lambda name, tenant: Principal(name, tenant, permissions=frozenset(self.permissions)),
        )

    async def schedule(
        self, hours: float = 2, every: str = "", missed: Missed = "once", key: str = ""
    ) -> RunResult[str]:
        """Schedule the letter from a process of its own."""
        by = Principal("ada", permissions=frozenset(self.permissions))
        at = START + timedelta(hours=hours)
        return await self.runtime().call_by_name(
            "post",
            parse_arguments('{"to": "bob"}', Limits()),
            by=by,
            idempotency_key=key,
            schedule=Schedule(at, every, missed),
        )

    async def execute_for(self, hours: float, poll_seconds: float = 30.0) -> None:
        """Let an executor run for some hours."""
        runtime = self.runtime()
        async with LocalEngine(
            self.store,
            runtime.resume,
            applications=["office"],
            poll_seconds=poll_seconds,
            clock=self.now,
            on_error=self.report,
        ):
            await asyncio.sleep(hours * HOUR)


async def test_a_scheduled_call_rests_until_its_time_and_then_runs_once() -> None:
    office = Office()
    result = await office.schedule(2)
    assert (result.status, result.retry_at) == ("scheduled", START.timestamp() + 2 * HOUR)
    assert [(row.run, row.status) for row in await office.store.list_runs()] == [(result.run, "scheduled")]
    assert (await office.runtime().resume(result.run)).status == "scheduled"
    assert office.posted == []
    await office.execute_for(5)
    assert office.hours == [2.0]
    ended = await office.runtime().resume(result.run)
    assert ended.value() == "posted to bob"
    assert (await office.runtime().replay(result.run)).is_identical


async def test_a_call_for_a_time_in_the_past_runs_at_once() -> None:
    office = Office()
    assert (await office.schedule(-1)).status == "done"
    assert office.hours == [0.0]


async def test_a_scheduled_run_replays_up_to_where_it_rests() -> None:
    office = Office()
    result = await office.schedule(2)
    assert (await office.runtime().replay(result.run)).is_identical


async def test_a_person_is_asked_when_the_call_is_opened_and_the_approval_holds_until_its_time() -> None:
    office = Office(risk=Risk.HIGH)
    result = await office.schedule(24 * 30)
    assert result.status == "waiting"
    row = await office.store.find_question(result.questions[0])
    assert row is not None
    assert row.question.reason == "post is high-risk; to run at 2026-12-23 09:00 UTC"
    assert row.question.expires > result.retry_at
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().decide(row.question.id, approved=True, by=by)
    await office.execute_for(24 * 31, 3600.0)
    assert office.hours == [24 * 30.0]


async def test_arguments_edited_at_an_approval_are_those_of_one_call_and_the_next_is_asked_about_as_scheduled() -> None:
    office = Office(risk=Risk.HIGH)
    run = (await office.schedule(2, "FREQ=HOURLY;COUNT=2")).run
    (row,) = await office.store.list_questions()
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().decide(row.question.id, approved=True, by=by, arguments='{"to": "carl"}')
    await office.execute_for(1)
    assert (await office.runtime().resume(run)).status == "scheduled"
    await office.execute_for(1.5)
    assert (await office.runtime().resume(run)).value() == "posted to carl"
    assert office.hours == [2.0]
    assert (await office.runtime().replay(run)).is_identical
    (row,) = await office.store.list_questions()
    assert row.question.arguments == '{"to":"bob"}'


async def test_an_approval_is_void_if_its_subject_has_changed_until_the_time() -> None:
    office = Office(risk=Risk.HIGH)
    result = await office.schedule(2)
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().decide(result.questions[0], approved=True, by=by)
    office.state = "2"
    await office.execute_for(3)
    assert office.posted == []
    waiting = await office.runtime().resume(result.run)
    assert waiting.status == "waiting"
    row = await office.store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.replaces == result.questions[0]
    assert row.question.expires <= office.now() + 8 * 24 * HOUR


async def test_a_call_that_is_denied_is_not_made_and_does_not_recur() -> None:
    office = Office(risk=Risk.HIGH)
    result = await office.schedule(2, "FREQ=HOURLY")
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().decide(result.questions[0], approved=False, by=by)
    await office.execute_for(5)
    assert office.posted == []
    assert len(await office.store.list_runs()) == 1


async def test_permissions_are_those_of_the_time_at_which_it_runs() -> None:
    office = Office()
    result = await office.schedule(2)
    office.permissions.clear()
    await office.execute_for(3)
    assert office.posted == []
    ended = await office.runtime().resume(result.run)
    assert ended.status == "failed"
    assert "letters:post" in ended.text


async def test_a_recurrence_whose_permission_is_lost_fails_at_each_of_its_times_until_it_is_back() -> None:
    office = Office()
    await office.schedule(1, "FREQ=HOURLY")
    await office.execute_for(1.5)
    granted = set(office.permissions)
    office.permissions.clear()
    await office.execute_for(3)
    failed = [row for row in await office.store.list_runs() if row.status == "failed"]
    assert [round((row.ended - START.timestamp()) / HOUR, 1) for row in failed] == [4.0, 3.0, 2.0]
    client = office.runtime().client(Principal("ada"))
    assert "letters:post" in (await client.details(failed[0].run)).error
    assert all([(await office.runtime().replay(row.run)).is_identical for row in await office.store.list_runs()])
    office.permissions.update(granted)
    await office.execute_for(2)
    assert office.hours == [1.0, 5.0, 6.0]


async def test_a_recurrence_whose_next_call_is_blocked_before_its_time_is_tried_at_its_time() -> None:
    office = Office()
    await office.schedule(1, "FREQ=HOURLY")
    await asyncio.sleep(HOUR)
    runtime = office.runtime()
    first = (await office.store.list_runs())[0].run
    await runtime.resume(first)
    office.permissions.clear()
    following = next(row.run for row in await office.store.list_runs() if row.run != first)
    result = await office.runtime().resume(following)
    assert (result.status, result.retry_at) == ("scheduled", START.timestamp() + 2 * HOUR)


async def test_a_first_call_that_rests_and_is_blocked_before_its_time_is_tried_at_its_time() -> None:
    office = Office()
    opened = await office.schedule(1, "FREQ=HOURLY")
    office.permissions.clear()
    result = await office.runtime().resume(opened.run)
    assert (result.status, result.retry_at) == ("scheduled", START.timestamp() + HOUR)
    office.permissions |= {"letters:post", "approvals:decide"}
    await office.execute_for(2.5)
    assert office.hours == [1.0, 2.0]


async def test_a_call_without_permission_is_refused_when_it_is_opened() -> None:
    office = Office()
    office.permissions.clear()
    assert (await office.schedule(2)).status == "failed"


async def test_a_scheduled_call_can_be_cancelled_and_ends_its_recurrence() -> None:
    office = Office()
    result = await office.schedule(2, "FREQ=HOURLY")
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().cancel(result.run, by=by)
    await office.execute_for(5)
    assert office.posted == []
    assert [row.status for row in await office.store.list_runs()] == ["cancelled"]


async def test_a_recurring_call_runs_at_each_of_its_times() -> None:
    office = Office()
    await office.schedule(1, "FREQ=HOURLY;COUNT=4")
    await office.execute_for(10)
    assert office.hours == [1.0, 2.0, 3.0, 4.0]
    assert {row.status for row in await office.store.list_runs()} == {"done"}


@pytest.mark.parametrize(
    ("missed", "expected"),
    [("once", [4.5, 5.0, 6.0]), ("skip", [5.0, 6.0]), ("all", [4.5, 4.5, 4.5, 4.5, 5.0, 6.0])],
)
async def test_what_was_missed_runs_late_once_or_not_or_for_each_time(missed: Missed, expected: list[float]) -> None:
    office = Office()
    await office.schedule(1, "FREQ=HOURLY", missed)
    await asyncio.sleep(4.5 * HOUR)
    await office.execute_for(2)
    assert office.hours == expected


async def test_a_single_call_that_was_missed_is_skipped_if_wished() -> None:
    office = Office()
    result = await office.schedule(1, missed="skip")
    await asyncio.sleep(2 * HOUR)
    await office.execute_for(1)
    assert office.posted == []
    ended = await office.runtime().resume(result.run)
    assert ended.status == "failed"
    assert "skipped if missed" in ended.text
    assert (await office.runtime().replay(result.run)).is_identical


@pytest.mark.parametrize("risk", [Risk.SAFE, Risk.HIGH])
async def test_a_call_that_was_interrupted_is_continued_however_late_although_it_is_skipped_if_missed(
    risk: Risk,
) -> None:
    office = Office(risk=risk)
    office.post_seconds, office.answer_seconds = 60.0, 1.0
    run = (await office.schedule(1, missed="skip")).run
    await asyncio.sleep(HOUR)
    release = asyncio.Event()
    execution = asyncio.create_task(office.runtime().resume(run, release))
    await asyncio.sleep(30)
    release.set()
    with pytest.raises(LeaseError):
        await execution
    assert office.posted == []
    await asyncio.sleep(HOUR)
    await office.execute_for(1)
    assert len(office.posted) == 1
    assert (await office.runtime().resume(run)).status == "done"


async def test_two_executors_make_each_call_once() -> None:
    office = Office()
    await office.schedule(1, "FREQ=HOURLY")
    await asyncio.gather(office.execute_for(5.5), office.execute_for(5.5))
    assert office.hours == [1.0, 2.0, 3.0, 4.0, 5.0]


async def test_the_same_key_schedules_one_call_and_another_time_is_another_request() -> None:
    office = Office()
    first = await office.schedule(2, key="k")
    assert (await office.schedule(2, key="k")).run == first.run
    with pytest.raises(IdempotencyError):
        await office.schedule(3, key="k")
    assert len(await office.store.list_runs()) == 1


async def test_a_schedule_that_is_none_is_refused_in_one_line() -> None:
    office = Office()
    by = Principal("ada", permissions=frozenset(office.permissions))
    with pytest.raises(SetupError, match="give a Schedule"):
        await office.runtime().call_by_name("post", parse_arguments("{}", Limits()), by=by, schedule="tomorrow")  # pyright: ignore[reportArgumentType]


async def test_an_execution_that_began_before_the_time_does_not_make_the_call_and_it_recurs() -> None:
    office = Office(risk=Risk.HIGH)
    office.answer_seconds = 2 * HOUR
    result = await office.schedule(1, "FREQ=DAILY")
    assert (result.status, office.posted) == ("scheduled", [])
    await office.execute_for(1)
    assert office.hours == [2.0]
    assert len(await office.store.list_runs()) == 2


async def test_a_cancelled_call_does_not_recur_even_if_its_time_came_before_anybody_ended_it() -> None:
    office = Office()
    result = await office.schedule(1, "FREQ=HOURLY")
    await office.store.request_cancel(result.run, "ada")
    await asyncio.sleep(2.5 * HOUR)
    await office.execute_for(3)
    assert office.posted == []
    assert [row.status for row in await office.store.list_runs()] == ["cancelled"]


async def test_a_run_that_is_late_does_not_recur_again_after_its_next_one_was_cancelled() -> None:
    office = Office(risk=Risk.HIGH)
    late = await office.schedule(1, "FREQ=HOURLY")
    await asyncio.sleep(1.5 * HOUR)
    assert (await office.runtime().resume(late.run)).status == "waiting"
    following = next(row.run for row in await office.store.list_runs() if row.run != late.run)
    by = Principal("ada", permissions=frozenset(office.permissions))
    await office.runtime().cancel(following, by=by)
    await asyncio.sleep(1 * HOUR)
    await office.runtime().decide(late.questions[0], approved=True, by=by)
    await office.execute_for(3)
    assert office.hours == [2.5]
    assert len(await office.store.list_runs()) == 2


async def grant(office: Office, hours: float = 20) -> str:
    by = Principal("ada", permissions=frozenset(office.permissions))
    given = await office.runtime().grants.create("post", by=by, principal="ada", count=1, expires_in=hours * HOUR)
    return given.id


async def test_a_grant_is_used_when_the_call_is_made_not_when_it_is_scheduled() -> None:
    office = Office(risk=Risk.HIGH)
    given = await grant(office)
    result = await office.schedule(2)
    assert result.status == "scheduled"
    assert (await office.runtime().replay(result.run)).is_identical
    assert [row.used for row in await office.store.list_grants(tenant="default")] == [0]
    await office.execute_for(3)
    assert office.hours == [2.0]
    assert [(row.grant.id, row.used) for row in await office.store.list_grants(tenant="default")] == [(given, 1)]
    assert (await office.runtime().replay(result.run)).is_identical


@pytest.mark.parametrize("how", ["revoked", "expired"])
async def test_a_grant_that_ended_before_the_time_approves_no_scheduled_call(how: str) -> None:
    office = Office(risk=Risk.HIGH)
    given = await grant(office, 20 if how == "revoked" else 1)
    result = await office.schedule(2)
    if how == "revoked":
        by = Principal("ada", permissions=frozenset(office.permissions))
        await office.runtime().grants.revoke(given, by=by)
    await office.execute_for(3)
    assert office.posted == []
    assert (await office.runtime().resume(result.run)).status == "waiting"
