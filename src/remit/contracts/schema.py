"""Input and output of a contract, described by pydantic models and Python types."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from remit.contracts.arguments import SECRET_IN_ARGUMENTS, Arguments, canonical_json
from remit.contracts.reference import check_references, note_references, reference_kinds
from remit.contracts.secret import contains_secret
from remit.contracts.wire import without_surrogates
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError
from remit.schemas.core_nodes import iter_nodes
from remit.schemas.formats import FormatCheck
from remit.schemas.json_schema import generate_json_schema
from remit.schemas.jsontext import reject_constant
from remit.schemas.known_keys import describe_known_keys
from remit.schemas.mistakes import describe_mistake, list_mistakes
from remit.schemas.roundtrip import (
    check_fields,
    computes_defaults,
    extra_when_read,
    is_untyped,
    needs_round_trip_check,
)
from remit.schemas.satisfiable import refuse_contradiction
from remit.schemas.serializer import build_serializer, sort_sets
from remit.schemas.validators import describe_functions

P = TypeVar("P", bound=BaseModel)
T = TypeVar("T")

_MAX_ERRORS_LISTED: Final = 5
_RAISED_BY: Final = re.compile(r"^(Error serializing to JSON: |Error calling function `\w+`: |\w+Error: )+")
_LOSSY_SERIALIZER: Final = "its serializer writes what does not read back as the same value"


CONTRACTS_ARE_CHECKED: Final[ContextVar[bool]] = ContextVar("remit_contracts_are_checked", default=False)
"""Whether all contracts that are made now were checked before, as they are: then each is read on first use."""


def shorten_text(text: str, max_bytes: int) -> str:
    """The text, or if it is longer than ``max_bytes`` bytes of UTF-8, its beginning and how long it is."""
    if len(text) * 4 <= max_bytes or len(data := text.encode("utf-8", "surrogatepass")) <= max_bytes:
        return text
    return f"{data[: max(0, max_bytes - 40)].decode(errors='ignore')}… ({len(data):,} bytes)"


class _Codec:
    """Serializer of a type, and what its values need to come back as they were. Built for the first value."""

    __slots__ = ("computes_defaults", "extra_when_read", "is_untyped", "needs_round_trip_check", "serializer")

    def __init__(self, adapter: TypeAdapter[Any], *, include_computed: bool = True) -> None:
        self.serializer = build_serializer(adapter, include_computed=include_computed)
        self.extra_when_read: Final = extra_when_read(adapter)
        self.needs_round_trip_check = needs_round_trip_check(adapter)
        self.computes_defaults = computes_defaults(adapter)
        self.is_untyped = is_untyped(adapter)


class Input(Generic[P]):
    """The input of a callee, described by a pydantic model. Implements `InputSchema`.

    Raises:
        ContractError: the model cannot describe arguments; the message gives the reason.
    """

    def __init__(self, model: type[P]) -> None:
        if model.__pydantic_root_model__:
            raise ContractError(f"{model.__name__} is not an object with named fields, which arguments need")
        self.model = model
        if not CONTRACTS_ARE_CHECKED.get():
            refuse_contradiction(self.json_schema, "arguments")
            check_fields(self._adapter)

    @cached_property
    def _adapter(self) -> TypeAdapter[P]:
        return TypeAdapter(self.model)

    json_schema: dict[str, Any] = cast("Any", cached_property(lambda self: generate_json_schema(self._adapter)))
    """The JSON schema of the arguments."""

    def is_of(self, core_schema: object) -> bool:
        """Whether it was made of what pydantic has made of the model, or not of anything yet."""
        return "_adapter" not in vars(self) or self._adapter.core_schema is core_schema

    # Both are asked for in every call, and found out for the first one.
    computes_defaults: bool = cast("bool", cached_property(lambda self: self._codec.computes_defaults))
    """Whether a default comes from a function."""

    references: frozenset[str] = cast("frozenset[str]", cached_property(lambda self: reference_kinds(self._adapter)))
    """The kinds of objects that arguments refer to. `ContractError`: one is where it would not be resolved."""

    @property
    def functions(self) -> list[str]:
        """Its validators and factories, which the JSON schema does not show; see `describe_functions`."""
        return [*describe_functions(self._adapter), *(f"reference {kind}" for kind in sorted(self.references))]

    def bind(self, arguments: Arguments, *, strict: bool = False) -> P:
        """Bind raw arguments to a payload.

        Strict means: no coercion ("1" is not a number), no unknown keys, no duplicate keys.

        Raises:
            InvalidArgumentsError: one line that names each wrong field.
        """
        if arguments.error or (strict and arguments.strict_error):
            raise InvalidArgumentsError(arguments.error or arguments.strict_error)
        validate, extra = self._adapter.validator.validate_json, "forbid" if strict else None
        try:
            if not self._may_refer:  # to note references costs more than most binding
                payload: P = validate(arguments.raw, strict=strict or None, extra=extra)
            else:
                payload = self._read(lambda: validate(arguments.raw, strict=strict or None, extra=extra))
        except ValidationError as error:
            raise InvalidArgumentsError(self.explain(error)) from error
        if self._formats.is_needed:
            self._check_formats(payload, arguments.value, arguments.raw)
        return payload

    def bind_values(self, values: Mapping[str, Any]) -> P:
        """Bind arguments given in Python, by field name or alias. Converts as pydantic does.

        Raises:
            InvalidArgumentsError: they do not fit.
        """
        try:
            payload = self._read(lambda: self.model.model_validate(dict(values), by_alias=True, by_name=True))
        except ValidationError as error:
            raise InvalidArgumentsError(self.explain(error)) from error
        given = {name: value for name, value in values.items() if type(value) in (str, int, list, dict)}
        self._check_formats(payload, given)
        return payload

    def dump_canonical(self, payload: P) -> str:
        """The canonical JSON of a payload, defaults included, sets sorted.

        Raises:
            InvalidArgumentsError: JSON cannot represent the payload, or would load as a different one; or a text of it
                is a reference that would not be resolved.
        """
        if self._may_refer:
            with note_references() as seen:
                text = canonical_json(self._to_json_value(payload))
            check_references(self._adapter, payload, seen)
        else:
            text = canonical_json(self._to_json_value(payload))
        if self._codec.needs_round_trip_check:
            self._check_round_trip(payload, text, set(self.model.model_fields))
        return text

    def load(self, text: str) -> P:
        """Load a payload from its canonical JSON.

        Raises:
            ValidationError: the model does not allow it; `explain` gives the reason.
            InvalidArgumentsError: it loses a reference.
        """
        return self._read(lambda: self.model.model_validate_json(text))

    def check_payload(self, payload: object) -> P:
        """Return ``payload`` if it is an instance of the model.

        Raises:
            InvalidArgumentsError: it is not.
        """
        if isinstance(payload, self.model):
            return payload
        raise InvalidArgumentsError(f"give a {self.model.__name__}, not a {type(payload).__name__}")

    def dump_arguments(self, payload: P) -> Arguments:
        """The arguments of a payload that were set, without defaults.

        Raises:
            InvalidArgumentsError: as for `dump_canonical`, or they contain the value of a secret.
        """
        value = self._to_json_value(payload, payload.model_fields_set)
        text = canonical_json(value)
        if contains_secret(text):
            raise InvalidArgumentsError(SECRET_IN_ARGUMENTS)
        if self._codec.needs_round_trip_check:
            self._check_round_trip(payload, text, payload.model_fields_set)
        return Arguments(text, value)

    def explain(self, error: ValueError) -> str:
        """One line that names each wrong field and, for an unknown one, those that there are in its place."""
        if not isinstance(error, ValidationError):
            return str(error)
        found = list_mistakes(error)
        unknown = [each["loc"] for each in found if each["type"] == "extra_forbidden"]
        return f"{_summarize(found, self.json_schema)}{describe_known_keys(self.json_schema, unknown)}"

    def _check_formats(self, payload: P, value: object, raw: str = "") -> None:
        written = self._to_json_value(payload) if self._formats.has_texts_beside else None
        if (found := self._formats.find(value, raw, written)) is not None:
            raise InvalidArgumentsError(f"{'.'.join(map(str, found.path))}: {found.message}")

    @cached_property
    def _formats(self) -> FormatCheck:
        return FormatCheck(self.json_schema, {node["type"] for node in iter_nodes(self._adapter.core_schema)})

    @cached_property
    def _may_refer(self) -> bool:
        """Whether a reference may be among the arguments, perhaps in a place where it would not be resolved."""
        try:
            return bool(self.references)
        except ContractError:
            return True

    @cached_property
    def _codec(self) -> _Codec:
        return _Codec(self._adapter, include_computed=False)

    def _to_json_value(self, payload: P, fields: set[str] | None = None) -> dict[str, Any]:
        try:
            plain: dict[str, Any] = self._codec.serializer.to_python(
                payload, mode="json", by_alias=True, include=fields
            )
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise InvalidArgumentsError(f"JSON cannot hold the arguments: {_say_why(error)}") from error
        return plain

    def _read(self, read: Callable[[], object]) -> P:
        """The payload that ``read`` returns, with every reference where it will be resolved."""
        if not self._may_refer:
            return cast("P", read())
        with note_references() as seen:
            payload = read()
        check_references(self._adapter, payload, seen)
        return cast("P", payload)

    def _check_round_trip(self, payload: P, text: str, fields: set[str]) -> None:
        """Refuse a payload whose JSON loads as a different payload, because that one would run."""
        try:
            back = dict(self.load(text))
        except ValidationError as error:
            raise InvalidArgumentsError(f"{_LOSSY_SERIALIZER}: {self.explain(error)}") from error
        lost = [name for name, value in payload if name in fields and (name not in back or back[name] != value)]
        if lost:
            raise InvalidArgumentsError(f"{', '.join(lost)}: {_LOSSY_SERIALIZER}")


class Output(Generic[T]):
    """The output of a callee, described by a Python type. Implements `OutputSchema`.

    Raises:
        ContractError: the type cannot be a result; the message gives the reason.
    """

    def __init__(self, kind: Any) -> None:
        self.result_type: object = kind
        self._is_text = kind is str
        if CONTRACTS_ARE_CHECKED.get():
            return
        try:
            refuse_contradiction(self.json_schema, "results")
            check_fields(self._adapter)
        except (PydanticUserError, LookupError, UnicodeError, AssertionError) as error:  # the last for `Literal[()]`
            raise ContractError(
                f"{kind!r} cannot be a result: use JSON types, a pydantic model or a dataclass"
            ) from error
        except ContractError as error:
            raise ContractError(f"{kind!r} cannot be a result: {error.message}") from error

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(cast("Any", self.result_type))

    json_schema: dict[str, Any] = cast("Any", cached_property(lambda self: generate_json_schema(self._adapter)))
    """The JSON schema of the result."""

    def is_of(self, core_schema: object) -> bool:
        """Whether it was made of what pydantic has made of the type, or not of anything yet."""
        return "_adapter" not in vars(self) or self._adapter.core_schema is core_schema

    def dump(self, value: object) -> tuple[T, str]:
        """Check a result. Returns it with its content: text as it is, everything else as JSON.

        Halves of surrogate pairs, which UTF-8 cannot encode, are replaced.

        Raises:
            InvalidOutputError: the result does not have the type, or JSON cannot represent it.
        """
        try:
            return self._dump(value)
        except InvalidOutputError:
            with contextlib.suppress(RecursionError):
                if isinstance(value, (str, list, dict)) and (safe := without_surrogates(value)) != value:
                    return self._dump(safe)
            raise

    def _dump(self, value: object) -> tuple[T, str]:
        try:
            checked: T = self._adapter.validator.validate_python(value)
            if self._is_text:
                text: Any = checked
                text.encode()
                return checked, text
            content = self._dump_content(checked)
            return self.load(content) if self._codec.is_untyped else checked, content
        except ValidationError as error:
            raise InvalidOutputError(f"the result does not match the contract: {self.explain(error)}") from error
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise InvalidOutputError(f"JSON cannot hold the result: {_say_why(error)}") from error

    def load(self, content: str, *, strict: bool = False) -> T:
        """Load a result from its content. Strict: no coercion (neither ``true`` nor "1" is a number).

        Raises:
            ValidationError: it does not fit; `explain` gives the reason.
        """
        if self._is_text:
            return cast("T", content)
        validator, extra = self._adapter.validator, self._codec.extra_when_read
        return cast("T", validator.validate_json(content, strict=strict or None, extra=extra))

    def load_json(self, content: str) -> JsonValue:
        """The result with this content, as a value of JSON types.

        Raises:
            ValueError: the content is not JSON.
        """
        return content if self._is_text else cast("JsonValue", json.loads(content, parse_constant=reject_constant))

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`."""
        return _summarize(list_mistakes(error), self.json_schema) if isinstance(error, ValidationError) else str(error)

    @cached_property
    def _codec(self) -> _Codec:
        return _Codec(self._adapter)

    def _dump_content(self, value: T) -> str:
        content = _refuse_constants(self._codec.serializer.to_json(value, by_alias=True).decode())
        if self._codec.needs_round_trip_check and self.load(content) != value:
            raise ValueError(_LOSSY_SERIALIZER)
        return content


def serialize_content(value: object) -> str:
    """The content of any value: text as it is, everything else as JSON with sets sorted.

    Raises:
        InvalidOutputError: JSON cannot represent it.
    """
    if isinstance(value, str):
        return str.__str__(value)  # the text of a subclass, which the journal cannot write
    try:
        return _refuse_constants(to_json(sort_sets(value), by_alias=True, inf_nan_mode="constants").decode())
    except (PydanticSerializationError, ValueError, RecursionError) as cause:
        error = ValueError("a text contains lone surrogates") if "surrogates not allowed" in str(cause) else cause
        raise InvalidOutputError(f"JSON cannot hold the result: {_say_why(error)}") from error


def _refuse_constants(content: str) -> str:
    """The content, if it has no number that JSON lacks: NaN is never read as null."""
    if "NaN" in content or "Infinity" in content:  # in a text, or as such a number
        json.loads(content, parse_constant=reject_constant)
    return content


def _say_why(error: Exception) -> str:
    """The reason of an error, without what pydantic says of the function that raised it."""
    return _RAISED_BY.sub("", str(error))


def create_payload_model(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    """Make a payload model from fields ``{name: (type, default)}``, as read from a signature."""
    config = ConfigDict(protected_namespaces=(), defer_build=CONTRACTS_ARE_CHECKED.get())
    return create_model(name, __config__=config, **fields)


def _summarize(found: list[ErrorDetails], document: dict[str, Any]) -> str:
    for each in found:
        if each["type"] == "extra_forbidden":
            each["msg"] = "no such parameter"
    more = f"; and {len(found) - _MAX_ERRORS_LISTED} more" if len(found) > _MAX_ERRORS_LISTED else ""
    return "; ".join(describe_mistake(each, document) for each in found[:_MAX_ERRORS_LISTED]) + more
