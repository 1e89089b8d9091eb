"""The operation that embeds all texts of a site anew. It is for people."""

from __future__ import annotations

from remit import LeafContext
from remit.errors import ConflictError
from remit_cms.models import Payload, Reply, pluralize
from remit_cms.semantic.index import SemanticIndex
from remit_cms.storage.database import Database
from remit_cms.storage.transactions import find_caller_target

_STEPS = 20
"""How often progress is told: it stays in the journal."""


class RebuildSearch(Payload):
    """Nothing: the site is that of the call."""


class RebuiltReply(Reply):
    """How many pages, entries and images can be found by meaning, by which model."""

    embedded: int
    model: str


class Rebuilding:
    """Rebuilds the search by meaning.

    Args:
        database: the database with the sites.
        index: the index; None if there is no model of embeddings.
    """

    def __init__(self, database: Database, index: SemanticIndex | None) -> None:
        self._database, self._index = database, index

    async def rebuild_search(self, ctx: LeafContext, payload: RebuildSearch) -> RebuiltReply:
        """Compute anew what search by meaning compares, for all pages, entries and images. It follows edits by itself.

        Emits ``progress`` with the numbers ``done`` and ``total``. Searches go on meanwhile; cancelled, it is resumed
        by the next search.

        Raises:
            ConflictError: there is no model of embeddings.
        """
        del payload
        if self._index is None:
            raise ConflictError(
                "Search by meaning is off: in a checkout of Remit, run pip install './apps/cms[semantic]', "
                "then start again."
            )
        told = -1

        def tell(done: int, total: int) -> None:
            nonlocal told
            step = done * _STEPS // max(total, 1)
            if step != told:
                told = step
                ctx.emit("progress", {"done": done, "total": total})

        async with self._database.read() as session:
            target = await find_caller_target(session, ctx.caller)
        count = await self._index.rebuild(target, tell)
        message = f"{pluralize(count, 'object')} of {target.site}/{target.environment} can be found by meaning"
        return RebuiltReply(embedded=count, model=self._index.model, message=message)
