"""A principal who may not see a casefile learns nothing of it and changes nothing, by any tool of the inventory.

The sample of the figure (`figures/acl_figure.py`) covers viewers, anonymous callers and tool requests. These tests
cover the other principals and routes.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.casefile.tests.desk import Desk
from apps.casefile.tests.office import principal
from figures import acl_narrowed, acl_paths, acl_sessions
from figures.acl import SAMPLE, find_leaks
from remit import Principal
from remit.tools import Arguments
from remit_casefile.storage.database import Database


@pytest.mark.slow
@pytest.mark.untraced
async def test_nobody_gets_past_an_access_list() -> None:
    wrong, looked_at = await find_leaks(names=SAMPLE)
    assert wrong == []
    assert looked_at > 60


@pytest.mark.slow
@pytest.mark.untraced
async def test_without_gates_the_same_rows_leak() -> None:
    wrong, _ = await find_leaks(names=("viewer", "nobody"), enforces=False)
    for tool in ("update_casefile", "list_permissions", "delete_casefile", "add_session_to_casefile"):
        assert any(f"by {tool}" in each for each in wrong), tool


@pytest.mark.slow
@pytest.mark.untraced
async def test_no_other_way_to_a_tool_leads_past_an_access_list() -> None:
    wrong, looked_at = await acl_paths.find_leaks(names=("viewer",), ways=("agent", "pipeline", "worker"))
    assert wrong == []
    assert looked_at > 30


@pytest.mark.slow
@pytest.mark.untraced
async def test_sessions_of_others_are_seen_by_admins_and_used_by_nobody() -> None:
    wrong, looked_at = await acl_sessions.find_leaks(names=("admin", "foreign namesake of the owner"))
    assert wrong == []
    assert looked_at == 24


@pytest.mark.slow
@pytest.mark.untraced
async def test_a_tool_that_is_narrowed_to_a_casefile_asks_its_access_list() -> None:
    wrong, looked_at = await acl_narrowed.find_leaks(names=("nobody", "expired"))
    assert wrong == []
    assert looked_at > 40


async def test_two_tenants_with_the_same_names_and_keys_do_not_meet(database: Database) -> None:
    desk = Desk(database)
    here, there = principal("ann"), principal("ann", "elsewhere")

    async def asked(by: Principal, name: str, at: str = "", **said: str) -> dict[str, Any]:
        arguments = Arguments(json.dumps(said), dict(said))
        result = await desk.runtime.call_by_name(
            name, arguments, by=by, conversation=at, idempotency_key=f"the same {name}"
        )
        return json.loads(result.text)

    mine, theirs = [await asked(by, "create_casefile", title="Smith") for by in (here, there)]
    assert mine["casefile_id"] != theirs["casefile_id"]
    again = await asked(here, "create_casefile", title="Smith")
    assert again == mine
    for by, own, other in ((here, mine, theirs), (there, theirs, mine)):
        listed = await desk.call("list_casefiles", by)
        assert [each["casefile_id"] for each in listed["casefiles"]] == [own["casefile_id"]]
        refused = await desk.call("get_casefile", by, casefile_id=other["casefile_id"])
        assert refused["errorCode"] == "NOT_FOUND"
        granted = await desk.call(
            "grant_permission", by, casefile_id=own["casefile_id"], target_user_id="bob", permission="admin"
        )
        assert "error" not in granted
        bob = principal("bob", "elsewhere" if by is here else "default")
        assert (await desk.call("get_casefile", bob, casefile_id=own["casefile_id"]))["errorCode"] == "NOT_FOUND"
