"""Payloads and replies of the Gmail operations."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from remit.tools import entity
from remit_casefile.google.payloads.base import PAGE_TOKEN, GoogleId, GoogleModel, PageToken, Payload

MESSAGE_ID: Final = re.compile("<[!-;=?-~]{1,500}>")
"""A Message-ID that can be written into a header as it is."""
_NAME: Final = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_DOMAIN: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")


def _check_mail_address(text: str) -> str:
    name, _, domain = text.partition("@")
    if not _NAME.fullmatch(name) or not _DOMAIN.fullmatch(domain) or "=?" in name:
        raise ValueError(f"{text!r} is not a mail address like ann@example.com")
    return text


MailAddress = Annotated[str, Field(min_length=3, max_length=254), AfterValidator(_check_mail_address)]
"""A bare mail address, without a name before it. What must be quoted or decoded in one is refused."""


def _check_one_line(text: str) -> str:
    if text.splitlines() not in ([], [text]) or _CONTROL.search(text):
        raise ValueError("a header is one line without control characters")
    return text


_LabelIds = Annotated[list[GoogleId], Field(max_length=20)]


class ListMessages(Payload):
    """The messages to list."""

    label_ids: _LabelIds = Field(default_factory=list[str], description="Only messages that have all of these labels")
    max_results: int = Field(default=20, description="Most messages to give (1-500)", ge=1, le=500)
    page_token: PageToken | None = Field(default=None, description=PAGE_TOKEN)
    include_spam_trash: bool = Field(default=False, description="Whether to look in spam and trash too")


class SearchMessages(Payload):
    """The query, and the number of messages to return."""

    query: str = Field(
        description="As in Gmail's search box: from:{address} subject:{words} newer_than:{days}d",
        min_length=1,
        max_length=2000,
    )
    max_results: int = Field(default=20, description="Most messages to give (1-500)", ge=1, le=500)
    page_token: PageToken | None = Field(default=None, description=PAGE_TOKEN)


class GetMessage(Payload):
    """The message to read."""

    message_id: GoogleId = Field(description="Id of the message, from a list or a search")


class SendMessage(Payload):
    """A message to send, as plain text."""

    to: list[MailAddress] = Field(description="Who gets it", min_length=1, max_length=100)
    cc: list[MailAddress] = Field(default_factory=list[str], description="Who gets a copy", max_length=100)
    bcc: list[MailAddress] = Field(
        default_factory=list[str], description="Who gets a copy that nobody else sees", max_length=100
    )
    subject: Annotated[str, AfterValidator(_check_one_line)] = Field(
        description="The subject, one line", max_length=500
    )
    body: str = Field(description="The text", max_length=500_000)
    thread_id: GoogleId | None = Field(default=None, description="Thread to answer in")
    in_reply_to: str | None = Field(
        default=None,
        description="message_id of the message that this answers; if omitted, the last one of the thread",
        max_length=500,
        pattern=f"^{MESSAGE_ID.pattern}$",
    )


@entity("message", name="id")
class MessageRef(GoogleModel):
    """A message in a list."""

    id: str = Field(description="Id of the message")
    thread_id: str = Field(default="", description="Id of its thread")


class MessageList(GoogleModel):
    """A page of messages, newest first."""

    messages: list[MessageRef] = Field(default_factory=list[MessageRef], description="The messages")
    next_page_token: str | None = Field(default=None, description="What to ask the next page with, if there is one")
    result_size_estimate: int = Field(default=0, description="Roughly how many messages there are in all")


class AttachmentView(GoogleModel):
    """A file attached to a message."""

    filename: str = Field(description="Its name, as the sender wrote it")
    mime_type: str = Field(description="Its type, as the sender wrote it")
    size: int = Field(description="Its size in bytes")
    text: str = Field(default="", description="Its text, if it is text or mail that came with the message")


@entity("message", name="subject")
class MessageView(GoogleModel):
    """A message. Its sender controls everything except Google's ids, labels and times."""

    id: str = Field(description="Id of the message")
    thread_id: str = Field(description="Id of its thread")
    history_id: str = Field(description="Id of the last change to it")
    label_ids: list[str] = Field(description="Its labels: INBOX, UNREAD, ...")
    received_at: datetime | None = Field(description="When Gmail took it in")
    message_id: str = Field(description="Its Message-ID, to answer it with")
    references: list[str] = Field(default_factory=list[str], description="Message-IDs of the thread before it")
    sender: str = Field(description="From whom it says it is")
    reply_to: str = Field(default="", description="The address for answers, if it is not that of the sender")
    to: str = Field(description="To whom it says it is")
    cc: str = Field(description="Who it says gets a copy")
    subject: str = Field(description="Its subject")
    snippet: str = Field(description="How its text begins")
    text: str = Field(
        description="Its text; of HTML what is shown of it, with the signs of Markdown. No text of an attachment"
    )
    alternatives: list[str] = Field(
        default_factory=list[str], description="Other versions of the text that say something else, such as its HTML"
    )
    links: list[str] = Field(
        default_factory=list[str],
        description="Where links of HTML lead whose text does not say it: the text <the address>",
    )
    attachments: list[AttachmentView] = Field(description="The files and messages that came with it")
    omitted: list[str] = Field(default_factory=list[str], description="What of the message is not given here, and why")


@entity("message", name="id")
class SentMessage(GoogleModel):
    """The sent message."""

    id: str = Field(description="Id of the message")
    thread_id: str = Field(description="Id of its thread")
    message_id: str = Field(description="The Message-ID that it was sent with")
