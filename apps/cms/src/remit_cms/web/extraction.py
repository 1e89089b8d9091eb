"""The title and text of a web page, and the passages of a text that say most about something."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remit.errors import ExternalError
from remit.http import HttpReply
from remit.markup import read_html
from remit_cms.models import pluralize

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_MAX_TITLE: Final = 300
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
    omitted: tuple[str, ...] = ()
    """What of the page is not in its text."""


async def extract_text(reply: HttpReply) -> PageText:
    """The title and main text of a page, without navigation and scripts.

    Raises:
        ExternalError: it is no text, or no text can be found in it.
    """
    kind = reply.media_type
    if kind and kind not in _HTML:
        if kind.startswith("text/") or kind.endswith(("json", "xml")):
            return PageText("", reply.text, reply.is_cut)
        raise ExternalError(f"{reply.url} is {kind}, which is not text")
    # In a thread: the longest page takes seconds, for which no other call waits.
    return replace(await asyncio.to_thread(_extract, reply.text, reply.url), is_cut=reply.is_cut)


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
    read = read_html(html, main_only=True)
    if not read.text:
        hidden = f", but {read.hidden:,} hidden characters" if read.hidden else ""
        raise ExternalError(f"no text can be found in {url}{hidden}; it may be made by scripts, which are not run")
    omitted = (
        (read.outside, "outside the main part of the page, such as its navigation"),
        (read.hidden, "that are hidden from people"),
    )
    said = tuple(f"{pluralize(count, 'character')} {which}" for count, which in omitted if count)
    return PageText(read.title[:_MAX_TITLE], read.text, omitted=said)


def _split_passages(text: str) -> list[str]:
    """The paragraphs of a text, without headings and scraps; long ones are cut at the end of a sentence."""
    passages: list[str] = []
    for each in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d{1,9}\.) )", text):
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
