"""The sandbox in which prompts are rendered: Jinja without files, clock or randomness, and with bounded cost.

Nothing is escaped: a prompt is Markdown, and a model would read ``&lt;`` literally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_ITEMS: Final = 10_000
"""The most numbers that all ranges of one rendering may yield together, and the most items of a product."""
_MAX_BITS: Final = 4096
_RANDOM_FILTERS: Final = ("random",)
_FILLER_GLOBALS: Final = ("lipsum",)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one prompt. It can load only ``texts``; ``get_file`` gives the file of each."""

    intercepted_binops = frozenset(("*", "**"))

    def __init__(self, texts: Mapping[str, str], get_file: Callable[[str], str]) -> None:
        super().__init__(
            autoescape=False,
            undefined=StrictUndefined,
            loader=_TextLoader(texts, get_file),
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        for name in _RANDOM_FILTERS:
            del self.filters[name]
        for name in _FILLER_GLOBALS:
            del self.globals[name]

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An item of a JSON object, even if a method of dict has the same name: ``order.items``."""
        if isinstance(obj, dict) and attribute in obj:
            return cast("dict[str, Any]", obj)[attribute]
        return super().getattr(obj, attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute a product or a power, unless the result is too large."""
        whole = isinstance(left, int) and isinstance(right, int)
        if operator == "**" and whole and left.bit_length() * right > _MAX_BITS:
            raise SecurityError(f"a power of more than {_MAX_BITS:,} bits")
        if operator == "*" and not whole:
            for many, times in ((left, right), (right, left)):
                if isinstance(many, (str, list, tuple)) and len(cast("str", many)) * times > MAX_ITEMS:
                    raise SecurityError(f"a product of more than {MAX_ITEMS:,} items")
        return super().call_binop(context, operator, left, right)


class BoundedRange:
    """A ``range`` with a limit on the numbers that all ranges of one rendering yield together."""

    def __init__(self) -> None:
        self._remaining = MAX_ITEMS

    def __call__(self, *bounds: int) -> Iterator[int]:
        """Return a range."""
        for number in range(*bounds):
            self._remaining -= 1
            if self._remaining < 0:
                raise SecurityError(f"its ranges have more than {MAX_ITEMS:,} numbers")
            yield number


class _TextLoader(BaseLoader):
    """Loads the texts of one prompt and tells Jinja their files."""

    def __init__(self, texts: Mapping[str, str], get_file: Callable[[str], str]) -> None:
        self._texts = texts
        self._get_file = get_file

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], self._get_file(template), lambda: True
