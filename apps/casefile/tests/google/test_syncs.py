"""What every sync promises: what is new comes, what is gone goes, and whatever fails comes later."""

from __future__ import annotations

from typing import Any

import pytest

from apps.casefile.tests.google.fake.faults import Cut, broken, busy
from apps.casefile.tests.google.syncs import Copies, Files, Mail, Side
from apps.casefile.tests.google.world import World
from remit.errors import ExternalError, InvalidArgumentsError

AnySide = Side[Any]


@pytest.fixture(params=[Mail, Files])
def kind(request: pytest.FixtureRequest) -> type[Mail | Files]:
    return request.param


@pytest.fixture
def side(world: World, kind: type[Mail | Files]) -> AnySide:
    return kind(world)


@pytest.fixture
def copies(side: AnySide) -> Copies[Any]:
    return Copies(side)


async def test_the_first_sync_brings_everything(side: AnySide, copies: Copies[Any]) -> None:
    side.put(10)

    synced = await copies.update()

    assert (synced.status, synced.full, len(side.copied(synced))) == ("completed", True, 10)
    assert copies.held == side.there()


async def test_a_later_sync_brings_only_what_changed(side: AnySide, copies: Copies[Any]) -> None:
    changed, gone, *_ = side.put(6)
    await copies.update()
    new = side.put(3)
    side.change(changed)
    side.delete(gone)

    synced = await copies.update()

    assert (synced.status, synced.full, synced.present) == ("completed", False, None)
    assert (set(side.copied(synced)), synced.removed) == ({*new, changed}, [gone])
    assert copies.held == side.there()


async def test_where_nothing_changed_nothing_comes(side: AnySide, copies: Copies[Any]) -> None:
    side.put(2)
    await copies.update()

    synced = await copies.update()

    assert (synced.status, side.copied(synced), synced.removed, synced.missing) == ("completed", {}, [], [])


async def test_a_token_that_is_too_old_brings_everything_anew(side: AnySide, copies: Copies[Any]) -> None:
    old = side.put(4)
    await copies.update()
    side.delete(old[0])
    side.put(2)
    side.forget()

    synced = await copies.update()

    assert (synced.status, synced.full) == ("completed", True)
    assert copies.held == side.there()
    assert (await copies.update()).full is False


@pytest.mark.parametrize("trouble", [broken(), Cut.AFTER, Cut.MIDWAY])
async def test_a_list_that_is_cut_keeps_what_came_and_begins_again(
    world: World, side: AnySide, copies: Copies[Any], trouble: Cut
) -> None:
    side.put(7)
    world.google.faults.plan(side.listing, trouble, skip=1, times=2)

    synced = await copies.update()
    assert (synced.status, synced.full, synced.present, len(copies.held)) == ("partial", True, None, 3)
    assert [each.what.partition(" after ")[2] for each in synced.missing] == ["page 1"]

    world.google.faults.clear()
    assert (await copies.update()).status == "completed"
    assert copies.held == side.there()


async def test_changes_that_are_cut_come_with_the_next_sync(world: World, side: AnySide, copies: Copies[Any]) -> None:
    await copies.update()
    side.put(8)
    world.google.faults.plan(side.changes, broken(), skip=2)

    synced = await copies.update()
    assert (synced.status, synced.full, len(copies.held)) == ("partial", False, 6)

    assert (await copies.update()).status == "completed"
    assert copies.held == side.there()


async def test_where_not_even_the_first_page_comes_the_old_token_is_still_good(
    world: World, side: AnySide, copies: Copies[Any]
) -> None:
    await copies.update()
    side.put(1)
    world.google.faults.plan(side.changes, broken())

    with pytest.raises(ExternalError):
        await copies.update()
    await copies.update()

    assert copies.held == side.there()


async def test_a_sync_waits_as_long_as_google_asks(world: World, side: AnySide, copies: Copies[Any]) -> None:
    side.put(1)
    world.google.faults.plan(side.listing, busy("4"), times=2)

    assert (await copies.update()).status == "completed"
    assert world.waited == [4.0, 4.0]


async def test_a_sync_does_not_wait_for_hours(world: World, side: AnySide, copies: Copies[Any]) -> None:
    side.put(1)
    world.google.faults.plan(side.listing, busy("86400"))

    await copies.update()

    assert world.waited == [60.0]


async def test_of_a_scope_only_what_is_in_it_is_kept(world: World, kind: type[Mail | Files]) -> None:
    side: AnySide = kind(world, scope="scope_1")
    copies: Copies[Any] = Copies(side)
    one, two = side.put(2, scope="scope_1")
    other, *_ = side.put(1)
    await copies.update()
    assert set(copies.held) == {one, two}

    side.move(one, scope="scope_1", into=False)
    side.move(other, scope="scope_1", into=True)
    synced = await copies.update()

    assert (synced.status, set(copies.held)) == ("completed", {two, other})


async def test_a_token_of_something_else_is_refused(copies: Copies[Any]) -> None:
    for token in ("", "123", '{"since": 1, "more": 2}'):
        copies.token = token
        with pytest.raises(InvalidArgumentsError, match="leave it out"):
            await copies.update()


async def test_whatever_fails_and_happens_meanwhile_nothing_is_lost(
    world: World, side: AnySide, copies: Copies[Any]
) -> None:
    """Each request of a sync fails once, while things go on changing; in the end the copies are right."""
    for method in (side.start, side.listing, *side.reads, side.changes):
        for skip in range(6):
            old = side.put(3)
            world.google.faults.plan(method, broken(), skip=skip)
            if skip == 2:
                side.forget()
            try:
                await copies.update()
            except ExternalError:
                assert world.google.asked[-1] == method
            side.delete(old[0])
            side.change(old[1])
            world.google.faults.clear()
    while (await copies.update()).status != "completed":
        pass

    assert copies.held == side.there()
