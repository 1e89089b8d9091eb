"""Joins what was found by words with what was found by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from remit.agent import fuse_rankings


def fuse(words: Sequence[tuple[str, str]], near: Sequence[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Two rankings of ids with their locales as one: id, locale and score, best first. Locales of words go first."""
    locales = dict((*near, *words))
    ranks = fuse_rankings([[name for name, _ in words], [name for name, _ in near]])
    return [(name, locales[name], score) for name, score in ranks.items()]
