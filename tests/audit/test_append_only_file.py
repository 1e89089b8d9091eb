"""Lines are appended whole, by one writer at a time, to a file that is its owner's alone."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remit.audit.append_only_file import append_lines, read_lines
from remit.errors import AuditError, SetupError


def test_a_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "log") == []


def test_lines_are_appended_in_order_to_a_file_in_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "log"
    append_lines(path, lambda _last: ["{1}"])
    append_lines(path, lambda _last: ["{2}", "{3}"])
    assert read_lines(path) == ["{1}", "{2}", "{3}"]


def test_what_is_appended_is_made_of_the_last_line(tmp_path: Path) -> None:
    for _ in range(3):
        append_lines(tmp_path / "log", lambda last: [f"{last[:-1] or '{'}x}}"])
    assert read_lines(tmp_path / "log")[-1] == "{xxx}"


def test_nothing_is_written_where_there_is_nothing_to_append(tmp_path: Path) -> None:
    append_lines(tmp_path / "log", lambda _last: [])
    assert (tmp_path / "log").read_bytes() == b""


def test_the_file_and_its_folder_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "log"
    append_lines(path, lambda _last: ["{}"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "other")
    with pytest.raises(SetupError, match="log is a symbolic link"):
        append_lines(tmp_path / "log", lambda _last: ["{}"])
    assert not (tmp_path / "other").exists()


def test_a_line_that_a_crash_has_torn_off_is_left_out_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text('{"a":1}\n{"b":')
    append_lines(path, lambda last: ["{2}"] if last == '{"a":1}' else [])
    assert read_lines(path) == ['{"a":1}', "{2}"]
    assert path.read_text() == '{"a":1}\n{"b":\n{2}\n'


def test_writers_at_the_same_time_go_on_from_one_another(tmp_path: Path) -> None:
    def count(_: int) -> None:
        append_lines(tmp_path / "log", lambda last: [f"{{{int(last[1:-1] or 0) + 1}}}" if last else "{1}"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    assert read_lines(tmp_path / "log") == [f"{{{number}}}" for number in range(1, 41)]


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"cannot be used: Is a directory"):
        append_lines(tmp_path, lambda _last: ["{}"])
    with pytest.raises(AuditError, match=r"cannot be used: Is a directory"):
        read_lines(tmp_path)
