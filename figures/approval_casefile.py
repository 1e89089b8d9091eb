"""What the matrix of approvals is tried on of the casefile application: every tool, with its gates over a database."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from remit import Principal, Tool
from remit.layers import Call, CallLayer, CallService, Place, Reply
from remit_casefile.app import CasefileApplication, build
from remit_casefile.google.account import Account
from remit_casefile.google.transport import Hosts
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Base, Casefile, Session

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
UNREACHABLE_URL: Final = "http://127.0.0.1:9"
"""Where no Google is: no function of its tools runs in the matrix."""

CASEFILES: Final = ("cf_260101_000001", "cf_260101_000002")
TOOL_SESSION: Final = ("ts_260101_ada00000_000001", "ts_260101_ada00000_000002")
CHAT_SESSION: Final = ("cs_260101_ada00000_000001", "cs_260101_ada00000_000002")
DIRECT_SESSION: Final = ("cs_260101_ada00000_000003", "cs_260101_ada00000_000004")
"""For direct calls in a conversation, one for each row that makes them."""
ALTERNATIVES: Final[dict[str, str]] = dict([CASEFILES, TOOL_SESSION, CHAT_SESSION])
"""Ids of what is there, and which other is there, too."""

_KNOWN_ARGUMENTS: Final[dict[str, Any]] = {
    "casefile_id": CASEFILES[0],
    "mime_type": "text/plain",
    "to": ["bob@example.com"],
}
"""By the name of a parameter, what is valid where the schema alone does not say it."""

_SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "add_session_to_casefile": {"casefile_id": CASEFILES[0], "session_id": TOOL_SESSION[0], "session_type": "tool"},
    "close_chat_session": {"session_id": CHAT_SESSION[0]},
    "close_tool_session": {"session_id": TOOL_SESSION[0]},
    "drive_upload_file": {"name": "a.txt", "text": "about"},
    "get_chat_session": {"session_id": CHAT_SESSION[0]},
    "get_tool_session": {"session_id": TOOL_SESSION[0]},
    "list_events": {"casefile_id": CASEFILES[0]},
    "update_casefile": {"casefile_id": CASEFILES[0], "title": "about"},
}


@dataclass(frozen=True, slots=True)
class InChatSession(CallLayer):
    """Makes every call in a session of the caller, as the tools that need one want it.

    A layer may not change the caller of a call. This one passes for a layer of Remit, which is not checked.
    """

    __module__ = "remit.figures"
    place = Place.LIMIT

    def __call__(self, inner: CallService, /) -> CallService:
        """Change the conversation of each call."""

        async def call_in_session(call: Call, /) -> Reply:
            return await inner(call.replace(caller=replace(call.caller, conversation=CHAT_SESSION[0])))

        return call_in_session


async def build_office(folder: Path) -> CasefileApplication:
    """The application over a database in which the person of the matrix has what its tools need."""
    database = Database(folder / "casefile.db", clock=lambda: NOW)
    made = build(folder, account=Account(hosts=Hosts.all_at(UNREACHABLE_URL)), database=database, users=Principal)
    async with database.write() as writing:
        writing.add_all(
            [
                *(_casefile(each) for each in CASEFILES),
                *(_session(each) for each in TOOL_SESSION + CHAT_SESSION + DIRECT_SESSION),
            ]
        )
    return made


def inventory_tools(made: CasefileApplication) -> list[Tool[..., Any]]:
    """Every tool of the inventory."""
    return [] if made.app.operations is None else list(made.app.operations.callees)


def sample_arguments(name: str, required: dict[str, Any]) -> dict[str, Any]:
    """Valid arguments of a tool, of which ``required`` is what its schema asks for."""
    completed = {key: _KNOWN_ARGUMENTS.get(key, value) for key, value in required.items()}
    return _SAMPLES.get(name, completed)


def _casefile(casefile: str) -> Base:
    return Casefile(
        id=casefile,
        tenant="default",
        title="about",
        description="",
        notes="",
        tags=[],
        owner="ada",
        state="active",
        public_access=None,
        created_at=NOW,
        updated_at=NOW,
    )


def _session(session: str) -> Base:
    return Session(
        id=session,
        conversation=session,
        tenant="default",
        kind="tool" if session.startswith("ts_") else "chat",
        user="ada",
        title="",
        state="active",
        created_at=NOW,
        updated_at=NOW,
    )
