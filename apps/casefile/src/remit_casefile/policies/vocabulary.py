"""The vocabulary of the inventory: domains with subdomains, and the permissions that roles grant."""

from __future__ import annotations

from typing import Final

from remit.inventory import Vocabulary

VOCABULARY: Final = Vocabulary(
    domains={
        "workspace": {"casefile", "casefile_acl", "google_workspace", "google_drive", "google_sheets"},
        "communication": {"gmail", "chat_session", "chat_processing"},
        "automation": {"tool_session", "tool_execution", "pipelines"},
    },
    permissions={
        "casefiles:read",
        "casefiles:write",
        "casefiles:delete",
        "casefiles:share",
        "tools:execute",
        "tools:read",
        "chat:create",
        "chat:read",
        "chat:write",
        "workspace:gmail:read",
        "workspace:gmail:write",
        "workspace:drive:read",
        "workspace:drive:write",
        "workspace:sheets:read",
        "workspace:sheets:write",
    },
)
"""Permissions say which operations a role may call at all; which casefile it may call them on, its access list says."""
