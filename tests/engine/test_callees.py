"""Which agent a message goes to."""

from __future__ import annotations

import pytest

from remit.errors import RequestError
from remit.testing import Scripted, superuser
from tests.runtime.kit import World, runtime_of


async def test_a_tool_is_no_agent_that_a_message_could_go_to() -> None:
    runtime = runtime_of(Scripted(["done"]), World().write("write"))
    with pytest.raises(RequestError, match=r"application test has no agent 'write'; it has: agent$"):
        await runtime.run("go", by=superuser(), agent="write")
