"""Messages as mail writes them: composing one to send, and reading one as text."""

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
_UNSHOWN: Final = frozenset({"script", "style", "head", "title"})
_BREAKS: Final = frozenset({"br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"})


def compose(payload: SendMessage, message_id: str) -> str:
    """The message as Gmail takes it: RFC 5322, in URL-safe base64. Gmail adds the sender and the date."""
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


def view_of(resource: MessageResource) -> MessageView:
    """What a reader wants of a message."""
    parts = list(_all_parts(resource.payload))
    headers = resource.payload.headers
    milliseconds = resource.internal_date
    return MessageView(
        id=resource.id,
        thread_id=resource.thread_id,
        history_id=resource.history_id,
        label_ids=resource.label_ids,
        received_at=None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC),
        message_id=_header(headers, "message-id"),
        sender=_header(headers, "from"),
        to=_header(headers, "to"),
        cc=_header(headers, "cc"),
        subject=_header(headers, "subject"),
        snippet=resource.snippet,
        text=_text(parts),
        attachments=[
            AttachmentView(filename=part.filename, mime_type=part.mime_type, size=part.body.size)
            for part in parts
            if part.filename
        ],
    )


def _all_parts(root: Part) -> Iterator[Part]:
    """The part and all below it, in the order in which they are written."""
    waiting = [root]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(part.parts)


def _header(headers: list[Header], name: str) -> str:
    return next((header.value for header in headers if header.name.lower() == name), "")


def _text(parts: list[Part]) -> str:
    for kind, read in (("text/plain", str), ("text/html", _without_markup)):
        for part in parts:
            if part.mime_type.lower() == kind and not part.filename and part.body.data:
                return read(_decoded(part))
    return ""


def _decoded(part: Part) -> str:
    data = part.body.data
    try:
        content = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
    except binascii.Error:
        return ""
    typed = EmailMessage(policy=_POLICY)
    typed["Content-Type"] = " ".join(_header(part.headers, "content-type").split()) or "text/plain"
    try:
        return content.decode(typed.get_content_charset("utf-8"), errors="replace")
    except LookupError:
        return content.decode(errors="replace")


class _Words(HTMLParser):
    """Collects what a reader of HTML sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._unshown = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unshown += tag in _UNSHOWN
        if tag in _BREAKS:
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._unshown = max(0, self._unshown - (tag in _UNSHOWN))

    def handle_data(self, data: str) -> None:
        if not self._unshown:
            self.found.append(data)


def _without_markup(html: str) -> str:
    words = _Words()
    words.feed(html)
    words.close()
    lines = (" ".join(line.split()) for line in "".join(words.found).splitlines())
    return "\n".join(line for line in lines if line)
