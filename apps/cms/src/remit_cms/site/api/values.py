"""The values of slots as the API gives them, and their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

from remit_cms.images.pictures import FORMATS, widths_of
from remit_cms.images.renditions import nearest_width
from remit_cms.models import Content, View
from remit_cms.rich_text.html import render_rich_text
from remit_cms.site.api.models import EntriesValue, ImageValue, LinkValue, MediaValue, Rendition
from remit_cms.site.feeds import with_whole_addresses
from remit_cms.site.pictures import FALLBACK, rendition_path
from remit_cms.storage.images import Image
from remit_cms.templates.image_values import find_focal_point
from remit_cms.templates.slots import Slot, SlotType, Structure
from remit_cms.templates.values import iterate_items, url_scheme

_OBJECTS: Final[Mapping[SlotType, type[View]]] = {
    SlotType.IMAGE: ImageValue,
    SlotType.MEDIA: MediaValue,
    SlotType.LINK: LinkValue,
    SlotType.REFERENCE: LinkValue,
    SlotType.COLLECTION_REF: EntriesValue,
}

_JSON_TYPES: Final[Mapping[SlotType, str]] = {SlotType.NUMBER: "number", SlotType.YES_NO: "boolean"}


@dataclass(frozen=True, slots=True)
class Values:
    """Reads the values of slots: addresses are whole, rich text is safe HTML, images have their renditions.

    ``url`` is the address of the site, ``images`` are those that the values name, by id.
    """

    url: str
    images: Mapping[str, Image]

    def read_fields(self, structure: Structure, content: Content) -> Content:
        """All fields of a structure under the names that people see; null where a value is empty."""
        return {structure.shown_key(slot.key): self._read(slot, content.get(slot.key)) for slot in structure.slots}

    def _read(self, slot: Slot, value: JsonValue) -> JsonValue:
        if slot.type is SlotType.LIST:
            return [{"id": item.get("id"), **self.read_fields(slot.item, item)} for item in iterate_items(value)]
        if slot.type is SlotType.RICH_TEXT:
            html = render_rich_text(value) if isinstance(value, str) else ""
            return with_whole_addresses(html, self.url) or None
        if slot.type in _OBJECTS:
            found = self._read_object(slot.type, value) if isinstance(value, dict) else None
            return None if found is None else found.model_dump(mode="json", by_alias=True)
        return None if isinstance(value, str) and not value.strip() else value

    def _read_object(self, kind: SlotType, value: Content) -> View | None:
        if kind is SlotType.COLLECTION_REF:
            key, limit = str(value.get("collectionId")), value.get("limit")
            number = limit if isinstance(limit, int) else 10
            return EntriesValue(collection=key, limit=number, url=f"{self.url}/api/entries/{key}?limit={number}")
        if kind is SlotType.IMAGE and "imageId" in value:
            return self.read_image(value)
        address = self._whole(str(value.get("url", "")))
        if address is None:
            return None
        if kind in (SlotType.LINK, SlotType.REFERENCE):
            return LinkValue(text=_text(value, "text"), url=address)
        if kind is SlotType.MEDIA:
            return MediaValue(url=address, caption=_text(value, "caption"))
        return ImageValue(url=address, alt=_text(value, "alt"), caption=_text(value, "caption"))

    def read_image(self, slot: Content) -> ImageValue | None:
        """An image of the site as a slot shows it; None if it is gone."""
        image = self.images.get(str(slot.get("imageId")))
        if image is None:
            return None
        x, y = find_focal_point(slot) or (image.initial_focal_x, image.initial_focal_y)

        def address(width: int, kind: str) -> str:
            return f"{self.url}{rendition_path(image.digest, width, kind)}"

        return ImageValue(
            image_id=image.id,
            url=address(nearest_width(image.width), FALLBACK),
            alt=_text(slot, "alt"),
            caption=_text(slot, "caption"),
            width=image.width,
            height=image.height,
            focal_x=x,
            focal_y=y,
            renditions=[
                Rendition(type=media_type, width=width, url=address(width, kind))
                for kind, media_type in FORMATS.items()
                for width in widths_of(image.width)
            ],
        )

    def _whole(self, url: str) -> str | None:
        """An address with that of the site before it; None for what is no safe address, such as that of a draft."""
        if url_scheme(url) is None:
            return None
        return f"{self.url}{url}" if url.startswith("/") and not url.startswith("//") else url


def schema_of_fields(structure: Structure) -> dict[str, Any]:
    """The JSON schema of the fields of a structure."""
    properties = {structure.shown_key(slot.key): _schema_of(slot) for slot in structure.slots}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _schema_of(slot: Slot) -> dict[str, Any]:
    if slot.type is SlotType.LIST:
        item = schema_of_fields(slot.item)
        properties = {"id": {"type": "string"}, **item["properties"]}
        item |= {"properties": properties, "required": [*properties]}
        return {"type": "array", "items": item, "title": slot.label}
    if slot.type in _OBJECTS:
        reference = {"$ref": f"#/components/schemas/{_OBJECTS[slot.type].__name__}"}
        return {"oneOf": [reference, {"type": "null"}], "title": slot.label}
    schema: dict[str, Any] = {"type": [_JSON_TYPES.get(slot.type, "string"), "null"], "title": slot.label}
    if slot.type is SlotType.RICH_TEXT:
        schema["contentMediaType"] = "text/html"
    if slot.options:
        schema["enum"] = [*slot.options, None]
    return schema


def _text(value: Content, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
