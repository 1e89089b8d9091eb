"""A pipeline: a callee whose body is data."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, JsonValue

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer, ToolLayer, as_calls
from remit.contracts.callee import UNKNOWN, Callee, Context, Found, Frame
from remit.contracts.classification import Classification, Complexity
from remit.contracts.contract import check_name
from remit.contracts.facts import Effect, Facts, Risk
from remit.contracts.schema import Input, Output
from remit.core import Stack
from remit.errors import CallError, InvalidError, OutputError, SetupError, from_reply
from remit.pipeline.fitting import Fitting
from remit.pipeline.references import Reference
from remit.pipeline.result import PipelineResult
from remit.pipeline.route import Route
from remit.pipeline.step import Step, Then
from remit.pipeline.track import Track
from remit.schemas.jsontext import compact

P = TypeVar("P", bound=BaseModel)

ROUNDS: Final = 3
"""How often one step may run in one call of a pipeline."""

_RISKS: Final = list(Risk)


@cache
def _output() -> Output[PipelineResult]:
    return Output(PipelineResult)


class Pipeline(Generic[P]):
    """A tool made of steps, each a call through the one door. Immutable: `layer` gives a new pipeline.

    Its facts are those of its steps taken together: the highest risk, all permissions, egress if one has it.

    Args:
        takes: the model of what it is called with.
        steps: in order; the first is the first.
        keep: references under names, which the result has as its ``state``.
        rounds: how often one step may run; a pipeline that wants more goes in a circle, and is stopped.

    Raises:
        SetupError: the steps do not fit; the message names the step.
    """

    def __init__(
        self,
        name: str,
        takes: type[P],
        steps: Iterable[Step],
        *,
        description: str,
        keep: Mapping[str, Reference] | None = None,
        rounds: int = ROUNDS,
        classification: Classification | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        self.name = check_name(name)
        self.description = description
        self.steps = tuple(steps)
        self.layers: Stack[CallLayer] = Stack()
        self._schema_in: Input[P] = Input(takes)
        self._keep = dict(keep or {})
        self._rounds = rounds
        try:
            self._route = Route(self.steps)
            self._check(classification)
        except SetupError as error:
            raise SetupError(f"pipeline {name}: {error.message}") from error
        self.facts = _facts(self.steps, classification, tags)

    @property
    def schema_in(self) -> Input[P]:
        """The payload it takes."""
        return self._schema_in

    @property
    def schema_out(self) -> Output[PipelineResult]:
        """How it came out."""
        return _output()

    @property
    def callees(self) -> tuple[Callee[..., Any], ...]:
        """What its steps call."""
        return tuple(step.callee for step in self.steps)

    @property
    def body(self) -> object:
        """What it runs: its steps, whichever layers stand around them."""
        return self._route

    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Pipeline[P]:
        """A new pipeline with ``layer`` around this one; the one attached last is outermost."""
        more = copy.copy(self)
        more.layers = Stack(as_calls(layer), self.layers)
        return more

    def arguments(self, payload: P) -> Arguments:
        """The arguments that a payload stands for.

        Raises:
            InvalidError: it is none of this pipeline.
        """
        return self._schema_in.arguments(self._schema_in.check(payload))

    async def run(self, payload: BaseModel, frame: Frame, /) -> PipelineResult:
        """Go from step to step.

        Raises:
            BudgetError: it goes in a circle.
        """
        track = Track(json.loads(self._schema_in.canonical(self._schema_in.check(payload))))
        outcome: Literal["done", "stopped"] = "done"
        name: str | None = self._route.first
        while name is not None:
            step = self._route.steps[name]
            track.enter(name, self._rounds)
            try:
                track.succeed(name, await _made(step, track, frame))
            except CallError as error:
                track.fail(name, error)
            well = name in track.results
            if not well and step.on_failure is Then.STOP:
                outcome = "stopped"
            name = self._route.next(step, well=well)
        return PipelineResult(
            outcome=outcome,
            steps_executed=len(track.path),
            steps_succeeded=track.succeeded,
            steps_failed=len(track.path) - track.succeeded,
            path=track.path,
            results=track.results,
            failures=track.failures,
            state={name: _kept(track, each) for name, each in self._keep.items()},
        )

    async def within(self, ctx: Context, payload: P) -> PipelineResult:
        """Go from step to step as part of another body, one that an inventory governs as its own."""
        return await self.run(payload, cast("Frame", ctx))

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> Found:
        """A pipeline is driven again; there is nothing to find out."""
        return UNKNOWN

    def _check(self, classification: Classification | None) -> None:
        fitting = Fitting(self._route, self._schema_in.json_schema)
        for step in self.steps:
            fitting.check(step)
        for name, reference in self._keep.items():
            fitting.refer(f"keep {name}", reference)
        if self._rounds < 1:
            raise SetupError(f"rounds is {self._rounds}; each step runs at least once")
        if classification is not None and classification.complexity is not Complexity.PIPELINE:
            raise SetupError(f"its complexity is {classification.complexity.value}; classify it as a pipeline")

    def __repr__(self) -> str:
        return f"Pipeline {self.name} ({' → '.join(step.name for step in self.steps)})"


async def _made(step: Step, track: Track, frame: Frame) -> JsonValue:
    """What a step gives.

    Raises:
        CallError: it failed.
    """
    if step.each is None:
        return await _called(step, track.values(step.takes), frame)
    found = track.find(step.each)
    if not isinstance(found, list):
        raise InvalidError(f"{step.each!r} is no list today")
    return [await _called(step, track.values(step.takes, item), frame) for item in found]


async def _called(step: Step, values: dict[str, JsonValue], frame: Frame) -> JsonValue:
    """What one call gives, as its content says it: the same when a journal tells of it."""
    reply = await frame.reply(step.callee, compact(values))
    if reply.outcome != "ok":
        raise from_reply(reply.content)
    try:
        return step.callee.schema_out.plain(reply.content)
    except ValueError as error:
        raise OutputError(f"what {step.callee.name} gave is not what its contract says") from error


def _kept(track: Track, reference: Reference) -> JsonValue:
    try:
        return track.find(reference)
    except InvalidError:
        return None


def _facts(steps: Iterable[Step], classification: Classification | None, tags: Iterable[str]) -> Facts:
    """The facts of all steps together."""
    facts = [step.callee.facts for step in steps]
    return Facts(
        effect=Effect.COMPOSED,
        risk=max((each.risk for each in facts), key=_RISKS.index),
        permissions=frozenset[str]().union(*(each.permissions for each in facts)),
        egress=any(each.egress for each in facts),
        trusted=all(each.trusted for each in facts),
        entities=frozenset[str]().union(*(each.entities for each in facts)),
        tags=frozenset(tags),
        classification=classification,
    )
