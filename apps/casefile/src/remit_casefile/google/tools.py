"""The tools: each operation on Google Workspace under its name, with the facts that govern it.

Whatever writes sends data out of the system, so that the policy asks before it. Reads are of what others wrote.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from remit import Effect, Risk, Tool, recommended, tool
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.sheets import SheetsClient

AnyTool: TypeAlias = Tool[..., Any]
Operation: TypeAlias = Callable[..., Awaitable[Any]]

_TIMEOUT: Final = 60.0
_RATE: Final = "60/minute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The clients of one account."""

    gmail: GmailClient
    drive: DriveClient
    sheets: SheetsClient


def tools(clients: Clients) -> tuple[AnyTool, ...]:
    """The twelve tools of one account."""
    gmail, drive, sheets = clients.gmail, clients.drive, clients.sheets
    return (
        _read(gmail.list_messages, "gmail_list_messages", "gmail"),
        _read(gmail.search_messages, "gmail_search_messages", "gmail"),
        _read(gmail.get_message, "gmail_get_message", "gmail"),
        _write(gmail.send_message, "gmail_send_message", "gmail", risk=Risk.HIGH).with_reconcile(gmail.reconcile_send),
        _read(drive.list_files, "drive_list_files", "drive"),
        _read(drive.get_file, "drive_get_file", "drive"),
        _read(drive.download_file, "drive_download_file", "drive"),
        _read(drive.export_file, "drive_export_file", "drive"),
        _write(drive.upload_file, "drive_upload_file", "drive").with_reconcile(drive.reconcile_upload),
        _read(sheets.batch_get, "sheets_batch_get", "sheets"),
        _write(sheets.update_values, "sheets_update_values", "sheets", effect=Effect.IDEMPOTENT),
        _write(sheets.append_values, "sheets_append_values", "sheets"),
    )


def _read(operation: Operation, name: str, service: str) -> AnyTool:
    """It changes nothing, and tells nobody outside."""
    return recommended(
        tool(
            operation,
            name=name,
            effect=Effect.PURE,
            permissions={f"workspace:{service}:read"},
            timeout=_TIMEOUT,
            rate=_RATE,
            tags=("google", service, "read"),
        )
    )


def _write(
    operation: Operation,
    name: str,
    service: str,
    *,
    effect: Effect = Effect.UNSAFE,
    risk: Risk = Risk.MODERATE,
) -> AnyTool:
    """It changes something at Google. Where the effect is unsafe it is never tried again unasked."""
    return recommended(
        tool(
            operation,
            name=name,
            effect=effect,
            risk=risk,
            permissions={f"workspace:{service}:write"},
            timeout=_TIMEOUT,
            rate=_RATE,
            egress=True,
            tags=("google", service, "write"),
        )
    )
