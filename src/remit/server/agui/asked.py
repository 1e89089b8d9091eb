"""What an AG-UI client sends. Only its last message and its answers to questions count."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from remit.errors import RequestError
from remit.server.documents.document import Asked, JsonObject, no_json


class SentMessage(Struct, kw_only=True, rename="camel"):
    """A message of the client. All but the last one are ignored: the history is the server's."""

    id: str = ""
    role: str = ""
    content: str | list[dict[str, Any]] | dict[str, Any] | None = None

    def prompt(self) -> str:
        """The text of the person's message.

        Raises:
            RequestError: it is not a message of a person, or has other parts than text.
        """
        if self.role != "user" or not isinstance(self.content, (str, list)):
            raise RequestError("the last message must have the role user and a text; send the person's message last")
        parts = [self.content] if isinstance(self.content, str) else [each.get("text") for each in self.content]
        if not all(isinstance(each, str) for each in parts):
            raise RequestError("a message can have parts of text only; send files to /api/files")
        return "\n".join(map(str, parts))


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
    messages: list[SentMessage] = []
    resume: list[ResumeEntry] | None = None


class RunInputQuery(Asked):
    """To which agent a message goes, and on which target; by default to the first one, on none."""

    agent: str = ""
    target: str = ""


class EventsQuery(Asked):
    """Where to begin: the id of an event; by default at the beginning."""

    after: str = ""
