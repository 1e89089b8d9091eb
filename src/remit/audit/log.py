"""The audit log of one tenant: the heads of its runs, with each entry linked to the previous one by a hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from remit.audit.anchor import LogHead
from remit.audit.append_only_file import append_lines, read_lines
from remit.record.arguments import content_digest
from remit.record.items import Position
from remit.schemas.jsontext import compact_json

_LINK_SUFFIX: Final = ',"link":"%s"}'
_LINK_SUFFIX_LENGTH: Final = len(_LINK_SUFFIX % ("0" * 64))


class RunHead(NamedTuple):
    """The progress of a run: the seq of its last item, and the hash over all items up to it."""

    run: str
    last: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One line of the log: the progress of a run at time ``at``."""

    tenant: str
    number: int
    at: float
    run: str
    last: int
    head: str


class LogContents(NamedTuple):
    """The entries of a log with their links, and the first line that breaks the chain, if any."""

    entries: list[LogEntry]
    links: list[str]
    broken_line: str | None


class AuditLog:
    """The log file of one tenant."""

    def __init__(self, folder: Path, tenant: str) -> None:
        self.tenant = tenant
        self.path = folder / f"{quote(tenant, safe='')[:60]}-{content_digest(tenant)[:8]}.log"

    def read(self) -> LogContents:
        """Read and verify the log line by line, up to the first line that breaks the chain."""
        contents = LogContents([], [], None)
        for line in read_lines(self.path):
            entry = self._parse_next_entry(line, contents)
            if entry is None:
                return contents._replace(broken_line=line)
            contents.entries.append(entry)
            contents.links.append(line[-66:-2])
        return contents

    def append_heads(self, heads: Sequence[RunHead], at: float) -> LogHead | None:
        """Enter the heads of runs and return the new head of the log, or None if it is empty.

        Only one process at a time appends, so the log cannot fork.
        """
        count, link = 0, ""

        def lines(last: str) -> list[str]:
            nonlocal count, link
            count = parse_entry(last).number + 1 if last else 0
            link = last[-66:-2]
            new_lines: list[str] = []
            for run, seq, head in heads:
                entry = LogEntry(tenant=self.tenant, number=count, at=at, run=run, last=seq, head=head)
                body = compact_json(asdict(entry))
                link = _compute_link(self.tenant, link, body)
                new_lines.append(body[:-1] + _LINK_SUFFIX % link)
                count += 1
            return new_lines

        append_lines(self.path, lines)
        return LogHead(tenant=self.tenant, count=count, link=link, at=at) if count else None

    def _parse_next_entry(self, line: str, contents: LogContents) -> LogEntry | None:
        body = line[:-_LINK_SUFFIX_LENGTH] + "}"
        link = _compute_link(self.tenant, contents.links[-1] if contents.links else "", body)
        if line != body[:-1] + _LINK_SUFFIX % link:
            return None
        try:
            entry = parse_entry(line)
        except ValidationError:
            return None
        return entry if (entry.tenant, entry.number) == (self.tenant, len(contents.entries)) else None


def advance_head(head: str, position: Position) -> str:
    """Compute a run's head after another item. It covers the item's chain hash, position and time."""
    where = f"{head}|{position.run}|{position.epoch}|{position.seq}|{float(position.at).hex()}|"
    return sha256(where.encode() + position.chain).hexdigest()


def parse_entry(line: str) -> LogEntry:
    """Parse a line of the log.

    Raises:
        ValidationError: the line is not an entry.
    """
    return _entry_adapter().validate_json(line[:-_LINK_SUFFIX_LENGTH] + "}", strict=True)


def _compute_link(tenant: str, previous: str, body: str) -> str:
    return sha256(f"{previous or content_digest('remit audit log 1', tenant)}{body}".encode()).hexdigest()


@cache
def _entry_adapter() -> TypeAdapter[LogEntry]:
    return TypeAdapter(LogEntry)
