"""Requests for new runs, and the ids of runs: random, or derived from an idempotency key."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict, cast, get_args

from pydantic import BaseModel, JsonValue

from remit.approvals.from_journal import RecordedQuestion
from remit.call.contract import Contract
from remit.core.checks import check_instance, check_text
from remit.core.names import check_shown
from remit.dispatch.by_name import encode_arguments
from remit.dispatch.registry import AnyCallee
from remit.engine.given_history import GivenHistory, GivenMessages
from remit.engine.schedule import Schedule
from remit.errors import IdempotencyError, InvalidArgumentsError, RequestError
from remit.record.arguments import Arguments, Limits, content_digest, parse_arguments
from remit.record.artifact import Files
from remit.record.items import RunOpened
from remit.record.principal import Principal, check_principal
from remit.record.secret import contains_secret
from remit.record.target import as_target
from remit.schemas.jsontext import LARGEST_EXACT, compact_json
from remit.shown import show_value

WhenBusy = Literal["refuse", "queue"]
"""The handling of a message to a conversation whose last run has not ended."""

_OF_MESSAGE: Final = ("agent", "files", "confirms", "messages", "metadata")
"""The options that are not fields of the request. They are read first."""

_WHEN_BUSY: Final = get_args(WhenBusy)
_MAX_NAME_CHARS: Final = 1000
_LONGEST: Final = {**dict.fromkeys(("conversation", "idempotency_key", "target"), _MAX_NAME_CHARS), "metadata": 4000}
"""The maximum number of characters of values that are stored with a run unchanged."""
_LETTER_OF_BYTE: Final = b"0123456789abcdefghjkmnpqrstvwxyz" * 8

Prompt: TypeAlias = str | BaseModel | None
"""The input of an agent: a text, or an object of its input; None for the last message of a given history."""


class CallOptions(TypedDict, total=False):
    """Options of a call of a tool: see `Runtime.call_by_name`."""

    conversation: str
    idempotency_key: str
    target: str
    metadata: Mapping[str, JsonValue]


class MessageOptions(TypedDict, total=False):
    """Options of a new run of an agent: see `Runtime.run`."""

    conversation: str
    idempotency_key: str
    files: Files
    target: str
    when_busy: WhenBusy
    confirms: str
    messages: GivenMessages
    metadata: Mapping[str, JsonValue]


class RunOptions(MessageOptions, total=False):
    """Options of a new run of an agent, including the agent: see `Runtime.run`."""

    agent: str


class RunRequest(NamedTuple):
    """A request for a new run.

    ``agent`` is the caller of a direct call. ``conversation`` is the conversation of the run; ``is_direct_call`` says
    that the run is a direct call in it, not the next of its runs. ``target`` is the target of the run, and ``schedule``
    its start, if it does not start at once. ``when_busy`` is its handling in a busy conversation. ``carries`` is a
    question whose decision opens the run, which makes the call first. ``metadata`` is JSON; see `encode_metadata`.
    The run starts from ``history``; see `read_history`. ``about`` and ``passed_over``: see `RunOpened`.
    """

    callee: AnyCallee
    arguments: Arguments
    principal: Principal
    agent: str = ""
    conversation: str = ""
    idempotency_key: str = ""
    is_direct_call: bool = False
    target: str = ""
    schedule: Schedule | None = None
    when_busy: WhenBusy = "refuse"
    carries: RecordedQuestion | None = None
    about: str = ""
    metadata: str = ""
    history: GivenHistory = GivenHistory()
    passed_over: str = ""

    @staticmethod
    def of_agent(agent: AnyCallee, arguments: Arguments, principal: Principal, options: RunOptions) -> RunRequest:
        """The request for a run of an agent. Its files are among its arguments."""
        kept: dict[str, Any] = {name: value for name, value in options.items() if name not in _OF_MESSAGE}
        metadata = encode_metadata(options.get("metadata"))
        return RunRequest(agent, arguments, principal, metadata=metadata, **kept)

    def check(self, limits: Limits) -> RunRequest:
        """Return this request with arguments within the limits. Refuses values of the wrong type.

        Raises:
            SetupError: names the argument. RequestError: a name is too long, or the target is not valid.
        """
        check_principal("by", self.principal)
        check_instance("schedule", self.schedule, (Schedule, NoneType), "give a Schedule")
        for name, most in _LONGEST.items():
            value = getattr(self, name)
            if value == "":
                continue
            check_text(name, value, RequestError)
            if len(value) > most:
                raise RequestError(f"{name} is too long; give at most {most:,} characters")
            if contains_secret(value):
                raise RequestError(f"{name} contains the value of a secret, which would be stored; leave it out")
        if self.when_busy not in _WHEN_BUSY:
            raise RequestError(f"when_busy is {show_value(self.when_busy)}; give one of {', '.join(_WHEN_BUSY)}")
        arguments, target = self.arguments, self.target
        if target != "":
            target = as_target("target", target, RequestError)
        if contains_secret(arguments.raw):
            arguments = parse_arguments(arguments.raw, limits)
        talk = self.conversation
        if talk != "" and check_shown("conversation", talk, RequestError, _MAX_NAME_CHARS) != talk:
            raise RequestError(f"conversation is {talk!a}; give it in Unicode's composed form, NFC")
        return self._replace(arguments=arguments.limit(limits), target=target)


def as_arguments(name: str, arguments: Arguments | Mapping[str, object] | str, limits: Limits) -> Arguments:
    """The arguments of a call of ``name``, which a program gives as a mapping or JSON; parsed ones remain unchanged.

    Raises:
        SetupError: they are neither a mapping nor JSON. RequestError: JSON cannot hold the mapping.
    """
    if isinstance(arguments, Arguments):
        return arguments
    if isinstance(arguments, str):
        return parse_arguments(arguments, limits)
    check_instance(f"{name}: arguments", arguments, Mapping, "give a mapping, or a string of JSON")
    try:
        return encode_arguments(name, arguments, limits)
    except InvalidArgumentsError as error:
        raise RequestError(error.message) from error


def encode_metadata(metadata: Mapping[str, JsonValue] | None) -> str:
    """The metadata of a request as JSON; empty without any.

    Raises:
        RequestError: it is not a JSON object.
    """
    return compact_json(read_metadata(metadata)) if metadata else ""


def read_metadata(metadata: object) -> dict[str, JsonValue]:
    """The metadata of a request, read as arguments are; empty without any.

    Raises:
        RequestError: it is not a JSON object, or holds a value that cannot be stored.
    """
    if metadata is None or metadata == {}:
        return {}
    if not isinstance(metadata, Mapping):
        raise RequestError(f"metadata is {show_value(metadata)}; give a JSON object")
    try:
        read = encode_arguments("metadata", cast("Mapping[str, object]", metadata), Limits())
    except InvalidArgumentsError as error:
        raise RequestError(_of_metadata(error.message)) from error
    if read.error or read.value is None:
        raise RequestError(_of_metadata(read.error))
    for name, value in cast("Mapping[object, object]", metadata).items():
        if not isinstance(name, str) or read.value[name] != value:
            part = f"{{{name!r:.100}: {value!r:.100}}}"
            raise RequestError(f"metadata: {part} is not JSON; give names as strings, and JSON values")
    return read.value


def _of_metadata(message: str) -> str:
    """Turn an error of arguments into one of metadata with the same content."""
    return message.replace("the arguments", "the metadata")


def new_id() -> str:
    """Make a random id (12 characters of a 32-letter alphabet)."""
    return secrets.token_bytes(12).translate(_LETTER_OF_BYTE).decode()


def derive_run_id(idempotency_key: str, by: Principal, application: str) -> str:
    """Derive the id of a run from its idempotency key, which belongs to one principal in one application."""
    return content_digest("request", by.tenant, application, by.name, idempotency_key)


def check_same_request(request: RunRequest, recorded: RunOpened, header: RunOpened, limits: Limits) -> None:
    """Refuse an idempotency key that the principal used for another request.

    Raises:
        IdempotencyError: names the key.
    """
    if request_identity(request.callee, recorded, limits) != request_identity(request.callee, header, limits):
        key = request.idempotency_key
        raise IdempotencyError(f"the idempotency key {key!r} was used for another request; use a new key")


def request_identity(callee: AnyCallee, header: RunOpened, limits: Limits) -> tuple[str, ...]:
    """The identity of a request: all fields of a header that come from the request, and the values of its arguments."""
    said = identify_arguments(callee, parse_arguments(header.arguments, limits))
    start = f"{header.starts_at} {header.starts_before} {header.schedule}"
    started = (start, header.carries, header.history)
    return (header.agent, header.callee, header.conversation, header.target, said, *started)


def identify_arguments(callee: Contract, arguments: Arguments) -> str:
    """A form of arguments that is equal if their caller says the same, with and without defaults."""
    schema = callee.schema_in
    with suppress(InvalidArgumentsError):
        return schema.dump_given(schema.bind(arguments, strict=True))
    if arguments.value is not None and not arguments.strict_error:
        whole = _write_whole(arguments.value)  # a call accepts 42.0 for an integer
        with suppress(InvalidArgumentsError):
            return schema.dump_given(schema.bind(parse_arguments(compact_json(whole)), strict=True))
    return arguments.identity


def _write_whole(value: Any) -> Any:
    """A JSON value with its whole numbers written as such."""
    if isinstance(value, dict):
        return {key: _write_whole(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [*map(_write_whole, cast("list[Any]", value))]
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT
    return int(value) if is_whole else value
