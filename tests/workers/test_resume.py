"""Questions rise from nested workers to the root, and a run goes on in another process as if nothing had happened."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, Effect, Risk, Runtime
from remit.journal.sql.store import SqlStore
from remit.record.items import AttemptEnded, Message, RunFinished, ToolOutput
from remit.runtime import RunResult
from remit.testing import superuser
from tests.runtime.kit import Clock, Crash, Mortal, World, items_of
from tests.workers.kit import Script, call, filed, read_of, runtime_of, worker_of


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def nested(world: World) -> tuple[Agent, list[Script]]:
    """Three workers deep, the innermost of which may do what needs an approval."""
    danger = world.write("danger", risk=Risk.HIGH)
    inner = Script([call("danger", '{"text":"a"}'), call("danger", '{"text":"b"}', "b")], "inner done")
    middle = Script([call("inner", '{"prompt":"in"}')], "middle done")
    outer = Script([call("middle", '{"prompt":"on"}'), call("write", '{"text":"c"}')], "outer done")
    deepest = worker_of(inner.model, danger, name="inner")
    between = worker_of(middle.model, name="middle", workers=[deepest], delegates=("danger",))
    write = world.write()
    outermost = worker_of(outer.model, write, name="outer", workers=[between], delegates=("inner", "danger"))
    return outermost, [outer, middle, inner]


async def test_questions_three_workers_deep_are_answered_and_the_run_goes_on_over_the_same_file(journal: Path) -> None:
    world = World()
    outer, _ = nested(world)
    store = SqlStore.at(journal)
    first = runtime_of(outer, store=store)
    result = await first.call(outer, superuser(), "go")
    assert (result.status, len(result.questions), world.texts) == ("waiting", 2, ["c"])
    await first.decide(result.questions[0], approved=True, by=superuser())
    await store.close()

    store = SqlStore.at(journal)
    outer, scripts = nested(world)
    second = runtime_of(outer, store=store)
    result = await second.resume(result.run)
    assert (result.status, len(result.questions), world.texts) == ("waiting", 1, ["c", "a"])
    await second.decide(result.questions[0], approved=False, by=superuser(), reason="not b")
    result = await second.resume(result.run)
    assert (result.value(), world.texts) == ("outer done", ["c", "a"])
    assert [len(script.requests) for script in scripts] == [1, 1, 1], "each is asked for its last answer alone"
    assert "not b" in read_of(scripts[2].requests[-1])[1]
    report = await second.replay(result.run)
    assert (report.difference, report.compared_count) == ("", 3 * 2 + 6 + 6)
    await store.close()


LIFETIME = 60.0


class Scene:
    """A world, a store in it, and as many processes as are needed."""

    def __init__(self, effect: Effect) -> None:
        self.world, self.clock = World(), Clock()
        self.store = Mortal(self.clock)
        self._effect = effect

    def process(self) -> tuple[Runtime, Agent]:
        """A new process that comes to the same data."""
        self.store.revive()
        self.clock.now += LIFETIME
        write = self.world.write(effect=self._effect)
        helping = Script([call("write", '{"text":"c"}'), call("write", '{"text":"d"}', "d")], "helped")
        script = Script(
            [call("write", '{"text":"a"}'), call("write", '{"text":"b"}', "b"), call("helper", '{"prompt":"c"}')],
            [call("write", '{"text":"a"}')],
            "done",
        )
        helper = worker_of(helping.model, write, name="helper")
        worker = worker_of(script.model, write, workers=[helper])
        return runtime_of(worker, store=self.store, clock=self.clock), worker

    async def told(self, runtime: Runtime, result: RunResult[Any]) -> RunResult[Any]:
        """Drive on, while a person tells truly what became of what was cut off."""
        while result.status == "waiting":
            for row in await self.store.list_questions():
                text = json.loads(row.question.arguments)["text"]
                ended = [item for item in await items_of(self.store, result.run) if isinstance(item, AttemptEnded)]
                known = sum(item.content == f"wrote {text}" for item in ended)
                happened = self.world.ran.count(text) > known
                await runtime.decide(row.question.id, approved=happened, by=superuser(), result=f"wrote {text}")
            result = await runtime.resume(result.run)
        return result

    async def judge(self, result: RunResult[Any]) -> None:
        """What must hold when all is over."""
        items = await items_of(self.store, result.run)
        ends = Counter(item.call for item in items if isinstance(item, ToolOutput))
        assert (result.status, result.value()) == ("done", "done")
        assert (set(ends.values()), len(ends)) == ({1}, 7), "one end for each call"
        assert sorted(self.world.texts if self._effect is Effect.KEYED else self.world.ran) == ["a", "a", "b", "c", "d"]
        assert [item for item in items if isinstance(item, RunFinished)] == [items[-1]]
        assert len([item for item in items if isinstance(item, Message) and item.request]) == 5
        assert (await self.process()[0].replay(result.run)).difference == ""


@pytest.mark.parametrize("effect", [Effect.KEYED, Effect.UNSAFE], ids=["keyed", "unsafe"])
@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_worker_whose_process_dies_at_any_append_is_finished_by_another(effect: Effect, *, after: bool) -> None:
    for append in range(1, 100):
        scene = Scene(effect)
        runtime, worker = scene.process()
        scene.store.die_at(append, after=after)
        try:
            result = await scene.told(runtime, await runtime.call(worker, superuser(), "go"))
        except Crash:
            another, _ = scene.process()
            rows = await scene.store.list_runs()
            if rows:
                await scene.judge(await scene.told(another, await another.resume(rows[0].run)))
            continue
        assert append > 3, "it died at every append that there is"
        await scene.judge(result)
        return
    pytest.fail("it never came to its end")


async def child(journal: Path, verb: str, *words: str) -> tuple[int, dict[str, Any]]:
    """A process that does one thing."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.workers.child", str(journal), verb, *words, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, json.loads(out or b"{}")


@pytest.mark.process
async def test_killed_after_one_of_three_parallel_calls_has_ended_the_other_two_run_once(journal: Path) -> None:
    (journal.parent / "DIE").touch()
    code, _ = await child(journal, "run")
    assert code == -signal.SIGKILL
    (journal.parent / "DIE").unlink()
    store = SqlStore.at(journal)
    (row,) = await store.list_runs()
    ended = [item.callee for item in await filed(store, row.run, ToolOutput)]
    assert ended == ["first"], "the others were under way"
    await store.close()
    code, said = await child(journal, "resume", row.run)
    assert (code, said["text"]) == (0, "done")
    lines = (journal.parent / "DONE").read_text().splitlines()
    keys = {name: {line for line in lines if line.endswith(name)} for name in ("first", "second", "third")}
    assert [len(each) for each in keys.values()] == [1, 1, 1], "one effect for each key"
    assert lines.count(next(iter(keys["first"]))) == 1, "what had ended is not done again"
