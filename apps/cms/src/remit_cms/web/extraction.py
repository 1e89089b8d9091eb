"""The title and text of a web page, and the passages of a text that say most about something."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Final

from remit.errors import ExternalError
from remit.markup import Tag, read_markup
from remit_cms.web.guarded_http import HttpReply

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_SECONDS: Final = 15.0
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d")
_MIN_PASSAGE, _MAX_PASSAGE = 40, 900
_STEM: Final = 4


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says: its title, and its text in Markdown."""

    title: str
    text: str
    is_cut: bool = False
    """Whether the page is longer than what was read of it."""


async def extract_text(reply: HttpReply) -> PageText:
    """The title and main text of a page, without navigation, advertisements and scripts.

    Raises:
        ExternalError: it is no text, or no text can be found in it.
    """
    kind = reply.media_type
    if kind and kind not in _HTML:
        if kind.startswith("text/") or kind.endswith(("json", "xml")):
            return PageText("", reply.text, reply.is_cut)
        raise ExternalError(f"{reply.url} is {kind}, which is not text")
    # In a thread that is left behind at the limit: a hostile page may keep the parser busy.
    parsing = asyncio.get_running_loop().run_in_executor(_threads(), _extract, reply.text, reply.url)
    try:
        return replace(await asyncio.wait_for(parsing, _SECONDS), is_cut=reply.is_cut)
    except TimeoutError as error:
        raise ExternalError(f"{reply.url} took longer than {_SECONDS:g} s to read") from error


def best_passages(
    texts: Sequence[str], query: str, count: int, *, prefer_numbers: bool = False
) -> list[tuple[int, str]]:
    """The passages that say most about a query, best first, each with the number of its text. Ranked by BM25."""
    passages = [(number, each) for number, text in enumerate(texts) for each in _split_passages(text)]
    words = [Counter(_words(each)) for _, each in passages]
    mean = sum(each.total() for each in words) / max(1, len(words))
    scores = [0.0] * len(passages)
    for word in dict.fromkeys(_words(query)):
        having = [place for place, each in enumerate(words) if each[word]]
        rarity = math.log(1 + (len(words) - len(having) + 0.5) / (len(having) + 0.5))
        for place in having:
            often = words[place][word]
            scores[place] += rarity * often * 2.5 / (often + 1.5 * (0.25 + 0.75 * words[place].total() / mean))
    if prefer_numbers:
        scores = [score * (1.5 if _NUMBER.search(passages[n][1]) else 1) for n, score in enumerate(scores)]
    ranked = sorted((n for n, score in enumerate(scores) if score), key=lambda n: (-scores[n], n))
    chosen = dict.fromkeys(passages[n] for n in ranked)
    return list(chosen)[:count]


def _extract(html: str, url: str) -> PageText:
    shown = _read_shown(html)
    plain = _PlainText(shown)
    title, text = ("", "") if plain.tags > _MANY_TAGS else _find_main_text(_simplify(shown), url)
    if not text or (plain.is_deep and len(text) <= len(html) // _MUCH_MARKUP):
        text = plain.text  # what is nested deeper is not in the tree that was searched
    if not text:
        raise ExternalError(f"no text can be found in {url}; it may be made by scripts, which are not run")
    return PageText(" ".join((title or plain.title).split())[:300], text)


def _find_main_text(html: str, url: str) -> tuple[str, str]:
    """The title and the main text; empty texts for a page that the library cannot read."""
    from trafilatura import extract, extract_metadata  # noqa: PLC0415 - slow to import, seldom needed

    try:
        text = extract(html, url=url, output_format="markdown", include_comments=False, include_tables=True) or ""
        title = extract_metadata(html, default_url=url).title or ""
    except Exception:  # noqa: BLE001 - a page may break an assertion of a parser, or a limit of Python
        return "", ""
    return str(title), text.strip()


def _simplify(shown: Iterable[str | Tag]) -> str:
    """The pieces as a page in which the library finds all words: it omits those of elements that it does not know.

    Inline elements are dropped and their words kept, and blocks that it does not know become paragraphs. The library
    unescapes text twice, so it is escaped twice.
    """
    written = list[str]()
    for piece in shown:
        if isinstance(piece, str):
            written.append(escape(escape(piece, quote=False), quote=False))
        elif piece.name not in _KEPT_WORDS:
            name = "p" if piece.name in _BLOCKS else piece.name
            inside = escape(piece.content) if piece.name == "title" else piece.content
            end = f"</{name}>" if piece.name in _WITH_CONTENT else ""
            written.append(f"<{'/' if piece.is_closing else ''}{name}{piece.written}>{inside}{end}")
    return "".join(written)


def _read_shown(html: str) -> list[str | Tag]:
    """The pieces of a page that a browser shows; all of them if a hidden element does not end."""
    shown, hidden, depth = list[str | Tag](), "", 0
    for piece in read_markup(html):
        tag = piece if isinstance(piece, Tag) else None
        if hidden and hidden not in _WITHOUT_END:
            if tag is not None and tag.name == hidden:
                depth += -1 if tag.is_closing else 1
                hidden = hidden if depth else ""
            continue
        if hidden and (tag is None or not _ends_hidden(tag, hidden)):
            continue
        hidden = ""
        if tag is not None and not tag.is_closing and not tag.is_void and tag.is_hidden:
            hidden, depth = tag.name, 1
        else:
            shown.append(piece)
    return [*read_markup(html)] if hidden else shown


def _ends_hidden(tag: Tag, hidden: str) -> bool:
    """Whether a tag ends a hidden element that needs no end of its own, such as a paragraph."""
    return tag.name == hidden or (tag.is_closing and tag.name in _CONTAINERS)


_WITHOUT_END: Final = frozenset({"dd", "dt", "li", "option", "p", "td", "th", "tr"})
_CONTAINERS: Final = frozenset(
    {"article", "body", "div", "dl", "main", "ol", "section", "select", "table", "tbody", "thead", "ul"}
)
_KEPT_WORDS: Final = frozenset({"button", "data", "label", "math", "meter", "output", "progress", "time"})
_BLOCKS: Final = frozenset({"details", "dialog", "fieldset", "figcaption", "legend", "option", "summary"})
_WITH_CONTENT: Final = frozenset({"script", "style", "title"})


class _PlainText:
    """All text of a page that a browser would show, a line for each block, however broken the page is."""

    def __init__(self, shown: Iterable[str | Tag]) -> None:
        self._texts: list[str] = []
        self.title, self.tags, self.is_deep = "", 0, False
        self._hidden, self._depth = "", 0
        for piece in shown:
            if isinstance(piece, Tag):
                self._add_tag(piece)
            elif not self._hidden:
                self._texts.append(piece)

    @property
    def text(self) -> str:
        """The text."""
        lines = (" ".join(line.split()) for line in "".join(self._texts).split("\n"))
        return "\n".join(filter(None, lines))

    def _add_tag(self, tag: Tag) -> None:
        """Note where a block begins or ends, and what is not shown."""
        if tag.name == "title" and not self._hidden:
            self.title = self.title or tag.content
        self.tags += 1
        self._depth += -1 if tag.is_closing else not tag.is_void
        self.is_deep = self.is_deep or self._depth > _DEEP
        if tag.is_closing:
            self._hidden = "" if tag.name == self._hidden else self._hidden
        elif tag.name in _NOT_SHOWN:
            self._hidden = self._hidden or tag.name
        self._texts.append("" if tag.name in _INLINE else "\n")


_MUCH_MARKUP: Final = 20
"""A text that is shorter than one part in so many of its page may not be all of it."""
_DEEP: Final = 200
_MANY_TAGS: Final = 40_000
"""The search for the main text takes time that grows with the square of the tags, so larger pages are read whole."""
_NOT_SHOWN: Final = frozenset({"textarea"})
_INLINE: Final = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub"}
    | {"sup", "time", "tt", "u", "wbr"}
)


def _split_passages(text: str) -> list[str]:
    """The paragraphs of a text, without headings and scraps; long ones are cut at the end of a sentence."""
    passages: list[str] = []
    for each in re.split(r"\n\s*\n|\n(?=[-*] )", text):
        passage = " ".join(each.split())
        if passage.startswith("#") or len(passage) < _MIN_PASSAGE:
            continue
        if len(passage) > _MAX_PASSAGE:
            passage = f"{passage[: max(passage.rfind('. ', 0, _MAX_PASSAGE) + 1, _MAX_PASSAGE // 2)].rstrip()} …"
        passages.append(passage)
    return passages


def _words(text: str) -> list[str]:
    """The words that may say something, cut to what inflected forms share in most languages: open, opens, opening."""
    words = (word for word in _WORD.findall(text) if len(word) > 3 or word.isupper() or word.isdigit())
    return [word.casefold()[:_STEM] for word in words]


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="extract")
