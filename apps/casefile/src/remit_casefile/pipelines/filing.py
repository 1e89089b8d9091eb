"""Files mail: search, read, store in a casefile, and add a note."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from remit import Context, Tool
from remit.errors import CallError, error_from_reply
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Text, Then
from remit_casefile.pipelines.payloads import FiledMailPayload, FileMailPayload

ToolLookup: TypeAlias = Callable[[str], Tool[..., Any]]

_NOTE_TEMPLATE: Final = "{before}\n{stored} new messages filed for: {query}"
_CURRENT_NOTES: Final = From("look", "casefile", "notes")
_RESULT_STATE: Final = {
    "found": From("read"),
    "stored": From("keep", "stored"),
    "skipped": From("keep", "skipped"),
    "noted": From("note", "casefile", "casefile_id"),
}


class Filing:
    """Files mail with the tools of the application, as any caller would.

    Args:
        find_tool: looks up a tool by name.
    """

    def __init__(self, find_tool: ToolLookup) -> None:
        steps = (
            Step(
                name="search",
                callee=find_tool("gmail_search_messages"),
                takes={"query": Given("query"), "max_results": Given("limit")},
            ),
            Step(
                name="read",
                callee=find_tool("gmail_get_message"),
                each=From("search", "messages"),
                takes={"message_id": Item("id")},
            ),
            Step(
                name="keep",
                callee=find_tool("store_gmail_messages"),
                takes={"casefile_id": Given("casefile_id"), "messages": From("read")},
            ),
            Step(
                name="look",
                callee=find_tool("get_casefile"),
                takes={"casefile_id": Given("casefile_id")},
                on_failure=Then.CONTINUE,
            ),
            Step(
                name="note",
                callee=find_tool("update_casefile"),
                takes={
                    "casefile_id": Given("casefile_id"),
                    "notes": _extended_notes(),
                    "expected_notes": _CURRENT_NOTES,
                },
                on_failure=Then.CONTINUE,
            ),
        )
        self.pipeline = Pipeline("file_mail", FileMailPayload, steps, description="File mail.", keep=_RESULT_STATE)
        self.calls = {self.file_mail: self.pipeline.callees}

    async def file_mail(self, ctx: Context, payload: FileMailPayload) -> FiledMailPayload:
        """File mail in a casefile: search Gmail, read the messages found, store them, and add a line to the notes.

        Call it to file several messages at once, instead of reading and storing one after another.
        """
        result = await self.pipeline.run_within(ctx, payload)
        if result.outcome == "stopped":
            raise _stop_error(result)
        found = result.state["found"]
        return FiledMailPayload(
            casefile_id=payload.casefile_id,
            found=len(found) if isinstance(found, list) else 0,
            stored=_read_count(result, "stored"),
            skipped=_read_count(result, "skipped"),
            noted=result.state["noted"] is not None,
            steps=result.model_dump(
                mode="json", include={"steps_executed", "steps_succeeded", "steps_failed", "failures"}
            ),
        )


def _extended_notes() -> Text:
    """The existing notes and one more line."""
    return Text(_NOTE_TEMPLATE, before=_CURRENT_NOTES, stored=From("keep", "stored"), query=Given("query"))


def _read_count(result: PipelineResult, name: str) -> int:
    value = result.state[name]
    return value if isinstance(value, int) else 0


def _stop_error(result: PipelineResult) -> CallError:
    """The error of the step at which the pipeline stopped."""
    step = result.path[-1]
    failure = result.failures[step]
    reply = {"error": f"filing stopped at the step {step}: {failure.error}", "errorCode": failure.errorCode}
    return error_from_reply(json.dumps(reply))
