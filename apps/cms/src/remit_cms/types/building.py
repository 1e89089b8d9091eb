"""Builds and changes the form of a type. The key of a slot never changes; its name does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import JsonValue

from remit.errors import InvalidArgumentsError
from remit_cms.templates.fitting import convert, find_misfit
from remit_cms.templates.slots import Row, Slot, SlotType, Structure
from remit_cms.templates.values import VALUE_FORMATS
from remit_cms.types.payloads import MAX_FIELDS, ChangeType, DefineType, FieldChange, FieldInput, ItemField

_ONE_TEXT = (ItemField(key="text", type="text", required=True),)

_NEXT_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WITH_DEFAULTS = (
    SlotType.TEXT,
    SlotType.RICH_TEXT,
    SlotType.OPTION,
    SlotType.DATE,
    SlotType.NUMBER,
    SlotType.YES_NO,
)


def build_structure(payload: DefineType) -> Structure:
    """The form of a new type.

    Raises:
        InvalidArgumentsError: its fields do not fit together.
    """
    slots = [_make_slot(each, each.key) for each in payload.fields]
    structure = _assemble(Structure(rows=(), is_single=payload.kind == "single"), slots)
    dates = [slot.key for slot in slots if slot.type is SlotType.DATE and slot.required]
    wanted = payload.sorted_by
    if wanted is None:
        wanted = dates[0] if len(dates) == 1 and payload.kind == "entries" else ""
    return structure.model_copy(update={"sorted_by": _find_date(slots, wanted)})


def change_structure(structure: Structure, payload: ChangeType) -> Structure:
    """The form of a type after changes.

    Raises:
        InvalidArgumentsError: it has no such field, or the fields do not fit together.
    """
    slots = [*structure.slots]
    for change in payload.change_fields:
        place = _find_place(structure, slots, change.key)
        slots[place] = _change_slot(slots[place], change)
    gone = [slots[_find_place(structure, slots, name)] for name in payload.remove_fields]
    slots = [slot for slot in slots if slot not in gone]
    removed = [*structure.removed, *gone]
    for given in payload.add_fields:
        slot = _revive_or_make(given, slots, removed)
        removed = [each for each in removed if each.key != slot.key]
        slots.append(slot)
    first = [_find_place(structure, slots, name) for name in payload.field_order]
    order = [*dict.fromkeys(first), *(place for place in range(len(slots)) if place not in first)]
    slots = [slots[place] for place in order]
    sorted_by = structure.sorted_by if payload.sorted_by is None else _find_date(slots, payload.sorted_by)
    is_date = any(slot.key == sorted_by and slot.type is SlotType.DATE for slot in slots)
    changed = structure.model_copy(update={"removed": tuple(removed), "sorted_by": sorted_by if is_date else ""})
    return _assemble(changed, slots)


def translate_structure(structure: Structure, payload: ChangeType, locale: str) -> Structure:
    """The form of a type with its name and labels in another language than that of the site.

    Raises:
        InvalidArgumentsError: something else is to be changed, which is the same in all languages.
    """
    labels = {each.key: each.label for each in payload.change_fields}
    only_labels = [FieldChange(key=key, label=label) for key, label in labels.items()]
    others = (payload.add_fields, payload.remove_fields, payload.field_order, payload.sorted_by is not None)
    if any(others) or only_labels != payload.change_fields:
        raise InvalidArgumentsError(
            f"In '{locale}' a type has a name and the labels of its fields. What is the same in all languages is "
            "changed in a call of its own, without localeCode."
        )
    slots = [*structure.slots]
    for key, label in labels.items():
        place = _find_place(structure, slots, key)
        slot = slots[place]
        slots[place] = slot.model_copy(update={"labels": {**slot.labels, locale: label or slot.label}})
    names = {**structure.names, **({locale: payload.name} if payload.name else {})}
    return _assemble(structure.model_copy(update={"names": names}), slots)


def _find_place(structure: Structure, slots: Sequence[Slot], name: str) -> int:
    """Where a field stands that has a name, or had it before the changes of this call."""
    changed = Structure(rows=(Row(slots=tuple(slots)),))
    names = [*changed.shown_keys.values()]
    if name in names:
        return names.index(name)
    former = {shown: key for key, shown in structure.shown_keys.items()}
    keys = [slot.key for slot in slots]
    if (key := former.get(name, "")) in keys:
        return keys.index(key)
    raise InvalidArgumentsError(f"The type has no field '{name}'. Its fields: {', '.join(names) or 'none'}.")


def _find_date(slots: Sequence[Slot], name: str) -> str:
    """The key of the date by which lists are sorted."""
    dates = {slot.name or slot.key: slot.key for slot in slots if slot.type is SlotType.DATE}
    if name and name not in dates:
        known = f" Its dates: {', '.join(dates)}." if dates else " It has no date."
        raise InvalidArgumentsError(f"sortedBy is '{name}', which is no date of the type.{known}")
    return dates.get(name, "")


def _make_slot(given: FieldInput, key: str) -> Slot:
    if given.fields and given.type != "list":
        raise InvalidArgumentsError(f"'{given.key}' is no list, and only the items of a list have fields.")
    slot = Slot(
        key=key,
        name="" if key == given.key else given.key,
        type=SlotType(given.type),
        label=given.label or _write_label(given.key),
        required=given.required,
        options=tuple(given.options),
        fields=_make_item_fields(given.fields or _ONE_TEXT) if given.type == "list" else (),
    )
    return _with_default(slot, given.value)


def _write_label(key: str) -> str:
    """The words of a key, as visitors read them: ``bookingNeeded`` is "Booking needed"."""
    words = _NEXT_WORD.sub(" ", key)
    return words if words.isupper() else words.capitalize()


def _make_item_fields(given: Sequence[ItemField]) -> tuple[Slot, ...]:
    slots = [
        Slot(
            key=each.key,
            type=SlotType(each.type),
            label=each.label or _write_label(each.key),
            required=each.required,
            options=tuple(each.options),
        )
        for each in given
    ]
    _check_names(["id", *(slot.key for slot in slots)])
    _check_options(slots)
    return tuple(slots)


def _revive_or_make(given: FieldInput, slots: Sequence[Slot], removed: Sequence[Slot]) -> Slot:
    """A new slot: with the key of a removed one of the same name and type, whose values are shown again."""
    for each in reversed(removed):
        if (each.name or each.key, each.type) == (given.key, given.type):
            return _make_slot(given, each.key)
    taken = {each.key for each in (*slots, *removed)}
    candidates = (given.key, *(f"{given.key}-{number}" for number in range(2, len(taken) + 3)))
    return _make_slot(given, next(each for each in candidates if each not in taken))


def _change_slot(slot: Slot, change: FieldChange) -> Slot:
    is_list = slot.type is SlotType.LIST
    if change.type is not None and is_list != (change.type == "list"):
        raise InvalidArgumentsError(
            f"'{change.key}' is {'a' if is_list else 'no'} list and stays so. Remove it, and add another field."
        )
    if change.fields is not None and not (is_list and change.fields):
        raise InvalidArgumentsError(
            f"'{change.key}': the items of a list have one field at least, and others have none"
        )
    given: dict[str, object] = {
        "name": change.new_key,
        "type": None if change.type is None else SlotType(change.type),
        "label": _write_label(change.new_key or slot.name or slot.key) if change.label == "" else change.label,
        "required": change.required,
        "options": None if change.options is None else tuple(change.options),
        "fields": None if change.fields is None else _make_item_fields(change.fields),
    }
    if change.type not in (None, "option") and change.options is None:
        given["options"] = ()
    changed = slot.model_copy(update={name: value for name, value in given.items() if value is not None})
    if change.value is not None:
        return _with_default(changed, change.value)
    default = None if changed.default is None else convert(changed, changed.default)
    return changed.model_copy(update={"default": default})


def _with_default(slot: Slot, value: str | None) -> Slot:
    if value is None or not value.strip():
        return slot.model_copy(update={"default": None})
    converted: JsonValue = convert(slot, value) if slot.type in _WITH_DEFAULTS else None
    if converted is None or find_misfit(slot, converted):
        form = VALUE_FORMATS[slot.type]
        raise InvalidArgumentsError(
            f"The value of '{slot.name or slot.key}' is {value[:80]!r}; write {form}"
            if slot.type in _WITH_DEFAULTS
            else f"A field of type {slot.type.value} has no value for all; leave out the value of '{slot.key}'."
        )
    return slot.model_copy(update={"default": converted})


def _assemble(structure: Structure, slots: Sequence[Slot]) -> Structure:
    """The form with these slots.

    Raises:
        InvalidArgumentsError: they do not fit together.
    """
    made = structure.model_copy(update={"rows": tuple(Row(slots=(slot,)) for slot in slots)})
    if not slots:
        raise InvalidArgumentsError("A type has one field at least; remove the whole type with cms_deleteType.")
    if len(slots) > MAX_FIELDS:
        raise InvalidArgumentsError(f"A type has {MAX_FIELDS} fields at most, and this one would have {len(slots)}.")
    _check_names(made.shown_keys[slot.key] for slot in slots)
    _check_options(slots)
    return made


def _check_options(slots: Iterable[Slot]) -> None:
    if any(bool(slot.options) != (slot.type is SlotType.OPTION) for slot in slots):
        raise InvalidArgumentsError("a field of type option needs options, and no other field takes them")


def _check_names(names: Iterable[str]) -> None:
    folded = [name.casefold() for name in names]
    if len({*folded}) < len(folded):
        raise InvalidArgumentsError("two fields have the same key; give each another one")
    if "content" in folded:
        raise InvalidArgumentsError("'content' is what all fields of an entry together are called; call this one text")
