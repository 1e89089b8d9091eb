"""How tests run; and every example is one: the code blocks of README, docs and docstrings are collected as tests.

A document is read from top to bottom in one namespace, in an empty folder which is also its `REMIT_HOME`,
so that an example may open a journal without saying where.
"""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, chdir, contextmanager
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from remit.record.secret import KNOWN_SECRETS

pytest_plugins = ("tests.engines", "tests.processes", "tests.queues", "tests.stores")

# Properties take the time they take: a slow machine is no counterexample. The whole suite tries the same examples every
# time, so that it fails for what was changed only; `make quick` looks for new ones.
_patient = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", _patient)
settings.register_profile("patient", _patient, derandomize=True)
settings.load_profile(os.environ.get("REMIT_TEST_PROPERTIES", "patient"))

gc.disable()  # until all tests are collected

# Where no loop was ever set, looptime's look at a test that is not async makes one and leaves it open.
asyncio.set_event_loop(None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Several workers take the slow files first: at the end nobody waits long for another."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Three workers for two cores, because many tests wait for processes, leases and Postgres; those traced do not."""
    cores = os.cpu_count() or 1
    return None if config.getoption("cov_source") else cores + (cores + 1) // 2


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Take thousands of collected tests out of every later walk of the garbage collector, and let it walk seldom.

    Its walks take a fifth of the time of a suite that makes what it throws away. Until then there is nothing to find.
    """
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 10, 50)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Nobody traces the lines that a sweep runs: the tests beside it say them all, and it would take twice the time."""
    if isinstance(item, pytest.Function):
        with _own_secrets():
            return (yield from _call_untraced(item))
    return (yield from _call_untraced(item))


@contextmanager
def _own_secrets() -> Generator[None]:
    """A process knows each secret that it has read, and refuses to store it: the next test has not read it."""
    values: Any = KNOWN_SECRETS
    known, spellings = set(values._values), values.spellings
    try:
        yield
    finally:
        values._values, values.spellings = known, spellings


def _call_untraced(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("untraced") is None or sys.gettrace() is None:
        return (yield)
    here, in_threads = sys.gettrace(), threading.gettrace()
    with patch.dict("os.environ"):
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
        sys.settrace(None)
        threading.settrace(None)
        try:
            return (yield)
        finally:
            threading.settrace(in_threads)
            sys.settrace(here)
            _forget()


def _forget() -> None:
    """What is built once in a process was built untraced: it is built again, where its lines count."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "remit":
            for value in vars(module).values():
                if isinstance(value, _CACHED):
                    value.cache_clear()


_CACHED: Any = type(cache(len))


def _enter(namespace: dict[str, Any]) -> None:
    stack = namespace["_stack"] = ExitStack()
    folder = stack.enter_context(TemporaryDirectory(prefix="remit-example-"))
    stack.enter_context(patch.dict("os.environ", REMIT_HOME=folder))
    stack.enter_context(chdir(folder))


def _leave(namespace: dict[str, Any]) -> None:
    namespace["_stack"].close()


_collect_examples = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["*.md", "*.py"],
    excludes=["test_*.py", "conftest.py"],
    document_types={".py": PythonDocStringDocument},
    setup=_enter,
    teardown=_leave,
).pytest()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the examples of a file. To read the docstrings of a module takes a while, and few have a code block."""
    if file_path.suffix == ".py" and b"```" not in file_path.read_bytes():
        return None
    return _collect_examples(file_path, parent)
