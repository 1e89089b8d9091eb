"""The conformance suite of stores: every promise that a `Store` makes, as tests to run against your own.

Write a test file with a fixture ``store`` and import the suite into it::

    from remit.testing.store_suite import *

    @pytest.fixture
    async def store(clock: Clock) -> AsyncIterator[Store]:
        async with MyStore(clock) as store:
            yield store

Each test gets a new, empty store, which reads the time from ``clock``. The suite needs pytest and pytest-asyncio with
``asyncio_mode = "auto"``. The stores of Remit pass the same tests.
"""

from __future__ import annotations

import pytest

_PARTS = (
    "answers",
    "approvals",
    "artifacts",
    "changes",
    "conversations",
    "due",
    "erasure",
    "grants",
    "inbox",
    "index",
    "journal",
    "lease",
    "pages",
    "rates",
    "samples",
    "summaries",
    "uses",
)
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))

from remit.testing.store_suite.answers import *  # noqa: E402, F403 - asserts are rewritten before they are imported
from remit.testing.store_suite.approvals import *  # noqa: E402, F403
from remit.testing.store_suite.artifacts import *  # noqa: E402, F403
from remit.testing.store_suite.attached import *  # noqa: E402, F403
from remit.testing.store_suite.changes import *  # noqa: E402, F403
from remit.testing.store_suite.conversations import *  # noqa: E402, F403
from remit.testing.store_suite.due import *  # noqa: E402, F403
from remit.testing.store_suite.erasure import *  # noqa: E402, F403
from remit.testing.store_suite.grants import *  # noqa: E402, F403
from remit.testing.store_suite.inbox import *  # noqa: E402, F403
from remit.testing.store_suite.index import *  # noqa: E402, F403
from remit.testing.store_suite.journal import *  # noqa: E402, F403
from remit.testing.store_suite.lease import *  # noqa: E402, F403
from remit.testing.store_suite.pages import *  # noqa: E402, F403
from remit.testing.store_suite.rates import *  # noqa: E402, F403
from remit.testing.store_suite.samples import Clock  # noqa: E402
from remit.testing.store_suite.summaries import *  # noqa: E402, F403
from remit.testing.store_suite.uses import *  # noqa: E402, F403


@pytest.fixture
def clock() -> Clock:
    """The clock of the store under test. Tests set its time."""
    return Clock()
