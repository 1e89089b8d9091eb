"""The semantic index: turns texts into vectors after they were committed, and finds what is like a query."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from remit.embeddings import Embeddings
from remit.errors import ConflictError, ExternalError, RemitError
from remit_cms.semantic.comparison import Comparison, Near
from remit_cms.semantic.pgvector import PgvectorComparison, find_pgvector
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.transactions import open_view
from remit_cms.storage.vectors import (
    Pending,
    count_pending,
    find_other_model,
    forget_marks,
    load_counts,
    load_pending,
    store_vectors,
)

if TYPE_CHECKING:
    from remit_cms.semantic.floats import Floats

_LOG: Final = logging.getLogger(__name__)
_BATCH: Final = 16
"""Objects that are embedded at a time: between two batches others have the processor and the database."""
_MAX_AWAITED: Final = 32
"""A search waits until so many texts are embedded, so that it finds what was written just before."""


class SemanticIndex:
    """The vectors of all sites of a database. What is to be embedded is read from the rows, so a crash loses nothing.

    A site has the vectors of one model. An index embeds anew what another model left. Once it is done with a site, it
    yields to another model that embeds it, in another process: it finds nothing there any more, until a rebuild.

    Args:
        database: the database.
        embeddings: what turns texts into vectors.
        delay: seconds between an edit and the work in the background, so that several edits are embedded once.
    """

    def __init__(self, database: Database, embeddings: Embeddings, *, delay: float = 1.0) -> None:
        self._database, self._embeddings, self._delay = database, embeddings, delay
        self.model = embeddings.name[:200]
        self._tasks: dict[Target, asyncio.Task[None]] = {}
        self._again = set[Target]()
        self._turns = defaultdict[Target, asyncio.Lock](asyncio.Lock)
        self._done_at: dict[Target, tuple[int, int]] = {}
        self._yielded = set[Target]()
        self._comparison: Comparison | None = None

    def follow_edits(self) -> None:
        """Embed texts in the background after each edit that this process makes."""
        self._database.on_edit(self.start)

    def start(self, target: Target) -> None:
        """Embed in the background what is to be embedded of a site, until there is nothing more."""
        if target in self._yielded:
            return
        self._again.add(target)
        task = self._tasks.get(target)
        if task is None or task.done():
            self._tasks[target] = asyncio.create_task(self._work(target), name=f"embeds texts of {target.site}")

    async def settle(self) -> None:
        """Wait for the work in the background."""
        await asyncio.gather(*self._tasks.values())

    async def search(
        self, target: Target, query: str, kinds: Collection[str], locales: Collection[str], limit: int
    ) -> Sequence[Near]:
        """What is like a query in a site, best first; nothing while there is no vector of the query to be had."""
        if target in self._yielded:
            return []
        try:
            version = await self._catch_up(target)
            (vector,) = await self._embed([query])
        except RemitError as error:
            _LOG.warning("no search by meaning: %s", error)
            return []
        comparison = self._comparison = self._comparison or await self._choose_comparison()
        return await comparison.find_near(target, version, vector, kinds, locales, limit)

    async def update(self, target: Target) -> None:
        """Embed what is to be embedded of a site.

        Raises:
            ConflictError: another process embeds the site with another model.
            ExternalError: the model fails.
        """
        async with self._turns[target]:
            await self._embed_pending(target)

    async def rebuild(self, target: Target, on_progress: Callable[[int, int], None]) -> int:
        """Embed all texts of a site anew, and return of how many objects. What there is serves meanwhile.

        Args:
            target: the site.
            on_progress: called with the number of objects that are done, and that of all.

        Raises:
            ConflictError, ExternalError: as of `update`.
        """
        async with self._turns[target]:
            self._yielded.discard(target)
            self._done_at.pop(target, None)
            async with self._database.write() as session:
                total = await forget_marks(Scope(session, target, ()))
            return await self._embed_pending(target, anew=True, on_progress=lambda done: on_progress(done, total))

    async def _work(self, target: Target) -> None:
        while target in self._again:
            await asyncio.sleep(self._delay)
            self._again.discard(target)
            try:
                await self.update(target)
            except RemitError as error:  # what is to be done stays so: the next edit or search tries again
                _LOG.warning("texts of %s/%s wait to be embedded: %s", target.site, target.environment, error)

    async def _choose_comparison(self) -> Comparison:
        schema = await find_pgvector(self._database)
        if schema is not None:
            return PgvectorComparison(self._database, self.model, schema)
        from remit_cms.semantic.matrix import MatrixComparison  # noqa: PLC0415 - numpy is in an extra

        return MatrixComparison(self._database, self.model)

    async def _catch_up(self, target: Target) -> int:
        """Embed a few texts, or start to embed many, if there were edits or other vectors since all was embedded.

        Returns the version of the vectors.
        """
        async with self._database.read() as session:
            scope = Scope(session, target, ())
            _, version = counts = await load_counts(scope)
            is_done = self._done_at.get(target) == counts
            waiting = 0 if is_done else await count_pending(scope, self.model, _MAX_AWAITED + 1)
        if waiting > _MAX_AWAITED:
            self.start(target)
        elif not is_done:
            await self.update(target)
            async with self._database.read() as session:
                _, version = await load_counts(Scope(session, target, ()))
        return version

    async def _embed_pending(
        self, target: Target, *, anew: bool = False, on_progress: Callable[[int], None] | None = None
    ) -> int:
        done = 0
        stored: Collection[str] = ()
        while pending := await self._load_pending(target, stored, anew=anew):
            texts = [*dict.fromkeys(text for each in pending for parts in each.texts.values() for text in parts)]
            vectors = dict(zip(texts, await self._embed(texts) if texts else (), strict=True))
            made = [
                (each, {code: [vectors[text].tobytes() for text in parts] for code, parts in each.texts.items()})
                for each in pending
            ]
            async with self._database.write() as session:
                scope = Scope(session, target, ())
                await store_vectors(scope, self.model, made)  # first, since others wait for it
                await self._check_others(scope, stored)
            stored = [each.id for each in pending]
            done += len(pending)
            if on_progress is not None:
                on_progress(done)
        return done

    async def _load_pending(self, target: Target, stored: Collection[str], *, anew: bool) -> list[Pending]:
        async with open_view(self._database, target) as scope:
            counts = await load_counts(scope)  # first: what is written meanwhile is noticed by the next search
            await self._check_others(scope, stored)
            pending = await load_pending(scope, self.model, _BATCH, anew=anew)
        if not pending:
            self._done_at[target] = counts
        return pending

    async def _check_others(self, scope: Scope, stored: Collection[str]) -> None:
        """Yield to another model that embeds the site too.

        That is one which embedded any of it after this index was done, or else, of two that began together, the one
        that embedded last what this index has just ``stored``. So one of them remains, and neither undoes the other's
        work for ever.
        """
        model = await find_other_model(scope, self.model, None if scope.target in self._done_at else stored)
        if model is not None:
            self._yielded.add(scope.target)
            where = f"{scope.target.site}/{scope.target.environment}"
            raise ConflictError(
                f"texts of {where} are embedded by another process with the model {model}; this one, with "
                f"{self.model}, searches words alone until it is started again or rebuilds the search"
            )

    async def _embed(self, texts: Sequence[str]) -> Sequence[Floats]:
        from remit_cms.semantic.floats import to_rows  # noqa: PLC0415 - numpy is in an extra

        try:
            rows = to_rows(await self._embeddings.embed(texts))
        except RemitError:
            raise
        except Exception as error:
            _LOG.exception("%s failed", self.model)
            raise ExternalError(f"{self.model} failed: {error!r}") from error
        if len(rows) != len(texts):
            raise ExternalError(f"{self.model} gave {len(rows)} vectors for {len(texts)} texts")
        return rows
