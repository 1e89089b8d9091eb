"""The passages in which two texts differ: a long text is shown where it changes, and every change of it is shown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

_CONTEXT: Final = 80
"""How many characters are shown on either side of a passage."""
_WORD: Final = 40
"""How many more are shown at most, so that no word is cut."""
_MIN_FOLDED: Final = 200
"""Fewer unchanged characters are shown: a note in their place would save little."""
_WORDS: Final = re.compile(r"\w+")


class _Run(NamedTuple):
    """A run of characters that both texts have, and where it starts in each."""

    start: int
    other: int
    length: int


def fold_unchanged(before: str, after: str) -> tuple[str, str]:
    """Both texts, with a note in place of each long run of characters that they share.

    Every character that differs is shown. Shared text is recognised at the beginning, at the end, and around words that
    each text has once, which takes time in proportion to n log n; other shared text is shown.
    """
    if before == after or min(len(before), len(after)) < _MIN_FOLDED:
        return before, after
    runs = [*_find_runs(before, after), _Run(len(before), len(after), 0)]
    firsts, seconds = [_fold(before, runs[0], after)], [_fold(before, runs[0], after)]
    for last, run in pairwise(runs):
        shared = _fold(before, run, after)
        firsts += (before[last.start + last.length : run.start], shared)
        seconds += (after[last.other + last.length : run.other], shared)
    return "".join(firsts), "".join(seconds)


def _find_runs(before: str, after: str) -> Iterator[_Run]:
    """Runs that both texts share, in their order in both: the first one begins both, the last one ends both."""
    first = _Run(0, 0, _count_shared(zip(before, after, strict=False)))
    most = min(len(before), len(after)) - first.length
    length = _count_shared(zip(reversed(before[-most:]), reversed(after[-most:]), strict=True)) if most else 0
    final = _Run(len(before) - length, len(after) - length, length)
    yield first
    last = first
    for start, other in _find_anchors(before, after, last.length, final):
        end, other_end = last.start + last.length, last.other + last.length
        if start < end or other < other_end:
            continue  # the last run has grown over this word
        left = zip(reversed(before[end:start]), reversed(after[other_end:other]), strict=False)
        back = _count_shared(left)
        right = zip(before[start : final.start], after[other : final.other], strict=False)
        last = _Run(start - back, other - back, back + _count_shared(right))
        yield last
    yield final


def _count_shared(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _find_anchors(before: str, after: str, start: int, final: _Run) -> Iterator[tuple[int, int]]:
    """Where the words stand that each text has once between its ends: as many as are in the same order in both."""
    places, others = _find_single_words(before, start, final.start), _find_single_words(after, start, final.other)
    pairs = [(place, others[word]) for word, place in places.items() if word in others]
    ends, chains, former = list[int](), list[int](), list[int]()
    for index, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        former.append(chains[length - 1] if length else -1)
        ends[length : length + 1], chains[length : length + 1] = [other], [index]
    chosen = list[tuple[int, int]]()
    index = chains[-1] if chains else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = former[index]
    return reversed(chosen)


def _find_single_words(text: str, start: int, end: int) -> Mapping[str, int]:
    """Where the words stand that the text has once in a part of it."""
    words = [(found.group(), found.start()) for found in _WORDS.finditer(text, start, end)]
    counts = Counter(word for word, _ in words)
    return {word: place for word, place in words if counts[word] == 1}


def _fold(before: str, run: _Run, after: str) -> str:
    """A run as both texts show it: with a note in place of its middle, or of what is not next to a passage."""
    end = run.start + run.length
    head, tail = run.start, end
    if run.start or run.other:
        space = before.find(" ", head + _CONTEXT, head + _CONTEXT + _WORD)
        head = space if space >= 0 else head + _CONTEXT
    if end < len(before) or run.other + run.length < len(after):
        space = before.rfind(" ", max(run.start, tail - _CONTEXT - _WORD), max(0, tail - _CONTEXT))
        tail = space + 1 if space >= 0 else tail - _CONTEXT
    folded = tail - head
    if folded < _MIN_FOLDED:
        return before[run.start : end]
    lead, trail = (" " if head else ""), (" " if tail < len(before) else "")
    return f"{before[run.start : head]}{lead}[… {folded:,} characters as before …]{trail}{before[tail:end]}"
