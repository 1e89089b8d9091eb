"""Reads YAML, and remembers on which line everything stands.

Only what JSON has is taken: an unquoted ``no`` or ``2026-01-01`` means to some readers what it does not say. Nothing
may stand twice, and nothing is repeated by reference: named templates say what several entries share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final, cast

from remit.contracts.finding import Finding, InventoryError
from remit.errors import SetupError

Path = tuple[str | int, ...]
_TAG: Final = "tag:yaml.org,2002:"
_KINDS: Final = ("str", "int", "float", "bool", "null", "seq", "map")
_PLAIN: Final = frozenset({None, "!", *(f"{_TAG}{kind}" for kind in _KINDS)})


@dataclass(frozen=True, slots=True)
class Document:
    """What a text says, and the line of each part by its path. What is wrong at the paths ``refused`` is said."""

    file: str
    value: dict[str, Any]
    lines: dict[Path, int]
    findings: list[Finding] = field(default_factory=list[Finding])
    refused: set[Path] = field(default_factory=set[Path])

    def said(self, path: Path) -> bool:
        """Whether it is said already that a part, or what it is part of, is wrong."""
        return any(path[:length] in self.refused for length in range(len(path) + 1))

    def where(self, path: Path) -> str:
        """Where a part stands, or what it would be part of, as ``file:line``."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, 1)}"


def read_yaml(text: str, file: str) -> Document:
    """Read one document; what is wrong with its parts is among its findings.

    Raises:
        InventoryError: it is no YAML, or no mapping.
        SetupError: the extra ``inventory`` is not installed.
    """
    yaml = _yaml()
    loader = (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        said = Finding(code="yaml", where=f"{file}:{line}", what=f"no YAML: {error.problem}", mend="mend the text")
        raise InventoryError([said]) from error
    except yaml.YAMLError as error:
        said = Finding(code="yaml", where=f"{file}:1", what=f"no YAML: {error}", mend="mend the text")
        raise InventoryError([said]) from error
    finally:
        loader.dispose()
    reader = _Reader(file)
    value: object = {} if node is None else reader.value(node, ())
    if not isinstance(value, dict):
        raise InventoryError([reader.finding(node, "yaml", "no mapping", "begin with keys, like `domain: …`")])
    return Document(file, cast("dict[str, Any]", value), reader.lines, reader.findings, reader.refused)


def beyond_json(text: str, file: str) -> Iterator[Finding]:
    """Anchors, references to them, and tags, in a text that `read_yaml` reads: what YAML has and JSON has not."""
    yaml = _yaml()
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent):
            what, mend = f"*{event.anchor} repeats another part", "say it here as well"
            yield Finding(code="alias", where=where, what=what, mend=mend)
        elif isinstance(event, yaml.NodeEvent):
            if event.anchor is not None:
                what, mend = f"the anchor &{event.anchor} names a part", "remove it, and say things where they belong"
                yield Finding(code="alias", where=where, what=what, mend=mend)
            if event.tag not in _PLAIN:
                mend = "remove the tag: a text, number, list or keys stand for themselves"
                what = f"the tag {event.tag.replace(_TAG, '!!')} makes what JSON has not"
                yield Finding(code="tag", where=where, what=what, mend=mend)


def _yaml() -> ModuleType:
    try:
        import yaml  # noqa: PLC0415 - an extra, needed where an inventory is read
    except ModuleNotFoundError as error:
        raise SetupError("reading an inventory needs PyYAML: pip install 'remit[inventory]'") from error
    return yaml


class _Reader:
    """Makes values of nodes."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path, int] = {}
        self.findings: list[Finding] = []
        self.refused: set[Path] = set()
        self._seen: set[int] = set()

    def value(self, node: Any, path: Path) -> Any:
        """The value of a node, which stands at ``path``."""
        self.lines.setdefault(path, node.start_mark.line + 1)
        if node.id == "scalar":
            return self._scalar(node, path)
        if id(node) in self._seen:
            self.refused.add(path)
            self._say(node, "alias", "a reference to another part", "say it here, or name a template")
            return None
        self._seen.add(id(node))
        if node.id == "sequence":
            return [self.value(child, (*path, index)) for index, child in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, child in node.value:
            name = key.value
            if key.id != "scalar":
                self._say(key, "key", "a key that is no word", "give a word")
            elif name in found:
                first = self.lines[*path, name]
                self._say(key, "duplicate", f"the key {name!r} stands twice, first on line {first}", "remove one")
            else:
                self.lines[*path, name] = key.start_mark.line + 1
                found[name] = self.value(child, (*path, name))
        return found

    def _scalar(self, node: Any, path: Path) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind in {"bool", "int", "float"}:
            try:
                return json.loads(text)
            except ValueError:
                pass
        self.refused.add(path)
        self._say(node, "scalar", f"{text!r} is no text, number, true or false", "quote what is meant as text")
        return text

    def _say(self, node: Any, code: str, what: str, mend: str) -> None:
        self.findings.append(self.finding(node, code, what, mend))

    def finding(self, node: Any, code: str, what: str, mend: str) -> Finding:
        """A finding about a node."""
        return Finding(code=code, where=f"{self.file}:{node.start_mark.line + 1}", what=what, mend=mend)
