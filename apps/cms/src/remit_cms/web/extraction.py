"""The title and text of a web page, and the passages of a text that say most about something."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from html.parser import HTMLParser
from typing import Final

from remit.errors import ExternalError
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
    from trafilatura import extract, extract_metadata  # noqa: PLC0415 - slow to import, seldom needed

    text = (extract(html, url=url, output_format="markdown", include_comments=False, include_tables=True) or "").strip()
    title = extract_metadata(html, default_url=url).title or ""
    if len(text) <= len(html) // _MUCH_MARKUP:
        plain = _PlainText(html)
        if not text or plain.is_deep:  # what is nested deeper is not in the tree that was searched
            title, text = title or plain.title, plain.text
    if not text:
        raise ExternalError(f"no text can be found in {url}; it may be made by scripts, which are not run")
    return PageText(" ".join(str(title).split())[:300], text)


class _PlainText(HTMLParser):
    """All text of a page that a browser would show, a line for each block, however broken the page is."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._titles: list[str] = []
        self._hidden, self._depth, self.is_deep = "", 0, False
        self.feed(html)
        self.close()

    @property
    def title(self) -> str:
        """What the page calls itself."""
        return "".join(self._titles)

    @property
    def text(self) -> str:
        """The text."""
        lines = (" ".join(line.split()) for line in "".join(self._texts).split("\n"))
        return "\n".join(filter(None, lines))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Note where a block begins, and what is not shown."""
        self._depth += tag not in _VOID
        self.is_deep = self.is_deep or self._depth > _DEEP
        self._hidden = self._hidden or (tag if tag in _NOT_SHOWN else "")
        self._texts.append("" if tag in _INLINE else "\n")

    def handle_endtag(self, tag: str) -> None:
        """Note where a block ends."""
        self._depth -= 1
        self._hidden = "" if tag == self._hidden else self._hidden
        self._texts.append("" if tag in _INLINE else "\n")

    def handle_data(self, data: str) -> None:
        """Add a text."""
        if self._hidden in ("", "title"):
            (self._titles if self._hidden else self._texts).append(data)


_MUCH_MARKUP: Final = 20
"""A text that is shorter than one part in so many of its page may not be all of it."""
_DEEP: Final = 200
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_NOT_SHOWN: Final = frozenset({"script", "style", "template", "title", "textarea"})
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
