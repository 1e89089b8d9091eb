"""Mutants of the figure about replies of writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from figures.cms_replies import SAMPLE, measure_replies
from figures.figure import Figure
from figures.mutants.mutant import edited, mutants_of

_SECTIONS: Final = "remit_cms.sections.sections:Sections"


def _measure() -> Iterator[Figure]:
    yield measure_replies(SAMPLE)


MUTANTS: Final = mutants_of(
    "cms.reply_characters",
    {
        "the reply to a write repeats the section": edited(
            f"{_SECTIONS}.update_section_content", 'f"Updated {label}"', 'f"Updated {label}: {payload.content}"'
        ),
        "the reply to a new section repeats what it says": edited(
            f"{_SECTIONS}.add_section_to_page",
            "to page '{page.title}'",
            "to page {payload.content}",
        ),
        "the reply to a new item repeats the list": edited(
            "remit_cms.sections.listing:_save", "{pluralize(len(items), 'item')}", "{items}"
        ),
    },
    _measure,
)
