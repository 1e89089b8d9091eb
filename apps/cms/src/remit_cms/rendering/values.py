"""Dates, numbers, and yes and no, as readers of a language write them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.rendering.dates import format_day
from remit_cms.templates.dates import parse_date
from remit_cms.templates.slots import SlotType, Structure

_YES_NO: Final = {
    "en": ("yes", "no"),
    "de": ("ja", "nein"),
    "fr": ("oui", "non"),
    "it": ("sì", "no"),
    "es": ("sí", "no"),
    "pt": ("sim", "não"),
    "nl": ("ja", "nee"),
    "da": ("ja", "nej"),
    "nb": ("ja", "nei"),
    "sv": ("ja", "nej"),
    "pl": ("tak", "nie"),
}
_POINT: Final = ("en", "he", "ja", "zh", "th", "ko")
"""The languages that write a point before decimals; others write a comma."""


def format_values(structure: Structure, content: Content, locale: str) -> Content:
    """The content with its dates, numbers and truth values as a reader of a language writes them.

    A date becomes ``{"iso": ..., "text": ...}``, for ``<time>``; others become texts.
    """
    shown = dict(content)
    for slot in structure.slots:
        value = content.get(slot.key)
        if slot.type is SlotType.DATE and isinstance(value, str):
            shown[slot.key] = format_date(value, locale)
        elif slot.type is SlotType.YES_NO and isinstance(value, bool):
            words = _YES_NO.get(locale.partition("-")[0], _YES_NO["en"])
            shown[slot.key] = words[0] if value else words[1]
        elif slot.type is SlotType.LIST and isinstance(value, list):
            shown[slot.key] = [
                format_values(slot.item, item, locale) if isinstance(item, dict) else item for item in value
            ]
        elif slot.type is SlotType.NUMBER and isinstance(value, (int, float)):
            shown[slot.key] = _format_number(value, locale)
    return shown


def format_date(value: str, locale: str) -> dict[str, JsonValue] | None:
    """A day, or a time, for ``<time>``."""
    found = parse_date(value)
    if found is None:
        return None
    time = f", {found:%H:%M}" if isinstance(found, datetime) else ""
    return {"iso": value, "text": f"{format_day(found, locale)}{time}"}


def _format_number(value: float, locale: str) -> str:
    text = f"{value:.15g}"
    return text if locale.partition("-")[0] in _POINT else text.replace(".", ",")
