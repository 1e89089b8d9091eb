"""A database makes its own tables, and writes once for each keyed call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import Column, MetaData, Table, Text, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from remit import App, Effect, LeafContext, Runtime, Tool, tool
from remit.database import Database, Schema
from remit.errors import ExternalError, SetupError
from remit.layers import Call, CallService, Reply, Retry, layer_fn
from remit.testing import superuser
from tests.database.conftest import Opening
from tests.database.tables import EFFECTS, Base, Notebook, first_notebook, notes


class Added(BaseModel):
    """What an addition gives."""

    notebooks: int


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return list(await session.scalars(select(Notebook.name).order_by(Notebook.name)))


def adding(database: Database) -> Tool[[str], Added]:
    @tool(effect=Effect.KEYED)
    async def add_notebook(ctx: LeafContext, name: str) -> Added:
        """Add a notebook."""

        async def write(session: AsyncSession) -> Added:
            session.add(Notebook(name=name))
            await session.flush()
            return Added(notebooks=await session.scalar(select(func.count()).select_from(Notebook)) or 0)

        return await database.once(ctx, Added, write)

    return add_notebook


@layer_fn
async def line_dies(call: Call, inner: CallService) -> Reply:
    """Lose the reply of the first attempt."""
    reply = await inner(call)
    if call.attempt == 1:
        raise ExternalError("the line went dead")
    return reply


async def test_a_keyed_call_writes_once_however_often_it_is_repeated(database: Database) -> None:
    made = adding(database).layer(line_dies()).layer(Retry(base_delay=0))
    result = await Runtime(App(name="notes", tools=[made])).call(made, superuser(), "mine")
    assert (result.value(), await names(database)) == (Added(notebooks=2), ["first", "mine"])
    async with database.read() as session:
        (key,) = await session.scalars(select(EFFECTS.c.key))
    assert key.startswith("default/")


async def test_once_is_given_the_context_of_a_call(database: Database) -> None:
    nothing: Any = None
    with pytest.raises(SetupError, match=r"^Database\.once: ctx is None; give the context of the call$"):
        await database.once(nothing, Added, nothing)


def plain(location: Path | str, name: str = "plain") -> Database:
    return Database(location, Schema(name=name, metadata=Base.metadata, seed=first_notebook))


async def test_tables_are_made_from_metadata_where_there_are_no_migrations(data_location: Path | str) -> None:
    first, second = plain(data_location), plain(data_location)
    assert await names(first) == ["first"]
    made = adding(first)
    await Runtime(App(name="notes", tools=[made])).call(made, superuser(), "mine")
    assert await names(second) == ["first", "mine"]
    await first.close()
    await second.close()


async def test_a_table_that_is_new_in_the_metadata_is_added_and_the_others_are_kept(data_location: Path | str) -> None:
    first = plain(data_location)
    async with first.write() as session:
        session.add(Notebook(name="mine"))
    await first.close()
    more = MetaData()
    Table("notebooks", more, Column("name", Text, primary_key=True))
    Table("shelves", more, Column("name", Text, primary_key=True))
    second = Database(data_location, Schema(name="plain", metadata=more))
    async with second.write() as session:
        await session.execute(text("INSERT INTO shelves VALUES ('a')"))
    assert await names(second) == ["first", "mine"]
    await second.close()


async def test_a_migrated_database_gets_the_table_of_effects(opening: Opening) -> None:
    first = opening()
    async with first.write() as session:
        await session.execute(text("DROP TABLE remit_effects"))
    second = opening()
    made = adding(second)
    await Runtime(App(name="notes", tools=[made])).call(made, superuser(), "mine")
    assert await names(second) == ["first", "mine"]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"head": "0001"},
        {"migrations": Path("notes")},
        {"metadata": MetaData(), "head": "0001"},
        {"metadata": MetaData(), "migrations": Path("notes"), "head": "0001"},
    ],
    ids=str,
)
def test_a_schema_is_made_from_metadata_or_from_migrations(given: dict[str, Any]) -> None:
    with pytest.raises(
        SetupError, match=r"^Schema\('notes'\): give metadata=Base.metadata, or migrations=FOLDER and head="
    ):
        Schema(name="notes", **given)


async def test_a_place_that_is_a_function_is_asked_each_time_the_database_is_opened(tmp_path: Path) -> None:
    places = [tmp_path / "one.db", tmp_path / "two.db"]
    database = Database(lambda: places[0], Schema(name="plain", metadata=Base.metadata, seed=first_notebook))
    assert (await names(database), database.file) == (["first"], places[0])
    await database.close()
    places.reverse()
    assert (await names(database), database.file) == (["first"], tmp_path / "two.db")
    assert repr(database) == f"Database({tmp_path / 'two.db'})"
    await database.close()


async def test_a_second_write_of_a_call_is_refused_instead_of_taken_for_a_repetition(database: Database) -> None:
    @tool(effect=Effect.KEYED)
    async def add_two(ctx: LeafContext) -> Added:
        """Add two notebooks."""

        async def write(session: AsyncSession) -> Added:
            session.add(Notebook(name="one"))
            return Added(notebooks=1)

        await database.once(ctx, Added, write)
        return await database.once(ctx, Added, write)

    result = await Runtime(App(name="notes", tools=[add_two])).call(add_two, superuser())
    assert "Database.once was already used in this call" in result.text
    assert "do both in one function" in result.text
    assert await names(database) == ["first", "one"]


async def test_a_second_write_of_a_call_is_refused_in_another_task_of_its_body_too(database: Database) -> None:
    @tool(effect=Effect.KEYED)
    async def add_two(ctx: LeafContext) -> Added:
        """Add two notebooks."""

        async def write(session: AsyncSession) -> Added:
            session.add(Notebook(name="one"))
            return Added(notebooks=1)

        await asyncio.create_task(database.once(ctx, Added, write))
        return await asyncio.create_task(database.once(ctx, Added, write))

    result = await Runtime(App(name="notes", tools=[add_two])).call(add_two, superuser())
    assert "Database.once was already used in this call" in result.text
    assert await names(database) == ["first", "one"]


async def test_a_test_may_give_a_stand_in_for_the_context_of_a_call(database: Database) -> None:
    async def write(session: AsyncSession) -> Added:
        session.add(Notebook(name="one"))
        return Added(notebooks=1)

    context: Any = SimpleNamespace(key="k", caller=SimpleNamespace(principal=superuser()))
    assert await database.once(context, Added, write) == Added(notebooks=1)


async def test_a_call_may_write_to_two_databases(database: Database, tmp_path: Path) -> None:
    other = notes(tmp_path / "other.db")

    @tool(effect=Effect.KEYED)
    async def add_two(ctx: LeafContext) -> Added:
        """Add a notebook to each database."""

        async def write(session: AsyncSession) -> Added:
            session.add(Notebook(name="one"))
            return Added(notebooks=1)

        await database.once(ctx, Added, write)
        return await other.once(ctx, Added, write)

    async with other:
        (await Runtime(App(name="notes", tools=[add_two])).call(add_two, superuser())).value()
        assert [await names(database), await names(other)] == [["first", "one"], ["first", "one"]]


async def test_a_result_of_another_type_writes_nothing(database: Database) -> None:
    @tool(effect=Effect.KEYED)
    async def add_wrongly(ctx: LeafContext) -> Added:
        """Add a notebook, and return what it does not promise."""

        async def write(session: AsyncSession) -> Any:
            session.add(Notebook(name="wrong"))
            return {"count": 1}

        return await database.once(ctx, Added, write)

    result = await Runtime(App(name="notes", tools=[add_wrongly])).call(add_wrongly, superuser())
    assert "once: the result is {'count': 1}; return what TypeAdapter(Added) can store" in result.text
    assert await names(database) == ["first"]
