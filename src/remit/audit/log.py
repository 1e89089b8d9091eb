"""The audit log of one tenant: the heads of its runs, each entry tied to the one before by a hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from remit.audit.anchor import Head
from remit.audit.lines import append_lines, read_lines
from remit.contracts.items import Position
from remit.contracts.question import digest
from remit.core.frozen import frozen
from remit.schemas.jsontext import compact

_LINK: Final = ',"link":"%s"}'
_LINK_LENGTH: Final = len(_LINK % ("0" * 64))


class RunHead(NamedTuple):
    """How far a run has come: the seq of its last item, and the hash over all that is known of its items up to it."""

    run: str
    last: int
    head: str


@frozen
class Entry:
    """One line of the log: at ``at``, the run had come so far."""

    tenant: str
    number: int
    at: float
    run: str
    last: int
    head: str


class Kept(NamedTuple):
    """What a log holds: its entries with their links, up to the first line that does not follow, if there is one."""

    entries: list[Entry]
    links: list[str]
    broken: str | None


class AuditLog:
    """The file of one tenant in the folder of logs."""

    def __init__(self, folder: Path, tenant: str) -> None:
        self.tenant = tenant
        self.path = folder / f"{quote(tenant, safe='')[:60]}-{digest(tenant)[:8]}.log"

    def read(self) -> Kept:
        """Everything that can be believed: line by line, until one does not follow from those before."""
        kept = Kept([], [], None)
        for line in read_lines(self.path):
            entry = self._follows(line, kept)
            if entry is None:
                return kept._replace(broken=line)
            kept.entries.append(entry)
            kept.links.append(line[-66:-2])
        return kept

    def enter(self, heads: Sequence[RunHead], at: float) -> Head | None:
        """Enter the heads of runs; the head of the log after that, None while it is empty.

        One writer at a time, in whichever process, goes on from the last line there is: the log cannot fork.
        """
        count, link = 0, ""

        def lines(last: str) -> list[str]:
            nonlocal count, link
            count = entry_of(last).number + 1 if last else 0
            link = last[-66:-2]
            made: list[str] = []
            for run, seq, head in heads:
                entry = Entry(tenant=self.tenant, number=count, at=at, run=run, last=seq, head=head)
                body = compact(asdict(entry))
                link = _link(self.tenant, link, body)
                made.append(body[:-1] + _LINK % link)
                count += 1
            return made

        append_lines(self.path, lines)
        return Head(tenant=self.tenant, count=count, link=link, at=at) if count else None

    def _follows(self, line: str, kept: Kept) -> Entry | None:
        body = line[:-_LINK_LENGTH] + "}"
        link = _link(self.tenant, kept.links[-1] if kept.links else "", body)
        if line != body[:-1] + _LINK % link:
            return None
        try:
            entry = entry_of(line)
        except ValidationError:
            return None
        return entry if (entry.tenant, entry.number) == (self.tenant, len(kept.entries)) else None


def advance(head: str, position: Position) -> str:
    """The head of a run one item further: over what its chain covers, and where and when the item was written."""
    where = f"{head}|{position.run}|{position.epoch}|{position.seq}|{float(position.at).hex()}|"
    return sha256(where.encode() + position.chain).hexdigest()


def entry_of(line: str) -> Entry:
    """The entry that a line of a log says.

    Raises:
        ValidationError: it says none.
    """
    return _adapter().validate_json(line[:-_LINK_LENGTH] + "}", strict=True)


def _link(tenant: str, before: str, body: str) -> str:
    return sha256(f"{before or digest('remit audit log 1', tenant)}{body}".encode()).hexdigest()


@cache
def _adapter() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)
