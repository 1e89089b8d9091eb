"""Checks that the arguments of a step fit its callee, and that its references can resolve."""

from __future__ import annotations

from remit.errors import InvalidArgumentsError, SetupError
from remit.pipeline.graph import StepGraph
from remit.pipeline.json_paths import (
    Shape,
    are_disjoint,
    element_shape,
    field_names,
    inline_shape,
    literal_shape,
    shape_at,
)
from remit.pipeline.references import From, Item, Reference, Text, Value, iter_references
from remit.pipeline.step import Step
from remit.record.arguments import Arguments
from remit.schemas.jsontext import compact_json
from remit.schemas.suggestions import suggest as meant


class StepChecker:
    """Checks the steps of one pipeline whose payload has ``input_schema``."""

    def __init__(self, graph: StepGraph, input_schema: Shape) -> None:
        self._graph = graph
        self._input_shape = inline_shape(input_schema)
        self._result_shapes = {name: self._result_shape(step) for name, step in graph.steps.items()}

    def check_step(self, step: Step) -> None:
        """Check one step.

        Raises:
            SetupError: names the step and the problem.
        """
        expected = inline_shape(step.callee.schema_in.json_schema)
        known = field_names(expected)
        for name in step.takes:
            if shape_at(expected, (name,)) is None:
                raise SetupError(
                    f"step {step.name}: {step.callee.name} has no parameter {name!r}{suggestion_suffix(name, known)}"
                )
        missing = sorted(set(expected.get("required", ())) - set(step.takes))
        if missing:
            raise SetupError(f"step {step.name}: {step.callee.name} needs {', '.join(missing)}")
        item = self._element_shape(step)
        for name, value in step.takes.items():
            found = self._value_shape(step, value, item)
            parameter = shape_at(expected, (name,))
            if parameter is not None and are_disjoint(parameter, found):
                raise SetupError(f"step {step.name}: {name!r} of {step.callee.name} cannot take {value!r}")
        if not any(True for value in step.takes.values() for _ in iter_references(value)):
            _check_constants(step)

    def check_reference(self, where: str, reference: Reference) -> None:
        """Check a reference that is resolved after the last step.

        Raises:
            SetupError: nothing can exist at that place.
        """
        for each in iter_references(reference):
            self._reference_shape(where, each, None)

    def _result_shape(self, step: Step) -> Shape:
        shape = inline_shape(step.callee.schema_out.json_schema)
        return shape if step.each is None else {"type": "array", "items": shape}

    def _element_shape(self, step: Step) -> Shape | None:
        """The shape of the current element."""
        if step.each is None:
            return None
        found = element_shape(self._reference_shape(f"step {step.name}", step.each, None, step))
        if found is None:
            raise SetupError(f"step {step.name}: {step.each!r} is not a list; `each` needs one")
        return found

    def _value_shape(self, step: Step, value: Value, item: Shape | None) -> Shape:
        inside = [self._reference_shape(f"step {step.name}", each, item, step) for each in iter_references(value)]
        if isinstance(value, Text):
            return {"type": "string"}
        return inside[0] if isinstance(value, Reference) else literal_shape(value)

    def _reference_shape(self, where: str, reference: Reference, item: Shape | None, step: Step | None = None) -> Shape:
        """The shape of the value that a reference names."""
        if isinstance(reference, From):
            base = self._step_result_shape(where, reference, step)
        elif isinstance(reference, Item):
            if item is None:
                raise SetupError(f"{where}: {reference!r} is only for a step with `each`")
            base = item
        else:
            base = self._input_shape
        for count, part in enumerate(reference.path):
            inside = shape_at(base, (part,))
            if inside is None:
                parent = reference.render_prefix(count)
                raise SetupError(
                    f"{where}: there is no {part!r} in {parent}{suggestion_suffix(str(part), field_names(base))}"
                )
            base = inside
        return base

    def _step_result_shape(self, where: str, reference: From, step: Step | None) -> Shape:
        if reference.step not in self._result_shapes:
            raise SetupError(
                f"{where}: there is no step "
                f"{reference.step!r}{suggestion_suffix(reference.step, list(self._result_shapes))}"
            )
        if step is not None and step.name not in self._graph.reachable_from(reference.step):
            raise SetupError(f"{where}: {reference!r} refers to a step that cannot have run before it")
        return self._result_shapes[reference.step]


def suggestion_suffix(name: str, known: list[str]) -> str:
    """A suggestion for a mistyped name, or else the list of names."""
    listing = f"available: {', '.join(known) or 'none'}"
    return f"; {meant(name, known, listing)}"


def _check_constants(step: Step) -> None:
    """Bind arguments without references now, as a call would later."""
    values = dict(step.takes)
    try:
        step.callee.schema_in.bind(Arguments(compact_json(values), values), strict=True)
    except InvalidArgumentsError as error:
        raise SetupError(f"step {step.name}: {step.callee.name} cannot take {values!r}: {error.message}") from error
