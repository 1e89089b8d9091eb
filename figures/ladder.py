"""The ladder: whenever a person answers an MCP client, nobody is asked twice, and no answer is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import product
from typing import Final, NamedTuple

import looptime

from figures import ladder_wire
from figures.figure import Figure, no_violations
from remit.errors import RequestError
from remit.mcp.peers import Peer
from remit.mcp.server import McpServer
from remit.mcp.wire import ProtocolError
from remit.record.question import DecisionKind
from tests.gateway.kit import WrappedDesk
from tests.mcp.kit import (
    ADDRESS,
    BOB,
    FORM,
    PLAIN,
    SESSION,
    SESSION_ADDRESS,
    SESSION_FORM,
    TASKS,
    Desk,
    Host,
    Params,
    ProcessDied,
    as_raw,
)

_DAY: Final = 24 * 3600.0
_PEERS: Final = {
    "plain": PLAIN,
    "form": FORM,
    "address": ADDRESS,
    "tasks": TASKS,
    "session": SESSION,
    "session with form": SESSION_FORM,
    "session with address": SESSION_ADDRESS,
}
_CALL: Final[Params] = {"name": "erase", "arguments": {"text": "about"}}


class Answer(NamedTuple):
    """When a person answers, in seconds after the call, and whether by yes or no; None for no answer."""

    after: float
    is_yes: bool | None


ANSWERS: Final = {
    "yes at once": Answer(0.3, is_yes=True),
    "yes after the hold": Answer(45, is_yes=True),
    "yes after days": Answer(3 * _DAY, is_yes=True),
    "no": Answer(5, is_yes=False),
    "no after days": Answer(3 * _DAY, is_yes=False),
    "none until it expires": Answer(0, is_yes=None),
}


class Case(NamedTuple):
    """A client, an answer, who may give it, and whether servers restart, or the client leaves during the hold."""

    peer: str
    answer: str
    kind: DecisionKind
    restarts: bool
    leaves: bool

    @property
    def happens(self) -> bool:
        """Whether the call is to be made."""
        return ANSWERS[self.answer].is_yes is True


class Outcome(NamedTuple):
    """What a client got in the end: whether an answer was lost, and a question or an effect doubled."""

    is_lost: bool
    is_doubled: bool


CASES: Final = [Case(*each) for each in product(_PEERS, ANSWERS, ("approve", "confirm"), (False, True), (False, True))]


def figures(*, short: bool) -> Iterator[Figure]:
    """Answers that no call returned, and questions and effects of one call that were more than one."""
    yield from measure(short=short)
    yield from ladder_wire.figures(short=short)


def measure(*, short: bool) -> Iterator[Figure]:
    """The figures without the wire, on a virtual clock."""
    plays: list[Callable[[], Awaitable[Outcome]]] = [partial(climb, each) for each in CASES[:: 11 if short else 1]]
    plays += [partial(climb, each, WrappedDesk) for each in CASES[:: 13 if short else 1]]
    plays += [partial(play, peer) for play in _MISHAPS for peer in _PEERS.values()]
    found = [*map(_play, plays)]
    how = (
        f"applications and wrapped servers, {len(_PEERS)} kinds of clients, answers {', '.join(ANSWERS)}, by the "
        "acting person or an approver, past "
        "restarts of the server and clients that leave; answers sent again, states of others, calls whose process died"
    )
    yield no_violations("mcp.ladder.lost", sum(each.is_lost for each in found), len(found), how)
    yield no_violations("mcp.ladder.doubled", sum(each.is_doubled for each in found), len(found), how)


def _play(play: Callable[[], Awaitable[Outcome]]) -> Outcome:
    async def with_patience() -> Outcome:
        return await asyncio.wait_for(play(), 60 * _DAY)

    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(with_patience())


async def climb(case: Case, kind: type[Desk] = Desk) -> Outcome:
    """Make a call of a case until it has a result, and then once more, which is a new call."""
    desk, host = kind(case.kind, expires_in=7 * _DAY), Host(_PEERS[case.peer])
    process = desk.process()
    deciding = asyncio.create_task(_decide(desk, ANSWERS[case.answer]))
    if case.leaves:
        held = asyncio.create_task(host.call(process))
        await asyncio.sleep(0.2)
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)
    result = await _call(host, process)
    acted_early = False
    for _ in range(10):
        if result is not None:
            break
        acted_early = acted_early or bool(desk.erased)
        await asyncio.sleep(_DAY)
        result = await _call(host, desk.process() if case.restarts else process)
    await deciding
    expected = {"erased": "about"} if case.happens else None
    is_lost = result is None or result["isError"] == case.happens or result.get("structuredContent") != expected
    is_doubled = acted_early or len(await desk.questions()) > 1 or len(desk.erased) > case.happens
    if result is not None:
        again = await _call(host, desk.process(hold_seconds=0))
        is_doubled = is_doubled or again is not None or len(desk.erased) > case.happens
    return Outcome(is_lost or len(desk.erased) < case.happens, is_doubled)


async def _call(host: Host, server: McpServer) -> Params | None:
    """The result of the call; None if it waits or is refused."""
    with contextlib.suppress(ProtocolError):
        return await host.call(server)
    return None


async def _decide(desk: Desk, answer: Answer) -> None:
    await asyncio.sleep(answer.after)
    if answer.is_yes is not None:
        for row in await desk.client().questions():
            with contextlib.suppress(RequestError):  # nobody waits for it any more
                await desk.client().decide(row.question.id, approved=answer.is_yes)


async def _answers_again(peer: Peer) -> Outcome:
    """The same answer to a form is sent three times: it decides the question that it was given to, and no other."""
    desk, host = Desk("confirm"), Host(peer, "accept")
    server = desk.process(hold_seconds=0)
    if peer.has_session or not peer.can_form:
        is_told = await host.call(desk.process()) is not None
        return Outcome(is_told is not peer.can_form, len(desk.erased) > peer.can_form)
    asked = await server.answer(host.sender(server), "tools/call", as_raw(_CALL))
    (question,) = asked["inputRequests"]
    answers = {question: {"action": "accept", "content": {"approve": True}}}
    again = as_raw({**_CALL, "requestState": asked["requestState"], "inputResponses": answers})
    results = [await server.answer(host.sender(server), "tools/call", again) for _ in range(3)]
    return Outcome("structuredContent" not in results[0], len(desk.erased) > 1)


async def _is_taken_by_another(peer: Peer) -> Outcome:
    """The state of one person's call is given back by another person: it continues nothing, and asks nothing."""
    desk, host = Desk("confirm"), Host(peer)
    server = desk.process(hold_seconds=0)
    asked = await server.answer(host.sender(server), "tools/call", as_raw(_CALL))
    if state := asked.get("requestState", ""):
        with contextlib.suppress(ProtocolError):
            await server.answer(host.sender(server, BOB), "tools/call", as_raw({**_CALL, "requestState": state}))
    return Outcome(is_lost=False, is_doubled=len(await desk.questions()) > 1 or bool(desk.erased))


async def _dies(peer: Peer) -> Outcome:
    """The process dies while it makes a call, which is asked about and not made again."""
    desk, host = Desk(), Host(peer)
    await _launch(desk, host)
    result = await _launch(desk, host)
    found = await desk.questions()
    for each in found:
        with contextlib.suppress(RequestError):
            await desk.client().decide(each, approved=True, result="launched")
    result = result or await _launch(desk, host)
    is_lost = result is None or result["content"][0]["text"] != "launched"
    return Outcome(is_lost, len(found) > 1 or len(desk.launched) > 1)


async def _launch(desk: Desk, host: Host) -> Params | None:
    """The result of the call in a process of its own; None if it waits, or the process died."""
    with contextlib.suppress(ProcessDied):
        return await host.call(desk.process(), "launch", text="rocket")
    return None


async def _all_call_at_once(peer: Peer) -> Outcome:
    """Three programs of a person make the same call at once, in processes of their own, before the yes."""
    desk, hosts = Desk(), [Host(peer) for _ in range(3)]
    deciding = asyncio.create_task(_decide(desk, ANSWERS["yes after the hold"]))
    results = await asyncio.gather(*(each.call(desk.process()) for each in hosts))
    await deciding
    if not any(results):
        results = [await hosts[0].call(desk.process())]
    return Outcome(not any(results), len(await desk.questions()) > 1 or len(desk.erased) > 1)


_MISHAPS: Final[tuple[Callable[[Peer], Awaitable[Outcome]], ...]] = (
    _answers_again,
    _is_taken_by_another,
    _dies,
    _all_call_at_once,
)
