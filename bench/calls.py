"""The cost of calls and turns: CPU time, in-process journal, ratios to a floor measured in the same run."""

from __future__ import annotations

import gc
import time
from collections.abc import AsyncIterator

from bench.world import PERSON, ToolCallingModel, measured_tool, minimum_of, runtime, time_calls, time_floor
from figures.figure import Figure, at_most
from remit import Effect

CALLS_PER_WINDOW = 400
"""Calls in one window of time, as long as that of ten times as many floors: a longer one is disturbed more."""
WINDOWS = 25
RUNS_PER_WINDOW = 100


async def calls() -> AsyncIterator[Figure]:
    """One call through the default stack, and what one more layer costs."""
    kinds = {"pure": (Effect.PURE, 0), "keyed": (Effect.KEYED, 0), "layered": (Effect.PURE, 20)}
    callees = {name: measured_tool(effect, empty_layers=empty) for name, (effect, empty) in kinds.items()}
    services = {
        name: runtime(ToolCallingModel(1), callee=callee).dispatcher.service("bench", callee)
        for name, callee in callees.items()
    }
    floors: list[float] = []
    costs: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(WINDOWS):
        gc.collect()
        floors.append(await time_floor(CALLS_PER_WINDOW * 10) / CALLS_PER_WINDOW / 10)
        for name, service in services.items():
            costs[name].append(await time_calls(service, callees[name], CALLS_PER_WINDOW) / CALLS_PER_WINDOW)
    floor, cost = min(floors), {name: min(found) for name, found in costs.items()}
    how = (
        f"CPU time of a call over that of the floor ({floor * 1e6:.2f} µs), least of {WINDOWS} "
        f"windows of {CALLS_PER_WINDOW} calls"
    )
    yield at_most("call.pure.ratio", cost["pure"] / floor, "ratio", 9, CALLS_PER_WINDOW * WINDOWS, how)
    yield at_most("call.keyed.ratio", cost["keyed"] / floor, "ratio", 12, CALLS_PER_WINDOW * WINDOWS, how)
    one = (cost["layered"] - cost["pure"]) / 20 * 1e6
    how = f"20 more empty layers, divided by 20, on a machine whose floor is {floor * 1e6:.2f} µs"
    yield at_most("layer.empty_us", one, "µs", 0.3, CALLS_PER_WINDOW * WINDOWS, how)


async def turns() -> AsyncIterator[Figure]:
    """One turn of an agent, how it grows with the history, and one of many calls in parallel."""
    floor = await minimum_of(lambda: time_floor(CALLS_PER_WINDOW * 10), WINDOWS) / CALLS_PER_WINDOW / 10
    machine = f"least of {WINDOWS}, on a machine whose floor is {floor * 1e6:.1f} µs"
    ten = await minimum_of(lambda: _turn_cost(10), WINDOWS)
    many = await minimum_of(lambda: _turn_cost(200), WINDOWS)
    how = f"CPU time of a run with one pure call each turn, divided by its turns, {machine}"
    yield at_most("turn.cpu_us", many * 1e6, "µs", 110, 200, how)
    grown = f"the cost of a turn in a run of 200 turns ({many * 1e6:.1f} µs) over one of 10 ({ten * 1e6:.1f} µs)"
    yield at_most("turn.growth_200_10", many / ten, "ratio", 1.1, 200, grown)
    one = await minimum_of(_warm_run_cost, WINDOWS)
    how = f"CPU time of a run of one pure call, by a runtime that has run before, {machine}"
    yield at_most("run.one_turn_us", one * 1e6, "µs", 450, RUNS_PER_WINDOW * WINDOWS, how)
    long = await minimum_of(lambda: _turn_cost(1000), 3) * 1000
    yield at_most(
        "run.1000_turns_s", long, "s", 0.5, 3, f"CPU time of a run of 1,000 turns with one pure call each, {machine}"
    )
    wide = await minimum_of(lambda: _turn_cost(20, wide=50), WINDOWS) / 50
    yield at_most(
        "parallel.call_us", wide * 1e6, "µs", 62, 1000, f"50 pure calls of one reply, divided by 50, {machine}"
    )
    again = await minimum_of(_replay_cost, WINDOWS)
    how = f"CPU time of replaying a run of 100 turns, per turn, {machine}"
    yield at_most("replay.turn_us", again * 1e6, "µs", 70, 100, how)


async def _turn_cost(count: int, *, wide: int = 1) -> float:
    repeats = max(1, 400 // count // wide)
    model = ToolCallingModel(count, wide=wide)
    runtimes = [runtime(model, turns=count) for _ in range(repeats)]
    gc.collect()
    started = time.process_time()
    for each in runtimes:
        (await each.run("go", by=PERSON)).value()
    return (time.process_time() - started) / count / repeats


async def _warm_run_cost() -> float:
    each = runtime(ToolCallingModel(1))
    await each.run("go", by=PERSON)
    gc.collect()
    started = time.process_time()
    for _ in range(RUNS_PER_WINDOW):
        (await each.run("go", by=PERSON)).value()
    return (time.process_time() - started) / RUNS_PER_WINDOW


async def _replay_cost() -> float:
    each = runtime(ToolCallingModel(100), turns=100)
    result = await each.run("go", by=PERSON)
    gc.collect()
    started = time.process_time()
    report = await each.replay(result.run)
    spent = time.process_time() - started
    if not report.is_identical:
        raise RuntimeError(report.difference)
    return spent / 100
