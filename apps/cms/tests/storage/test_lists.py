"""Lists: cursors lead to everything once, whatever happens between, and those of other lists are refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from pydantic import BaseModel
from sqlalchemy import select

from apps.cms.tests.world import ELSEWHERE, HOME, START, World
from remit.errors import InvalidArgumentsError
from remit_cms.models import ListPayload
from remit_cms.storage.lists import BYTES_PER_TOKEN, MAX_READ_TOKENS, ListSlice, Order, list_items, list_rows
from remit_cms.storage.tables import ChangeSet
from remit_cms.storage.transactions import open_view

CAP = MAX_READ_TOKENS * BYTES_PER_TOKEN
BY_ID = Order((ChangeSet.id,))
NEWEST = Order((ChangeSet.created_at, ChangeSet.id), is_falling=True)
CLOSED_LAST = Order((ChangeSet.state != "open", ChangeSet.id))
ORDERS = (BY_ID, NEWEST, CLOSED_LAST)


class Text(BaseModel):
    """Something of a size."""

    text: str


async def add_sets(world: World, *ids: str) -> None:
    """Change sets of which two each are as old, and every third is closed."""
    async with world.database.write() as session:
        for number, each in enumerate(ids):
            made = START + timedelta(minutes=number // 2)
            state = "published" if number % 3 == 0 else "open"
            row = ChangeSet(id=each, site=HOME.site, environment=HOME.environment, name=each, created_at=made)
            row.conversation, row.state, row.author = None, state, "ann"
            session.add(row)


async def read(
    world: World, cursor: str | None = None, order: Order = BY_ID, limit: int = 3, name: str = "sets"
) -> ListSlice[ChangeSet]:
    async with open_view(world.database, HOME) as scope:
        payload = ListPayload(limit=limit, cursor=cursor)
        query = select(ChangeSet).where(scope.target.row_filter(ChangeSet))
        return await list_rows(scope, payload, query, order, name)


def ids_of(found: ListSlice[ChangeSet]) -> Sequence[str]:
    return [row.id for row in found.rows]


@pytest.mark.parametrize("order", ORDERS, ids=["rising", "falling", "by an expression"])
async def test_cursors_lead_to_every_row_once_in_the_order_of_the_list(world: World, order: Order) -> None:
    names = [f"s{number}" for number in range(8)]
    await add_sets(world, *names)
    found, cursor, sizes = list[str](), None, list[int]()
    while not sizes or cursor is not None:
        part = await read(world, cursor, order)
        found += ids_of(part)
        cursor, sizes = part.next_cursor, [*sizes, len(part.rows)]
        assert part.total == 8
    assert sizes == [3, 3, 2]
    assert found == [*ids_of(await read(world, None, order, limit=100))]
    assert sorted(found) == names


async def test_a_row_that_is_gone_does_not_break_the_list_after_it(world: World) -> None:
    await add_sets(world, "a", "b", "c", "d")
    first = await read(world, limit=2)
    async with world.database.write() as session:
        await session.delete(await session.get_one(ChangeSet, "b"))
    assert ids_of(await read(world, first.next_cursor)) == ["c", "d"]


async def test_a_reply_says_what_it_shows_of_the_list(world: World) -> None:
    await add_sets(world, "a", "b", "c")
    first = await read(world, limit=2)
    assert first.describe("3 sets") == "3 sets. These are 2; for the next ones give nextCursor as cursor."
    last = await read(world, first.next_cursor, limit=2)
    assert last.next_cursor is None
    assert last.describe("3 sets.") == "3 sets. These are the last 1."
    assert (await read(world)).describe("3 sets") == "3 sets"


async def test_an_empty_list_has_no_cursor(world: World) -> None:
    found = await read(world)
    assert (ids_of(found), found.total, found.next_cursor, found.describe("0 sets")) == ([], 0, None, "0 sets")


@pytest.mark.parametrize("cursor", ["", "a", "s2", "AAAA", "bm90IGEgY3Vyc29y", "ä", "=", "%", "a b", "W10"])
async def test_a_cursor_that_was_made_up_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="is not the nextCursor of a reply to the same call; leave cursor"):
        await read(world, cursor)


async def test_a_cursor_of_another_list_or_target_or_with_another_place_is_refused(world: World) -> None:
    await add_sets(world, "a", "b", "c")
    cursor = (await read(world, limit=1)).next_cursor or ""
    with pytest.raises(InvalidArgumentsError, match="cursor"):
        await read(world, cursor, name="other sets")
    with pytest.raises(InvalidArgumentsError, match="cursor"):
        await read(world, cursor[:-1] + ("A" if cursor[-1] != "A" else "Q"))
    async with open_view(world.database, ELSEWHERE) as scope:
        with pytest.raises(InvalidArgumentsError, match="cursor"):
            await list_rows(scope, ListPayload(cursor=cursor), select(ChangeSet), BY_ID, "sets")


async def test_a_list_is_cut_where_a_reply_is_full_but_shows_one_thing_at_least(world: World) -> None:
    await add_sets(world, "a", "b", "c")
    found = await read(world)
    half, whole = Text(text="x" * (CAP // 2)), Text(text="x" * 2 * CAP)
    assert ids_of(found.fit([half, half, half])) == ["a"]
    assert ids_of(await read(world, found.fit([whole, half, half]).next_cursor)) == ["b", "c"]
    assert found.fit([Text(text="")] * 3) == found


async def test_a_list_that_is_read_as_a_whole_has_cursors_too(world: World) -> None:
    async with open_view(world.database, HOME) as scope:
        first = list_items(scope, None, ["a", "b", "c"], str, "letters", limit=2)
        assert (first.rows, first.total) == (["a", "b"], 3)
        last = list_items(scope, first.next_cursor, ["a", "b", "c"], str, "letters", limit=2)
        assert (last.rows, last.next_cursor, last.is_continued) == (["c"], None, True)
        with pytest.raises(InvalidArgumentsError, match="the list has changed"):
            list_items(scope, first.next_cursor, ["a", "c"], str, "letters")
        with pytest.raises(InvalidArgumentsError, match="same call"):
            list_items(scope, first.next_cursor, ["a", "b", "c"], str, "numbers")
