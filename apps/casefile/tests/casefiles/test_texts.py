"""Names and texts hold nothing that a reader does not see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.casefile.tests.office import Office
from apps.casefile.tests.world import rows
from remit_casefile.storage.database import Database


@pytest.fixture
def location(sqlite_location: Path) -> Path | str:
    """What these tests check does not depend on the kind of database."""
    return sqlite_location


@pytest.fixture
def office(database: Database) -> Office:
    """An office of its own for each test."""
    return Office(database)


@pytest.mark.parametrize(
    "name",
    [" bob", "bob ", "\tbob", "bob\n", "bo\x00b", "bo\nb", "bo\x85b", "\u202ebob", "bo\u200bb", "bo\u2028b", "*", "b*"],
)
async def test_nobody_has_a_name_that_looks_like_another(office: Office, name: str) -> None:
    casefile = await office.casefile()
    said = await office.call("grant_permission", casefile_id=casefile, target_user_id=name, permission="viewer")
    assert said["errorCode"] == "VALIDATION_ERROR"
    assert await rows(office.database, "grants") == {"grants": 0}


@pytest.mark.parametrize("name", ["bob", "bob@example.com", "Zoë 😀", "Ann Lee", "李雷"])
async def test_people_are_named_as_they_are(office: Office, name: str) -> None:
    casefile = await office.casefile()
    said = await office.call("grant_permission", casefile_id=casefile, target_user_id=name, permission="viewer")
    assert said["grant"]["user_id"] == name


async def test_a_grant_of_any_name_can_be_taken_back(office: Office) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob ", "viewer")
    said = await office.call("revoke_permission", casefile_id=casefile, target_user_id="bob ")
    assert said["permission"] == "viewer"


CONTROL = "is a control character; leave it out"
NUL = "the arguments contain the character NUL, which cannot be stored; leave that out"


@pytest.mark.parametrize(
    ("sign", "refusal"), [("\x00", NUL), *((sign, CONTROL) for sign in ("\x07", "\x1b[2J", "\x7f", "\x9b", "\r"))]
)
@pytest.mark.parametrize("field", ["title", "description", "notes", "tags"])
async def test_texts_hold_no_control_characters(office: Office, field: str, sign: str, refusal: str) -> None:
    casefile = await office.casefile()
    text = f"a{sign}b"
    changes: dict[str, Any] = {field: [text] if field == "tags" else text}
    said = await office.call("update_casefile", casefile_id=casefile, **changes)
    assert said["errorCode"] == "VALIDATION_ERROR"
    assert refusal in said["error"]


async def test_texts_have_lines_and_columns(office: Office) -> None:
    casefile = await office.casefile(description="a\tb\nc")
    said = await office.call("update_casefile", casefile_id=casefile, notes="one\n\ttwo\n")
    assert (said["casefile"]["description"], said["casefile"]["notes"]) == ("a\tb\nc", "one\n\ttwo\n")


async def test_why_something_is_granted_is_a_text_too(office: Office) -> None:
    asked = {"casefile_id": await office.casefile(), "target_user_id": "bob", "permission": "viewer"}
    assert (await office.call("grant_permission", **asked, notes="a\x00b"))["errorCode"] == "VALIDATION_ERROR"
    assert (await office.call("grant_permission", **asked, notes="a\nb"))["grant"]["notes"] == "a\nb"
