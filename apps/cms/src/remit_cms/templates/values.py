"""What may stand in a slot. Checked when content is written, so that nothing else is ever rendered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from rapidfuzz import process

from remit.errors import InvalidError
from remit_cms.models import Content
from remit_cms.templates.slots import Slot, SlotType, Structure

_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f\\]")


def url_scheme(url: str) -> str | None:
    """The scheme of an address in lower case; "" for one within the site; None for one that nobody should follow."""
    if _UNSAFE.search(url):
        return None
    found = _SCHEME.match(url)
    if found is None:
        return "https" if url.startswith("//") else ""
    scheme = found[1].lower()
    return scheme if scheme in {"http", "https", "mailto", "tel"} else None


def _link_url(url: str) -> str:
    if url_scheme(url) is None:
        raise ValueError("an address begins with /, #, https:, http:, mailto: or tel:, and has no spaces")
    return url


def _file_url(url: str) -> str:
    if url_scheme(url) not in {"", "http", "https"}:
        raise ValueError("the address of a file begins with /, https: or http:, and has no spaces")
    return url


_Address = Field(min_length=1, max_length=2048)


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Link(_Value):
    """A link with its words."""

    text: str = Field(min_length=1, max_length=200)
    url: Annotated[str, _Address, AfterValidator(_link_url)]


class Image(_Value):
    """A picture with the words for those who do not see it."""

    url: Annotated[str, _Address, AfterValidator(_file_url)]
    alt: str = Field(max_length=500)


class Media(_Value):
    """A film or sound."""

    url: Annotated[str, _Address, AfterValidator(_file_url)]
    caption: str = Field(default="", max_length=500)


class CollectionRef(_Value):
    """Entries of a collection."""

    collection_id: str = Field(alias="collectionId", min_length=1, max_length=64)
    limit: int = Field(default=10, ge=1, le=100)


_KINDS: Final[dict[SlotType, TypeAdapter[object]]] = {
    SlotType.TEXT: TypeAdapter(Annotated[str, Field(max_length=1000)]),
    SlotType.RICH_TEXT: TypeAdapter(Annotated[str, Field(max_length=50_000)]),
    SlotType.OPTION: TypeAdapter(str),
    SlotType.IMAGE: TypeAdapter(Image),
    SlotType.MEDIA: TypeAdapter(Media),
    SlotType.LINK: TypeAdapter(Link),
    SlotType.COLLECTION_REF: TypeAdapter(CollectionRef),
}

FORMS: Final = {
    SlotType.TEXT: "text",
    SlotType.RICH_TEXT: "Markdown text",
    SlotType.OPTION: "one of the options",
    SlotType.IMAGE: '{"url": "...", "alt": "..."}',
    SlotType.MEDIA: '{"url": "...", "caption": "..."}',
    SlotType.LINK: '{"text": "...", "url": "..."}',
    SlotType.COLLECTION_REF: '{"collectionId": "...", "limit": 10}',
}
"""How a value of each type is written."""


def described(slot: Slot) -> str:
    """A slot in one phrase, for an error: its key, type, and whether it must be there."""
    kind = " | ".join(slot.options) if slot.options else slot.type.value
    return f"{slot.key} ({kind}{', required' if slot.required else ''})"


def check_content(template: str, structure: Structure, content: Content) -> None:
    """Refuse content that the template has no place for. A value of null is always in place: it empties the slot.

    Raises:
        InvalidError: naming each wrong field, and all fields there are.
    """
    slots = {slot.key: slot for slot in structure.slots}
    wrong = [
        problem
        for key, value in content.items()
        for problem in (_problems(slots[key], value) if key in slots else [_unknown(key, list(slots))])
    ]
    if wrong:
        fields = ", ".join(described(slot) for slot in structure.slots)
        raise InvalidError(f"Section '{template}': {'; '.join(wrong)}. Its fields: {fields}.")


def missing(structure: Structure, content: Content) -> list[str]:
    """The required slots that are still empty."""
    return [slot.key for slot in structure.slots if slot.required and content.get(slot.key) in (None, "")]


def words_of(value: JsonValue) -> Iterator[str]:
    """The texts in a value, for the full-text index. Addresses are not words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key != "url":
                yield from words_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from words_of(part)


def _problems(slot: Slot, value: JsonValue) -> list[str]:
    if value is None:
        return []
    try:
        _KINDS[slot.type].validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join((slot.key, *(str(part) for part in first["loc"])))
        return [f"'{where}': {first['msg'].removeprefix('Value error, ')} (write {FORMS[slot.type]})"]
    if slot.options and value not in slot.options:
        return [f"'{slot.key}' must be one of {', '.join(slot.options)}"]
    return []


def _unknown(key: str, known: list[str]) -> str:
    near = process.extractOne(key, known, score_cutoff=70)
    return f"no field '{key}'" + (f", did you mean '{near[0]}'?" if near else "")
