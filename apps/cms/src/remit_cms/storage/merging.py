"""Applies the changes between two states of a document to a third one, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.storage.fields import builds_on_others, has_value, join_values, part_of_field, split_values
from remit_cms.storage.parts import STRUCTURE, iterate_changed_orders, orders_of, values_of
from remit_cms.storage.singles import ITEMS, SINGLES
from remit_cms.storage.snapshots import MetaSnapshot, SectionSnapshot, Snapshot
from remit_cms.storage.tables import Page
from remit_cms.storage.translations import PageTexts

_SECTION = f"{STRUCTURE}/section/"
_ITEM = f"{STRUCTURE}/item/"
_ORDER = f"{STRUCTURE}/order"


class Merged(NamedTuple):
    """A state with changes applied, and the parts of them that build on what it lacks.

    Those that are ``misplaced`` have no place in it, such as a text of no section; others keep words of what it lacks.
    """

    snapshot: Snapshot
    missing: tuple[str, ...]
    misplaced: tuple[str, ...]


def empty_state(document: Snapshot | Page) -> Snapshot:
    """The state before a document was made."""
    return Snapshot(id=document.id, kind=document.kind, locale=document.locale, slug="", title="")


def find_beginning(page: Page | Snapshot) -> Snapshot | None:
    """The state in which a document begins. One of which a site has one is there from the start, without content.

    Every other document has none before a call makes it.
    """
    single = SINGLES.get(page.kind)
    if single is None:
        return None
    values = SectionSnapshot(id=page.id, definition=single.template, sort_order=0)
    return Snapshot(
        id=page.id,
        kind=page.kind,
        locale=page.locale,
        slug=single.slug,
        title=single.title,
        indexing=False,
        sections=[] if page.kind in ITEMS else [values],
    )


def apply_changes(
    base: Snapshot, before: Snapshot, after: Snapshot, *, leave_out: Callable[[str], bool] = lambda _: False
) -> Merged:
    """What ``base`` becomes by the changes from ``before`` to ``after``, without the fields to leave out.

    What has been added stands after the nearest neighbour above that is there. Where the order has changed, what all
    have in common stands as in ``after``, in the places that it has in ``base``.
    """
    changed = [field for field in iterate_changed_fields(before, after) if not leave_out(field)]
    own, old, new = _fields_of(base), _fields_of(before), _fields_of(after)
    fields = dict(own)
    for field in changed:
        fields.pop(field, None)
        if new.get(field) is not None:
            fields[field] = new[field]
    values = join_values(fields)
    merge = _OrderMerge(before, after, frozenset(changed))
    misplaced = [field for field in changed if field in fields and not _has_place(field, fields)]
    missing = misplaced + [field for field in changed if _builds_on(field, own, old, new)]
    sections = _build_sections(base, after, values, merge)
    merged = _with_texts(base, after, values).model_copy(update={"sections": sections})
    return Merged(merged, *((*dict.fromkeys(map(part_of_field, each)),) for each in (missing, misplaced)))


def iterate_changed_fields(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The fields in which two states differ, and the parts that are orders: what changes are merged by."""
    old, new = _fields_of(before), _fields_of(after)
    yield from (field for field in {**old, **new} if old.get(field) != new.get(field))
    yield from iterate_changed_orders(before, after)


def _fields_of(snapshot: Snapshot) -> dict[str, JsonValue]:
    single = SINGLES.get(snapshot.kind)
    return split_values(values_of(snapshot), frozenset() if single is None else single.divided)


def _builds_on(
    field: str, base: Mapping[str, JsonValue], before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> bool:
    return not field.startswith(STRUCTURE) and builds_on_others(base.get(field), before.get(field), after.get(field))


def _has_place(field: str, values: Mapping[str, JsonValue]) -> bool:
    if not has_value(field, values):
        return False
    match part_of_field(field).split("/"):
        case ["content", _, section, slot, item, _]:
            return f"{_SECTION}{section}" in values and f"{_ITEM}{section}/{slot}/{item}" in values
        case ["content", _, section, _]:
            return f"{_SECTION}{section}" in values
        case [_, "item", section, _, _]:
            return f"{_SECTION}{section}" in values
        case _:
            return True


class _OrderMerge:
    """Merges the orders of two states into another one."""

    def __init__(self, before: Snapshot, after: Snapshot, changed: frozenset[str]) -> None:
        self._before, self._after = orders_of(before), orders_of(after)
        self._changed = changed

    def merge(self, part: str, base: Sequence[str]) -> list[str]:
        """The order that a part has in ``base``, with what was added and moved."""
        before, after = self._before.get(part, []), self._after.get(part, [])
        merged = [*base]
        if part in self._changed:
            moved = iter([each for each in after if each in base])
            merged = [next(moved) if each in after else each for each in base]
        for place, each in enumerate(after):
            if each in before or each in merged:
                continue
            above = next((other for other in reversed(after[:place]) if other in merged), None)
            merged.insert(0 if above is None else merged.index(above) + 1, each)
        return merged


def _build_sections(
    base: Snapshot, after: Snapshot, values: Mapping[str, JsonValue], merge: _OrderMerge
) -> list[SectionSnapshot]:
    models = {each.id: each for each in (*after.sections, *base.sections)}
    contents: dict[str, dict[str, Content]] = {}
    for part, value in values.items():
        match part.split("/"):
            case ["content", locale, section, slot]:
                contents.setdefault(section, {}).setdefault(locale, {})[slot] = value
            case ["content", locale, section, slot, item, field]:
                items = contents.setdefault(section, {}).setdefault(locale, {}).setdefault(slot, {})
                if f"{_ITEM}{section}/{slot}/{item}" in values and isinstance(items, dict):
                    fields = items.setdefault(item, {})
                    if isinstance(fields, dict):
                        fields[field] = value
            case _:
                pass
    latter = {each.id: each for each in after.sections}
    sections: list[SectionSnapshot] = []
    for section in merge.merge(_ORDER, [each.id for each in base.ordered_sections]):
        if f"{_SECTION}{section}" not in values:
            continue
        model, lists = models[section], dict[str, list[str]]()
        for slot in {**model.lists, **(latter[section].lists if section in latter else {})}:
            order = merge.merge(f"{_ORDER}/{section}/{slot}", orders_of(base).get(f"{_ORDER}/{section}/{slot}", []))
            lists[slot] = [item for item in order if f"{_ITEM}{section}/{slot}/{item}" in values]
        update = {"sort_order": len(sections), "lists": lists, "contents": contents.get(section, {})}
        sections.append(model.model_copy(update=update))
    return sections


def _with_texts(base: Snapshot, after: Snapshot, values: Mapping[str, JsonValue]) -> Snapshot:
    texts: dict[str, dict[str, JsonValue]] = {}
    for part, value in values.items():
        match part.split("/"):
            case ["texts", locale, field] if value is not None:
                texts.setdefault(locale, {})[field] = value
            case _:
                pass
    own = texts.pop(base.locale, {})
    translations = {locale: PageTexts.model_validate(each, by_name=True) for locale, each in texts.items()}
    return base.model_copy(
        update={
            "title": own.get("title", ""),
            "slug": own.get("slug", ""),
            "indexing": own.get("indexing", False),
            "meta": MetaSnapshot.model_validate(
                {"title": own.get("meta_title"), "description": own.get("meta_description")}
            ),
            "translations": translations,
            "last_section": max(base.last_section, after.last_section),
            "last_item": max(base.last_item, after.last_item),
        }
    )
