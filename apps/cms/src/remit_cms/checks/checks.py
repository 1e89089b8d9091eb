"""The checks of a document: each reads one state of it, and says what a careful editor would mend first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from pydantic import JsonValue

from remit_cms.models import name_some
from remit_cms.rich_text.markdown import read_tokens
from remit_cms.settings.contrast import describe_unreadable
from remit_cms.storage.differences import PlacedValue, iterate_values
from remit_cms.storage.images import iterate_image_slots
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import localize_content, localize_texts
from remit_cms.templates.references import iterate_references
from remit_cms.templates.slots import SlotType, Structure

_PATH: Final = re.compile(r"\]\([ \t]*<?(/[^\s)>]*)")
_HEADING: Final = re.compile(r"^ {0,3}#", re.MULTILINE)
_LANGUAGE: Final = re.compile(r" \([\w-]+\)$")
"""What a place ends with that has a language."""
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_TEXTS: Final = (SlotType.TEXT, SlotType.RICH_TEXT)


class Remark(NamedTuple):
    """Where something could be better, and what."""

    where: str
    text: str


@dataclass(frozen=True)
class Subject:
    """A document as it would be, and what the checks have to know of its site.

    ``chains`` are the languages of the site, each with those that stand in for it. ``dead`` are the links that lead
    nowhere, as `links_of` gives them, with words for them. ``live`` is what visitors see of the document now: what does
    not change is not remarked on.
    """

    snapshot: Snapshot
    structures: Mapping[str, Structure]
    chains: Mapping[str, tuple[str, ...]]
    dead: Mapping[str, str]
    live: Snapshot | None = None

    @cached_property
    def changed(self) -> list[PlacedValue]:
        """The values that visitors do not see yet."""
        seen = {} if self.live is None else {each.path: each.value for each in iterate_values(self.live)}
        values = iterate_values(self.snapshot, self.structures)
        return [each for each in values if each.path not in seen or seen[each.path] != each.value]

    @cached_property
    def changed_fields(self) -> frozenset[tuple[str, ...]]:
        """Their paths without the language."""
        return frozenset(_without_language(each.path) for each in self.changed)


Check: TypeAlias = Callable[[Subject], Iterator[Remark]]


def links_of(subject: Subject) -> set[str]:
    """The links within its site that a document gets: ``page:ID`` or ``entry:ID``, or a path."""
    return {link for each in subject.changed for link in _links_in(each.value)}


def find_dead_links(subject: Subject) -> Iterator[Remark]:
    """Links to what visitors do not see: the link leaves its words, or leads to an error."""
    for each in subject.changed:
        for link in dict.fromkeys(_links_in(each.value)):
            if link in subject.dead:
                yield Remark(each.where, f"links to {subject.dead[link]}, which visitors do not see")


def find_missing_alt_texts(subject: Subject) -> Iterator[Remark]:
    """Pictures without words for those who do not see them."""
    for each in subject.changed:
        for image in iterate_image_slots({each.where: each.value}):
            if not image.get("alt"):
                yield Remark(each.where, "the picture has no alternative text")


def find_missing_translations(subject: Subject) -> Iterator[Remark]:
    """Texts that a language lacks which has others: visitors read them in another language."""
    snapshot = subject.snapshot
    for locale, chain in subject.chains.items():
        if locale == snapshot.locale or locale not in snapshot.languages:
            continue
        is_new = subject.live is None or locale not in subject.live.languages
        places = {_without_language(each.path): each.where for each in iterate_values(snapshot, subject.structures)}
        missing = [
            _LANGUAGE.sub("", places.get(path, path[-1]))
            for path in _iterate_foreign(subject, locale, chain)
            if is_new or path in subject.changed_fields
        ]
        if missing:
            yield Remark(f"translation {locale}", f"missing: {name_some(missing)}")


def _iterate_foreign(subject: Subject, locale: str, chain: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The texts that readers of a language read in another one, by path without a language."""
    snapshot = subject.snapshot
    texts = localize_texts(snapshot.texts, chain)
    has_title = snapshot.kind in (Kind.PAGE, Kind.ENTRY)  # that of settings or a navigation is not shown
    if has_title and _is_foreign(texts.untranslated.get("title", locale), locale):
        yield ("title",)
    for section in snapshot.ordered_sections:
        shown = localize_content(section.contents, chain, section.lists)
        kinds = _kinds_of(subject.structures.get(section.definition))
        for key, source in shown.untranslated.items():
            if kinds.get(key.rpartition(".")[2]) in _TEXTS and _is_foreign(source, locale):
                yield (section.id, *key.split("."))


def find_numbers_left(subject: Subject) -> Iterator[Remark]:
    """Texts whose numbers change in one language alone, such as prices and times."""
    if subject.live is None:
        return
    seen = {each.path: each.value for each in iterate_values(subject.live)}
    values = {each.path: each.value for each in iterate_values(subject.snapshot)}
    for each in subject.changed:
        before = seen.get(each.path)
        if not _language_of(each.path) or before is None or {*_numbers_in(before)} == {*_numbers_in(each.value)}:
            continue
        field = _without_language(each.path)
        left = [
            _language_of(path)
            for path, value in values.items()
            if path != each.path and _without_language(path) == field and value and seen.get(path) == value
        ]
        if left:
            yield Remark(each.where, f"other numbers than before, and the text in {name_some(left)} stays as it was")


def find_low_contrast(subject: Subject) -> Iterator[Remark]:
    """Colours of a theme in which texts can hardly be read."""
    if subject.snapshot.kind == Kind.SETTINGS:
        for each in subject.changed:
            if each.path[-1] == "theme" and isinstance(each.value, dict):
                colours = {name: colour for name, colour in each.value.items() if isinstance(colour, str)}
                yield from (Remark("theme", text) for text in describe_unreadable(colours))


def find_skipped_headings(subject: Subject) -> Iterator[Remark]:
    """Headings that skip a level, as ``####`` after ``##``: visitors read them as one level lower."""
    for each in subject.changed:
        for text in _texts_in(each.value):
            if not _HEADING.search(text):
                continue
            levels = [int(token.tag[1:]) for token in read_tokens(text) if token.type == "heading_open"]
            if any(after > before + 1 for before, after in pairwise(levels)):
                yield Remark(each.where, "a heading skips a level")


CHECKS: Final[Collection[Check]] = (
    find_dead_links,
    find_missing_alt_texts,
    find_missing_translations,
    find_numbers_left,
    find_low_contrast,
    find_skipped_headings,
)
"""All checks, in the order in which people read what they find."""


def _language_of(path: tuple[str, ...]) -> str:
    """The language of a path; empty if it has none."""
    return path[1] if len(path) > 1 else ""


def _without_language(path: tuple[str, ...]) -> tuple[str, ...]:
    return (path[0], *path[2:])


def _numbers_in(value: JsonValue) -> Iterator[str]:
    return (number for text in _texts_in(value) for number in _NUMBER.findall(text))


def _walk(value: JsonValue) -> Iterator[JsonValue]:
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _walk(part)


def _texts_in(value: JsonValue) -> Iterator[str]:
    return (each for each in _walk(value) if isinstance(each, str))


def _links_in(value: JsonValue) -> Iterator[str]:
    for reference in iterate_references(value):
        yield f"{reference.kind}:{reference.id}"
    for part in _walk(value):
        if isinstance(part, str):
            yield from _PATH.findall(part)
        elif isinstance(part, dict):
            url = part.get("url")
            if isinstance(url, str) and url.startswith("/"):
                yield url


def _kinds_of(structure: Structure | None) -> dict[str, SlotType]:
    """The types of fields by key, with those of the items of lists."""
    slots = () if structure is None else structure.slots
    return {field.key: field.type for slot in slots for field in (slot, *slot.fields)}


def _is_foreign(source: str, locale: str) -> bool:
    """Whether readers of a language read another one: ``de`` is none to readers of ``de-AT``."""
    return source.partition("-")[0] != locale.partition("-")[0]
