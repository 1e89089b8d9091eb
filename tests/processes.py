"""The marker ``process``: tests that start a process, Postgres or DBOS. An unmarked test that starts one fails.

`make quick` leaves these out: a few of them take longer than all others of their package.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Generator
from typing import Final

import pytest

STARTS: Final = frozenset({"os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"})
"""The audit events of a process that starts another."""

SERVERS: Final = frozenset({"postgres", "queueing"})
"""Fixtures that start a server or load DBOS. Whatever asks for them is marked."""

_unmarked: pytest.Item | None = None
"""The test that runs now, if it must not start a process."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what asks for a server by a fixture, or runs real weights. Only ``-m model`` runs these."""
    if "model" not in config.option.markexpr.replace("not model", ""):
        with_weights = [item for item in items if item.get_closest_marker("model") is not None]
        config.hook.pytest_deselected(items=with_weights)
        items[:] = [item for item in items if item not in with_weights]
    for item in items:
        starts_server = not SERVERS.isdisjoint(getattr(item, "fixturenames", ()))
        if starts_server or item.get_closest_marker("model") is not None:
            item.add_marker("process")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the tests that are not marked. An example in a document may start what it shows."""
    global _unmarked  # noqa: PLW0603 - an audit hook takes no state and cannot be removed
    watched = isinstance(item, pytest.Function) and item.get_closest_marker("process") is None
    _unmarked = item if watched else None
    try:
        return (yield)
    finally:
        _unmarked = None


def refuse_process(event: str, arguments: tuple[object, ...]) -> None:
    """Fail the test that runs if it starts a process without being marked."""
    if _unmarked is not None and event in STARTS:
        pytest.fail(f"{_unmarked.nodeid} starts a process ({event}): mark it `process`")


platform.platform()  # runs `uname` once per process; OpenAI's client asks for it in its first request
sys.addaudithook(refuse_process)
