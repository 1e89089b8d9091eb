"""The conditions that select rows of a target."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select, text
from sqlalchemy.dialects import sqlite

from apps.cms.tests.world import ELSEWHERE, HOME, World
from remit_cms.storage.database import Database
from remit_cms.storage.tables import Page


async def test_rows_are_found_by_their_ids_in_their_own_site_alone(world: World) -> None:
    mine, foreign = await world.page("Mine"), await world.page("Foreign", tenant="other")
    async with world.database.read() as session:
        for target, page in ((HOME, mine), (ELSEWHERE, foreign)):
            chosen = target.id_filter(Page, Page.id, [mine.id, foreign.id, "none"])
            assert (await session.scalars(select(Page.id).where(chosen))).all() == [page.id]


async def test_sqlite_reads_no_other_rows_of_a_site_to_find_some_by_their_ids(sqlite_location: Path) -> None:
    database = Database(sqlite_location)
    query = select(Page).where(HOME.id_filter(Page, Page.id, ["a", "b"]))
    sql = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    async with database.read() as session:
        (step,) = (await session.execute(text(f"EXPLAIN QUERY PLAN {sql}"))).all()
    assert step.detail.endswith("(id=?)")
    await database.close()
