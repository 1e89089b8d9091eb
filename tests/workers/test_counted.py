"""The budget of a run counts the calls of workers below its root, once each, however often the run is driven."""

from __future__ import annotations

import pytest

from remit import Agent, Risk, Runtime
from remit.errors import BudgetError
from remit.layers import Budget
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import World
from tests.workers.kit import Script, call, read_of, runtime_of, worker_of


def scene(store: InMemoryStore, most: int) -> tuple[Runtime, Agent, Script]:
    """A worker that calls one below it, then asks a person, then calls the one below it twice."""
    inner = worker_of(Script("in").model, name="inner")
    danger = World().write("danger", risk=Risk.HIGH)
    script = Script(
        [call("inner", '{"prompt":"1"}')],
        [call("danger", '{"text":"a"}')],
        [call("inner", '{"prompt":"2"}'), call("inner", '{"prompt":"3"}', "third")],
        "done",
    )
    outer = worker_of(script.model, danger, name="outer", workers=[inner])
    return runtime_of(outer, store=store, budget=Budget(calls=most)), outer, script


@pytest.mark.parametrize(("most", "refused"), [(4, False), (3, True)])
async def test_calls_of_workers_count_once_each_over_a_resume(most: int, *, refused: bool) -> None:
    store = InMemoryStore()
    runtime, outer, _ = scene(store, most)
    result = await runtime.call(outer, superuser(), "go")
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    another, _, script = scene(store, most)
    result = await another.resume(result.run)
    assert result.value() == "done"
    last = read_of(script.requests[-1])
    assert (last[-2], BudgetError.code in last[-1]) == ("in", refused)
    assert (await another.replay(result.run)).is_identical
