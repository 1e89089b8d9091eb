"""Slots: the typed fields of a section template."""

from __future__ import annotations

import enum
from collections.abc import Container
from itertools import groupby
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator


class SlotType(enum.StrEnum):
    """The kind of value that a slot accepts."""

    TEXT = "text"
    """One plain text."""
    RICH_TEXT = "richText"
    """Markdown. HTML in it is shown as text."""
    IMAGE = "image"
    """``{"imageId": ..., "alt": ...}``, or ``{"url": ..., "alt": ...}`` for one that the site does not have."""
    MEDIA = "media"
    """A film or sound: ``{"url": ..., "caption"?: ...}``."""
    LINK = "link"
    """``{"text": ..., "url": ...}``."""
    REFERENCE = "reference"
    """A page or entry, shown with its title and a link: ``{"url": "entry:ID"}``."""
    OPTION = "option"
    """One of the slot's options."""
    DATE = "date"
    """A day, ``2026-05-31``, or a time of the site's zone, ``2026-05-31T19:00``."""
    NUMBER = "number"
    """A number."""
    YES_NO = "yesNo"
    """True or false."""
    COLLECTION_REF = "collectionRef"
    """Entries of a collection: ``{"collectionId": ..., "limit"?: ...}``."""
    LIST = "list"
    """Items with the same fields, any number of them: ``[{"id": "i1", ...}]``."""


HEADING: Final = "heading"
"""The key of the slot that is the heading of a section."""

_LABELLED_TYPES: Final = (SlotType.DATE, SlotType.NUMBER, SlotType.YES_NO, SlotType.OPTION, SlotType.REFERENCE)


class Slot(BaseModel):
    """One field of a type.

    ``key`` is its name in what is stored, and never changes. ``name`` is what callers write, ``label`` what people
    read, ``labels`` that in other languages. ``default`` is the value where there is none. A list has ``fields``,
    those of its items.
    """

    model_config = ConfigDict(frozen=True)

    key: str
    name: str = ""
    type: SlotType
    label: str
    labels: dict[str, str] = Field(default_factory=dict[str, str])
    required: bool = False
    options: tuple[str, ...] = ()
    default: JsonValue = None
    fields: tuple[Slot, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if bool(self.fields) != (self.type is SlotType.LIST) or any(each.fields for each in self.fields):
            raise ValueError("a list has fields, none of which is a list; other slots have none")
        return self

    @property
    def item(self) -> Structure:
        """The form of an item of a list."""
        return Structure(rows=(Row(slots=self.fields),))

    def label_in(self, locale: str) -> str:
        """What people read in a language."""
        return self.labels.get(locale) or self.labels.get(locale.partition("-")[0]) or self.label


class Row(BaseModel):
    """Slots that appear side by side in a form."""

    model_config = ConfigDict(frozen=True)

    slots: tuple[Slot, ...]


class Structure(BaseModel):
    """The form of a type: rows of slots.

    ``removed`` are slots that it had: what is stored under their keys is no longer shown. ``sorted_by`` is the key of
    the date by which lists of it are sorted; empty for the time of publication. ``is_single`` says that a site has one
    document of the type. ``names`` are those of the type in other languages than that of the site.
    """

    model_config = ConfigDict(frozen=True)

    rows: tuple[Row, ...]
    removed: tuple[Slot, ...] = ()
    sorted_by: str = ""
    is_single: bool = False
    names: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in order."""
        return tuple(slot for row in self.rows for slot in row.slots)

    def name_in(self, locale: str, name: str) -> str:
        """The name of the type in a language; ``name`` is that in the language of the site."""
        return self.names.get(locale) or self.names.get(locale.partition("-")[0]) or name

    @property
    def shown(self) -> Structure:
        """The same with the names that callers read and write in place of the keys."""
        names = self.shown_keys
        renamed = [
            [each.model_copy(update={"key": names[each.key], "fields": each.item.shown.slots}) for each in row.slots]
            for row in self.rows
        ]
        return self.model_copy(update={"rows": tuple(Row(slots=tuple(slots)) for slots in renamed)})

    @property
    def shown_keys(self) -> dict[str, str]:
        """What callers call each slot, by key: its name, or else `shown_key`."""
        keys = {slot.key for slot in self.slots}
        return {slot.key: slot.name or shown_key(slot.key, keys) for slot in self.slots}

    def shown_key(self, key: str) -> str:
        """What callers call the slot with a key."""
        return self.shown_keys.get(key, key)

    def shown_path(self, key: str, *rest: str) -> tuple[str, ...]:
        """What callers call a slot, or with the item and key of a list a field of that; also of removed slots."""
        known = {slot.key: slot for slot in (*self.removed, *self.slots)}
        slot = known.get(key)
        names = {each.key: each.name for each in self.removed if each.name} | self.shown_keys
        match rest:
            case (item, field) if slot is not None:
                return (names.get(key, key), item, slot.item.shown_key(field))
            case _:
                return (names.get(key, key), *rest)

    def labels_in(self, locale: str) -> dict[str, str]:
        """What visitors read before values that say little alone, in a language, by the keys of their slots.

        These are dates, numbers, truth values, options and references, and the texts next to them, such as a place
        after a date.
        """
        runs = groupby(self.slots, lambda slot: slot.type in (*_LABELLED_TYPES, SlotType.TEXT) and slot.key != HEADING)
        short = [[*run] for is_short, run in runs if is_short]
        found = [run for run in short if any(slot.type in _LABELLED_TYPES for slot in run)]
        return {slot.key: slot.label_in(locale) for run in found for slot in run}

    @property
    def lists(self) -> tuple[Slot, ...]:
        """The slots that hold lists."""
        return tuple(slot for slot in self.slots if slot.type is SlotType.LIST)


def shown_key(key: str, keys: Container[str]) -> str:
    """What callers call a slot without a name of its own, among slots with these keys.

    ``content`` is ``text``, unless the template has that too: callers write it inside of something that is called
    content, and models mixed the two up.
    """
    return "text" if key == "content" and "text" not in keys else key


class Template(BaseModel):
    """A section template: key, name, purpose and structure."""

    model_config = ConfigDict(frozen=True)

    key: str
    name: str
    description: str
    structure: Structure
