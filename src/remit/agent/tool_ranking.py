"""Ranks tools for a search: by words (BM25), by any other ranker behind a port, or by several of them together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from remit.core.checks import as_text_tuple, as_tuple

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_STOP_WORDS: Final = frozenset(
    {"a", "an", "and", "are", "at", "by", "can", "do", "for", "from", "how", "i", "in", "is", "it", "its", "many", "me"}
    | {"my", "of", "on", "or", "that", "the", "there", "this", "to", "what", "which", "who", "with"}
    | {"about", "as", "be", "has", "have", "our", "should", "us", "we", "will", "would", "you", "your"}
)
_NAME_WEIGHT, _PHRASE_WEIGHT, _TEXT_WEIGHT = 3, 2, 1
_K1, _B = 1.5, 0.75
_FUSION_K: Final = 60
_MIN_SHARE: Final = 0.35
"""The share of the best score below which a tool does not fit: its definition would cost tokens for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolText:
    """The text of a tool for a search: name, phrases, and the descriptions of the tool and its parameters."""

    name: str
    phrases: tuple[str, ...] = ()
    text: str = ""


class ToolRanker(Protocol):
    """The port to a way of ranking tools, such as by embeddings."""

    async def __call__(self, query: str, tools: Sequence[ToolText], /) -> Sequence[str]:
        """The names of the tools that fit the query, best first. Those that do not fit are omitted."""
        ...


class WordRanker:
    """BM25 over the words of tools: words in names count three times, words in phrases twice."""

    async def __call__(self, query: str, tools: Sequence[ToolText], /) -> Sequence[str]:
        """The names of the tools that share a word with the query, best first."""
        counts = {tool.name: _count_words(tool) for tool in tools}
        lengths = {name: words.total() for name, words in counts.items()}
        mean = sum(lengths.values()) / max(1, len(lengths))
        scores = dict.fromkeys(counts, 0.0)
        for word in dict.fromkeys(split_words(query)):
            having = [name for name, words in counts.items() if words[word]]
            rarity = math.log(1 + (len(counts) - len(having) + 0.5) / (len(having) + 0.5))
            for name in having:
                count = counts[name][word]
                scores[name] += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[name] / mean))
        least = _MIN_SHARE * max(scores.values(), default=0.0)
        return sorted((n for n, score in scores.items() if score and score >= least), key=lambda n: (-scores[n], n))


def split_words(text: str) -> list[str]:
    """The words of a text or name in lower case, without endings and without stop words."""
    words = (match[0].lower() for match in _WORD.finditer(text))
    return [_cut_ending(word) for word in words if word not in _STOP_WORDS]


def fuse_rankings(rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Join rankings by reciprocal rank, best first: a name that ranks high in several of them ranks highest.

    Scores are above 0; a name that is first in all rankings has 1.

    Raises:
        SetupError: the argument is not a sequence of rankings.
    """
    lists = [as_text_tuple("fuse_rankings: a ranking", each) for each in as_tuple("fuse_rankings: rankings", rankings)]
    scores: dict[str, float] = {}
    for ranking in lists:
        for rank, name in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0.0) + (_FUSION_K + 1) / (_FUSION_K + rank) / len(lists)
    return {name: scores[name] for name in sorted(scores, key=lambda name: (-scores[name], name))}


def _count_words(tool: ToolText) -> Counter[str]:
    counts = Counter[str]()
    for text, weight in (
        (tool.name, _NAME_WEIGHT),
        (" ".join(tool.phrases), _PHRASE_WEIGHT),
        (tool.text, _TEXT_WEIGHT),
    ):
        for word in split_words(text):
            counts[word] += weight
    return counts


def _cut_ending(word: str) -> str:
    """Cut plural, past and participle endings: ``pages``, ``deleted`` and ``editing`` are found as ``page``, ….

    Words that lose their last letter elsewhere, such as ``delete``, lose it here too.
    """
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
