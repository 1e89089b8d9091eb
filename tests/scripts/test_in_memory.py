"""Temporary files are kept in memory where there is room, and are gone when the command has ended."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.reading import ROOT

pytestmark = pytest.mark.process

DF = """#!/bin/sh
echo Filesystem 1024-blocks Used Available Capacity Mounted on
echo tmpfs 100 0 {free} 0% /dev/shm
"""


def folder_of_command(programs: Path, free: int) -> tuple[str, int]:
    """Where a command has its temporary files if there are so many kilobytes left in memory, and its status."""
    df = programs / "df"
    df.write_text(DF.format(free=free))
    df.chmod(0o700)
    done = subprocess.run(
        ["sh", str(ROOT / "scripts/in_memory"), "sh", "-c", 'touch "$TMPDIR/file"; echo "$TMPDIR"; exit 5'],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(programs)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.stdout.strip(), done.returncode


def test_where_there_is_no_room_they_stay_on_the_disk(tmp_path: Path) -> None:
    assert folder_of_command(tmp_path, 100) == (str(tmp_path), 5)
    assert (tmp_path / "file").exists()


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="this system has no folder in memory")  # noqa: S108
def test_they_are_gone_when_the_command_has_ended(tmp_path: Path) -> None:
    folder, status = folder_of_command(tmp_path, 8_000_000)
    assert status == 5
    assert folder == str(tmp_path) or not Path(folder).exists()
