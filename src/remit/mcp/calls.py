"""Makes the calls of clients, and climbs the ladder with those that wait for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Raw, Struct, structs

from remit.client.client import Client
from remit.engine.result import Result as CallResult
from remit.journal.question_row import QuestionRow
from remit.mcp.decisions import (
    confirmable,
    describe_question,
    make_form,
    open_questions,
    take_answers,
    wait_for_decision,
)
from remit.mcp.ladder import Step, Waiting, can_ask, next_step
from remit.mcp.peers import Peer
from remit.mcp.results import ended_result, task_result, waiting_result
from remit.mcp.settings import McpSettings
from remit.mcp.state_signer import ForeignStateError, StateSigner, owner_of
from remit.mcp.wire import INVALID_PARAMS, ProtocolError, Result
from remit.record.arguments import content_digest, parse_arguments

Send = Callable[[str, Result], None]
"""Asks the client on behalf of a question: the question, and the parameters of ``elicitation/create``."""

_STATE_SECONDS = 7 * 24 * 3600.0
NO_ANSWERS: Mapping[str, Raw] = {}


class CallState(Struct, frozen=True, array_like=True):
    """How far one call has climbed: whose it is, the questions shown by a form and by an address, and the rounds."""

    owner: tuple[str, str]
    call: str
    forms: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    rounds: int = 0


class AskedCall(Struct, frozen=True, kw_only=True):
    """A call of a client.

    ``page`` gives the address of the page of a question, empty without one. ``state`` and ``answers`` are what the
    client gives back of an earlier round. ``send`` asks a client whose revision has sessions. ``kinds`` are the kinds
    of objects that can be read. ``session`` is what the client says about the run that the call belongs to.
    """

    client: Client
    peer: Peer
    name: str
    arguments: str
    target: str
    page: Callable[[str], str]
    send: Send
    kinds: frozenset[str] = frozenset()
    session: str = ""
    state: str = ""
    answers: Mapping[str, Raw] = NO_ANSWERS


class CallMaker(Protocol):
    """Makes the calls of clients, each so that the same call attaches to it until its result was returned."""

    async def make(self, asked: AskedCall, /) -> CallResult[Any]:
        """Make a call, or return the outcome of the same call."""
        ...

    def tell(self, asked: AskedCall, result: CallResult[Any], /) -> Result:
        """What the client gets for a call that has ended."""
        ...


class RunPerCall:
    """Makes each call as a run of its own."""

    async def make(self, asked: AskedCall, /) -> CallResult[Any]:
        """Make a call, or return the outcome of the same call."""
        return await asked.client.call(asked.name, asked.arguments, attach=True, target=asked.target)

    def tell(self, asked: AskedCall, result: CallResult[Any], /) -> Result:
        """The result, with links to its files and objects."""
        return ended_result(result.text, result.callee, asked.kinds, is_error=result.status != "done")


class CallLadder:
    """Makes calls, and holds those that wait."""

    def __init__(self, settings: McpSettings, maker: CallMaker) -> None:
        self._settings, self._maker = settings, maker
        self._signer = StateSigner(settings.key, "call", _STATE_SECONDS)

    async def call(self, asked: AskedCall) -> Result:
        """Make a call, or continue the same call. Returns its result, or what the client is told while it waits."""
        client, now = asked.client, asyncio.get_running_loop().time
        state = self._read_state(asked)
        is_dismissed = await take_answers(client, asked.answers, state.forms) if asked.answers else False
        result = await self._maker.make(asked)
        end = now() + (0 if is_dismissed else self._settings.hold_seconds)
        while result.reply is None:
            rows = await open_questions(client, result.questions)
            waiting = _look(asked, rows, state, is_dismissed=is_dismissed)
            left = end - now()
            if result.questions and left > 0:
                seconds = self._settings.ask_seconds if can_ask(asked.peer, waiting) else left
                await wait_for_decision(client, result.questions, min(left, seconds))
                rows = await open_questions(client, result.questions)
            if len(rows) < len(result.questions):
                result = await self._maker.make(asked)
                continue
            step = next_step(asked.peer, waiting)
            if step not in (Step.FORM, Step.ADDRESS) or not asked.peer.has_session:
                return await self._tell(asked, state, result, rows, step)
            state = _send(asked, state, rows, step)
            end = now() + self._settings.hold_seconds
        return self._maker.tell(asked, result)

    async def _tell(
        self, asked: AskedCall, state: CallState, result: CallResult[Any], rows: Sequence[QuestionRow], step: Step
    ) -> Result:
        """What the client is told about a call that waits."""
        if step is Step.TASK:
            return {"resultType": "task", **task_result(await asked.client.details(result.run))}
        if step is Step.WAITING:
            pages = [page for each in rows if (page := asked.page(each.question.id))]
            return waiting_result(asked.client, result, rows, pages)
        requests, state = _list_requests(asked, state, rows, step)
        told: Result = {"resultType": "input_required", "requestState": self._sign(state)}
        if requests:
            told["inputRequests"] = {
                key: {"method": "elicitation/create", "params": params} for key, params in requests.items()
            }
        return told

    def _read_state(self, asked: AskedCall) -> CallState:
        """The state that the client gives back; a new one if it gives none.

        Raises:
            ProtocolError: it is another principal's, another call's, too old, or not signed here.
        """
        new = CallState(owner_of(asked.client), _identify(asked))
        if not asked.state:
            return new
        try:
            state = self._signer.read(asked.state, CallState)
        except ForeignStateError:
            state = CallState(("", ""), "")
        if (state.owner, state.call) != (new.owner, new.call):
            why = "requestState is not valid for this call; make the call again without it"
            raise ProtocolError(INVALID_PARAMS, why)
        return state

    def _sign(self, state: CallState) -> str:
        return self._signer.sign(structs.replace(state, rounds=state.rounds + 1))


def _look(asked: AskedCall, rows: Sequence[QuestionRow], state: CallState, *, is_dismissed: bool) -> Waiting:
    return Waiting(
        can_confirm=bool(_for_form(asked, rows, state)),
        has_page=bool(_for_address(asked, rows, state)),
        is_dismissed=is_dismissed,
        rounds=state.rounds,
    )


def _for_form(asked: AskedCall, rows: Sequence[QuestionRow], state: CallState) -> list[QuestionRow]:
    """The questions that a form can still show."""
    return [each for each in confirmable(asked.client, rows) if each.question.id not in state.forms]


def _for_address(asked: AskedCall, rows: Sequence[QuestionRow], state: CallState) -> list[QuestionRow]:
    """The questions with a page that the client was not told about in any way."""
    new = (each for each in rows if each.question.id not in (*state.forms, *state.pages))
    return [each for each in new if asked.page(each.question.id)]


def _list_requests(
    asked: AskedCall, state: CallState, rows: Sequence[QuestionRow], step: Step
) -> tuple[dict[str, Result], CallState]:
    """The requests of a step by question, and the state after them."""
    client = asked.client
    if step is Step.FORM:
        found = {each.question.id: make_form(client, each) for each in _for_form(asked, rows, state)}
        return found, structs.replace(state, forms=(*state.forms, *found))
    if step is Step.ADDRESS:
        found = {
            each.question.id: {
                "mode": "url",
                "message": describe_question(client, each),
                "url": asked.page(each.question.id),
            }
            for each in _for_address(asked, rows, state)
        }
        return found, structs.replace(state, pages=(*state.pages, *found))
    return {}, state


def _send(asked: AskedCall, state: CallState, rows: Sequence[QuestionRow], step: Step) -> CallState:
    """Ask a client whose revision has sessions, on the stream of its request."""
    requests, state = _list_requests(asked, state, rows, step)
    for question, params in requests.items():
        asked.send(question, {**params, "elicitationId": question} if step is Step.ADDRESS else params)
    return state


def _identify(asked: AskedCall) -> str:
    """What makes a call the same when the client repeats it."""
    return content_digest("mcp", asked.target, asked.name, parse_arguments(asked.arguments).identity)
