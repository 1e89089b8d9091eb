"""What is known while a pipeline is under way. It holds nothing but JSON, so that it is the same in every drive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue

from remit.errors import BudgetError, CallError, InvalidArgumentsError
from remit.pipeline.references import From, Item, Reference, Text, Value
from remit.pipeline.result import StepFailure
from remit.schemas.jsontext import compact_json


class PipelineState:
    """The way so far, and what the steps gave."""

    def __init__(self, payload: JsonValue) -> None:
        self.path: list[str] = []
        self.success_count = 0
        self.results: dict[str, JsonValue] = {}
        self.failures: dict[str, StepFailure] = {}
        self._payload = payload

    def start_step(self, name: str, max_runs: int) -> None:
        """Begin a step.

        Raises:
            BudgetError: it ran ``max_runs`` times already; the message has the path.
        """
        self.path.append(name)
        if Counter(self.path)[name] > max_runs:
            way = " → ".join(self.path)
            raise BudgetError(f"the pipeline goes in a circle, and no step runs more than {max_runs} times: {way}")

    def record_result(self, name: str, result: JsonValue) -> None:
        """The step gave ``result``."""
        self.success_count += 1
        self.results[name] = result

    def record_failure(self, name: str, error: CallError) -> None:
        """The step failed, and has no result any more."""
        self.results.pop(name, None)
        self.failures[name] = StepFailure(errorCode=error.code, error=error.message)

    def resolve(self, reference: Reference, item: JsonValue = None) -> JsonValue:
        """The value that a reference names.

        Raises:
            InvalidArgumentsError: there is none.
        """
        if isinstance(reference, Text):
            return reference.template.format_map(
                {name: self._resolve_text(each, item) for name, each in reference.values.items()}
            )
        if isinstance(reference, From):
            if reference.step not in self.results:
                raise InvalidArgumentsError(f"{reference!r}: the step {reference.step} has given nothing")
            found = self.results[reference.step]
        else:
            found = item if isinstance(reference, Item) else self._payload
        try:
            for part in reference.path:
                found = cast("Any", found)[part]
        except (LookupError, TypeError) as error:
            raise InvalidArgumentsError(f"{reference!r}: there is nothing at this place") from error
        return found

    def resolve_arguments(self, takes: Mapping[str, Value], item: JsonValue = None) -> dict[str, JsonValue]:
        """What a step takes, its references found.

        Raises:
            InvalidArgumentsError: one names nothing.
        """
        return {name: self._resolve_value(each, item) for name, each in takes.items()}

    def _resolve_value(self, value: Value, item: JsonValue) -> JsonValue:
        if isinstance(value, Reference):
            return self.resolve(value, item)
        if isinstance(value, dict):
            return {name: self._resolve_value(cast("Value", each), item) for name, each in value.items()}
        if isinstance(value, list):
            return [self._resolve_value(cast("Value", each), item) for each in value]
        return value

    def _resolve_text(self, reference: Reference, item: JsonValue) -> str:
        found = self.resolve(reference, item)
        return found if isinstance(found, str) else compact_json(found)
