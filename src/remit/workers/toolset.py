"""The tools of a worker as PydanticAI sees them: a name and a schema each, and behind all of them the one door.

PydanticAI gets a text for every call, whatever came of it. So no call ends its siblings, and none ends the run with
its effect in the world and its result lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from remit.contracts.callee import Callee, Frame
from remit.contracts.contract import Contract
from remit.contracts.reply import Reply
from remit.contracts.step import PreparedCall
from remit.errors import CallCancelledError, DivergedError, JournalError, NoModelError, Suspended
from remit.schemas.jsontext import compact_json

UNKNOWN_TOOL_NAME: Final = "remit:unknown"
"""By this name, which no callee can have, PydanticAI is told of a call to a tool that there is not."""

_CANCELLED_CONTENT: Final = Reply.from_error(CallCancelledError("the run stops; this call did not finish")).content


class _AnyArgumentsValidator:
    """Takes any arguments: they are parsed and checked at the door, from the text that the model wrote."""

    def validate_json(
        self,
        input: str | bytes | bytearray,  # noqa: A002 - the name that PydanticAI calls it by
        *,
        allow_partial: bool | Literal["off", "on", "trailing-strings"] = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Nothing: the text is known from the model's reply."""
        return {}

    def validate_python(
        self,
        input: Any,  # noqa: A002 - the name that PydanticAI calls it by
        *,
        allow_partial: bool | Literal["off", "on", "trailing-strings"] = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Nothing: the values are known from the model's reply."""
        return {}


def build_tool_definition(contract: Contract) -> ToolDefinition:
    """What the model is told of a callee: the schema of its contract, which no provider rewrites."""
    return ToolDefinition(
        name=contract.name,
        description=contract.description,
        parameters_json_schema=contract.schema_in.json_schema,
        strict=False,
    )


_UNKNOWN_TOOL: Final = ToolDefinition(name=UNKNOWN_TOOL_NAME)


class DispatcherToolset(AbstractToolset[Frame]):
    """The toolset of one call of a worker. ``parallel`` of its calls run at once at most.

    `expect` is told of the calls in a reply before PydanticAI is, so that each gets its id in the order in which the
    model wrote them, and arguments that nobody has touched.
    """

    def __init__(self, callees: Iterable[Callee[..., Any]], frame: Frame, *, parallel: int) -> None:
        definitions = [*map(build_tool_definition, callees), _UNKNOWN_TOOL]
        self._tools = {
            each.name: ToolsetTool[Frame](
                toolset=self, tool_def=each, max_retries=0, args_validator=_AnyArgumentsValidator()
            )
            for each in definitions
        }
        self._frame = frame
        self._semaphore = asyncio.Semaphore(parallel)
        self._prepared_calls: dict[str, PreparedCall] = {}
        self._call_order: dict[str, int] = {}
        self._open_questions: dict[str, tuple[str, ...]] = {}
        self._final_replies: dict[str, Reply] = {}
        self._stop_error: BaseException | None = None

    @property
    def id(self) -> str:
        """Its id among the toolsets of its agent."""
        return "remit"

    async def get_tools(self, ctx: RunContext[Frame]) -> dict[str, ToolsetTool[Frame]]:
        """The same tools at each step."""
        return self._tools

    def prepare_calls(self, calls: Sequence[ToolCallPart], original_names: Mapping[str, str]) -> None:
        """Prepare the calls of a reply. ``original_names`` are those that the model wrote, by the ids of the calls."""
        for call in calls:
            name = original_names.get(call.tool_call_id, call.tool_name)
            self._call_order[call.tool_call_id] = len(self._call_order)
            self._prepared_calls[call.tool_call_id] = self._frame.prepare(
                name, get_arguments_text(call), call.tool_call_id
            )

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Frame], tool: ToolsetTool[Frame]
    ) -> str:
        """What the model reads of a call: its result, or what went wrong, as JSON.

        Raises:
            CallDeferred: it waits for a person; its siblings go on and end.
        """
        call_id = ctx.tool_call_id or ""
        async with self._semaphore:
            try:
                reply = await self._prepared_calls.pop(call_id)()
            except Suspended as signal:
                self._open_questions[call_id] = signal.questions
                raise CallDeferred from signal
            except asyncio.CancelledError as error:
                if not ctx.deps.ledger.is_stopping or _is_cancel_requested():
                    raise
                return self._stop_call(error)
            except (JournalError, DivergedError, NoModelError) as error:
                return self._stop_call(error)
        if reply.is_final:
            self._final_replies[call_id] = reply
        return reply.content

    @property
    def is_finished(self) -> bool:
        """Whether nothing more is to be asked of the model."""
        return bool(self._stop_error or self._open_questions or self._final_replies)

    def stop(self, error: BaseException) -> None:
        """Remember what ends the worker, to be raised where PydanticAI does not see it."""
        self._stop_error = self._stop_error or error

    def settle(self) -> Reply | None:
        """The reply that ends the run, if a call gave one; between several, the first in the order of the calls.

        Raises:
            Suspended: calls wait for a person; it holds all their questions.
            JournalError, DivergedError, NoModelError, CancelledError: the run cannot go on, or is not to.
        """
        if self._stop_error is not None:
            raise self._stop_error
        if self._open_questions:
            waiting = sorted(self._open_questions, key=self._call_order.__getitem__)
            raise Suspended(*(question for wire in waiting for question in self._open_questions[wire]))
        return (
            self._final_replies[min(self._final_replies, key=self._call_order.__getitem__)]
            if self._final_replies
            else None
        )

    def _stop_call(self, error: BaseException) -> str:
        self.stop(error)
        return _CANCELLED_CONTENT


def get_arguments_text(call: ToolCallPart) -> str:
    """The arguments of a call as the model wrote them, where its provider tells."""
    return call.args if isinstance(call.args, str) else compact_json(call.args or {})


def _is_cancel_requested() -> bool:
    """Whether somebody cancelled this task; else the run is driven only to end it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
