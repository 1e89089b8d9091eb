"""Says what visitors do not see of a rich text, or not as its author may have meant it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from remit_cms.models import pluralize
from remit_cms.rich_text.markdown import read_tokens, split_lines
from remit_cms.templates.references import parse_reference
from remit_cms.templates.values import url_scheme

if TYPE_CHECKING:
    from markdown_it.token import Token

_TAG: Final = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_MAY_HAVE_SOME: Final = re.compile(
    rf"!\[|\||(?:\]\(|\]:|<)\s*<?(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*:|{_TAG.pattern}", re.IGNORECASE
)
"""What a text has of which a reader would find something: most texts have none, and are not parsed."""
_MAX_NAMED: Final = 3


def find_omissions(markdown: str) -> list[str]:
    """What of a text visitors do not see as it was written, in one phrase each."""
    if not _MAY_HAVE_SOME.search(markdown):
        return []
    tokens = [*read_tokens(markdown)]
    pictures = [token for token in tokens if token.type == "image"]
    addresses = [href for token in tokens if token.type == "link_open" if _is_dead(href := str(token.attrs["href"]))]
    tags = [tag for token in tokens if token.type == "text" for tag in _TAG.findall(token.content)]
    cells = sum(_count_lost_cells(tokens, split_lines(markdown)))
    found = (
        (pictures, f"{pluralize(len(pictures), 'picture')} shown as words: pictures belong in fields for images"),
        (addresses, f"no link to {_name(addresses)}: links begin with https:, mailto:, tel: or /"),
        (tags, f"{_name(tags)} shown as text: format with Markdown"),
        (cells, f"{pluralize(cells, 'cell')} left out, for which their tables have no column"),
    )
    return [phrase for some, phrase in found if some]


_FORMS: Final = {
    "table_open": "a table",
    "bullet_list_open": "a list",
    "ordered_list_open": "a list",
    "heading_open": "headings",
    "blockquote_open": "a quotation",
    "fence": "code",
    "code_block": "code",
}


def describe_form_of_text(markdown: str) -> str | None:
    """What a text has besides paragraphs, such as ``a table``; None if there is nothing else."""
    return next((_FORMS[token.type] for token in read_tokens(markdown) if token.type in _FORMS), None)


def _is_dead(href: str) -> bool:
    return url_scheme(href) is None and parse_reference(href) is None


def _name(values: Sequence[str]) -> str:
    named = [*dict.fromkeys(each[:80] for each in values)]
    return ", ".join(named[:_MAX_NAMED]) + (" …" if len(named) > _MAX_NAMED else "")


def _count_lost_cells(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[int]:
    """For each row of a table, how many cells it has beyond the columns, which are those of the head."""
    from markdown_it.rules_block.table import escapedSplit  # noqa: PLC0415 - loaded already, by the parser

    columns = 0
    for token in tokens:
        if token.type == "table_open":
            columns = 0
        elif token.type == "th_open":
            columns += 1
        elif token.type == "tr_open" and token.map is not None and columns:
            line = lines[token.map[0]].strip(" \t>").removeprefix("|").removesuffix("|")
            yield max(0, len(escapedSplit(line)) - columns)
