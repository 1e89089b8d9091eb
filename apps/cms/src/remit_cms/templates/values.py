"""The values that slots accept, checked when content is written, so that rendering needs no checks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from remit.errors import InvalidArgumentsError
from remit_cms.models import ONE_TEXT, Content, Line
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.dates import DayOrTime
from remit_cms.templates.references import parse_reference
from remit_cms.templates.slots import Slot, SlotType, Structure, shown_key

T = TypeVar("T")

_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DIGITS: Final = re.compile(r"\d+")
_UNSAFE_CHARACTERS: Final = re.compile(r"[\x00-\x20\x7f\\]")


def url_scheme(url: str) -> str | None:
    """The scheme of a URL in lower case; "" for one within the site; None for an unsafe one."""
    if _UNSAFE_CHARACTERS.search(url):
        return None
    found = _SCHEME.match(url)
    if found is None:
        return "https" if url.startswith("//") else ""
    scheme = found[1].lower()
    return scheme if scheme in {"http", "https", "mailto", "tel"} else None


def _check_link_url(url: str) -> str:
    if url_scheme(url) is None and parse_reference(url) is None:
        raise ValueError("an address begins with /, #, https:, http:, mailto: or tel:, and has no spaces")
    return url


def _check_file_url(url: str) -> str:
    if url_scheme(url) not in {"", "http", "https"}:
        raise ValueError("the address of a file begins with /, https: or http:, and has no spaces")
    return url


_URL_FIELD = Field(min_length=1, max_length=2048)


class _SlotValue(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Link(_SlotValue):
    """A link with its label."""

    text: Annotated[str, Line] = Field(min_length=1, max_length=200)
    url: Annotated[str, _URL_FIELD, AfterValidator(_check_link_url)]


class Image(_SlotValue):
    """An image with its alternative text: one of the site by id, or another one by its address."""

    image_id: str | None = Field(default=None, alias="imageId", min_length=1, max_length=255)
    url: Annotated[str, _URL_FIELD, AfterValidator(_check_file_url)] | None = None
    alt: Annotated[str, Line] = Field(default="", max_length=500)
    caption: Annotated[str, Line] = Field(default="", max_length=500)
    focal_x: int | None = Field(default=None, alias="focalX", ge=0, le=100)
    focal_y: int | None = Field(default=None, alias="focalY", ge=0, le=100)

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if (self.image_id is None) == (self.url is None):
            raise ValueError("give the imageId of an image of the site; cms_searchImages finds it")
        if self.url is not None and "alt" not in self.model_fields_set:
            raise ValueError("give alt, what the picture shows")
        if (self.focal_x is None) != (self.focal_y is None):
            raise ValueError("a focal point has two numbers; give focalX and focalY")
        if self.url is not None and self.focal_x is not None:
            raise ValueError("only an image of the site has a focal point; leave out focalX and focalY")
        return self


class Media(_SlotValue):
    """A video or sound."""

    url: Annotated[str, _URL_FIELD, AfterValidator(_check_file_url)]
    caption: str = Field(default="", max_length=500)


def _check_reference(url: str) -> str:
    if parse_reference(url) is None:
        raise ValueError(f"there is no page or entry '{url[:80]}', or several have that name")
    return url


class ReferenceValue(_SlotValue):
    """A page or entry of the site."""

    url: Annotated[str, _URL_FIELD, AfterValidator(_check_reference)]


class CollectionRef(_SlotValue):
    """A reference to entries of a collection."""

    collection_id: str = Field(alias="collectionId", min_length=1, max_length=64)
    limit: int = Field(default=10, ge=1, le=100)


MAX_ITEMS: Final = 200
"""Most items of a list."""

_TEXT_TYPES: Final = (SlotType.TEXT, SlotType.RICH_TEXT)

_VALIDATORS: Final[dict[SlotType, TypeAdapter[object]]] = {
    SlotType.TEXT: TypeAdapter(Annotated[str, Field(max_length=1000)]),
    SlotType.RICH_TEXT: TypeAdapter(Annotated[str, Field(max_length=50_000)]),
    SlotType.OPTION: TypeAdapter(str),
    SlotType.DATE: TypeAdapter(DayOrTime),
    SlotType.NUMBER: TypeAdapter(Annotated[float, Field(allow_inf_nan=False, ge=-1e15, le=1e15)]),
    SlotType.YES_NO: TypeAdapter(bool),
    SlotType.IMAGE: TypeAdapter(Image),
    SlotType.MEDIA: TypeAdapter(Media),
    SlotType.LINK: TypeAdapter(Link),
    SlotType.REFERENCE: TypeAdapter(ReferenceValue),
    SlotType.COLLECTION_REF: TypeAdapter(CollectionRef),
    SlotType.LIST: TypeAdapter(Annotated[list[dict[str, JsonValue]], Field(max_length=MAX_ITEMS)]),
}

VALUE_FORMATS: Final = {
    SlotType.TEXT: "text",
    SlotType.RICH_TEXT: "Markdown text",
    SlotType.OPTION: "one of the options",
    SlotType.DATE: "YYYY-MM-DD or YYYY-MM-DDTHH:MM",
    SlotType.NUMBER: "a number",
    SlotType.YES_NO: "true or false",
    SlotType.IMAGE: '{"imageId": "...", "alt": "..."}',
    SlotType.MEDIA: '{"url": "...", "caption": "..."}',
    SlotType.LINK: '{"text": "...", "url": "https://... or page:ID"}',
    SlotType.REFERENCE: "id, slug or exact title of a page or entry",
    SlotType.COLLECTION_REF: '{"collectionId": "...", "limit": 10}',
    SlotType.LIST: "a list of items",
}
"""How a value of each type is written."""


def describe_format(slot: Slot) -> str:
    """How a value of a slot is written."""
    if slot.type is not SlotType.LIST:
        return VALUE_FORMATS[slot.type]
    if len(slot.fields) == 1 and not VALUE_FORMATS[slot.fields[0].type].startswith("{"):
        return f'["{VALUE_FORMATS[slot.fields[0].type]}"]'
    return f"[{_describe_form(slot.fields)}]"


def _describe_form(slots: Iterable[Slot]) -> str:
    """An object with a value of each slot."""
    forms = [(slot.key, describe_format(slot)) for slot in slots]
    return "{" + ", ".join(f'"{key}": {form}' if form[0] in "{[" else f'"{key}": "{form}"' for key, form in forms) + "}"


def describe_slot(slot: Slot) -> str:
    """A slot in one phrase, for an error: key, type, and whether it is required."""
    kind = " | ".join(slot.options) if slot.options else slot.type.value
    if slot.fields:
        kind = f"list of {', '.join(each.key for each in slot.fields)}"
    return f"{slot.key} ({kind}{', required' if slot.required else ''})"


def check_content(template: str, structure: Structure, content: Content) -> None:
    """Reject content that does not fit the template. Null is always accepted: it empties the slot.

    Raises:
        InvalidArgumentsError: names each wrong field, and all fields there are.
    """
    problems = _find_all_problems(structure, content)
    if problems:
        fields = ", ".join(describe_slot(slot) for slot in structure.slots)
        raise InvalidArgumentsError(f"Section '{template}': {'; '.join(problems)}. Its fields: {fields}.")


def _find_all_problems(structure: Structure, content: Content) -> list[str]:
    slots = {slot.key: slot for slot in structure.slots}
    return [
        problem
        for key, value in content.items()
        for problem in (find_problems(slots[key], value) if key in slots else [_unknown_field_message(key, structure)])
    ]


_FIELD_NAMES: Final = {
    "content": ("text", "body", "description", "paragraph", "quote", "markdown", "message"),
    "heading": ("title", "headline", "name"),
    "subheading": ("subtitle", "tagline"),
    "cta": ("button", "link", "call_to_action", "callToAction"),
}
"""What models call the fields of templates, too."""


def rename_fields(structure: Structure, content: Content, existing: Content | None = None) -> Content:
    """The content with the template's names in place of others that can mean one of its fields only.

    That is a usual name of a field, or else any name where one required text is missing, in ``existing`` too. A field
    that is given under its own name keeps its value. A list under another name is the template's only list. A text
    without a name is the template's only required field, if that is a text.
    """
    slots, by_name = {slot.key: slot for slot in structure.slots}, {each.name: each.key for each in structure.slots}
    content = {by_name.get(key, key) if key else key: value for key, value in content.items()}
    for key, slot in slots.items():
        if slot.type is SlotType.REFERENCE and isinstance(name := content.get(key), str):
            content[key] = {"url": name}
    renamed = dict(content)
    required = [key for key, slot in slots.items() if slot.required]
    if ONE_TEXT in renamed and len(required) == 1 and slots[required[0]].type in _TEXT_TYPES:
        renamed.setdefault(required[0], renamed.pop(ONE_TEXT))
    lists = [slot.key for slot in structure.lists if slot.key not in content]
    unknown = [key for key, value in content.items() if key not in slots and isinstance(value, list)]
    if len(lists) == len(unknown) == 1:
        renamed[lists[0]] = renamed.pop(unknown[0])
    for slot in structure.lists:
        if isinstance(items := renamed.get(slot.key), list):
            renamed[slot.key] = [
                rename_fields(slot.item, each, {} if "id" not in each else {field.key: "" for field in slot.fields})
                if isinstance(each, dict)
                else each
                for item in items
                for each in [_to_item(slot, item)]
            ]
    content = dict(renamed)
    for key in [key for key in content if key not in slots and key != ONE_TEXT]:
        usual = [name for name, names in _FIELD_NAMES.items() if key in names and name in slots and name not in renamed]
        missing = [name for name, slot in slots.items() if slot.required and name not in renamed | (existing or {})]
        is_text = isinstance(content[key], str) and len(missing) == 1 and slots[missing[0]].type in _TEXT_TYPES
        target = usual or (missing if is_text else [])
        if target:
            renamed[target[0]] = renamed.pop(key)
    return renamed


def _to_item(slot: Slot, value: JsonValue) -> JsonValue:
    """An item of a list; of one whose items have one field alone, a value stands for an item."""
    field, *others = slot.fields
    if others or value is None:
        return value
    if isinstance(value, dict) and (field.type in _TEXT_TYPES or value.keys() & {"id", field.key, field.name}):
        return value
    return {field.key: value}


def show_content(structure: Structure, content: Content) -> Content:
    """Values by slot, and those of items of lists, under the names that callers read: see `Structure.shown_keys`."""
    lists = {slot.key: slot.item for slot in structure.lists}
    shown: Content = {
        key: [show_content(lists[key], each) if isinstance(each, dict) else each for each in value]
        if key in lists and isinstance(value, list)
        else value
        for key, value in content.items()
    }
    return show_names(structure, shown)


def show_names(structure: Structure, by_slot: Mapping[str, T]) -> dict[str, T]:
    """What is known of slots, under the names that callers read; ``questions.i1.answer`` is a field of an item."""
    keys = (*(slot.key for slot in structure.slots), *by_slot)
    names = {slot.key: slot.name for slot in structure.slots if slot.name}

    def name(path: str) -> str:
        key, *rest = path.split(".")
        return ".".join(structure.shown_path(key, *rest)) if rest else names.get(key) or shown_key(key, keys)

    return {name(path): value for path, value in by_slot.items()}


def empty_required_slots(structure: Structure, content: Content) -> list[str]:
    """The required slots without a value, those of items of lists too."""
    missing = [slot.key for slot in structure.slots if slot.required and is_empty(content.get(slot.key))]
    for slot in structure.lists:
        for item in iterate_items(content.get(slot.key)):
            missing += [f"{slot.key}.{item['id']}.{field}" for field in empty_required_slots(slot.item, item)]
    return missing


def is_empty(value: JsonValue) -> bool:
    """Whether a value shows readers nothing."""
    return not value.strip() if isinstance(value, str) else value in (None, [], {})


def iterate_items(value: JsonValue) -> Iterator[Content]:
    """The items of a list."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield item


def iterate_texts(value: JsonValue) -> Iterator[str]:
    """The texts in a value, for the full-text index; URLs and ids are skipped."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in ("url", "imageId", "collectionId"):
                yield from iterate_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from iterate_texts(part)


FIELD_NAMES: Final = frozenset(
    {slot.key for template in BUILTIN_TEMPLATES for slot in template.structure.slots}
    | {name for names in _FIELD_NAMES.values() for name in names}
) - {"content"}
"""The names of fields of the built-in templates, and what models call these too."""


def find_problems(slot: Slot, value: JsonValue) -> list[str]:
    """What is wrong with a value of a slot, each in a phrase. Null is always accepted."""
    if value is None:
        return []
    try:
        _VALIDATORS[slot.type].validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join((slot.key, *(str(part) for part in first["loc"])))
        return [f"'{where}': {first['msg'].removeprefix('Value error, ')} (write {VALUE_FORMATS[slot.type]})"]
    if slot.type is SlotType.LIST:
        return [
            f"'{slot.key}.{number}': {problem}"
            for number, item in enumerate(iterate_items(value))
            for problem in _find_all_problems(slot.item, {key: each for key, each in item.items() if key != "id"})
        ]
    if slot.options and value not in slot.options:
        return [f"'{slot.key}' must be one of {', '.join(slot.options)}"]
    return []


def _unknown_field_message(key: str, structure: Structure) -> str:
    if key == ONE_TEXT:
        fields = [slot for slot in structure.slots if slot.required] or structure.slots
        return f"a text alone does not say which field it is for; write {_describe_form(fields)}"
    from rapidfuzz import process  # noqa: PLC0415 - slow to import, seldom needed

    closest = process.extractOne(key, [slot.key for slot in structure.slots], score_cutoff=70)
    is_another_number = closest is not None and _DIGITS.sub("", closest[0]) == _DIGITS.sub("", key)
    return f"no field '{key}'" + (f" (did you mean '{closest[0]}'?)" if closest and not is_another_number else "")
