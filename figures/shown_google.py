"""What left for Google, to the byte, against what the approver was shown."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import SMTP
from typing import Any, Final, cast
from urllib.parse import unquote

from remit.core.names import show_hidden
from remit.policies import Question
from tests.strangers.texts import STRANGE_TEXTS

Case = tuple[str, dict[str, Any]]

_ENCODED: Final = "Minutes =?utf-8?b?IC0gcGxlYXNlIHdpcmUgMTAsMDAwIEVVUiB0b2RheQ==?="
_SUBJECTS: Final = (
    *STRANGE_TEXTS,
    "=?utf-8?q?hi?=  =?utf-8?q?there?=",
    " edges ",
    "two  spaces",
    "",
    "x" * 500,
    "ä" * 500,
    "word " * 99,
    "=?",
    "Bcc: eve@example.net",
    "\u202egnp.exe",
)
_BODIES: Final = (
    *STRANGE_TEXTS,
    "",
    "no end",
    "one\ntwo\r\nthree\rfour\n",
    "From here\n.\n..\nFrom there\n",
    "trailing  \n\t\n ",
    "=3D =\n=",
    "x" * 3000,
    "ü" * 3000,
    "\x0c\x0b\x85\u2028 lines",
    "\n\n\nlate",
    "\n",
    "\r",
)
_ROWS: Final[tuple[list[list[Any]], ...]] = (
    [[1, 1.0, True, "1", "1.0", "TRUE", None]],
    [[0.1, -0.0, 1e300, 2**53 + 1, -(2**63)]],
    [["=SUM(A1)", "'007", "+49", "-1", " 1 "]],
    [list(STRANGE_TEXTS)],
    [["a\nb\tc"], [], [""]],
)
_BOOK: Final = {"spreadsheet_id": "book", "range": "Sheet1!A1:C3"}
_LETTER: Final = {"to": ["bob@example.com"], "subject": "hi", "body": "ho"}


def iter_google_cases() -> Iterator[Case]:
    """Calls of every tool that sends something to Google."""
    # Every third call is in the short form of the figure.
    yield "gmail_send_message", {**_LETTER, "subject": _ENCODED}
    yield "gmail_send_message", {**_LETTER, "thread_id": "thread"}
    yield "gmail_send_message", {**_LETTER, "thread_id": "thread", "in_reply_to": "<earlier@example.com>"}
    people = [f"person.{number}+x@sub.example.com" for number in range(100)]
    yield "gmail_send_message", {**_LETTER, "to": people, "cc": people[:9], "bcc": ["d'arcy@example.com"]}
    yield from (("gmail_send_message", {**_LETTER, "subject": each}) for each in _SUBJECTS)
    yield from (("gmail_send_message", {**_LETTER, "body": each}) for each in _BODIES)
    for text in _BODIES:  # no more than may be uploaded in a minute
        yield "drive_upload_file", {"name": "a.txt", "text": text}
    for text in _BODIES[::2]:
        coded = base64.b64encode(text.encode()).decode()
        yield "drive_upload_file", {"name": "a.bin", "mime_type": "application/x", "base64": coded}
    yield from (("drive_upload_file", {"name": name, "text": "x"}) for name in STRANGE_TEXTS)
    for tool in ("sheets_update_values", "sheets_append_values"):
        for rows in _ROWS:
            yield from ((tool, {**_BOOK, "values": rows, "value_input": how}) for how in ("RAW", "USER_ENTERED"))


def find_google_difference(tool: str, asked: dict[str, Any], question: Question, path: str, body: bytes) -> str:
    """In what a request differs from what was shown; empty if in nothing."""
    shown: dict[str, Any] = json.loads(question.arguments)
    if any(name not in shown or _text(shown[name]) != _text(value) for name, value in asked.items()):
        return "what was shown is not what was asked"
    if tool == "gmail_send_message":
        return _find_in_mail(shown, question.shown, body)
    if tool == "drive_upload_file":
        return _find_in_upload(shown, question.shown, body)
    sent = json.loads(body)
    if _text(sent["values"]) != _text(shown["values"]):
        return f"other values: {body!r}"
    place = unquote(path).partition("/values/")[2].removesuffix(":append")
    return "" if place == sent["range"] == shown["range"] and place in question.shown else "other cells"


def _text(value: object) -> str:
    """JSON, which tells 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True)


def _find_in_mail(shown: dict[str, Any], preview: str, body: bytes) -> str:
    sent = json.loads(body)
    raw = base64.urlsafe_b64decode(sent["raw"])
    mail = message_from_bytes(raw, policy=SMTP)
    for name in ("to", "cc", "bcc"):
        people = [each.addr_spec for each in mail[name].addresses] if mail[name] else []
        if people != shown[name] or not all(each in preview for each in people[:12]):
            return f"other people in {name}: {people}"
    headers = dict(message_from_bytes(raw).raw_items())
    plain = str(make_header(decode_header(re.sub(r"\r?\n", "", headers["Subject"]))))
    if not str(mail["Subject"]) == plain == shown["subject"]:
        return f"another subject: {plain!r}"
    if difference := _find_in_preview(shown, preview):
        return difference
    content = cast("bytes", mail.get_payload(decode=True)).decode()
    if content != re.sub("\r\n?|\n", "\r\n", shown["body"]):
        return f"another text: {content!r}"
    answered = mail["In-Reply-To"]
    if sent.get("threadId") != shown["thread_id"] or (answered is not None and answered not in preview):
        return "another thread"
    known = {"Message-ID", "To", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"}
    known |= {name for name in ("Cc", "Bcc") if shown[name.lower()]}
    known |= set() if answered is None else {"In-Reply-To", "References"}
    return "" if sorted(name for name, _ in mail.raw_items()) == sorted(known) else f"other headers: {sorted(headers)}"


def _find_in_preview(shown: dict[str, Any], preview: str) -> str:
    _, subject, text = preview.partition(f"\nSubject: {show_hidden(shown['subject'])}")
    if not subject:
        return "" if preview.endswith("…") else f"another subject in the preview: {preview!r}"
    is_same = begins_with(shown["body"], text.removeprefix("\n"))
    return "" if is_same else f"another text in the preview: {text!r}"


def begins_with(text: str, shown: str) -> bool:
    """Whether the lines shown are the first of a text, each to its end or to ``…``, and the others are counted."""
    lines, begun = [show_hidden(line) for line in text.splitlines()], shown.split("\n") if shown or text else []
    rest = re.fullmatch(r"\(([0-9,]+) more lines\)", begun[-1]) if begun else None
    if rest is not None and len(lines) - int(rest[1].replace(",", "")) == len(begun) - 1:
        lines, begun = lines[: len(begun) - 1], begun[:-1]
    is_cut = shown.endswith("…")  # a preview as a whole has a limit too
    pairs = zip(lines, begun, strict=False)
    is_same = all(each == line or (each[-1:] == "…" and line.startswith(each[:-1])) for line, each in pairs)
    return is_same and (len(begun) == len(lines) or (is_cut and 0 < len(begun) < len(lines)))


def _find_in_upload(shown: dict[str, Any], preview: str, body: bytes) -> str:
    boundary = body.partition(b"\r\n")[0]
    metadata, content = body.split(boundary + b"\r\n")[1:3]
    kind, _, sent = content.removesuffix(b"\r\n" + boundary + b"--").partition(b"\r\n\r\n")
    said = json.loads(metadata.partition(b"\r\n\r\n")[2])
    expected = shown["text"].encode() if shown["text"] is not None else base64.b64decode(shown["base64"])
    if sent != expected:
        return f"other content: {sent!r}"
    named = (
        said["name"] == shown["name"]
        and f"the file '{show_hidden(said['name'])}' ({said['mimeType']}, {len(sent):,} " in preview
    )
    return "" if named and kind.decode().endswith(said["mimeType"]) else f"another name or type: {said}"
