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
from remit.testing import superuser
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


def cms_runtime(home: Path, url: str, store: Store, lease: float) -> Runtime:
    """The runtime of one process, with a home of its own and its data in Postgres."""
    app = build(home / str(os.getpid()), database=LingeringDatabase(url)).app
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


async def judge_site(url: str, runs: set[str]) -> tuple[list[str], list[str]]:
    """What was lost and what was doubled of the writes of these runs."""
    database = Database(url)
    async with database.read() as session:
        rows = (await session.execute(select(Revision.run, Revision.page, Revision.number, Revision.action))).all()
    await database.close()
    counts = Counter(row.run for row in rows)
    lost = [f"run {run} wrote {counts[run]} revisions of {WRITES}" for run in sorted(runs) if counts[run] < WRITES]
    doubled = [f"run {run} wrote {counts[run]} revisions of {WRITES}" for run in sorted(runs) if counts[run] > WRITES]
    return lost, doubled
