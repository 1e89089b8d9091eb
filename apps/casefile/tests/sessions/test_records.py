"""What records requests and turns looks at the session itself: no policy has to, for it to stay closed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from apps.casefile.tests.desk import Desk, code_of, said_by
from apps.casefile.tests.office import principal
from apps.casefile.tests.world import rows
from remit import App, Runtime, Tool
from remit.inventory import Visibility
from remit.runtime import RunResult
from remit_casefile.chat.turns import Turns
from remit_casefile.sessions.recorder import RequestRecorder, RequestStart
from remit_casefile.storage.database import Database

TABLES = ("events", "chat_messages")


class Bare:
    """The records alone, with no policy of the application around them."""

    def __init__(self, database: Database) -> None:
        self.begin = _visible(RequestRecorder(database).begin)
        self.turn = _visible(Turns(database).begin)
        self.runtime = Runtime(App(name="bare", tools=(self.begin, self.turn)))

    async def __call__(self, kind: str, at: str) -> RunResult[Any]:
        """Begin a request or a turn in a session."""
        if kind == "chat":
            return await self.runtime.call_in_conversation(at, self.turn, principal(), "Hello")
        asked = RequestStart(tool_name="look", parameters={}, prompt=None, casefile_id=None)
        return await self.runtime.call_in_conversation(at, self.begin, principal(), asked)


def _visible(tool: Tool[..., Any]) -> Tool[..., Any]:
    """The tool without layers, which anyone may call."""
    facts = replace(tool.facts, visibility=Visibility.PUBLIC)
    return tool.with_facts(facts, name=tool.name, description=tool.description, where="")


@pytest.mark.parametrize(("kind", "create"), [("tool", "create_tool_session"), ("chat", "create_chat_session")])
async def test_nothing_begins_outside_a_session_or_in_one_that_is_closed(
    database: Database, kind: str, create: str
) -> None:
    desk, bare = Desk(database), Bare(database)
    for at in ("", "talk"):
        refused = await bare(kind, at)
        assert (code_of(refused), create in said_by(refused)) == ("PERMISSION_DENIED", True)
    session = await desk.session(kind)
    await desk.call(f"close_{kind}_session", session_id=session)
    assert said_by(await bare(kind, session)) == f"The session '{session}' is closed; begin a new one."
    assert await rows(database, *TABLES) == dict.fromkeys(TABLES, 0)


async def test_a_message_is_said_in_no_tool_session(database: Database) -> None:
    refused = await Bare(database)("chat", await Desk(database).session())
    assert "create_chat_session" in said_by(refused)
