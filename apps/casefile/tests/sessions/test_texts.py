"""What is kept of sessions and chats holds nothing that a reader does not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.casefile.tests.desk import Desk, code_of, said_by
from apps.casefile.tests.world import rows
from remit_casefile.storage.database import Database


@pytest.fixture
def location(sqlite_location: Path) -> Path | str:
    """What these tests check does not depend on the kind of database."""
    return sqlite_location


UNSEEN = ["\x00", "\x1b[2J", "\x9b", "\r"]


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk of its own for each test."""
    return Desk(database, "Hello.")


@pytest.mark.parametrize("sign", UNSEEN)
@pytest.mark.parametrize("kind", ["tool", "chat"])
async def test_the_title_of_a_session_holds_no_control_characters(desk: Desk, kind: str, sign: str) -> None:
    refused = await desk.run(f"create_{kind}_session", title=f"a{sign}b")
    assert code_of(refused) == "VALIDATION_ERROR"
    words = "contain the character NUL" if sign == "\x00" else "is a control character; leave it out"
    assert words in said_by(refused)
    assert await rows(desk.database, "sessions") == {"sessions": 0}


@pytest.mark.parametrize("sign", UNSEEN)
async def test_what_is_said_in_a_chat_holds_none(desk: Desk, sign: str) -> None:
    session = await desk.session("chat")
    refused = await desk.run("process_chat_request", at=session, message=f"a{sign}b")
    assert code_of(refused) == "VALIDATION_ERROR"
    assert await rows(desk.database, "chat_messages") == {"chat_messages": 0}


@pytest.mark.parametrize("sign", UNSEEN)
async def test_the_tool_and_the_prompt_that_a_request_is_recorded_with_hold_none(desk: Desk, sign: str) -> None:
    session = await desk.session()
    for refused in (
        await desk.ask(session, "list_casefiles", {}, prompt=f"a{sign}b"),
        await desk.ask(session, f"list{sign}casefiles", {}),
    ):
        assert code_of(refused) == "VALIDATION_ERROR"
    assert await rows(desk.database, "events") == {"events": 0}


async def test_lines_tabs_and_every_script_may_be_in_them(desk: Desk) -> None:
    text = "Zoë 😀\n\t李雷"
    session = await desk.session("chat", title=text)
    assert code_of(await desk.run("process_chat_request", at=session, message=text)) == ""
    told = await desk.call("get_chat_session", session_id=session, include_messages=True)
    assert (told["title"], told["messages"][0]["text"]) == (text, text)
