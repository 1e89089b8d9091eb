"""A pipeline waits for a person in a step, survives a crash at every write, replays, and is cancelled, like any run."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from remit import Effect, LeafContext, Risk, Runtime, tool
from remit.errors import ExternalError
from remit.pipeline import From, Given, PipelineResult, Step, Then
from remit.record.items import RunFinished, ToolOutput
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.pipeline.mails import File, Mailbox, Mails, pipeline, raising, runtime_of
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of

LIFETIME = 60.0


async def decided(runtime: Runtime, *, approved: bool) -> None:
    """Decide the one question that is open."""
    (row,) = await runtime.store.list_questions()
    assert row.question.tool == "store"
    await runtime.decide(row.question.id, approved=approved, by=superuser(), reason="" if approved else "not these")


def risky(box: Mailbox) -> Mails:
    """A pipeline whose third step is asked about; on a no it goes on."""
    high = box.store(Effect.KEYED, Risk.HIGH)
    note = Step(name="note", callee=box.note(), takes={"casefile": "cf_1", "text": "done"})
    steps = box.steps(store={"callee": high, "on_failure": Then.CONTINUE})
    return pipeline(*[each for each in steps.values() if each.name != "note"], note)


@pytest.mark.parametrize("approved", [True, False], ids=["approved", "refused"])
async def test_a_step_asks_a_person_and_another_process_goes_on_from_there(approved: bool) -> None:
    box, store = Mailbox(), InMemoryStore()
    made = risky(box)
    first = runtime_of(made, store=store, directory=find_superuser)
    result: RunResult[Any] = await first.call(made, superuser(), File(query="x"))
    assert result.status == "waiting"
    (row,) = await store.list_questions()
    assert (row.question.tool, box.done) == ("file_mail", []), "the pipeline is of the risk of its riskiest step"
    await first.decide(row.question.id, approved=True, by=superuser())
    result = await runtime_of(made, store=store, directory=find_superuser).resume(result.run)
    assert (result.status, box.done) == ("waiting", ["search x", "read m1", "read m2"])

    await decided(first, approved=approved)
    result = await runtime_of(made, store=store, directory=find_superuser).resume(result.run)
    ended: PipelineResult = result.value()
    assert (ended.outcome, ended.path, ended.steps_failed) == (
        "done",
        ["search", "read", "store", "note"],
        1 - approved,
    )
    assert {each.errorCode for each in ended.failures.values()} == (set() if approved else {"APPROVAL_DENIED"})
    done = ["search x", "read m1", "read m2", "store 2 in cf_1", "note 'done'"]
    assert [each for each in done if approved or not each.startswith("store")] == box.done
    assert (await runtime_of(made, store=store).replay(result.run)).difference == ""


class Scene:
    """A mailbox, a journal, and as many processes as are needed."""

    def __init__(self, *, failing: bool) -> None:
        self.clock = Clock()
        self.store = Mortal(self.clock)
        self.box = Mailbox()
        self.effects: dict[str, str] = {}
        self._failing = failing
        self._failed = set[str]()

    def process(self) -> tuple[Runtime, Mails]:
        """A new process that comes to the same data."""
        self.store.revive()
        self.clock.now += LIFETIME
        effects, failed, failing = self.effects, self._failed, self._failing

        @tool(effect=Effect.KEYED)
        async def put(ctx: LeafContext, casefile: str, text: str) -> str:
            """Put something down, once for a key. The first call of all fails, where failing is wanted."""
            if failing and (not failed or ctx.key in failed):
                failed.add(ctx.key)
                raise ExternalError("it did not work")
            effects.setdefault(ctx.key, text)
            return text

        takes: dict[str, Any] = {"casefile": Given("casefile"), "text": From("search", "messages", 0, "id")}
        steps = self.box.steps(store={"callee": put, "takes": takes, "on_failure": "read"})
        note = Step(name="note", callee=put, takes={"casefile": "cf_1", "text": From("store")})
        made = pipeline(steps["search"], steps["read"], steps["store"], note)
        return runtime_of(made, store=self.store, clock=self.clock, directory=find_superuser), made

    async def judge(self, result: RunResult[Any]) -> None:
        """What must hold when all is over."""
        ended: PipelineResult = result.value()
        path = ["search", *["read", "store"] * (1 + self._failing), "note"]
        assert (ended.outcome, ended.path, ended.steps_failed) == ("done", path, int(self._failing))
        assert sorted(self.effects.values()) == ["m1", "m1"], "each write happened once"
        items = await items_of(self.store, result.run)
        ends = Counter(item.call for item in items if isinstance(item, ToolOutput))
        assert set(ends.values()) == {1}, "one end for each call"
        assert len(ends) == 6 + 3 * self._failing
        assert [item for item in items if isinstance(item, RunFinished)] == [items[-1]]
        runtime, _ = self.process()
        assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
@pytest.mark.parametrize("failing", [False, True], ids=["straight", "with a failure that leads back"])
async def test_wherever_its_process_dies_another_finishes_it(after: bool, failing: bool) -> None:
    for append in range(1, 100):
        scene = Scene(failing=failing)
        runtime, made = scene.process()
        scene.store.die_at(append, after=after)
        try:
            result: RunResult[Any] = await runtime.call(made, superuser(), File(query="x"))
        except Crash:
            another, _ = scene.process()
            rows = await scene.store.list_runs()
            if not rows:
                assert scene.effects == {}, "what was never opened has done nothing"
                continue
            await scene.judge(await another.resume(rows[0].run))
        else:
            assert append > 5, "it died at every append that there is"
            await scene.judge(result)
            return
    pytest.fail("it never came to its end")


@pytest.mark.looptime
async def test_a_crash_between_the_attempts_of_a_step_does_not_change_how_it_ends() -> None:
    for append in range(2, 100):
        box, clock = Mailbox(), Clock()
        store = Mortal(clock)
        box.failing["store"] = raising(ExternalError, 2)
        made = box.filing(store={"retry": 2})
        runtime = runtime_of(made, store=store, clock=clock, directory=find_superuser)
        store.die_at(append, after=True)
        try:
            result: RunResult[Any] = await runtime.call(made, superuser(), File(query="x"))
        except Crash:
            store.revive()
            clock.now += LIFETIME
            (row,) = await store.list_runs()
            result = await runtime.resume(row.run)
        else:
            assert append > 6
            return
        ended: PipelineResult = result.value()
        assert (ended.outcome, ended.steps_failed) == ("done", 0)
        keys = set(box.keys["store"])
        assert len(keys) == 1, "all attempts have one key"
    pytest.fail("it never came to its end")


async def test_a_pipeline_that_is_cancelled_ends_and_starts_no_further_step() -> None:
    box, begun = Mailbox(), asyncio.Event()

    @tool(effect=Effect.PURE)
    async def hang() -> str:
        """Hang."""
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    hanging = Step(name="hang", callee=hang, on_failure=Then.CONTINUE)
    steps = box.steps()
    made = pipeline(steps["search"], hanging, steps["read"])
    runtime = runtime_of(made, directory=find_superuser)
    running = asyncio.ensure_future(runtime.call(made, superuser(), File(query="x")))
    await begun.wait()
    (row,) = await runtime.store.list_runs()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended = await runtime.cancel(row.run, by=superuser())
    assert ended is not None
    assert ended.status == "cancelled"
    assert box.done == ["search x"]
    items = await items_of(runtime.store, row.run)
    assert [item.callee for item in items if isinstance(item, ToolOutput) and item.outcome == "ok"] == ["search"]
