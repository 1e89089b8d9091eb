"""Gmail: list, search, read and send as the configured account."""

from __future__ import annotations

import asyncio
from typing import Final

from remit import LeafContext
from remit.tools import UNKNOWN, Happened, check_approved_state
from remit_casefile.google.composing import compose
from remit_casefile.google.mime import find_references, parse_message
from remit_casefile.google.payloads.gmail import (
    GetMessage,
    ListMessages,
    MessageList,
    MessageRef,
    MessageView,
    SearchMessages,
    SendMessage,
    SentMessage,
)
from remit_casefile.google.transport import Transport, iterate_pages, quote_segment
from remit_casefile.google.wire import HistoryPage, MessageResource, Profile, Thread
from remit_casefile.google.write_confirmation import WaitSchedule, make_trace

_THREAD_HEADERS: Final = ["Message-ID", "References", "In-Reply-To"]
_HISTORY_TYPES: Final = ["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]


class MailboxHistory:
    """What syncs and previews read of a mailbox. A base class of its own, because these functions are no operations."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._mailbox_url = f"{transport.hosts.gmail}/gmail/v1/users/me"

    async def get_profile(self) -> Profile:
        """The state of the mailbox."""
        return await self._transport.call_json("GET", f"{self._mailbox_url}/profile", Profile)

    async def get_thread(self, thread_id: str) -> Thread:
        """The ids of the messages of a thread, and the headers that make them one."""
        url = f"{self._mailbox_url}/threads/{quote_segment(thread_id)}"
        params = {"format": "metadata", "metadataHeaders": _THREAD_HEADERS}
        return await self._transport.call_json("GET", url, Thread, params=params)

    async def list_history(self, since: str, page_token: str | None = None) -> HistoryPage:
        """A page of changes since a history id.

        Raises:
            NotFoundError: Gmail's history does not go back that far.
        """
        params = {"startHistoryId": since, "historyTypes": _HISTORY_TYPES, "maxResults": 500, "pageToken": page_token}
        return await self._transport.call_json("GET", f"{self._mailbox_url}/history", HistoryPage, params=params)


class GmailClient(MailboxHistory):
    """One mailbox.

    Args:
        transport: the account.
        schedule: how long to look for a message whose sending was not confirmed.
        domain: the domain of the Message-IDs set here.
    """

    def __init__(
        self, transport: Transport, *, schedule: WaitSchedule | None = None, domain: str = "mail.remit.invalid"
    ) -> None:
        super().__init__(transport)
        self._schedule = schedule or WaitSchedule(sleep=asyncio.sleep)
        self._domain = domain

    async def list_messages(self, payload: ListMessages) -> MessageList:
        """List the ids of messages in the mailbox, newest first."""
        params = {
            "labelIds": payload.label_ids,
            "maxResults": payload.max_results,
            "pageToken": payload.page_token,
            "includeSpamTrash": payload.include_spam_trash or None,
        }
        return await self._transport.call_json("GET", f"{self._mailbox_url}/messages", MessageList, params=params)

    async def search_messages(self, payload: SearchMessages) -> MessageList:
        """Search the mailbox like Gmail's search box. Returns the ids of the messages found, newest first."""
        found = dict[str, MessageRef]()

        async def fetch(token: str | None) -> MessageList:
            params = {
                "q": payload.query,
                "maxResults": payload.max_results - len(found),
                "pageToken": token or payload.page_token,
            }
            return await self._transport.call_json("GET", f"{self._mailbox_url}/messages", MessageList, params=params)

        page = MessageList()
        async for page in iterate_pages(fetch):  # Gmail gives fewer on a page than it is asked for, as it likes
            found |= {message.id: message for message in page.messages}
            if len(found) >= payload.max_results:
                break
        return page.model_copy(update={"messages": list(found.values())})

    async def get_message(self, payload: GetMessage) -> MessageView:
        """Read one message: sender, subject, text and the names of attached files."""
        url = f"{self._mailbox_url}/messages/{quote_segment(payload.message_id)}"
        message = await self._transport.call_json("GET", url, MessageResource, params={"format": "full"})
        return await asyncio.to_thread(parse_message, message)  # its sender sizes it

    async def send_message(self, ctx: LeafContext, payload: SendMessage) -> SentMessage:
        """Send a message from the mailbox, as plain text. It cannot be recalled."""
        message_id = self._build_message_id(ctx)
        thread = None if payload.thread_id is None else await self.get_thread(payload.thread_id)
        body = {"raw": compose(payload, message_id, find_references(payload.in_reply_to, thread))}
        if payload.thread_id is not None:
            body["threadId"] = payload.thread_id

        async def write() -> SentMessage:
            sent = await self._transport.call_json("POST", f"{self._mailbox_url}/messages/send", MessageRef, body=body)
            return SentMessage(id=sent.id, thread_id=sent.thread_id, message_id=message_id)

        await check_approved_state()
        what = f"The message to {', '.join(payload.to)} with the Message-ID {message_id} was sent"
        return await self._schedule.confirm_write(write, lambda: self._find_sent(message_id), what)

    async def reconcile_send(self, ctx: LeafContext, payload: SendMessage):
        """Whether the message of an interrupted call was sent.

        A search without a result, even after all waits, proves nothing; then a person is asked.
        """
        message_id = self._build_message_id(ctx)
        found = await self._schedule.poll(lambda: self._find_sent(message_id))
        return UNKNOWN if found is None else Happened(found)

    def _build_message_id(self, ctx: LeafContext) -> str:
        return f"<{make_trace(ctx.key)}@{self._domain}>"

    async def _find_sent(self, message_id: str) -> SentMessage | None:
        params = {"q": f"rfc822msgid:{message_id.strip('<>')}", "includeSpamTrash": True, "maxResults": 1}
        found = await self._transport.call_json("GET", f"{self._mailbox_url}/messages", MessageList, params=params)
        if not found.messages:
            return None
        sent = found.messages[0]
        return SentMessage(id=sent.id, thread_id=sent.thread_id, message_id=message_id)
