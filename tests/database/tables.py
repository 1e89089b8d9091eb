"""Notes in notebooks: the tables of a small application."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import ForeignKey, MetaData, String, Text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from remit.database import CASEFOLD, Database, FullText, Schema, SqlFunction, UtcDateTime
from remit.effects import effects_table

NOTE_TEXTS: Final = FullText("note_texts", key="note", columns={"title": 4.0, "body": 1.0})


class Base(DeclarativeBase):
    """All tables."""


EFFECTS: Final = effects_table(MetaData())


class Notebook(Base):
    """A notebook."""

    __tablename__ = "notebooks"
    name: Mapped[str] = mapped_column(Text, primary_key=True)


class Note(Base):
    """A note in it."""

    __tablename__ = "notes"
    title: Mapped[str] = mapped_column(String(20), primary_key=True)
    notebook: Mapped[str] = mapped_column(Text, ForeignKey("notebooks.name"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


def join(one: str, two: str) -> str:
    """A function for SQL."""
    return f"{one}+{two}"


async def first_notebook(session: AsyncSession) -> None:
    """What a new database begins with."""
    if await session.get(Notebook, "first") is None:
        session.add(Notebook(name="first"))


MIGRATIONS: Final = Path(__file__).parent / "notes"


def notes_schema(name: str = "notes") -> Schema:
    """The tables, in the schema of an application of that name."""
    functions = {
        "casefold": CASEFOLD,
        "joined": SqlFunction(python=join, postgres="$1 || '+' || $2", parameters=2),
    }
    return Schema(name=name, migrations=MIGRATIONS, head="0001", seed=first_notebook, functions=functions)


def notes(location: Path | str, *, name: str = "notes", busy_timeout: float = 10.0) -> Database:
    """The database of the notes."""
    return Database(location, notes_schema(name), busy_timeout=busy_timeout)
