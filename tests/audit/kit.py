"""A journal in memory, whose runs are a few items each, and an audit of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from remit.audit import Audit, FileAnchor, LogHead
from remit.journal.ledger import RunLedger
from remit.record.items import Item, Note, RunFinished, RunOpened
from remit.stores import InMemoryStore

TENANT = "acme"


class MemoryAnchor:
    """An anchor in memory, which can be away."""

    def __init__(self) -> None:
        self.heads: list[LogHead] = []
        self.away = False

    async def append(self, head: LogHead, /) -> None:
        self._ask()
        self.heads.append(head)

    async def read(self) -> Sequence[LogHead]:
        self._ask()
        return list(self.heads)

    def _ask(self) -> None:
        if self.away:
            raise ConnectionError("nobody answers")


class World:
    """A store, its logs and their anchor, at a clock that is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.now = 100.0
        self.store = InMemoryStore(lambda: self.now)
        self.logs = folder / "audit"
        self.anchor = MemoryAnchor()
        self.audit = Audit(self.store, logs=self.logs, anchor=self.anchor, clock=lambda: self.now)
        self._ledgers: dict[str, RunLedger] = {}

    async def run(self, run: str, *, notes: int = 2, tenant: str = TENANT) -> None:
        """A run of so many notes, which is over."""
        await self.begin(run, notes=notes, tenant=tenant)
        await self._ledgers[run].commit(RunFinished(call=run, status="done"))

    async def begin(self, run: str, *, notes: int = 2, tenant: str = TENANT) -> None:
        """A run of so many notes, which goes on."""
        epoch = (await self.store.acquire(run, "test", 0.0)).epoch
        ledger = RunLedger(self.store, run, epoch, clock=lambda: self.now, on_stored=lambda _positions: None)
        self._ledgers[run] = ledger
        await ledger.commit(opened(run, tenant))
        for number in range(notes):
            await self.note(run, str(number))

    async def note(self, run: str, data: str) -> None:
        """One more item of a run."""
        await self._ledgers[run].commit(Note(call=run, name="log", data=data))

    def on_disk(self, folder: Path) -> Audit:
        """The same audit, anchored in a file."""
        return Audit(self.store, logs=self.logs, anchor=FileAnchor(folder / "anchor"), clock=lambda: self.now)


def opened(run: str, tenant: str = TENANT) -> Item:
    """The header of a run."""
    return RunOpened(
        call=run,
        format=1,
        tenant=tenant,
        principal="ada",
        application="test",
        agent="",
        callee="work",
        arguments="{}",
        conversation="",
        after="",
    )
