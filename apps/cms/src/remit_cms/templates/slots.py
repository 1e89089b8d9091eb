"""Slots: the typed fields of a section template."""

from __future__ import annotations

import enum
from collections.abc import Container
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


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
    OPTION = "option"
    """One of the slot's options."""
    COLLECTION_REF = "collectionRef"
    """Entries of a collection: ``{"collectionId": ..., "limit"?: ...}``."""
    LIST = "list"
    """Items with the same fields, any number of them: ``[{"id": "i1", ...}]``."""


class Slot(BaseModel):
    """One field: its key in the content, its type, and its label. A list has ``fields``, those of its items."""

    model_config = ConfigDict(frozen=True)

    key: str
    type: SlotType
    label: str
    required: bool = False
    options: tuple[str, ...] = ()
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


class Row(BaseModel):
    """Slots that appear side by side in a form."""

    model_config = ConfigDict(frozen=True)

    slots: tuple[Slot, ...]


class Structure(BaseModel):
    """The form of a section: rows of slots."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[Row, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in order."""
        return tuple(slot for row in self.rows for slot in row.slots)

    @property
    def shown(self) -> Structure:
        """The same with the names that callers read and write: see `shown_key`."""
        return Structure(
            rows=tuple(
                Row(slots=tuple(slot.model_copy(update={"key": self.shown_key(slot.key)}) for slot in row.slots))
                for row in self.rows
            )
        )

    def shown_key(self, key: str) -> str:
        """What callers call a slot: ``content`` is ``text`` to them, unless the template has that too.

        They write it inside of something that is called content, and models mixed the two up.
        """
        return shown_key(key, {slot.key for slot in self.slots})

    @property
    def lists(self) -> tuple[Slot, ...]:
        """The slots that hold lists."""
        return tuple(slot for slot in self.slots if slot.type is SlotType.LIST)


def shown_key(key: str, keys: Container[str]) -> str:
    """What callers call a slot among slots with these keys."""
    return "text" if key == "content" and "text" not in keys else key


class Template(BaseModel):
    """A section template: key, name, purpose and structure."""

    model_config = ConfigDict(frozen=True)

    key: str
    name: str
    description: str
    structure: Structure
