"""The files of a journal are private to their owner, and belong to the process that opened them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from remit.errors import JournalError, SetupError
from remit.journal.sql.store import SqlStore
from remit.record.artifact import ArtifactScope, digest_of
from remit.testing.store_suite.samples import begin
from tests.children import run_in_child
from tests.private_files import modes_below, usual_umask

Opening = Callable[[Path | str], SqlStore]


async def test_all_files_of_a_journal_given_by_its_url_are_their_owners_alone(tmp_path: Path, opening: Opening) -> None:
    with usual_umask():
        store = opening(f"sqlite:///{tmp_path}/journal.db")
        await begin(store)
        await store.add_artifact(digest_of(b"content"), ArtifactScope("acme", "ada"), b"content")
        modes = modes_below(tmp_path)
    assert {"journal.db", "journal.db-wal", "journal.db-shm", "journal.db.key", "journal.db.artifacts"} < modes.keys()
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


async def test_what_others_may_have_put_in_place_of_a_journal_is_not_opened(tmp_path: Path, opening: Opening) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "other.db")
    with pytest.raises(SetupError, match=r"link\.db is a symbolic link"):
        await opening(f"sqlite:///{tmp_path}/link.db").list_runs()
    (tmp_path / "journal.db").touch(mode=0o600)
    (tmp_path / "journal.db-wal").symlink_to(tmp_path / "other.db")
    with pytest.raises(SetupError, match=r"journal\.db-wal is a symbolic link"):
        await opening(f"sqlite:///{tmp_path}/journal.db").list_runs()
    with pytest.raises(JournalError, match=r"none/journal\.db could not be read: .*No such file"):
        await opening(f"sqlite:///{tmp_path}/none/journal.db").list_runs()


@pytest.mark.process
async def test_a_store_that_is_open_refuses_calls_in_a_forked_child_and_goes_on_in_its_parent(
    file: Path, opening: Opening
) -> None:
    store = opening(file)
    await begin(store, "first")

    async def use_in_child() -> None:
        with pytest.raises(JournalError, match="the journal was opened by the process that this one was forked from"):
            await asyncio.wait_for(store.list_runs(), 20)
        with pytest.raises(JournalError, match="open it in this process"):
            await asyncio.wait_for(begin(store, "third"), 20)
        await asyncio.wait_for(store.close(), 20)
        again = SqlStore.at(file)
        assert [row.run for row in await asyncio.wait_for(again.list_runs(), 20)] == ["first"]
        await again.close()

    assert run_in_child(lambda: asyncio.run(use_in_child())) == 0
    await begin(store, "second")
    assert {row.run for row in await store.list_runs()} == {"first", "second"}
