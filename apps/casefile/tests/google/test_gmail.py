"""Gmail: reading what came, sending, and finding out whether something was sent."""

from __future__ import annotations

import base64

import pytest
from pydantic import ValidationError

from apps.casefile.tests.google.fake.faults import Cut, Stall, broken
from apps.casefile.tests.google.fake.requests import GoogleResponseError
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import Ctx, World
from remit.errors import InvalidArgumentsError
from remit.tools import UNKNOWN, Happened
from remit_casefile.google.errors import UncertainError
from remit_casefile.google.mime import parse_message
from remit_casefile.google.payloads.gmail import GetMessage, ListMessages, SearchMessages, SendMessage
from remit_casefile.google.wire import Body, Header, MessageResource, Part

SEND, LIST = "gmail.users.messages.send", "gmail.users.messages.list"
LETTER = SendMessage(to=["bob@example.com"], subject="Grüße", body="Hällo\n")


async def test_a_message_is_read_with_its_text_and_the_files_that_came_with_it(world: World) -> None:
    raw = mail(text="plain\n", html="<p>not this</p>", attached={"a.pdf": b"%PDF"})
    key = world.google.mailbox.deliver(raw, "INBOX", "UNREAD")

    view = await world.gmail.get_message(GetMessage(message_id=key))

    assert (view.sender, view.to, view.subject) == ("Ann <ann@example.com>", "me@example.com", "hello")
    assert (view.text.strip(), view.message_id, view.label_ids) == ("plain", "<one@example.com>", ["INBOX", "UNREAD"])
    assert [(each.filename, each.size) for each in view.attachments] == [("a.pdf", 4)]
    assert view.received_at is not None


async def test_of_a_message_in_html_the_words_are_read(world: World) -> None:
    html = "<html><head><style>p{}</style></head><p>Dear <b>Bob</b>,</p>\n<p>come &amp; see</p><script>x()</script>"
    key = world.google.mailbox.deliver(mail(text="", html=html))

    assert (await world.gmail.get_message(GetMessage(message_id=key))).text == "Dear Bob,\n\ncome & see"


async def test_a_message_may_have_no_text(world: World) -> None:
    key = world.google.mailbox.deliver(mail(text="", attached={"a.pdf": b"%PDF"}))

    view = await world.gmail.get_message(GetMessage(message_id=key))

    assert (view.text, len(view.attachments)) == ("", 1)


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        ("text/plain; charset=iso-8859-1", base64.urlsafe_b64encode("ä".encode("latin-1")).decode(), "ä"),
        ("text/plain; charset=nonsense", base64.urlsafe_b64encode("ä".encode()).decode(), "ä"),
        ("text/plain", base64.urlsafe_b64encode(b"abcd").decode().rstrip("="), "abcd"),
        ("text/plain", "a", ""),
    ],
)
def test_text_is_read_in_the_charset_that_its_sender_says(kind: str, data: str, text: str) -> None:
    headers = [Header(name="Content-Type", value=kind)]
    part = Part(mime_type="text/plain", headers=headers, body=Body(data=data))

    assert parse_message(MessageResource(id="1", payload=part)).text == text


async def test_messages_are_listed_by_label_page_by_page(world: World) -> None:
    keys = [world.google.mailbox.deliver(mail(), "INBOX", "Label_1") for _ in range(4)]
    world.google.mailbox.deliver(mail(), "INBOX")

    first = await world.gmail.list_messages(ListMessages(label_ids=["Label_1"]))
    second = await world.gmail.list_messages(ListMessages(label_ids=["Label_1"], page_token=first.next_page_token))

    assert [each.id for each in (*first.messages, *second.messages)] == keys[::-1]
    assert second.next_page_token is None


async def test_the_trash_is_searched_only_where_that_is_asked(world: World) -> None:
    world.google.mailbox.deliver(mail(), "TRASH")

    assert (await world.gmail.list_messages(ListMessages())).messages == []
    assert len((await world.gmail.list_messages(ListMessages(include_spam_trash=True))).messages) == 1
    assert (await world.gmail.search_messages(SearchMessages(query="hello"))).messages == []


async def test_a_message_is_sent_with_the_message_id_of_its_key(world: World) -> None:
    payload = LETTER.model_copy(
        update={"cc": ["cy@example.com"], "bcc": ["di@example.com"], "in_reply_to": f"<{'x' * 120}@example.com>"}
    )
    sent = await world.gmail.send_message(Ctx("key-1"), payload)
    again = await world.gmail.send_message(Ctx("key-2"), payload)

    stored = world.google.mailbox.messages[sent.id].mail
    assert (stored["To"], stored["Cc"], stored["Bcc"]) == ("bob@example.com", "cy@example.com", "di@example.com")
    assert (stored["Subject"], stored.get_content()) == ("Grüße", "Hällo\r\n")
    assert stored["In-Reply-To"] == stored["References"] == payload.in_reply_to
    assert stored["Message-ID"] == sent.message_id != again.message_id
    assert sent.message_id.endswith("@example.invalid>")
    assert "key-1" not in sent.message_id


async def test_an_answer_goes_into_its_thread(world: World) -> None:
    world.google.mailbox.deliver(mail(message_id="<one@example.com>"), thread="t1")

    sent = await world.gmail.send_message(Ctx("1"), LETTER.model_copy(update={"thread_id": "t1"}))
    again = await world.gmail.send_message(Ctx("2"), LETTER.model_copy(update={"thread_id": "t1"}))

    first, second = (world.google.mailbox.messages[each.id].mail for each in (sent, again))
    assert sent.thread_id == again.thread_id == "t1"
    assert (first["In-Reply-To"], first["References"]) == ("<one@example.com>", "<one@example.com>")
    assert second["In-Reply-To"] == sent.message_id
    assert second["References"].split() == ["<one@example.com>", sent.message_id]


async def test_an_answer_to_an_earlier_message_refers_to_those_before_that(world: World) -> None:
    for number, headers in enumerate((b"", b"In-Reply-To: <0@x>\r\n", b"References: <0@x> <1@x>\r\n")):
        world.google.mailbox.deliver(b"Message-ID: <%d@x>\r\n%s\r\nhi" % (number, headers), thread="t1")
    letter = LETTER.model_copy(update={"thread_id": "t1", "in_reply_to": "<1@x>"})

    sent = await world.gmail.send_message(Ctx(), letter)

    assert world.google.mailbox.messages[sent.id].mail["References"].split() == ["<0@x>", "<1@x>"]


async def test_a_message_without_a_usable_message_id_is_answered_in_its_thread_alone(world: World) -> None:
    world.google.mailbox.deliver("Message-ID: <ü @x>\r\n\r\nhi".encode(), thread="t1")

    sent = await world.gmail.send_message(Ctx(), LETTER.model_copy(update={"thread_id": "t1"}))

    assert (sent.thread_id, world.google.mailbox.messages[sent.id].mail["References"]) == ("t1", None)


@pytest.mark.parametrize("trouble", [Cut.AFTER, Cut.MIDWAY])
async def test_a_message_whose_sending_was_not_confirmed_is_found(world: World, trouble: Cut) -> None:
    world.google.faults.plan(SEND, trouble)
    world.google.mailbox.lag = 2

    sent = await world.gmail.send_message(Ctx(), LETTER)

    assert world.google.asked == [SEND, LIST, LIST, LIST]
    assert world.waited == [2.0, 5.0]
    assert list(world.google.mailbox.messages) == [sent.id]


@pytest.mark.parametrize("trouble", [Cut.BEFORE, broken(503)])
async def test_a_message_that_is_found_nowhere_is_uncertain_and_not_sent_again(world: World, trouble: Cut) -> None:
    world.google.faults.plan(SEND, trouble)

    with pytest.raises(UncertainError, match=r"to bob@example.com .* was sent, or not") as caught:
        await world.gmail.send_message(Ctx(), LETTER)

    assert (caught.value.code, caught.value.retryable) == ("OUTCOME_UNKNOWN", False)
    assert world.google.asked == [SEND, LIST, LIST, LIST, LIST]
    assert world.waited == [2.0, 5.0, 10.0]


async def test_where_looking_fails_too_the_sending_is_uncertain(world: World) -> None:
    world.google.faults.plan(SEND, Cut.AFTER)
    world.google.faults.plan(LIST, broken(), times=9)

    with pytest.raises(UncertainError):
        await world.gmail.send_message(Ctx(), LETTER)


async def test_a_message_that_timed_out_is_looked_for(world: World) -> None:
    world.google.faults.plan(SEND, Stall.FOREVER)
    hurried = World(world.google, timeout=0.2)

    with pytest.raises(UncertainError, match=r"no answer from Google within 0\.2 s"):
        await hurried.gmail.send_message(Ctx(), LETTER)
    await hurried.transport.close()


async def test_a_message_that_is_refused_was_not_sent(world: World) -> None:
    world.google.faults.plan(SEND, GoogleResponseError(400, "Invalid To header", "invalidArgument"))

    with pytest.raises(InvalidArgumentsError, match="Invalid To header"):
        await world.gmail.send_message(Ctx(), LETTER)
    assert world.google.asked == [SEND]


async def test_a_token_that_runs_out_before_sending_sends_once(world: World) -> None:
    world.google.tokens = {"token-2"}

    await world.gmail.send_message(Ctx(), LETTER)

    assert len(world.google.mailbox.messages) == 1


async def test_reconcile_finds_what_was_sent_though_the_search_lags(world: World) -> None:
    sent = await world.gmail.send_message(Ctx("key-1"), LETTER)
    world.google.mailbox.lag = 3

    assert await world.gmail.reconcile_send(Ctx("key-1"), LETTER) == Happened(sent)
    assert world.waited == [2.0, 5.0, 10.0]


async def test_reconcile_does_not_claim_that_nothing_happened(world: World) -> None:
    await world.gmail.send_message(Ctx("key-1"), LETTER)

    assert await world.gmail.reconcile_send(Ctx("key-2"), LETTER) is UNKNOWN


@pytest.mark.parametrize(
    "wrong",
    [
        {"to": []},
        {"to": ["bob"]},
        {"to": ["bob@example.com\nBcc: eve@example.com"]},
        {"to": ["Bob <bob@example.com>"]},
        {"to": ["bob@example.com, eve@example.com"]},
        {"to": ["=?utf-8?q?bob?=@example.com"]},
        {"to": ["bob@example.com (Bob)"]},
        {"to": ['"bob, eve"@example.com']},
        {"to": ["bob@-example.com"]},
        {"to": ["böb@example.com"]},
        {"to": ["bob@exämple.com"]},
        {"subject": "hi\r\nBcc: eve@example.com"},
        {"subject": "hi\n"},
        {"subject": "hi\x1b[2J"},
        {"in_reply_to": "<ü@example.com>"},
        {"subject": "hi\u2028there"},
        {"in_reply_to": "no id"},
        {"in_reply_to": "<a@b>\nBcc: eve@example.com"},
        {"thread_id": "../drafts"},
    ],
)
def test_nothing_gets_into_a_header_that_does_not_belong_there(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SendMessage.model_validate({**LETTER.model_dump(), **wrong})
