"""Notes in notebooks: the tables of a small application."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import ForeignKey
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from remit.database import Schema, SqliteFile, UtcDateTime


class Base(DeclarativeBase):
    """All tables."""


class Notebook(Base):
    """A notebook."""

    __tablename__ = "notebooks"
    name: Mapped[str] = mapped_column(primary_key=True)


class Note(Base):
    """A note in it."""

    __tablename__ = "notes"
    title: Mapped[str] = mapped_column(primary_key=True)
    notebook: Mapped[str] = mapped_column(ForeignKey("notebooks.name"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


async def first_notebook(session: AsyncSession) -> None:
    """What a new file begins with."""
    if await session.get(Notebook, "first") is None:
        session.add(Notebook(name="first"))


MIGRATIONS: Final = Path(__file__).parent / "notes"


def notes(path: Path, *, busy_timeout: float = 10.0) -> SqliteFile:
    """The file of the notes."""
    schema = Schema(migrations=MIGRATIONS, head="0001", seed=first_notebook)
    return SqliteFile(path, schema, busy_timeout=busy_timeout, functions={"shout": str.upper})
