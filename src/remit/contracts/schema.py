"""The two sides of a contract: what goes in, and what comes out. Types say it; nothing is written twice."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, PydanticSchemaGenerationError, TypeAdapter, ValidationError, create_model
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json, to_jsonable_python

from remit.contracts.arguments import Arguments, canonical
from remit.errors import ContractError, InvalidError, OutputError

P = TypeVar("P", bound=BaseModel)
T = TypeVar("T")

_SHOWN: Final = 5


class Input(Generic[P]):
    """The payload model of a callee: binds arguments, gives the canonical form, and the JSON schema."""

    __slots__ = ("_sets", "json_schema", "model")

    def __init__(self, model: type[P]) -> None:
        self.model = model
        schema = model.model_json_schema(by_alias=True)
        self.json_schema: dict[str, Any] = cast("dict[str, Any]", _untitled(schema))
        self._sets = "uniqueItems" in str(schema)

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
        """The canonical JSON of a payload, defaults included, sets sorted."""
        if self._sets:
            return canonical(to_jsonable_python(_sorted_sets(payload.model_dump(by_alias=True)), by_alias=True))
        return canonical(payload.model_dump(mode="json", by_alias=True))

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
        """The arguments that a payload stands for: what was set, not the defaults."""
        value = payload.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return Arguments(canonical(value), value)

    def explain(self, error: ValidationError) -> str:
        """One line that names each wrong field and, for an unknown one, the parameters there are."""
        found = error.errors(include_url=False, include_context=False)
        said = "; ".join(_line(detail) for detail in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        known = ""
        if any(detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1 for detail in found):
            known = f". Parameters: {', '.join(self.json_schema.get('properties', {})) or 'none'}"
        return f"{said}{more}{known}"


class Output(Generic[T]):
    """The result type of a callee: checks a result, writes it as content for a model, and reads it back."""

    __slots__ = ("_adapter", "_text", "json_schema")

    def __init__(self, kind: Any) -> None:
        try:
            self._adapter: TypeAdapter[T] = TypeAdapter(kind)
            self.json_schema: dict[str, Any] = self._adapter.json_schema(by_alias=True) if kind is not Any else {}
        except PydanticSchemaGenerationError as error:
            raise ContractError(
                f"{kind!r} cannot be a result: use JSON types, a pydantic model or a dataclass"
            ) from error
        self._text = kind is str

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
            return checked, self._adapter.dump_json(checked, by_alias=True).decode()
        except ValidationError as error:
            said = "; ".join(_line(detail) for detail in error.errors(include_url=False)[:_SHOWN])
            raise OutputError(f"the result is not what the contract says: {said}") from error
        except (PydanticSerializationError, UnicodeEncodeError, RecursionError) as error:
            raise OutputError(f"JSON cannot hold the result: {error}") from error

    def load(self, content: str) -> T:
        """The result whose content is ``content``."""
        return cast("T", content) if self._text else self._adapter.validate_json(content)


def content_of(value: object) -> str:
    """The content of any value: text as it is, everything else as JSON.

    Raises:
        OutputError: JSON cannot hold it.
    """
    if isinstance(value, str):
        return value
    try:
        return to_json(value, by_alias=True, inf_nan_mode="null").decode()
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise OutputError(f"JSON cannot hold the result: {error}") from error


def model_of(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    """A payload model from fields ``{name: (type, FieldInfo)}``, as a signature gives them."""
    return create_model(name, __config__=ConfigDict(arbitrary_types_allowed=False), **fields)


def _line(detail: ErrorDetails) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"{where}: no such parameter"
    return f"{where}: {detail['msg']}" if where else detail["msg"]


def _untitled(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of field names: tokens that say nothing."""
    if isinstance(schema, dict):
        items = cast("dict[str, Any]", schema).items()
        return {
            key: {name: _untitled(part) for name, part in value.items()} if key in _BY_NAME else _untitled(value)
            for key, value in items
            if key != "title"
        }
    if isinstance(schema, list):
        return [_untitled(part) for part in cast("list[Any]", schema)]
    return schema


_BY_NAME: Final = frozenset({"properties", "$defs", "patternProperties"})


def _sorted_sets(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        plain = [to_jsonable_python(_sorted_sets(part), by_alias=True) for part in cast("set[Any]", value)]
        return sorted(plain, key=canonical)
    if isinstance(value, dict):
        return {key: _sorted_sets(part) for key, part in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_sorted_sets(part) for part in cast("list[Any]", value)]
    return value
