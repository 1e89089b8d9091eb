"""Validates JSON against a JSON schema with `jsonschema-rs`. Error messages read like those of typed tools.

The library is imported when the first schema is compiled. It never fetches a reference (``offline``), and it matches
patterns in linear time (``RegexOptions``), so a schema can neither hang this process nor make it send requests.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from remit.errors import ContractError, SetupError
from remit.lazy_exports import install_hint
from remit.schemas.formats import describe_format, is_base64, is_moment
from remit.schemas.json_schema import JsonSchema
from remit.schemas.known_keys import describe_known_keys
from remit.schemas.mistakes import explain_mistake
from remit.schemas.suggestions import suggest

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, Registry, ValidationError

_MAX_ERRORS_LISTED: Final = 5
_MAX_VALUE_SHOWN: Final = 80
MAX_PATTERN_BYTES: Final = 64 << 20
"""The memory for all patterns of a document, divided equally among them."""
_MAX_BYTES_OF_ONE: Final = 10 << 20
_MAX_BYTES_OF_CACHE: Final = 2 << 20
_TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
DOCUMENT: Final = "urn:remit:document"
"""The name of a whole document in the references of its parts."""
_MASK: Final = "Input"  # replaces the value in the library's messages


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {"byte": is_base64, "date-time": is_moment}
"""Formats that are checked as for typed tools, in place of the library's check or if it has none."""


class Problem(NamedTuple):
    """One mismatch between a value and its schema. ``path`` leads to the wrong part of the value."""

    path: tuple[str | int, ...]
    message: str
    is_unknown_key: bool = False

    def describe(self, document: JsonSchema | None) -> str:
        """Describe the problem in one line, with the descriptions from ``document`` in place of patterns."""
        where = ".".join(str(part) for part in self.path)
        message = explain_mistake(self.message, self.path, document)
        return f"{where}: {message}" if where else message


class SchemaMismatchError(ValueError):
    """A value does not fit its schema. The message is one line that names each wrong part."""

    def __init__(self, problems: Sequence[Problem], document: JsonSchema | None = None) -> None:
        listed = "; ".join(problem.describe(document) for problem in problems[:_MAX_ERRORS_LISTED])
        more = f"; and {len(problems) - _MAX_ERRORS_LISTED} more" if len(problems) > _MAX_ERRORS_LISTED else ""
        unknown = [each.path for each in problems if each.is_unknown_key]
        hint = "" if document is None else describe_known_keys(document, unknown)
        super().__init__(f"{listed}{more}{hint}")


class JsonValidator:
    """A compiled schema, one of those that together have ``patterns`` patterns.

    Raises:
        ContractError: the document is not a valid schema, or has an unusable pattern.
        SetupError: `jsonschema-rs` is not installed.
    """

    __slots__ = ("_compiled", "_document", "_patterns", "_registry")

    def __init__(self, document: JsonSchema, registry: Registry | None = None, *, patterns: int = 1) -> None:
        self._document = document
        self._registry = registry
        self._patterns = patterns
        self._compiled = _compile(document, registry, patterns)

    def _first_error(self, value: object) -> Iterator[ValidationError]:
        import jsonschema_rs  # noqa: PLC0415 - as below

        try:
            self._compiled.validate(value)
        except jsonschema_rs.ValidationError as error:
            yield error

    def part(self, schema: JsonSchema) -> JsonValidator:
        """Make a validator of one part of the document, whose references begin with `DOCUMENT`."""
        if self._registry is None:
            import jsonschema_rs  # noqa: PLC0415 - as below

            self._registry = jsonschema_rs.Registry([(DOCUMENT, self._document)])
        return JsonValidator(schema, self._registry, patterns=self._patterns)

    def is_valid(self, value: object) -> bool:
        """Whether a JSON value fits."""
        return self._compiled.is_valid(value)

    def problems(self, value: object, *, find_all: bool = True) -> list[Problem]:
        """All problems of a JSON value, or only the first one found; empty if it fits."""
        errors: Iterable[ValidationError] = self._compiled.iter_errors(value) if find_all else self._first_error(value)
        return list(dict.fromkeys(each for error in errors for each in _describe(error)))


def check_is_schema(document: JsonSchema) -> None:
    """Refuse a document that is not a schema before it is read as one.

    Raises:
        ContractError: says what is wrong and where. SetupError: `jsonschema-rs` is not installed.
    """
    with contextlib.suppress(ImportError):
        import jsonschema_rs  # noqa: PLC0415 - as below

        if jsonschema_rs.meta.is_valid(document):
            return
    _compile(document, None, 1)


def _compile(document: JsonSchema, registry: Registry | None, patterns: int) -> Draft202012Validator:
    try:
        import jsonschema_rs  # noqa: PLC0415 - 15 MB that only tools made from a JSON schema need
    except ImportError as error:
        raise SetupError(f"a tool from a JSON schema needs jsonschema-rs; {install_hint('schema')}") from error
    size = min(_MAX_BYTES_OF_ONE, MAX_PATTERN_BYTES // max(patterns, 1))
    try:
        return jsonschema_rs.Draft202012Validator(
            document,
            mask=_MASK,
            offline=True,
            formats=_FORMATS,
            email_options=jsonschema_rs.EmailOptions(allow_display_text=False),
            pattern_options=jsonschema_rs.RegexOptions(size_limit=size, dfa_size_limit=min(size, _MAX_BYTES_OF_CACHE)),
            validate_formats=True,
            registry=registry,
        )
    except jsonschema_rs.ValidationError as error:
        where = "/".join(["#", *map(str, error.instance_path)])
        if error.kind.name == "format" and cast("Any", error.kind).format == "regex":
            many = f" among {patterns:,} patterns" if patterns > MAX_PATTERN_BYTES // _MAX_BYTES_OF_ONE else ""
            raise ContractError(
                f"its JSON schema has a pattern at {where} that is invalid or cannot be matched in linear time{many}: "
                f"{error.instance!r}; use no look-around, no back-reference and no huge repetition"
            ) from error
        value = repr(error.instance)[:_MAX_VALUE_SHOWN]
        names = suggest(str(error.instance), _TYPES) if error.instance_path[-1:] == ["type"] else ""
        what = f"{value} is not a type; {names}" if names else error.message.replace(_MASK, value, 1)
        raise ContractError(f"its JSON schema is not valid at {where}: {what}") from error


def _describe(error: ValidationError) -> Iterator[Problem]:
    """Convert an error of the library to problems."""
    path = tuple(error.instance_path)
    kind = cast("Any", error.kind)
    name = kind.name
    if name in ("additionalProperties", "unevaluatedProperties"):
        for key in kind.unexpected:
            yield Problem((*path, key), "no such parameter", is_unknown_key=True)
    elif name == "required":
        yield Problem((*path, kind.property), "Field required")
    elif name in ("anyOf", "oneOf"):
        yield from _describe_union(error, path, kind)
    elif name in _MESSAGES:
        yield Problem(path, _MESSAGES[name](kind))
    else:
        yield Problem(path, error.message)


def _describe_union(error: ValidationError, path: tuple[str | int, ...], kind: Any) -> Iterator[Problem]:
    """The problems under the alternative for which the value was meant, or else the types of all alternatives."""
    branches: list[list[ValidationError]] = kind.context
    meant = [branch for branch in branches if branch and not any(_is_wrong_type(each, path) for each in branch)]
    if len(meant) == 1 and all(branches):
        for each in meant[0]:
            yield from _describe(each)
        return
    types = [cast("Any", each.kind).types for branch in branches for each in branch if _is_wrong_type(each, path)]
    if not meant and len(types) == len(branches):
        yield Problem(path, _describe_types([name for names in types for name in names]))
    else:
        yield Problem(path, error.message)


def _is_wrong_type(error: ValidationError, path: tuple[str | int, ...]) -> bool:
    return error.kind.name == "type" and tuple(error.instance_path) == path


def _describe_types(types: Iterable[str]) -> str:
    names = [name for name in dict.fromkeys(types) if name != "null"]
    if not names:
        return "Input should be null"
    return "Input should be an object" if names == ["object"] else f"Input should be a valid {' or '.join(names)}"


def _describe_options(options: Sequence[object]) -> str:
    words = [repr(option) for option in options]
    return (
        f"Input should be {', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else f"Input should be {words[0]}"
    )


_MESSAGES: Final[dict[str, Callable[[Any], str]]] = {
    "const": lambda kind: _describe_options([kind.expected_value]),
    "enum": lambda kind: _describe_options(kind.options),
    "format": lambda kind: describe_format(kind.format),
    "exclusiveMaximum": lambda kind: f"Input should be less than {kind.limit}",
    "exclusiveMinimum": lambda kind: f"Input should be greater than {kind.limit}",
    "maxLength": lambda kind: f"String should have at most {kind.limit} characters",
    "maximum": lambda kind: f"Input should be less than or equal to {kind.limit}",
    "minLength": lambda kind: f"String should have at least {kind.limit} characters",
    "minimum": lambda kind: f"Input should be greater than or equal to {kind.limit}",
    "pattern": lambda kind: f"String should match pattern '{kind.pattern}'",
    "type": lambda kind: _describe_types(kind.types),
}
