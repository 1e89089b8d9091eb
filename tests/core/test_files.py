"""Private data stands in files that no other user can read, change or plant."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from remit.core import files
from remit.core.files import (
    check_data_file,
    check_trusted,
    create_folder,
    ensure_private_file,
    ensure_private_folder,
    keep_data_in,
    write_private_file,
)
from remit.errors import SetupError
from tests.private_files import usual_umask

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def disown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another user own the path: only root can give files away, and root owns what everyone trusts."""
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)
    else:
        other = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)


@pytest.fixture(autouse=True)
def mask() -> Iterator[None]:
    with usual_umask():
        yield


def test_a_new_file_and_a_new_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    ensure_private_folder(tmp_path / "a" / "b")
    ensure_private_file(tmp_path / "empty")
    write_private_file(tmp_path / "full", b"content")
    assert [mode_of(tmp_path / name) for name in ("a/b", "empty", "full")] == [0o700, 0o600, 0o600]
    assert (tmp_path / "full").read_bytes() == b"content"


def test_a_file_that_others_can_read_is_taken_from_them_and_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_text("content")
    path.chmod(0o644)
    ensure_private_file(path)
    ensure_private_file(path)
    assert (mode_of(path), path.read_text()) == (0o600, "content")


def test_what_others_can_write_to_is_refused_with_the_command_to_mend_it(tmp_path: Path) -> None:
    path, folder = tmp_path / "file", tmp_path / "folder"
    path.touch()
    folder.mkdir()
    for mode in (0o666, 0o620):
        path.chmod(mode)
        folder.chmod(mode | 0o111)
        with pytest.raises(SetupError, match=rf"others can write to {path}; run: chmod go-w {path}"):
            ensure_private_file(path)
        for check in (ensure_private_folder, check_trusted):
            with pytest.raises(SetupError, match=rf"others can write to {folder}; run: chmod go-w {folder}"):
                check(folder)


def test_what_another_user_owns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.touch(mode=0o600)
    disown(path, monkeypatch)
    for check in (ensure_private_file, check_trusted):
        with pytest.raises(SetupError, match=rf"another user owns {path} and can change it; run: chown \d+ {path}"):
            check(path)


def test_a_link_in_place_of_a_file_is_refused_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("of another")
    link.symlink_to(target)
    with pytest.raises(SetupError, match=f"{link} is a symbolic link, but will hold private data"):
        ensure_private_file(link)
    with pytest.raises(FileExistsError):
        write_private_file(link, b"mine")
    link.unlink()
    link.symlink_to(tmp_path / "missing")
    with pytest.raises(SetupError, match="is a symbolic link"):
        ensure_private_file(link)
    assert (target.read_text(), (tmp_path / "missing").exists()) == ("of another", False)


def test_a_hard_link_and_a_folder_in_place_of_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    os.link(path, tmp_path / "other")
    with pytest.raises(SetupError, match="has another hard link, through which it can be changed"):
        ensure_private_file(path)
    with pytest.raises(IsADirectoryError):
        ensure_private_file(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(SetupError, match="pipe is not a file, but will hold private data"):
        ensure_private_file(tmp_path / "pipe")


def test_a_link_to_a_folder_of_ones_own_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    ensure_private_folder(tmp_path / "link")


def test_a_folder_that_cannot_be_created_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        SetupError, match=r"the folder .*/file/home cannot be created: Not a directory; name another folder"
    ):
        create_folder(tmp_path / "file" / "home")


def test_owners_and_modes_are_not_read_where_the_system_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o666)
    monkeypatch.setattr(files, "_IS_POSIX", False)
    ensure_private_file(path)
    assert mode_of(path) == 0o666


def test_databases_are_opened_in_the_folder_of_a_block_only(tmp_path: Path) -> None:
    outside = tmp_path / "outside.db"
    with keep_data_in(tmp_path / "home") as refused:
        check_data_file(tmp_path / "home" / "app" / "inside.db", "inside.db")
        for file in (outside, None):
            with pytest.raises(
                SetupError, match=r"^it is not in the home of the task, so tasks would share it; let the "
            ):
                check_data_file(file, "it")
        assert len(refused) == 2
    check_data_file(outside, "it")
