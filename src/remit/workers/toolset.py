"""The tools of an agent as PydanticAI sees them: names and schemas, whose calls all go through the dispatcher.

PydanticAI gets a text for every call, also for a failed one. So a failed call neither ends its siblings nor ends the
run between its effect and its result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from remit.agent.driver import AgentTools
from remit.agent.tool_search import SEARCH_TOOL, names_found, names_in_reply
from remit.agent.turns import AgentTurns
from remit.contracts.callee import Frame
from remit.contracts.chat import ToolCallRequest
from remit.contracts.contract import Contract
from remit.contracts.reply import Reply
from remit.contracts.step import PreparedCall
from remit.errors import CallCancelledError, DivergedError, JournalError, NoModelError, Suspended
from remit.journal.codec import tool_message_text
from remit.schemas.jsontext import compact_json

UNKNOWN_TOOL_NAME: Final = "remit:unknown"
"""By this name, which no callee can have, PydanticAI is told of a call to a tool that there is not."""

_CANCELLED_CONTENT: Final = Reply.from_error(CallCancelledError("the run stops; this call did not finish")).content


class _AnyArgumentsValidator:
    """Accepts any arguments. The dispatcher parses and checks them, from the text that the model wrote."""

    def validate_json(
        self,
        input: str | bytes | bytearray,  # noqa: A002 - the name that PydanticAI calls it by
        *,
        allow_partial: bool | Literal["off", "on", "trailing-strings"] = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Return an empty dictionary: the text is taken from the model's reply."""
        return {}

    def validate_python(
        self,
        input: Any,  # noqa: A002 - the name that PydanticAI calls it by
        *,
        allow_partial: bool | Literal["off", "on", "trailing-strings"] = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Return an empty dictionary: the values are taken from the model's reply."""
        return {}


def build_tool_definition(contract: Contract) -> ToolDefinition:
    """Describe a callee to the model by the schema of its contract, which no provider rewrites."""
    return ToolDefinition(
        name=contract.name,
        description=contract.description,
        parameters_json_schema=contract.schema_in.json_schema,
        strict=False,
    )


_UNKNOWN_TOOL: Final = ToolDefinition(name=UNKNOWN_TOOL_NAME)


class _Answer:
    """Orders the calls of one answer: handoffs run last, one after another."""

    def __init__(self, regular: int) -> None:
        self._remaining = regular
        self._regular_ended = asyncio.Event()
        self._handoff_lock = asyncio.Lock()
        if not regular:
            self._regular_ended.set()

    def end_regular(self) -> None:
        self._remaining -= 1
        if not self._remaining:
            self._regular_ended.set()

    @asynccontextmanager
    async def handoff_turn(self) -> AsyncGenerator[None]:
        await self._regular_ended.wait()
        async with self._handoff_lock:  # first come, first served: PydanticAI starts calls in their order
            yield


class DispatcherToolset(AbstractToolset[Frame]):
    """The toolset of one task of an agent. At most ``parallel`` of its calls run at once.

    `prepare_calls` sees the calls of an answer before PydanticAI does. So they get their ids in the order in which the
    model wrote them, and their arguments are unchanged.
    """

    def __init__(
        self, tools: AgentTools, frame: Frame, turns: AgentTurns, *, parallel: int, history: Iterable[str] = ()
    ) -> None:
        definitions = [*map(build_tool_definition, tools.callees), _UNKNOWN_TOOL]
        self._tools = {
            each.name: ToolsetTool[Frame](
                toolset=self, tool_def=each, max_retries=0, args_validator=_AnyArgumentsValidator()
            )
            for each in definitions
        }
        self._offers = tools.names_offered if tools.is_searched else None
        self._found_before = names_found(history) if tools.is_searched else []
        self.handoff_target = ""
        self._handoffs = tools.handoffs
        self._frame = frame
        self._turns = turns
        self._semaphore = asyncio.Semaphore(parallel)
        self._requests: dict[str, ToolCallRequest] = {}
        self._answers: dict[str, _Answer] = {}
        self._prepared_calls: dict[str, PreparedCall] = {}
        self._call_order: dict[str, int] = {}
        self._contents: dict[str, str] = {}
        self._suspensions: dict[str, Suspended] = {}
        self._final_replies: dict[str, Reply] = {}
        self._stop_error: BaseException | None = None

    @property
    def id(self) -> str:
        """The id of the toolset within its agent."""
        return "remit"

    async def get_tools(self, ctx: RunContext[Frame]) -> dict[str, ToolsetTool[Frame]]:
        """The tools, which are the same at each step; with a search, those that the model has found so far."""
        if self._offers is None:
            return self._tools
        found = [*self._found_before, *(name for wire in self._call_order for name in self._names_found_by(wire))]
        names = self._offers(found, self._frame.ledger, self._frame.id)
        return {name: self._tools[name] for name in (*names, UNKNOWN_TOOL_NAME)}

    def _names_found_by(self, call_id: str) -> list[str]:
        name = self._requests[call_id].name
        return names_in_reply(self._contents.get(call_id)) if name == SEARCH_TOOL else [name]

    def prepare_calls(self, calls: Sequence[ToolCallPart], original_names: Mapping[str, str]) -> None:
        """Prepare the calls of an answer. ``original_names`` are the tool names that the model wrote, by call id.

        Raises:
            DivergedError: the journal holds a handoff that the agent no longer makes.
        """
        requests = [
            ToolCallRequest(
                each.tool_call_id, original_names.get(each.tool_call_id, each.tool_name), get_arguments_text(each)
            )
            for each in calls
        ]
        self._handoffs.check_recorded(self._frame.ledger, self._frame.id, requests)
        answer = _Answer(sum(not self._is_handoff(each.name) for each in requests))
        for each in requests:
            self._answers[each.id] = answer
            self._requests[each.id] = each
            self._call_order[each.id] = len(self._call_order)
            self._prepared_calls[each.id] = self._turns.prepare(each.name, each.arguments, each.id)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Frame], tool: ToolsetTool[Frame]
    ) -> str:
        """Make a call. Returns the content that the model reads: its result or its error, as JSON.

        Raises:
            CallDeferred: the call waits for a decision; its siblings run to their end.
        """
        call_id = ctx.tool_call_id or ""
        answer = self._answers[call_id]
        if not self._is_handoff(self._requests[call_id].name):
            try:
                async with self._semaphore:
                    return await self._make_call(call_id)
            finally:
                answer.end_regular()
        async with answer.handoff_turn():
            if self._suspensions:
                raise CallDeferred  # no handoff while another call of the answer waits
            if self._stop_error is not None:
                return _CANCELLED_CONTENT
            return await self._make_call(call_id)

    async def _make_call(self, call_id: str) -> str:
        prepared = self._prepared_calls.pop(call_id)
        try:
            reply = await prepared()
        except Suspended as signal:
            self._suspensions[call_id] = signal
            raise CallDeferred from signal
        except asyncio.CancelledError as error:
            if not self._frame.ledger.is_stopping or _is_cancel_requested():
                raise
            return self._stop_call(error)
        except (JournalError, DivergedError, NoModelError) as error:
            return self._stop_call(error)
        if reply.is_final:
            self._final_replies[call_id] = reply
        request = self._requests[call_id]
        if self._is_handoff(request.name) and not self.handoff_target and reply.outcome == "ok":
            self.handoff_target = self._handoffs.follow(self._frame.ledger, self._frame.id, request, prepared.id)
        self._contents[call_id] = reply.content
        return reply.content

    def _is_handoff(self, name: str) -> bool:
        """Whether a call is a handoff. In a run that is being stopped no call is, so that all are ended alike."""
        return name in self._handoffs.targets and not self._frame.ledger.is_stopping

    def replies_to(self, calls: Iterable[ToolCallPart]) -> list[str]:
        """The wire texts of the replies to those calls that were made, in order."""
        return [
            tool_message_text(each.tool_call_id, self._contents[each.tool_call_id])
            for each in calls
            if each.tool_call_id in self._contents
        ]

    @property
    def is_finished(self) -> bool:
        """Whether the agent has ended, so that the model is not asked again."""
        return bool(self._stop_error or self._suspensions or self._final_replies or self.handoff_target)

    def stop(self, error: BaseException) -> None:
        """Keep the exception that ends the agent, to be raised outside of PydanticAI."""
        self._stop_error = self._stop_error or error

    def settle(self) -> Reply | None:
        """The reply that ends the run, if a call gave one; the first in call order if several did.

        Raises:
            Suspended: calls wait for decisions; it holds all their questions.
            JournalError, DivergedError, NoModelError, CancelledError: the run cannot or must not continue.
        """
        if self._stop_error is not None:
            raise self._stop_error
        if self._suspensions:
            waiting = sorted(self._suspensions, key=self._call_order.__getitem__)
            raise Suspended.join(self._suspensions[wire] for wire in waiting)
        return (
            self._final_replies[min(self._final_replies, key=self._call_order.__getitem__)]
            if self._final_replies
            else None
        )

    def _stop_call(self, error: BaseException) -> str:
        self.stop(error)
        return _CANCELLED_CONTENT


def get_arguments_text(call: ToolCallPart) -> str:
    """The arguments of a call as the model wrote them, if the provider passes the text on."""
    return call.args if isinstance(call.args, str) else compact_json(call.args or {})


def _is_cancel_requested() -> bool:
    """Whether this task was cancelled. If not, the run is only executed to end it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
