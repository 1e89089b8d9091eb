"""The prompt of a worker: a Jinja template whose output depends only on the input.

A resumed run therefore sends the model the same request.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from remit.errors import InternalError, InvalidArgumentsError
from remit.schemas.finding import Finding
from remit.workers.prompt_texts import MAIN_TEMPLATE, IncludeReference, file_of_text

if TYPE_CHECKING:
    from remit.workers.sandbox import Sandbox

if find_spec("jinja2") is None:  # imported only to check or render a prompt, and needed before that
    raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")

MAX_PROMPT_CHARS: Final = 256 << 10
"""The most characters that a rendered prompt may have."""
_INCLUDING: Final = re.compile(r"\{%[-+]?\s*(include|import|from|extends)\b")
"""A tag that includes a text, or an example of such a tag."""
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*+\n)++")


class Template:
    """A prompt with the texts that it includes, by name.

    Args:
        file: the file that contains it, for messages. line: the line of ``file`` on which it starts.
    """

    def __init__(
        self, text: str, *, file: str = "prompt", line: int = 1, includes: Mapping[str, str] | None = None
    ) -> None:
        above = "\n" * (line - 1)  # so that Jinja counts the lines of the file; rendering strips them
        self._texts = {MAIN_TEMPLATE: above + text, **(includes or {})}
        self._file = file

    @cached_property
    def _sandbox(self) -> Sandbox:
        from remit.workers.sandbox import Sandbox  # noqa: PLC0415 - it imports Jinja

        return Sandbox(self._texts, self._get_file)

    @property
    def source(self) -> str:
        """The prompt and the texts that it includes."""
        return "\0".join(text for _, text in sorted(self._texts.items()))

    def render(self, fields: Mapping[str, object]) -> str:
        """Render the prompt for an input.

        Raises:
            InvalidArgumentsError: the prompt is too long.
            InternalError: it cannot be rendered for this input.
        """
        from remit.workers.sandbox import BoundedRange  # noqa: PLC0415 - it imports Jinja

        parts: list[str] = []
        remaining = MAX_PROMPT_CHARS
        try:
            template = self._sandbox.start_rendering().get_template(MAIN_TEMPLATE)
            for part in template.generate({"range": BoundedRange(), **fields}):
                parts.append(part)
                remaining -= len(part)
                if remaining < 0:
                    break
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise InternalError(f"{self._locate_error(error)}: the prompt cannot be rendered: {message}") from error
        if remaining < 0:
            raise InvalidArgumentsError(f"the prompt of {self._file} is longer than {MAX_PROMPT_CHARS:,} characters")
        return _BLANK_LINES.sub("", "".join(parts)).rstrip()

    def check(self, parameters: Collection[str] | None) -> list[Finding]:
        """Find the errors that do not depend on an input's values.

        ``parameters`` are the fields of the input; None if they are not known, so that any name is accepted.
        """
        from remit.workers.prompt_check import find_mistakes  # noqa: PLC0415 - it imports Jinja

        known = None if parameters is None else frozenset(parameters)
        return [*find_mistakes(self._file, tuple(self._texts.items()), known)]

    def find_includes(self) -> list[IncludeReference]:
        """The includes of the prompt itself; empty if it is not a valid template."""
        if _INCLUDING.search(self._texts[MAIN_TEMPLATE]) is None:
            return []
        from remit.workers.prompt_check import find_includes  # noqa: PLC0415 - it imports Jinja

        return find_includes(self._file, self._texts)

    def _get_file(self, name: str) -> str:
        """The path of the file that holds a text."""
        return file_of_text(self._file, name)

    def _locate_error(self, error: Exception) -> str:
        """The line at which rendering failed, as ``file:line``."""
        files = {self._get_file(name) for name in self._texts}
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in files]
        return [self._file, *(f"{each.filename}:{each.lineno}" for each in frames)][-1]
