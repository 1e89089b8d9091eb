"""A mailbox in memory."""

from __future__ import annotations

import base64
import itertools
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import SMTP
from typing import cast

from apps.casefile.tests.google.fake.discovery import Json
from apps.casefile.tests.google.fake.requests import GoogleResponseError, Operation, Request, page

_PAGE = 3
"""Pages are short, so that every list of some length has several."""


@dataclass(slots=True)
class Stored:
    """A message that is there."""

    id: str
    thread: str
    labels: list[str]
    raw: bytes
    history: int
    at: int

    @property
    def mail(self) -> EmailMessage:
        """The message, parsed."""
        return message_from_bytes(self.raw, policy=SMTP)


class Mailbox:
    """Messages, what happened to them, and how far back that is remembered."""

    def __init__(self, address: str = "me@example.com") -> None:
        self.address = address
        self.messages: dict[str, Stored] = {}
        self.lag = 0
        self._history: list[tuple[int, str, str]] = []
        self._numbers = itertools.count(1)
        self._now = 1000
        self._oldest = 1

    @property
    def operations(self) -> dict[str, Operation]:
        """What is done here, by the id of its method."""
        return {
            "gmail.users.messages.list": self._list,
            "gmail.users.messages.get": self._get,
            "gmail.users.messages.send": self._send,
            "gmail.users.threads.get": self._thread,
            "gmail.users.history.list": self._changes,
            "gmail.users.getProfile": self._profile,
        }

    def deliver(self, raw: bytes, *labels: str, thread: str = "") -> str:
        """Put a message in; its id."""
        number = next(self._numbers)
        key = f"{number:016x}"
        self._now += 1
        stored = Stored(
            key, thread or f"t{key}", list(labels or ("INBOX",)), raw, self._now, 1_700_000_000_000 + number
        )
        self.messages[key] = stored
        self._history.append((self._now, "messagesAdded", key))
        return key

    def label(self, key: str, *, add: str = "", remove: str = "") -> None:
        """Change the labels of a message."""
        self._now += 1
        stored = self.messages[key]
        stored.labels = [label for label in stored.labels if label != remove] + ([add] if add else [])
        stored.history = self._now
        self._history.append((self._now, "labelsAdded" if add else "labelsRemoved", key))

    def delete(self, key: str) -> None:
        """Delete a message for good."""
        self._now += 1
        del self.messages[key]
        self._history.append((self._now, "messagesDeleted", key))

    def forget(self) -> None:
        """Remember nothing of what has happened so far."""
        self._oldest = self._now + 1
        self._history.clear()

    def _profile(self, request: Request) -> Json:
        return {"emailAddress": self.address, "messagesTotal": len(self.messages), "historyId": str(self._now)}

    def _list(self, request: Request) -> Json:
        params = request.params
        query = str(params.get("q", ""))
        if query and self.lag:
            self.lag -= 1
            return {"resultSizeEstimate": 0}
        wanted = set(params.get("labelIds", []))
        away = set[str]() if params["includeSpamTrash"] else {"SPAM", "TRASH"}
        found = [
            stored
            for stored in reversed(self.messages.values())
            if wanted <= set(stored.labels) and not away & set(stored.labels) and _matches(stored, query)
        ]
        some, following = page(found, params.get("pageToken"), min(_PAGE, params["maxResults"]))
        answer: Json = {"resultSizeEstimate": len(found)}
        if some:
            answer["messages"] = [{"id": stored.id, "threadId": stored.thread} for stored in some]
        return answer | ({"nextPageToken": following} if following else {})

    def _get(self, request: Request) -> Json:
        stored = self.messages.get(request.params["id"])
        if stored is None:
            raise GoogleResponseError(404, "Requested entity was not found.", "notFound")
        resource: Json = {
            "id": stored.id,
            "threadId": stored.thread,
            "labelIds": stored.labels,
            "historyId": str(stored.history),
            "internalDate": str(stored.at),
            "sizeEstimate": len(stored.raw),
        }
        if request.params["format"] == "raw":
            return resource | {"raw": base64.urlsafe_b64encode(stored.raw).decode()}
        return resource | {"snippet": "", "payload": _part(message_from_bytes(stored.raw), "")}

    def _thread(self, request: Request) -> Json:
        found = [each for each in self.messages.values() if each.thread == request.params["id"]]
        if not found:
            raise GoogleResponseError(404, "Requested entity was not found.", "notFound")
        messages: list[Json] = [{"id": each.id, "threadId": each.thread, "labelIds": each.labels} for each in found]
        if request.params["format"] == "metadata":
            asked = {name.lower() for name in request.params.get("metadataHeaders", [])}
            for message, stored in zip(messages, found, strict=True):
                headers = _part(message_from_bytes(stored.raw), "")["headers"]
                message["payload"] = {"headers": [each for each in headers if each["name"].lower() in asked]}
        return {"id": request.params["id"], "historyId": str(max(each.history for each in found)), "messages": messages}

    def _send(self, request: Request) -> Json:
        raw = request.media
        if raw is None:
            raw = base64.urlsafe_b64decode(request.body["raw"])
        mail = message_from_bytes(raw, policy=SMTP)
        if not mail["To"]:
            raise GoogleResponseError(400, "Recipient address required", "invalidArgument")
        key = self.deliver(raw, "SENT", thread=str(request.body.get("threadId", "")))
        stored = self.messages[key]
        return {"id": key, "threadId": stored.thread, "labelIds": stored.labels}

    def _changes(self, request: Request) -> Json:
        since = int(request.params.get("startHistoryId", "0"))
        if since + 1 < self._oldest:
            raise GoogleResponseError(404, "Requested entity was not found.", "notFound")
        later = [record for record in self._history if record[0] > since]
        some, following = page(later, request.params.get("pageToken"), min(_PAGE, request.params["maxResults"]))
        answer: Json = {"historyId": str(self._now)}
        if some:
            answer["history"] = [self._record(*record) for record in some]
        return answer | ({"nextPageToken": following} if following else {})

    def _record(self, at: int, kind: str, key: str) -> Json:
        stored = self.messages.get(key)
        message = {"id": key, "threadId": stored.thread if stored else f"t{key}"}
        return {"id": str(at), "messages": [message], kind: [{"message": message}]}


def _matches(stored: Stored, query: str) -> bool:
    mail = stored.mail
    for word in query.split():
        name, _, value = word.partition(":")
        if name == "rfc822msgid":
            fits = str(mail["Message-ID"]).strip("<>") == value
        elif name in ("from", "to", "subject"):
            fits = value.lower() in str(mail[name]).lower()
        else:
            fits = word.lower() in stored.raw.decode(errors="replace").lower()
        if not fits:
            return False
    return True


def _part(mail: Message, number: str) -> Json:
    """A part as Gmail gives it, of mail that may be broken: headers are not decoded."""
    part: Json = {
        "partId": number,
        "mimeType": mail.get_content_type(),
        "filename": mail.get_filename() or "",
        "headers": [{"name": name, "value": _text_of(value)} for name, value in mail.raw_items()],
        "body": {"size": 0},
    }
    if mail.is_multipart():
        below = cast("list[Message]", mail.get_payload())
        part["parts"] = [_part(each, f"{number}.{index}".lstrip(".")) for index, each in enumerate(below)]
        return part
    content = cast("bytes", mail.get_payload(decode=True))
    if part["filename"]:
        part["body"] = {"size": len(content), "attachmentId": f"attachment-{number}"}
    else:
        part["body"] = {"size": len(content), "data": base64.urlsafe_b64encode(content).decode()}
    return part


def _text_of(value: str) -> str:
    """The text of a header in raw UTF-8."""
    return str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
