"""Finds errors of a prompt that occur with any input. Only this module imports Jinja before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final, cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables

from remit.schemas.finding import Finding
from remit.workers.escape import EscapeFinder
from remit.workers.jinja_names import (
    FUNCTIONS,
    collect_bound_names,
    collect_top_level_names,
    find_free_uses,
    find_internal_attributes,
    find_read_names,
)
from remit.workers.prompt_texts import MAIN_TEMPLATE, IncludeReference, file_of_text
from remit.workers.sandbox import Sandbox

_INCLUDE_NODES: Final = (nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)


@lru_cache(maxsize=64)
def find_mistakes(
    file: str, texts: tuple[tuple[str, str], ...], parameters: frozenset[str] | None
) -> tuple[Finding, ...]:
    """The errors in the texts of a prompt, cached for the reader of a file and the definition that it makes."""
    return tuple(_Checker(file, dict(texts)).find_mistakes(parameters))


def find_includes(file: str, texts: Mapping[str, str]) -> list[IncludeReference]:
    """The includes of the prompt itself; empty if it is not a valid template."""
    try:
        return _find_includes(_Checker(file, texts).parse(MAIN_TEMPLATE))
    except TemplateSyntaxError:
        return []


class _Checker:
    """Checks the texts of one prompt, which ``file`` contains."""

    def __init__(self, file: str, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._get_file: Callable[[str], str] = lambda name: file_of_text(file, name)
        self._sandbox = Sandbox(texts, self._get_file)
        self._finders: dict[str, EscapeFinder] = {}

    def find_mistakes(self, parameters: Collection[str] | None) -> list[Finding]:
        """The errors; see `Template.check`."""
        trees: dict[str, nodes.Template] = {}
        found: list[Finding] = []
        for name, text in self._texts.items():
            error = self._find_error(text, name)
            if error is None:
                trees[name] = self.parse(name)
                continue
            hint = self._escapes(name).escape_error(error, partial(self._find_error, name=name))
            what = f"the template is not valid: {error[0]}"
            found.append(self._make_finding("template", name, error[1], what, f"correct it, or {hint}"))
        bound = Counter(each for tree in trees.values() for each in collect_bound_names(tree))
        for name, tree in trees.items():
            found += self._find_missing_includes(name, _find_includes(tree))
            found += self._find_internal_attributes(name, tree)
            if parameters is not None:
                found += self._find_undeclared_fields(name, tree, parameters, bound)
        return found

    def _find_error(self, text: str, name: str) -> tuple[str, int] | None:
        """The message and the line of the first syntax error of a text."""
        try:
            self._sandbox.compile(text, name, self._get_file(name))
        except TemplateSyntaxError as error:
            return error.message or "", error.lineno
        return None

    def parse(self, name: str) -> nodes.Template:
        """The tree of a text."""
        return self._sandbox.parse(self._texts[name], name, self._get_file(name))

    def _find_missing_includes(self, name: str, includes: Iterable[IncludeReference]) -> Iterator[Finding]:
        for each in includes:
            if each.name is None:
                what = "the name of an include must be a plain string"
                escape = self._escape(name, each.line, "include", ", or ")
                fix = f'name it, like {{% include "tone.md" %}}{escape}'
                yield self._make_finding("include", name, each.line, what, fix)
            elif each.name not in self._texts:
                what = f"the included text {each.name!r} does not exist"
                fix = f"add it or correct the name{self._escape(name, each.line, each.name, ', or ')}"
                yield self._make_finding("include", name, each.line, what, fix)

    def _find_internal_attributes(self, name: str, tree: nodes.Template) -> Iterator[Finding]:
        for attribute, line in sorted(set(find_internal_attributes(tree)), key=lambda each: each[1]):
            what = f"{attribute} is an internal attribute of Python, not a field of an input"
            fix = f"remove it: the sandbox refuses it{self._escape(name, line, attribute, '; or ')}"
            yield self._make_finding("internal", name, line, what, fix)

    def _find_undeclared_fields(
        self, name: str, tree: nodes.Template, parameters: Collection[str], bound: Counter[str]
    ) -> Iterator[Finding]:
        there = f"available: {', '.join(sorted(parameters)) or 'none'}"
        own = collect_bound_names(tree)
        extends = next(tree.find_all(nodes.Extends), None) is not None
        shares = name != MAIN_TEMPLATE or extends
        available = {*parameters, *collect_top_level_names(tree)}
        lines = find_free_uses(tree)
        functions = find_read_names(tree) & FUNCTIONS - own
        for missing in sorted((find_undeclared_variables(tree) | functions) - available):
            if shares and bound[missing] > (missing in own):
                continue  # another text binds it around this one
            line = lines.get(missing, 1)
            fix = f"{there}{self._escape(name, line, missing, '; or ')}"
            yield self._make_finding("unknown-field", name, line, f"the input has no field {missing!r}", fix)

    def _escape(self, name: str, line: int, word: str, before: str) -> str:
        """How to keep a part as text, after a text that leads there; empty if its line has many findings."""
        hint = self._escapes(name).escape_word(line, word)
        return hint and f"{before}{hint}"

    def _escapes(self, name: str) -> EscapeFinder:
        found = self._finders.get(name)
        if found is None:
            found = self._finders[name] = EscapeFinder(self._texts[name])
        return found

    def _make_finding(self, code: str, name: str, line: int, what: str, fix: str) -> Finding:
        return Finding(code=code, where=f"{self._get_file(name)}:{line}", what=what, fix=fix)


def _find_includes(tree: nodes.Template) -> list[IncludeReference]:
    """The references to other texts in a template."""
    found: list[IncludeReference] = []
    for node in tree.find_all(_INCLUDE_NODES):
        named = cast("nodes.Include", node).template
        value = named.value if isinstance(named, nodes.Const) else None
        found.append(IncludeReference(value if isinstance(value, str) and value else None, node.lineno))
    return found
