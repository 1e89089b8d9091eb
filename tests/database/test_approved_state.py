"""A write compares what was approved within its own transaction: in SQLite, and in Postgres."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import delete, func, insert, select

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.database import Database
from remit.effects import once
from remit.errors import RateLimitedError
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Preview
from tests.approvals.site import ADA, decide, open_question
from tests.database.conftest import Opening
from tests.database.tables import Notebook

CLEAR = calls(("clear", {}))


class Cleared(BaseModel):
    """How many notebooks a call has removed."""

    removed: int


class Shelf:
    """A tool that removes all notebooks. ``before`` is done before its transaction begins, ``within`` as it begins."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.before: list[Callable[[], Awaitable[None]]] = []
        self.within: list[Callable[[], Awaitable[None]]] = []
        self.preview_writes = False

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def clear(ctx: LeafContext) -> Cleared:
            """Remove all notebooks."""
            if self.before:
                await self.before.pop()()
            async with database.write() as session:
                await session.connection()
                if self.within:
                    await self.within.pop()()

                async def work() -> Cleared:
                    count = await session.scalar(select(func.count()).select_from(Notebook)) or 0
                    await session.execute(delete(Notebook))
                    return Cleared(removed=count)

                return await once(session, ctx.key, Cleared, work)

        self.clear = clear.with_preview(self.preview)

    async def preview(self, _ctx: LeafContext, _payload: Any) -> Preview:
        async with self.database.read() as session:
            count = await session.scalar(select(func.count()).select_from(Notebook))
            if self.preview_writes and session in self.writing():
                await session.execute(insert(Notebook).values(name="by the preview"))
        return Preview(f"{count} notebooks", state=str(count))

    def writing(self) -> list[Any]:
        return [*self.database._sessions.values()]  # pyright: ignore[reportPrivateUsage]

    async def ask(self, store: InMemoryStore) -> Runtime:
        """A runtime whose agent waits for the approval of the tool."""
        agent = Agent("test", instructions="Work.", tools=[self.clear])
        runtime = Runtime(
            App(name="test", agents=(agent,)),
            store=store,
            model=Scripted([CLEAR, "done"]),
            directory=lambda name, _tenant: superuser(name=name),
        )
        assert (await runtime.run("go", by=ADA)).status == "waiting"
        return runtime


async def add(database: Database, name: str) -> None:
    async with database.write() as session:
        await session.execute(insert(Notebook).values(name=name))


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return [*await session.scalars(select(Notebook.name).order_by(Notebook.name))]


async def test_an_edit_after_the_check_of_the_approval_is_not_written_over(opening: Opening) -> None:
    shelf, other, store = Shelf(opening()), opening(), InMemoryStore()
    runtime = await shelf.ask(store)
    shelf.before.append(lambda: add(other, "second"))
    assert (await decide(runtime, store)).status == "waiting"
    assert await names(other) == ["first", "second"]
    assert (await open_question(store)).shown == "2 notebooks"
    assert (await decide(runtime, store)).status == "done"
    assert await names(other) == []


async def test_no_edit_comes_between_the_comparison_and_the_write(opening: Opening) -> None:
    shelf, other, store = Shelf(opening()), opening(busy_timeout=0.01), InMemoryStore()
    await names(other)
    runtime = await shelf.ask(store)

    async def edit() -> None:
        with pytest.raises(RateLimitedError):
            await add(other, "second")

    shelf.within.append(edit)
    assert (await decide(runtime, store)).status == "done"
    assert await names(other) == []


async def test_what_a_preview_writes_in_the_transaction_of_the_write_is_taken_back(opening: Opening) -> None:
    shelf, store = Shelf(opening()), InMemoryStore()
    runtime = await shelf.ask(store)
    shelf.preview_writes = True
    result = await decide(runtime, store)
    assert result.status == "done"
    (reply,) = [each for each in await runtime.history(result.run) if '"role":"tool"' in each]
    assert '{\\"removed\\":1}' in reply
    assert await names(shelf.database) == []


async def test_a_read_inside_of_a_write_of_the_same_task_sees_what_is_written(opening: Opening) -> None:
    database = opening()
    async with database.write() as session:
        await session.execute(insert(Notebook).values(name="second"))
        assert await names(database) == ["first", "second"]
    assert await names(database) == ["first", "second"]
