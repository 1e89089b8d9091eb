"""What an AG-UI client sends. Only its last message and its answers to questions count."""

from __future__ import annotations

import re
from itertools import islice
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct, field

from remit.errors import RequestError
from remit.server.documents.document import Asked, JsonObject, no_json

_BETWEEN_OBJECTS: Final = re.compile(rb"}\s*,\s*{")
_MOST_OBJECTS: Final = 100_000
_MOST_CHARS: Final = 400

AnyJson = Annotated[Raw, Meta(extra_json_schema={})]
"""Any JSON value as it was sent."""

Messages = Annotated[Raw, Meta(extra_json_schema={"type": "array", "items": {"type": "object"}})]
"""A list of messages as it was sent: it is long, and of use is its last one."""


class TextPart(Struct):
    """A part of the content of a message. Those that are no text are refused."""

    text: str | None = None


class SentMessage(Struct, kw_only=True, rename="camel"):
    """A message of the client. All but the last one are ignored: the history is the server's."""

    id: str = ""
    role: str = ""
    content: AnyJson = field(default_factory=no_json)

    def prompt(self) -> str:
        """The text of the person's message.

        Raises:
            RequestError: it is not a message of a person, or has other parts than text.
        """
        if self.role != "user" or bytes(self.content)[:1] not in (b'"', b"["):
            raise RequestError("the last message must have the role user and a text; send the person's message last")
        try:
            content = msgspec.json.decode(self.content, type=str | list[TextPart])
        except (msgspec.DecodeError, UnicodeDecodeError):
            content = [TextPart()]
        texts = [content] if isinstance(content, str) else [each.text for each in content]
        if any(each is None for each in texts):
            raise RequestError("a message can have parts of text only; send files to /api/files")
        return "\n".join(map(str, texts))


class Answer(Struct, kw_only=True, rename="camel"):
    """How a client interprets a payload that answers a question."""

    approved: bool = False
    reason: str = ""
    arguments: JsonObject = field(default_factory=no_json)
    result: str = ""


class ResumeEntry(Struct, kw_only=True, rename="camel"):
    """The answer to one question. Only a payload with ``approved: true`` approves."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    payload: Answer | None = None


class RunInput(Struct, kw_only=True, rename="camel"):
    """A request of AG-UI. ``messages`` but the last one, ``state``, ``tools`` and ``context`` are ignored."""

    thread_id: str
    run_id: str
    messages: Messages = field(default_factory=no_json)
    resume: Annotated[list[ResumeEntry], Meta(max_length=1000)] | None = None

    def last_message(self) -> SentMessage:
        """The last message.

        Raises:
            RequestError: there is none, or something else, or so many objects that reading them would take long.
        """
        if next(islice(_BETWEEN_OBJECTS.finditer(self.messages), _MOST_OBJECTS - 1, None), None):
            raise RequestError(f"messages has more than {_MOST_OBJECTS:,} objects; send only the last message")
        try:
            messages = msgspec.json.decode(bytes(self.messages) or b"[]", type=list[SentMessage])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RequestError(f"messages is not valid: {error}"[:_MOST_CHARS]) from error
        if not messages:
            raise RequestError("messages is empty; send the person's message")
        return messages[-1]


class RunInputQuery(Asked):
    """To which agent a message goes, and on which target; by default to the first one, on none."""

    agent: str = ""
    target: str = ""


class EventsQuery(Asked):
    """Where to begin: the id of an event; by default at the beginning."""

    after: str = ""
