"""The vectors of a site as one matrix, which one multiplication compares with a query. Needs numpy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MIN_LIKENESS: Final = 0.12
"""The cosine below which a text does not fit."""
_MAX_DISTANCE: Final = 0.15
"""How much less like the query than the best one a text may be."""


class Near(NamedTuple):
    """An object whose texts are like a query, and the language of these texts."""

    id: str
    locale: str
    likeness: float


Key = tuple[str, str, str]
"""Kind, object and locale of a vector."""


@dataclass(frozen=True)
class SiteVectors:
    """The vectors of a site up to a version. Never changed: readers may compare with it in a thread meanwhile."""

    version: int = 0
    keys: Sequence[Key | None] = ()
    """Whose vector each row is; None for a row that was removed."""
    matrix: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def with_rows(self, version: int, rows: Iterable[tuple[Key, bytes]]) -> SiteVectors:
        """The vectors at a later version, with those that were written since. Empty bytes remove a vector."""
        keys = [*self.keys]
        places = {key: place for place, key in enumerate(keys) if key is not None}
        changed: dict[int, Floats] = {}
        for key, content in rows:
            if not content and key in places:
                keys[places.pop(key)] = None
            if content and key not in places:
                places[key] = len(keys)
                keys.append(key)
            if content:
                changed[places[key]] = np.frombuffer(content, np.float32)
        if not changed:
            return SiteVectors(version, keys, self.matrix)
        width = max(self.matrix.shape[1], *(each.size for each in changed.values()))
        matrix = np.zeros((len(keys), width), np.float32)
        matrix[: len(self.matrix), : self.matrix.shape[1]] = self.matrix
        for place, vector in changed.items():
            matrix[place, : vector.size] = vector
        return SiteVectors(version, keys, matrix)

    def rank(self, vector: Floats, kinds: Collection[str], locales: Collection[str], limit: int) -> list[Near]:
        """The objects that are like a vector, best first, each once."""
        found: dict[str, Near] = {}
        if not self.matrix.size or self.matrix.shape[1] % vector.size:
            return []
        # An object has one vector or several in its row: what is most like the query counts.
        scores = (self.matrix.reshape(len(self.matrix), -1, vector.size) @ vector).max(axis=1)
        least = _MIN_LIKENESS
        for place in np.argsort(-scores, kind="stable"):
            likeness, key = float(scores[place]), self.keys[int(place)]
            if likeness < least or len(found) == limit:
                break
            if key is not None and key[0] in kinds and key[2] in locales:
                found.setdefault(key[1], Near(key[1], key[2], likeness))
                least = max(least, likeness - _MAX_DISTANCE) if len(found) == 1 else least
        return [*found.values()]


def to_rows(vectors: Sequence[Sequence[float]]) -> list[Floats]:
    """Vectors as numpy has them, of length 1."""
    matrix = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return [*(matrix / np.where(lengths > 0, lengths, 1))]
