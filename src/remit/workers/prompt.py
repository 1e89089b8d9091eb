"""The prompt of a worker: a Jinja template whose output depends on the input alone.

So a resumed run sends the model the same request.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Final, cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables
from msgspec import Struct

from remit.errors import InvalidArgumentsError, ToolFailedError
from remit.schemas.finding import Finding
from remit.workers.jinja_names import (
    FUNCTIONS,
    collect_bound_names,
    collect_top_level_names,
    find_free_uses,
    find_internal_attributes,
    find_read_names,
)
from remit.workers.render_cost import CURRENT_COST, RenderCost
from remit.workers.sandbox import BoundedRange, Sandbox

MAX_PROMPT_CHARS: Final = 256 << 10
"""The most characters that a rendered prompt may have."""
MAIN_TEMPLATE: Final = ""
"""The name of the prompt itself among the texts."""
_ESCAPE: Final = "write {% raw %} before text with braces and {% endraw %} after it"
_TAG: Final = "{%"
"""The beginning of a tag, such as one that includes a text."""
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*+\n)++")
_INCLUDE_NODES: Final = (nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)


class IncludeReference(Struct, frozen=True):
    """A text's reference to another text that it includes. ``name`` is None if it is not a literal."""

    name: str | None
    line: int


class Template:
    """A prompt with the texts that it includes, by name.

    Args:
        file: the file that contains it, for messages. line: the line of ``file`` on which it begins.
    """

    def __init__(
        self, text: str, *, file: str = "prompt", line: int = 1, includes: Mapping[str, str] | None = None
    ) -> None:
        above = "\n" * (line - 1)  # so that Jinja counts the lines of the file; rendering strips them
        self._texts = {MAIN_TEMPLATE: above + text, **(includes or {})}
        self._file = file
        self._sandbox = Sandbox(self._texts, self._get_file)

    @property
    def source(self) -> str:
        """The prompt and the texts that it includes."""
        return "\0".join(text for _, text in sorted(self._texts.items()))

    def render(self, fields: Mapping[str, object]) -> str:
        """Render the prompt for an input.

        Raises:
            InvalidArgumentsError: the prompt is too long.
            ToolFailedError: it cannot be rendered for this input.
        """
        parts: list[str] = []
        remaining = MAX_PROMPT_CHARS
        token = CURRENT_COST.set(RenderCost())
        try:
            for part in self._sandbox.get_template(MAIN_TEMPLATE).generate({"range": BoundedRange(), **fields}):
                parts.append(part)
                remaining -= len(part)
                if remaining < 0:
                    break
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise ToolFailedError(f"{self._locate_error(error)}: the prompt cannot be rendered: {message}") from error
        finally:
            CURRENT_COST.reset(token)
        if remaining < 0:
            raise InvalidArgumentsError(f"the prompt of {self._file} is longer than {MAX_PROMPT_CHARS:,} characters")
        return _BLANK_LINES.sub("", "".join(parts)).rstrip()

    def check(self, parameters: Collection[str] | None) -> list[Finding]:
        """Find the errors that do not depend on an input's values.

        ``parameters`` are the fields of the input; None if they are not known, so that any name is accepted.
        """
        known = None if parameters is None else frozenset(parameters)
        return [*_find_mistakes(self._file, tuple(self._texts.items()), known)]

    def find_mistakes(self, parameters: Collection[str] | None) -> list[Finding]:
        """Find them anew; see `check`."""
        trees: dict[str, nodes.Template] = {}
        found: list[Finding] = []
        for name, text in self._texts.items():
            try:
                tree = self._parse(name)
                self._sandbox.compile(text, name, self._get_file(name))
                trees[name] = tree
            except TemplateSyntaxError as error:
                what = f"the template is not valid: {error.message}"
                found.append(self._make_finding("template", name, error.lineno, what, f"correct it, or {_ESCAPE}"))
        for name, tree in trees.items():
            found += self._find_missing_includes(name, find_includes(tree))
            found += self._find_internal_attributes(name, tree)
            if parameters is not None:
                found += self._find_undeclared_fields(name, trees, parameters)
        return found

    def find_includes(self) -> list[IncludeReference]:
        """The includes of the prompt itself; empty if it is not a valid template."""
        if _TAG not in self._texts[MAIN_TEMPLATE]:
            return []
        try:
            return find_includes(self._parse(MAIN_TEMPLATE))
        except TemplateSyntaxError:
            return []

    def _parse(self, name: str) -> nodes.Template:
        return self._sandbox.parse(self._texts[name], name, self._get_file(name))

    def _find_missing_includes(self, name: str, includes: Iterable[IncludeReference]) -> Iterator[Finding]:
        for each in includes:
            if each.name is None:
                what = "the name of an include must be a plain string"
                yield self._make_finding("include", name, each.line, what, 'name it, like {% include "tone.md" %}')
            elif each.name not in self._texts:
                what = f"the included text {each.name!r} does not exist"
                yield self._make_finding("include", name, each.line, what, "add it, or correct the name")

    def _find_internal_attributes(self, name: str, tree: nodes.Template) -> Iterator[Finding]:
        for attribute, line in sorted(set(find_internal_attributes(tree)), key=lambda each: each[1]):
            what = f"{attribute} is an internal attribute of Python, not a field of an input"
            yield self._make_finding("internal", name, line, what, "remove it: the sandbox refuses it")

    def _find_undeclared_fields(
        self, name: str, trees: Mapping[str, nodes.Template], parameters: Collection[str]
    ) -> Iterator[Finding]:
        there = f"available: {', '.join(sorted(parameters)) or 'none'}; or {_ESCAPE}"
        tree = trees[name]
        around = [each for other, each in trees.items() if other != name]
        extends = next(tree.find_all(nodes.Extends), None) is not None
        shared = (
            {bound for each in around for bound in collect_bound_names(each)}
            if name != MAIN_TEMPLATE or extends
            else set[str]()
        )
        available = {*parameters, *shared, *collect_top_level_names(tree)}
        functions = find_read_names(tree) & FUNCTIONS - collect_bound_names(tree)
        for missing in sorted((find_undeclared_variables(tree) | functions) - available):
            line = min(find_free_uses(tree, missing), default=1)
            yield self._make_finding("unknown-field", name, line, f"the input has no field {missing!r}", there)

    def _make_finding(self, code: str, name: str, line: int, what: str, fix: str) -> Finding:
        return Finding(code=code, where=f"{self._get_file(name)}:{line}", what=what, fix=fix)

    def _get_file(self, name: str) -> str:
        """The path of the file that holds a text."""
        return self._file if name == MAIN_TEMPLATE else str(PurePath(self._file).parent / name)

    def _locate_error(self, error: Exception) -> str:
        """The line at which rendering failed, as ``file:line``."""
        files = {self._get_file(name) for name in self._texts}
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in files]
        return [self._file, *(f"{each.filename}:{each.lineno}" for each in frames)][-1]


@lru_cache(maxsize=64)
def _find_mistakes(
    file: str, texts: tuple[tuple[str, str], ...], parameters: frozenset[str] | None
) -> tuple[Finding, ...]:
    """The errors in the texts of a prompt, found once for the reader of a file and for the definition that it makes."""
    (_, text), *includes = texts
    return tuple(Template(text, file=file, includes=dict(includes)).find_mistakes(parameters))


def find_includes(tree: nodes.Template) -> list[IncludeReference]:
    """The references to other texts in a template."""
    found: list[IncludeReference] = []
    for node in tree.find_all(_INCLUDE_NODES):
        named = cast("nodes.Include", node).template
        value = named.value if isinstance(named, nodes.Const) else None
        found.append(IncludeReference(value if isinstance(value, str) and value else None, node.lineno))
    return found
