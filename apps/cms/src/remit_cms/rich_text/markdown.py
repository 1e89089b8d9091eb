"""Reads Markdown as visitors shall see it: text that CommonMark drops stays, what could harm visitors goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from remit_cms.rich_text.bare_addresses import BareAddresses
from remit_cms.templates.values import url_scheme

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_ALIGNED: Final = re.compile(r"text-align:(left|center|right)")
_LINE_END: Final = re.compile(r"\r\n?|\n")
_LAST_LEVEL: Final = 6
_SHORT_CELL: Final = 12
"""So many characters of a cell stay in one line."""


class _Definitions(dict[str, Any]):
    """The definitions of addresses, ``[name]: /address``, and the names of those that a link has asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def get(self, key: str, default: object = None) -> Any:
        self.used.add(key)
        return super().get(key, default)


def parse_markdown(markdown: str, top: int = 2) -> list[Token]:
    """The tokens of a text that visitors may see. Its highest headings become those of level ``top``.

    A definition that no link uses stays a paragraph, and so does a footnote. A link that leads to nothing that visitors
    may open leaves its words, and a picture its alternative text.
    """
    definitions = _Definitions()
    found = _make_parser().parse(markdown, {"references": definitions})
    lines = split_lines(markdown)
    tokens = [each for token in found for each in _show_definition(token, definitions, lines)]
    _set_levels(tokens, top)
    for cell, text in pairwise(tokens):
        _class_cell(cell, text)
    for token in tokens:
        if token.children:
            token.children = _without_dead_links([_without_picture(part) for part in token.children])
    return [*_without_empty_paragraphs(tokens)]


def split_lines(markdown: str) -> list[str]:
    """The lines of a text as the parser counts them."""
    return _LINE_END.split(markdown)


def write_html(tokens: Sequence[Token]) -> str:
    """The HTML of tokens. Whatever it holds of others is escaped, and not cleaned yet."""
    parser = _make_parser()
    return str(parser.renderer.render(tokens, parser.options, {}))


def read_tokens(markdown: str) -> Iterator[Token]:
    """The tokens of a text as its author wrote it, with those inside of others."""
    for token in _make_parser().parse(markdown):
        yield token
        yield from token.children or ()


@cache
def _make_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 60 modules, needed by rendering alone
    from markdown_it.rules_block import reference  # noqa: PLC0415 - likewise

    class Parser(MarkdownIt):
        """A parser that shows addresses as they were written."""

        def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - its name there
            return link

    def define(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - its parameters there
        """Read a definition. Footnotes look like definitions, and are text."""
        if state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
            return False
        return reference(state, start, end, silent)

    options = {"html": False, "breaks": True, "linkify": True, "inline_definitions": True}
    parser = Parser("commonmark", options).enable(["table", "strikethrough", "linkify"])
    parser.linkify = BareAddresses()  # its rules need no more of it
    parser.block.ruler.at("reference", define)
    return parser


def _show_definition(token: Token, definitions: _Definitions, lines: Sequence[str]) -> Iterator[Token]:
    """The token itself; of a definition that no link uses, a paragraph with what was written."""
    if token.type != "definition":
        yield token
        return
    start, end = token.map or (0, 0)
    name = str(token.meta["id"])
    if name not in definitions.used or definitions[name]["map"] != token.map:
        first, *more = lines[start:end]
        text = "\n".join([first[first.index("[") :], *(each.lstrip(" \t>") for each in more)])
        yield from _make_parser().parse(f"\\{text}", {})


def _set_levels(tokens: Sequence[Token], top: int) -> None:
    """Give headings the levels that they have as an outline below the headings around the text."""
    open_levels: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
            open_levels = [*(each for each in open_levels if each < level), level]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(top + len(open_levels) - 1, _LAST_LEVEL)}"


def _class_cell(cell: Token, text: Token) -> None:
    """Say by classes how a cell of a table is set, since the policy of documents allows no styles of single elements.

    One with few letters, such as a price, has its own class, so that a narrow screen does not break it.
    """
    if cell.type in ("th_open", "td_open"):
        aligned = _ALIGNED.fullmatch(str(cell.attrs.pop("style", "")))
        classes = [aligned[1]] if aligned else []
        if text.content and len(text.content) <= _SHORT_CELL:
            classes.append("short")
        if classes:
            cell.attrSet("class", " ".join(classes))


def _without_picture(token: Token) -> Token:
    """A picture as the words in its place: a browser would load it from anywhere."""
    if token.type == "image":
        from markdown_it.renderer import RendererHTML  # noqa: PLC0415 - loaded already, by the parser

        words = RendererHTML().renderInlineAsText(token.children, _make_parser().options, {})
        token.type, token.content = "text", words
    return token


def _without_dead_links(tokens: Sequence[Token]) -> list[Token]:
    """Tokens without links that lead to nothing, such as to a page that visitors do not see, or that have no words.

    The words of a link stay.
    """
    kept: list[Token] = []
    start = 0
    for token in tokens:
        if token.type == "link_open":
            start = len(kept)
        kept.append(token)
        if token.type == "link_close":
            words = kept[start + 1 : -1]
            if url_scheme(str(kept[start].attrs["href"])) is None or not any(each.content.strip() for each in words):
                kept[start:] = words
    return kept


def _without_empty_paragraphs(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tokens without paragraphs of which nothing is left."""
    is_empty = False
    for place, token in enumerate(tokens):
        if token.type == "paragraph_open":
            parts = tokens[place + 1].children or ()
            is_empty = not any(each.type == "code_inline" or each.content.strip() for each in parts)
        if not is_empty:
            yield token
        if token.type == "paragraph_close":
            is_empty = False
