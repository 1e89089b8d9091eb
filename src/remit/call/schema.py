"""Input and output of a contract, described by pydantic models and Python types."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, ConfigDict, JsonValue, PydanticUserError, ValidationError, create_model
from pydantic_core import PydanticSerializationError, to_json

from remit.call.reference import ReferenceNotes, check_references, reference_kinds
from remit.call.typed_schema import TypedSchema, contracts_are_checked, say_why
from remit.chat.wire import without_surrogates
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import SECRET_IN_ARGUMENTS, Arguments, canonical_json
from remit.record.secret import contains_secret
from remit.schemas.computed_defaults import find_computed
from remit.schemas.json_validator import SchemaMismatchError
from remit.schemas.jsontext import reject_constant
from remit.schemas.satisfiable import refuse_contradiction
from remit.schemas.serializer import sort_sets
from remit.schemas.validators import describe_functions
from remit.shown import show_value

P = TypeVar("P", bound=BaseModel)
T = TypeVar("T")

_JSON_TYPES: Final = frozenset({str, int, list, dict})
_LOSSY_SERIALIZER: Final = "its serializer writes what does not read back as the same value"


def shorten_text(text: str, max_bytes: int) -> str:
    """The text or, if it exceeds ``max_bytes`` of UTF-8, its beginning and its length."""
    if len(text) * 4 <= max_bytes or len(data := text.encode("utf-8", "surrogatepass")) <= max_bytes:
        return text
    return f"{data[: max(0, max_bytes - 40)].decode(errors='ignore')}… ({len(data):,} bytes)"


class Input(TypedSchema[P]):
    """The input of a callee, described by a pydantic model. Implements `InputSchema`.

    Raises:
        ContractError: the model cannot describe arguments; the message gives the reason.
    """

    def __init__(self, model: type[P]) -> None:
        if model.__pydantic_root_model__:
            raise ContractError(f"{model.__name__} is not an object with named fields, which arguments need")
        super().__init__(model, include_computed=False)
        self.model = model
        if not contracts_are_checked():
            refuse_contradiction(self.json_schema, "arguments")
            self._check()

    # Every call needs both, so they are computed once.
    computes_defaults: bool = cast("bool", cached_property(lambda self: self._codec.computes_defaults))
    """Whether a default comes from a function."""

    references: frozenset[str] = cast("frozenset[str]", cached_property(lambda self: reference_kinds(self._adapter)))
    """The kinds of objects that arguments refer to. `ContractError`: a reference would not be resolved."""

    @property
    def functions(self) -> list[str]:
        """The model's validators and factories, which the JSON schema does not show; see `describe_functions`."""
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
            notes = ReferenceNotes() if self._may_refer else None
            payload: P = validate(arguments.raw, strict=strict or None, extra=extra, context=notes)
            if notes is not None:
                check_references(self._adapter, payload, notes)
            if self._is_checked:
                self._check_shown(payload, arguments.value, arguments.raw)
        except ValueError as error:
            raise InvalidArgumentsError(self.explain(error)) from error
        return payload

    def bind_values(self, values: Mapping[str, Any]) -> P:
        """Bind arguments given in Python, by field name or alias. Converts as pydantic does.

        Raises:
            InvalidArgumentsError: they do not fit.
        """
        try:
            notes = ReferenceNotes() if self._may_refer else None
            payload = self.model.model_validate(dict(values), context=notes, by_alias=True, by_name=True)
            if notes is not None:
                check_references(self._adapter, payload, notes)
            self._check_shown(payload, {name: value for name, value in values.items() if type(value) in _JSON_TYPES})
        except ValueError as error:
            raise InvalidArgumentsError(self.explain(error)) from error
        return payload

    def dump_canonical(self, payload: P) -> str:
        """The canonical JSON of a payload, defaults included, sets sorted.

        Raises:
            InvalidArgumentsError: JSON cannot represent the payload, or would load as a different one; or a text of it
                is a reference that would not be resolved.
        """
        notes = ReferenceNotes() if self._may_refer else None
        text = canonical_json(self._to_json_value(payload, notes=notes))
        if notes is not None:
            check_references(self._adapter, payload, notes)
        if self._codec.needs_round_trip_check or self._codec.leaves_out_values:
            self._check_round_trip(payload, text, set(self.model.model_fields))
        return text

    def dump_given(self, payload: P) -> str:
        """The canonical JSON of a payload without computed defaults, by which requests are compared.

        Raises:
            InvalidArgumentsError: as for `dump_canonical`, or computed defaults cannot be told from given values.
        """
        if not self.computes_defaults:
            return self.dump_canonical(payload)
        text = canonical_json(self._to_json_value(payload, exclude=find_computed(payload)))
        if self._codec.needs_round_trip_check or self._codec.leaves_out_values:
            self._check_round_trip(payload, text, payload.model_fields_set)
        return text

    def load(self, text: str) -> P:
        """Load a payload from its canonical JSON.

        Raises:
            ValidationError: the model does not allow it; `explain` gives the reason.
            InvalidArgumentsError: a reference would be lost.
        """
        notes = ReferenceNotes() if self._may_refer else None
        payload = self.model.model_validate_json(text, context=notes)
        if notes is not None:
            check_references(self._adapter, payload, notes)
        return payload

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
        if self._codec.needs_round_trip_check or self._codec.leaves_out_values:
            self._check_round_trip(payload, text, payload.model_fields_set)
        return Arguments(text, value)

    @cached_property
    def _may_refer(self) -> bool:
        """Whether the arguments may contain a reference, even in a position where it would not be resolved."""
        try:
            return bool(self.references)
        except ContractError:
            return True

    def _to_json_value(
        self,
        payload: P,
        fields: set[str] | None = None,
        *,
        exclude: dict[Any, Any] | None = None,
        notes: ReferenceNotes | None = None,
    ) -> dict[str, Any]:
        try:
            plain: dict[str, Any] = self._codec.serializer.to_python(
                payload, mode="json", by_alias=True, include=fields, exclude=exclude, context=notes
            )
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise InvalidArgumentsError(f"JSON cannot hold the arguments: {say_why(error)}") from error
        return plain

    def _check_round_trip(self, payload: P, text: str, fields: set[str]) -> None:
        """Refuse a payload whose JSON loads as a different payload, because that one would run."""
        try:
            back = dict(self.load(text))
        except ValidationError as error:
            raise InvalidArgumentsError(f"{_LOSSY_SERIALIZER}: {self.explain(error)}") from error
        lost = [name for name, value in payload if name in fields and (name not in back or back[name] != value)]
        if lost:
            raise InvalidArgumentsError(f"{', '.join(lost)}: {_LOSSY_SERIALIZER}")


class Output(TypedSchema[T]):
    """The output of a callee, described by a Python type. Implements `OutputSchema`.

    Raises:
        ContractError: the type cannot be a result; the message gives the reason.
    """

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        self.result_type: object = kind
        self._as_arguments: dict[str, TypedSchema[Any]] = {}
        self._is_text = kind is str
        if contracts_are_checked():
            return
        try:
            refuse_contradiction(self.json_schema, "results")
            self._check()
        # the last one is raised for `Literal[()]`, and those before it for a text that is not the name of a type
        except (PydanticUserError, LookupError, ValueError, SyntaxError, AssertionError) as error:
            raise ContractError(
                f"{show_value(kind)} cannot be a result: use JSON types, a pydantic model or a dataclass"
            ) from error
        except ContractError as error:
            raise ContractError(f"{show_value(kind)} cannot be a result: {error.message}") from error

    def dump(self, value: object) -> tuple[T, str]:
        """Check a result. Returns it with its content: text unchanged, everything else as JSON.

        Lone surrogates, which UTF-8 cannot encode, are replaced.

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
            if self._added_rules is not None:
                self._added_rules.check(self.load_json(content))
            return self.load(content) if self._codec.is_untyped else checked, content
        except (ValidationError, SchemaMismatchError) as error:
            raise InvalidOutputError(f"the result does not match the contract: {self.explain(error)}") from error
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            raise InvalidOutputError(f"JSON cannot hold the result: {say_why(error)}") from error

    def as_argument(self, name: str) -> TypedSchema[Any]:
        """Make a parser for a result that is the only argument of a call, under this name."""
        if (made := self._as_arguments.get(name)) is None:
            made = TypedSchema[Any](create_payload_model("result", {name: (self.result_type, ...)}))
            self._as_arguments[name] = made
        return made

    def load(self, content: str, *, strict: bool = False) -> T:
        """Load a result from its content strictly, like `read`, because a person or a model may have written it.

        Raises:
            ValueError: it does not fit; `explain` gives the reason.
        """
        if self._is_text:
            return cast("T", content)
        if strict:
            return self.read(content)
        return cast("T", self._adapter.validator.validate_json(content, extra=self._codec.extra_when_read))

    def load_json(self, content: str) -> JsonValue:
        """The result with this content, as a value of JSON types.

        Raises:
            ValueError: the content is not JSON.
        """
        return content if self._is_text else cast("JsonValue", json.loads(content, parse_constant=reject_constant))

    def _dump_content(self, value: T) -> str:
        content = _refuse_constants(self._codec.serializer.to_json(value, by_alias=True).decode())
        if self._codec.needs_round_trip_check and self.load(content) != value:
            raise ValueError(_LOSSY_SERIALIZER)
        return content


def serialize_content(value: object) -> str:
    """The content of any value: text unchanged, everything else as JSON with sets sorted.

    Raises:
        InvalidOutputError: JSON cannot represent it.
    """
    if isinstance(value, str):
        return str.__str__(value)  # a str subclass, which the journal cannot write
    try:
        return _refuse_constants(to_json(sort_sets(value), by_alias=True, inf_nan_mode="constants").decode())
    except (PydanticSerializationError, ValueError, RecursionError) as cause:
        error = ValueError("a text contains lone surrogates") if "surrogates not allowed" in str(cause) else cause
        raise InvalidOutputError(f"JSON cannot hold the result: {say_why(error)}") from error


def _refuse_constants(content: str) -> str:
    """Return the content unless it has a number that JSON lacks, so that NaN never becomes null."""
    if "NaN" in content or "Infinity" in content:  # within a text, or as a number
        json.loads(content, parse_constant=reject_constant)
    return content


def create_payload_model(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    """Make a payload model from fields ``{name: (type, default)}``, as read from a signature."""
    config = ConfigDict(protected_namespaces=(), defer_build=contracts_are_checked())
    return create_model(name, __config__=config, **fields)
