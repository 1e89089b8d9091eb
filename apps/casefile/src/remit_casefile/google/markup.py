"""The readable text of HTML in mail, in time that grows with its length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remit.markup import Tag, read_markup

_MAX_TARGET: Final = 2000
_CELLS: Final = frozenset({"td", "th"})
_BLOCK: Final = re.compile(
    "address|article|aside|blockquote|body|br|center|d[dlt]|div|fieldset|figcaption|figure|footer|form|h[1-6r]|header"
    "|li|main|nav|[ou]l|option|p|pre|section|table|tr"
)


@dataclass(frozen=True, slots=True)
class HtmlText:
    """What a reader sees of HTML, where its links lead, and how much of it is hidden."""

    text: str
    links: tuple[str, ...]
    """The links with another text than their address, each as ``the text <the address>``."""
    hidden: int
    """How many characters mail programs do not show, because of the ``hidden`` or ``style`` of an element."""


def read_html(html: str) -> HtmlText:
    """The text of HTML, with a line for each block, and the text that stands for an image."""
    reader = _Reader()
    for piece in read_markup(html):
        if isinstance(piece, Tag):
            reader.add_tag(piece)
        else:
            reader.add_text(piece)
    return reader.finish()


class _Reader:
    """Collects what is between tags, and what they mean."""

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self._hidden: list[str] = []
        self._links: dict[str, None] = {}
        self._hiding = ""
        self._depth = 0
        self._link: tuple[str, int] | None = None

    def finish(self) -> HtmlText:
        """All that was read."""
        self._end_link()
        return HtmlText(_clean(self._chunks), tuple(self._links), len(_clean(self._hidden)))

    def add_text(self, text: str) -> None:
        """Add text between tags."""
        (self._hidden if self._hiding else self._chunks).append(text)

    def add_tag(self, tag: Tag) -> None:
        """Add what a reader sees of a tag."""
        name, is_closing = tag.name, tag.is_closing
        if self._hiding and not self._ends_hidden(name, is_closing=is_closing):
            self._hidden.append(" ")
            return
        attributes = tag.find_attributes() if not is_closing and name in {"a", "img"} else {}
        is_hidden = not is_closing and tag.is_hidden
        if name == "img":
            (self._hidden if is_hidden else self._chunks).append(f" {attributes.get('alt', '')} ")
        elif is_hidden and not tag.is_void:
            self._hiding, self._depth = name, 1
        if name == "a":
            self._end_link()
            self._link = (attributes["href"], len(self._chunks)) if "href" in attributes else None
        if _BLOCK.fullmatch(name):
            self._chunks.append("\n")
        elif name in _CELLS:
            self._chunks.append(" ")

    def _ends_hidden(self, name: str, *, is_closing: bool) -> bool:
        """Whether a hidden element ends with this tag. A paragraph ends where the next block begins."""
        if name == self._hiding:
            self._depth += -1 if is_closing else 1
        if self._depth == 0 or (self._hiding == "p" and name != "br" and _BLOCK.fullmatch(name) is not None):
            self._hiding = ""
        return not self._hiding

    def _end_link(self) -> None:
        """Keep where a link leads, unless its text says that already."""
        if self._link is None:
            return
        target, text = " ".join(self._link[0].split()), " ".join("".join(self._chunks[self._link[1] :]).split())
        if target and not target.startswith("#") and target.removeprefix("mailto:") != text:
            target = target if len(target) <= _MAX_TARGET else f"{target[:_MAX_TARGET]}\u2026"
            self._links[f"{text} <{target}>".lstrip()] = None
        self._link = None


def _clean(chunks: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(chunks).splitlines())
    return "\n".join(line for line in lines if line)
