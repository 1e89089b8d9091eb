"""Casefiles on a real database file, and the facts of calls to make with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from remit import LeafContext, Principal
from remit.tools import Caller, Changed, LastCall, Log, Seen
from remit_casefile.storage.database import Database

START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """A clock on which time passes where a test says so."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **spans: float) -> None:
        """Let that much time pass."""
        self.now += timedelta(**spans)


class Digits:
    """Random digits that count: 000001, 000002."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, digits: int) -> str:
        self.count += 1
        return f"{self.count:0{digits}x}"


@dataclass(frozen=True)
class Ctx:
    """The facts of one call."""

    key: str
    caller: Caller
    run: str = "run-1"
    deadline: float | None = None
    said: list[str] = field(default_factory=list[str])

    @property
    def log(self) -> Log:
        """A log that keeps its messages in `said`."""
        return Log(lambda _name, data: self.said.append(str(data)))

    def emit(self, name: str | Changed | LastCall | Seen, data: object = None, /) -> None:
        self.said.append(f"{name} {data}")

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """Nothing: no conversation has seen anything."""
        return {}


def call_of(person: str = "ann", tenant: str = "default", key: str = "key") -> LeafContext:
    """A call that this person makes."""
    principal = Principal(person, tenant, frozenset({"*"}))
    return Ctx(key, Caller("run-1", "casefile", "call-0", 1, principal))


async def rows(database: Database, *tables: str) -> dict[str, int]:
    """How many rows each of these tables has."""
    async with database.read() as session:
        return {
            table: await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0  # noqa: S608  (names of ours)
            for table in tables
        }


def database_in(folder: Path, clock: Clock | None = None, *, busy_timeout: float = 20.0) -> Database:
    """The database of a world: its clock stands still, its ids count."""
    return Database(folder / "casefile.db", clock=clock or Clock(), new_id=Digits(), busy_timeout=busy_timeout)
