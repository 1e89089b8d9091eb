"""Credentials of a gateway: a server that repeats them in all that it sends, and everything that somebody can read."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import looptime
import msgspec

from figures.figure import Figure, no_violations
from remit.errors import ExternalError, LostAnswerError, RemitError
from remit.mcp.peers import Peer
from remit.mcp.wire import ProtocolError
from remit.secrets import Secret
from tests.gateway.kit import WrappedDesk
from tests.mcp.kit import ADA, PLAIN, SESSION, Host, Params, ask

CANARY: Final = 'Bearer canary-4711-"quoted"-ü'
_HIDDEN: Final = ("canary-4711",)


class _Case(NamedTuple):
    """Where the server repeats the credential, in the answer to which request of which client."""

    where: str
    method: str
    params: Params
    peer: Peer


_CALL: Final[Params] = {"name": "look", "arguments": {"text": "about"}}
_REQUESTS: Final[tuple[tuple[str, str, Params], ...]] = (
    ("result", "tools/call", {"name": "look", "arguments": {"text": CANARY}}),
    ("error of a tool", "tools/call", {"name": "look", "arguments": {"text": "nothing"}}),
    ("description", "tools/list", {}),
    ("schema", "tools/list", {}),
    ("not sent", "tools/call", _CALL),
    ("answer lost", "tools/call", _CALL),
    ("refused", "tools/call", _CALL),
    ("not sent", "prompts/list", {}),
    ("refused", "prompts/list", {}),
    ("unknown method", CANARY, {}),
)
_CASES: Final = [_Case(*request, peer) for request in _REQUESTS for peer in (PLAIN, SESSION)]


def figures(*, short: bool) -> Iterator[Figure]:
    """Places in which somebody can read a credential of a gateway."""
    found = [_play(each) for each in _CASES[:: 3 if short else 1]]
    how = (
        "a server that repeats the credential of the gateway in results, errors, descriptions, schemas and refusals "
        "for clients of both kinds of revisions: the answers to the client, its questions, the journal and the log"
    )
    yield no_violations("gateway.credentials_leaked", sum(map(len, found)), len(found), how)


def _play(case: _Case) -> Sequence[str]:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_leaks(case))


async def _leaks(case: _Case) -> Sequence[str]:
    """The places in which the credential of a case is found."""
    secret, log = Secret("env:TOKEN", CANARY), io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        desk, host = WrappedDesk(), Host(case.peer)
        _plant(desk, case, secret.reveal())
        server = desk.process()
        try:
            answer = json.dumps(await ask(server, host.sender(server), case.method, case.params), ensure_ascii=False)
        except ProtocolError as error:
            answer = f"{error.message} {error.data}"
        except RemitError as error:
            answer = error.message
        await asyncio.sleep(60)
        client = desk.client(ADA)
        journal = [await client.items(each.run) for each in await client.runs()]
        places = {"answer": answer, "log": log.getvalue(), "journal": _text_of(journal)}
        places["questions"] = _text_of([each.question for each in await desk.client().questions(status="all")])
        return [place for place, text in places.items() if any(each in text for each in _HIDDEN)]
    finally:
        logging.getLogger().removeHandler(handler)


def _plant(desk: WrappedDesk, case: _Case, secret: str) -> None:
    """Let the server repeat the credential."""
    failures: dict[str, Any] = {
        "not sent": ExternalError(f"the server refuses {secret}"),
        "answer lost": LostAnswerError(f"the server ended: {secret}"),
        "refused": ProtocolError(-32000, f"{secret} is not valid", {"token": secret}),
    }
    desk.fails_at, desk.failure = case.method, failures.get(case.where)
    desk.refusal = f"{secret} is not valid"
    if case.where == "description":
        desk.offers[0]["description"] = f"Erase with {secret}"
    if case.where == "schema":
        desk.offers[0]["inputSchema"] = {**desk.offers[0]["inputSchema"], "title": secret}


def _text_of(value: object) -> str:
    with contextlib.suppress(TypeError):
        return msgspec.json.encode(value).decode()
    return repr(value)
