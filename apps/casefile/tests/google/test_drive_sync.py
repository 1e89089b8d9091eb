"""Syncing files: what is new comes, what is gone goes, and whatever fails comes later."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import broken, busy
from apps.casefile.tests.google.world import World
from remit.errors import ExternalError
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.payloads.sync import DriveSynced

LIST, CHANGES = "drive.files.list", "drive.changes.list"


class Copies:
    """A keeper of copies: it does what a sync tells it, and nothing else."""

    def __init__(self, sync: DriveSync) -> None:
        self._sync = sync
        self.names: dict[str, str] = {}
        self.token: str | None = None

    async def update(self) -> DriveSynced:
        synced = await self._sync.sync(self.token)
        self.token = synced.sync_token
        self.names |= {file.id: file.name for file in synced.files}
        gone = set(synced.removed)
        if synced.present is not None:
            gone |= set(self.names) - set(synced.present)
        self.names = {key: name for key, name in self.names.items() if key not in gone}
        return synced


@pytest.fixture
def copies(world: World) -> Copies:
    return Copies(DriveSync(world.drive, patience=world.patience))


def there(world: World) -> dict[str, str]:
    """What there is in the Drive, but for the trash."""
    return {key: file["name"] for key, file in world.google.drive.files.items() if not file["trashed"]}


def put(world: World, count: int, *, parent: str = "root", trashed: bool = False) -> list[str]:
    drive = world.google.drive
    return [drive.put(f"file {number}", b"x", parents=[parent], trashed=trashed) for number in range(count)]


async def test_the_first_sync_brings_everything(world: World, copies: Copies) -> None:
    put(world, 10)

    synced = await copies.update()

    assert (synced.status, synced.full, len(synced.files)) == ("completed", True, 10)
    assert copies.names == there(world)


async def test_a_later_sync_brings_only_what_changed(world: World, copies: Copies) -> None:
    old = put(world, 6)
    await copies.update()
    new = put(world, 3)
    world.google.drive.change(old[0], name="renamed")
    world.google.drive.change(old[1], trashed=True)
    world.google.drive.delete(old[2])
    world.google.drive.change(old[0], name="renamed again")

    synced = await copies.update()

    assert (synced.status, synced.full) == ("completed", False)
    assert {file.id for file in synced.files} == {*new, old[0]}
    assert set(synced.removed) == {old[1], old[2]}
    assert copies.names == there(world)


async def test_a_file_that_left_the_trash_comes_back(world: World, copies: Copies) -> None:
    key, *_ = put(world, 1, trashed=True)
    await copies.update()
    world.google.drive.change(key, trashed=False)

    await copies.update()

    assert copies.names == there(world) == {key: "file 0"}


async def test_a_token_that_is_taken_no_more_brings_everything_anew(world: World, copies: Copies) -> None:
    old = put(world, 4)
    await copies.update()
    world.google.drive.delete(old[0])
    put(world, 2)
    world.google.drive.forget()

    synced = await copies.update()

    assert (synced.status, synced.full) == ("completed", True)
    assert copies.names == there(world)
    assert (await copies.update()).full is False


async def test_a_list_that_is_cut_keeps_what_came_and_begins_again(world: World, copies: Copies) -> None:
    put(world, 7)
    world.google.faults.plan(LIST, broken(), skip=1)

    synced = await copies.update()
    assert (synced.status, synced.present, len(copies.names)) == ("partial", None, 3)
    assert [each.what for each in synced.missing] == ["the list of files after page 1"]

    assert (await copies.update()).status == "completed"
    assert copies.names == there(world)


async def test_changes_that_are_cut_go_on_where_they_ended(world: World, copies: Copies) -> None:
    await copies.update()
    put(world, 8)
    world.google.faults.plan(CHANGES, broken(), skip=2)

    synced = await copies.update()
    assert (synced.status, synced.full, len(synced.files)) == ("partial", False, 6)

    rest = await copies.update()
    assert (rest.status, len(rest.files)) == ("completed", 2)
    assert copies.names == there(world)


async def test_a_search_that_was_not_everywhere_is_partial(world: World, copies: Copies) -> None:
    put(world, 2)
    world.google.drive.incomplete = True

    synced = await copies.update()
    assert (synced.status, synced.present) == ("partial", None)

    world.google.drive.incomplete = False
    assert (await copies.update()).full is True


async def test_where_not_even_the_first_page_comes_the_old_token_is_still_good(world: World, copies: Copies) -> None:
    await copies.update()
    put(world, 1)
    world.google.faults.plan(CHANGES, broken())

    with pytest.raises(ExternalError):
        await copies.update()
    await copies.update()

    assert copies.names == there(world)


async def test_a_sync_waits_as_long_as_google_asks(world: World, copies: Copies) -> None:
    world.google.faults.plan(LIST, busy("4"), times=2)

    assert (await copies.update()).status == "completed"
    assert world.waited == [4.0, 4.0]


async def test_of_a_folder_only_its_files_are_kept(world: World) -> None:
    copies = Copies(DriveSync(world.drive, folder_id="folder", patience=world.patience))
    one, two = put(world, 2, parent="folder")
    other, *_ = put(world, 1)
    await copies.update()
    assert set(copies.names) == {one, two}

    world.google.drive.change(one, parents=["root"])
    world.google.drive.change(other, parents=["folder"])
    await copies.update()

    assert set(copies.names) == {two, other}


async def test_whatever_fails_and_happens_meanwhile_nothing_is_lost(world: World, copies: Copies) -> None:
    """Each request of a sync fails once, while the files go on changing; in the end the copies are right."""
    for method in ("drive.changes.getStartPageToken", LIST, CHANGES):
        for skip in range(5):
            old = put(world, 3)
            world.google.faults.plan(method, broken(), skip=skip)
            if skip == 2:
                world.google.drive.forget()
            try:
                await copies.update()
            except ExternalError:
                assert world.google.asked[-1] == method
            world.google.drive.delete(old[0])
            world.google.drive.change(old[1], name="renamed")
            world.google.faults.clear()
    while (await copies.update()).status != "completed":
        pass

    assert copies.names == there(world)
