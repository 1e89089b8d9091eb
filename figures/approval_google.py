"""A row of the matrix about what changes at Google while a question is open, with the previews of the application."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from figures.approval_casefile import UNREACHABLE_URL
from figures.approval_rows import call_script, row
from figures.approval_state import count_stale_executions
from figures.approval_world import Stage
from remit_casefile.google.account import Account
from remit_casefile.google.clients import Clients
from remit_casefile.google.tools import with_google_hooks
from remit_casefile.google.transport import MAX_RESPONSE_BYTES, Hosts, HttpResponse, Transport

TOOLS_AT_GOOGLE: Final[dict[str, dict[str, Any]]] = {
    "gmail_send_message": {"thread_id": "thread"},
    "drive_upload_file": {"folder_id": "folder"},
    "sheets_append_values": {},
    "sheets_update_values": {},
}
"""The tools with a state at Google, and the arguments that say which object it is."""


class ChangingTransport(Transport):
    """Answers what a preview reads; each answer shows the present revision."""

    def __init__(self) -> None:
        super().__init__(Account().load_credentials, hosts=Hosts.all_at(UNREACHABLE_URL))
        self.revision = 1

    async def send(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpResponse:
        """A thread with as many messages as the revision, or a folder or a cell with its number."""
        if method != "GET":
            raise RuntimeError(f"{method} {url} was sent, and a preview only reads")
        number = str(self.revision)
        if "/threads/" in url:
            answer: dict[str, Any] = {"id": "thread", "messages": [{"id": str(each)} for each in range(self.revision)]}
        elif "/files/" in url:
            answer = {"id": "folder", "name": f"folder {number}"}
        else:
            answer = {"spreadsheetId": "book", "valueRanges": [{"range": "A1", "values": [[number]]}]}
        return HttpResponse(200, {}, json.dumps(answer).encode())


@row
async def _state_changed_at_google(stage: Stage) -> int:
    """A yes to a state at Google that is no more never runs; the yes to the present one does, once."""
    if stage.name not in TOOLS_AT_GOOGLE:
        return 0
    transport = ChangingTransport()
    arguments = {**stage.target.arguments, **TOOLS_AT_GOOGLE[stage.name]}
    changing = replace(stage, target=replace(stage.target, arguments=arguments))
    made = with_google_hooks(Clients.from_transport(transport), changing.target.tool)

    def change() -> None:
        transport.revision += 1

    return await count_stale_executions(changing, changing.make_runtime(call_script(changing), made=made), change)
