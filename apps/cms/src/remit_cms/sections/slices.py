"""Cuts the sections of a page, or a list of entries, into replies of a bounded size, at the borders between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from remit.errors import InvalidArgumentsError
from remit_cms.models import pluralize
from remit_cms.sections.contents import load_sections
from remit_cms.sections.payloads import SectionView
from remit_cms.storage.parts import STRUCTURE, structure_parts
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page

MAX_READ_TOKENS: Final = 4_000
"""Most tokens of sections or entries in one reply. None is ever cut: one that is larger stands in a reply alone."""
BYTES_PER_TOKEN: Final = 4
"""Bytes of JSON that count as a token."""


@dataclass(frozen=True, slots=True)
class SectionSlice:
    """The sections of one reply. ``next_cursor`` is the id of the section after them; ``following`` counts the rest."""

    sections: list[SectionView]
    total: int
    next_cursor: str | None = None
    following: int = 0

    def describe(self, message: str) -> str:
        """The message of the reply, with what follows it."""
        if self.next_cursor is None:
            return message
        verb = "follows" if self.following == 1 else "follow"
        rest = f"{pluralize(self.following, 'more section')} {verb}"
        return f"{message.rstrip('.')}. {rest}: the rest begins at cursor '{self.next_cursor}'."

    @property
    def shown_ids(self) -> list[str] | None:
        """The ids of the sections; None if they are all that the page has."""
        return None if len(self.sections) == self.total else [section.id for section in self.sections]

    def shown_parts(self, content: Sequence[str] = ()) -> list[str]:
        """The parts of the page that the reply shows, with the parts of content that it shows, if it does.

        The order of sections counts as shown only where all of them are.
        """
        if self.shown_ids is None:
            return [STRUCTURE, *content]
        items = bool(content)
        return [*(part for each in self.shown_ids for part in structure_parts(each, items=items)), *content]


async def load_slice(
    scope: Scope, page: Page, cursor: str | None, *, locale: str | None = None, with_content: bool = True
) -> SectionSlice:
    """The sections of a draft that fit into one reply, as `load_sections` gives them, from a cursor on.

    Raises:
        InvalidArgumentsError: the page has no such section.
    """
    sections = await load_sections(scope, page, locale=locale, with_content=with_content)
    return cut_sections(sections, page.title, cursor)


def cut_sections(sections: Sequence[SectionView], title: str, cursor: str | None) -> SectionSlice:
    """The sections that fit into one reply, from the one whose id is the cursor on, or from the first.

    Raises:
        InvalidArgumentsError: none of the sections of the page with this title has that id.
    """
    ids = [section.id for section in sections]
    if cursor is not None and cursor not in ids:
        raise InvalidArgumentsError(
            f"cursor: '{cursor[:40]}' is not a section of '{title}', or no longer. Read '{title}' again without cursor."
        )
    first = 0 if cursor is None else ids.index(cursor)
    end = first + count_fitting(sections[first:])
    return SectionSlice([*sections[first:end]], len(ids), ids[end] if end < len(ids) else None, len(ids) - end)


def count_fitting(views: Iterable[BaseModel]) -> int:
    """How many of the first views fit into one reply: up to `MAX_READ_TOKENS`, and one at least if there is one."""
    count, left = 0, MAX_READ_TOKENS * BYTES_PER_TOKEN
    for view in views:
        left -= len(view.model_dump_json(by_alias=True).encode()) + 1  # the comma
        if left < 0 and count:
            break
        count += 1
    return count
