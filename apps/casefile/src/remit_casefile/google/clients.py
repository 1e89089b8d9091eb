"""The clients of Google accounts: of one that all callers share, or of one for each caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from remit import LeafContext
from remit_casefile.google.account import Account
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.transport import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The clients of one account.

    ``owner`` names the principal whose account it is; empty for an account that all callers share.
    """

    gmail: GmailClient
    drive: DriveClient
    sheets: SheetsClient
    owner: str = ""

    @classmethod
    def from_transport(cls, transport: Transport, owner: str = "") -> Clients:
        """Clients that share one transport."""
        gmail, drive, sheets = GmailClient(transport), DriveClient(transport), SheetsClient(transport)
        return cls(gmail=gmail, drive=drive, sheets=sheets, owner=owner)

    def of(self, _ctx: LeafContext, /) -> Self:
        """These clients, for every caller."""
        return self


class AccountClients:
    """The clients of each caller, opened on first use.

    Args:
        account: the configured account. If its file is a folder, each principal has an account of their own there.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self.shared_transport = account.transport()
        self._shared = Clients.from_transport(self.shared_transport)
        self._transports = dict[tuple[str, str], Transport]()
        self._clients = dict[tuple[str, str], Clients]()

    def of(self, ctx: LeafContext, /) -> Clients:
        """The clients of the account with which a call works."""
        if not self._account.is_folder:
            return self._shared
        principal = ctx.caller.principal
        key = (principal.tenant, principal.name)
        if key not in self._clients:
            self._transports[key] = self._account.of(principal).transport()
            self._clients[key] = Clients.from_transport(self._transports[key], owner=principal.name)
        return self._clients[key]

    async def __aenter__(self) -> Self:
        """Nothing yet: a connection is opened at its first use."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Release all connections; see `close`."""
        await self.close()

    async def close(self) -> None:
        """Release all connections. The next use opens them again."""
        for transport in (self.shared_transport, *self._transports.values()):
            await transport.close()
