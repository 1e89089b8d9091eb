"""Writes the golden journal: `python -m tests.golden.write`. After the first release, that of its format stays.

It holds a conversation of three runs: one that is done, one that was asked about, approved and is done, one that waits.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from tests.golden.world import PERSON, runtime, store_at

GOLDEN = Path(__file__).parent / "journal.sql"


async def write(file: Path) -> None:
    """Drive the three runs into the journal at ``file``."""
    store = store_at(file, clock=lambda: 1_800_000_000.0)
    made = runtime(store)
    await made.run("Keep bread.", by=PERSON, conversation="words")
    asked = await made.run("Erase bread.", by=PERSON, conversation="words")
    await made.decide(asked.questions[0], approved=True, by=PERSON, reason="it is stale")
    await made.resume(asked.run)
    await made.run("Erase salt.", by=PERSON, conversation="words")
    await store.close()


def main() -> None:
    """Write it as SQL text, so that a difference can be read."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "journal.db"
        asyncio.run(write(file))
        with closing(sqlite3.connect(file)) as connection:
            text = "\n".join(connection.iterdump())
    GOLDEN.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
