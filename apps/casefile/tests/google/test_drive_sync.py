"""Syncing files, beyond what every sync promises: the trash, and searches that do not reach everywhere."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import broken
from apps.casefile.tests.google.syncs import Copies, Files
from apps.casefile.tests.google.world import World
from remit_casefile.google.payloads.drive import ListFiles
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


NAME = '"name": "{}"'


async def test_a_file_that_cannot_be_read_is_missing_until_it_can(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    odd, *_ = files.put(3)
    world.google.spoiled[NAME.format("file 0")] = '"name": 7'

    first = await copies.update()
    assert (first.status, [each.what for each in first.missing], len(first.files)) == ("partial", [odd], 2)
    assert (first.missing[0].code, len(copies.held)) == ("GOOGLE_UNEXPECTED", 2)
    assert [each.what for each in (await copies.update()).missing] == [odd]

    world.google.spoiled.clear()
    assert (await copies.update()).status == "completed"
    assert copies.held == files.there()


async def test_a_change_to_a_file_that_cannot_be_read_does_not_hide_others(
    world: World, files: Files, copies: Copies[DriveSyncResult]
) -> None:
    odd, away, gone = files.put(3)
    await copies.update()
    for key in (odd, away, gone):
        world.google.drive.change(key, name="odd")
    world.google.spoiled[NAME.format("odd")] = '"name": 7'
    new, *_ = files.put(1)

    synced = await copies.update()
    missing = sorted(each.what for each in synced.missing)
    assert ([each.id for each in synced.files], missing) == ([new], sorted([odd, away, gone]))
    assert len(copies.held) == 4

    world.google.spoiled.clear()
    world.google.drive.files[away]["trashed"] = True
    del world.google.drive.files[gone]
    synced = await copies.update()
    assert (synced.status, sorted(synced.removed)) == ("completed", sorted([away, gone]))
    assert copies.held == files.there()


async def test_files_that_cannot_be_read_are_named_in_a_list(world: World, files: Files) -> None:
    odd, *_ = files.put(2)
    world.google.spoiled[NAME.format("file 0")] = '"name": 7'

    found = await world.drive.list_files(ListFiles())
    assert (len(found.files), found.unreadable) == (1, [odd])
