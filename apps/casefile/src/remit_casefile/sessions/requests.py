"""Tool requests: a tool is asked for by its name within a session, and what happens to the request is recorded."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, cast

from pydantic import ConfigDict, Field, JsonValue
from pydantic_core import to_jsonable_python

from remit import Context
from remit.errors import BlockedError, CallError
from remit.inventory import SECRETS, Request, Response, ToolRequestPayload, ToolResponsePayload, method, without
from remit_casefile.casefiles.texts import LEGIBLE
from remit_casefile.sessions.payloads import CasefileId
from remit_casefile.sessions.records import Begin, Begun, End, Records
from remit_casefile.sessions.writing import marking
from remit_casefile.storage.database import Database

LOOPS: Final = frozenset({"process_tool_request", "process_chat_request"})
"""What no tool request asks for: it would be a request within itself."""

_SUMMARY: Final = 500


class ProcessToolRequestPayload(ToolRequestPayload):
    """Which tool, its parameters, and what the request is recorded with. How a tool is run no caller says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool_name: Annotated[str, LEGIBLE] = Field(min_length=1, max_length=64)
    prompt: Annotated[str, LEGIBLE] | None = Field(
        default=None, max_length=10_000, description="What a person said that led to this."
    )
    casefile_id: CasefileId | None = Field(default=None, description="Where it is recorded, if not in the session's.")
    session_request_id: str | None = Field(
        default=None, pattern=r"^sr_", description="A request to make again as it was."
    )


class ToolResultPayload(ToolResponsePayload):
    """What the tool gave, and how that is recorded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    events: list[str]
    session_request_id: str


class ProcessToolRequestRequest(Request[ProcessToolRequestPayload], operation="process_tool_request"):
    """Asks for a tool."""


class ProcessToolRequestResponse(Response[ToolResultPayload]):
    """Has what it gave."""


class ToolRequests:
    """Runs the tools that are asked for in sessions, each under all policies of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._records = Records(database)

    @method
    async def process_tool_request(
        self, ctx: Context, request: ProcessToolRequestRequest
    ) -> ProcessToolRequestResponse:
        """Run a tool by its name, within the session that the call is made in, and record what happens."""
        asked = request.payload
        if asked.tool_name in LOOPS:
            raise BlockedError(f"'{asked.tool_name}' is no tool to ask for in a session; ask for the tool itself.")
        begin = Begin(
            tool_name=asked.tool_name,
            parameters=asked.parameters,
            prompt=asked.prompt,
            casefile_id=asked.casefile_id,
            session_request_id=asked.session_request_id,
        )
        begun = await ctx.call(self._records.begin, begin)
        async with marking(self._database, begun.session_request_id):
            return await self._run(ctx, request, begun)

    async def _run(self, ctx: Context, request: ProcessToolRequestRequest, begun: Begun) -> ProcessToolRequestResponse:
        asked, records = request.payload, self._records
        try:
            result = _plain(await ctx.call(asked.tool_name, asked.parameters))
        except CallError as error:
            await ctx.call(records.end, End(begun=begun, outcome="failed", error_message=error.message))
            return ProcessToolRequestResponse.failed(request, error)
        ended = await ctx.call(records.end, End(begun=begun, outcome="completed", result_summary=_summary(result)))
        answer = ToolResultPayload(result=result, events=ended.events, session_request_id=begun.session_request_id)
        return ProcessToolRequestResponse.completed(request, answer)


def _plain(value: Any) -> JsonValue:
    """The value of a reply, made of JSON types, as a model would read it."""
    return cast("JsonValue", to_jsonable_python(value, by_alias=True))


def _summary(result: JsonValue) -> str:
    """The beginning of a result, without what must not be read."""
    text = json.dumps(without(SECRETS, result), ensure_ascii=False)
    return text if len(text) <= _SUMMARY else f"{text[:_SUMMARY]}…"
