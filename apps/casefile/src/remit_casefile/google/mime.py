"""MIME messages: composes one to send, and extracts readable text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from html.parser import HTMLParser
from typing import Final

from remit_casefile.google.payloads.gmail import AttachmentView, MessageView, SendMessage
from remit_casefile.google.wire import Header, MessageResource, Part

# A header is folded as late as may be: folding encodes a long Message-ID, which then is another one.
_POLICY: Final = SMTP.clone(max_line_length=900)
_HIDDEN_TAGS: Final = frozenset({"script", "style", "head", "title"})
_LINE_BREAK_TAGS: Final = frozenset({"br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"})


def compose(payload: SendMessage, message_id: str) -> str:
    """The message in Gmail's format: RFC 5322 in URL-safe base64. Gmail adds sender and date."""
    message = EmailMessage(policy=_POLICY)
    message["Message-ID"] = message_id
    for name, addresses in (("To", payload.to), ("Cc", payload.cc), ("Bcc", payload.bcc)):
        if addresses:
            message[name] = [Address(addr_spec=address) for address in addresses]
    message["Subject"] = payload.subject
    if payload.in_reply_to is not None:
        message["In-Reply-To"] = message["References"] = payload.in_reply_to
    message.set_content(payload.body)
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


def parse_message(resource: MessageResource) -> MessageView:
    """The readable parts of a message."""
    parts = list(_iterate_parts(resource.payload))
    headers = resource.payload.headers
    milliseconds = resource.internal_date
    return MessageView(
        id=resource.id,
        thread_id=resource.thread_id,
        history_id=resource.history_id,
        label_ids=resource.label_ids,
        received_at=None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC),
        message_id=_find_header(headers, "message-id"),
        sender=_find_header(headers, "from"),
        to=_find_header(headers, "to"),
        cc=_find_header(headers, "cc"),
        subject=_find_header(headers, "subject"),
        snippet=resource.snippet,
        text=_extract_text(parts),
        attachments=[
            AttachmentView(filename=part.filename, mime_type=part.mime_type, size=part.body.size)
            for part in parts
            if part.filename
        ],
    )


def _iterate_parts(root: Part) -> Iterator[Part]:
    """The part and all parts below it, in document order."""
    pending = [root]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(part.parts)


def _find_header(headers: list[Header], name: str) -> str:
    return next((header.value for header in headers if header.name.lower() == name), "")


def _extract_text(parts: list[Part]) -> str:
    for kind, read in (("text/plain", str), ("text/html", _strip_markup)):
        for part in parts:
            if part.mime_type.lower() == kind and not part.filename and part.body.data:
                return read(_decode_part(part))
    return ""


def _decode_part(part: Part) -> str:
    data = part.body.data
    try:
        content = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
    except binascii.Error:
        return ""
    typed = EmailMessage(policy=_POLICY)
    typed["Content-Type"] = " ".join(_find_header(part.headers, "content-type").split()) or "text/plain"
    try:
        return content.decode(typed.get_content_charset("utf-8"), errors="replace")
    except LookupError:
        return content.decode(errors="replace")


class _TextExtractor(HTMLParser):
    """Collects the visible text of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.chunks: list[str] = []
        self._hidden_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden_depth += tag in _HIDDEN_TAGS
        if tag in _LINE_BREAK_TAGS:
            self.chunks.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden_depth = max(0, self._hidden_depth - (tag in _HIDDEN_TAGS))

    def handle_data(self, data: str) -> None:
        if not self._hidden_depth:
            self.chunks.append(data)


def _strip_markup(html: str) -> str:
    words = _TextExtractor()
    words.feed(html)
    words.close()
    lines = (" ".join(line.split()) for line in "".join(words.chunks).splitlines())
    return "\n".join(line for line in lines if line)
