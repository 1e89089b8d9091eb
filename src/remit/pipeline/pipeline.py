"""A pipeline: a callee with a body of data instead of code."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, JsonValue

from remit.call.body_context import frame_of
from remit.call.call import CallLayer, ToolLayer, to_call_layers
from remit.call.callee import UNKNOWN, Callee, Context, Frame, ReconcileResult
from remit.call.classification import Classification, Complexity
from remit.call.contract import check_name
from remit.call.facts import Effect, Facts, Risk
from remit.call.schema import Input, Output
from remit.core import Stack
from remit.core.call_checks import check_arguments, check_call
from remit.core.checks import (
    check_subclass,
)
from remit.errors import CallError, InvalidArgumentsError, SetupError
from remit.pipeline.check import StepChecker
from remit.pipeline.elements import resolve_calls, run_step
from remit.pipeline.graph import StepGraph
from remit.pipeline.references import Reference
from remit.pipeline.result import PipelineResult
from remit.pipeline.state import PipelineState
from remit.pipeline.step import Step, Then
from remit.record.arguments import Arguments

P = TypeVar("P", bound=BaseModel)

MAX_STEP_RUNS: Final = 3
"""How many times one step may run in one call of a pipeline."""

_RISKS: Final = list(Risk)


@cache
def _result_schema() -> Output[PipelineResult]:
    return Output(PipelineResult)


@check_arguments()
class Pipeline(Generic[P]):
    """A tool made of steps, each a governed call. Immutable: `layer` returns a new pipeline.

    Its facts combine those of its steps: the highest risk, all permissions, egress if one has it.

    Args:
        takes: the model of its payload.
        steps: the steps in order; execution starts with the first.
        keep: named references whose values become the ``state`` of the result.
        rounds: how many times one step may run; the limit ends a pipeline that loops.

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
        rounds: int = MAX_STEP_RUNS,
        classification: Classification | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        self.name = check_name(name, "a pipeline")
        check_subclass(f"pipeline {name}: takes", takes, BaseModel, "give a pydantic model")
        self.description = description
        self.steps: tuple[Step, ...] = tuple(steps)
        self.layers: Stack[CallLayer] = Stack()
        self._schema_in: Input[P] = Input(takes)
        self._state_references = dict(keep or {})
        self._max_step_runs = rounds
        try:
            self._graph = StepGraph(self.steps)
            self._check_steps(classification)
        except SetupError as error:
            raise SetupError(f"pipeline {name}: {error.message}") from error
        self.facts = _combine_facts(self.steps, classification, frozenset(tags))

    @property
    def schema_in(self) -> Input[P]:
        """The schema of its payload."""
        return self._schema_in

    @property
    def schema_out(self) -> Output[PipelineResult]:
        """The schema of its result."""
        return _result_schema()

    @property
    def callees(self) -> tuple[Callee[..., Any], ...]:
        """The callees of its steps."""
        return tuple(step.callee for step in self.steps)

    @property
    def body(self) -> object:
        """Its steps. Equal for copies with other layers."""
        return self._graph

    @check_call
    def layer(self, layer: ToolLayer | Stack[ToolLayer]) -> Pipeline[P]:
        """A new pipeline with ``layer`` around this one; see `Stack.layer`."""
        wrapped = copy.copy(self)
        wrapped.layers = self.layers.layer(to_call_layers(layer))
        return wrapped

    def build_arguments(self, payload: P) -> Arguments:
        """Build the arguments from a payload.

        Raises:
            InvalidArgumentsError: the payload is not this pipeline's.
        """
        return self._schema_in.dump_arguments(self._schema_in.check_payload(payload))

    def plan(self, payload: BaseModel, /) -> Iterator[tuple[Callee[..., Any], str]]:
        """The calls that the steps make if none fails, except those whose arguments depend on a result."""
        state = self._start(payload)
        name: str | None = self._graph.first_step
        while name is not None:
            step, texts = self._graph.steps[name], list[str]()
            with contextlib.suppress(InvalidArgumentsError):
                texts += resolve_calls(step, state)[0].values()
            yield from ((step.callee, text) for text in texts)
            name = self._graph.next_step(step, succeeded=True)

    async def run(self, payload: BaseModel, frame: Frame, /) -> PipelineResult:
        """Run the steps.

        Raises:
            BudgetError: a step ran too many times.
        """
        state = self._start(payload)
        outcome: Literal["done", "stopped"] = "done"
        name: str | None = self._graph.first_step
        while name is not None:
            step = self._graph.steps[name]
            state.start_step(name, self._max_step_runs)
            try:
                state.record_result(name, await run_step(step, state, frame))
            except CallError as error:
                state.record_failure(name, error)
            succeeded = name in state.results
            if not succeeded and step.on_failure is Then.STOP:
                outcome = "stopped"
            name = self._graph.next_step(step, succeeded=succeeded)
        return PipelineResult(
            outcome=outcome,
            steps_executed=len(state.path),
            steps_succeeded=state.success_count,
            steps_failed=len(state.path) - state.success_count,
            path=state.path,
            results=state.results | state.partial_results,
            failures=state.failures,
            element_failures=state.element_failures,
            state={name: _resolve_or_none(state, each) for name, each in self._state_references.items()},
        )

    def _start(self, payload: BaseModel) -> PipelineState:
        return PipelineState(json.loads(self._schema_in.dump_canonical(self._schema_in.check_payload(payload))))

    async def run_within(self, ctx: Context, payload: P) -> PipelineResult:
        """Run the steps inside the body of another operation, which the inventory governs separately."""
        return await self.run(payload, frame_of(ctx))

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN: an interrupted pipeline runs again."""
        return UNKNOWN

    def _check_steps(self, classification: Classification | None) -> None:
        checker = StepChecker(self._graph, self._schema_in.json_schema)
        for step in self.steps:
            checker.check_step(step)
        for name, reference in self._state_references.items():
            checker.check_reference(f"keep {name}", reference)
        if self._max_step_runs < 1:
            raise SetupError(f"rounds is {self._max_step_runs}; each step runs at least once")
        if classification is not None and classification.complexity is not Complexity.PIPELINE:
            raise SetupError(
                f"the complexity is {classification.complexity.value}; a pipeline needs complexity pipeline"
            )

    def __repr__(self) -> str:
        return f"Pipeline {self.name} ({' → '.join(step.name for step in self.steps)})"


def _resolve_or_none(state: PipelineState, reference: Reference) -> JsonValue:
    try:
        return state.resolve(reference)
    except InvalidArgumentsError:
        return None


def _combine_facts(steps: Iterable[Step], classification: Classification | None, tags: Iterable[str]) -> Facts:
    """The combined facts of all steps."""
    facts = [step.callee.facts for step in steps]
    return Facts(
        effect=Effect.COMPOSED,
        risk=max((each.risk for each in facts), key=_RISKS.index),
        permissions=frozenset[str]().union(*(each.permissions for each in facts)),
        egress=any(each.egress for each in facts),
        trusted=all(each.trusted for each in facts),
        tags=frozenset(tags),
        classification=classification,
    )
