"""The examples of CommonMark as rich text: each has the HTML of the specification, or a reason why not.

An example is compared if it has no HTML, which rich text shows as text. What holds for all texts is no difference:
headings have the levels of an outline below the page's title, line breaks stay, links have a ``rel``, code no language,
and pictures are their alternative texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt

from figures.commonmark_differences import DIFFERENCES
from figures.figure import Figure, no_violations
from remit_cms.rich_text.html import render_rich_text
from tests.commonmark import Example, load_examples

if TYPE_CHECKING:
    from markdown_it.token import Token

_NOT_SHOWN: Final = {"html_block", "html_inline"}
_BLOCKS: Final = {"p", "h", "ul", "ol", "li", "blockquote", "pre", "hr"}


class _Reader(HTMLParser):
    """Reads HTML as parts that are equal where two documents say the same. A picture is the words in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[str, ...]] = []
        self._in_code_block = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_code_block |= tag == "pre"
        if tag in ("br", "img"):
            self.handle_data("\n" if tag == "br" else dict(attrs).get("alt") or "")
        else:
            values = [f"{name}={value}" for name, value in attrs if name not in ("rel", "class")]
            self.parts.append(("open", _name(tag), *sorted(values)))

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        self._in_code_block &= tag != "pre"
        self.parts.append(("close", _name(tag)))

    def handle_data(self, data: str) -> None:
        before = self.parts.pop()[1] if self.parts and self.parts[-1][0] == "text" else ""
        text = f"{before}{data}"
        self.parts.append(("text", text if self._in_code_block else re.sub("\n+", "\n", text)))


def _name(tag: str) -> str:
    return "h" if tag[0] == "h" and tag[1:].isdigit() else tag


def _without_space(parts: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The parts without line breaks beside the tags of blocks."""
    edge = ("edge", "p")
    for before, part, after in zip([edge, *parts], parts, [*parts[1:], edge], strict=False):
        if part[0] != "text":
            yield part
            continue
        text = part[1].lstrip("\n") if before[1] in _BLOCKS else part[1]
        text = text.rstrip("\n") if after[1] in _BLOCKS else text
        if text:
            yield ("text", text)


def read_html(html: str) -> list[tuple[str, ...]]:
    """What HTML says, without what differs in all texts."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return [*_without_space(reader.parts)]


def is_comparable(example: Example) -> bool:
    """Whether an example has only what rich text shows."""
    return not any(token.type in _NOT_SHOWN for token in _flatten(MarkdownIt("commonmark").parse(example.markdown)))


def differs(example: Example) -> bool:
    """Whether rich text is other HTML than that of the specification."""
    return read_html(render_rich_text(example.markdown)) != read_html(example.html)


def _flatten(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flatten(token.children or ())


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figure, which takes a second; ``short`` changes nothing."""
    del short
    examples = [each for each in load_examples() if is_comparable(each)]
    found = {each.number for each in examples if differs(each)}
    unexplained, outdated = sorted(found - DIFFERENCES.keys()), sorted(DIFFERENCES.keys() - found)
    how = (
        f"{len(examples)} examples of the specification without HTML, {len(found)} of them with another "
        f"HTML for a reason; without one: {unexplained}; with a reason but no difference: {outdated}"
    )
    yield no_violations("cms.commonmark", len(unexplained) + len(outdated), len(examples), how)
