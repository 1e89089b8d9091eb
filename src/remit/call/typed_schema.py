"""A Python type as pydantic reads and writes it, shared by the input and output of contracts.

One strict reader handles all external values: arguments, requests, and results given by a model or a person.
"""

from __future__ import annotations

import json
import re
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final, Generic, TypeVar, cast

from msgspec import Struct
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from remit.schemas.added_rules import has_added_rules
from remit.schemas.core_nodes import iter_nodes
from remit.schemas.formats import FormatCheck
from remit.schemas.json_schema import generate_json_schema
from remit.schemas.json_validator import Problem, SchemaMismatchError
from remit.schemas.jsontext import read_strictly
from remit.schemas.known_keys import describe_known_keys
from remit.schemas.mistakes import describe_mistake, list_mistakes
from remit.schemas.roundtrip import (
    check_fields,
    computes_defaults,
    extra_when_read,
    is_untyped,
    leaves_out_values,
    needs_round_trip_check,
)
from remit.schemas.schema_binding import SchemaBinder
from remit.schemas.serializer import build_serializer

T = TypeVar("T")

_MAX_ERRORS_LISTED: Final = 5
_RAISED_BY: Final = re.compile(r"^(Error serializing to JSON: |Error calling function `\w+`: |\w+Error: )+")


class EarlierCheck(Struct, frozen=True):
    """The full check of an application in its current form, by an earlier command. It accepted this ``governance``."""

    governance: str


EARLIER_CHECK: Final[ContextVar[EarlierCheck | None]] = ContextVar("remit_earlier_check", default=None)
"""The earlier check of the application that the current command loads; None for none, so that it is checked now."""


def contracts_are_checked() -> bool:
    """Whether a command loads an application that was already checked unchanged.

    Its models may then be built on first use: ``ConfigDict(defer_build=contracts_are_checked())``.
    """
    return EARLIER_CHECK.get() is not None


class _Codec:
    """The serializer of a type, and the requirements for a lossless round trip. Built for the first value."""

    __slots__ = (
        "computes_defaults",
        "extra_when_read",
        "is_untyped",
        "leaves_out_values",
        "needs_round_trip_check",
        "serializer",
    )

    def __init__(self, adapter: TypeAdapter[Any], *, include_computed: bool = True) -> None:
        self.serializer = build_serializer(adapter, include_computed=include_computed)
        self.extra_when_read: Final = extra_when_read(adapter)
        self.needs_round_trip_check = needs_round_trip_check(adapter)
        self.leaves_out_values = leaves_out_values(adapter)
        self.computes_defaults = computes_defaults(adapter)
        self.is_untyped = is_untyped(adapter)


class TypedSchema(Generic[T]):
    """The values of a Python type. ``include_computed`` says whether computed fields are written."""

    def __init__(self, kind: Any, *, include_computed: bool = True) -> None:
        self._kind = kind
        self._include_computed = include_computed

    def __repr__(self) -> str:
        kind = self._kind.__name__ if isinstance(self._kind, type) else repr(self._kind)
        return f"{type(self).__name__}({kind})"

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        adapter: TypeAdapter[T] = TypeAdapter(self._kind)
        if not adapter.pydantic_complete:  # for a model with defer_build
            adapter.rebuild(raise_errors=False)
        return adapter

    json_schema: dict[str, Any] = cast("Any", cached_property(lambda self: generate_json_schema(self._adapter)))
    """The JSON schema of the values."""

    def is_of(self, core_schema: object) -> bool:
        """Whether it is unbuilt, or was built from pydantic's present schema of the type."""
        return "_adapter" not in vars(self) or self._adapter.core_schema is core_schema

    def read(self, text: str) -> T:
        """Read an external value strictly: no coercion ("1" is not a number), no unknown or repeated keys, no changes.

        Raises:
            ValueError: it does not fit, or would be changed; `explain` gives the reason.
        """
        value = read_strictly(text)
        extra = self._codec.extra_when_read or "forbid"
        read: T = self._adapter.validator.validate_json(text, strict=True, extra=extra)
        if self._is_checked:
            self._check_shown(read, value, text)
        return read

    def explain(self, error: Exception) -> str:
        """Name each wrong field in one line and, for unknown fields, the valid ones."""
        if isinstance(error, json.JSONDecodeError):
            return f"it is not JSON: {error}"
        if not isinstance(error, ValidationError):
            return str(error)
        found = list_mistakes(error)
        unknown = [each["loc"] for each in found if each["type"] == "extra_forbidden"]
        return f"{_summarize(found, self.json_schema)}{describe_known_keys(self.json_schema, unknown)}"

    def _check(self) -> None:
        """Refuse a type whose values JSON does not preserve, or whose added rules cannot be checked.

        Raises:
            ContractError: says which. SetupError: its added rules need the extra ``remit[schema]``.
        """
        check_fields(self._adapter)
        _ = self._added_rules

    def _check_shown(self, read: T, value: object, text: str = "") -> None:
        """Refuse values that pydantic accepted but the JSON schema does not describe; ``text`` is their JSON.

        Raises:
            ValueError: names the part.
        """
        written = self._write(read) if self._formats.has_texts_beside else None
        if (found := self._formats.find(value, text, written)) is not None:
            raise SchemaMismatchError([Problem(*found)], self.json_schema)
        if self._added_rules is not None:
            self._added_rules.check(value if text else self._write(read, exclude_unset=True))

    @cached_property
    def _is_checked(self) -> bool:
        """Whether pydantic accepts more values than the JSON schema shows."""
        return self._formats.is_needed or self._added_rules is not None

    @cached_property
    def _formats(self) -> FormatCheck:
        return FormatCheck(self.json_schema, iter_nodes(self._adapter.core_schema))

    @cached_property
    def _added_rules(self) -> SchemaBinder | None:
        """A validator for the rules that the type's author added to its JSON schema."""
        return SchemaBinder(self.json_schema) if has_added_rules(iter_nodes(self._adapter.core_schema)) else None

    @cached_property
    def _codec(self) -> _Codec:
        return _Codec(self._adapter, include_computed=self._include_computed)

    def _write(self, value: T, *, exclude_unset: bool = False) -> object:
        try:
            serializer = self._codec.serializer
            return serializer.to_python(value, mode="json", by_alias=True, exclude_unset=exclude_unset)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"JSON cannot hold the arguments: {say_why(error)}") from error


def say_why(error: Exception) -> str:
    """The reason of an error, without pydantic's text about the function that raised it."""
    return _RAISED_BY.sub("", str(error))


def _summarize(found: list[ErrorDetails], document: dict[str, Any]) -> str:
    for each in found:
        if each["type"] == "extra_forbidden":
            each["msg"] = "no such parameter"
    more = f"; and {len(found) - _MAX_ERRORS_LISTED} more" if len(found) > _MAX_ERRORS_LISTED else ""
    return "; ".join(describe_mistake(each, document) for each in found[:_MAX_ERRORS_LISTED]) + more
