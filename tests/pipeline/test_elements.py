"""A step runs for the elements of a list side by side, keeps the results of those that succeed, and replays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from remit import App, Effect, LeafContext, Risk, Runtime, Stack, tool
from remit.errors import ConflictError, SetupError
from remit.layers import CallLayer
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Then
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser

Rule = Literal["stop", "keep"]


class Batch(BaseModel):
    """A list of anything."""

    items: list[JsonValue]


class Post:
    """A letter box that takes its time, and refuses some letters."""

    def __init__(self, *, refused: tuple[str, ...] = (), delays: Mapping[str, float] | None = None) -> None:
        self.refused = refused
        self.delays = delays or {}
        self.running = 0
        self.most_running = 0
        self.started: list[str] = []
        self.sent: dict[str, str] = {}

    def pipeline(
        self, rule: Rule = "stop", concurrency: int = 8, risk: Risk = Risk.SAFE, *, looks: bool = False
    ) -> Pipeline[Batch]:
        """A pipeline that sends each item; if it looks first, the items are not known beforehand."""

        @tool(effect=Effect.PURE)
        async def look(items: list[JsonValue]) -> Batch:
            """Look at the items."""
            return Batch(items=items)

        @tool(effect=Effect.KEYED, risk=risk)
        async def send(ctx: LeafContext, letter: str) -> str:
            """Send a letter."""
            self.started.append(letter)
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            try:
                await asyncio.sleep(self.delays.get(letter, 1.0))
            finally:
                self.running -= 1
            if letter in self.refused:
                raise ConflictError(f"{letter} was refused")
            self.sent[ctx.key] = letter
            return f"sent {letter}"

        step = Step(
            name="send",
            callee=send,
            each=From("look", "items") if looks else Given("items"),
            takes={"letter": Item("to")},
            concurrency=concurrency,
            on_element_failure=rule,
            on_failure=Then.CONTINUE,
        )
        first = [Step(name="look", callee=look, takes={"items": Given("items")})] if looks else []
        return Pipeline("send_all", Batch, [*first, step], description="Send letters.")


def letters(*names: str) -> Batch:
    """A batch of letters."""
    return Batch(items=[{"to": name} for name in names])


def runtime_for(made: Pipeline[Batch], *, with_policy: bool = False, **arguments: Any) -> Runtime:
    """A runtime with the pipeline and its tools."""
    app = App(name="test", tools=(made, *made.callees))
    layers = None if with_policy else Stack[CallLayer]()
    return Runtime(app, layers=layers, directory=find_superuser, **arguments)


async def result_of(made: Pipeline[Batch], batch: Batch) -> PipelineResult:
    """The result of the pipeline, which replays."""
    runtime = runtime_for(made)
    result = await runtime.call(made, superuser(), batch)
    assert (await runtime.replay(result.run)).difference == ""
    return result.value()


@pytest.mark.looptime
async def test_elements_run_side_by_side_within_the_bound_and_results_have_their_order() -> None:
    post = Post(delays={"a": 3.0, "b": 2.0})
    result = await result_of(post.pipeline(concurrency=3), letters("a", "b", "c", "d", "e"))
    assert result.results["send"] == ["sent a", "sent b", "sent c", "sent d", "sent e"]
    assert post.most_running == 3
    assert list(post.sent.values()) == ["c", "d", "b", "a", "e"], "the order in which they ended"
    assert "element_failures" not in result.model_dump()


@pytest.mark.looptime
async def test_a_failing_element_stops_those_that_have_not_started_and_fails_the_step() -> None:
    post = Post(refused=("b",), delays={"a": 2.0})
    result = await result_of(post.pipeline(concurrency=2), letters("a", "b", "c", "d"))
    assert post.started == ["a", "b"]
    assert (result.steps_failed, result.failures["send"].error) == (1, "b was refused")
    assert result.results == {"send": ["sent a"]}, "an element that had started is kept"
    assert result.model_dump()["element_failures"] == {
        "send": [{"index": 1, "errorCode": "CONFLICT", "error": "b was refused"}]
    }


@pytest.mark.looptime
async def test_a_step_that_keeps_results_runs_every_element_and_succeeds_with_the_others() -> None:
    batch = Batch(items=[{"to": "a"}, {"to": "b"}, {"by": "nobody"}, {"to": "c"}])
    post = Post(refused=("b",))
    result = await result_of(post.pipeline("keep", concurrency=1), batch)
    assert (result.outcome, result.steps_failed, result.failures) == ("done", 0, {})
    assert result.results == {"send": ["sent a", "sent c"]}
    failures = [(each.index, each.errorCode) for each in result.element_failures["send"]]
    assert failures == [(1, "CONFLICT"), (2, "VALIDATION_ERROR")]


@pytest.mark.looptime
async def test_a_step_that_keeps_results_fails_if_there_are_none() -> None:
    result = await result_of(Post(refused=("a", "b")).pipeline("keep"), letters("a", "b"))
    assert (result.steps_failed, result.failures["send"].error) == (1, "a was refused")
    assert [each.index for each in result.element_failures["send"]] == [0, 1]
    assert (await result_of(Post().pipeline("keep"), letters())).results == {"send": []}


async def test_elements_whose_arguments_have_no_value_fail_a_stopping_step_before_it_starts() -> None:
    post = Post()
    result = await result_of(post.pipeline(), Batch(items=[{"to": "a"}, {"by": "nobody"}]))
    assert (result.failures["send"].errorCode, post.started) == ("VALIDATION_ERROR", [])


@pytest.mark.looptime
@pytest.mark.parametrize("rule", ["stop", "keep"])
async def test_all_questions_of_elements_are_open_at_once_and_a_denied_one_does_not_undo_the_others(rule: Rule) -> None:
    post, store = Post(), InMemoryStore()
    made = post.pipeline(rule, concurrency=2, risk=Risk.HIGH, looks=True)
    runtime = runtime_for(made, store=store, with_policy=True)
    batch = letters("a", "b", "c", "d", "e")
    result: RunResult[Any] = await runtime.call(made, superuser(), batch)
    (row,) = await store.list_questions()
    await runtime.decide(row.question.id, approved=True, by=superuser(name="boss"))
    result = await runtime.resume(result.run)
    assert result.status == "waiting"
    rows = [row for row in await store.list_questions() if row.status == "open"]
    assert sorted(row.question.arguments for row in rows) == [
        json.dumps({"letter": each}).replace(" ", "") for each in "abcde"
    ]
    for row in rows:
        await runtime.decide(row.question.id, approved='"b"' not in row.question.arguments, by=superuser(name="boss"))
    another = runtime_for(made, store=store, with_policy=True)
    ended: PipelineResult = (await another.resume(result.run)).value()
    assert sorted(post.sent.values()) == ["a", "c", "d", "e"]
    assert ended.results["send"] == [f"sent {each}" for each in "acde"]
    assert ended.steps_failed == (rule == "stop")
    assert ended.element_failures["send"][0].errorCode == "APPROVAL_DENIED"
    assert (await another.replay(result.run)).difference == ""


NAMES = "abcdefgh"
DELAYS = st.fixed_dictionaries({name: st.integers(0, 5).map(float) for name in NAMES})


@pytest.mark.looptime
@settings(max_examples=60, deadline=None)
@given(
    refused=st.sets(st.sampled_from(NAMES), max_size=3),
    delays=DELAYS,
    later_delays=DELAYS,
    concurrency=st.integers(1, 4),
    rule=st.sampled_from(["stop", "keep"]),
    append=st.integers(1, 25),
    after=st.booleans(),
)
async def test_whatever_order_elements_end_in_and_wherever_the_process_dies_each_runs_once_and_it_replays(
    refused: set[str],
    delays: dict[str, float],
    later_delays: dict[str, float],
    concurrency: int,
    rule: Rule,
    append: int,
    after: bool,
) -> None:
    clock = Clock()
    store = Mortal(clock)
    post = Post(refused=tuple(refused), delays=delays)
    made = post.pipeline(rule, concurrency)
    runtime = runtime_for(made, store=store, clock=clock)
    store.die_at(append, after=after)
    try:
        result: RunResult[Any] = await runtime.call(made, superuser(), letters(*NAMES))
    except Crash:
        store.revive()
        clock.now += 60.0
        rows = await store.list_runs()
        if not rows:
            assert post.started == []
            return
        post.delays = later_delays
        result = await runtime_for(made, store=store, clock=clock).resume(rows[0].run)
    ended: PipelineResult = result.value()
    failed = [each.index for each in ended.element_failures.get("send", [])]
    assert {NAMES[index] for index in failed} <= refused
    assert ended.results["send"] == [f"sent {name}" for name in NAMES if name in post.sent.values()]
    assert len(post.sent) == len(set(post.sent.values()))
    if rule == "keep" or not refused:
        assert sorted(post.sent.values()) == sorted(set(NAMES) - refused)
    assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"concurrency": 0, "each": Given("items")}, "Step: concurrency is 0; give a whole number of at least 1"),
        ({"concurrency": "2", "each": Given("items")}, "Step: concurrency is '2'; give a whole number"),
        (
            {"on_element_failure": "go", "each": Given("items")},
            "on_element_failure is 'go'; give one of 'stop', 'keep'",
        ),
        ({"concurrency": 2}, "step s: concurrency and on_element_failure are for a step with `each`"),
        ({"on_element_failure": "keep"}, "step s: concurrency and on_element_failure are for a step with `each`"),
    ],
)
def test_a_wrong_rule_for_elements_is_refused(arguments: dict[str, Any], message: str) -> None:
    @tool(effect=Effect.PURE)
    async def look() -> str:
        """Look."""
        return ""

    with pytest.raises(SetupError, match=message):
        Step(name="s", callee=look, **arguments)
