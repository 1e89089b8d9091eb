"""Slots: the typed fields of a section template."""

from __future__ import annotations

import enum

from pydantic import BaseModel, ConfigDict


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


class Slot(BaseModel):
    """One field: its key in the content, its type, and its label."""

    model_config = ConfigDict(frozen=True)

    key: str
    type: SlotType
    label: str
    required: bool = False
    options: tuple[str, ...] = ()


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


class Template(BaseModel):
    """A section template: key, name, purpose and structure."""

    model_config = ConfigDict(frozen=True)

    key: str
    name: str
    description: str
    structure: Structure
