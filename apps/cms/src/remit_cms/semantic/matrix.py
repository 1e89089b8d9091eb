"""The vectors of a site as one matrix in memory, which one multiplication compares with a query. Needs numpy."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from remit_cms.semantic.comparison import MAX_DISTANCE, MIN_LIKENESS, SCALE, Near
from remit_cms.semantic.floats import Floats
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.vectors import StoredVector, VectorKey, load_counts, load_vectors

_MAX_SITES: Final = 16
"""The sites whose vectors are kept in memory: 20 MB for each 10,000 texts, 40 with descriptions."""


@dataclass(frozen=True)
class SiteVectors:
    """The vectors of a site up to a version. Never changed: readers may compare with it in a thread meanwhile.

    ``keys`` says whose vector each row of the matrix is. They are sorted, and several rows may have the same.
    """

    version: int
    keys: Sequence[VectorKey]
    matrix: Floats

    def with_vectors(self, version: int, written: Sequence[StoredVector]) -> SiteVectors:
        """The vectors at a later version, with what was written since in place of what the same keys had."""
        width = self.matrix.shape[1]
        new = [each for each in written if len(each.content or b"") == width * self.matrix.itemsize]
        content = b"".join(each.content or b"" for each in new)
        keys = [*self.keys, *(each.key for each in new)]
        matrix = np.concatenate([self.matrix, np.frombuffer(content, np.float32).reshape(-1, width)])
        replaced = {each.key for each in written}
        rows = [row for row, key in enumerate(keys) if row >= len(self.keys) or key not in replaced]
        rows.sort(key=keys.__getitem__)
        return SiteVectors(version, [keys[row] for row in rows], matrix[rows])

    def rank(self, query: Floats, kinds: Collection[str], locales: Collection[str], limit: int) -> list[Near]:
        """The objects that are like a query, best first, each once."""
        found: dict[str, Near] = {}
        scores = np.rint(np.vecdot(self.matrix, query) * SCALE)  # a product by BLAS costs ten times that
        candidates = np.flatnonzero(scores >= MIN_LIKENESS)
        best_first = candidates[np.argsort(-scores[candidates], kind="stable")]
        least = MIN_LIKENESS
        for row in map(int, best_first):
            score, key = float(scores[row]), self.keys[row]
            if score < least or len(found) == limit:
                break
            if key.kind in kinds and key.locale in locales:
                least = least if found else max(least, score - MAX_DISTANCE)
                found.setdefault(key.object, Near(key.object, key.locale))
        return [*found.values()]


class MatrixComparison:
    """Compares in memory, with a matrix for each site. Only vectors that were written since the last search are read.

    Args:
        database: the database.
        model: what made the vectors that are compared.
    """

    def __init__(self, database: Database, model: str) -> None:
        self._database, self._model = database, model
        self._sites = OrderedDict[tuple[Target, int], SiteVectors]()

    async def find_near(
        self,
        target: Target,
        version: int,
        query: Floats,
        kinds: Collection[str],
        locales: Collection[str],
        limit: int,
    ) -> Sequence[Near]:
        """See `Comparison.find_near`. Compares in a thread."""
        vectors = await self._load(target, version, query.size)
        return await asyncio.to_thread(vectors.rank, query, kinds, locales, limit)

    async def _load(self, target: Target, version: int, width: int) -> SiteVectors:
        known = self._sites.get((target, width)) or SiteVectors(0, (), np.zeros((0, width), np.float32))
        if known.version < version:
            async with self._database.read() as session:
                scope = Scope(session, target, ())
                _, version = await load_counts(scope)
                written = await load_vectors(scope, self._model, known.version)
            known = await asyncio.to_thread(known.with_vectors, version, written)
        self._sites[target, width] = known
        self._sites.move_to_end((target, width))
        if len(self._sites) > _MAX_SITES:
            self._sites.popitem(last=False)
        return known
