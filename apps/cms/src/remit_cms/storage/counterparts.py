"""Counterparts: the same document or section in several environments of a site, each with an id of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import ForeignKeyConstraint, Index, String, select
from sqlalchemy.orm import Mapped, mapped_column

from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Base, Page, PageSection, Scoped
from remit_cms.storage.transactions import Edit


class Counterpart(Scoped, Base):
    """A document or section that was copied from another environment.

    ``origin`` is the id of the first of them, which all copies have in common. The first one itself has no row.
    """

    __tablename__ = "counterparts"
    __table_args__ = (
        ForeignKeyConstraint(["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"),
        Index("counterparts_origin", "site", "environment", "origin", unique=True),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    origin: Mapped[str] = mapped_column(String(64))


async def find_origins(scope: Scope, ids: Collection[str]) -> dict[str, str]:
    """What the counterparts of these objects have in common, by id."""
    query = select(Counterpart.id, Counterpart.origin).where(Counterpart.id.in_(ids))
    return {each: each for each in ids} | {row.id: row.origin for row in await scope.session.execute(query)}


async def find_counterparts(scope: Scope, origins: dict[str, str]) -> dict[str, str]:
    """The documents and sections of an environment that have these origins, by the id elsewhere."""
    wanted = {*origins.values()}
    copies = select(Counterpart.origin, Counterpart.id).where(
        scope.target.row_filter(Counterpart), Counterpart.origin.in_(wanted)
    )
    pages = select(Page.id).where(scope.target.row_filter(Page), Page.id.in_(wanted))
    sections = select(PageSection.id).join(Page, Page.id == PageSection.page)
    sections = sections.where(scope.target.row_filter(Page), PageSection.id.in_(wanted))
    here = {row: row for query in (pages, sections) for row in await scope.session.scalars(query)}
    here |= {row.origin: row.id for row in await scope.session.execute(copies)}
    return {each: here[origin] for each, origin in origins.items() if origin in here}


async def add_counterparts(edit: Edit, copies: Iterable[tuple[str, str]]) -> None:
    """Say of which objects elsewhere new ones are copies: pairs of the id elsewhere and the new id."""
    pairs = [*copies]
    origins = await find_origins(edit, [old for old, _ in pairs])
    for old, new in pairs:
        if origins[old] != new:
            await edit.session.merge(Counterpart(**edit.target.row, id=new, origin=origins[old]))
    await edit.session.flush()
