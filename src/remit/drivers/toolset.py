"""The tools of an agent as PydanticAI sees them: names and schemas. The agent's step makes the calls.

PydanticAI gets a text for every call, even for a failed one. A failed call therefore ends neither its siblings nor the
run between the call's effect and its result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from remit.agent.driver import AgentTools
from remit.call.contract import Contract
from remit.call.reply import Reply

UNKNOWN_TOOL_NAME: Final = "remit:unknown"
"""The name under which PydanticAI sees a call to an unknown tool. No callee can have it."""

MadeCalls: TypeAlias = tuple[Mapping[str, Reply], str]
"""The replies to the calls of an answer, by id, and the agent that takes over."""


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
    """Describe a callee by the schema of its contract."""
    return ToolDefinition(
        name=contract.name,
        description=contract.description,
        parameters_json_schema=contract.schema_in.json_schema,
        strict=False,
    )


class DispatcherToolset(AbstractToolset[object]):
    """The toolset of one task of an agent. PydanticAI's first request for a call of an answer makes all its calls."""

    def __init__(self, tools: AgentTools) -> None:
        definitions = [*map(build_tool_definition, tools.callees), ToolDefinition(name=UNKNOWN_TOOL_NAME)]
        self._tools = {
            definition.name: ToolsetTool[object](
                toolset=self, tool_def=definition, max_retries=0, args_validator=_AnyArgumentsValidator()
            )
            for definition in definitions
        }
        self._make: Callable[[], Awaitable[MadeCalls]] | None = None
        self._made: asyncio.Future[MadeCalls] | None = None

    @property
    def id(self) -> str:
        """The id of the toolset within its agent."""
        return "remit"

    async def get_tools(self, ctx: RunContext[object]) -> dict[str, ToolsetTool[object]]:
        """All tools. The request determines which of them the model sees."""
        return self._tools

    def has(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return name in self._tools

    def expect_calls(self, make: Callable[[], Awaitable[MadeCalls]]) -> None:
        """Use ``make`` for the calls of the next answer."""
        self._make, self._made = make, None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[object], tool: ToolsetTool[object]
    ) -> str:
        """Make the calls of the answer once. Returns the content of this call's reply.

        Raises:
            CallDeferred: one of them cannot end now; `settle` raises the reason.
        """
        try:
            replies, _ = await self._make_calls()
        except asyncio.CancelledError:
            if is_cancel_requested():
                raise
            raise CallDeferred from None
        except BaseException as error:
            raise CallDeferred from error
        return replies[ctx.tool_call_id or ""].content

    async def settle(self) -> MadeCalls:
        """The replies to the calls of the last answer, and the agent that takes over.

        Raises:
            Suspended: calls wait for decisions; it holds all their questions.
            JournalError, DivergedError, NoModelError, CancelledError: the run cannot or must not continue.
        """
        return await self._make_calls()

    def _make_calls(self) -> asyncio.Future[MadeCalls]:
        assert self._make is not None  # noqa: S101 - the model is asked first
        self._made = self._made or asyncio.ensure_future(self._make())
        return self._made


def is_cancel_requested() -> bool:
    """Whether this task was cancelled. Otherwise the run is executed only to end it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
