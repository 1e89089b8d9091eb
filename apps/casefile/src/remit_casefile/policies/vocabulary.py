"""The vocabulary of the inventory: domains with subdomains, and the permissions that roles grant."""

from __future__ import annotations

from typing import Final

from remit.inventory import Vocabulary

PERMISSIONS: Final = {
    "casefiles:read": "read casefiles",
    "casefiles:write": "create and change casefiles",
    "casefiles:delete": "delete casefiles",
    "casefiles:share": "decide who sees a casefile",
    "tools:execute": "run tools for programs",
    "tools:read": "see what tools have done",
    "chat:create": "begin chats",
    "chat:read": "read chats",
    "chat:write": "write in chats",
    "workspace:gmail:read": "read mail",
    "workspace:gmail:write": "send and change mail",
    "workspace:drive:read": "read files of Drive",
    "workspace:drive:write": "change files of Drive",
    "workspace:sheets:read": "read spreadsheets",
    "workspace:sheets:write": "change spreadsheets",
}
"""The permissions, and what their holders may do. On which casefile they may do it, its access list says."""

VOCABULARY: Final = Vocabulary(
    domains={
        "workspace": {"casefile", "casefile_acl", "google_workspace", "google_drive", "google_sheets"},
        "communication": {"gmail", "chat_session", "chat_processing"},
        "automation": {"tool_session", "tool_execution", "pipelines"},
    },
    permissions=PERMISSIONS,
)
