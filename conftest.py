"""Every example runs: the code blocks of README, docs and docstrings are collected as tests.

A document is read from top to bottom in one namespace, in an empty folder which is also its `REMIT_HOME`,
so that an example may open a journal without saying where.
"""

import asyncio
from contextlib import ExitStack, chdir
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_plugins = ("tests.queues", "tests.stores")

# Where no loop was ever set, looptime's look at a test that is not async makes one and leaves it open.
asyncio.set_event_loop(None)


def _enter(namespace: dict[str, Any]) -> None:
    stack = namespace["_stack"] = ExitStack()
    folder = stack.enter_context(TemporaryDirectory(prefix="remit-example-"))
    stack.enter_context(patch.dict("os.environ", REMIT_HOME=folder))
    stack.enter_context(chdir(folder))


def _leave(namespace: dict[str, Any]) -> None:
    namespace["_stack"].close()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["*.md", "*.py"],
    excludes=["test_*.py", "conftest.py"],
    document_types={".py": PythonDocStringDocument},
    setup=_enter,
    teardown=_leave,
).pytest()
