"""The sections of a page in replies of a bounded size, cut at the borders between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from remit_cms.sections.contents import view_sections
from remit_cms.sections.payloads import SectionView
from remit_cms.storage.lists import ListSlice, list_items
from remit_cms.storage.parts import STRUCTURE, structure_parts
from remit_cms.storage.readings import Reading
from remit_cms.storage.scope import Scope

SMALL_PAGE: Final = 2_000
"""So many characters of sections, as JSON, are given with a page unasked: to read them one by one would cost more."""

LONG_SECTION: Final = 1_000
"""A section of more characters, as JSON, says in an outline how many it has, so that a reader knows before."""

SectionSlice: TypeAlias = ListSlice[SectionView]
"""The sections of a page that one reply shows."""


def slice_sections(scope: Scope, read: Reading, cursor: str | None, *, with_content: bool) -> SectionSlice:
    """The sections of a draft that fit into one reply, from a cursor on, or from the first.

    Raises:
        InvalidArgumentsError: it is no cursor of the sections of this draft.
    """
    sections, is_default = view_sections(read), read.chain[0] == scope.default_locale
    shown = sections if with_content else [outline(each, 0, is_default=is_default) for each in sections]
    return cut_sections(scope, shown, cursor, "draft", read.snapshot.id)


def cut_sections(scope: Scope, sections: Sequence[SectionView], cursor: str | None, *list_name: object) -> SectionSlice:
    """The sections that fit into one reply, from a cursor on, or from the first.

    Raises:
        InvalidArgumentsError: it is no cursor of this list.
    """
    rest = list_items(scope, cursor, sections, lambda section: section.id, "sections", *list_name)
    return rest.fit(rest.rows)


def count_characters(section: SectionView) -> int:
    """How much a section costs in a reply with its content."""
    return len(section.model_dump_json(by_alias=True))


def outline(section: SectionView, size: int, *, is_default: bool) -> SectionView:
    """A section without its content, with the number of characters that it has as JSON if that is a `LONG_SECTION`.

    What is not translated is told in other languages than the default.
    """
    untranslated = None if is_default else section.untranslated
    characters = size if size > LONG_SECTION else None
    return section.model_copy(
        update={
            "content": None,
            "ref": None,
            "locale_code": None,
            "untranslated": untranslated,
            "characters": characters,
        }
    )


def shown_ids(shown: SectionSlice) -> list[str] | None:
    """The ids of the sections; None if they are all that the page has."""
    return None if len(shown.rows) == shown.total else [section.id for section in shown.rows]


def shown_parts(shown: SectionSlice, content: Sequence[str] = ()) -> list[str]:
    """The parts of the page that a reply shows, with the parts of content that it shows, if it does.

    The order of sections counts as shown only where all of them are.
    """
    ids = shown_ids(shown)
    if ids is None:
        return [STRUCTURE, *content]
    items = bool(content)
    return [*(part for each in ids for part in structure_parts(each, items=items)), *content]
