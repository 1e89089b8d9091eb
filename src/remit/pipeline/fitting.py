"""Whether what a step takes is what its callee asks for, and whether what it refers to can be there."""

from __future__ import annotations

from remit.contracts.arguments import Arguments
from remit.errors import InvalidError, SetupError
from remit.pipeline.references import From, Item, Reference, Text, Value, references
from remit.pipeline.route import Route
from remit.pipeline.shapes import Shape, at, clash, elements, literal, names, shape_of
from remit.pipeline.step import Step
from remit.schemas.jsontext import compact
from remit.schemas.suggestions import near as meant


class Fitting:
    """Looks at the steps of one pipeline, which was given a payload of ``given``."""

    def __init__(self, route: Route, given: Shape) -> None:
        self._route = route
        self._given = shape_of(given)
        self._gives = {name: self._result(step) for name, step in route.steps.items()}

    def check(self, step: Step) -> None:
        """Look at one step.

        Raises:
            SetupError: naming the step and what is wrong with it.
        """
        wanted = shape_of(step.callee.schema_in.json_schema)
        known = names(wanted)
        for name in step.takes:
            if at(wanted, (name,)) is None:
                raise SetupError(f"step {step.name}: {step.callee.name} has no parameter {name!r}{near(name, known)}")
        missing = sorted(set(wanted.get("required", ())) - set(step.takes))
        if missing:
            raise SetupError(f"step {step.name}: {step.callee.name} needs {', '.join(missing)}")
        item = self._element(step)
        for name, value in step.takes.items():
            found = self._shape(step, value, item)
            parameter = at(wanted, (name,))
            if parameter is not None and clash(parameter, found):
                raise SetupError(f"step {step.name}: {name!r} of {step.callee.name} cannot take {value!r}")
        if not any(True for value in step.takes.values() for _ in references(value)):
            _check_plain(step)

    def refer(self, where: str, reference: Reference) -> None:
        """Look at a reference that is read when all is over.

        Raises:
            SetupError: there can be nothing at that place.
        """
        for each in references(reference):
            self._place(where, each, None)

    def _result(self, step: Step) -> Shape:
        shape = shape_of(step.callee.schema_out.json_schema)
        return shape if step.each is None else {"type": "array", "items": shape}

    def _element(self, step: Step) -> Shape | None:
        """The shape of the element at hand."""
        if step.each is None:
            return None
        found = elements(self._place(f"step {step.name}", step.each, None, step))
        if found is None:
            raise SetupError(f"step {step.name}: {step.each!r} is no list; `each` needs one")
        return found

    def _shape(self, step: Step, value: Value, item: Shape | None) -> Shape:
        inside = [self._place(f"step {step.name}", each, item, step) for each in references(value)]
        if isinstance(value, Text):
            return {"type": "string"}
        return inside[0] if isinstance(value, Reference) else literal(value)

    def _place(self, where: str, reference: Reference, item: Shape | None, step: Step | None = None) -> Shape:
        """The shape of what a reference names."""
        if isinstance(reference, From):
            base = self._before(where, reference, step)
        elif isinstance(reference, Item):
            if item is None:
                raise SetupError(f"{where}: {reference!r} is for a step with `each`")
            base = item
        else:
            base = self._given
        for count, part in enumerate(reference.path):
            inside = at(base, (part,))
            if inside is None:
                shown = reference.upto(count)
                raise SetupError(f"{where}: there is no {part!r} in {shown}{near(str(part), names(base))}")
            base = inside
        return base

    def _before(self, where: str, reference: From, step: Step | None) -> Shape:
        if reference.step not in self._gives:
            raise SetupError(f"{where}: there is no step {reference.step!r}{near(reference.step, list(self._gives))}")
        if step is not None and step.name not in self._route.after(reference.step):
            raise SetupError(f"{where}: {reference!r} refers to a step that cannot have run before it")
        return self._gives[reference.step]


def near(name: str, known: list[str]) -> str:
    """What was perhaps meant, else all there are, in their own order."""
    there = f"there are: {', '.join(known) or 'none'}"
    return f"; {meant(name, known, there)}"


def _check_plain(step: Step) -> None:
    """Values without a reference are bound at once, as a call would."""
    values = dict(step.takes)
    try:
        step.callee.schema_in.bind(Arguments(compact(values), values), strict=True)
    except InvalidError as error:
        raise SetupError(f"step {step.name}: {step.callee.name} cannot take {values!r}: {error.message}") from error
