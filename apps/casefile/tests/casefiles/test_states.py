"""A casefile is archived and taken up again, and opened to everybody of its tenant and closed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from apps.casefile.tests.desk import Desk
from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.world import Clock
from remit_casefile.storage.database import Database


@pytest.fixture
def office(database: Database) -> Office:
    """An office of its own for each test."""
    return Office(database)


async def test_an_archived_casefile_can_be_read_and_takes_in_no_more(database: Database) -> None:
    desk = Desk(database)
    casefile = await desk.casefile()
    done = await desk.call("archive_casefile", casefile_id=casefile, archived=True)
    assert done == {"casefile_id": casefile, "state": "archived", "changed": True}
    writes: dict[str, dict[str, Any]] = {
        "update_casefile": {"title": "Jones"},
        "grant_permission": {"target_user_id": "bob", "permission": "viewer"},
        "store_gmail_messages": {"messages": []},
        "store_drive_files": {"files": []},
        "store_sheet_data": {"sheet_payloads": []},
        "sync_gmail": {},
        "sync_drive": {},
        "sync_sheets": {},
    }
    for name, arguments in writes.items():
        assert (await desk.call(name, casefile_id=casefile, **arguments))["errorCode"] == "BLOCKED", name
    for name in ("get_casefile", "list_permissions", "list_casefile_messages"):
        assert "error" not in await desk.call(name, casefile_id=casefile), name


async def test_a_casefile_that_is_taken_up_again_can_be_changed(office: Office, clock: Clock) -> None:
    casefile = await office.casefile()
    clock.advance(hours=1)
    for archived, state, changed in ((True, "archived", True), (True, "archived", False), (False, "active", True)):
        done = await office.call("archive_casefile", casefile_id=casefile, archived=archived)
        assert (done["state"], done["changed"]) == (state, changed)
    assert (await office.call("update_casefile", casefile_id=casefile, title="Jones"))["updated_fields"] == ["title"]
    assert (await office.call("get_casefile", casefile_id=casefile))["casefile"]["updated_at"] == "2026-01-01T01:00:00Z"


@pytest.mark.parametrize(
    ("tool", "arguments"), [("archive_casefile", {"archived": True}), ("set_public_access", {"level": "editor"})]
)
@pytest.mark.parametrize(("level", "may"), [("viewer", False), ("editor", False), ("admin", True), ("owner", True)])
async def test_admins_say_how_a_casefile_stands(
    office: Office, tool: str, arguments: dict[str, Any], level: str, may: bool
) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", level)
    said = await office.call(tool, "bob", casefile_id=casefile, **arguments)
    assert ("needs the level admin" not in said.get("error", "")) is may
    assert ("error" in said) is not may
    assert (await office.call(tool, "cleo", casefile_id=casefile, **arguments))["errorCode"] == (
        "PERMISSION_DENIED" if may and tool == "set_public_access" else "NOT_FOUND"
    )


@pytest.mark.parametrize("level", ["viewer", "editor"])
async def test_what_is_public_is_so_for_everybody_of_the_tenant_and_for_nobody_else(office: Office, level: str) -> None:
    casefile = await office.casefile()
    done = await office.call("set_public_access", casefile_id=casefile, level=level)
    assert done == {"casefile_id": casefile, "public_access": level, "before": None}
    assert (await office.call("get_casefile", "stranger", casefile_id=casefile))["your_level"] == level
    assert (await office.call("list_permissions", casefile_id=casefile))["public_access"] == level
    changed = await office.call("update_casefile", "stranger", casefile_id=casefile, notes="seen")
    assert changed.get("errorCode", "") == ("" if level == "editor" else "PERMISSION_DENIED")
    for name in ("stranger", "ann"):
        foreign = principal(name, "elsewhere")
        assert (await office.call("get_casefile", foreign, casefile_id=casefile))["errorCode"] == "NOT_FOUND"
        assert (await office.call("list_casefiles", foreign))["total_count"] == 0
    closed = await office.call("set_public_access", casefile_id=casefile, level=None)
    assert (closed["public_access"], closed["before"]) == (None, level)
    assert (await office.call("get_casefile", "stranger", casefile_id=casefile))["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize("level", ["admin", "owner", "none", "read"])
async def test_nobody_makes_everybody_an_admin(office: Office, level: str) -> None:
    casefile = await office.casefile()
    said = await office.call("set_public_access", casefile_id=casefile, level=level)
    assert said["errorCode"] == "VALIDATION_ERROR"
    assert (await office.call("get_casefile", casefile_id=casefile))["casefile"]["public_access"] is None


async def test_whose_own_grant_ends_opens_nothing_without_an_end_and_may_close_it(office: Office, clock: Clock) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", "admin", expires_at=clock() + timedelta(hours=1))
    refused = await office.call("set_public_access", "bob", casefile_id=casefile, level="viewer")
    assert (refused["errorCode"], "public access has no end" in refused["error"]) == ("PERMISSION_DENIED", True)
    await office.call("set_public_access", casefile_id=casefile, level="viewer")
    assert (await office.call("set_public_access", "bob", casefile_id=casefile, level=None))["before"] == "viewer"
