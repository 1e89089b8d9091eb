"""Base models of payloads and replies: snake_case in Python, camelCase for a model, absent values omitted."""

from __future__ import annotations

import json
import operator
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core.core_schema import CoreSchema, union_schema

from remit.tools import Reference, contracts_are_checked

T = TypeVar("T")

Content: TypeAlias = dict[str, JsonValue]
"""The values of a section's slots in one locale, by slot key."""


_NEEDED: Final = "needed"
_OMITTED_KEYWORDS: Final = ("minLength", "maxLength", "minItems", "maxItems", "title")


def _trim_schema(schema: dict[str, Any]) -> None:
    """Remove what does not help a model to call: every request carries all schemas, and each word costs tokens.

    Class docstrings are for programmers. Length limits are still enforced, and errors state them. A null default of an
    optional field is not worth a mention.
    """
    schema.pop("description", None)
    required = cast("list[str]", schema.get("required", []))
    for name, field in cast("dict[str, dict[str, Any]]", schema.get("properties", {})).items():
        if field.pop(_NEEDED, False):
            schema["required"] = required = [name, *required]
        if field.get("default", ...) is None:
            del field["default"]
        for word in _OMITTED_KEYWORDS:
            field.pop(word, None)


_NEVER_STORED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters except tabs and ends of lines, and halves of characters. Postgres stores no NUL and no half."""


def check_characters(value: object, where: str = "") -> None:
    """Refuse texts with characters that cannot be read and that some databases cannot store.

    Args:
        value: a value of JSON or a model, whose texts are checked, also those of keys.
        where: how the value is called in the error.

    Raises:
        ValueError: names the text and the character.
    """
    if isinstance(value, str):
        if found := _NEVER_STORED.search(value):
            what = "half a character" if found[0] >= "\ud800" else "the control character"
            at = f"{where}: " if where else ""
            raise ValueError(f"{at}the text has {what} U+{ord(found[0]):04X} at position {found.start()}; leave it out")
    elif isinstance(value, Mapping):
        for key, each in cast("Mapping[object, object]", value).items():
            check_characters(key, where)
            check_characters(each, f"{where}.{key}" if where else str(key))
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(cast("Sequence[object]", value)):
            check_characters(each, f"{where}.{number}" if where else str(number))


_ENDS: Final = re.compile(r"[ \t]*[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\s*")
_TURNS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that no font shows, though Unicode has them among letters, marks and symbols."""


def to_line(text: str) -> str:
    """A short text, such as a title or label, as one line: ends of lines and tabs in it become a space.

    Raises:
        ValueError: it turns the direction of what follows it, so that a question reads as another one; or nothing of
            it can be seen.
    """
    line = _ENDS.sub(" ", text).strip()
    if found := _TURNS.search(line):
        raise ValueError(f"the text turns the direction of reading with U+{ord(found[0]):04X}; leave that out")
    if line and not any(map(_is_visible, line)):
        raise ValueError("nothing of the text can be seen")
    return line


def tidy_line(text: str) -> str:
    """A text that was stored before it had to be a line, as one; ``…`` if nothing of it can be seen."""
    line = _TURNS.sub("", _ENDS.sub(" ", text)).strip()
    return line if not line or any(map(_is_visible, line)) else "…"


def _is_visible(character: str) -> bool:
    is_variant = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    blank = ("Cc", "Cf", "Zs", "Zl", "Zp")
    return not is_variant and character not in _BLANK and unicodedata.category(character) not in blank


Line = AfterValidator(to_line)
"""The rule for all short texts: they are one line that can be seen."""


class Payload(BaseModel):
    """The payload of an operation. Its texts have no control characters: see `check_characters`."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        frozen=True,
        json_schema_extra=_trim_schema,
        defer_build=contracts_are_checked(),
    )

    @model_validator(mode="before")
    @classmethod
    def _check_given(cls, value: object) -> object:
        """Refuse such a text before its length or form is complained of."""
        check_characters(value)
        return value


class ReadPayload(Payload):
    """The payload of an operation that shows something. ``with_token`` asks for the token that `WritePayload` takes."""

    with_token: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)


class GuardedPayload(Payload):
    """The payload of an operation that changes an object and does not show it, such as one that deletes it.

    It is refused if that has changed at all since ``if_unchanged``, the token of a read. Models are not told of tokens:
    their conversation knows what they saw.
    """

    if_unchanged: SkipJsonSchema[str | None] = Field(default=None, max_length=200, exclude_if=operator.not_)


class WritePayload(ReadPayload, GuardedPayload):
    """The payload of an operation that changes an object and shows it: it takes a token, and gives the next one."""


class CursorPayload(Payload):
    """The payload of an operation that shows a list, of which a reply has as much as fits.

    ``cursor`` is the `ListReply.next_cursor` of the reply before. Models are not told of it before they need it: the
    message of such a reply is.
    """

    cursor: SkipJsonSchema[str | None] = Field(default=None, max_length=500, exclude_if=operator.not_)


class ListPayload(CursorPayload):
    """The same with a limit of its own."""

    limit: int = Field(default=50, description="Most to give (1-100)", ge=1, le=100)


class View(BaseModel):
    """A resource as an operation shows it."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        frozen=True,
        defer_build=contracts_are_checked(),
    )


class Reply(View):
    """The reply of an operation: whether it succeeded, and one sentence for the reader."""

    success: bool = True
    message: str


def is_none(value: object) -> bool:
    """Whether a field has no value, which leaves it out of JSON."""
    return value is None


class _WithoutNull:
    """Leaves null out of the schema of a nullable type, whose errors stay as short as those of the type itself."""

    @staticmethod
    def __get_pydantic_json_schema__(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(union_schema([schema["schema"]]) if schema["type"] == "nullable" else schema)


OptionalParam = Annotated[T | None, _WithoutNull]
"""A parameter that may be left out. Its schema shows the type alone."""


class _ToldAsNeeded:
    """Tells models that a parameter is required. Small models leave out what is told as optional."""

    @staticmethod
    def __get_pydantic_json_schema__(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), _NEEDED: True}


NeededParam = Annotated[OptionalParam[T], _ToldAsNeeded]
"""A parameter that models are told to give. Other callers may leave it out."""

OmittedIfNone = Annotated[T | None, Field(exclude_if=is_none)]
"""A field that a reply shows only where there is something to show."""


class DocumentReply(Reply):
    """The reply of an operation on a page, image or other object, with a token of its state if that was asked for."""

    token: OmittedIfNone[str] = None


class WriteReply(DocumentReply):
    """The reply of an operation that changes an object: what the next step needs, and nothing that the caller wrote.

    A subclass names the object in short: its id, what people call it, and an address that may have become another one.
    ``changed`` names the fields that are different now, none if the object was like that already; it is absent where
    all is new or gone. ``remarks`` say what the object lacks, and what became of it otherwise than it was written.
    """

    changed: OmittedIfNone[list[str]] = None
    remarks: OmittedIfNone[list[str]] = None


class ListReply(Reply):
    """The reply of an operation that lists something. ``total`` counts all of it, also what the reply has not.

    ``next_cursor`` is present if more follow.
    """

    total: int
    next_cursor: OmittedIfNone[str] = None


def refuse_two_names(value: object, *names: str) -> object:
    """Refuse arguments that name one thing twice, otherwise: all but the first would be ignored.

    Raises:
        ValueError: says which arguments.
    """
    arguments: Mapping[str, object] = cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
    given = {name: each for name, each in arguments.items() if name in names}
    if len({str(each).strip("/") for each in given.values()}) > 1:
        raise ValueError(f"{' and '.join(given)} name different things; give {names[0]}")
    return cast("object", value)


def require_change(payload: Payload, *fields: str) -> None:
    """Refuse the payload of an update that gives none of these fields.

    Raises:
        ValueError: names them.
    """
    if all(getattr(payload, field) in (None, {}) for field in fields):
        *names, last = map(to_camel, fields)
        raise ValueError(f"nothing to change; give {', '.join(names)}{' or ' if names else ''}{last}")


ONE_TEXT: Final = ""
"""The key of a text that was given in place of an object: `rename_fields` finds the field that it is for."""


def parse_content(value: object) -> object:
    """Parse an object given as text, since models sometimes send nested objects as text. Other text is `ONE_TEXT`."""
    if not isinstance(value, str):
        return value
    try:
        parsed = cast("object", json.loads(value))
    except (ValueError, RecursionError) as error:
        if value.lstrip().startswith(("{", "[")):
            raise ValueError("content is text that is not JSON; give an object, {field: value}") from error
        parsed = value
    return cast("object", parsed) if isinstance(parsed, (dict, list)) else {ONE_TEXT: str(parsed or value)}


def parse_list(value: object) -> object:
    """Parse a list given as text, as models sometimes send one; a text that is none is refused as such."""
    try:
        return cast("object", json.loads(value)) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _check_parsed(value: Content) -> Content:
    """Refuse characters that were escaped in content given as text."""
    check_characters(value)
    return value


IdOrKey = Annotated[str, Field(min_length=1, max_length=64)]
"""How a template is named: by id or key."""

PageName = Annotated[str, Field(min_length=1, max_length=200)]
"""How a page is named to an operation that reads it or adds to it: by id, slug or title."""

PageReference = Annotated[str, Field(min_length=1, max_length=200), Reference("page")]
"""How a page to change or to delete is named: by id, slug or exact title, which is resolved before anybody is asked."""

DocumentReference = Annotated[str, Field(min_length=1, max_length=200), Reference("document")]
"""How a page, an entry, or a document of which a site has one is named: by id, slug or exact title."""

SectionReference = Annotated[str, Field(min_length=1, max_length=270), Reference("section")]
"""How a section is named: by id, or on its page by template, heading or number; page and section as page/section."""

ListReference = Annotated[str, Field(min_length=1, max_length=270), Reference("list")]
"""The same of a section with lists, of a page or entry: that of an entry by the key of its type."""

SlugText = Annotated[str, Field(min_length=1, max_length=66)]
"""A slug as a caller writes it, perhaps between slashes."""

LocaleCode = Annotated[str, Field(min_length=2, max_length=16)]
"""A language of the site, such as en or de-AT."""

NewLocale = Annotated[str, Field(min_length=2, max_length=16, pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]
"""The code of a language that a site gets. It becomes a part of addresses and the name of a folder."""

RevisionNumber = Annotated[int, Field(ge=1)]
"""The number of a revision of a page."""

ContentInput = Annotated[
    Content, BeforeValidator(parse_content), AfterValidator(_check_parsed), WithJsonSchema({"type": "object"})
]
"""Content as a caller gives it: an object, the text of one, or one text for the template's only required field.

Which fields there are is the section template's say.
"""


def empty_content() -> Content:
    """The content of a section without values."""
    return {}


_MAX_NAMED: Final = 5


def name_some(names: Sequence[str], most: int = _MAX_NAMED) -> str:
    """The first of several names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def pluralize(number: int, noun: str) -> str:
    """A count with its noun: ``1 page``, ``2 pages``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def describe_matches(count: int, limit: int, noun: str) -> str:
    """The message of a search that gives its best matches: they are not counted beyond its limit."""
    if count < limit:
        return f"Found {pluralize(count, f'matching {noun}')}" if count else f"No {noun} matches"
    return f"The {pluralize(count, f'best matching {noun}')}; with a higher limit there may be more"
