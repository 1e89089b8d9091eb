"""The prompt of a worker: a Jinja template. What it becomes follows from the input alone.

So a run that is driven again asks the model the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Final, cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables

from remit.core.frozen import frozen
from remit.errors import InvalidError, ToolFailedError
from remit.schemas.finding import Finding
from remit.workers.sandbox import Sandbox, Steps
from remit.workers.scopes import assigned, free_uses, internals, set_in

MOST: Final = 256 << 10
"""Characters that a prompt may come out with."""
MAIN: Final = ""
"""The name of the prompt itself among its texts."""
_REFERENCES: Final = (nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)


@frozen(kw_only=False)
class Reference:
    """Where a text names another, which it includes; None where that is not said by a plain text."""

    name: str | None
    line: int


class Template:
    """A prompt, and the texts that it includes by their names.

    Args:
        file: where it is written, for what is said of it. line: the line of ``file`` on which it begins.
    """

    def __init__(
        self, text: str, *, file: str = "prompt", line: int = 1, includes: Mapping[str, str] | None = None
    ) -> None:
        above = "".join(("{#", "\n" * (line - 1), "#}"))  # so that Jinja counts the lines of the file
        self._texts = {MAIN: above + text, **(includes or {})}
        self._file = file
        self._sandbox = Sandbox(self._texts, self._place)

    def render(self, fields: Mapping[str, object]) -> str:
        """The text for an input.

        Raises:
            InvalidError: it comes out too long.
            ToolFailedError: it cannot be rendered for this input.
        """
        parts: list[str] = []
        left = MOST
        try:
            for part in self._sandbox.get_template(MAIN).generate({"range": Steps(), **fields}):
                parts.append(part)
                left -= len(part)
                if left < 0:
                    break
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise ToolFailedError(f"{self._line_of(error)}: the prompt cannot be rendered: {said}") from error
        if left < 0:
            raise InvalidError(f"the prompt of {self._file} comes out longer than {MOST:,} characters")
        return "".join(parts).strip()

    def findings(self, known: Collection[str] | None) -> list[Finding]:
        """What can be seen to be wrong before there is an input.

        ``known`` are the parameters of every input; None where they are not known: then none is missed.
        """
        trees: dict[str, nodes.Template] = {}
        found: list[Finding] = []
        for name, text in self._texts.items():
            try:
                tree = self._parsed(name)
                self._sandbox.compile(text, name, self._place(name))
                trees[name] = tree
            except TemplateSyntaxError as error:
                found.append(self._finding("template", name, error.lineno, f"no template: {error.message}", "mend it"))
        for name, tree in trees.items():
            found += self._unread(name, references(tree))
            found += self._internal(name, tree)
            if known is not None:
                found += self._undeclared(name, trees, known)
        return found

    def references(self) -> list[Reference]:
        """The texts that the prompt itself names; none where it is no template."""
        try:
            return references(self._parsed(MAIN))
        except TemplateSyntaxError:
            return []

    def _parsed(self, name: str) -> nodes.Template:
        return self._sandbox.parse(self._texts[name], name, self._place(name))

    def _unread(self, name: str, named: Iterable[Reference]) -> Iterator[Finding]:
        for each in named:
            if each.name is None:
                what = "what is included is not named by a plain text"
                yield self._finding("include", name, each.line, what, 'name it, like {% include "tone.md" %}')
            elif each.name not in self._texts:
                what = f"there is no text {each.name!r} to include"
                yield self._finding("include", name, each.line, what, "give it, or correct the name")

    def _internal(self, name: str, tree: nodes.Template) -> Iterator[Finding]:
        for attribute, line in sorted(set(internals(tree)), key=lambda each: each[1]):
            what = f"{attribute} is of Python, and no part of an input"
            yield self._finding("internal", name, line, what, "remove it: the sandbox refuses it")

    def _undeclared(self, name: str, trees: Mapping[str, nodes.Template], known: Collection[str]) -> Iterator[Finding]:
        there = f"there are: {', '.join(sorted(known)) or 'none'}"
        tree = trees[name]
        around = [each for other, each in trees.items() if other != name]
        extends = next(tree.find_all(nodes.Extends), None) is not None
        shared = {said for each in around for said in assigned(each)} if name != MAIN or extends else set[str]()
        said = {*known, *shared, *set_in(tree), *self._sandbox.globals}
        for missing in sorted(find_undeclared_variables(tree) - said):
            line = min(free_uses(tree, missing), default=1)
            yield self._finding("unknown-field", name, line, f"the input has no field {missing!r}", there)

    def _finding(self, code: str, name: str, line: int, what: str, mend: str) -> Finding:
        return Finding(code=code, where=f"{self._place(name)}:{line}", what=what, mend=mend)

    def _place(self, name: str) -> str:
        """The file of a text."""
        return self._file if name == MAIN else str(PurePath(self._file).parent / name)

    def _line_of(self, error: Exception) -> str:
        """The line of a text at which rendering it failed, as ``file:line``."""
        files = {self._place(name) for name in self._texts}
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in files]
        return [self._file, *(f"{each.filename}:{each.lineno}" for each in frames)][-1]


def references(tree: nodes.Template) -> list[Reference]:
    """The texts that a template names."""
    found: list[Reference] = []
    for node in tree.find_all(_REFERENCES):
        named = cast("nodes.Include", node).template
        value = named.value if isinstance(named, nodes.Const) else None
        found.append(Reference(value if isinstance(value, str) and value else None, node.lineno))
    return found
