"""Removes pattern matches and field values from one result, and counts them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Protocol, cast

from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.record.secret import REDACTION_MARK
from remit.schemas.jsontext import compact_json

MAX_MATCHES: Final = 1 << 16
"""The maximum matches and fields in one result, to bound its growth. Beyond this, it is redacted as a whole."""

_MARK: Final = REDACTION_MARK.encode()
_MARKS: Final = re.compile(rb"\[redacted\]")
_MARKS_IN_KEYS: Final = re.compile(rb"\[redacted(?: [0-9]{1,5})?\]")
_NEIGHBOURS: Final = (b"", b"\n", b"a", b" ")
"""Neighbours of empty text that RE2's assertions distinguish."""
_ERROR_NAMES: Final = frozenset({"success", "cancelled", "reason", "error", "errorCode"})
ERROR_FACTS: Final = frozenset({"success", "cancelled", "errorCode"})
"""The parts of an error's content that are never private."""


class _TooManyMatchesError(Exception):
    """A result has more matches than `MAX_MATCHES`, so it is redacted as a whole."""


class Match(Protocol):
    """A match of a pattern."""

    def span(self) -> tuple[int, int]:
        """Where it starts and ends."""
        ...


class Pattern(Protocol):
    """A compiled pattern over UTF-8. Its assertions see the text around the part that is searched."""

    def finditer(self, text: bytes, start: int, end: int, /) -> Iterable[Match]:
        """Find the matches in a part of the text."""
        ...

    def fullmatch(self, text: bytes, start: int, end: int, /) -> Match | None:
        """Match a whole part of the text."""
        ...


def compile_pattern(pattern: str) -> Pattern:
    """Compile a pattern with RE2, because with `re` some texts make even a harmless pattern take hours.

    Raises:
        SetupError: RE2 is not installed or rejects the pattern, or the pattern matches empty text.
    """
    try:
        re2: Any = import_module("re2")  # only patterns need it, and it has no types
    except ImportError as error:
        raise SetupError(f"Redact(patterns=…) needs google-re2; {install_hint('redact')}") from error
    options = re2.Options()
    options.log_errors = False
    try:
        compiled: Pattern = re2.compile(pattern.encode(), options)
    except re2.error as error:
        what = error.args[0].decode(errors="replace")
        raise SetupError(
            f"{pattern!r} is not a regular expression of RE2, which has no look-around and no back-references: {what}"
        ) from error
    if _matches_empty_text(compiled):
        raise SetupError(
            rf"Redact: the pattern {pattern!r} matches empty text, which is everywhere; give one that matches at least "
            r"one character, such as '\\d+' instead of '\\d*'"
        )
    return compiled


class Removal:
    """The redactions of one result: text that matches a pattern, and the values of fields.

    Keys are data, such as addresses, except those that ``declared`` returns, which is called only if a key matches. A
    result with too many matches, or nested too deeply to be read, is redacted as a whole.
    """

    def __init__(
        self,
        patterns: Sequence[Pattern] = (),
        fields: Collection[str] = (),
        declared: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._patterns = patterns
        self._fields = fields
        self._declared = declared
        self._left = MAX_MATCHES

    def redact_text(self, text: str) -> str:
        """Redact a text."""
        try:
            return self._change_text(text)
        except _TooManyMatchesError:
            return REDACTION_MARK

    def redact_content(self, content: str) -> str:
        """Redact every text, key and number in JSON content; treat other content as text."""
        return self._redact_json(content, self._change_value, lambda _value: REDACTION_MARK)

    def redact_error(self, content: str) -> str:
        """Redact the content of an error, but keep its kind."""

        def change(value: object) -> object:
            changed = self._change_value(value)
            return {**cast("dict[str, Any]", changed), **_find_facts(value)} if isinstance(changed, dict) else changed

        def redact_whole(value: object) -> str:
            return compact_json({"error": REDACTION_MARK, **_find_facts(value)})

        self._declared = lambda: _ERROR_NAMES
        return self._redact_json(content, change, redact_whole)

    def _redact_json(
        self, content: str, change: Callable[[object], object], redact_whole: Callable[[object], str]
    ) -> str:
        value: object = None
        try:
            value = json.loads(content)
            changed = change(value)
            return content if changed == value else compact_json(changed)
        except ValueError:
            return self.redact_text(content)
        except _TooManyMatchesError:
            return redact_whole(value)
        except RecursionError:  # it nests too deeply to find the fields in it
            return redact_whole(None)

    def _change_text(self, text: str, marks: re.Pattern[bytes] = _MARKS) -> str:
        """Replace matches by marks, and adjacent matches by one mark. Existing marks are kept.

        Each pattern is matched against the original text, because matches of different patterns may overlap.
        """
        if not self._patterns:
            return text
        data = text.encode("utf-8", "surrogatepass")
        marked = [found.span() for found in marks.finditer(data)]
        edges = [0, *itertools.chain.from_iterable(marked), len(data)]
        gaps = list(zip(edges[::2], edges[1::2], strict=True))
        spans = [span for pattern in self._patterns for gap in gaps for span in self._find(pattern, data, gap)]
        return _mark(data, sorted(spans + marked)).decode("utf-8", "replace") if spans else text

    def _find(self, pattern: Pattern, data: bytes, gap: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for found in pattern.finditer(data, *gap):
            self._count()
            yield found.span()

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooManyMatchesError

    def _change_value(self, value: object) -> object:
        if isinstance(value, str):
            return self._change_text(value)
        if isinstance(value, dict):
            pairs = cast("dict[str, Any]", value)
            names = self._change_keys(pairs)
            return {names[name]: self._change_member(name, part) for name, part in pairs.items()}
        if isinstance(value, list):
            return [self._change_value(part) for part in cast("list[Any]", value)]
        text = compact_json(value)
        changed = self._change_text(text)
        return value if changed == text else changed

    def _change_member(self, name: str, part: object) -> object:
        if name not in self._fields or part is None:
            return self._change_value(part)
        self._count()
        return REDACTION_MARK

    def _change_keys(self, names: Mapping[str, object]) -> dict[str, str]:
        """Map each key to its new key. Keys that become equal are numbered, so that no value is lost."""
        changed = {name: self._change_text(name, _MARKS_IN_KEYS) for name in names}
        matching = [name for name, new in changed.items() if new != name]
        if not matching:
            return changed
        declared = self._declared()
        taken = {name for name, new in changed.items() if new == name or name in declared}
        numbers: dict[str, int] = {}
        for name in matching:
            if name in declared:
                changed[name] = name
                continue
            new = first = changed[name]
            while new in taken:
                numbers[first] = number = numbers.get(first, 1) + 1
                new = f"[redacted {number}]".join(first.rsplit(REDACTION_MARK, 1))
            taken.add(new)
            changed[name] = new
        return changed


def _matches_empty_text(pattern: Pattern) -> bool:
    texts = itertools.product(_NEIGHBOURS, repeat=2)
    return any(pattern.fullmatch(before + after, len(before), len(before)) for before, after in texts)


def _find_facts(body: object) -> dict[str, object]:
    """The fields that identify the kind of an error."""
    pairs = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    return {name: part for name, part in pairs.items() if name in ERROR_FACTS}


def _mark(data: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Replace the parts that sorted spans cover by marks."""
    parts: list[bytes] = []
    end = 0
    for start, stop in spans:
        if start > end or not parts:
            parts += (data[end:start], _MARK)
        end = max(end, stop)
    return b"".join((*parts, data[end:]))
