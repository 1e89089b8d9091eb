"""What payloads and replies share: snake_case in Python, camelCase for a model, nothing said that is absent."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

T = TypeVar("T")

Content: TypeAlias = dict[str, JsonValue]
"""The values of a section's slots in one locale, by slot key."""


def _without_null_defaults(schema: dict[str, Any]) -> None:
    """Leave ``"default": null`` unsaid: a parameter that is not required may be left out."""
    for field in cast("dict[str, dict[str, Any]]", schema.get("properties", {})).values():
        if field.get("default", ...) is None:
            del field["default"]


class Payload(BaseModel):
    """What a caller gives to an operation."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        frozen=True,
        json_schema_extra=_without_null_defaults,
    )


class View(BaseModel):
    """What an operation shows of a thing."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, frozen=True)


class Reply(View):
    """What every operation answers: whether it succeeded, and one sentence for the reader."""

    success: bool = True
    message: str


def _is_none(value: object) -> bool:
    return value is None


Maybe = Annotated[T | SkipJsonSchema[None], Field()]
"""A parameter that may be left out. Its schema shows the type alone."""

Shown = Annotated[T | None, Field(exclude_if=_is_none)]
"""A field that a reply shows only where there is something to show."""


def _object_of(value: object) -> object:
    """The object that a text holds, since models write nested objects as text now and then."""
    if not isinstance(value, str):
        return value
    try:
        return cast("object", json.loads(value))
    except ValueError as error:
        raise ValueError("content is text that holds no JSON; give an object, {field: value}") from error


_CONTENT_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "heading": {"type": "string"},
        "subheading": {"type": "string"},
        "content": {"type": "string", "description": "Markdown"},
        "image": {"type": "object", "properties": {"url": {"type": "string"}, "alt": {"type": "string"}}},
        "cta": {"type": "object", "properties": {"text": {"type": "string"}, "url": {"type": "string"}}},
    },
    "additionalProperties": True,
}

GivenContent = Annotated[Content, BeforeValidator(_object_of), WithJsonSchema(_CONTENT_SCHEMA)]
"""Content as a caller gives it: an object, or the text of one. Which fields there are is the section template's say."""
