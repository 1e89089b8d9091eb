"""Hidden files and folders of unfinished work: gone once nobody works on them, and not before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remit_cms.rendering.scratch import ScratchFolder, write_atomically

WRITER = """
import os, sys
from pathlib import Path
from remit_cms.rendering.scratch import ScratchFolder
folder = ScratchFolder.beside(Path(sys.argv[1])).path
(folder / "index.html").write_text("half a site")
print(folder, flush=True)
sys.stdin.readline()
os._exit(9)
"""
"""A process that makes a folder and dies when it is told to."""


@pytest.mark.process
def test_a_folder_of_a_living_process_stays_and_that_of_a_dead_one_goes(tmp_path: Path) -> None:
    path = tmp_path / "sites" / "main"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        folder = Path(other.stdout.readline().strip())
        ScratchFolder.beside(path).remove()
        assert (folder / "index.html").exists()
        other.communicate("die\n")
    assert folder.exists()
    made = ScratchFolder.beside(path)
    assert [*path.parent.iterdir()] == [made.path]
    made.remove()
    assert [*path.parent.iterdir()] == []


def test_two_folders_of_one_process_are_apart(tmp_path: Path) -> None:
    first, second = (ScratchFolder.beside(tmp_path / "main") for _ in range(2))
    assert {*tmp_path.iterdir()} == {first.path, second.path}
    first.remove()
    second.remove()


def test_what_others_made_stays(tmp_path: Path) -> None:
    others = [tmp_path / name for name in (".main-2-abcdefgh", ".keep", "main", ".main-ABCDEFGH", ".main-abcd1234.txt")]
    for each in others:
        each.mkdir()
    link = tmp_path / ".main-linked01"
    link.symlink_to(tmp_path / "main")
    ScratchFolder.beside(tmp_path / "main").remove()
    assert {*tmp_path.iterdir()} == {*others, link}


def test_what_is_left_of_a_file_goes_when_it_is_written_again(tmp_path: Path) -> None:
    page, left, other = (tmp_path / name for name in ("about.html", ".about-abcd1234.html", ".us-abcd1234.html"))
    left.write_text("half")
    other.write_text("half")
    write_atomically(page, b"whole")
    assert left.exists()
    write_atomically(page, b"whole", clean=True)
    assert {*tmp_path.iterdir()} == {page, other}
    assert page.read_bytes() == b"whole"
