"""Files mail: search, read, keep in a casefile, and say so in its notes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from remit import Context, Tool
from remit.errors import CallError, from_reply
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Text, Then
from remit_casefile.pipelines.payloads import FiledMailPayload, FileMailPayload

Named: TypeAlias = Callable[[str], Tool[..., Any]]

_NOTE: Final = "{before}\n{stored} new messages filed for: {query}"
_NOTES: Final = From("look", "casefile", "notes")
_KEEP: Final = {
    "found": From("read"),
    "stored": From("keep", "stored"),
    "skipped": From("keep", "skipped"),
    "noted": From("note", "casefile", "casefile_id"),
}


class Filing:
    """Files mail by the tools of the application, each called as by anybody.

    Args:
        tool: those tools, by name.
    """

    def __init__(self, tool: Named) -> None:
        steps = (
            Step(
                name="search",
                callee=tool("gmail_search_messages"),
                takes={"query": Given("query"), "max_results": Given("limit")},
            ),
            Step(
                name="read",
                callee=tool("gmail_get_message"),
                each=From("search", "messages"),
                takes={"message_id": Item("id")},
            ),
            Step(
                name="keep",
                callee=tool("store_gmail_messages"),
                takes={"casefile_id": Given("casefile_id"), "messages": From("read")},
            ),
            Step(
                name="look",
                callee=tool("get_casefile"),
                takes={"casefile_id": Given("casefile_id")},
                on_failure=Then.CONTINUE,
            ),
            Step(
                name="note",
                callee=tool("update_casefile"),
                takes={"casefile_id": Given("casefile_id"), "notes": _note(), "expected_notes": _NOTES},
                on_failure=Then.CONTINUE,
            ),
        )
        self.pipeline = Pipeline("file_mail", FileMailPayload, steps, description="File mail.", keep=_KEEP)
        self.calls = {self.file_mail: self.pipeline.callees}

    async def file_mail(self, ctx: Context, asked: FileMailPayload) -> FiledMailPayload:
        """File mail in a casefile: search Gmail, read what is found, keep it there, and add a line to the notes.

        Call it to file several messages at once, instead of reading and storing one after another.
        """
        ran = await self.pipeline.within(ctx, asked)
        if ran.outcome == "stopped":
            raise _stopped(ran)
        found = ran.state["found"]
        return FiledMailPayload(
            casefile_id=asked.casefile_id,
            found=len(found) if isinstance(found, list) else 0,
            stored=_number(ran, "stored"),
            skipped=_number(ran, "skipped"),
            noted=ran.state["noted"] is not None,
            steps=ran.model_dump(
                mode="json", include={"steps_executed", "steps_succeeded", "steps_failed", "failures"}
            ),
        )


def _note() -> Text:
    """The notes that were there, and a line more."""
    return Text(_NOTE, before=_NOTES, stored=From("keep", "stored"), query=Given("query"))


def _number(ran: PipelineResult, name: str) -> int:
    value = ran.state[name]
    return value if isinstance(value, int) else 0


def _stopped(ran: PipelineResult) -> CallError:
    """Why it went no further: the error of the step at which it stopped."""
    step = ran.path[-1]
    failure = ran.failures[step]
    said = {"error": f"filing stopped at the step {step}: {failure.error}", "errorCode": failure.errorCode}
    return from_reply(json.dumps(said))
