"""The CMS in the kill test: each run writes a page of its own and a page that all share; the judge is its revisions."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import Principal, Runtime
from remit.journal.ports import Store
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.record.items import ToolOutput
from remit.testing import kill_process, superuser
from remit.tools import Arguments
from remit_cms.app import build
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.tables import Revision

CMS: Final = "cms"
EDITOR: Final = Principal("judge", FIRST_SITE, superuser().permissions)
SHARED: Final = "shared"
"""The slug of the page that all runs write."""
WRITES: Final = 4
"""The writes of each run."""

_MOMENT: Final = 1.5
"""Seconds at most between the commit of a write and the end of its call."""


class LingeringDatabase(Database):
    """Waits after each commit, so that a process is often killed before the end of the call is recorded."""

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        """Write, and wait."""
        async with super().write() as session:
            yield session
        await asyncio.sleep(random.uniform(0, _MOMENT))


class KillingDatabase(Database):
    """Kills its process when a write is committed, and the end of its call is not recorded yet.

    Args:
        url: where the data is.
        number: the write after which it kills, counted from 1; 0 for none.
    """

    def __init__(self, url: str, number: int) -> None:
        super().__init__(url)
        self._number = number
        self._writes = 0

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        """Write, and kill this process after the chosen write."""
        async with super().write() as session:
            yield session
        self._writes += 1
        if self._writes == self._number:
            kill_process()


class Editing:
    """A model that changes the shared page before and after a page of its own, which is named after its run."""

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The next call, or the end."""
        slug = f"page-{request.ledger.run[-12:].lower()}"
        # No title is the slug of another page: a name that may mean two pages is refused.
        script = (
            ("cms_updatePage", {"pageId": SHARED, "title": f"written by {slug}"}),
            ("cms_createPage", {"title": slug, "slug": slug}),
            ("cms_updatePage", {"pageId": slug, "title": f"{slug} again"}),
            # Another title would be refused: others have changed it since this run did.
            ("cms_addSectionToPage", {"pageId": SHARED, "definitionId": "text", "content": {"content": slug}}),
        )
        if request.turn > len(script):
            return Completion(message='{"role":"assistant","content":"done"}', content="done")
        name, arguments = script[request.turn - 1]
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call-{request.turn}", "type": "function", "function": function}
        return completion_from_message(json.dumps({"role": "assistant", "content": None, "tool_calls": [call]}))


def cms_runtime(home: Path, database: Database, store: Store, lease: float) -> Runtime:
    """The runtime of one process, with a home of its own and its data in Postgres."""
    app = build(home / str(os.getpid()), database=database).app
    return Runtime(app, store=store, model=Editing(), directory=lambda _name, _tenant: EDITOR, lease_seconds=lease)


async def create_shared_page(url: str) -> None:
    """Create the page that all runs write, before any run."""
    cms = build(Path("unused"), database=Database(url))
    arguments = {"title": "Shared", "slug": SHARED}
    created = await Runtime(cms.app).call_by_name(
        "cms_createPage", Arguments(json.dumps(arguments), arguments), by=EDITOR
    )
    if created.status != "done":
        raise RuntimeError(created.text)
    await cms.database.close()


async def judge_site(url: str, store: Store) -> tuple[list[str], list[str]]:
    """What was lost and what was doubled of the writes of all runs.

    A run that has not ended is lost, and so is a write without its revision, or its end; one too many is doubled.
    """
    lost, doubled = list[str](), list[str]()
    database = Database(url)
    async with database.read() as session:
        counts = Counter((await session.scalars(select(Revision.run))).all())
    await database.close()
    for row in await store.list_runs(application=CMS, limit=10_000):
        items = [position.item for position in await store.read(row.run)]
        ended = sum(isinstance(item, ToolOutput) and item.outcome == "ok" for item in items) - 1
        if row.status != "done" or ended != WRITES:
            lost.append(f"run {row.run} is {row.status}, with {ended} ends of {WRITES}")
        if counts[row.run] != WRITES:
            wrong = lost if counts[row.run] < WRITES else doubled
            wrong.append(f"run {row.run} wrote {counts[row.run]} revisions of {WRITES}")
    return lost, doubled
