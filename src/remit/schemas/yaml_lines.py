"""YAML documents with the line of every part.

Only what JSON can express is accepted: parsers disagree about an unquoted ``no`` or ``2026-01-01``. Duplicate keys and
references to collections are findings; entries share settings by named templates instead.
"""

from __future__ import annotations

import json
import math
import pathlib
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from msgspec import Struct, field

from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.schemas.finding import Finding, InventoryError, display_path

KeyPath = tuple[str | int, ...]
_TAG: Final = "tag:yaml.org,2002:"
_JSON_KINDS: Final = ("str", "int", "float", "bool", "null", "seq", "map")
_MAX_DEPTH: Final = 100
_COMMENT: Final = re.compile(r"(?P<below>(?:[ \t]*\n)*)(?P<indent>[ \t]+)#")
_HIDDEN_BREAK: Final = re.compile("[\x85\u2028\u2029]")
_PROSE_KEYS: Final = frozenset(("about", "description", "prompt", "run_instructions"))
"""Keys of texts for people and models: a ``#`` behind such a text is part of it, even if it is one word."""
_JSON_TAGS: Final = frozenset({None, "!", *(f"{_TAG}{kind}" for kind in _JSON_KINDS)})


class YamlDocument(Struct, frozen=True):
    """The value of a document, and the line of each part by its path.

    Each of ``rejected_paths`` has a finding.
    """

    file: str
    value: dict[str, Any]
    lines: dict[KeyPath, int]
    findings: list[Finding] = field(default_factory=list[Finding])
    rejected_paths: set[KeyPath] = field(default_factory=set[KeyPath])

    def is_rejected(self, path: KeyPath) -> bool:
        """Whether a part, or a part that contains it, has a finding already."""
        return any(path[:length] in self.rejected_paths for length in range(len(path) + 1))

    def locate(self, path: KeyPath) -> str:
        """The ``file:line`` of a part, or of the part that would contain it."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, 1)}"


def read_text(file: pathlib.Path) -> str:
    """Read a UTF-8 file.

    Raises:
        InventoryError: the file cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        found = Finding(
            code="unreadable", where=f"{display_path(file)}:{line}", what="no UTF-8", fix="write it in UTF-8"
        )
    except OSError as error:
        what, mend = f"cannot be read: {error.strerror}", "make it a file that can be read, or remove it"
        found = Finding(code="unreadable", where=f"{display_path(file)}:1", what=what, fix=mend)
    raise InventoryError([found])


def read_yaml(text: str, file: str) -> YamlDocument:
    """Read one document. Invalid parts become its findings.

    Raises:
        InventoryError: the text is not YAML, not a mapping, nested too deeply, or has a line break that cannot be seen.
        SetupError: the extra ``inventory`` is not installed.
    """
    yaml = _import_yaml()
    if hidden := _HIDDEN_BREAK.search(text):
        where, sign = f"{file}:{text.count(chr(10), 0, hidden.start()) + 1}", ord(hidden[0])
        what = f"U+{sign:04X} is the end of a line to YAML, and to no editor"
        fix = f'remove it, or write it as "\\u{sign:04x}" in a text in double quotes'
        raise InventoryError([Finding(code="yaml", where=where, what=what, fix=fix)])
    reader = _DocumentReader(file, yaml, text)
    try:
        node = yaml.compose(text, Loader=_loader_class(yaml))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _invalid_yaml(f"{file}:{line}", str(error.problem)) from error
    except yaml.YAMLError as error:
        raise _invalid_yaml(f"{file}:1", str(error)) from error
    value: object = {} if node is None else reader.read_value(node, ())
    if not isinstance(value, dict):
        finding = reader.make_finding(reader.lines[()], "yaml", "no mapping", "begin with keys, like `domain: …`")
        raise InventoryError([finding])
    return YamlDocument(file, cast("dict[str, Any]", value), reader.lines, reader.findings, reader.rejected_paths)


def _invalid_yaml(where: str, problem: str) -> InventoryError:
    fix = "put a text that contains ': ' in quotes" if "mapping values" in problem else "correct the text"
    return InventoryError([Finding(code="yaml", where=where, what=f"not YAML: {problem}", fix=fix)])


def find_non_json_features(text: str, file: str) -> Iterator[Finding]:
    """Find anchors, aliases and tags, which JSON does not have, in a text that `read_yaml` accepts."""
    yaml = _import_yaml()
    for event in yaml.parse(text, Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent):
            what, mend = f"*{event.anchor} repeats another part", "write that part here"
            yield Finding(code="alias", where=where, what=what, fix=mend)
        elif isinstance(event, yaml.NodeEvent):
            if event.anchor is not None:
                what, mend = (
                    f"the anchor &{event.anchor} names a part",
                    "remove it, and write the part where it is used",
                )
                yield Finding(code="alias", where=where, what=what, fix=mend)
            if event.tag not in _JSON_TAGS:
                mend = "remove the tag: text, numbers, lists and keys need none"
                what = f"the tag {event.tag.replace(_TAG, '!!')} makes a value that JSON does not have"
                yield Finding(code="tag", where=where, what=what, fix=mend)


def _import_yaml() -> ModuleType:
    try:
        import yaml  # noqa: PLC0415 - an extra, needed where an inventory is read
    except ModuleNotFoundError as error:
        raise SetupError(f"reading an inventory needs PyYAML; {install_hint('inventory')}") from error
    return yaml


class _Unreadable(NamedTuple):
    """Placeholder in the node tree for a part that was not composed."""

    start_mark: Any
    is_alias: bool


@cache
def _loader_class(yaml: ModuleType) -> type[Any]:
    """PyYAML's safe loader, with nodes at most `_MAX_DEPTH` deep.

    libyaml's own composer recurses without a limit: 50,000 brackets crash the process. So the nodes are composed in
    Python, from libyaml's events. A reference to a collection is not followed, so the nodes are a tree.
    """
    base: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    composer: Any = yaml.composer.Composer

    class Loader(composer, base):
        def __init__(self, stream: str) -> None:
            base.__init__(self, stream)
            composer.__init__(self)
            self.depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.depth > _MAX_DEPTH:
                return _Unreadable(self._skip_node().start_mark, is_alias=False)
            is_alias = self.check_event(yaml.AliasEvent)
            self.depth += 1
            node = composer.compose_node(self, parent, index)
            self.depth -= 1
            if is_alias and not isinstance(node, yaml.ScalarNode):
                return _Unreadable(node.start_mark, is_alias=True)
            return node

        def _skip_node(self) -> Any:
            """Read the events of a node; returns the first of them."""
            first = event = self.get_event()
            depth = isinstance(first, yaml.CollectionStartEvent)
            while depth:
                event = self.get_event()
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            return first

    return Loader


class _DocumentReader:
    """Converts nodes to values, records the line of each, and reports values that JSON does not have."""

    def __init__(self, file: str, yaml: ModuleType, text: str) -> None:
        self.file = file
        self._text = text
        self.lines: dict[KeyPath, int] = {}
        self._columns: dict[KeyPath, int] = {}
        self.findings: list[Finding] = []
        self.rejected_paths: set[KeyPath] = set()
        self._yaml = yaml

    def read_value(self, node: Any, path: KeyPath) -> Any:
        """Convert the node at ``path`` to a value.

        Raises:
            InventoryError: nodes are nested too deeply.
        """
        line = node.start_mark.line + 1
        if isinstance(node, self._yaml.ScalarNode):
            self.lines.setdefault(path, line)
            return self._read_scalar(node, path, line)
        self._check_depth(node)
        self.lines.setdefault(path, line)
        if isinstance(node, _Unreadable):
            self.rejected_paths.add(path)
            self._report(line, "alias", "a reference to another part", "write that part here, or use a template")
            return None
        if isinstance(node, self._yaml.MappingNode):
            return self._read_mapping(node, path)
        return [self.read_value(child, (*path, index)) for index, child in enumerate(node.value)]

    def _read_mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            self._check_depth(key)
            if not isinstance(key, self._yaml.ScalarNode):
                self._report(line, "key", "a key that is not text", "use text as the key")
            elif key.value in found:
                first = self.lines[*path, key.value]
                what = f"the key {key.value!r} occurs twice, first on line {first}"
                self._report(line, "duplicate", what, "remove one")
            else:
                self.lines[*path, key.value] = line
                self._columns[*path, key.value] = key.start_mark.column
                found[key.value] = self.read_value(value, (*path, key.value))
        return found

    def _check_depth(self, node: Any) -> None:
        if isinstance(node, _Unreadable) and not node.is_alias:
            what = f"nested more than {_MAX_DEPTH} levels deep"
            raise InventoryError([self.make_finding(node.start_mark.line + 1, "yaml", what, "nest less deeply")])

    def _read_scalar(self, node: Any, path: KeyPath, line: int) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        if kind == "str":
            self._check_comment(node, path)
            return text
        if kind == "null":
            return None
        if kind in {"bool", "int", "float"}:
            try:
                value: object = json.loads(text)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
                return value
        self.rejected_paths.add(path)
        self._report(
            line, "scalar", f"{text!r} is not text, a number, true or false", "quote it if it is meant as text"
        )
        return text

    def _check_comment(self, node: Any, path: KeyPath) -> None:
        """Report a comment that cuts a text without quotes: it is behind several words, or behind or in prose."""
        comment = None if node.style else _COMMENT.match(self._text, node.end_mark.index)
        if comment is None:
            return
        is_prose = path[-1:] and path[-1] in _PROSE_KEYS
        is_inside = not comment["below"] or (is_prose and len(comment["indent"]) > self._columns[path])
        if is_inside and (is_prose or " " in node.value):
            line = self._text.count("\n", 0, comment.end()) + 1
            what = "an unquoted text is cut at ' #', which begins a comment"
            self._report(line, "comment", what, "put the text in quotes, or the comment above it")

    def _report(self, line: int, code: str, what: str, fix: str) -> None:
        self.findings.append(self.make_finding(line, code, what, fix))

    def make_finding(self, line: int, code: str, what: str, fix: str) -> Finding:
        """Make a finding for a line."""
        return Finding(code=code, where=f"{self.file}:{line}", what=what, fix=fix)
