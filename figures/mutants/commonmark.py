"""Mutants of the figure about the examples of CommonMark."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_MARKDOWN: Final = "remit_cms.rich_text.markdown"

MUTANTS: Final = mutants_of(
    "cms.commonmark",
    {
        "one sign becomes another": edited(
            "remit_cms.rich_text.html:render_rich_text",
            "parse_markdown(markdown, top)",
            'parse_markdown(markdown.replace(".", "\\u2026"), top)',
        ),
        "a picture loses its words": edited(f"{_MARKDOWN}:_without_picture", '"text", words', '"text", ""'),
        "a definition that a link uses is shown too": edited(
            f"{_MARKDOWN}:_show_definition", "if name not in definitions.used or", "if True or"
        ),
        "a definition that no link uses is dropped": edited(
            f"{_MARKDOWN}:_show_definition", "if name not in definitions.used or", "if False and"
        ),
        "links become text": edited(f"{_MARKDOWN}:_without_dead_links", " is None or not any(", " is not None or any("),
        "code of spaces is left out": edited(
            f"{_MARKDOWN}:_without_empty_paragraphs", 'each.type == "code_inline" or ', ""
        ),
    },
)
