"""Files mail: search, read, store in a casefile, and add a note if anything is new."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from remit import Context, Tool
from remit.errors import CallError, error_from_reply
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Text, Then
from remit_casefile.pipelines.payloads import FiledMailPayload, FileMailPayload, NoteMailPayload

ToolLookup: TypeAlias = Callable[[str], Tool[..., Any]]

_NOTE_TEMPLATE: Final = "{before}\n{stored} new messages filed for: {query}"
_CURRENT_NOTES: Final = From("look", "casefile", "notes")
_RESULT_STATE: Final = {"found": From("read"), "stored": From("keep", "stored"), "skipped": From("keep", "skipped")}


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
                on_element_failure="keep",
            ),
            Step(
                name="keep",
                callee=find_tool("store_gmail_messages"),
                takes={"casefile_id": Given("casefile_id"), "messages": From("read")},
            ),
        )
        notes = (
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
        self.notes = Pipeline("note_mail", NoteMailPayload, notes, description="Note that mail was filed.")
        self.calls = {self.file_mail: (*self.pipeline.callees, *self.notes.callees)}

    async def file_mail(self, ctx: Context, payload: FileMailPayload) -> FiledMailPayload:
        """File mail in a casefile: search Gmail, read the messages found, store them, and note how many are new.

        Call it to file several messages at once, instead of reading and storing one after another.
        """
        result = await self.pipeline.run_within(ctx, payload)
        if result.outcome == "stopped":
            raise _stop_error(result)
        found, stored = result.state["found"], _read_count(result, "stored")
        parts = [result]
        if stored:
            noting = NoteMailPayload(casefile_id=payload.casefile_id, query=payload.query, stored=stored)
            parts.append(await self.notes.run_within(ctx, noting))
        return FiledMailPayload(
            casefile_id=payload.casefile_id,
            found=len(found) if isinstance(found, list) else 0,
            unread=len(result.element_failures.get("read", ())),
            stored=stored,
            skipped=_read_count(result, "skipped"),
            noted=any("note" in part.results for part in parts),
            steps=_describe_steps(parts),
        )


def _extended_notes() -> Text:
    """The existing notes and one more line."""
    return Text(_NOTE_TEMPLATE, before=_CURRENT_NOTES, stored=Given("stored"), query=Given("query"))


def _describe_steps(parts: Sequence[PipelineResult]) -> dict[str, Any]:
    """How many steps were executed, succeeded and failed, and why."""
    included = {"failures", "element_failures"}
    described = [part.model_dump(mode="json", include=included) for part in parts]
    return {
        "steps_executed": sum(part.steps_executed for part in parts),
        "steps_succeeded": sum(part.steps_succeeded for part in parts),
        "steps_failed": sum(part.steps_failed for part in parts),
        **{name: value for part in described for name, value in part.items() if value},
    }


def _read_count(result: PipelineResult, name: str) -> int:
    value = result.state[name]
    return value if isinstance(value, int) else 0


def _stop_error(result: PipelineResult) -> CallError:
    """The error of the step at which the pipeline stopped."""
    step = result.path[-1]
    failure = result.failures[step]
    reply = {"error": f"filing stopped at the step {step}: {failure.error}", "errorCode": failure.errorCode}
    return error_from_reply(json.dumps(reply))
