"""The key with which the MCP servers of a journal sign what clients give back."""

from __future__ import annotations

import hmac
from hashlib import sha256

from remit.cli.client import LocalClient
from remit.errors import JournalError


def find_state_key(client: LocalClient) -> bytes:
    """A key derived from that of the journal, so that every process of the journal has it.

    Raises:
        JournalError: the key of the journal cannot be read.
    """
    from remit.journal.sql.key_file import locate_key_file, read_key

    client.wait(client.store.find_run(""))  # opens the journal, which makes its key
    configured = client.environ.get("REMIT_JOURNAL_KEY") or client.users.journal_key
    is_elsewhere = bool(client.database)
    url = client.database if is_elsewhere else f"sqlite:///{client.home.journal_file}"
    path = locate_key_file(url, configured if is_elsewhere else "")
    key = read_key(path)
    if key is None:
        raise JournalError(f"the key of the journal, {path}, does not exist; restore it from a backup")
    return hmac.digest(key, b"remit mcp", sha256)
