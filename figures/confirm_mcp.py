"""Ways to something that looks like a yes over MCP: answers to forms, and states of other people."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from msgspec import Raw

from figures.confirm_world import ADA, BOB, STRANGER, Case
from remit import Principal
from remit.errors import RemitError
from remit.mcp.peers import REVISION, SESSION_REVISIONS, Peer
from remit.mcp.server import McpServer, Sender
from remit.mcp.settings import McpSettings
from remit.mcp.wire import ProtocolError

_YES: Final = {"action": "accept", "content": {"approve": True}}
_NO_ANSWERS: Final[tuple[object, ...]] = (
    {"action": "accept", "content": {"approve": "true"}},
    {"action": "accept", "content": {"approve": 1}},
    {"action": "accept", "content": {"yes": True}},
    {"action": "accept"},
    {"action": "decline", "content": {"approve": True}},
    {"action": "cancel", "content": {"approve": True}},
    {"approve": True},
    "accept",
    None,
)
"""Answers to a form that are no yes."""

_FORM: Final = Peer(revision=REVISION, can_form=True)
_SESSION: Final = Peer(revision=SESSION_REVISIONS[0], can_form=True)


async def _answered_in_a_form(case: Case) -> None:
    """A program answers forms with what is no yes, and for questions that it has not shown."""
    server = _serve(case)
    for answer in _NO_ANSWERS:
        told = await _call(case, server, ADA)
        questions = [row.question.id for row in await case.desk.store.list_questions()]
        for key in (told.get("inputRequests", {}), questions):
            await _call(case, server, ADA, told.get("requestState", ""), dict.fromkeys(key, answer))
    await case.say()


async def _answered_by_others(case: Case) -> None:
    """Others give back the state of the asker with a yes, and the asker a yes where only an approver may."""
    server = _serve(case)
    told = await _call(case, server, ADA)
    for by in (BOB, STRANGER, Principal("eve")):
        await _call(case, server, by, told.get("requestState", ""), dict.fromkeys(told.get("inputRequests", {}), _YES))
    if case.desk.kind == "approve":
        questions = [row.question.id for row in await case.desk.store.list_questions()]
        await _call(case, server, ADA, told.get("requestState", ""), dict.fromkeys(questions, _YES))
    await case.say()


async def _answered_in_a_session(case: Case) -> None:
    """A program answers with what is no yes in a session, where the answer is a message of its own."""
    server = _serve(case)
    await _call(case, server, ADA, peer=_SESSION)
    client = case.desk.runtime.client(ADA)
    for row in await case.desk.store.list_questions():
        for answer in _NO_ANSWERS:
            with contextlib.suppress(ProtocolError):
                await server.take_answer(client, row.question.id, Raw(json.dumps(answer).encode()))
            await _call(case, server, ADA, peer=_SESSION)
    await case.say()


def _serve(case: Case) -> McpServer:
    return McpServer(case.desk.runtime, McpSettings(hold_seconds=0, ask_seconds=0))


async def _call(
    case: Case,
    server: McpServer,
    by: Principal,
    state: str = "",
    answers: dict[str, object] | None = None,
    *,
    peer: Peer = _FORM,
) -> dict[str, Any]:
    """What a program is told of the call; nothing if it is refused."""
    params: dict[str, Any] = {"name": "drop", "arguments": {"page": "about", "confirmed": True}}
    params |= {"requestState": state} if state else {}
    params |= {"inputResponses": answers} if answers else {}
    sender = Sender(client=case.desk.runtime.client(by), peer=peer)
    with contextlib.suppress(ProtocolError, RemitError):
        return await server.answer(sender, "tools/call", Raw(json.dumps(params).encode()))
    return {}


WAYS: Final[tuple[Callable[[Case], Awaitable[None]], ...]] = (
    _answered_in_a_form,
    _answered_by_others,
    _answered_in_a_session,
)
