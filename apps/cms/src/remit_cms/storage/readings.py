"""Readings: states of documents as a reader of a language sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remit_cms.models import Content
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot, build_snapshot, build_snapshots, load_structures_of
from remit_cms.storage.tables import Page
from remit_cms.storage.translations import PageTexts, localize_texts, read_content
from remit_cms.templates.slots import Structure


@dataclass(frozen=True, slots=True)
class SectionReading:
    """A section as a reader sees it: nothing of one whose type is gone, so that it is not ``is_known``.

    ``untranslated`` names the fields that fell back, with the language of each.
    """

    section: SectionSnapshot
    structure: Structure
    content: Content
    untranslated: Mapping[str, str]
    is_known: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A state of a document as a reader sees it, whose language is the first of ``chain``.

    ``untranslated`` names the texts that fell back, with the language of each. Sections are in order.
    """

    snapshot: Snapshot
    chain: Sequence[str]
    texts: PageTexts
    untranslated: Mapping[str, str]
    sections: Sequence[SectionReading]

    @property
    def title(self) -> str:
        """The title."""
        return self.texts.title or ""

    @property
    def slug(self) -> str:
        """The address in the draft, without the language."""
        return self.texts.slug or ""

    @property
    def content(self) -> Content:
        """The values of an entry, which stand in its one section."""
        return self.sections[0].content if self.sections else {}

    @property
    def known_sections(self) -> list[SectionReading]:
        """The sections without those whose type is gone."""
        return [each for each in self.sections if each.is_known]


async def read_states(scope: Scope, states: Sequence[Snapshot], locale: str) -> list[Reading]:
    """States of documents in a language, with one look for the types of all."""
    chain, structures = scope.fallback_chain(locale), await load_structures_of(scope, *states)
    return [
        Reading(
            state,
            chain,
            *localize_texts(state.texts, chain),
            [read_section(each, structures.get(each.definition), chain) for each in state.ordered_sections],
        )
        for state in states
    ]


async def read_state(scope: Scope, state: Snapshot, locale: str) -> Reading:
    """One state in a language."""
    (reading,) = await read_states(scope, [state], locale)
    return reading


async def read_draft(scope: Scope, page: Page, locale: str) -> Reading:
    """The draft of a document in a language."""
    return await read_state(scope, await build_snapshot(scope, page), locale)


async def read_drafts(scope: Scope, pages: Iterable[Page], locale: str) -> list[Reading]:
    """The drafts of documents in a language."""
    return await read_states(scope, await build_snapshots(scope, [*pages]), locale)


def read_section(section: SectionSnapshot, structure: Structure | None, chain: Sequence[str]) -> SectionReading:
    """One section, whose type has this structure; None if the type is gone."""
    fields = structure or Structure(rows=())
    content, untranslated = read_content(fields, section.contents, chain, section.lists)
    return SectionReading(section, fields, content, untranslated, is_known=structure is not None)
