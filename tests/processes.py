"""The marker ``process``: tests that start a process, Postgres or DBOS.

`make quick` leaves these out: a few of them take longer than all others of their package.
"""

from __future__ import annotations

from typing import Final

import pytest

SERVERS: Final = frozenset({"postgres", "queueing"})
"""Fixtures that start a server or load DBOS. Whatever asks for them is marked."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a server by a fixture."""
    for item in items:
        if not SERVERS.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("process")
