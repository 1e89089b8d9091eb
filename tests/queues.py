"""Databases with the empty tables of journal and queue, as fixtures of pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import Postgres


@pytest.fixture(scope="session")
def queueing(postgres: Postgres, template: str) -> str:
    """A database with an empty journal and the empty tables of DBOS, to be copied."""
    from dbos import DBOS  # takes long to load, and few tests need it

    name = postgres.make(template)
    DBOS.migrate(postgres.url(name))
    return name


@pytest.fixture
def queue_url(postgres: Postgres, queueing: str) -> Iterator[str]:
    """Where journal and queue of this test are."""
    name = postgres.make(queueing)
    yield postgres.url(name)
    postgres.drop(name)
