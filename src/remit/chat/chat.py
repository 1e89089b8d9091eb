"""Raw chat messages in the format of OpenAI-compatible endpoints, with requests and completions.

A message has two forms: a typed dict for reading, and its *wire text*, the exact JSON sent to the provider. The wire
text is written once, stored in the journal and spliced into request bodies; messages are never serialised again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NotRequired, cast, overload

from typing_extensions import TypedDict

from remit.chat.foreign_texts import texts_for_model
from remit.chat.provider_tool import ProviderTool
from remit.chat.settings import NO_SETTINGS, ModelSettings
from remit.chat.stand_in import MADE_BY_MODEL, stand_in
from remit.chat.wire import (
    ToolCallRequest,
    keep_tool_calls,
    mark_origin,
    origin_of_text,
    read_tool_calls,
    text_of_message,
)
from remit.core.checks import as_tuple, check_instance, check_text, wrong_value
from remit.errors import CompletionError, SetupError
from remit.record.arguments import is_blank
from remit.record.artifact import DIGEST_PREFIX
from remit.record.ledger import Ledger
from remit.record.usage import are_tokens
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
    """The URL of an image and the level of detail for the model."""

    url: str
    detail: NotRequired[Literal["auto", "low", "high"]]


class ImagePart(TypedDict):
    """An image in a user's message."""

    type: Literal["image_url"]
    image_url: ImageUrl


class FileContent(TypedDict):
    """The name of a file and its content, as a data URL."""

    filename: str
    file_data: str


class FilePart(TypedDict):
    """A file in a user's message, such as a PDF."""

    type: Literal["file"]
    file: FileContent


class SystemMessage(TypedDict):
    """The agent's instructions."""

    role: Literal["system"]
    content: str | list[TextPart]
    name: NotRequired[str]


class UserMessage(TypedDict):
    """A message from a person."""

    role: Literal["user"]
    content: str | list[TextPart | ImagePart | FilePart]
    name: NotRequired[str]


class AssistantMessage(TypedDict):
    """A message from the model, with its tool calls."""

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


CARRIED_ID: Final = "rmt"
"""The prefix of the ids of calls that the runtime makes before the model is asked."""


def encode_message(message: ChatMessage | Mapping[str, Any]) -> str:
    """Encode a message as compact JSON in UTF-8. Lone surrogates, which UTF-8 cannot encode, stay escaped."""
    check_instance("encode_message: message", message, Mapping, "give a message, such as {'role': …, 'content': …}")
    text = compact_json(message)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return ascii_json(message)
    return text


def decode_message(text: str) -> ChatMessage:
    """Decode a wire text.

    Raises:
        SetupError: the text is not a JSON object.
    """
    try:
        message = json.loads(text)
    except (ValueError, TypeError):
        message = None
    if not isinstance(message, dict):
        raise wrong_value("decode_message: text", text, "give the JSON text of a message")
    return cast("ChatMessage", message)


class History:
    """An immutable sequence of wire texts with a running digest. Appending costs only the new texts.

    Histories that extend one another share one list: `with_messages` appends to the newest and copies an older one.
    ``origins`` are the models whose vendor fields or call ids the texts contain, and "" for calls of unknown models.
    ``names_artifacts`` says whether a text names artifacts, and ``is_legal`` whether every endpoint accepts all texts.
    """

    __slots__ = ("_hash", "_length", "_texts", "is_legal", "names_artifacts", "origins")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._length = 0
        self._hash = hashlib.sha256()
        self.origins: frozenset[str] = frozenset()
        self.names_artifacts = False
        self.is_legal = True
        self._grow(as_tuple("History: texts", texts))

    def _grow(self, texts: Iterable[str]) -> None:
        for text in texts:
            try:
                data = text.encode()
            except (AttributeError, UnicodeEncodeError):
                raise wrong_value("History: a text", text, "give the JSON text of a message") from None
            self._hash.update(b"%d:%b" % (len(data), data))
            self._texts.append(text)
            if text.__class__ is not str and (origin := origin_of_text(text)):
                self.origins |= {origin}
            elif '"tool_calls"' in text and "" not in self.origins:
                self.origins |= {""}
            self.names_artifacts = self.names_artifacts or DIGEST_PREFIX in text
            self.is_legal = self.is_legal and (MADE_BY_MODEL not in text or stand_in(text) is None)
        self._length = len(self._texts)

    def with_messages(self, *texts: str) -> History:
        """Return this history followed by ``texts``."""
        grown = History.__new__(History)
        grown._texts = self._texts if len(self._texts) == self._length else self._texts[: self._length]
        grown._hash = self._hash.copy()
        grown.origins, grown.names_artifacts, grown.is_legal = self.origins, self.names_artifacts, self.is_legal
        grown._grow(texts)
        return grown

    @property
    def digest(self) -> bytes:
        """sha256 of every text with its length."""
        return self._hash.digest()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts[: self._length])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice) or index < 0:
            return self._texts[: self._length][index]
        return self._texts[range(self._length)[index]]

    def __repr__(self) -> str:
        return f"History({self._length} messages)"


class ToolDefinitions:
    """The tool definitions of a request: their JSON array, written once, and its digest."""

    __slots__ = ("digest", "names", "text")

    def __init__(self, definitions: Iterable[Mapping[str, Any]] = ()) -> None:
        listed = as_tuple("ToolDefinitions: definitions", definitions)
        try:
            self.names = tuple(str(d["function"]["name"]) for d in listed)
        except (TypeError, KeyError, IndexError):
            raise wrong_value("ToolDefinitions: definitions", definitions, "give definitions of functions") from None
        self.text = compact_json(listed)
        self.digest = hashlib.sha256(self.text.encode()).digest()

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request to a model: history, tools and settings.

    ``agent_call_id`` is the id of the agent's call; ``turn`` counts its requests from 1. The present agent began with
    ``first_turn``; earlier turns belong to agents that handed over. ``used_call_ids`` holds the tool call ids that the
    model has used so far. The journal stores the answer under ``call_id``.
    """

    agent_call_id: str
    turn: int
    ledger: Ledger
    history: History
    tools: ToolDefinitions = field(default_factory=ToolDefinitions)
    provider_tools: tuple[ProviderTool, ...] = ()
    settings: ModelSettings = NO_SETTINGS
    used_call_ids: set[str] = field(default_factory=set[str])
    first_turn: int = 1
    call_id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "call_id", f"{self.agent_call_id}:{self.turn}")

    @property
    def max_tokens(self) -> int | None:
        """The maximum tokens of the answer."""
        return self.settings.output_limit

    def texts(self) -> Iterable[str]:
        """The wire texts of the messages and the tool definitions."""
        return (*self.history, self.tools.text)

    def next_turn(self, history: History) -> ChatRequest:
        """Return the request of the next turn, with a longer history."""
        turn = self.turn + 1
        return ChatRequest(
            agent_call_id=self.agent_call_id,
            turn=turn,
            ledger=self.ledger,
            history=history,
            tools=self.tools,
            provider_tools=self.provider_tools,
            settings=self.settings.for_turn(turn),
            used_call_ids=self.used_call_ids,
            first_turn=self.first_turn,
        )

    def for_model(self, origin: str) -> ChatRequest:
        """Adapt the request to the model ``origin``.

        Fields of other models' vendors are omitted, and calls of other models get portable ids. Messages that endpoints
        would refuse are replaced by legal ones.
        """
        texts = None if self.history.origins <= {origin} else texts_for_model(self.history, origin)
        if not self.history.is_legal:
            texts = [stand_in(text) or text for text in texts or self.history]
        return self if texts is None else replace(self, history=History(texts))

    def digest(self) -> str:
        """sha256 (hex) of everything in the request that can change the answer."""
        own = "".join(map(str, self.provider_tools)) + self.settings.digest_text
        return hashlib.sha256(self.history.digest + self.tools.digest + own.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer. ``message`` is its wire text for later requests, ``response`` the raw body.

    ``content`` is the text of the answer, of the refusal or of speech. ``cached_tokens`` are the prompt tokens that the
    provider had cached, and ``reasoning_tokens`` the answer's tokens that the model spent on thinking. If a number is
    impossible, such as a negative one, all are 0, which means that usage is unknown.
    """

    message: str
    content: str | None
    tool_calls: tuple[ToolCallRequest, ...] = ()
    finish_reason: str = "stop"
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    response: str = ""
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __post_init__(self) -> None:
        if not are_tokens(self.prompt_tokens, self.completion_tokens, self.cached_tokens, self.reasoning_tokens):
            for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"):
                object.__setattr__(self, name, 0)

    def with_text(self, text: str) -> Completion:
        """Return this answer with another text and the same tool calls. Other members of its message are dropped."""
        check_text("with_text: text", text)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        calls = cast("AssistantMessage", json.loads(self.message)).get("tool_calls")
        if calls:
            message["tool_calls"] = calls
        marked = mark_origin(encode_message(message), origin_of_text(self.message))
        return replace(self, message=marked, content=text or None, response="")


def completion_from_message(message: str, **fields: Any) -> Completion:
    """Build the completion whose wire text is ``message``. ``fields`` gives its other fields (tokens, model, …).

    Raises:
        CompletionError: the text is not a message but, for example, a proxy's page. The run then rests.
    """
    try:
        parsed = decode_message(message)
        content, calls = message_text(parsed) or None, read_tool_calls(parsed)
    except SetupError as error:
        raise CompletionError(f"the model answered {message!r:.200}, which is not the JSON of a message") from error
    return Completion(message=message, content=content, tool_calls=calls, **fields)


def drop_empty_calls(answer: Completion) -> Completion:
    """Drop an answer's calls if it has a text and they have neither names nor arguments.

    Some endpoints add such calls to each text. Other members of the message are kept.
    """
    if not (answer.content or "").strip() or any(
        each.name or not is_blank(each.arguments) for each in answer.tool_calls
    ):
        return answer
    marked = mark_origin(keep_tool_calls(answer.message, 0), origin_of_text(answer.message))
    return replace(answer, message=marked, tool_calls=())


def message_text(message: ChatMessage | Mapping[str, Any]) -> str:
    """The text of a message, or else the text of its refusal or the transcript of its speech."""
    check_instance("message_text: message", message, Mapping, "give a message, such as {'role': …, 'content': …}")
    return text_of_message(message)
