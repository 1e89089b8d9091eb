"""The conformance suite of directories: every promise that a `Directory` of people makes, as tests of your own.

Write a test file with a fixture ``directory`` and import the suite into it::

    from remit.testing.directory_suite import *

    @pytest.fixture
    async def directory() -> AsyncIterator[Directory]:
        yield MyDirectory()

Each test gets a new, empty directory. The suite needs pytest and pytest-asyncio with ``asyncio_mode = "auto"``. The
directories of Remit pass the same tests.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(f"{__name__}.credentials", f"{__name__}.persons")

from remit.testing.directory_suite.credentials import *  # noqa: E402, F403 - rewritten before they are imported
from remit.testing.directory_suite.persons import *  # noqa: E402, F403
