"""Differences between two states of a page, and the names of its places, as people read them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from pydantic import JsonValue, PrivateAttr

from remit_cms.models import Content, View
from remit_cms.storage.singles import ITEMS
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import TEXT_FIELDS, item_content
from remit_cms.templates.image_values import FOCAL_POINT, find_focal_point
from remit_cms.templates.slots import Structure, shown_key
from remit_cms.templates.values import iterate_texts

_EXCERPT = 400
"""Most characters of a value in a difference. Who approves it reads its whole values."""

_TITLE = 40
"""Most characters of a text that stands for an item."""

_INITIAL = "as uploaded"
"""What is said of an image in a slot without a focal point of its own."""

_NAMED_SECTIONS = {Kind.PAGE.value: "section", **{kind: each.item.noun for kind, each in ITEMS.items()}}
"""The kinds of documents whose sections come and go, and what one is called."""

_IMAGE_WORDS = {
    "alt": "alternative text",
    "caption": "caption",
    "name": "name",
    "focalX": "focal point from the left",
    "focalY": "focal point from the top",
}
"""What people call the values of an image."""

_UNKNOWN: Mapping[str, Structure] = {}

NEW_SECTIONS = frozenset(_NAMED_SECTIONS.values())
"""What a difference shows of a section or item of a document that is new as a whole."""

_ORDERED = frozenset([Kind.PAGE, *(kind for kind, each in ITEMS.items() if each.is_ordered)])
"""The kinds of documents of which a reader is told where a new section or item stands."""


class Difference(View):
    """One place in which two revisions of a page differ. An empty text stands for no value.

    A text may look like JSON, and long ones are cut: `values` has what they show.
    """

    where: str
    before: str
    after: str
    _values: tuple[JsonValue, JsonValue] | None = PrivateAttr(default=None)

    @property
    def values(self) -> tuple[JsonValue, JsonValue]:
        """What ``before`` and ``after`` show, uncut: a text, or another value that is shown as JSON."""
        return self._values or (self.before, self.after)

    def with_values(self, before: JsonValue, after: JsonValue) -> Difference:
        """The same difference between these values."""
        copy = self.model_copy()
        copy._values = (before, after)
        return copy


class PathDifference(NamedTuple):
    """A difference with its path: that of a value, or of an order. ``is_whole`` says that it cuts nothing of after."""

    path: tuple[str, ...]
    difference: Difference
    is_whole: bool


class PlacedValue(NamedTuple):
    """A value of a page with its path, and its place as people read it."""

    path: tuple[str, ...]
    where: str
    value: JsonValue


def compare_snapshots(
    before: Snapshot | None, after: Snapshot | None, structures: Mapping[str, Structure] = _UNKNOWN
) -> list[Difference]:
    """Every difference between two states of a page, in the order of the page; None is no page.

    ``structures`` are the types of their sections, by key. Who shows the differences gives them: fields are called what
    people call them now, and otherwise by their keys.
    """
    return [each.difference for each in compare_paths(before, after, structures)]


def compare_paths(
    before: Snapshot | None, after: Snapshot | None, structures: Mapping[str, Structure] = _UNKNOWN
) -> list[PathDifference]:
    """The same with their paths. The order of sections has the path ``("order",)``, that of a list its slot too."""
    old, new = dict(_iterate_values(before)), dict(_iterate_values(after))
    types = {**_types_of(before, structures), **_types_of(after, structures)}
    names = {**_section_names(before), **_section_names(after)}
    if before is None and new.get(("indexing",)) is True:
        del new["indexing",]  # search engines find a new page, unless it says otherwise
    if before is not None:
        new |= _describe_places(before, after, names)
    paths = {**new, **old}
    differences = [
        _compare_values(path, _place_of(path, names, paths, types), old.get(path), new.get(path))
        for path in paths
        if old.get(path) != new.get(path)
    ]
    differences += _compare_items(before, after, names, types)
    return [*differences, *_compare_order(before, after, names)]


def _compare_order(
    before: Snapshot | None, after: Snapshot | None, names: Mapping[str, str]
) -> Iterator[PathDifference]:
    """The order of the sections that both states have, if it is another one."""
    old, new = ([section.id for section in _sections(each)] for each in (before, after))
    former, order = _shared(old, new), _shared(new, old)
    if former != order:
        first, second = (", ".join(names[section] for section in each) for each in (former, order))
        difference = Difference(where="order of sections", before=first, after=second)
        yield PathDifference(("order",), difference, is_whole=True)


def _describe_places(
    before: Snapshot, after: Snapshot | None, names: Mapping[str, str]
) -> dict[tuple[str, ...], JsonValue]:
    """Where each new section or item stands, by its path: after another one, or at the top."""
    former, described = {section.id for section in _sections(before)}, dict[tuple[str, ...], JsonValue]()
    above = ""
    for section in _sections(after):
        if section.id not in former and after is not None and after.kind in _ORDERED:
            place = f"after {above}" if above else "at the top"
            described[section.id,] = f"{_NAMED_SECTIONS[after.kind]} {place}"
        above = names[section.id]
    return described


def _compare_items(
    before: Snapshot | None, after: Snapshot | None, names: Mapping[str, str], types: Mapping[str, Structure]
) -> list[PathDifference]:
    """The lists whose items stand in another order."""
    if after is None:
        return []
    old = {(each.id, slot): order for each in _sections(before) for slot, order in each.lists.items()}
    return [
        _make_difference(
            ("order", each.id, slot),
            f"{names[each.id]} / order of {_show_path(types.get(each.id), slot)}".removeprefix(" / "),
            *(", ".join(titles[item] for item in items) for items in orders),
        )
        for each in _sections(after)
        for slot, order in each.lists.items()
        if (former := old.get((each.id, slot)))
        for orders in [(_shared(former, order), _shared(order, former))]
        if orders[0] != orders[1]
        for titles in [_item_titles(each.contents.get(after.locale, {}), slot, order)]
    ]


def _compare_values(path: tuple[str, ...], where: str, old: JsonValue, new: JsonValue) -> PathDifference:
    """The difference between two values at a place. Of an image it may be the focal point alone, said in words."""
    if isinstance(old, dict) and isinstance(new, dict) and _is_cropped_otherwise(old, new):
        section, slash, slot = where.rpartition("/ ")
        points = (_describe_focal_point(old), _describe_focal_point(new))
        cropped = _make_difference(path, f"{section}{slash}focal point of {slot}", *points)
        return cropped._replace(is_whole=False)  # the texts of the image are not shown
    made = _make_difference(path, where, to_text(old), to_text(new))
    return made._replace(difference=made.difference.with_values(old, new))


def _is_cropped_otherwise(old: Content, new: Content) -> bool:
    """Whether two slots show the same image with the same texts, and differ in the focal point alone."""
    rest, other = ({key: each for key, each in slot.items() if key not in FOCAL_POINT} for slot in (old, new))
    return "imageId" in rest and rest == other


def _describe_focal_point(slot: Content) -> str:
    point = find_focal_point(slot)
    return f"{point[0]}/{point[1]}" if point else _INITIAL


def _make_difference(path: tuple[str, ...], where: str, before: str, after: str) -> PathDifference:
    first, second = _excerpts(before, after)
    difference = Difference(where=where, before=first, after=second).with_values(before, after)
    return PathDifference(path, difference, is_whole=second == after)


def _shared(items: list[str], others: list[str]) -> list[str]:
    return [item for item in items if item in others]


def _item_titles(content: Content, slot: str, items: list[str]) -> dict[str, str]:
    """The beginning of the first text of each item, in quotes; its id if it has none or another one begins alike."""
    titles = {
        item: next(
            (title for text in iterate_texts(item_content(content, slot, item)) if (title := _to_title(text))), ""
        )
        for item in items
    }
    several = Counter(titles.values())
    return {item: f"'{title}'" if title and several[title] == 1 else item for item, title in titles.items()}


def list_fields(differences: list[Difference]) -> list[str]:
    """The fields of a page in which states differ, as changes name them."""
    whole = {"title", "slug", "indexing"}
    fields = [
        word if word in whole or word == "meta" else "sections"
        for each in differences
        for word in [each.where.split(" ")[0] if " / " not in each.where else ""]
    ]
    return [*dict.fromkeys(fields)]


def iterate_places(
    snapshot: Snapshot, structures: Mapping[str, Structure] = _UNKNOWN
) -> Iterator[tuple[str, JsonValue]]:
    """The values of a page, each with its place as people read it; ``structures`` are its types, by key."""
    return ((each.where, each.value) for each in iterate_values(snapshot, structures))


def iterate_values(snapshot: Snapshot, structures: Mapping[str, Structure] = _UNKNOWN) -> Iterator[PlacedValue]:
    """The same with the paths that `compare_paths` gives."""
    names, types = _section_names(snapshot), _types_of(snapshot, structures)
    values = dict(_iterate_values(snapshot))
    for path, value in values.items():
        yield PlacedValue(path, _place_of(path, names, values, types), value)


def _sections(snapshot: Snapshot | None) -> list[SectionSnapshot]:
    return [] if snapshot is None else snapshot.ordered_sections


def _iterate_values(snapshot: Snapshot | None) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """The values of a page by their path: a field, field and locale, a section, or section, locale and slot."""
    if snapshot is None:
        return
    if snapshot.kind in (Kind.PAGE, Kind.ENTRY):
        yield ("title",), snapshot.title
        yield ("slug",), snapshot.slug
        yield ("indexing",), snapshot.indexing
        yield ("meta title",), snapshot.meta.title
        yield ("meta description",), snapshot.meta.description
    for locale, texts in sorted(snapshot.translations.items()):
        for field in TEXT_FIELDS:
            yield (field.replace("_", " "), locale), getattr(texts, field)
    for section in _sections(snapshot):
        if snapshot.kind in _NAMED_SECTIONS:
            yield (section.id,), _NAMED_SECTIONS[snapshot.kind]
        for locale, content in sorted(section.contents.items()):
            for slot, value in content.items():
                if slot in section.lists:
                    for item in section.lists[slot]:
                        for field, part in item_content(content, slot, item).items():
                            yield (section.id, locale, slot, item, field), part
                else:
                    yield (section.id, locale, slot), value


def _section_names(snapshot: Snapshot | None) -> dict[str, str]:
    """What a reader calls each section: its template, with a number if the page has several; and values of images."""
    sections = _sections(snapshot)
    if snapshot is not None and snapshot.kind in ITEMS:
        slot = ITEMS[snapshot.kind].naming_slot
        return {each.id: f"'{each.contents.get(snapshot.locale, {}).get(slot, '')}'" for each in sections}
    if snapshot is not None and snapshot.kind != Kind.PAGE:
        words = _IMAGE_WORDS if snapshot.kind == Kind.IMAGE else {}
        return {**words, **{section.id: "" for section in sections}}
    several = Counter(section.definition for section in sections)
    seen = Counter[str]()
    names: dict[str, str] = {}
    for section in sections:
        seen[section.definition] += 1
        number = f" {seen[section.definition]}" if several[section.definition] > 1 else ""
        names[section.id] = f"{section.definition}{number}"
    return names


def _types_of(snapshot: Snapshot | None, structures: Mapping[str, Structure]) -> dict[str, Structure]:
    """The types of sections, by section."""
    return {each.id: structures[each.definition] for each in _sections(snapshot) if each.definition in structures}


def _show_path(structure: Structure | None, slot: str, *inside: str) -> str:
    return " ".join((slot, *inside) if structure is None else structure.shown_path(slot, *inside))


def _place_of(
    path: tuple[str, ...],
    names: Mapping[str, str],
    paths: Container[tuple[str, ...]],
    types: Mapping[str, Structure],
) -> str:
    """A place as people read it; ``paths`` are all that there are."""
    section, *rest = path
    if not rest:
        return names.get(section, section)
    if len(rest) == 1:
        return f"{section} ({rest[0]})"
    locale, slot, *inside = rest
    if slot in names:  # a value of an image, which has one language
        return names[slot]
    if section not in types:
        slot = shown_key(slot, {"text"} if (section, locale, "text") in paths else ())
    return f"{names[section]} / {_show_path(types.get(section), slot, *inside)} ({locale})".removeprefix(" / ")


def _to_title(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _TITLE else f"{words[: _TITLE - 1].rstrip()}…"


def to_text(value: JsonValue) -> str:
    """A value as it is stored: a text, or JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts, or if one is long, both from shortly before the first difference."""
    if max(len(before), len(after)) <= _EXCERPT:
        return before, after
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    start = max(0, len(list(shared)) - 40)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    end = start + _EXCERPT
    rest = f"… ({len(text):,} characters)" if len(text) > end else ""
    return f"{'…' if start and text else ''}{text[start:end]}{rest}"
