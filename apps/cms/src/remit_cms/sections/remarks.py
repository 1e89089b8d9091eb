"""Remarks on the content of a section: what it lacks, and what visitors do not see of it as it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.rich_text.remarks import find_omissions
from remit_cms.templates.slots import SlotType, Structure
from remit_cms.templates.values import empty_required_slots, iterate_items, show_content


@dataclass(frozen=True, slots=True)
class Remarks:
    """The required fields without a value, and by field what visitors do not see of its text as it was written."""

    empty: tuple[str, ...] = ()
    omissions: tuple[tuple[str, str], ...] = ()

    def list(self, prefix: str = "") -> list[str]:
        """The remarks as replies give them; ``prefix`` comes before each field."""
        empty = ", ".join(f"{prefix}{key}" for key in self.empty)
        sentences = [f"Still empty: {empty}"] if empty else []
        return [*sentences, *(f"In {prefix}{key}: {phrase}" for key, phrase in self.omissions)]


def find_remarks(structure: Structure, content: Content, given: Content) -> Remarks:
    """Remarks on the content of a section: fields have the names that callers read.

    Args:
        structure: the fields of the section.
        content: what a reader sees of it.
        given: what a call writes, with the names of fields that are stored.
    """
    empty = empty_required_slots(structure.shown, content)
    return Remarks(tuple(empty), tuple(_find_omissions(structure.shown, show_content(structure, given))))


def _find_omissions(structure: Structure, given: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    for slot in structure.slots:
        value = given.get(slot.key)
        if slot.type is SlotType.RICH_TEXT and isinstance(value, str):
            yield from ((slot.key, phrase) for phrase in find_omissions(value))
        elif slot.type is SlotType.LIST:
            for number, item in enumerate(iterate_items(value)):
                for key, phrase in _find_omissions(slot.item, item):
                    yield f"{slot.key}.{item.get('id', number)}.{key}", phrase
