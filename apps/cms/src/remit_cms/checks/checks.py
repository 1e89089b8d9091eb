"""The checks of a document: each reads one state of it, and says what a careful editor would mend first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from pydantic import JsonValue

from remit_cms.models import name_some
from remit_cms.rich_text.markdown import read_tokens
from remit_cms.settings.contrast import describe_unreadable
from remit_cms.storage.images import iterate_image_slots
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import localize_content, localize_texts
from remit_cms.templates.references import iterate_references
from remit_cms.templates.slots import SlotType, Structure
from remit_cms.templates.values import show_names

_PATH: Final = re.compile(r"\]\([ \t]*<?(/[^\s)>]*)")
_HEADING: Final = re.compile(r"^ {0,3}#", re.MULTILINE)
_TEXTS: Final = (SlotType.TEXT, SlotType.RICH_TEXT)


class Remark(NamedTuple):
    """Where something could be better, and what."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A document as it would be, and what the checks have to know of its site.

    ``chains`` are the languages of the site, each with those that stand in for it. ``dead`` are the links that lead
    nowhere, as `links_of` gives them, with words for them.
    """

    snapshot: Snapshot
    structures: Mapping[str, Structure]
    chains: Mapping[str, tuple[str, ...]]
    dead: Mapping[str, str]


Check: TypeAlias = Callable[[Subject], Iterator[Remark]]


def links_of(snapshot: Snapshot) -> set[str]:
    """The links of a document within its site: ``page:ID`` or ``entry:ID``, or a path."""
    return {link for _, value in _iterate_values(snapshot, {}) for link in _links_in(value)}


def find_dead_links(subject: Subject) -> Iterator[Remark]:
    """Links to what visitors do not see: the link leaves its words, or leads to an error."""
    for where, value in _iterate_values(subject.snapshot, subject.structures):
        for link in dict.fromkeys(_links_in(value)):
            if link in subject.dead:
                yield Remark(where, f"links to {subject.dead[link]}, which visitors do not see")


def find_missing_alt_texts(subject: Subject) -> Iterator[Remark]:
    """Pictures without words for those who do not see them."""
    for where, value in _iterate_values(subject.snapshot, subject.structures):
        for image in iterate_image_slots({where: value}):
            if not image.get("alt"):
                yield Remark(where, "the picture has no alternative text")


def find_missing_translations(subject: Subject) -> Iterator[Remark]:
    """Texts that a language lacks which has others: visitors read them in another language."""
    snapshot = subject.snapshot
    for locale, chain in subject.chains.items():
        if locale == snapshot.locale or locale not in snapshot.languages:
            continue
        texts = localize_texts(snapshot.texts, chain)
        has_title = snapshot.kind in (Kind.PAGE, Kind.ENTRY)  # that of settings or a navigation is not shown
        missing = ["title"] if has_title and _is_foreign(texts.untranslated.get("title", locale), locale) else []
        for section in snapshot.ordered_sections:
            shown = localize_content(section.contents, chain, section.lists)
            kinds = _kinds_of(subject.structures.get(section.definition))
            foreign = {
                key: source
                for key, source in shown.untranslated.items()
                if kinds.get(key.rpartition(".")[2]) in _TEXTS and _is_foreign(source, locale)
            }
            structure = subject.structures.get(section.definition, Structure(rows=()))
            missing += [f"{section.definition} / {key}" for key in show_names(structure, foreign)]
        if missing:
            yield Remark(f"translation {locale}", f"missing: {name_some(missing)}")


def find_low_contrast(subject: Subject) -> Iterator[Remark]:
    """Colours of a theme in which texts can hardly be read."""
    if subject.snapshot.kind == Kind.SETTINGS:
        for where, value in _iterate_values(subject.snapshot, subject.structures):
            if where.endswith("/ theme") and isinstance(value, dict):
                colours = {name: colour for name, colour in value.items() if isinstance(colour, str)}
                yield from (Remark("theme", text) for text in describe_unreadable(colours))


def find_skipped_headings(subject: Subject) -> Iterator[Remark]:
    """Headings that skip a level, as ``####`` after ``##``: visitors read them as one level lower."""
    for where, value in _iterate_values(subject.snapshot, subject.structures):
        for text in _texts_in(value):
            if not _HEADING.search(text):
                continue
            levels = [int(token.tag[1:]) for token in read_tokens(text) if token.type == "heading_open"]
            if any(after > before + 1 for before, after in pairwise(levels)):
                yield Remark(where, "a heading skips a level")


CHECKS: Final[Collection[Check]] = (
    find_dead_links,
    find_missing_alt_texts,
    find_missing_translations,
    find_low_contrast,
    find_skipped_headings,
)
"""All checks, in the order in which people read what they find."""


def _iterate_values(snapshot: Snapshot, structures: Mapping[str, Structure]) -> Iterator[tuple[str, JsonValue]]:
    """The values of a document, each with its place; ``structures`` know what people call its fields."""
    for section in snapshot.ordered_sections:
        structure = structures.get(section.definition, Structure(rows=()))
        for locale, content in section.contents.items():
            where = section.definition if locale == snapshot.locale else f"{section.definition} ({locale})"
            yield from ((f"{where} / {key}", value) for key, value in show_names(structure, content).items())


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
