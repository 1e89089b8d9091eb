"""The two sides of a contract: what goes in, and what comes out. Types say it; nothing is written twice."""

from __future__ import annotations

import json
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    PydanticUserError,
    RootModel,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from remit.contracts.arguments import HELD, Arguments, canonical, no_constant
from remit.contracts.secret import KNOWN, redacted
from remit.errors import ContractError, InvalidError, OutputError
from remit.schemas.json_schema import json_schema_of
from remit.schemas.roundtrip import check_fields, in_order, is_doubtful, serializer_of, validator_of

P = TypeVar("P", bound=BaseModel)
T = TypeVar("T")

_SHOWN: Final = 5
_UNREADABLE: Final = "what its serializer writes is not read as what it was"


class _Written:
    """How values of a type are written and read, and whether each must be looked at. Built when the first one comes."""

    __slots__ = ("doubtful", "reader", "serializer")

    def __init__(self, adapter: TypeAdapter[Any], *, computed: bool = True) -> None:
        self.serializer = serializer_of(adapter, computed=computed)
        self.reader = validator_of(adapter)
        self.doubtful = is_doubtful(adapter)


class Input(Generic[P]):
    """The payload model of a callee: binds arguments, gives the canonical form, and the JSON schema."""

    __slots__ = ("_adapter", "_written", "json_schema", "model")

    def __init__(self, model: type[P]) -> None:
        if issubclass(model, RootModel):
            raise ContractError(f"{model.__name__} is no object with named fields, as arguments are")
        self._adapter = TypeAdapter(model)
        self.model = model
        self.json_schema: dict[str, Any] = json_schema_of(self._adapter)
        check_fields(self._adapter)
        self._written: _Written | None = None

    def bind(self, arguments: Arguments, *, strict: bool = False) -> P:
        """The payload that the arguments say.

        Strict means: no coercion ("1" is no number), no unknown keys, no key twice.

        Raises:
            InvalidError: naming each field that is wrong.
        """
        if arguments.error or (strict and arguments.flaw):
            raise InvalidError(arguments.error or arguments.flaw)
        try:
            if strict:
                return self.model.model_validate_json(arguments.raw, strict=True, extra="forbid")
            return self.model.model_validate_json(arguments.raw)
        except ValidationError as error:
            raise InvalidError(self.explain(error)) from error

    def canonical(self, payload: P) -> str:
        """The canonical JSON of a payload, defaults included, sets sorted.

        Raises:
            InvalidError: there is none, or it does not say the payload.
        """
        text = canonical(self._plain(payload))
        if self._writes.doubtful:
            self._come_back(payload, text, set(self.model.model_fields))
        return text

    def load(self, text: str) -> P:
        """The payload whose canonical JSON is ``text``."""
        return self.model.model_validate_json(text)

    def check(self, payload: object) -> P:
        """``payload``, if it is one.

        Raises:
            InvalidError: it is something else.
        """
        if isinstance(payload, self.model):
            return payload
        raise InvalidError(f"give a {self.model.__name__}, not a {type(payload).__name__}")

    def arguments(self, payload: P) -> Arguments:
        """The arguments that a payload stands for: what was set, not the defaults.

        Raises:
            InvalidError: there are none, or they do not say the payload.
        """
        value = self._plain(payload, payload.model_fields_set)
        text = canonical(value)
        if KNOWN.spellings and redacted(text) != text:
            raise InvalidError(HELD)
        if self._writes.doubtful:
            self._come_back(payload, text, payload.model_fields_set)
        return Arguments(text, value)

    def explain(self, error: ValidationError) -> str:
        """One line that names each wrong field and, for an unknown one, the parameters there are."""
        found = error.errors(include_url=False, include_context=False)
        said = "; ".join(_line(detail) for detail in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        known = ""
        if any(detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1 for detail in found):
            known = f". Parameters: {', '.join(self.json_schema.get('properties', {})) or 'none'}"
        return f"{said}{more}{known}"

    @property
    def _writes(self) -> _Written:
        if self._written is None:
            self._written = _Written(self._adapter, computed=False)
        return self._written

    def _plain(self, payload: P, fields: set[str] | None = None) -> dict[str, Any]:
        try:
            plain: dict[str, Any] = self._writes.serializer.to_python(
                payload, mode="json", by_alias=True, include=fields
            )
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise InvalidError(f"JSON cannot hold the arguments: {error}") from error
        return plain

    def _come_back(self, payload: P, text: str, fields: set[str]) -> None:
        """Refuse a payload whose text says another, which would run in its place."""
        try:
            back = dict(self.load(text))
        except ValidationError as error:
            raise InvalidError(f"{_UNREADABLE}: {self.explain(error)}") from error
        lost = [name for name, value in payload if name in fields and (name not in back or back[name] != value)]
        if lost:
            raise InvalidError(f"{', '.join(lost)}: {_UNREADABLE}")


class Output(Generic[T]):
    """The result type of a callee: checks a result, writes it as content for a model, and reads it back."""

    __slots__ = ("_adapter", "_text", "_written", "json_schema", "kind")

    def __init__(self, kind: Any) -> None:
        try:
            self._adapter: TypeAdapter[T] = TypeAdapter(kind)
            self.json_schema: dict[str, Any] = json_schema_of(self._adapter)
            check_fields(self._adapter)
        except PydanticUserError as error:
            raise ContractError(
                f"{kind!r} cannot be a result: use JSON types, a pydantic model or a dataclass"
            ) from error
        except ContractError as error:
            raise ContractError(f"{kind!r} cannot be a result: {error.message}") from error
        self.kind: object = kind
        self._text = kind is str
        self._written: _Written | None = None

    def dump(self, value: object) -> tuple[T, str]:
        """The checked result and its content: text as it is, everything else as JSON.

        Raises:
            OutputError: the result is not of its type, or JSON or UTF-8 cannot hold it.
        """
        try:
            checked = self._adapter.validate_python(value)
            if self._text:
                cast("str", checked).encode()
                return checked, cast("str", checked)
            return checked, self._content(checked)
        except ValidationError as error:
            said = "; ".join(_line(detail) for detail in error.errors(include_url=False)[:_SHOWN])
            raise OutputError(f"the result is not what the contract says: {said}") from error
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise OutputError(f"JSON cannot hold the result: {error}") from error

    def holds(self, value: object) -> bool:
        """Whether a value is a result as it stands."""
        try:
            checked: object = self._adapter.validate_python(value)
        except ValidationError:
            return False
        return type(checked) is type(value) and checked == value

    def load(self, content: str) -> T:
        """The result whose content is ``content``."""
        return cast("T", content) if self._text else cast("T", self._writes.reader.validate_json(content))

    def plain(self, content: str) -> JsonValue:
        """What ``content`` says, as JSON has it.

        Raises:
            ValueError: it is no JSON, and not text either.
        """
        return content if self._text else cast("JsonValue", json.loads(content, parse_constant=no_constant))

    @property
    def _writes(self) -> _Written:
        if self._written is None:
            self._written = _Written(self._adapter)
        return self._written

    def _content(self, value: T) -> str:
        content = self._writes.serializer.to_json(value, by_alias=True).decode()
        if "NaN" in content or "Infinity" in content:  # as text, or as what is no JSON
            json.loads(content, parse_constant=no_constant)
        if self._writes.doubtful and self.load(content) != value:
            raise ValueError(_UNREADABLE)
        return content


def content_of(value: object) -> str:
    """The content of any value: text as it is, everything else as JSON, sets sorted.

    Raises:
        OutputError: JSON cannot hold it.
    """
    if isinstance(value, str):
        return value
    try:
        return to_json(in_order(value), by_alias=True, inf_nan_mode="null").decode()
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise OutputError(f"JSON cannot hold the result: {error}") from error


def model_of(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    """A payload model from fields ``{name: (type, default)}``, as a signature gives them."""
    return create_model(name, __config__=ConfigDict(protected_namespaces=()), **fields)


def _line(detail: ErrorDetails) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"{where}: no such parameter"
    return f"{where}: {detail['msg']}" if where else detail["msg"]
