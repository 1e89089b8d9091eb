"""Transactions of methods: within the caller's tenant, and once per key of the call."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from apps.casefile.tests.storage.test_database import casefile
from apps.casefile.tests.world import START, call_of, rows
from remit.errors import IdempotencyError, InternalError, NotFoundError
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, Session
from remit_casefile.storage.transactions import Edit, edit_once, open_view


class Asked(BaseModel):
    """What is asked."""

    title: str = "Smith"


class Made(BaseModel):
    """What was made."""

    id: str


async def make(edit: Edit) -> Made:
    """Write a casefile of the caller's."""
    made = await edit.draw_unused_id(Casefile, edit.ids.casefile)
    edit.session.add(casefile(made, edit.tenant))
    return Made(id=made)


async def test_a_request_that_comes_again_writes_nothing_and_gives_the_same(database: Database) -> None:
    first = await edit_once(database, call_of(), Asked(), Made, make)
    assert await edit_once(database, call_of(), Asked(), Made, make) == first
    assert await rows(database, "casefiles", "remit_effects") == {"casefiles": 1, "remit_effects": 1}


class AskedAgain(Asked):
    """Asks for something else with the same words."""


@pytest.mark.parametrize(
    ("person", "payload"), [("bob", Asked()), ("ann", AskedAgain()), ("ann", Asked(title="Jones"))]
)
async def test_a_key_is_not_used_for_another_person_or_payload(database: Database, person: str, payload: Asked) -> None:
    await edit_once(database, call_of(), Asked(), Made, make)
    with pytest.raises(IdempotencyError):
        await edit_once(database, call_of(person), payload, Made, make)
    assert await rows(database, "casefiles") == {"casefiles": 1}


async def test_another_tenant_may_use_the_same_id(database: Database) -> None:
    first = await edit_once(database, call_of(), Asked(), Made, make)
    assert await edit_once(database, call_of(tenant="other"), Asked(), Made, make) != first


async def test_a_row_of_another_tenant_is_not_there_in_the_same_words(database: Database) -> None:
    made = await edit_once(database, call_of(), Asked(), Made, make)
    session = Session(
        id="ts_1",
        tenant="default",
        kind="tool",
        user="ann",
        title="",
        state="active",
        created_at=START,
        updated_at=START,
        conversation="ts_1",
    )
    async with database.write() as writing:
        writing.add(session)
    async with open_view(database, call_of()) as view:
        assert (await view.get_casefile(made.id)).title == "Smith"
        assert (await view.get_session("ts_1")).user == "ann"
        assert (view.tenant, view.person, view.now) == ("default", "ann", START)
    said: list[str] = []
    async with open_view(database, call_of(tenant="other")) as view:
        for named in (made.id, "cf_260101_ffffff"):
            with pytest.raises(NotFoundError) as refused:
                await view.get_casefile(named)
            said.append(refused.value.message.replace(named, "ID"))
        for named in ("ts_1", "ts_2"):
            with pytest.raises(NotFoundError) as refused:
                await view.get_session(named)
            said.append(refused.value.message.replace(named, "ID"))
    assert said[0] == said[1]
    assert said[2] == said[3]


async def test_an_id_that_is_taken_is_drawn_again(database: Database) -> None:
    draws = iter(["cf_1", "cf_1", "cf_2"])

    async def work(edit: Edit) -> Made:
        made = await edit.draw_unused_id(Casefile, lambda: next(draws))
        edit.session.add(casefile(made, edit.tenant))
        return Made(id=made)

    made = [await edit_once(database, call_of(tenant=tenant), Asked(), Made, work) for tenant in ("default", "other")]
    assert [each.id for each in made] == ["cf_1", "cf_2"]


async def test_ids_that_are_all_taken_are_said_to_be(database: Database) -> None:
    async def work(edit: Edit) -> Made:
        made = await edit.draw_unused_id(Casefile, lambda: "cf_1")
        edit.session.add(casefile(made, edit.tenant))
        return Made(id=made)

    await edit_once(database, call_of(), Asked(), Made, work)
    with pytest.raises(InternalError, match="no unused id for casefiles in 20 draws"):
        await edit_once(database, call_of(key="another"), Asked(), Made, work)
