"""Reads what is stored through a type as it is now: a change of a type rewrites nothing.

Revisions never change, so the types of their fields may differ from those of today. What is shown is the value as the
field of today has it, converted if its type was another one.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.templates.dates import parse_date
from remit_cms.templates.slots import Slot, SlotType, Structure
from remit_cms.templates.values import find_problems, is_empty

_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,9})?")
_WORDS: Final = {"yes": True, "true": True, "ja": True, "no": False, "false": False, "nein": False}
_TEXTS: Final = (SlotType.TEXT, SlotType.RICH_TEXT, SlotType.OPTION)


def fit_content(structure: Structure, content: Content) -> Content:
    """What a type shows of the stored values of a language: those of its slots, each in the slot's type."""
    slots = {slot.key: slot for slot in structure.slots}
    fitted = {key: convert(slots[key], value) for key, value in content.items() if key in slots}
    return {key: value for key, value in fitted.items() if value is not None}


def fill_defaults(structure: Structure, content: Content) -> Content:
    """The content with the defaults of slots that have no value."""
    defaults = {slot.key: slot.default for slot in structure.slots if slot.default is not None}
    return {**content, **{key: value for key, value in defaults.items() if is_empty(content.get(key))}}


def convert(slot: Slot, value: JsonValue) -> JsonValue:
    """A value in the type of a slot; None if it cannot be one."""
    if slot.type in _TEXTS:
        return _to_text(value)
    if slot.type is SlotType.DATE:
        return value if isinstance(value, str) and parse_date(value) is not None else None
    if slot.type is SlotType.YES_NO:
        return _WORDS.get(value.strip().casefold()) if isinstance(value, str) else _keep(value, bool)
    if slot.type is SlotType.NUMBER:
        return _to_number(value)
    if slot.type is SlotType.LIST:
        return _fit_items(slot, value)
    return _keep(value, dict)


def _fit_items(slot: Slot, value: JsonValue) -> JsonValue:
    """The items of a list in one language, by id, each with the values of the fields that items have now."""
    if not isinstance(value, dict):
        return None
    return {key: fit_content(slot.item, item) for key, item in value.items() if isinstance(item, dict)}


def find_misfit(slot: Slot, value: JsonValue) -> bool:
    """Whether a stored value is none in the type of a slot, or more than it takes."""
    if slot.type is SlotType.LIST:
        items = [*value.values()] if isinstance(value, dict) else [value]
        return any(not isinstance(item, dict) or _has_misfit(slot.item, item) for item in items)
    converted = convert(slot, value)
    return converted is None or bool(find_problems(slot, converted))


def _has_misfit(structure: Structure, content: Content) -> bool:
    return any(find_misfit(slot, value) for slot in structure.slots if not is_empty(value := content.get(slot.key)))


def _keep(value: JsonValue, types: type | tuple[type, ...]) -> JsonValue:
    return value if isinstance(value, types) else None


def _to_text(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.15g}"
    return _keep(value, str)


def _to_number(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value.strip().replace(",", "."))
        return int(number) if number.is_integer() else number
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
