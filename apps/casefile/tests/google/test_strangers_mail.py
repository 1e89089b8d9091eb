"""Mail of strangers is read as mail programs show it, and one of them never stops the others."""

from __future__ import annotations

import re
import time
from base64 import urlsafe_b64encode
from typing import Final

import pytest

from apps.casefile.tests.google.world import World
from remit.markup import read_html
from remit_casefile.google.mail_text import decode_header, decode_text
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.mime import MAX_TEXT, parse_message
from remit_casefile.google.payloads.gmail import GetMessage
from remit_casefile.google.wire import Body, Header, MessageResource, Part
from tests.strangers.charsets import BROKEN, DECLARED, NO_CHARSETS, SPELLED
from tests.strangers.mail import MAILS, StrangeMail

UNSTORABLE: Final = re.compile(r"\\x[01][0-9a-f]|\\x7f|\\ud[89a-f]")
"""The escapes of characters that a database or a terminal does not take."""


@pytest.mark.parametrize("mail", MAILS, ids=lambda mail: mail.name)
async def test_a_letter_and_what_is_attached_to_it_are_told_apart(world: World, mail: StrangeMail) -> None:
    view = await world.gmail.get_message(GetMessage(message_id=world.google.mailbox.deliver(mail.raw)))

    assert (view.text.strip("\n"), view.subject, tuple(view.alternatives)) == (
        mail.text,
        mail.subject,
        mail.alternatives,
    )
    assert tuple((each.filename, each.text) for each in view.attachments) == mail.attached
    assert (tuple(view.links), view.reply_to) == (mail.links, mail.reply_to)
    assert mail.says in " ".join(view.omitted)
    assert bool(view.omitted) == bool(mail.says)
    assert view.sender == "Eve <eve@example.net>"
    assert UNSTORABLE.search(repr(view.model_dump(mode="python"))) is None


async def test_the_mailbox_of_every_stranger_is_synced(world: World) -> None:
    for mail in MAILS:
        world.google.mailbox.deliver(mail.raw)

    synced = await MailboxSync(world.gmail, schedule=world.patience).sync()

    assert (synced.status, synced.missing, len(synced.messages)) == ("completed", [], len(MAILS))


def text_part(data: str = "", *, size: int = 0, kind: str = "text/plain") -> MessageResource:
    """A message of one part."""
    return MessageResource(id="1", payload=Part(mime_type=kind, body=Body(data=data, size=size)))


@pytest.mark.parametrize(
    ("resource", "says"),
    [
        (text_part(size=70_000), "a text of type text/plain with 70,000 bytes, which Gmail keeps apart"),
        (text_part("#"), "a text of type text/plain, whose base64 is broken"),
        (text_part("YWFh" * 200_000), f"a text of type text/plain goes on after {MAX_TEXT:,} characters"),
        (text_part("YWFh" * 700_000), "a message is read for 2,000,000 characters"),
    ],
    ids=["apart", "broken", "long", "longer"],
)
def test_what_is_not_given_of_a_text_is_said(resource: MessageResource, says: str) -> None:
    view = parse_message(resource)

    assert says in " ".join(view.omitted)
    assert len(view.text) <= MAX_TEXT


def test_a_message_of_many_parts_is_read_up_to_a_limit() -> None:
    parts = [Part(mime_type="text/plain", body=Body(data="YQ")) for _ in range(1000)]
    view = parse_message(MessageResource(id="1", payload=Part(mime_type="multipart/mixed", parts=parts)))

    assert view.omitted == [
        "a part of type text/plain: the message has too many, or too deep ones",
        "a part with the same text as another one",
    ]


def test_letters_that_stand_in_several_headers_are_all_given() -> None:
    headers = [Header(name="To", value="a@example.com"), Header(name="TO", value="b@example.com")]
    view = parse_message(MessageResource(id="1", payload=Part(headers=headers)))

    assert view.to == "a@example.com, b@example.com"


@pytest.mark.parametrize("person", ["b@example.com", '"Rye, b" <b@example.com>', "Rye <b@example.com>"])
def test_of_many_people_whole_addresses_are_given_and_it_is_said_that_more_follow(person: str) -> None:
    headers = [Header(name="To", value=", ".join([person] * 3000)), Header(name="Cc", value=person)]
    view = parse_message(MessageResource(id="1", payload=Part(headers=headers)))

    assert 9_900 < len(view.to) <= 10_000
    assert view.to == ", ".join([person] * view.to.count("@"))
    assert (view.cc, view.omitted) == (person, ["the end of the header To, which is too long"])


def test_people_in_many_headers_are_given_up_to_a_limit_that_is_said() -> None:
    headers = [Header(name="To", value=f"{'b' * 300}@example.com")] * 90 + [Header(name="Cc", value="c@d")] * 101
    view = parse_message(MessageResource(id="1", payload=Part(headers=headers)))

    assert view.to.endswith("b@example.com")
    assert view.omitted == [f"the end of the header {name}, which is too long" for name in ("To", "Cc")]


@pytest.mark.parametrize("value", ["r" * 50_000, '"' * 50_000, '",' * 25_000, "," * 50_000])
@pytest.mark.parametrize("name", ["Subject", "To", "From"])
def test_of_a_long_header_the_start_is_given_and_it_is_said_that_more_follows(name: str, value: str) -> None:
    view = parse_message(MessageResource(id="1", payload=Part(headers=[Header(name=name, value=value)])))

    assert value.startswith({"Subject": view.subject, "To": view.to, "From": view.sender}[name])
    assert view.omitted == [f"the end of the header {name}, which is too long"]


@pytest.mark.parametrize("at", [10**30, -(10**30), 10**17])
def test_a_time_that_is_none_is_not_given(at: int) -> None:
    assert parse_message(MessageResource(id="1", internal_date=at)).received_at is None


@pytest.mark.parametrize("label", NO_CHARSETS)
def test_under_what_is_no_charset_text_is_read_as_utf_8(label: str) -> None:
    assert decode_text("ä".encode(), label) == "ä"


@pytest.mark.parametrize(("label", "content", "text"), [*DECLARED, *SPELLED, *BROKEN])
def test_text_is_read_in_the_charset_that_a_mail_declares(label: str, content: bytes, text: str) -> None:
    assert decode_text(content, label) == text


@pytest.mark.parametrize(
    ("content", "label", "text"),
    [
        (b"\x81\x8d", "", "\ufffd\ufffd"),
        ("ä".encode() + b"\x81", "nonsense", "ä\ufffd"),
        (b"\xff\xfeh\x00i\x00", "utf-16", "hi"),
        (b"\x1b$B!", "iso-2022-jp", "\ufffd"),
        (b"\xa4", "iso-8859-15", "€"),
        (b"+2AA-", "utf-7", "\ufffd"),
    ],
)
def test_bytes_that_do_not_fit_their_charset_are_read_as_far_as_they_go(content: bytes, label: str, text: str) -> None:
    assert decode_text(content, label) == text


@pytest.mark.parametrize(
    ("content", "label", "text"),
    [
        ("<meta charset=windows-1251><p>Привет".encode("cp1251"), "", "Привет"),
        ("<meta charset=windows-1251><p>Привет".encode("cp1251"), "nonsense", "Привет"),
        ("<meta charset=iso-2022-jp><p>日本".encode("iso-2022-jp"), "", "日本"),
        ("<meta charset=gb2312><p>é".encode(), "", "é"),
        ("<meta charset=windows-1251><p>é".encode("latin-1"), "iso-8859-1", "é"),
    ],
)
def test_html_is_read_in_the_charset_that_it_names_if_neither_its_header_nor_its_bytes_do(
    content: bytes, label: str, text: str
) -> None:
    data = urlsafe_b64encode(content).decode()
    headers = [Header(name="Content-Type", value=f"text/html; charset={label}")] if label else []
    part = Part(mime_type="text/html", headers=headers, body=Body(data=data))
    view = parse_message(MessageResource(id="1", payload=part))

    assert (view.text.strip(), view.omitted) == (text, [])


@pytest.mark.parametrize(
    "piece",
    [
        *("<a ", "<!--", '<a "', "<a '\"", "<title>", "<style>", "&", "<p>", "<a b='<", "</", "<img alt=", "<!["),
        *(
            "<script",
            "<title ",
            '<style"',
            "</script",
            '<a b=">"',
            '<a b="',
            "<a" + '" "',
            "<p hidden>",
            "<a href=x>",
            "=",
        ),
        *("<title><body>", "<script></script", "<a  ", "<a b= ", "<!", "<?", "<img alt='", "<a b\"c='"),
        *(
            "<s>x<p>",
            "<ul><li>",
            "<b></p>",
            "<p></b>",
            "<table><tr><td>",
            "<sup>x",
            "<blockquote>x",
            "<template></div>",
        ),
        *(
            "<a href=x><p>x",
            "<ol><li>x</ol>",
            "<pre>\n",
            "<math><msup><mi>x",
            "<i hidden><p>",
            "<p style='a:b'>",
            "</x>",
        ),
    ],
)
def test_markup_of_any_kind_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    begun = time.process_time()
    read_html(piece * (400_000 // len(piece)))
    read_html('<a b="' + piece * (400_000 // len(piece)))
    decode_header("=?utf-8?q?" + piece * 1000)

    assert time.process_time() - begun < 5


def test_of_many_links_the_first_are_given() -> None:
    html = "".join(f"<a href=https://example.com/{number}{'x' * 3000}>a</a>" for number in range(201))
    data = urlsafe_b64encode(html.encode()).decode()
    view = parse_message(text_part(data, size=len(html), kind="text/html"))

    assert (len(view.links), view.omitted) == (200, ["where links lead, after the first 200"])
    assert all(len(link) < 2100 and link.endswith("\u2026>") for link in view.links)
