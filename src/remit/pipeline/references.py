"""Where the values of a step come from: what the pipeline was given, what a step gave, the element at hand.

References are data. They are checked against the contracts when a pipeline is built, and hold no code.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from remit.errors import SetupError

Value: TypeAlias = "Reference | JsonValue | list[Value] | dict[str, Value]"
"""What a step may take: JSON, with references anywhere in it."""


class Reference:
    """A place in a value: names of fields and numbers of elements, from the outside in."""

    __slots__ = ("path",)

    def __init__(self, *path: str | int) -> None:
        self.path = path

    def render_prefix(self, count: int) -> str:
        """The reference as it is written, with the first ``count`` parts of its path."""
        return f"{type(self).__name__}({', '.join(map(repr, self.path[:count]))})"

    def __repr__(self) -> str:
        return self.render_prefix(len(self.path))


class Given(Reference):
    """What the pipeline was called with: ``Given("query")``."""

    __slots__ = ()


class From(Reference):
    """What a step gave: ``From("search", "messages", 0, "id")``."""

    __slots__ = ("step",)

    def __init__(self, step: str, *path: str | int) -> None:
        super().__init__(*path)
        self.step = step

    def render_prefix(self, count: int) -> str:
        """The reference as it is written, with the first ``count`` parts of its path."""
        return f"From({', '.join(map(repr, (self.step, *self.path[:count])))})"


class Item(Reference):
    """The element at hand, in a step that is made for ``each`` element of a list: ``Item("id")``."""

    __slots__ = ()


class Text(Reference):
    """Words around values: ``Text("{n} mails are filed", n=From("store", "stored"))``.

    Raises:
        SetupError: names in the braces and values are not the same, or a brace holds more than a name.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: Reference) -> None:
        super().__init__()
        self.template = template
        self.values: Mapping[str, Reference] = values
        try:
            parts = list(_FORMATTER.parse(template))
        except ValueError as error:
            raise SetupError(f"{template!r} is no template: {error}") from error
        names = {name for _, name, spec, conversion in parts if name is not None and not spec and not conversion}
        if names != set(values) or any(spec or conversion for _, _, spec, conversion in parts):
            raise SetupError(f"{template!r} holds {sorted(names)} and is given {sorted(values)}; let them agree")

    def __repr__(self) -> str:
        return f"Text({self.template!r})"


_FORMATTER: Final = string.Formatter()


def iter_references(value: Value) -> Iterator[Reference]:
    """Every reference in a value, those inside a text too."""
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
