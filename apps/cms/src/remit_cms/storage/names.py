"""The index of names: the trigrams of the titles and slugs of pages, in all languages, to find similar ones by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from sqlalchemy import ForeignKey, Index, String, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from remit_cms.storage.tables import Base, Page, Scoped

_WORD: Final = re.compile(r"[^\W_]+")


class NameTrigram(Scoped, Base):
    """Three letters that stand together in a name of a page."""

    __tablename__ = "name_trigrams"
    __table_args__ = (Index("name_trigrams_page", "page"),)
    site: Mapped[str] = mapped_column(String(64), primary_key=True)
    environment: Mapped[str] = mapped_column(String(64), primary_key=True)
    trigram: Mapped[str] = mapped_column(String(3), primary_key=True)
    page: Mapped[str] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)


def trigrams_of(*names: str | None) -> set[str]:
    """The trigrams of names in lower case and without accents. A word has two spaces before it, and one after it."""
    letters = unicodedata.normalize("NFKD", " ".join(filter(None, names)).casefold())
    words = _WORD.findall("".join(each for each in letters if not unicodedata.combining(each)))
    return {f"  {word} "[place : place + 3] for word in words for place in range(len(word) + 1)}


async def index_names(session: AsyncSession, page: Page, names: Iterable[str | None]) -> None:
    """Let a page be found by these names, and by no earlier ones."""
    trigrams = trigrams_of(*names)
    indexed = set(await session.scalars(select(NameTrigram.trigram).where(NameTrigram.page == page.id)))
    if gone := indexed - trigrams:
        await session.execute(delete(NameTrigram).where(NameTrigram.page == page.id, NameTrigram.trigram.in_(gone)))
    if new := sorted(trigrams - indexed):
        row = {"site": page.site, "environment": page.environment, "page": page.id}
        await session.execute(insert(NameTrigram), [{**row, "trigram": each} for each in new])
