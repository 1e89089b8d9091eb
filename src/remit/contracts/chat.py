"""Raw chat messages, as an OpenAI-compatible endpoint takes them, and a request and completion made of them.

A message has two forms: the typed dict, for reading, and its *wire text*, the exact JSON that crosses the wire. The
text is written once, stored in the journal and spliced into request bodies; nothing serialises a message again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NotRequired, cast

from typing_extensions import TypedDict

from remit.contracts.ledger import Ledger
from remit.schemas.jsontext import ascii_json, compact_json


class FunctionCall(TypedDict):
    """The function that a tool call names, with its arguments as the model wrote them."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    """One tool call of an assistant message."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class TextPart(TypedDict):
    """A piece of text in a message of several parts."""

    type: Literal["text"]
    text: str


class ImageUrl(TypedDict):
    """Where an image is, and how closely the model should look."""

    url: str
    detail: NotRequired[Literal["auto", "low", "high"]]


class ImagePart(TypedDict):
    """An image in a user's message."""

    type: Literal["image_url"]
    image_url: ImageUrl


class SystemMessage(TypedDict):
    """The agent's instructions."""

    role: Literal["system"]
    content: str | list[TextPart]
    name: NotRequired[str]


class UserMessage(TypedDict):
    """What a person says."""

    role: Literal["user"]
    content: str | list[TextPart | ImagePart]
    name: NotRequired[str]


class AssistantMessage(TypedDict):
    """What the model says, and the tools it calls."""

    role: Literal["assistant"]
    content: NotRequired[str | list[TextPart] | None]
    refusal: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall]]
    name: NotRequired[str]


class ToolMessage(TypedDict):
    """The reply to one tool call."""

    role: Literal["tool"]
    tool_call_id: str
    content: str | list[TextPart]


ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage


def encode_message(message: ChatMessage | Mapping[str, Any]) -> str:
    """The wire text of a message: compact, UTF-8; a lone surrogate, which UTF-8 cannot hold, stays escaped."""
    text = compact_json(message)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return ascii_json(message)
    return text


def decode_message(text: str) -> ChatMessage:
    """The message that a wire text says."""
    return cast("ChatMessage", json.loads(text))


class History:
    """Wire texts in order, with a running digest. Immutable to whoever holds one; appending costs what is appended.

    Histories that grow from one another share one list: `then` on the newest appends, on an older one it copies.
    """

    __slots__ = ("_hash", "_length", "_texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._length = 0
        self._hash = hashlib.sha256()
        self._grow(texts)

    def _grow(self, texts: Iterable[str]) -> None:
        for text in texts:
            data = text.encode()
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)
            self._texts.append(text)
        self._length = len(self._texts)

    def with_messages(self, *texts: str) -> History:
        """This history and ``texts`` after it."""
        grown = History.__new__(History)
        grown._texts = self._texts if len(self._texts) == self._length else self._texts[: self._length]
        grown._hash = self._hash.copy()
        grown._grow(texts)
        return grown

    @property
    def digest(self) -> bytes:
        """sha256 over every text with its length."""
        return self._hash.digest()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts[: self._length])

    def __getitem__(self, index: int) -> str:
        return self._texts[: self._length][index] if index < 0 else self._texts[range(self._length)[index]]

    def __repr__(self) -> str:
        return f"History({self._length} messages)"


class ToolDefinitions:
    """The tool definitions of a request: their JSON array, written once, and its digest."""

    __slots__ = ("digest", "names", "text")

    def __init__(self, definitions: Iterable[Mapping[str, Any]] = ()) -> None:
        listed = list(definitions)
        self.names = tuple(str(d["function"]["name"]) for d in listed)
        self.text = compact_json(listed)
        self.digest = hashlib.sha256(self.text.encode()).digest()

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request to a model: what it is told, which tools it may call, and the knobs of this request.

    ``agent_call_id`` is the id of the agent's call, ``turn`` counts its requests from 1. ``used_call_ids`` holds the
    ids by which the model named calls so far.
    """

    agent_call_id: str
    turn: int
    ledger: Ledger
    history: History
    tools: ToolDefinitions = field(default_factory=ToolDefinitions)
    temperature: float | None = None
    max_tokens: int | None = None
    used_call_ids: set[str] = field(default_factory=set[str])

    @property
    def call_id(self) -> str:
        """The id under which the journal files the answer."""
        return f"{self.agent_call_id}:{self.turn}"

    def next_turn(self, history: History) -> ChatRequest:
        """The request of the next turn, over a longer history."""
        return ChatRequest(
            agent_call_id=self.agent_call_id,
            turn=self.turn + 1,
            ledger=self.ledger,
            history=history,
            tools=self.tools,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            used_call_ids=self.used_call_ids,
        )

    def digest(self) -> str:
        """sha256 (hex) over everything in the request that can change the answer."""
        knobs = f"|{self.temperature!r}|{self.max_tokens!r}".encode()
        return hashlib.sha256(self.history.digest + self.tools.digest + knobs).hexdigest()


class ToolCallRequest(NamedTuple):
    """A tool call that a completion asks for; ``arguments`` is the model's raw text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model gives. ``message`` is the wire text as later requests carry it; ``response`` the raw body.

    ``content`` is what it says: its text, or the words in which it refuses.
    """

    message: str
    content: str | None
    tool_calls: tuple[ToolCallRequest, ...] = ()
    finish_reason: str = "stop"
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    response: str = ""


def completion_from_message(message: str, **fields: Any) -> Completion:
    """The completion whose wire text is ``message``, with the rest (`finish`, tokens, …) as known."""
    parsed = cast("AssistantMessage", json.loads(message))
    calls = parsed.get("tool_calls") or ()
    tool_calls = tuple(ToolCallRequest(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls)
    return Completion(message=message, content=message_text(parsed) or None, tool_calls=tool_calls, **fields)


def message_text(message: ChatMessage) -> str:
    """The text of a message, or else the words in which its model refuses."""
    content = message.get("content") or message.get("refusal") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
