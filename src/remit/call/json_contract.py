"""Input and output of a contract that JSON schemas describe: from MCP, from OpenAPI, or stored.

They behave like the pydantic-based `Input` and `Output`; both pass one test suite.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from remit.call.schema import Output, serialize_content
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import SECRET_IN_ARGUMENTS, Arguments, canonical_json
from remit.record.secret import contains_secret
from remit.schemas.closed_schema import close_schema
from remit.schemas.json_validator import SchemaMismatchError
from remit.schemas.jsontext import reject_constant
from remit.schemas.satisfiable import refuse_contradiction
from remit.schemas.schema_binding import SchemaBinder, copy_json

_TEXT: Final = {"type": "string"}


class JsonPayload(BaseModel):
    """Arguments bound to a JSON schema: each is an attribute, like ``payload.title``; `to_dict` returns all.

    An argument named like an attribute of pydantic models, such as ``copy``, is only in `to_dict`.
    """

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], given: set[str] | None = None) -> JsonPayload:
        """Make a payload. ``given``: names of the arguments that the caller set; None for all."""
        payload = cls.model_construct()
        object.__setattr__(payload, "__pydantic_extra__", dict(values))
        object.__setattr__(payload, "__pydantic_fields_set__", set(values) if given is None else given)
        return payload

    def to_dict(self) -> dict[str, Any]:
        """A copy of the arguments."""
        return cast("dict[str, Any]", copy_json(self.__pydantic_extra__))


class JsonInput:
    """The input of a callee, described by a JSON schema. Implements `InputSchema`.

    Raises:
        ContractError: the schema is not supported, does not describe an object, or allows no arguments.
        SetupError: the extra ``remit[schema]`` is not installed.
    """

    __slots__ = ("_binder", "json_schema", "model")
    computes_defaults = False
    references: frozenset[str] = frozenset()

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._binder = SchemaBinder(schema)
        self.json_schema = _shown_schema(schema)
        self.model = JsonPayload
        if self.json_schema.get("type") != "object":
            raise ContractError("its JSON schema does not describe an object with named fields; add 'type': 'object'")
        refuse_contradiction(close_schema(self._binder.document), "arguments")

    def bind(self, arguments: Arguments, *, strict: bool = False) -> JsonPayload:
        """Bind raw arguments to a payload.

        Strict means: no unknown keys, no duplicate keys, no 3.0 for an integer. A JSON schema never converts "1" to 1.

        Raises:
            InvalidArgumentsError: one line that names each wrong field.
        """
        if arguments.error or (strict and arguments.strict_error):
            raise InvalidArgumentsError(arguments.error or arguments.strict_error)
        value = arguments.value or {}
        try:
            bound = cast("dict[str, Any]", self._binder.bind(value, strict=strict))
        except ValueError as error:
            raise InvalidArgumentsError(self.explain(error)) from error
        return JsonPayload.from_dict(bound, set(value) & set(bound))

    def bind_values(self, values: Mapping[str, Any]) -> JsonPayload:
        """Bind arguments given by name in Python to a payload.

        Raises:
            InvalidArgumentsError: they do not fit the schema, or JSON cannot represent them.
        """
        try:
            raw = serialize_content(dict(values))
        except InvalidOutputError as error:
            raise InvalidArgumentsError(f"JSON cannot hold the arguments: {error.__cause__}") from error
        return self.bind(Arguments(raw, json.loads(raw)), strict=True)

    def dump_canonical(self, payload: JsonPayload) -> str:
        """The canonical JSON of a payload, defaults included.

        Raises:
            InvalidArgumentsError: JSON cannot represent the payload, or would load as a different one.
        """
        return self._dump(payload.to_dict())

    def dump_given(self, payload: JsonPayload) -> str:
        """The canonical JSON of a payload: JSON schemas compute no defaults."""
        return self.dump_canonical(payload)

    def load(self, text: str) -> JsonPayload:
        """Load a payload from its canonical JSON.

        Raises:
            ValueError: the schema does not allow it; `explain` gives the reason.
        """
        value = json.loads(text, parse_constant=reject_constant)
        self._binder.check(value)
        return JsonPayload.from_dict(value)

    def check_payload(self, payload: object) -> JsonPayload:
        """Return ``payload`` if it fits the schema. A mapping of arguments is converted to a payload.

        Raises:
            InvalidArgumentsError: it does not fit.
        """
        if isinstance(payload, JsonPayload):
            return payload
        if isinstance(payload, Mapping):
            return self.bind_values(cast("Mapping[str, Any]", payload))
        raise InvalidArgumentsError(f"give a mapping of arguments, not a {type(payload).__name__}")

    def dump_arguments(self, payload: JsonPayload) -> Arguments:
        """The arguments of a payload that were set, without defaults.

        Raises:
            InvalidArgumentsError: JSON cannot represent them, or would load as a different payload.
        """
        value = {key: part for key, part in payload.to_dict().items() if key in payload.model_fields_set}
        text = self._dump(value)
        if contains_secret(text):
            raise InvalidArgumentsError(SECRET_IN_ARGUMENTS)
        return Arguments(text, value)

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`."""
        return str(error)

    def _dump(self, value: dict[str, Any]) -> str:
        if not _is_json(value):
            raise InvalidArgumentsError("JSON cannot hold the arguments: give text, numbers, lists and dictionaries")
        return canonical_json(value)


class JsonOutput:
    """The output of a callee, described by a JSON schema; any JSON value without one. Implements `OutputSchema`.

    With the schema ``{"type": "string"}`` the result is text, which is its own content. Results are checked but not
    changed: no defaults are filled in.
    """

    __slots__ = ("_binder", "_is_text", "_writer", "json_schema", "result_type")

    def __init__(self, schema: Mapping[str, Any] | None = None) -> None:
        self._binder = None if schema is None else SchemaBinder(schema)
        if self._binder is not None:
            refuse_contradiction(self._binder.document, "results")
        self.json_schema = {} if schema is None else _shown_schema(schema)
        self._is_text = {key: each for key, each in self.json_schema.items() if key != "description"} == _TEXT
        self._writer: Output[Any] = Output(str if self._is_text else Any)
        self.result_type: object = str if self._is_text else Any

    def __repr__(self) -> str:
        return f"JsonOutput({self.json_schema})"

    def dump(self, value: object) -> tuple[Any, str]:
        """Check a result. Returns it as JSON types, and its content: text unchanged, everything else as JSON.

        Raises:
            InvalidOutputError: the result does not fit the schema, or JSON or UTF-8 cannot represent it.
        """
        content = self._writer.dump(value)[1]
        try:
            return self.load(content), content
        except SchemaMismatchError as error:
            raise InvalidOutputError(f"the result does not match the contract: {error}") from error

    def load(self, content: str, *, strict: bool = False) -> Any:
        """Load a result from its content. Strict: no unknown keys, no 3.0 for an integer.

        Raises:
            ValueError: it does not fit the schema; `explain` gives the reason.
        """
        value = self.load_json(content)
        if self._binder is not None and strict:
            self._binder.bind(value, strict=True)
        elif self._binder is not None:
            self._binder.check(value)
        return value

    def load_json(self, content: str) -> JsonValue:
        """The result with this content, as a value of JSON types.

        Raises:
            ValueError: the content is neither JSON nor the text of a text result.
        """
        return self._writer.load_json(content)

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`."""
        return str(error)


def _shown_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as models see it: as received, without ``$schema`` and ``$id``."""
    return {key: copy_json(value) for key, value in schema.items() if key not in ("$schema", "$id")}


def _is_json(value: object) -> bool:
    """Whether a value consists of JSON types only. Types that JSON merely accepts, like tuples, do not count."""
    if type(value) is dict:
        parts = cast("dict[object, object]", value)
        return all(isinstance(key, str) and _is_json(part) for key, part in parts.items())
    if type(value) is list:
        return all(_is_json(part) for part in cast("list[object]", value))
    return value is None or type(value) in (str, int, float, bool)
