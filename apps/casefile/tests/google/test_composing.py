"""What is sent is what was given, to the letter, for readers of mail that are not ours."""

from __future__ import annotations

import base64
import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_casefile.google.composing import compose
from remit_casefile.google.mime import parse_message
from remit_casefile.google.payloads.gmail import SendMessage
from remit_casefile.google.wire import Header, MessageResource, Part

_LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))
SUBJECTS = st.one_of(st.text(_LETTERS, max_size=300), st.text("=?utf-8bq_ \tä", max_size=60))
BODIES = st.text(st.one_of(st.characters(exclude_categories=("Cs",)), st.sampled_from(" \t\r\n.=F")), max_size=300)


def sent(subject: str = "hi", body: str = "ho", *references: str) -> tuple[bytes, EmailMessage]:
    """The bytes that are sent, and what Python's reader of mail makes of them."""
    payload = SendMessage.model_construct(to=["bob@example.com"], cc=[], bcc=[], subject=subject, body=body)
    raw = base64.urlsafe_b64decode(compose(payload, "<1@example.com>", references))
    return raw, message_from_bytes(raw, policy=SMTP)


@given(SUBJECTS)
def test_a_subject_is_read_as_it_was_given(subject: str) -> None:
    raw, mail = sent(subject)
    headers = [Header(name="Subject", value=re.split(rb"\r\nSubject: |\r\nMIME", raw)[1].decode())]
    view = parse_message(MessageResource(id="1", payload=Part(headers=headers)))

    assert str(mail["Subject"] or "") == subject
    assert view.subject == subject.strip()
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


@given(BODIES)
def test_a_text_is_read_as_it_was_given_but_for_the_form_of_its_line_breaks(body: str) -> None:
    raw, mail = sent(body=body)
    content = mail.get_payload(decode=True)

    assert isinstance(content, bytes)
    assert content.decode() == re.sub("\r\n?|\n", "\r\n", body)
    lines = raw.partition(b"\r\n\r\n")[2].split(b"\r\n")
    assert not any(len(line) > 80 or line.startswith((b"From ", b".")) or line != line.rstrip() for line in lines)
    assert all(b"\r" not in line and b"\n" not in line for line in lines)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("plain\nlines\n", "7bit"),
        ("", "7bit"),
        ("Grüße", "quoted-printable"),
        ("From here\n.\nto there ", "quoted-printable"),
        ("x" * 5000, "quoted-printable"),
    ],
)
def test_a_text_that_no_server_on_the_way_changes_is_sent_as_it_is(body: str, encoding: str) -> None:
    _, mail = sent(body=body)

    assert (mail["Content-Transfer-Encoding"], mail.get_content_charset()) == (encoding, "utf-8")


def test_long_ids_and_many_people_stand_in_headers_of_lawful_lines() -> None:
    ids = [f"<{letter * 480}@example.com>" for letter in "abc"]
    people = [f"person-{number}@example.com" for number in range(100)]
    payload = SendMessage(to=people, cc=people, bcc=["dan@example.com"], subject="", body="hi")
    raw = base64.urlsafe_b64decode(compose(payload, "<1@example.com>", ids))
    mail = message_from_bytes(raw, policy=SMTP)

    assert (mail["References"].split(), mail["In-Reply-To"]) == (ids, ids[-1])
    assert [each.addr_spec for each in mail["To"].addresses] == people
    assert mail["Bcc"] == "dan@example.com"
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
