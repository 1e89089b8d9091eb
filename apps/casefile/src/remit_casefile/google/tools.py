"""What the inventory cannot declare for Google tools: reconciliation of interrupted calls, and previews.

A preview names the state of the object that it shows, so that an approval is void once the object has changed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from remit import LeafContext, Tool
from remit.tools import UNKNOWN, Happened, Preview
from remit_casefile.google.mime import find_references
from remit_casefile.google.operations import ClientsOfCaller, emit_change
from remit_casefile.google.payloads.drive import GetFile, UploadFile
from remit_casefile.google.payloads.gmail import SendMessage
from remit_casefile.google.payloads.sheets import AppendValues, BatchGet, UpdateValues

AnyTool: TypeAlias = Tool[..., Any]

_PREVIEW_LINES: Final = 5
_PREVIEW_WIDTH: Final = 200
_PREVIEW_PEOPLE: Final = 12


def with_google_hooks(clients: ClientsOfCaller, tool: AnyTool) -> AnyTool:
    """The tool; if it writes to Google, with reconciliation and a preview."""

    async def reconcile_send(ctx: LeafContext, payload: SendMessage):
        found = await clients.of(ctx).gmail.reconcile_send(ctx, payload)
        if isinstance(found, Happened):
            emit_change(ctx, "mail", found.value.id)
        return found

    async def reconcile_upload(ctx: LeafContext, payload: UploadFile):
        found = await clients.of(ctx).drive.reconcile_upload(ctx, payload)
        if isinstance(found, Happened):
            emit_change(ctx, "drive_file", found.value.id)
        return found

    async def reconcile_append(ctx: LeafContext, payload: AppendValues):
        # Appended rows cannot be found again, so a person decides. Watchers reload the sheet in either case.
        emit_change(ctx, "sheet", payload.spreadsheet_id, payload.range)
        return UNKNOWN

    reconciles = {
        "gmail_send_message": reconcile_send,
        "drive_upload_file": reconcile_upload,
        "sheets_append_values": reconcile_append,
    }
    previews = _Previews(clients)
    shown = {
        "gmail_send_message": previews.show_message,
        "drive_upload_file": previews.show_upload,
        "sheets_update_values": previews.show_values,
        "sheets_append_values": previews.show_values,
    }
    if tool.name in reconciles:
        tool = tool.with_reconcile(reconciles[tool.name])
    return tool.with_preview(shown[tool.name]) if tool.name in shown else tool


@dataclass(frozen=True, slots=True)
class _Previews:
    """What an approver is shown, with the state of what is now in the caller's account."""

    clients: ClientsOfCaller

    async def show_message(self, ctx: LeafContext, payload: SendMessage) -> Preview:
        """The message to send: recipients, subject and the start of its text. Its state: the messages of its thread."""
        copies = [("copy to", payload.cc), ("hidden copy to", payload.bcc)]
        recipients = "".join(f", {what} {_list_people(people)}" for what, people in copies if people)
        thread_id, thread = payload.thread_id, None
        if thread_id is not None:
            thread = await self.clients.of(ctx).gmail.get_thread(thread_id)
        answered = find_references(payload.in_reply_to, thread)
        summary = (
            f"a message to {_list_people(payload.to)}{recipients}{' (an answer in a thread)' if thread else ''}\n"
            f"{f'In answer to: {answered[-1]}{chr(10)}' if answered else ''}"
            f"Subject: {payload.subject}\n{_preview_text(payload.body)}"
        )
        if thread is None:
            return Preview(summary)
        return Preview(summary, state=_digest([message.id for message in thread.messages]))

    async def show_upload(self, ctx: LeafContext, payload: UploadFile) -> Preview:
        """The file to upload: what it is, where it goes and the start of its text. Its state is that of its folder."""
        where, state = "the top folder", ""
        if payload.folder_id is not None:
            folder = await self.clients.of(ctx).drive.get_file(GetFile(file_id=payload.folder_id))
            where = f"the folder {payload.folder_id} ('{folder.name}')"
            state = _digest([payload.folder_id, folder.name, str(folder.modified_time), folder.trashed])
        digest = "" if payload.file is None else f", {payload.file.digest}"
        summary = f"the file '{payload.name}' ({payload.media_type}, {payload.size:,} bytes{digest}) into {where}"
        return Preview(summary if payload.text is None else f"{summary}\n{_preview_text(payload.text)}", state=state)

    async def show_values(self, ctx: LeafContext, payload: UpdateValues | AppendValues) -> Preview:
        """The cells to write: the range and the first rows. Its state is the present values of the range."""
        target = "rows below the table at" if isinstance(payload, AppendValues) else "rows over what is at"
        rows = "\n".join(" | ".join("" if cell is None else str(cell) for cell in row) for row in payload.values)
        summary = f"{len(payload.values):,} {target} {payload.range} of the spreadsheet {payload.spreadsheet_id}"
        asked = BatchGet(spreadsheet_id=payload.spreadsheet_id, ranges=[payload.range], value_render="FORMULA")
        present = await self.clients.of(ctx).sheets.batch_get(asked)
        return Preview(f"{summary}\n{_preview_text(rows)}", state=_digest(present.model_dump(mode="json")))


def _list_people(people: list[str]) -> str:
    """The first people, and how many follow, so that a long list hides no other one."""
    rest = len(people) - _PREVIEW_PEOPLE
    return ", ".join(people[:_PREVIEW_PEOPLE]) + (f" and {rest:,} more" if rest > 0 else "")


def _digest(state: object) -> str:
    """A state in few characters, which tell the journal nothing of the data: a range may be a whole sheet."""
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _preview_text(text: str) -> str:
    """The first lines of a text, and how much follows."""
    lines = text.splitlines()
    preview_lines = [
        f"{line[:_PREVIEW_WIDTH]}…" if len(line) > _PREVIEW_WIDTH else line for line in lines[:_PREVIEW_LINES]
    ]
    rest = len(lines) - len(preview_lines)
    return "\n".join([*preview_lines, f"({rest:,} more lines)"] if rest else preview_lines)
