"""The parts of a document: texts, structure and contents, each by a name of its own, which is what edits are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.translations import TEXT_FIELDS, item_content

STRUCTURE = "structure"
"""The part that says which sections and items there are, and in which order."""


def text_parts(locales: Iterable[str], *fields: str) -> list[str]:
    """The parts of a page that some of its title, slug and texts for search engines in these locales are, or all."""
    named = [f"/{field}" for field in fields] or [""]
    return [f"texts/{locale}{field}" for locale in locales for field in named]


def content_parts(locales: Iterable[str], section: str = "") -> list[str]:
    """The parts that the content of one section, or of all sections, in these locales is."""
    return [f"content/{locale}/{section}".rstrip("/") for locale in locales]


def structure_parts(section: str, *, items: bool) -> list[str]:
    """The parts that say that there is a section, and which items its lists have in which order."""
    return [f"{STRUCTURE}/{what}/{section}" for what in (("section", "item", "order") if items else ("section",))]


def part_of(path: tuple[str, ...], locale: str) -> str:
    """The part that a path of a page in this locale is."""
    match path:
        case ("order", *rest):
            return "/".join([STRUCTURE, "order", *rest])
        case (field,) if (name := field.replace(" ", "_")) in {*TEXT_FIELDS, "indexing"}:
            return f"texts/{locale}/{name}"
        case (section,):
            return f"{STRUCTURE}/section/{section}"
        case (field, code):
            return f"texts/{code}/{field.replace(' ', '_')}"
        case (section, code, *rest):
            return "/".join([*content_parts([code], section), *rest])
        case _:
            raise ValueError(path)


def iterate_changed_parts(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The parts in which two states differ. An order differs if what both have stands in another one."""
    old, new = values_of(before), values_of(after)
    yield from (part for part in {**old, **new} if old.get(part) != new.get(part))
    yield from iterate_changed_orders(before, after)


def iterate_changed_orders(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The orders in which what both states have stands otherwise."""
    orders = orders_of(after)
    for part, order in orders_of(before).items():
        following = orders.get(part, [])
        if [each for each in order if each in following] != [each for each in following if each in order]:
            yield part


def values_of(snapshot: Snapshot) -> Mapping[str, JsonValue]:
    """The values of a page by the part that each is."""
    values: dict[str, JsonValue] = {f"texts/{snapshot.locale}/indexing": snapshot.indexing}
    for locale, texts in snapshot.texts.items():
        values |= {f"texts/{locale}/{field}": getattr(texts, field) for field in TEXT_FIELDS}
    for section in snapshot.sections:
        values[f"{STRUCTURE}/section/{section.id}"] = section.definition
        for slot, order in section.lists.items():
            values |= {f"{STRUCTURE}/item/{section.id}/{slot}/{item}": True for item in order}
        for locale, content in section.contents.items():
            (place,) = content_parts([locale], section.id)
            for slot, value in content.items():
                if slot not in section.lists:
                    values[f"{place}/{slot}"] = value
                    continue
                for item in section.lists[slot]:
                    parts = item_content(content, slot, item)
                    values |= {f"{place}/{slot}/{item}/{field}": part for field, part in parts.items()}
    return values


def orders_of(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """The orders of a page by the part that each is."""
    sections = snapshot.ordered_sections
    return {
        f"{STRUCTURE}/order": [section.id for section in sections],
        **{f"{STRUCTURE}/order/{each.id}/{slot}": order for each in sections for slot, order in each.lists.items()},
    }
