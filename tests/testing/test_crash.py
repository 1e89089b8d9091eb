"""A test crashes a process at the moment of its choice, and learns which moments there are."""

from __future__ import annotations

import multiprocessing
import signal
from pathlib import Path

import pytest

from remit.journal.crashpoint import crashpoint
from remit.testing import crash_at, kill_process, record_crash_points


class CrashError(Exception):
    """In place of a death."""


def crash() -> None:
    raise CrashError


def test_the_points_that_a_block_passes_are_recorded_in_order() -> None:
    with record_crash_points() as names:
        crashpoint("before commit")
        crashpoint("after commit")
    crashpoint("later")
    assert names == ["before commit", "after commit"]


def test_a_crash_happens_at_the_point_of_that_number_and_once() -> None:
    with crash_at(2, crash):
        crashpoint("one")
        with pytest.raises(CrashError):
            crashpoint("two")
        crashpoint("three")
    crashpoint("four")


def test_a_crash_happens_at_the_point_of_that_number_among_those_of_its_name() -> None:
    with crash_at(2, crash, name="after send"):
        crashpoint("after send")
        crashpoint("after pay")
        with pytest.raises(CrashError):
            crashpoint("after send")
        crashpoint("after send")


def die(path: Path) -> None:
    with crash_at(1):
        crashpoint("before commit")
        path.write_text("survived")


@pytest.mark.process
def test_by_default_the_process_is_killed(tmp_path: Path) -> None:
    for target, arguments in ((die, (tmp_path / "file",)), (kill_process, ())):
        process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "file").exists()
