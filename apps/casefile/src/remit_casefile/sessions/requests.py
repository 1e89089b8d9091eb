"""Tool requests: calls a tool by name within a session, and records what happens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, cast

from pydantic import ConfigDict, Field, JsonValue
from pydantic_core import to_jsonable_python

from remit import Context
from remit.errors import BlockedError, CallError
from remit.inventory import SECRET_FIELDS, ToolRequest, ToolRequestPayload, ToolResponsePayload
from remit.layers import redact_fields
from remit.tools import Callee
from remit_casefile.casefiles.texts import PRINTABLE
from remit_casefile.sessions.payloads import CasefileId
from remit_casefile.sessions.recorder import RequestEnd, RequestRecorder, RequestStart
from remit_casefile.storage.database import Database

RECORD_TOOLS: Final = frozenset({"begin_session_request", "end_session_request", "begin_chat_turn", "end_chat_turn"})
"""The writes of the record, which a tool request would forge."""
NESTED_REQUEST_TOOLS: Final = frozenset({"process_tool_request", "process_chat_request"}) | RECORD_TOOLS
"""What no tool request asks for: requests within itself, and the writes of the record."""

_MAX_SUMMARY_LENGTH: Final = 500


class ProcessToolRequestPayload(ToolRequestPayload):
    """The tool, its parameters, and metadata to record. The caller cannot choose how the tool runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool_name: Annotated[str, PRINTABLE] = Field(min_length=1, max_length=64)
    prompt: Annotated[str, PRINTABLE] | None = Field(
        default=None, max_length=10_000, description="What a person said that led to this."
    )
    casefile_id: CasefileId | None = Field(default=None, description="Where it is recorded, if not in the session's.")


class CasefileToolRequestPayload(ToolRequestPayload):
    """The tool, its parameters, and the casefile that it is about."""

    casefile_id: CasefileId | None = None


class CasefileToolRequest(ToolRequest):
    """A request for a tool by name, whose casefile is the parameter ``casefile_id``."""

    payload: CasefileToolRequestPayload  # pyright: ignore[reportIncompatibleVariableOverride] - narrower, never assigned

    def arguments(self) -> Mapping[str, JsonValue]:
        """The arguments of the requested call."""
        return self.arguments_with(casefile_id=self.payload.casefile_id)


class ToolResultPayload(ToolResponsePayload):
    """The result of the tool, and its record."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    events: list[str]
    session_request_id: str


class ToolRequests:
    """Runs the tools requested in sessions, each under all of its policies."""

    def __init__(self, database: Database) -> None:
        self._recorder = RequestRecorder(database)

    @property
    def record_tools(self) -> tuple[Callee[..., Any], ...]:
        """The writes of the record, for the application to list."""
        return self._recorder.begin, self._recorder.end

    async def process_tool_request(self, ctx: Context, payload: ProcessToolRequestPayload) -> ToolResultPayload:
        """Run a tool by its name in the session of the call, and record its events."""
        if payload.tool_name in NESTED_REQUEST_TOOLS:
            raise BlockedError(f"'{payload.tool_name}' cannot be requested in a session; request the tool itself.")
        start = RequestStart(
            tool_name=payload.tool_name,
            parameters=payload.parameters,
            prompt=payload.prompt,
            casefile_id=payload.casefile_id,
        )
        recorder = self._recorder
        recorded = await ctx.call(recorder.begin, start)
        try:
            result = _to_json_value(await ctx.call(payload.tool_name, payload.parameters))
        except CallError as error:
            await ctx.call(recorder.end, RequestEnd(begun=recorded, outcome="failed", error_message=error.message))
            raise
        ended = await ctx.call(
            recorder.end, RequestEnd(begun=recorded, outcome="completed", result_summary=_summarize(result))
        )
        return ToolResultPayload(result=result, events=ended.events, session_request_id=recorded.session_request_id)


def _to_json_value(value: Any) -> JsonValue:
    """The value of a reply as JSON types, as a model would read it."""
    return cast("JsonValue", to_jsonable_python(value, by_alias=True))


def _summarize(result: JsonValue) -> str:
    """The start of a result, redacted."""
    text = json.dumps(redact_fields(SECRET_FIELDS, result), ensure_ascii=False)
    return text if len(text) <= _MAX_SUMMARY_LENGTH else f"{text[:_MAX_SUMMARY_LENGTH]}…"
