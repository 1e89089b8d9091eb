"""Reads the mail of strangers as Gmail gives it: a letter, its other versions, and what is attached.

A reader never raises because of what a sender wrote, and takes no text for the letter that is attached to it. What it
leaves out is named in ``omitted``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from typing import Final

from remit.charsets import find_label
from remit.markup import read_html
from remit_casefile.google.mail_text import (
    REPLACEMENT,
    clean_text,
    decode_base64,
    decode_header,
    decode_text,
    is_guessed,
    is_undeclared,
)
from remit_casefile.google.payloads.gmail import MESSAGE_ID, AttachmentView, MessageView
from remit_casefile.google.wire import Header, MessageResource, Part, Thread

MAX_TEXT: Final = 500_000
"""The most characters that are read of the letter, and of each text attached to it."""
MAX_CHARACTERS: Final = 2_000_000
"""The most characters that are read of a message, markup included."""
_MAX_HEADER: Final = 10_000
_QUOTED_OR_COMMA: Final = re.compile(r"""  "[^"]*+(?:"|\Z)  |  ,  """, re.VERBOSE)
_MAX_TYPE: Final = 1000
_MAX_DEPTH: Final = 30
_MAX_PARTS: Final = 300
_MAX_IDS: Final = 100
_MAX_LINKS: Final = 200
_MAX_LABEL: Final = 60
_MARKUP: Final = frozenset({"text/html", "text/enriched", "application/xhtml+xml"})
_ATTACHED_MAIL: Final = frozenset({"message/rfc822", "message/global"})
_REPEATED: Final = frozenset({"to", "cc", "reply-to"})
_SEEN_ONCE: Final = ("From", "Subject", "Message-ID")
_GIVEN: Final = ("From", "Reply-To", "To", "Cc", "Subject", "Message-ID")
"""The headers that a reader gets as they are written."""


def parse_message(resource: MessageResource) -> MessageView:
    """The readable parts of a message."""
    reader = _Reader(_Allowance())
    content = reader.read(resource.payload)
    headers = _Headers(resource.payload.headers)
    return MessageView(
        id=resource.id,
        thread_id=resource.thread_id,
        history_id=resource.history_id,
        label_ids=resource.label_ids,
        received_at=_received_at(resource.internal_date),
        message_id=headers.find("message-id"),
        references=_find_ids(headers.find("references")),
        sender=headers.find("from"),
        reply_to=headers.find("reply-to"),
        to=headers.find("to"),
        cc=headers.find("cc"),
        subject=headers.find("subject"),
        snippet=clean_text(resource.snippet),
        text=content.text,
        alternatives=content.alternatives,
        links=list(reader.links),
        attachments=reader.attachments,
        omitted=[*headers.list_repeated(), *headers.list_cut(), *reader.omitted],
    )


def find_references(answered_id: str | None, thread: Thread | None) -> list[str]:
    """The Message-IDs for the References of an answer, last the one that it answers: the given one, or the thread's.

    Without them, the recipient's mail program would begin another thread.
    """
    letters = [] if thread is None else [each for each in thread.messages if "DRAFT" not in each.label_ids]
    above = [_Headers(each.payload.headers) for each in letters]
    if answered_id is not None:
        above = [each for each in above if each.find("message-id") == answered_id]
    if not above:
        return [] if answered_id is None else [answered_id]
    earlier = _find_ids(above[-1].find("references")) or _find_ids(above[-1].find("in-reply-to"))[:1]
    found = [each for each in (*earlier, above[-1].find("message-id")) if MESSAGE_ID.fullmatch(each)]
    return list(dict.fromkeys(reversed(found)))[::-1]


def _find_ids(text: str) -> list[str]:
    """The Message-IDs in a header, at most the last hundred."""
    return [f"<{each.partition('>')[0]}>" for each in text.split("<")[1:] if ">" in each][-_MAX_IDS:]


class _Headers:
    """The headers of a part, decoded."""

    def __init__(self, headers: Sequence[Header]) -> None:
        self._headers = headers

    def find(self, name: str) -> str:
        """The value of a header. Of a list of people that stands in several headers, all are given."""
        return self._find(name)[0]

    def _find(self, name: str) -> tuple[str, bool]:
        """The value of a header, and whether that is only the start of it."""
        values = [header.value for header in self._headers if header.name.lower() == name]
        values = values if name in _REPEATED else values[:1]
        cut = _cut_people if name in _REPEATED else _cut_header
        text = ", ".join(filter(None, (decode_header(cut(value)) for value in values[:_MAX_IDS])))
        is_cut = len(values) > _MAX_IDS or any(len(value) > _MAX_HEADER for value in (*values, text))
        return cut(text), is_cut

    def list_fields(self) -> list[str]:
        """All headers, as they stand in a message."""
        return [f"{clean_text(each.name)}: {decode_header(each.value[:_MAX_HEADER])}" for each in self._headers]

    def list_repeated(self) -> list[str]:
        """The headers that a message has once, and this one has more often."""
        names = [header.name.lower() for header in self._headers]
        return [f"another header {name}" for name in _SEEN_ONCE if names.count(name.lower()) > 1]

    def list_cut(self) -> list[str]:
        """The headers of which only the start is given."""
        cut = [name for name in _GIVEN if self._find(name.lower())[1]]
        return [f"the end of the header {name}, which is too long" for name in cut]

    def find_parameter(self, name: str) -> str:
        """A parameter of the type of the content, such as its charset."""
        typed = Message()
        typed["Content-Type"] = f"text/plain; {self.find('content-type')[:_MAX_TYPE].partition(';')[2]}"
        try:
            value = typed.get_param(name)
        except Exception:  # noqa: BLE001 - Python's reader of parameters raises various errors about broken ones
            return ""
        return value[2] if isinstance(value, tuple) else str(value or "")


@dataclass(slots=True)
class _Allowance:
    """How much of a message may still be read."""

    parts: int = _MAX_PARTS
    characters: int = MAX_CHARACTERS


@dataclass(slots=True)
class _Content:
    """The letter in a part, and other versions of it."""

    text: str = ""
    alternatives: list[str] = field(default_factory=list[str])


class _Reader:
    """Reads the tree of one message."""

    def __init__(self, allowance: _Allowance) -> None:
        self.attachments: list[AttachmentView] = []
        self.omitted: list[str] = []
        self.links: dict[str, None] = {}
        self._allowance = allowance

    def read(self, part: Part, depth: int = 0) -> _Content:
        """The letter in a part. What is attached there is kept apart."""
        kind = _kind(part)
        if depth > _MAX_DEPTH or self._allowance.parts == 0:
            self._omit(f"a part of type {kind}: the message has too many, or too deep ones")
            return _Content()
        self._allowance.parts -= 1
        if _is_attached(part, kind):
            self._attach(part, kind, depth)
            return _Content()
        if kind == "multipart/related" and part.parts:
            letter = _find_root(part)
            content = self.read(letter, depth + 1)
            for each in part.parts:
                if each is not letter:
                    self._attach(each, _kind(each), depth + 1)
            return content
        if kind.startswith("message/"):
            return _Content(self._read_report(part, kind))
        if part.parts or kind.startswith("multipart/"):
            versions = [self.read(each, depth + 1) for each in part.parts]
            return self._choose(part.parts, versions) if kind == "multipart/alternative" else self._join(versions)
        return _Content(self._read_text(part, kind))

    def _choose(self, parts: Sequence[Part], versions: Sequence[_Content]) -> _Content:
        """The first version with a text, plain text before HTML. What the others say differently is kept."""
        ranked = sorted(zip(parts, versions, strict=True), key=lambda each: _kind(each[0]) != "text/plain")
        texts = [text for _, version in ranked for text in (version.text, *version.alternatives) if text.strip()]
        others = [each for each in dict.fromkeys(texts) if each.split() != texts[0].split()]
        return _Content(texts[0], others) if texts else _Content()

    def _join(self, contents: Sequence[_Content]) -> _Content:
        """The texts one below the other, without one that repeats another."""
        texts = dict[str, str]()
        for content in contents:
            words = " ".join(content.text.split())
            if words in texts:
                self._omit("a part with the same text as another one")
            elif words:
                texts[words] = content.text
        text = "\n\n".join(each.strip("\n") for each in texts.values()) if len(texts) > 1 else ""
        text = self._cut(text or "".join(texts.values()), "the letter")
        return _Content(text, [each for content in contents for each in content.alternatives])

    def _attach(self, part: Part, kind: str, depth: int) -> None:
        """Keep an attachment apart, with the text of one that is mail or text, where Gmail gives it."""
        nested = _Reader(self._allowance)
        name, text = decode_header(part.filename[:_MAX_HEADER]), ""
        if kind.startswith("message/") and kind not in _ATTACHED_MAIL:
            text = nested._read_report(part, kind)
        elif part.parts:
            name = name or _Headers(part.parts[0].headers).find("subject")
            text = nested._join([nested.read(each, depth + 1) for each in part.parts]).text
        elif (kind.startswith("text/") or kind in _ATTACHED_MAIL) and part.body.data:
            text = nested._read_text(part, kind)
        self.attachments += [
            AttachmentView(filename=name, mime_type=kind, size=part.body.size, text=text),
            *nested.attachments,
        ]
        for each in nested.omitted:
            self._omit(f"{name or kind}: {each}")
        self.links |= nested.links

    def _read_report(self, part: Part, kind: str) -> str:
        """A message that is no mail, such as what became of one: groups of fields, which Gmail gives as parts."""
        groups = [_Headers(each.headers).list_fields() for each in part.parts[: self._allowance.parts]]
        self._allowance.parts -= len(groups)
        if len(groups) < len(part.parts):
            self._omit(f"a part of type {kind} goes on: the message has too many parts")
        texts = ["\n".join(group) for group in groups]
        texts += [self._read_text(each, kind) for each in (part, *part.parts[: len(groups)])]
        return self._cut("\n\n".join(text.strip("\n") for text in texts if text.strip()), f"a text of type {kind}")

    def _read_text(self, part: Part, kind: str) -> str:
        if not part.body.data:
            if part.body.size:
                self._omit(f"a text of type {kind} with {part.body.size:,} bytes, which Gmail keeps apart")
            return ""
        content = decode_base64(part.body.data)
        if content is None:
            self._omit(f"a text of type {kind}, whose base64 is broken")
            return ""
        charset = _Headers(part.headers).find_parameter("charset")
        if kind in _MARKUP and is_undeclared(content, charset):
            charset = find_label(content) or charset
        text = decode_text(content, charset)
        if is_guessed(content, charset):
            declared = f"charset {charset[:_MAX_LABEL]!r} is not known" if charset else "charset is not given"
            self._omit(f"how a text of type {kind} is to be read: its {declared}, so it is read as Windows-1252")
        if REPLACEMENT in text:
            self._omit(f"characters of a text of type {kind} that could not be read: they are {REPLACEMENT}")
        if len(text) > self._allowance.characters:
            self._omit(f"a text of type {kind} goes on: a message is read for {MAX_CHARACTERS:,} characters")
        text = text[: self._allowance.characters]
        self._allowance.characters -= len(text)
        return self._cut(self._read_markup(text, kind) if kind in _MARKUP else text, f"a text of type {kind}")

    def _read_markup(self, html: str, kind: str) -> str:
        read = read_html(html)
        if read.hidden:
            self._omit(f"{read.hidden:,} characters of a text of type {kind} that are hidden from people")
        for link in read.links:
            if len(self.links) == _MAX_LINKS:
                self._omit(f"where links lead, after the first {_MAX_LINKS}")
                break
            self.links[link] = None
        return read.text

    def _cut(self, text: str, what: str) -> str:
        if len(text) > MAX_TEXT:
            self._omit(f"{what} goes on after {MAX_TEXT:,} characters")
        return text[:MAX_TEXT]

    def _omit(self, what: str) -> None:
        if what not in self.omitted:
            self.omitted.append(what)


def _cut_header(value: str) -> str:
    return value[:_MAX_HEADER]


def _cut_people(value: str) -> str:
    """A list of people that is not too long, cut before an address instead of within it."""
    if len(value) <= _MAX_HEADER:
        return value
    ends = [match.start() for match in _QUOTED_OR_COMMA.finditer(value, 0, _MAX_HEADER) if match[0] == ","]
    return value[: ends[-1] if ends else _MAX_HEADER]


def _is_attached(part: Part, kind: str) -> bool:
    """Whether a part is attached to the letter: because it says so, has the name of a file, or is no text."""
    disposition = _Headers(part.headers).find("content-disposition").partition(";")[0].strip().lower()
    if disposition == "attachment" or part.filename or kind in _ATTACHED_MAIL or kind == "text/calendar":
        return True
    return not part.parts and not kind.startswith(("text/", "multipart/", "message/")) and kind not in _MARKUP


def _find_root(part: Part) -> Part:
    """The part that the others belong to: the one that ``start`` names, or the first."""
    root = _Headers(part.headers).find_parameter("start")
    named = (each for each in part.parts if root and _Headers(each.headers).find("content-id") == root)
    return next(named, part.parts[0])


def _kind(part: Part) -> str:
    kind = part.mime_type[:_MAX_TYPE].strip().lower()
    return clean_text(kind) or "text/plain"


def _received_at(milliseconds: int | None) -> datetime | None:
    try:
        return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
