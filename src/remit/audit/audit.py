"""Enters the heads of runs into their tenant's log, anchors the log, and detects later changes."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from remit.audit.anchor import Anchor, LogHead
from remit.audit.log import AuditLog, RunHead, advance_head
from remit.audit.report import AuditReport, find_log_faults
from remit.audit.run_check import LoggedRun, check_run
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import as_text_tuple, check_method
from remit.core.names import as_normalized
from remit.errors import AuditError, RemitError
from remit.journal.ports import RunRow, Store


@check_arguments()
class Audit:
    """The audit of a journal.

    Args:
        store: the journal.
        logs: the folder of the logs, one file per tenant.
        anchor: stores the heads of the logs, out of reach of processes that can write journal and logs.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        store: Store,
        *,
        logs: Path,
        anchor: Anchor,
        clock: Annotated[Callable[[], float], callback(is_async=False)] = time.time,
    ) -> None:
        check_method("Audit: store", store, "find_run", "give the store of the journal")
        check_method("Audit: anchor", anchor, "read", "give an anchor, such as FileAnchor(path)")
        self._store = store
        self._logs = logs
        self._anchor = anchor
        self._clock = clock

    async def seal(self, tenant: str, *runs: str) -> LogHead | None:
        """Enter the progress of all or the named runs of a tenant into its log, and anchor the log.

        Returns the anchored head; None if the log is empty.

        Raises:
            AuditError: the log differs from its anchor, and nothing was written; or a file or the anchor cannot be
                used.
        """
        tenant, runs = as_normalized("tenant", tenant), as_text_tuple("runs", runs)
        log = AuditLog(self._logs, tenant)
        anchored = await self._read_anchored_heads(tenant)  # read before the log, which may grow meanwhile
        contents = await asyncio.to_thread(log.read)
        faults = find_log_faults(contents, anchored) if anchored else []
        if contents.broken_line is not None or faults:
            reason = faults[0].what if faults else "it was changed by hand"
            raise AuditError(f"nothing was written to the audit log {log.path}: {reason}; run: remit audit verify")
        latest_entries = {entry.run: entry for entry in sorted(contents.entries, key=lambda entry: entry.last)}
        heads: list[RunHead] = []
        for row in await self._find_runs(tenant, runs):
            entry = latest_entries.get(row.run)
            head = await self._advance_run_head(
                RunHead(row.run, entry.last, entry.head) if entry else RunHead(row.run, -1, "")
            )
            if head is not None:
                heads.append(head)
        log_head = await asyncio.to_thread(log.append_heads, heads, self._clock())
        if log_head is not None and all(head.link != log_head.link for head in anchored):
            await self._anchor_head(log_head)
        return log_head

    async def verify(self, tenant: str) -> AuditReport:
        """Compare the journal with the log of a tenant, and the log with its anchor."""
        tenant = as_normalized("tenant", tenant)
        anchored = await self._read_anchored_heads(tenant)
        contents = await asyncio.to_thread(AuditLog(self._logs, tenant).read)
        faults = find_log_faults(contents, anchored)
        covered = max((head.count for head in anchored), default=0)
        checks: dict[str, LoggedRun] = {row.run: LoggedRun() for row in await self._find_runs(tenant, ())}
        for entry in contents.entries:
            checks.setdefault(entry.run, LoggedRun()).add_entry(entry, anchored=entry.number < covered)
        now = self._clock()
        results = [await check_run(self._store, run, check) for run, check in checks.items()]
        return AuditReport(
            tenant=tenant,
            faults=(*faults, *(fault for each in results for fault in each.faults)),
            runs=len(results),
            items=sum(each.items for each in results),
            erased=sum(each.erased for each in results),
            entries=len(contents.entries),
            anchored=min(covered, len(contents.entries)),
            lag=max(
                (now - each.oldest_unanchored for each in results if each.oldest_unanchored is not None), default=0.0
            ),
        )

    async def _read_anchored_heads(self, tenant: str) -> list[LogHead]:
        with _translate_anchor_errors("could not be read"):
            return [head for head in await self._anchor.read() if head.tenant == tenant]

    async def _anchor_head(self, head: LogHead) -> None:
        with _translate_anchor_errors("could not store the head of the log, which has the new entries; seal again"):
            await self._anchor.append(head)

    async def _find_runs(self, tenant: str, runs: Sequence[str]) -> list[RunRow]:
        if not runs:
            return await self._store.list_runs(tenant=tenant, limit=sys.maxsize)
        rows = [await self._store.find_run(run) for run in runs]
        return [row for row in rows if row is not None and row.tenant == tenant]

    async def _advance_run_head(self, before: RunHead) -> RunHead | None:
        """The progress of a run since ``before``; None if there are no new items."""
        head = before.head
        positions = await self._store.read(before.run, after=before.last)
        for position in positions:
            head = advance_head(head, position)
        return RunHead(before.run, positions[-1].seq, head) if positions else None


@contextmanager
def _translate_anchor_errors(what: str) -> Generator[None]:
    """Convert an anchor's errors to `AuditError`."""
    try:
        yield
    except RemitError:
        raise
    except Exception as error:
        raise AuditError(f"the anchor {what}: {type(error).__name__}: {error}") from error
