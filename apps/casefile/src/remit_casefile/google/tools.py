"""What the inventory cannot say of the Google tools: how a cut-off call is cleared up, and what a person is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from remit import LeafContext, Tool
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.payloads.drive import UploadFile
from remit_casefile.google.payloads.gmail import SendMessage
from remit_casefile.google.payloads.sheets import AppendValues, UpdateValues
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.transport import Transport

AnyTool: TypeAlias = Tool[..., Any]
Show: TypeAlias = Callable[[LeafContext, Any], Awaitable[str]]

_LINES: Final = 5
_WIDTH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The clients of one account."""

    gmail: GmailClient
    drive: DriveClient
    sheets: SheetsClient

    @classmethod
    def over(cls, transport: Transport) -> Clients:
        """The clients that speak over one transport."""
        return cls(gmail=GmailClient(transport), drive=DriveClient(transport), sheets=SheetsClient(transport))


def with_google(clients: Clients, tool: AnyTool) -> AnyTool:
    """The tool. If it writes at Google, a cut-off call is looked for, and a person sees what goes out."""
    reconciles = {
        "gmail_send_message": clients.gmail.reconcile_send,
        "drive_upload_file": clients.drive.reconcile_upload,
    }
    if tool.name in reconciles:
        tool = tool.with_reconcile(reconciles[tool.name])
    return tool.with_shown(_SHOWS[tool.name]) if tool.name in _SHOWS else tool


async def show_sending(_ctx: LeafContext, payload: SendMessage) -> str:
    """A message, for the person who is asked: to whom it goes, its subject, how its text begins."""
    copies = [("copy to", payload.cc), ("hidden copy to", payload.bcc)]
    said = "".join(f", {what} {', '.join(people)}" for what, people in copies if people)
    answers = " (an answer in a thread)" if payload.thread_id is not None else ""
    return f"a message to {', '.join(payload.to)}{said}{answers}\nSubject: {payload.subject}\n{_begin(payload.body)}"


async def show_upload(_ctx: LeafContext, payload: UploadFile) -> str:
    """A file, for the person who is asked: its name, its size, where it goes, how its text begins."""
    where = "the top folder" if payload.folder_id is None else f"the folder {payload.folder_id}"
    said = f"the file '{payload.name}' ({payload.mime_type}, {len(payload.content):,} bytes) into {where}"
    return said if payload.text is None else f"{said}\n{_begin(payload.text)}"


async def show_values(_ctx: LeafContext, payload: UpdateValues | AppendValues) -> str:
    """Cells, for the person who is asked: where they go, and the first rows."""
    does = "rows below the table at" if isinstance(payload, AppendValues) else "rows over what is at"
    rows = "\n".join(" | ".join("" if cell is None else str(cell) for cell in row) for row in payload.values)
    said = f"{len(payload.values):,} {does} {payload.range} of the spreadsheet {payload.spreadsheet_id}"
    return f"{said}\n{_begin(rows)}"


_SHOWS: Final[dict[str, Show]] = {
    "gmail_send_message": show_sending,
    "drive_upload_file": show_upload,
    "sheets_update_values": show_values,
    "sheets_append_values": show_values,
}


def _begin(text: str) -> str:
    """The first lines of a text, and how much follows."""
    lines = text.splitlines()
    some = [f"{line[:_WIDTH]}…" if len(line) > _WIDTH else line for line in lines[:_LINES]]
    rest = len(lines) - len(some)
    return "\n".join([*some, f"({rest:,} more lines)"] if rest else some)
