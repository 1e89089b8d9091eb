"""Mutants of the figure about looking one section up."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_SECTION: Final = "remit_cms.sections.sections:Sections.get_section_content"
_CONTENT: Final = "await load_section(scope, section, definition, locale)"

MUTANTS: Final = mutants_of(
    "cms.granular_ratio",
    {
        "a page is read with its content, though nobody asked for it": edited(
            "remit_cms.pages.reading:show_page", "payload.include_content or sum(sizes) <= SMALL_PAGE", "True"
        ),
        "a read of one section shows the whole page": edited(
            _SECTION,
            "of page '{page.title}' in {locale}",
            "of page '{page.title}' in {locale}: {await read_draft(scope, page, locale)}",
        ),
        "a read of one section says its texts twice": edited(
            _SECTION, "of page '{page.title}' in {locale}", f"of page '{{page.title}}': {{({_CONTENT}).content}}"
        ),
        "each section of a page without content says how long it is, and has it too": edited(
            "remit_cms.sections.slices:outline", '"content": None', '"content": section.content'
        ),
    },
)
