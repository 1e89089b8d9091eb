"""YAML documents with the line of every part.

Only values that JSON can express are accepted, because parsers disagree about an unquoted ``no`` or ``2026-01-01``.
Numbers follow JSON. Duplicate keys, anchors, references and tags are findings, because people who do not know YAML
write ``&`` and ``!`` as plain text. Entries share settings through named templates instead.
"""

from __future__ import annotations

import pathlib
import re
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from msgspec import Struct, field

from remit.core.checks import find_unstorable
from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.jsontext import StrictError, read_strictly

KeyPath = tuple[str | int, ...]
_TAG: Final = "tag:yaml.org,2002:"
_JSON_KINDS: Final = ("str", "int", "float", "bool", "null", "seq", "map")
_MAX_DEPTH: Final = 100
_COMMENT: Final = re.compile(r"(?P<below>(?:[ \t]*\n)*)(?P<indent>[ \t]+)#")
_BREAKS: Final = "\x85\u2028\u2029"
_MARK: Final = "\ufeff"
_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that editors do not show: YAML line ends, and characters that YAML does not accept."""
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_OCTAL: Final = re.compile(r"[-+]?0o[0-7]+")
"""A number to newer YAML readers, and a text to older ones."""
_PROSE_KEYS: Final = frozenset(("about", "description", "prompt", "run_instructions"))
"""Keys whose texts are prose, in which a ``#`` belongs to the text even after a single word."""
_JSON_TAGS: Final = frozenset({None, *(f"{_TAG}{kind}" for kind in _JSON_KINDS)})


class YamlDocument(Struct, frozen=True):
    """The value of a document, and the line of each part by its path.

    Each of ``rejected_paths`` has a finding. ``text_lines`` holds the line where each text begins, which may be below
    its key.
    """

    file: str
    value: dict[str, Any]
    lines: dict[KeyPath, int]
    findings: list[Finding] = field(default_factory=list[Finding])
    rejected_paths: set[KeyPath] = field(default_factory=set[KeyPath])
    text_lines: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])

    def is_rejected(self, path: KeyPath) -> bool:
        """Whether a part, or a part that contains it, already has a finding."""
        return any(path[:length] in self.rejected_paths for length in range(len(path) + 1))

    def locate(self, path: KeyPath) -> str:
        """The ``file:line`` of a part, or of the part that would contain it."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, 1)}"


def read_text(file: pathlib.Path) -> str:
    """Read a UTF-8 file, perhaps with a byte order mark.

    Raises:
        InventoryError: the file cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what, fix = "it is not UTF-8 text", "save it as UTF-8"
    except OSError as error:
        line, what, fix = 1, f"it cannot be read: {error.strerror}", "make it a file that can be read, or remove it"
    raise InventoryError([Finding(code="unreadable", where=f"{display_path(file)}:{line}", what=what, fix=fix)])


def read_yaml(text: str, file: str, *, is_stored: bool = True) -> YamlDocument:
    """Read one document. Invalid parts become its findings; so do texts that no store can hold, if it ``is_stored``.

    Raises:
        InventoryError: the text is not YAML, not a mapping, nested too deeply, or has a character that cannot be seen.
        SetupError: the extra ``inventory`` is not installed.
    """
    yaml, text = _import_yaml(), text.lstrip(_MARK)  # libyaml does not count it as a character
    if unseen := _UNSEEN.search(text):
        raise _refuse_unseen(f"{file}:{text.count(chr(10), 0, unseen.start()) + 1}", unseen[0])
    reader = _DocumentReader(file, yaml, text, is_stored=is_stored)
    try:
        loader = _loader_class(yaml)(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        begun = text[error.problem_mark.index :][:1] if error.problem_mark else ""
        raise _invalid_yaml(f"{file}:{line}", str(error.problem), begun) from error
    value: object = {} if node is None else reader.read_value(node, ())
    if not isinstance(value, dict):
        finding = reader.make_finding(reader.lines[()], "yaml", "no mapping", "begin with keys, like `domain: …`")
        raise InventoryError([finding])
    found = cast("dict[str, Any]", value)
    return YamlDocument(file, found, reader.lines, reader.findings, reader.rejected_paths, reader.text_lines)


def _refuse_unseen(where: str, sign: str) -> InventoryError:
    is_break = sign in _BREAKS
    what = "ends a line in YAML, but in no editor" if is_break else "is invisible, and YAML does not allow it"
    fix = f'remove it, or write it as "\\u{ord(sign):04x}" in a text in double quotes'
    return InventoryError([Finding(code="yaml", where=where, what=f"U+{ord(sign):04X} {what}", fix=fix)])


def _invalid_yaml(where: str, problem: str, begun: str) -> InventoryError:
    fixes = {
        "mapping values": "put a text that contains ': ' in quotes",
        "expected alphabetic": "put a text that begins with & or * in quotes",
        "start any token": "indent with spaces" if begun == "\t" else f"put a text that begins with {begun} in quotes",
    }
    fix = next((fix for words, fix in fixes.items() if words in problem), "correct the text")
    return InventoryError([Finding(code="yaml", where=where, what=f"not YAML: {problem}", fix=fix)])


def _import_yaml() -> ModuleType:
    try:
        import yaml  # noqa: PLC0415 - an extra, needed where an inventory is read
    except ModuleNotFoundError as error:
        raise SetupError(f"reading an inventory needs PyYAML; {install_hint('inventory')}") from error
    return yaml


class _Unreadable(NamedTuple):
    """Placeholder in the node tree for a part that was not composed: a reference, or a part nested too deeply."""

    start_mark: Any
    anchor: str = ""


@cache
def _loader_class(yaml: ModuleType) -> type[Any]:
    """PyYAML's safe loader, with nodes at most `_MAX_DEPTH` deep that keep their anchor and their tag as written.

    libyaml's own composer recurses without a limit, so 50,000 brackets crash the process. Therefore nodes are composed
    in Python from libyaml's events. References are not followed, so the nodes form a tree.
    """
    base: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    composer: Any = yaml.composer.Composer

    class Loader(composer, base):
        def __init__(self, stream: str) -> None:
            base.__init__(self, stream)
            composer.__init__(self)
            self.depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            if isinstance(event, yaml.AliasEvent):
                self.get_event()
                return _Unreadable(event.start_mark, event.anchor)
            if self.depth > _MAX_DEPTH:
                return _Unreadable(self._skip_node().start_mark)
            beyond, event.anchor = (event.anchor, event.tag), None
            self.depth += 1
            node = composer.compose_node(self, parent, index)
            self.depth -= 1
            node.beyond = beyond
            return node

        def _skip_node(self) -> Any:
            """Read the events of a node and return the first one."""
            first = event = self.get_event()
            depth = isinstance(first, yaml.CollectionStartEvent)
            while depth:
                event = self.get_event()
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            return first

    return Loader


class _DocumentReader:
    """Converts nodes to values, records their lines, and reports constructs that JSON lacks."""

    def __init__(self, file: str, yaml: ModuleType, text: str, *, is_stored: bool) -> None:
        self.file = file
        self._is_stored = is_stored
        self._text = text
        self.lines: dict[KeyPath, int] = {}
        self._columns: dict[KeyPath, int] = {}
        self.findings: list[Finding] = []
        self.rejected_paths: set[KeyPath] = set()
        self.text_lines: dict[KeyPath, int] = {}
        self._yaml = yaml

    def read_value(self, node: Any, path: KeyPath) -> Any:
        """Convert the node at ``path`` to a value.

        Raises:
            InventoryError: nodes are nested too deeply.
        """
        self._check_depth(node)
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if not self._is_json(node, line):
            self.rejected_paths.add(path)
        if isinstance(node, _Unreadable):
            return None
        if isinstance(node, self._yaml.ScalarNode):
            self.text_lines[path] = line + (node.style in ("|", ">"))
            return node.value if path in self.rejected_paths else self._read_scalar(node, path, line)
        if isinstance(node, self._yaml.MappingNode):
            return self._read_mapping(node, path)
        return [self.read_value(child, (*path, index)) for index, child in enumerate(node.value)]

    def _read_mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            self._check_depth(key)
            if not self._is_json(key, line):
                continue
            if not isinstance(key, self._yaml.ScalarNode):
                self._report(line, "key", "a key that is not text", "use text as the key")
            elif key.tag == f"{_TAG}merge":
                self._report(line, "key", "the key '<<' merges another part", "write the keys of that part here")
            elif key.value in found:
                first = self.lines[*path, key.value]
                what = f"the key {key.value!r:.100} occurs twice, first on line {first}"
                self._report(line, "duplicate", what, "remove one")
            else:
                self.lines[*path, key.value] = line
                self._columns[*path, key.value] = key.start_mark.column
                found[key.value] = self.read_value(value, (*path, key.value))
        return found

    def _check_depth(self, node: Any) -> None:
        if isinstance(node, _Unreadable) and not node.anchor:
            what = f"nested more than {_MAX_DEPTH} levels deep"
            raise InventoryError([self.make_finding(node.start_mark.line + 1, "yaml", what, "nest less deeply")])

    def _is_json(self, node: Any, line: int) -> bool:
        """Report a reference, an anchor or a tag, which JSON lacks. A value with an anchor is still read."""
        if isinstance(node, _Unreadable):
            self._report(line, "alias", f"*{node.anchor} repeats another part", "write that part here")
            return False
        anchor, tag = node.beyond
        if anchor is not None:
            fix = "remove it, and write the part where it is used; put a text that begins with & in quotes"
            self._report(line, "alias", f"the anchor &{anchor} names a part", fix)
        if tag not in _JSON_TAGS:
            what = f"the tag {tag.replace(_TAG, '!!')} makes a value that JSON does not have"
            fix = "remove the tag: text, numbers, lists and keys need none; put a text that begins with ! in quotes"
            self._report(line, "tag", what, fix)
        return tag in _JSON_TAGS

    def _read_scalar(self, node: Any, path: KeyPath, line: int) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        is_plain = kind == "str" and not node.style and node.beyond[1] is None
        if self._is_stored and (unstorable := find_unstorable(text)):
            self.rejected_paths.add(path)
            self._report(line, "scalar", f"{text!r:.100} has {unstorable}, which cannot be stored", "leave it out")
            return text
        if kind == "str" and not (is_plain and (_NUMBER.fullmatch(text) or _OCTAL.fullmatch(text))):
            self._check_comment(node, path)
            return text
        if kind == "null":
            return None
        what = f"{text!r:.100} is not text, a number, true or false"
        if kind in {"bool", "int", "float", "str"}:
            try:
                value: object = read_strictly(text)
                if isinstance(value, (int, float)):
                    return value
            except StrictError:
                if _NUMBER.fullmatch(text):
                    what = f"the number {text:.40} would be another one, because no float holds it"
            except (ValueError, RecursionError):
                pass
        self.rejected_paths.add(path)
        self._report(line, "scalar", what, "quote it if it is meant as text")
        return text

    def _check_comment(self, node: Any, path: KeyPath) -> None:
        """Report a comment that truncates unquoted text, because it follows several words or touches prose."""
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
