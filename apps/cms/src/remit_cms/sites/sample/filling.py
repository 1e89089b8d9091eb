"""Fills the first site of a new database with the sample."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.sites.sample.building import build_sample
from remit_cms.sites.writing import write_package
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.scope import Target, load_locales
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT
from remit_cms.storage.transactions import Edit

AUTHOR: Final = "sample"
"""The author of the revisions of the sample that no call wrote."""


async def fill_with_sample(database: Database, session: AsyncSession) -> None:
    """Write and publish the sample in the transaction that has made the first site.

    Unlike ``cms_seedSite`` this needs no approval: a new site has no content to lose and no visitors.
    """
    print("Making the sample site, once: this takes some seconds.", file=sys.stderr, flush=True)  # noqa: T201
    package, contents = await asyncio.to_thread(build_sample)
    edit = Edit(
        session=session,
        target=Target(FIRST_SITE, DEFAULT_ENVIRONMENT),
        locales=await load_locales(session, FIRST_SITE),
        author=AUTHOR,
        run="",
        conversation="",
        now=database.clock(),
        new_id=database.new_id,
        last_seen=_find_nothing_seen,
    )
    await write_package(edit, package, contents, "seed_site")
    await edit.count_edit()


async def _find_nothing_seen(*_: object, **__: object) -> dict[str, str]:
    return {}
