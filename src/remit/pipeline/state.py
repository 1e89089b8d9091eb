"""The state of a running pipeline. It contains only JSON, so every execution sees the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue

from remit.errors import BudgetError, CallError, InvalidArgumentsError
from remit.pipeline.references import From, Item, Reference, Text, Value
from remit.pipeline.result import ElementFailure, StepFailure
from remit.schemas.jsontext import compact_json


class PipelineState:
    """The path so far, and the results of the steps."""

    def __init__(self, payload: JsonValue) -> None:
        self.path: list[str] = []
        self.success_count = 0
        self.results: dict[str, JsonValue] = {}
        self.failures: dict[str, StepFailure] = {}
        self.partial_results: dict[str, JsonValue] = {}
        self.element_failures: dict[str, list[ElementFailure]] = {}
        self._payload = payload

    def start_step(self, name: str, max_runs: int) -> None:
        """Start a step.

        Raises:
            BudgetError: it ran ``max_runs`` times already; the message has the path.
        """
        self.path.append(name)
        self.partial_results.pop(name, None)
        self.element_failures.pop(name, None)
        if Counter(self.path)[name] > max_runs:
            way = " → ".join(self.path)
            raise BudgetError(f"the pipeline loops; no step may run more than {max_runs} times: {way}")

    def record_result(self, name: str, result: JsonValue) -> None:
        """Record the result of a step."""
        self.success_count += 1
        self.results[name] = result

    def record_failure(self, name: str, error: CallError) -> None:
        """Record the failure of a step, and drop its earlier result."""
        self.results.pop(name, None)
        self.failures[name] = StepFailure(errorCode=error.code, error=error.message)

    def record_elements(self, name: str, results: list[JsonValue], errors: Mapping[int, CallError]) -> None:
        """Record the errors of a step's elements by index, and the results of the others."""
        self.partial_results[name] = results
        self.element_failures[name] = [
            ElementFailure(index=index, errorCode=error.code, error=error.message)
            for index, error in sorted(errors.items())
        ]

    def resolve(self, reference: Reference, item: JsonValue = None) -> JsonValue:
        """The value of a reference.

        Raises:
            InvalidArgumentsError: it does not exist.
        """
        if isinstance(reference, Text):
            return reference.template.format_map(
                {name: self._resolve_text(each, item) for name, each in reference.values.items()}
            )
        if isinstance(reference, From):
            if reference.step not in self.results:
                raise InvalidArgumentsError(f"{reference!r}: the step {reference.step} has no result")
            found = self.results[reference.step]
        else:
            found = item if isinstance(reference, Item) else self._payload
        try:
            for part in reference.path:
                found = cast("Any", found)[part]
        except (LookupError, TypeError) as error:
            raise InvalidArgumentsError(f"{reference!r}: there is no value at this place") from error
        return found

    def resolve_arguments(self, takes: Mapping[str, Value], item: JsonValue = None) -> dict[str, JsonValue]:
        """The arguments of a step with its references resolved.

        Raises:
            InvalidArgumentsError: a reference has no value.
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
