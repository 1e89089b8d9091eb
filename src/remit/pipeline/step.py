"""A step: a callee, its arguments, and the next step."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field, PositiveInt

from remit.call.call import CallLayer
from remit.call.callee import Callee, check_callee
from remit.call.facts import Effect
from remit.call.tool import Tool
from remit.core import Place, Stack
from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.layers.retry import Retry
from remit.pipeline.references import Reference, Value

DEFAULT_CONCURRENCY: Final = 8
MAX_RETRIES: Final = 3
RETRYABLE_EFFECTS: Final = (Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED)


class Then(enum.Enum):
    """What follows a step, other than a named step."""

    CONTINUE = "continue"
    """The next step in order; after the last one the pipeline is done."""
    STOP = "stop"
    """Nothing; the pipeline ends."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a pipeline, or one call per element of a list.

    Args:
        callee: the tool or agent to call, with its own layers and under the run's policy.
        takes: the arguments by name: JSON that may contain references.
        each: a list; the callee is called for each element, and the result is the list of results in that order.
        concurrency: how many elements run side by side.
        on_element_failure: with "stop", no further element starts once one has failed, and the step fails. With "keep",
            all elements run, and the result is the list of those that succeed; the step fails only if none does.
        on_success, on_failure: what follows: a `Then`, or the name of a step.
        retry: how many times a failed call is retried, at most three times. The tool's own `Retry` does so within one
        call, with the same key and without a second question.

    Raises:
        SetupError: the call cannot be retried like this.
    """

    name: Name
    callee: Callee[..., Any]
    takes: Mapping[str, Value] = field(default_factory=dict[str, Value])
    each: Reference | None = None
    concurrency: PositiveInt = DEFAULT_CONCURRENCY
    on_element_failure: Literal["stop", "keep"] = "stop"
    on_success: str | Then = Then.CONTINUE
    on_failure: str | Then = Then.STOP
    retry: Annotated[int, Field(ge=0, le=MAX_RETRIES)] = 0

    def __post_init__(self) -> None:
        where = f"step {self.name}"
        check_callee(f"{where}: callee", self.callee)
        self._check_elements(where)
        if self.retry:
            object.__setattr__(self, "callee", self._with_retry())

    def _check_elements(self, where: str) -> None:
        if self.each is None and (self.concurrency, self.on_element_failure) != (DEFAULT_CONCURRENCY, "stop"):
            raise SetupError(f"{where}: concurrency and on_element_failure are for a step with `each`")

    def _with_retry(self) -> Tool[..., Any]:
        """Return the tool with a `Retry` of ``attempts``, instead of its own `Retry` if it has one."""
        tool = self.callee
        if not isinstance(tool, Tool) or tool.facts.effect not in RETRYABLE_EFFECTS:
            unsafe = tool.facts.effect is Effect.UNSAFE
            why = "a failed call may have had its effect" if unsafe else "its own calls are retried"
            raise SetupError(f"step {self.name}: {tool.name} is not retried as a whole: {why}; leave retry out")
        attempts = self.retry + 1
        own = next((layer for layer in tool.layers if isinstance(layer, Retry)), None)
        retry = Retry(attempts=attempts) if own is None else replace(own, attempts=attempts)
        return tool.with_layers(_insert_retry(tool.layers, retry))


def _insert_retry(layers: Stack[CallLayer], retry: Retry) -> Stack[CallLayer]:
    """The layers with ``retry`` instead of each `Retry`, or else around the timeout, or else innermost."""
    if layers.has_place(Place.RETRY):
        return Stack(*(retry if isinstance(layer, Retry) else layer for layer in layers))
    places = [layer.place for layer in layers]
    index = places.index(Place.TIMEOUT) if Place.TIMEOUT in places else len(places)
    return Stack(*layers.layers[:index], retry, *layers.layers[index:])
