"""Where prompts are rendered: Jinja without files, clock or chance, and with bounds on what a mistake can cost.

Nothing is escaped: a prompt is Markdown that a model reads, and ``&lt;`` in it would be read as just that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

STEPS: Final = 10_000
"""Numbers that every ``range`` of one rendering may count together, and items that a product may have."""
_BITS: Final = 4096
_CHANCE: Final = ("random",)
_FILLER: Final = ("lipsum",)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one prompt: ``texts`` are all that it can load, ``place`` says where each is written."""

    intercepted_binops = frozenset(("*", "**"))

    def __init__(self, texts: Mapping[str, str], place: Callable[[str], str]) -> None:
        super().__init__(
            autoescape=False,
            undefined=StrictUndefined,
            loader=_Texts(texts, place),
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        for name in _CHANCE:
            del self.filters[name]
        for name in _FILLER:
            del self.globals[name]

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The item of an object of JSON, also where it is named like a method: ``order.items``."""
        if isinstance(obj, dict) and attribute in obj:
            return cast("dict[str, Any]", obj)[attribute]
        return super().getattr(obj, attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """A product or a power, if it stays small."""
        whole = isinstance(left, int) and isinstance(right, int)
        if operator == "**" and whole and left.bit_length() * right > _BITS:
            raise SecurityError(f"a power of more than {_BITS:,} bits")
        if operator == "*" and not whole:
            for many, times in ((left, right), (right, left)):
                if isinstance(many, (str, list, tuple)) and len(cast("str", many)) * times > STEPS:
                    raise SecurityError(f"a product of more than {STEPS:,} items")
        return super().call_binop(context, operator, left, right)


class Steps:
    """A ``range`` that counts what all ranges of one rendering give."""

    def __init__(self) -> None:
        self._left = STEPS

    def __call__(self, *bounds: int) -> Iterator[int]:
        """The numbers of a range."""
        for number in range(*bounds):
            self._left -= 1
            if self._left < 0:
                raise SecurityError(f"its ranges count more than {STEPS:,} numbers")
            yield number


class _Texts(BaseLoader):
    """Loads the texts of one prompt, and tells Jinja where they are written."""

    def __init__(self, texts: Mapping[str, str], place: Callable[[str], str]) -> None:
        self._texts = texts
        self._place = place

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], self._place(template), lambda: True
