"""References to values: the payload of the pipeline, the result of a step, or the current element.

References are data without code. They are checked against the contracts when a pipeline is built.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.errors import SetupError

Value: TypeAlias = "Reference | JsonValue | list[Value] | dict[str, Value]"
"""An argument of a step: JSON that may contain references."""


@check_arguments()
class Reference:
    """A place in a value: field names and element indexes, from the outside in."""

    __slots__ = ("path",)

    def __init__(self, *path: str | int) -> None:
        self.path = path

    def render_prefix(self, count: int) -> str:
        """The reference as written, with the first ``count`` parts of its path."""
        return f"{type(self).__name__}({', '.join(map(repr, self.path[:count]))})"

    def __repr__(self) -> str:
        return self.render_prefix(len(self.path))


class Given(Reference):
    """A value of the pipeline's payload: ``Given("query")``."""

    __slots__ = ()


@check_arguments()
class From(Reference):
    """A value of a step's result: ``From("search", "messages", 0, "id")``."""

    __slots__ = ("step",)

    def __init__(self, step: Name, *path: str | int) -> None:
        super().__init__(*path)
        self.step = step

    def render_prefix(self, count: int) -> str:
        """The reference as written, with the first ``count`` parts of its path."""
        return f"From({', '.join(map(repr, (self.step, *self.path[:count])))})"


class Item(Reference):
    """A value of the current element, in a step with ``each``: ``Item("id")``."""

    __slots__ = ()


@check_arguments()
class Text(Reference):
    """A text with values: ``Text("{n} mails are filed", n=From("store", "stored"))``.

    Raises:
        SetupError: the names in braces and the values differ, or braces contain more than a name.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: Reference) -> None:
        super().__init__()
        self.template = template
        self.values: Mapping[str, Reference] = values
        try:
            parts = list(_FORMATTER.parse(template))
        except ValueError as error:
            raise SetupError(f"{template!r} is not a template: {error}") from error
        names = {name for _, name, spec, conversion in parts if name is not None and not spec and not conversion}
        if names != set(values) or any(spec or conversion for _, _, spec, conversion in parts):
            raise SetupError(f"{template!r} holds {sorted(names)} but gets {sorted(values)}; make them equal")

    def __repr__(self) -> str:
        return f"Text({self.template!r})"


_FORMATTER: Final = string.Formatter()


def iter_references(value: Value) -> Iterator[Reference]:
    """Every reference in a value, including those inside texts."""
    if isinstance(value, Text):
        yield from value.values.values()
    elif isinstance(value, Reference):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from iter_references(cast("Value", part))
    elif isinstance(value, list):
        for part in value:
            yield from iter_references(cast("Value", part))
