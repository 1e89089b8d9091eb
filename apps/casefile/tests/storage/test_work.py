"""Transactions of methods: within the caller's tenant, and once per id of the request."""

from __future__ import annotations

from uuid import uuid4

import pytest
from pydantic import BaseModel

from apps.casefile.tests.storage.test_database import casefile
from apps.casefile.tests.world import START, call_of, rows
from remit.errors import IdempotencyError, NotFoundError, ToolFailedError
from remit.inventory import Request
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, Session
from remit_casefile.storage.transactions import Edit, edit_once, open_view


class Asked(BaseModel):
    """What is asked."""

    title: str = "Smith"


class Made(BaseModel):
    """What was made."""

    id: str


class Make(Request[Asked], operation="make"):
    """Asks to make it."""


class Remake(Request[Asked], operation="remake"):
    """Asks for something else with the same words."""


async def make(edit: Edit) -> Made:
    """Write a casefile of the caller's."""
    made = await edit.draw_unused_id(Casefile, edit.ids.casefile)
    edit.session.add(casefile(made, edit.tenant))
    return Made(id=made)


async def test_a_request_that_comes_again_writes_nothing_and_gives_the_same(database: Database) -> None:
    request = Make(user_id="ann", payload=Asked())
    first = await edit_once(database, call_of(), request, Made, make)
    assert await edit_once(database, call_of(), request, Made, make) == first
    assert await rows(database, "casefiles", "remit_effects") == {"casefiles": 1, "remit_effects": 1}


@pytest.mark.parametrize(
    ("person", "kind", "title"), [("bob", Make, "Smith"), ("ann", Remake, "Smith"), ("ann", Make, "Jones")]
)
async def test_an_id_is_not_used_for_another_person_operation_or_payload(
    database: Database, person: str, kind: type[Make | Remake], title: str
) -> None:
    used = uuid4()
    await edit_once(database, call_of(), Make(request_id=used, user_id="ann", payload=Asked()), Made, make)
    again = kind(request_id=used, user_id=person, payload=Asked(title=title))
    with pytest.raises(IdempotencyError):
        await edit_once(database, call_of(person), again, Made, make)
    assert await rows(database, "casefiles") == {"casefiles": 1}


async def test_another_tenant_may_use_the_same_id(database: Database) -> None:
    request = Make(user_id="ann", payload=Asked())
    first = await edit_once(database, call_of(), request, Made, make)
    assert await edit_once(database, call_of(tenant="other"), request, Made, make) != first


async def test_a_row_of_another_tenant_is_not_there_in_the_same_words(database: Database) -> None:
    made = await edit_once(database, call_of(), Make(user_id="ann", payload=Asked()), Made, make)
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
    async with database.write_session() as writing:
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

    made = [
        await edit_once(database, call_of(tenant=tenant), Make(user_id="ann", payload=Asked()), Made, work)
        for tenant in ("default", "other")
    ]
    assert [each.id for each in made] == ["cf_1", "cf_2"]


async def test_ids_that_are_all_taken_are_said_to_be(database: Database) -> None:
    async def work(edit: Edit) -> Made:
        made = await edit.draw_unused_id(Casefile, lambda: "cf_1")
        edit.session.add(casefile(made, edit.tenant))
        return Made(id=made)

    await edit_once(database, call_of(), Make(user_id="ann", payload=Asked()), Made, work)
    with pytest.raises(ToolFailedError, match="no unused id for casefiles in 20 draws"):
        await edit_once(database, call_of(), Make(user_id="ann", payload=Asked()), Made, work)
