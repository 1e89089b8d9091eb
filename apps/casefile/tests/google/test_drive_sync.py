"""Syncing files, beyond what every sync promises: the trash, and searches that do not reach everywhere."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import broken
from apps.casefile.tests.google.syncs import Copies, Files
from apps.casefile.tests.google.world import World
from remit_casefile.google.payloads.sync import DriveSyncResult


@pytest.fixture
def files(world: World) -> Files:
    return Files(world)


@pytest.fixture
def copies(files: Files) -> Copies[DriveSyncResult]:
    return Copies(files)


async def test_a_file_goes_into_the_trash_and_comes_back_out_of_it(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    key, *_ = files.put(1, trashed=True)
    await copies.update()
    assert copies.held == {}

    world.google.drive.change(key, trashed=False)
    await copies.update()
    assert copies.held == {key: "file 0"}

    world.google.drive.change(key, trashed=True)
    assert (await copies.update()).removed == [key]


async def test_of_several_changes_to_a_file_the_last_counts(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    old, gone = files.put(2)
    await copies.update()
    world.google.drive.change(old, name="renamed")
    world.google.drive.change(gone, name="renamed")
    world.google.drive.delete(gone)
    world.google.drive.change(old, name="renamed again")

    synced = await copies.update()

    assert ([file.name for file in synced.files], synced.removed) == (["renamed again"], [gone])


async def test_changes_that_are_cut_go_on_where_they_ended(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    await copies.update()
    files.put(8)
    world.google.faults.plan(files.changes, broken(), skip=2)

    assert len((await copies.update()).files) == 6
    assert len((await copies.update()).files) == 2


async def test_a_search_that_was_not_everywhere_is_partial(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    files.put(2)
    world.google.drive.incomplete = True

    synced = await copies.update()
    assert (synced.status, synced.present) == ("partial", None)

    world.google.drive.incomplete = False
    assert (await copies.update()).full is True
