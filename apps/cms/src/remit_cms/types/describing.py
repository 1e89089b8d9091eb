"""Types in the words of people: their fields as a table, and what a change does to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remit.tools import Change
from remit_cms.models import pluralize
from remit_cms.publishing.changes import in_words, quote
from remit_cms.templates.slots import Slot, SlotType, Structure
from remit_cms.types.payloads import TypeKind
from remit_cms.types.uses import Use, count_values

_KINDS = {
    SlotType.TEXT: "text",
    SlotType.RICH_TEXT: "formatted text",
    SlotType.IMAGE: "image",
    SlotType.MEDIA: "film or sound",
    SlotType.LINK: "link",
    SlotType.REFERENCE: "page or entry",
    SlotType.DATE: "date",
    SlotType.NUMBER: "number",
    SlotType.YES_NO: "yes or no",
    SlotType.COLLECTION_REF: "list of entries",
    SlotType.LIST: "list",
}
_OF = {"entries": "entries", "section": "a section for pages", "single": "one page"}


def describe_new(name: str, key: str, kind: TypeKind, structure: Structure) -> str:
    """A new type in a line."""
    address = "" if kind == "section" else f" at /{key}"
    date = structure.shown_keys.get(structure.sorted_by)
    order = f", listed by {date}, what is next first" if date else ""
    return f"the new type '{name}' ({key}): {_OF[kind]}{address}{order}"


def describe_fields(structure: Structure) -> list[Change]:
    """The fields of a new type, one a line."""
    return [Change(f"field {structure.shown_key(slot.key)}", "", _describe(slot)) for slot in structure.slots]


def describe_changes(old: Structure, new: Structure, uses: Sequence[Use]) -> Iterator[Change]:
    """What differs between two forms of a type, field by field."""
    former, latter = ({slot.key: slot for slot in each.slots} for each in (old, new))
    for key, slot in former.items():
        name, changed = old.shown_key(slot.key), latter.get(key)
        if changed is None:
            count = count_values(slot, uses)
            lost = f"; {pluralize(count, 'document')} had a value of it, which is no longer shown" if count else ""
            yield Change(f"field {name}", _describe(slot), f"removed{lost}")
        elif slot != changed:
            renamed = new.shown_key(changed.key)
            now = _describe(changed) if renamed == name else f"{renamed}: {_describe(changed)}"
            yield Change(f"field {name}", _describe(slot), now)
    for key, slot in latter.items():
        if key not in former:
            count = count_values(slot, uses)
            again = f"; {pluralize(count, 'document')} had a value of it, which is shown again" if count else ""
            yield Change(f"field {new.shown_key(slot.key)}", "", f"{_describe(slot)}{again}")
    orders = [[each for each in first if each in second] for first, second in ((former, latter), (latter, former))]
    if orders[0] != orders[1]:
        names = (
            ", ".join(each.shown_key(slot.key) for slot in each.slots if slot.key in orders[0]) for each in (old, new)
        )
        yield Change("order of fields", *names)
    if old.sorted_by != new.sorted_by:
        yield Change("lists are sorted by", *(_order_of(each) for each in (old, new)))


def _order_of(structure: Structure) -> str:
    return structure.shown_keys.get(structure.sorted_by, "time of publication")


def _name_kind(slot: Slot) -> str:
    """What the values of a slot are."""
    if slot.fields:
        fields = (f"{each.key} ({_name_kind(each)}{', required' if each.required else ''})" for each in slot.fields)
        return f"list of {', '.join(fields)}"
    return f"one of {', '.join(slot.options)}" if slot.options else _KINDS[slot.type]


def _describe(slot: Slot) -> str:
    kind = _name_kind(slot)
    labels = [quote(slot.label), *(f"{quote(label)} ({locale})" for locale, label in slot.labels.items())]
    required = ", required" if slot.required else ""
    value = "" if slot.default is None else f", {quote(in_words(slot.default))} where there is none"
    return f"{kind}{required}, {' '.join(labels)}{value}"
