"""The readable text of HTML in mail, in time that grows with its length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

_MAX_TARGET: Final = 2000
_COMMENT: Final = r"<!--(?:-?>|.*?(?:--!?>|\Z))"
_NAME: Final = r"<(?P<close>/?+)(?P<tag>[a-z][^\s/>]*+)"
_QUOTED: Final = r"""=\s*+(?:"[^"]*+"|'[^']*+')"""
_FLAGS: Final = re.DOTALL | re.IGNORECASE
# As browsers read tags: a quoted value follows an equals sign, and may contain the end of a tag.
_TOKEN: Final = re.compile(
    rf"{_COMMENT}|{_NAME}(?P<attributes>(?:[^>=]++|{_QUOTED}|=)*+)(?:>|\Z)|<[!/?][^>]*+(?:>|\Z)", _FLAGS
)
_TOKEN_WITHOUT_QUOTES: Final = re.compile(rf"{_COMMENT}|{_NAME}(?P<attributes>[^>]*+)>|<[!/?][^>]*+>", _FLAGS)
_ATTRIBUTE: Final = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")
_UNREAD: Final = {
    name: re.compile(rf"</{name}\b[^>]*+(?:>|\Z){other}", re.IGNORECASE)
    for name, other in (("script", ""), ("style", ""), ("title", r"|(?=<body\b)"))
}
"""The elements whose content is no text of the letter, and where each ends."""
_HIDING_WORD: Final = re.compile("hid|none|&", re.IGNORECASE)
_UNDISPLAYED: Final = re.compile(
    r"(?:^|;)\s*+(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden|mso-hide\s*+:\s*+all)\b", re.IGNORECASE
)
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
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
    reader, end = _Reader(), 0
    for begin, after, tag in _find_markup(html):
        reader.add_text(html[end:begin])
        if tag is not None:
            reader.add_tag(tag)
        end = after
    reader.add_text(html[end:])
    return reader.finish()


def _find_markup(html: str) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """Where each piece of markup begins and ends, and its tag if it is one.

    A tag that does not end, because a quote in it never does, is read without quotes, and so is all that follows it:
    the end of the text is looked for once.
    """
    pattern, position, last = _TOKEN, 0, len(html)
    while (token := pattern.search(html, position, last)) is not None:
        if pattern is _TOKEN and token.end() == len(html) and html[-1] != ">" and not token[0].startswith("<!--"):
            pattern, position, last = _TOKEN_WITHOUT_QUOTES, token.start(), html.rfind(">") + 1
            continue
        name, position = token["tag"], token.end()
        if name is not None and not token["close"] and (content := _UNREAD.get(name.lower())) is not None:
            ending = content.search(html, position)
            position = len(html) if ending is None else ending.end()
        yield token.start(), position, None if name is None else token


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
        (self._hidden if self._hiding else self._chunks).append(unescape(text))

    def add_tag(self, tag: re.Match[str]) -> None:
        """Add what a reader sees of a tag."""
        name, is_closing = tag["tag"].lower(), bool(tag["close"])
        if self._hiding and not self._ends_hidden(name, is_closing=is_closing):
            self._hidden.append(" ")
            return
        attributes = {} if is_closing else _find_attributes(name, tag["attributes"])
        is_hidden = "hidden" in attributes or _UNDISPLAYED.search(attributes.get("style", "")) is not None
        if name == "img":
            (self._hidden if is_hidden else self._chunks).append(f" {attributes.get('alt', '')} ")
        elif is_hidden and name not in _VOID:
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


def _find_attributes(name: str, text: str) -> dict[str, str]:
    """The attributes of a tag, where they matter here. Of one that is given twice, the first counts."""
    if name not in {"a", "img"} and not _HIDING_WORD.search(text):
        return {}
    found = dict[str, str]()
    for each in _ATTRIBUTE.finditer(text):
        found.setdefault(each[1].lower(), unescape(each[2] or each[3] or each[4] or ""))
    return found


def _clean(chunks: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(chunks).splitlines())
    return "\n".join(line for line in lines if line)
