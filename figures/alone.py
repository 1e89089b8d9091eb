"""Runs a measurement in a process of its own, so that nothing that ran before can change what it measures."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

T = TypeVar("T")

_FORK: Final = multiprocessing.get_context("fork")


def run_alone(work: Callable[[], Iterable[T]]) -> Iterator[T]:
    """Run ``work`` in a fork of this process, and yield its values as they come.

    What it leaves behind in its process (secrets that were read, caches, context, environment, patched modules) ends
    with it.

    Raises:
        RuntimeError: the work failed, with its traceback, or its process ended.
    """
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_send_values, args=(work, theirs))
    process.start()
    theirs.close()
    try:
        while (message := _receive(ours)) is not None:
            kind, value = message
            if kind == "error":
                raise RuntimeError(value)
            yield value
        process.join()
        if process.exitcode != 0:
            raise RuntimeError(f"the process of the measurement ended with {process.exitcode}")
    finally:
        process.kill()
        process.join()
        ours.close()


def _receive(connection: Connection) -> tuple[str, Any] | None:
    try:
        return connection.recv()
    except EOFError:
        return None


def _send_values(work: Callable[[], Iterable[object]], connection: Connection) -> None:
    # A fork server of the parent is not a child of this process, which would wait for it in vain: it starts its own.
    vars(forkserver)["_forkserver"].__dict__["_forkserver_pid"] = None
    try:
        for value in work():
            connection.send(("value", value))
    except Exception:  # noqa: BLE001 - raised in the process that asked
        connection.send(("error", traceback.format_exc()))
