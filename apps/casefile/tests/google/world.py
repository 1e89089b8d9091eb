"""Our clients at the fake, with a clock and waits that only count."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from google.auth.aio.credentials import Credentials
from google.auth.aio.transport import Request

from apps.casefile.tests.google.fake.server import FakeGoogle
from remit import Principal
from remit.tools import Caller, Changed, LastCall, Log, Seen
from remit_casefile.google.clients import Clients
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.transport import Hosts, Transport
from remit_casefile.google.uploads import CHUNK_MULTIPLE, UploadSettings
from remit_casefile.google.write_confirmation import WaitSchedule

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Tokens(Credentials):
    """Credentials that count how often they were renewed."""

    def __init__(self) -> None:
        super().__init__()
        self.token = "token-1"
        self.renewed = 0

    async def refresh(self, request: Request) -> None:
        self.renewed += 1
        self.token = f"token-{self.renewed + 1}"


@dataclass(frozen=True)
class Ctx:
    """The facts of one call."""

    key: str = "key-1"
    run: str = "run-1"
    deadline: float | None = None
    caller: Caller = field(
        default_factory=lambda: Caller("run-1", "agent", "call-0", 1, Principal("ann", "local", frozenset({"*"})))
    )

    @property
    def log(self) -> Log:
        """A log that keeps nothing."""
        return Log(lambda _name, _data: None)

    def emit(self, name: str | Changed | LastCall | Seen, data: object = None, /) -> None:
        pass

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """Nothing: no conversation has seen anything."""
        return {}


class World:
    """One account at the fake, and the clients of it."""

    def __init__(self, google: FakeGoogle, *, timeout: float = 20.0) -> None:
        self.google = google
        self.waited: list[float] = []
        self.credentials = Tokens()
        self.transport = Transport(self.credentials, hosts=Hosts.all_at(google.url), timeout=timeout, clock=lambda: NOW)
        self.patience = WaitSchedule(sleep=self._sleep)
        self.gmail = GmailClient(self.transport, schedule=self.patience, domain="example.invalid")
        self.drive = DriveClient(
            self.transport,
            schedule=self.patience,
            upload_settings=UploadSettings(single_request_limit=CHUNK_MULTIPLE, chunk_size=CHUNK_MULTIPLE),
        )
        self.sheets = SheetsClient(self.transport)

    @property
    def clients(self) -> Clients:
        return Clients(gmail=self.gmail, drive=self.drive, sheets=self.sheets)

    async def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
