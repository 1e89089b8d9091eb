"""An application with a database of its own: notes that an agent writes, renames and removes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from secrets import token_hex

from remit import Agent, App, Effect, Risk, tool
from remit.home import data_location


def _write(sql: str, *values: str) -> int:
    path = data_location(os.environ, "notes")
    assert isinstance(path, Path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, title TEXT)")
        return connection.execute(sql, values).rowcount


@tool(effect=Effect.IDEMPOTENT)
async def write_note(title: str) -> dict[str, str]:
    """Write a note."""
    ident = f"note_{token_hex(4)}0"
    _write("INSERT INTO notes VALUES (?, ?)", ident, title)
    return {"id": ident, "title": title}


@tool(effect=Effect.IDEMPOTENT)
async def rename_note(note: str, title: str) -> dict[str, object]:
    """Rename a note by its id."""
    return {"renamed": _write("UPDATE notes SET title = ? WHERE id = ?", title, note)}


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def remove_note(title: str) -> dict[str, object]:
    """Remove a note by its title."""
    return {"removed": _write("DELETE FROM notes WHERE title = ?", title)}


def app() -> App:
    """A new application each time."""
    _write("SELECT 1")
    instructions = os.environ.get("NOTES_PROMPT", "You keep notes.")
    return App(
        name="notes",
        agents=(Agent("keeper", instructions=instructions, tools=(write_note, rename_note, remove_note)),),
    )


ONE_FOR_ALL = App(name="notes", agents=(Agent("keeper", instructions="You keep notes."),))
