"""Reads YAML, and remembers on which line everything stands.

Only what JSON has is taken: an unquoted ``no`` or ``2026-01-01`` means to some readers what it does not say. Nothing
may stand twice, and nothing is repeated by reference: named templates say what several entries share.
"""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final, cast

from remit.errors import SetupError
from remit.schemas.finding import Finding, InventoryError, display_path

KeyPath = tuple[str | int, ...]
_TAG: Final = "tag:yaml.org,2002:"
_JSON_KINDS: Final = ("str", "int", "float", "bool", "null", "seq", "map")
_MAX_DEPTH: Final = 100
_JSON_TAGS: Final = frozenset({None, "!", *(f"{_TAG}{kind}" for kind in _JSON_KINDS)})


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What a text says, and the line of each part by its path.

    What is wrong at the paths ``rejected_paths`` is said.
    """

    file: str
    value: dict[str, Any]
    lines: dict[KeyPath, int]
    findings: list[Finding] = field(default_factory=list[Finding])
    rejected_paths: set[KeyPath] = field(default_factory=set[KeyPath])

    def is_rejected(self, path: KeyPath) -> bool:
        """Whether it is said already that a part, or what it is part of, is wrong."""
        return any(path[:length] in self.rejected_paths for length in range(len(path) + 1))

    def locate(self, path: KeyPath) -> str:
        """Where a part stands, or what it would be part of, as ``file:line``."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, 1)}"


def read_text(file: pathlib.Path) -> str:
    """The text of a file.

    Raises:
        InventoryError: it cannot be read.
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
    """Read one document; what is wrong with its parts is among its findings.

    Raises:
        InventoryError: it is no YAML, or no mapping.
        SetupError: the extra ``inventory`` is not installed.
    """
    yaml = _import_yaml()
    loader = (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)
    reader = _DocumentReader(file, yaml, loader)
    try:
        value = reader.read_document()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _invalid_yaml(f"{file}:{line}", str(error.problem)) from error
    except yaml.YAMLError as error:
        raise _invalid_yaml(f"{file}:1", str(error)) from error
    finally:
        loader.dispose()
    if not isinstance(value, dict):
        finding = reader.make_finding(reader.lines[()], "yaml", "no mapping", "begin with keys, like `domain: …`")
        raise InventoryError([finding])
    return YamlDocument(file, cast("dict[str, Any]", value), reader.lines, reader.findings, reader.rejected_paths)


def _invalid_yaml(where: str, problem: str) -> InventoryError:
    return InventoryError([Finding(code="yaml", where=where, what=f"no YAML: {problem}", fix="mend the text")])


def find_non_json_features(text: str, file: str) -> Iterator[Finding]:
    """Anchors, references to them, and tags, in a text that `read_yaml` reads: what YAML has and JSON has not."""
    yaml = _import_yaml()
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent):
            what, mend = f"*{event.anchor} repeats another part", "say it here as well"
            yield Finding(code="alias", where=where, what=what, fix=mend)
        elif isinstance(event, yaml.NodeEvent):
            if event.anchor is not None:
                what, mend = f"the anchor &{event.anchor} names a part", "remove it, and say things where they belong"
                yield Finding(code="alias", where=where, what=what, fix=mend)
            if event.tag not in _JSON_TAGS:
                mend = "remove the tag: a text, number, list or keys stand for themselves"
                what = f"the tag {event.tag.replace(_TAG, '!!')} makes what JSON has not"
                yield Finding(code="tag", where=where, what=what, fix=mend)


def _import_yaml() -> ModuleType:
    try:
        import yaml  # noqa: PLC0415 - an extra, needed where an inventory is read
    except ModuleNotFoundError as error:
        raise SetupError("reading an inventory needs PyYAML: pip install 'remit[inventory]'") from error
    return yaml


class _DocumentReader:
    """Makes values of events. Nodes between them would be garbage as soon as they are read."""

    def __init__(self, file: str, yaml: ModuleType, loader: Any) -> None:
        self.file = file
        self.lines: dict[KeyPath, int] = {}
        self.findings: list[Finding] = []
        self.rejected_paths: set[KeyPath] = set()
        self._yaml = yaml
        self._loader = loader
        self._next_event: Callable[[], Any] = loader.get_event
        self._anchors: dict[str, Any] = {}
        self._tags: dict[tuple[str, bool], str] = {}

    def read_document(self) -> object:
        """The value of the one document that there is; no keys where there is none."""
        self._next_event()
        if self._loader.check_event(self._yaml.StreamEndEvent):
            return {}
        self._next_event()
        value: object = self.read_value(self._next_event(), ())
        self._next_event()
        if not self._loader.check_event(self._yaml.StreamEndEvent):
            raise _invalid_yaml(f"{self.file}:{self._next_event().start_mark.line + 1}", "but found another document")
        return value

    def read_value(self, event: Any, path: KeyPath) -> Any:
        """The value of the part that begins with an event, which stands at ``path``."""
        resolved = self._resolve_alias(event)
        line = resolved.start_mark.line + 1
        if len(path) > _MAX_DEPTH:
            what = f"parts within parts, over {_MAX_DEPTH} deep"
            raise InventoryError([self.make_finding(line, "yaml", what, "say it flat")])
        self.lines.setdefault(path, line)
        if isinstance(resolved, self._yaml.ScalarEvent):
            return self._read_scalar(resolved, path, line)
        if resolved is not event:
            self.rejected_paths.add(path)
            self._report(line, "alias", "a reference to another part", "say it here, or name a template")
            return None
        if isinstance(event, self._yaml.MappingStartEvent):
            return self._read_mapping(path)
        found: list[Any] = []
        while not isinstance(child := self._next_event(), self._yaml.SequenceEndEvent):
            found.append(self.read_value(child, (*path, len(found))))
        return found

    def _resolve_alias(self, event: Any) -> Any:
        """The event, or the one that it repeats."""
        if isinstance(event, self._yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _invalid_yaml(f"{self.file}:{event.start_mark.line + 1}", "found undefined alias")
            return self._anchors[event.anchor]
        if event.anchor is not None:
            if event.anchor in self._anchors:
                raise _invalid_yaml(f"{self.file}:{event.start_mark.line + 1}", "second occurrence")
            self._anchors[event.anchor] = event
        return event

    def _read_mapping(self, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := self._next_event(), self._yaml.MappingEndEvent):
            key = self._resolve_alias(event)
            line = key.start_mark.line + 1
            if not isinstance(key, self._yaml.ScalarEvent):
                self._report(line, "key", "a key that is no word", "give a word")
                self._skip(event)
                self._skip_next()
            elif key.value in found:
                first = self.lines[*path, key.value]
                self._report(
                    line, "duplicate", f"the key {key.value!r} occurs twice, first on line {first}", "remove one"
                )
                self._skip_next()
            else:
                self.lines[*path, key.value] = line
                found[key.value] = self.read_value(self._next_event(), (*path, key.value))
        return found

    def _skip_next(self) -> None:
        event = self._next_event()
        self._resolve_alias(event)
        self._skip(event)

    def _skip(self, event: Any) -> None:
        """Go beyond the part that begins with an event."""
        depth = 0
        while True:
            if isinstance(event, self._yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, self._yaml.CollectionEndEvent):
                depth -= 1
            if not depth:
                return
            event = self._next_event()
            if not isinstance(event, self._yaml.CollectionEndEvent):
                self._resolve_alias(event)

    def _read_scalar(self, event: Any, path: KeyPath, line: int) -> Any:
        kind, text = self._resolve_tag(event).removeprefix(_TAG), event.value
        if kind == "str":
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
        self._report(line, "scalar", f"{text!r} is no text, number, true or false", "quote what is meant as text")
        return text

    def _resolve_tag(self, event: Any) -> str:
        """The tag that a scalar has, or that the way it looks gives it."""
        if event.tag not in {None, "!"}:
            return str(event.tag)
        signature = (event.value, event.implicit[0])
        if signature not in self._tags:
            self._tags[signature] = self._loader.resolve(self._yaml.ScalarNode, event.value, event.implicit)
        return self._tags[signature]

    def _report(self, line: int, code: str, what: str, fix: str) -> None:
        self.findings.append(self.make_finding(line, code, what, fix))

    def make_finding(self, line: int, code: str, what: str, fix: str) -> Finding:
        """A finding about what stands on a line."""
        return Finding(code=code, where=f"{self.file}:{line}", what=what, fix=fix)
