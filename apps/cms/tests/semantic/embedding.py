"""A model of embeddings that a test can foresee: a vector has a place for each topic, and words belong to topics."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remit.embeddings import Embeddings

TOPICS = (
    {"bread", "loaf", "baguette", "brot"},
    {"bicycle", "delivery", "wheels", "fahrrad"},
    {"job", "vacancy", "career", "stelle"},
)


class Topics:
    """The model. ``asked`` are the texts that it was given."""

    def __init__(self, name: str = "topics") -> None:
        self.asked = list[str]()
        self.embeddings = Embeddings(name, self)

    async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        words = [re.findall(r"\w+", text.lower()) for text in texts]
        return [[sum(word in topic for word in each) + 0.0 for topic in TOPICS] for each in words]
