"""Access lists through the runtime: who may let whom do what, and until when."""

from __future__ import annotations

from typing import Any

import pytest

from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.world import Clock, rows
from remit_casefile.casefiles.access_list import AccessList
from remit_casefile.storage.database import Database


@pytest.fixture
def office(database: Database) -> Office:
    """An office of its own for each test."""
    return Office(database)


async def test_a_grant_holds_from_the_next_call_on_and_so_does_its_end(office: Office) -> None:
    casefile = await office.casefile()
    named = {"casefile_id": casefile}
    assert (await office.call("get_casefile", "bob", **named))["errorCode"] == "NOT_FOUND"
    done = await office.call("grant_permission", **named, target_user_id="bob", permission="viewer", notes="helps")
    assert done["grant"] == {
        "user_id": "bob",
        "permission": "viewer",
        "granted_by": "ann",
        "granted_at": "2026-01-01T00:00:00Z",
        "expires_at": None,
        "expired": False,
        "notes": "helps",
    }
    assert (await office.call("get_casefile", "bob", **named))["your_level"] == "viewer"
    gone = await office.call("revoke_permission", **named, target_user_id="bob")
    assert gone == {"casefile_id": casefile, "target_user_id": "bob", "permission": "viewer"}
    assert (await office.call("get_casefile", "bob", **named))["errorCode"] == "NOT_FOUND"


async def test_a_grant_ends_at_its_time(office: Office, clock: Clock) -> None:
    casefile = await office.casefile()
    named = {"casefile_id": casefile}
    until = "2026-01-01T02:00:00+01:00"
    await office.call("grant_permission", **named, target_user_id="bob", permission="editor", expires_at=until)
    clock.advance(minutes=59)
    assert (await office.call("get_casefile", "bob", **named))["your_level"] == "editor"
    clock.advance(minutes=1)
    assert (await office.call("get_casefile", "bob", **named))["errorCode"] == "NOT_FOUND"
    (entry,) = (await office.call("list_permissions", **named))["grants"]
    assert (entry["expired"], entry["expires_at"]) == (True, "2026-01-01T01:00:00Z")


@pytest.mark.parametrize(
    ("expires_at", "code"), [("2026-01-01T00:00:00Z", "VALIDATION_ERROR"), ("2027-01-01T00:00:00", "VALIDATION_ERROR")]
)
async def test_an_end_that_is_over_or_has_no_zone_is_refused(office: Office, expires_at: str, code: str) -> None:
    refused = await office.call(
        "grant_permission",
        casefile_id=await office.casefile(),
        target_user_id="bob",
        permission="viewer",
        expires_at=expires_at,
    )
    assert refused["errorCode"] == code
    assert await rows(office.database, "grants") == {"grants": 0}


async def test_a_second_grant_takes_the_place_of_the_first(office: Office) -> None:
    named = {"casefile_id": await office.casefile(), "target_user_id": "bob"}
    for level in ("admin", "viewer"):
        await office.call("grant_permission", **named, permission=level)
    listed = await office.call("list_permissions", casefile_id=named["casefile_id"])
    assert [(each["user_id"], each["permission"]) for each in listed["grants"]] == [("bob", "viewer")]
    assert (listed["owner_id"], listed["public_access"]) == ("ann", None)


@pytest.mark.parametrize(("word", "meant"), [("read", "viewer"), ("write", "editor"), ("share", "admin")])
async def test_the_verb_of_a_permission_is_no_level_and_the_level_is_said(
    office: Office, word: str, meant: str
) -> None:
    refused = await office.call(
        "grant_permission", casefile_id=await office.casefile(), target_user_id="bob", permission=word
    )
    assert f"'{word}' is the verb of a permission, not a level; say '{meant}'" in refused["error"]


@pytest.mark.parametrize(
    ("level", "target", "granted", "said"),
    [
        ("editor", "eve", "viewer", "grant_permission needs the level admin"),
        ("admin", "eve", "owner", "you are admin of this casefile, and cannot grant owner"),
        ("admin", "bob", "owner", "you are admin of this casefile, and cannot grant owner"),
        ("admin", "ann", "viewer", "ann owns casefile"),
        ("admin", "dan", "viewer", "dan is owner of casefile"),
        ("owner", "ann", "viewer", "ann owns casefile"),
    ],
)
async def test_nobody_grants_more_than_they_have_or_changes_who_stands_higher(
    office: Office, level: str, target: str, granted: str, said: str
) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", level)
    await office.grant(casefile, "dan", "owner")
    refused = await office.call(
        "grant_permission", "bob", casefile_id=casefile, target_user_id=target, permission=granted
    )
    assert refused["errorCode"] == "PERMISSION_DENIED"
    assert said in refused["error"]
    assert await rows(office.database, "grants") == {"grants": 2}


async def test_nobody_grants_for_longer_than_they_have_it(office: Office, clock: Clock) -> None:
    casefile = await office.casefile()
    clock.advance(hours=1)
    await office.grant(casefile, "bob", "admin", expires_at=clock.now)
    clock.advance(hours=-1)
    ends = "2026-01-01T01:00:00Z"
    granted: dict[str, Any] = {"casefile_id": casefile, "permission": "admin"}
    for target in ("bob", "eve"):
        for longer in (None, "2026-01-01T01:00:01Z"):
            refused = await office.call("grant_permission", "bob", **granted, target_user_id=target, expires_at=longer)
            assert "your own grant ends at 2026-01-01T01:00:00+00:00" in refused["error"]
    done = await office.call("grant_permission", "bob", **granted, target_user_id="eve", expires_at=ends)
    assert done["grant"]["granted_by"] == "bob"


@pytest.mark.parametrize(
    ("by", "target", "code"),
    [
        ("bob", "ann", "PERMISSION_DENIED"),
        ("ann", "ann", "PERMISSION_DENIED"),
        ("bob", "dan", "PERMISSION_DENIED"),
        ("bob", "eve", "NOT_FOUND"),
    ],
)
async def test_an_owner_cannot_be_revoked_nor_who_stands_higher_nor_who_has_nothing(
    office: Office, by: str, target: str, code: str
) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", "admin")
    await office.grant(casefile, "dan", "owner")
    refused = await office.call("revoke_permission", by, casefile_id=casefile, target_user_id=target)
    assert refused["errorCode"] == code
    assert await rows(office.database, "grants") == {"grants": 2}


async def test_an_admin_may_give_up_their_own_grant(office: Office) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", "admin")
    assert (await office.call("revoke_permission", "bob", casefile_id=casefile, target_user_id="bob")).get(
        "permission"
    ) == "admin"


@pytest.mark.parametrize(
    ("level", "may"),
    [
        (None, (False, False, False, False)),
        ("viewer", (True, False, False, False)),
        ("editor", (True, True, False, False)),
        ("admin", (True, True, True, False)),
        ("owner", (True, True, True, True)),
    ],
)
async def test_a_check_says_what_somebody_may_do(office: Office, level: str | None, may: tuple[bool, ...]) -> None:
    casefile = await office.casefile()
    if level is not None:
        await office.grant(casefile, "bob", level)
    asked = {"casefile_id": casefile, "user_id": "bob", "required_permission": "editor"}
    found = await office.call("check_permission", **asked)
    assert found["permission"] == level
    assert tuple(found[f"can_{verb}"] for verb in ("read", "write", "share", "delete")) == may
    assert found["has_required_permission"] is may[1]


async def test_a_check_without_a_name_is_about_oneself(office: Office) -> None:
    found = await office.call("check_permission", casefile_id=await office.casefile(), required_permission="owner")
    assert (found["user_id"], found["has_required_permission"]) == ("ann", True)


async def test_what_everybody_may_do_counts_and_a_lower_grant_takes_nothing_away(office: Office) -> None:
    casefile = await office.casefile()
    await office.change(casefile, public_access="editor")
    await office.grant(casefile, "bob", "viewer")
    assert (await office.call("get_casefile", "bob", casefile_id=casefile))["your_level"] == "editor"
    assert (await office.call("get_casefile", "eve", casefile_id=casefile))["your_level"] == "editor"
    elsewhere = await office.call("get_casefile", principal("eve", "other"), casefile_id=casefile)
    assert elsewhere["errorCode"] == "NOT_FOUND"


async def test_a_user_whom_nobody_knows_is_granted_nothing(database: Database) -> None:
    access_list = AccessList(database, lambda name, tenant: principal(name) if name in ("ann", "bob") else None)
    office = Office(database, access_list=access_list)
    casefile = await office.casefile()
    refused = await office.call("grant_permission", casefile_id=casefile, target_user_id="bbo", permission="viewer")
    assert (refused["errorCode"], "No user 'bbo'" in refused["error"]) == ("NOT_FOUND", True)
    granted = await office.call("grant_permission", casefile_id=casefile, target_user_id="bob", permission="viewer")
    assert granted["grant"]["user_id"] == "bob"


async def test_an_application_that_knows_no_users_grants_nothing(database: Database) -> None:
    office = Office(database, access_list=AccessList(database, None))
    casefile = await office.casefile()
    refused = await office.call("grant_permission", casefile_id=casefile, target_user_id="bob", permission="viewer")
    assert (refused["errorCode"], "without users=" in refused["error"]) == ("CAPABILITY_ABSENT", True)


async def test_a_receipt_names_the_casefile_whose_list_was_changed(office: Office) -> None:
    casefile = await office.casefile("Smith")
    made = await office.run("grant_permission", casefile_id=casefile, target_user_id="bob", permission="viewer")
    assert [each.changed_objects for each in made.receipt.changed] == [("casefile Smith (grants)",)]
