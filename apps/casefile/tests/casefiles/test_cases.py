"""Casefiles through the runtime: made, read, changed, found and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.world import Clock, rows
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import GmailMessage

TOOL, CHAT = "ts_260101_ann00000_00000a", "cs_260101_ann00000_00000b"


@pytest.fixture
def office(database: Database) -> Office:
    """An office of its own for each test."""
    return Office(database)


async def test_a_new_casefile_is_empty_belongs_to_its_maker_and_can_be_read_at_once(office: Office) -> None:
    made = await office.call("create_casefile", title="  Smith ", tags=["tax", "tax", "2026"])
    assert made == {
        "casefile_id": "cf_260101_000001",
        "title": "Smith",
        "created_at": "2026-01-01T00:00:00Z",
        "created_by": "ann",
    }
    read = await office.call("get_casefile", casefile_id=made["casefile_id"])
    assert read == {
        "your_level": "owner",
        "casefile": {
            "casefile_id": "cf_260101_000001",
            "title": "Smith",
            "tags": ["tax", "2026"],
            "owner_id": "ann",
            "state": "active",
            "updated_at": "2026-01-01T00:00:00Z",
            "description": "",
            "notes": "",
            "public_access": None,
            "created_at": "2026-01-01T00:00:00Z",
            "session_ids": [],
        },
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"title": ""},
        {"title": "   "},
        {"title": "x" * 201},
        {"title": "x", "description": "x" * 2001},
        {"title": "x", "tags": [""]},
        {"title": "x", "owner": "bob"},
        {"title": "x", "user_id": "bob"},
        {"title": "x", "timeout_seconds": 5},
        {"title": "x", "metadata": {"tenant": "other"}},
    ],
)
async def test_what_is_no_parameter_of_a_casefile_is_refused(office: Office, arguments: dict[str, Any]) -> None:
    refused = await office.call("create_casefile", **arguments)
    assert refused["errorCode"] == "VALIDATION_ERROR"
    assert await rows(office.database, "casefiles") == {"casefiles": 0}


async def test_an_update_changes_what_is_said_and_reports_what_is_other_than_before(
    office: Office, clock: Clock
) -> None:
    casefile = await office.casefile(description="about tax", tags=["tax"])
    clock.advance(hours=1)
    done = await office.call(
        "update_casefile", casefile_id=casefile, title="Smith", tags=["tax", "vat"], notes="call on Monday"
    )
    assert done["updated_fields"] == ["tags", "notes"]
    assert done["casefile"]["tags"] == ["tax", "vat"]
    assert done["casefile"]["description"] == "about tax"
    assert done["casefile"]["updated_at"] == "2026-01-01T01:00:00Z"
    again = await office.call("update_casefile", casefile_id=casefile, description="")
    assert (again["updated_fields"], again["casefile"]["description"]) == (["description"], "")


async def test_an_update_of_nothing_is_told_what_it_may_change(office: Office) -> None:
    casefile = await office.casefile()
    refused = await office.call("update_casefile", casefile_id=casefile)
    assert "give title, description, tags or notes" in refused["error"]
    same = await office.call("update_casefile", casefile_id=casefile, title="Smith")
    assert same["updated_fields"] == []


async def test_notes_that_somebody_else_has_written_meanwhile_are_kept(office: Office) -> None:
    casefile = await office.casefile()
    write = {"casefile_id": casefile, "expected_notes": ""}
    assert (await office.call("update_casefile", **write, notes="one"))["updated_fields"] == ["notes"]
    refused = await office.call("update_casefile", **write, notes="two", title="Jones")
    assert (refused["errorCode"], "read it again" in refused["error"]) == ("CONFLICT", True)
    kept = (await office.call("get_casefile", casefile_id=casefile))["casefile"]
    assert (kept["title"], kept["notes"]) == ("Smith", "one")
    alone = await office.call("update_casefile", casefile_id=casefile, expected_notes="one")
    assert "nothing to change" in alone["error"]


async def listed(office: Office, by: str = "ann", **asked: Any) -> list[str]:
    """The titles that are listed."""
    return [each["title"] for each in (await office.call("list_casefiles", by, **asked))["casefiles"]]


async def test_a_list_honours_tags_owner_and_words(office: Office, clock: Clock) -> None:
    for title, tags, text in (
        ("Smith", ["tax"], "VAT of 2025"),
        ("Jones", ["vat", "urgent"], ""),
        ("Übel & 100%", ["tax", "urgent"], "nothing_here"),
    ):
        clock.advance(minutes=1)
        await office.casefile(title, tags=tags, description=text)
    assert await listed(office) == ["Übel & 100%", "Jones", "Smith"]
    assert await listed(office, tags=["tax"]) == ["Übel & 100%", "Smith"]
    assert await listed(office, tags=["vat", "urgent"]) == ["Übel & 100%", "Jones"]
    assert await listed(office, tags=["ta"]) == []
    assert await listed(office, search_query="vat smith") == ["Smith"]
    assert await listed(office, search_query="ÜBEL") == ["Übel & 100%"]
    assert await listed(office, search_query="100%") == ["Übel & 100%"]
    assert await listed(office, search_query="g_h") == ["Übel & 100%"]
    assert await listed(office, search_query="o_n") == []
    assert await listed(office, tags=["urgent"], search_query="jones") == ["Jones"]
    assert await listed(office, user_id="bob") == []
    assert await listed(office, user_id="ann") == ["Übel & 100%", "Jones", "Smith"]


async def test_a_list_is_given_in_pages_and_counts_all(office: Office, clock: Clock) -> None:
    for title in "abcde":
        clock.advance(minutes=1)
        await office.casefile(title)
    page = await office.call("list_casefiles", limit=2, offset=1)
    assert [each["title"] for each in page["casefiles"]] == ["d", "c"]
    assert (page["total_count"], page["offset"], page["limit"]) == (5, 1, 2)
    assert (await office.call("list_casefiles", limit=101))["errorCode"] == "VALIDATION_ERROR"


async def test_a_list_shows_only_what_its_reader_may_see(office: Office, clock: Clock) -> None:
    mine, public, shared, over = [await office.casefile(title) for title in ("mine", "public", "shared", "over")]
    await office.change(public, public_access="viewer")
    await office.grant(shared, "bob", "viewer")
    await office.grant(over, "bob", "admin", expires_at=clock.now)
    assert sorted(await listed(office, "bob")) == ["public", "shared"]
    assert sorted(await listed(office, "ann")) == ["mine", "over", "public", "shared"]
    elsewhere = await office.call("list_casefiles", principal("ann", "other"))
    assert (elsewhere["casefiles"], elsewhere["total_count"]) == ([], 0)
    assert mine not in str(await office.call("list_casefiles", "bob", user_id="ann"))


async def test_to_delete_takes_a_second_call_and_a_person_who_sees_what_goes(office: Office) -> None:
    casefile = await office.casefile("Smith")
    await office.session(TOOL, casefile=casefile)
    await office.call("add_session_to_casefile", casefile_id=casefile, session_id=TOOL, session_type="tool")
    await office.grant(casefile, "bob", "viewer")
    mail = [
        GmailMessage(casefile=casefile, id=each, data={}, kept=True, synced_at=office.database.clock())
        for each in ("m1", "m2")
    ]
    await office.add(mail)
    first = await office.call("delete_casefile", casefile_id=casefile)
    assert first["deleted_at"] is None
    assert (
        "'Smith' with 1 session, 1 grant, 2 messages. Nothing is deleted until the person agrees." in first["message"]
    )
    assert (await rows(office.database, "casefiles")) == {"casefiles": 1}
    waits = await office.run("delete_casefile", casefile_id=casefile, confirm=True)
    assert waits.status == "waiting"
    (row,) = await office.runtime.store.list_questions()
    assert row.question.shown == "the casefile 'Smith' with 1 session, 1 grant, 2 messages"
    await office.runtime.decide(waits.questions[0], approved=True, by=principal())
    done = json.loads((await office.runtime.resume(waits.run)).text)
    assert (done["casefile_id"], done["title"]) == (casefile, "Smith")
    assert done["deleted_at"] == "2026-01-01T00:00:00Z"
    gone = await rows(office.database, "casefiles", "grants", "casefile_sessions", "gmail_messages", "sessions")
    assert gone == {"casefiles": 0, "grants": 0, "casefile_sessions": 0, "gmail_messages": 0, "sessions": 1}
    assert (await office.call("get_casefile", casefile_id=casefile))["errorCode"] == "NOT_FOUND"


async def test_a_casefile_that_is_no_longer_ones_own_when_the_yes_comes_stays(office: Office) -> None:
    casefile = await office.casefile("Smith")
    waits = await office.run("delete_casefile", casefile_id=casefile, confirm=True)
    await office.change(casefile, owner="bob")
    await office.runtime.decide(waits.questions[0], approved=True, by=principal())
    done = json.loads((await office.runtime.resume(waits.run)).text)
    assert done["errorCode"] == "NOT_FOUND"
    assert await rows(office.database, "casefiles") == {"casefiles": 1}


async def test_what_a_deletion_loses_is_shown_and_a_change_of_it_before_and_after(office: Office) -> None:
    casefile = await office.casefile("Smith")
    await office.change(casefile, notes="call Eve", tags=["tax", "2026"])
    waits = await office.run("delete_casefile", casefile_id=casefile, confirm=True)
    row = await office.runtime.store.find_question(waits.questions[0])
    assert row is not None
    before = "the casefile 'Smith' with nothing in it\ntags (9 characters): tax, 2026\nnotes (8 characters): call Eve"
    assert row.question.shown == before
    await office.change(casefile, notes="x" * 5000)
    await office.runtime.decide(waits.questions[0], approved=True, by=principal())
    again = await office.runtime.resume(waits.run)
    row = await office.runtime.store.find_question(again.questions[0])
    assert row is not None
    assert row.question.shown.endswith(f"\nnotes (5,000 characters): {'x' * 400}…")
    assert row.question.why.endswith(f"it was {before}")


async def test_a_casefile_with_new_contents_when_the_yes_comes_is_asked_about_anew(office: Office) -> None:
    casefile = await office.casefile("Smith")
    waits = await office.run("delete_casefile", casefile_id=casefile, confirm=True)
    await office.grant(casefile, "bob", "viewer")
    await office.runtime.decide(waits.questions[0], approved=True, by=principal())
    again = await office.runtime.resume(waits.run)
    assert again.status == "waiting"
    row = await office.runtime.store.find_question(again.questions[0])
    assert row is not None
    assert row.question.shown == "the casefile 'Smith' with 1 grant"
    assert row.question.why.endswith("it was the casefile 'Smith' with nothing in it")
    await office.runtime.decide(again.questions[0], approved=True, by=principal())
    await office.runtime.resume(waits.run)
    assert await rows(office.database, "casefiles") == {"casefiles": 0}


async def test_nobody_but_the_owner_deletes_and_no_person_is_asked_about_it(office: Office) -> None:
    casefile = await office.casefile("Smith")
    await office.grant(casefile, "bob", "admin")
    refused = await office.call("delete_casefile", "bob", casefile_id=casefile, confirm=True)
    assert refused["errorCode"] == "PERMISSION_DENIED"
    assert "delete_casefile needs the level owner" in refused["error"]
    assert list(await office.runtime.store.list_questions()) == []


async def test_a_session_that_is_added_works_in_the_casefile_from_then_on(office: Office) -> None:
    casefile = await office.casefile()
    await office.session(TOOL)
    await office.session(CHAT)
    await office.call("add_session_to_casefile", casefile_id=casefile, session_id=TOOL, session_type="tool")
    chat = {"casefile_id": casefile, "session_id": CHAT, "session_type": "chat"}
    for _ in range(2):
        assert (await office.call("add_session_to_casefile", **chat))["session_ids"] == [CHAT, TOOL]
    assert (await office.call("get_casefile", casefile_id=casefile))["casefile"]["session_ids"] == [CHAT, TOOL]
    other = await office.casefile("Jones")
    await office.call("add_session_to_casefile", casefile_id=other, session_id=TOOL, session_type="tool")
    assert await rows(office.database, "casefile_sessions") == {"casefile_sessions": 3}


@pytest.mark.parametrize(
    ("session", "kind", "code"),
    [
        ("ts_260101_ann00000_ffffff", "tool", "NOT_FOUND"),
        ("ts_260101_bob00000_00000c", "tool", "NOT_FOUND"),
        ("ts_260101_far00000_00000d", "tool", "NOT_FOUND"),
        ("ts_260101_end00000_00000e", "tool", "CONFLICT"),
        (CHAT, "tool", "VALIDATION_ERROR"),
        ("anything", "chat", "VALIDATION_ERROR"),
    ],
)
async def test_a_session_that_cannot_be_added_is_an_error_and_adds_nothing(
    office: Office, session: str, kind: str, code: str
) -> None:
    casefile = await office.casefile()
    await office.session("ts_260101_bob00000_00000c", "bob")
    await office.session("ts_260101_far00000_00000d", tenant="other")
    await office.session("ts_260101_end00000_00000e", state="closed")
    refused = await office.call("add_session_to_casefile", casefile_id=casefile, session_id=session, session_type=kind)
    assert refused["errorCode"] == code
    assert await rows(office.database, "casefile_sessions") == {"casefile_sessions": 0}


async def test_an_archived_casefile_is_read_and_not_changed(office: Office) -> None:
    casefile = await office.casefile()
    await office.change(casefile, state="archived")
    assert (await office.call("get_casefile", casefile_id=casefile))["casefile"]["state"] == "archived"
    refused = await office.call("update_casefile", casefile_id=casefile, title="x")
    assert refused["error"] == f"casefile '{casefile}' is archived; update_casefile needs one that is active"


async def test_a_permission_of_a_role_is_needed_beside_the_level(office: Office) -> None:
    casefile = await office.casefile()
    reader = principal("ann", "default", "casefiles:read")
    assert (await office.call("get_casefile", reader, casefile_id=casefile))["your_level"] == "owner"
    refused = await office.call("update_casefile", reader, casefile_id=casefile, title="x")
    assert "missing permission casefiles:write" in refused["error"]
