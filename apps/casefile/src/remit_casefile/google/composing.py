"""Writes a message to send, so that its recipient reads what was approved, to the letter.

Python's own writer folds and encodes headers as it sees fit: an encoded word in a subject is decoded by the recipient,
and a long Message-ID becomes another one. So headers are written here, by RFC 2047 and 5322.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from typing import Final

from remit_casefile.google.payloads.gmail import SendMessage

_LINE_BREAK: Final = re.compile("\r\n?|\n")
_PLAIN: Final = re.compile("[!-~]+(?: [!-~]+)*")
# Neither white space at the end of a line nor a line that a mail program rewrites, such as "From ".
_PLAIN_LINE: Final = re.compile(rb"(?!From |\.)(?:[\t -~]*[!-~])?")
_REWRITTEN: Final = re.compile(rb"^(?:From |\.)", re.MULTILINE)
_BYTE_LINE_BREAK: Final = re.compile(rb"\r?\n")
_MAX_BODY_LINE: Final = 76
_MAX_LINE: Final = 900
"""A line that is not folded stays below the 998 characters of RFC 5322."""
_WORD_BYTES: Final = 45
"""Bytes of text in an encoded word, which has at most 75 characters."""


def compose(payload: SendMessage, message_id: str, references: Sequence[str] = ()) -> str:
    """The message in Gmail's format: RFC 5322 in URL-safe base64. Gmail adds sender and date.

    Args:
        payload: what is sent.
        message_id: the Message-ID of this message.
        references: the Message-IDs of the thread, last the one that is answered.
    """
    headers = [("Message-ID", message_id)]
    for name, addresses in (("To", payload.to), ("Cc", payload.cc), ("Bcc", payload.bcc)):
        if addresses:
            headers.append((name, ",\r\n ".join(addresses)))
    headers.append(("Subject", _encode_text(payload.subject)))
    if references:
        headers += [("In-Reply-To", references[-1]), ("References", "\r\n ".join(references))]
    encoding, body = _encode_body(payload.body)
    headers += [
        ("MIME-Version", "1.0"),
        ("Content-Type", 'text/plain; charset="utf-8"'),
        ("Content-Transfer-Encoding", encoding),
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers).encode("ascii")
    return base64.urlsafe_b64encode(head + b"\r\n" + body).decode()


def _encode_text(text: str) -> str:
    """A header's text: as it is if no reader changes that, else as encoded words."""
    if not text or (_PLAIN.fullmatch(text) and "=?" not in text and len(text) <= _MAX_LINE):
        return text
    words = (base64.b64encode(piece).decode() for piece in _split_letters(text))
    return "\r\n ".join(f"=?utf-8?b?{word}?=" for word in words)


def _split_letters(text: str) -> Iterable[bytes]:
    """The text in UTF-8, in pieces that cut no letter."""
    piece = b""
    for letter in text:
        coded = letter.encode()
        if len(piece) + len(coded) > _WORD_BYTES:
            yield piece
            piece = b""
        piece += coded
    yield piece


def _encode_body(text: str) -> tuple[str, bytes]:
    """The transfer encoding of a text, and its bytes: lines end with CRLF, and nothing else is changed."""
    content = _LINE_BREAK.sub("\r\n", text).encode()
    lines = content.split(b"\r\n")
    if all(len(line) <= _MAX_BODY_LINE and _PLAIN_LINE.fullmatch(line) for line in lines):
        return "7bit", content
    encoded = _BYTE_LINE_BREAK.sub(b"\r\n", binascii.b2a_qp(content, istext=True))
    return "quoted-printable", _REWRITTEN.sub(lambda match: b"=%02X" % match[0][0] + match[0][1:], encoded)
