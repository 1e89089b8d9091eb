"""Whatever steps a pipeline has, it ends within its rounds or by the guard; its counts add up, and it replays."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from remit import App, Effect, LeafContext, Runtime, Stack, tool
from remit.errors import ConflictError, SetupError
from remit.layers import CallLayer
from remit.pipeline import Pipeline, PipelineResult, Step, Then
from remit.testing import superuser
from tests.pipeline.mails import File, steps_of

NAMES = ["a", "b", "c", "d", "e"]
RULES = st.one_of(st.sampled_from(list(Then)), st.sampled_from(NAMES))


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[str, str | Then, str | Then, list[bool]]]:
    """Steps with where they go on, and how their calls come out, one after another; after those, well."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    comes_out = st.lists(st.booleans(), max_size=6)
    return [(name, draw(RULES), draw(RULES), draw(comes_out)) for name in names]


def built(graph: list[tuple[str, str | Then, str | Then, list[bool]]], rounds: int) -> Pipeline[File] | None:
    """The pipeline, unless it is refused."""
    coming = {name: list(comes_out) for name, _, _, comes_out in graph}

    @tool(effect=Effect.KEYED)
    async def act(ctx: LeafContext, step: str) -> str:
        """Come out as it is written."""
        if coming[step] and not coming[step].pop(0):
            raise ConflictError(f"{step} failed")
        return step

    steps = [
        Step(name=name, callee=act, takes={"step": name}, on_success=success, on_failure=failure)
        for name, success, failure, _ in graph
    ]
    try:
        return Pipeline("p", File, steps, description="Anything.", rounds=rounds)
    except SetupError:
        return None


@settings(max_examples=150)
@given(graph=graphs(), rounds=st.integers(1, 4))
async def test_it_ends_and_its_counts_add_up(graph: Any, rounds: int) -> None:
    made = built(graph, rounds)
    assume(made is not None)
    assert made is not None
    app = App(name="test", tools=(made, *steps_of(made).values()))
    runtime = Runtime(app, layers=Stack[CallLayer](), make_run_id=lambda: "r")
    result = await runtime.call(made, superuser(), File(query="x"))
    assert (await runtime.replay("r")).difference == ""
    if result.status == "failed":
        assert result.reply is not None
        assert result.reply.error is not None
        assert result.reply.error.code == "BUDGET_EXCEEDED"
        way = result.reply.error.message.rpartition(": ")[2].split(" → ")
        assert Counter(way)[way[-1]] == rounds + 1
        assert max(Counter(way[:-1]).values()) == rounds
        return
    ended: PipelineResult = result.value()
    counted = Counter(ended.path)
    assert ended.steps_executed == len(ended.path) == ended.steps_succeeded + ended.steps_failed
    assert max(counted.values()) <= rounds
    assert set(ended.results) | set(ended.failures) == set(counted)
    assert ended.steps_failed >= len(ended.failures)
    assert ended.steps_succeeded >= len(ended.results)
    assert (ended.outcome == "stopped") == (
        ended.path[-1] not in ended.results and {name: rule for name, _, rule, _ in graph}[ended.path[-1]] is Then.STOP
    )
    for before, after in zip(ended.path, ended.path[1:], strict=False):
        rules = {name: {success, failure} for name, success, failure, _ in graph}[before]
        order = [name for name, *_ in graph]
        following = {order[order.index(before) + 1]} if Then.CONTINUE in rules and before != order[-1] else set[str]()
        assert after in rules | following
