"""Enters the heads of runs into the log of their tenant, anchors it, and finds what was changed since."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from remit.audit.anchor import Anchor, Head
from remit.audit.log import AuditLog, RunHead, advance
from remit.audit.report import AuditReport, faults_of
from remit.audit.runs import RunCheck, check_run
from remit.errors import AuditError, RemitError
from remit.journal.ports import RunRow, Store


class Audit:
    """The audit of a journal.

    Args:
        logs: the folder of the logs, one for each tenant.
        anchor: where their heads are told to, out of reach of whoever can write journal and logs.
        clock: seconds since the epoch.
    """

    def __init__(self, store: Store, *, logs: Path, anchor: Anchor, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._logs = logs
        self._anchor = anchor
        self._clock = clock

    async def seal(self, tenant: str, *runs: str) -> Head | None:
        """Enter how far the runs of a tenant have come, all of them or those named, and anchor the log.

        Gives the head that is anchored then; None while there is nothing to anchor.

        Raises:
            AuditError: the log is not the one that was anchored, and nothing was entered; or a file or the anchor
                cannot be used.
        """
        log = AuditLog(self._logs, tenant)
        anchored = await self._anchored(tenant)  # before the log, which may go on meanwhile
        kept = await asyncio.to_thread(log.read)
        wrong = [found for found in faults_of(kept, anchored) if anchored]
        if kept.broken is not None or wrong:
            said = wrong[0].what if wrong else "it was changed by hand"
            raise AuditError(f"nothing was entered into the audit log {log.path}: {said}; see: remit audit verify")
        known = {entry.run: entry for entry in sorted(kept.entries, key=lambda entry: entry.last)}
        heads: list[RunHead] = []
        for row in await self._rows(tenant, runs):
            entry = known.get(row.run)
            head = await self._head(RunHead(row.run, entry.last, entry.head) if entry else RunHead(row.run, -1, ""))
            if head is not None:
                heads.append(head)
        made = await asyncio.to_thread(log.enter, heads, self._clock())
        if made is not None and all(head.link != made.link for head in anchored):
            await self._tell(made)
        return made

    async def verify(self, tenant: str) -> AuditReport:
        """Hold the journal against the log of a tenant, and the log against its anchor."""
        anchored = await self._anchored(tenant)
        kept = await asyncio.to_thread(AuditLog(self._logs, tenant).read)
        faults = faults_of(kept, anchored)
        covered = max((head.count for head in anchored), default=0)
        checks: dict[str, RunCheck] = {row.run: RunCheck() for row in await self._rows(tenant, ())}
        for entry in kept.entries:
            checks.setdefault(entry.run, RunCheck()).enter(entry, anchored=entry.number < covered)
        now = self._clock()
        seen = [await check_run(self._store, run, check) for run, check in checks.items()]
        return AuditReport(
            tenant=tenant,
            faults=(*faults, *(found for each in seen for found in each.faults)),
            runs=len(seen),
            items=sum(each.items for each in seen),
            erased=sum(each.erased for each in seen),
            entries=len(kept.entries),
            anchored=min(covered, len(kept.entries)),
            lag=max((now - each.oldest for each in seen if each.oldest is not None), default=0.0),
        )

    async def _anchored(self, tenant: str) -> list[Head]:
        with _named("could not be read"):
            return [head for head in await self._anchor.read() if head.tenant == tenant]

    async def _tell(self, head: Head) -> None:
        with _named("could not be told the head of the log, which is entered; seal again"):
            await self._anchor.append(head)

    async def _rows(self, tenant: str, runs: Sequence[str]) -> list[RunRow]:
        if not runs:
            return await self._store.runs(tenant=tenant, limit=sys.maxsize)
        found = [await self._store.find_run(run) for run in runs]
        return [row for row in found if row is not None and row.tenant == tenant]

    async def _head(self, before: RunHead) -> RunHead | None:
        """How far a run has come since; None if it has not."""
        head = before.head
        positions = await self._store.read(before.run, after=before.last)
        for position in positions:
            head = advance(head, position)
        return RunHead(before.run, positions[-1].seq, head) if positions else None


@contextmanager
def _named(what: str) -> Generator[None]:
    """What anybody's anchor says against it, as an error of ours."""
    try:
        yield
    except RemitError:
        raise
    except Exception as error:
        raise AuditError(f"the anchor {what}: {type(error).__name__}: {error}") from error
