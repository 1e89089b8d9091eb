"""The engines that the project ships, each made by a test with what it needs to be quick."""

from __future__ import annotations

from typing import Protocol

from remit.adapters.dbos import DbosEngine
from remit.engine.local import LocalEngine
from tests.engine.office import Office


class Making(Protocol):
    """Makes engines over the store of an office."""

    def __call__(self, *, concurrency: int = 4, grace: float = 5.0) -> LocalEngine | DbosEngine:
        """An engine that has not begun."""
        ...


def local(office: Office, concurrency: int, grace: float) -> LocalEngine:
    return LocalEngine(
        office.store,
        office.runtime().resume,
        applications=[office.application],
        concurrency=concurrency,
        poll_seconds=0.05,
        grace_seconds=grace,
        on_error=office.report,
    )


def dbos(office: Office, url: str, concurrency: int, grace: float) -> DbosEngine:
    return DbosEngine(
        url,
        office.store,
        office.runtime().resume,
        applications=[office.application],
        concurrency=concurrency,
        poll_seconds=0.05,
        sweep_seconds=0.2,
        check_seconds=0.3,
        grace_seconds=grace,
        local_data=True,
        on_error=office.report,
    )
