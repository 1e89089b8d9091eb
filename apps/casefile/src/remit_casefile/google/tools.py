"""What the inventory cannot declare for Google tools: reconciliation of interrupted calls, and previews."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from remit import LeafContext, Tool
from remit_casefile.google.operations import ClientsOfCaller
from remit_casefile.google.payloads.drive import UploadFile
from remit_casefile.google.payloads.gmail import SendMessage
from remit_casefile.google.payloads.sheets import AppendValues, UpdateValues

AnyTool: TypeAlias = Tool[..., Any]
Preview: TypeAlias = Callable[[LeafContext, Any], Awaitable[str]]

_PREVIEW_LINES: Final = 5
_PREVIEW_WIDTH: Final = 200


def with_google_hooks(clients: ClientsOfCaller, tool: AnyTool) -> AnyTool:
    """The tool; if it writes to Google, with reconciliation and a preview."""

    async def reconcile_send(ctx: LeafContext, payload: SendMessage):
        return await clients.of(ctx).gmail.reconcile_send(ctx, payload)

    async def reconcile_upload(ctx: LeafContext, payload: UploadFile):
        return await clients.of(ctx).drive.reconcile_upload(ctx, payload)

    reconciles = {"gmail_send_message": reconcile_send, "drive_upload_file": reconcile_upload}
    if tool.name in reconciles:
        tool = tool.with_reconcile(reconciles[tool.name])
    return tool.with_preview(_PREVIEWS[tool.name]) if tool.name in _PREVIEWS else tool


async def preview_message(_ctx: LeafContext, payload: SendMessage) -> str:
    """The message to send, for the approver: recipients, subject and the start of its text."""
    copies = [("copy to", payload.cc), ("hidden copy to", payload.bcc)]
    recipients = "".join(f", {what} {', '.join(people)}" for what, people in copies if people)
    thread_note = " (an answer in a thread)" if payload.thread_id is not None else ""
    return (
        f"a message to {', '.join(payload.to)}{recipients}{thread_note}\nSubject: "
        f"{payload.subject}\n{_preview_text(payload.body)}"
    )


async def preview_upload(_ctx: LeafContext, payload: UploadFile) -> str:
    """The file to upload, for the approver: name, size, destination and the start of its text."""
    where = "the top folder" if payload.folder_id is None else f"the folder {payload.folder_id}"
    summary = f"the file '{payload.name}' ({payload.mime_type}, {len(payload.content):,} bytes) into {where}"
    return summary if payload.text is None else f"{summary}\n{_preview_text(payload.text)}"


async def preview_values(_ctx: LeafContext, payload: UpdateValues | AppendValues) -> str:
    """The cells to write, for the approver: the range and the first rows."""
    target = "rows below the table at" if isinstance(payload, AppendValues) else "rows over what is at"
    rows = "\n".join(" | ".join("" if cell is None else str(cell) for cell in row) for row in payload.values)
    summary = f"{len(payload.values):,} {target} {payload.range} of the spreadsheet {payload.spreadsheet_id}"
    return f"{summary}\n{_preview_text(rows)}"


_PREVIEWS: Final[dict[str, Preview]] = {
    "gmail_send_message": preview_message,
    "drive_upload_file": preview_upload,
    "sheets_update_values": preview_values,
    "sheets_append_values": preview_values,
}


def _preview_text(text: str) -> str:
    """The first lines of a text, and how much follows."""
    lines = text.splitlines()
    preview_lines = [
        f"{line[:_PREVIEW_WIDTH]}…" if len(line) > _PREVIEW_WIDTH else line for line in lines[:_PREVIEW_LINES]
    ]
    rest = len(lines) - len(preview_lines)
    return "\n".join([*preview_lines, f"({rest:,} more lines)"] if rest else preview_lines)
