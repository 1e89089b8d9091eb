"""Pieces of answers are stored like items: not in a journal that is closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.errors import JournalError
from remit.stores import AnswerPiece, SqlStore


async def test_pieces_for_a_journal_that_is_closed_are_refused(tmp_path: Path) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    await store.acquire("run", "executor", 10)
    await store.close()
    with pytest.raises(JournalError, match="closed"):
        await store.write_pieces("run", 1, [AnswerPiece("call", 1, 0, "text", -1)])
