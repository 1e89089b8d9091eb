"""Secrets come from environment variables that were named, or from files of one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.errors import NotFoundError
from remit.secrets import EnvSecrets, FileSecrets

VALUE = "value of test_secrets"


async def test_an_environment_variable_that_is_named_is_a_secret() -> None:
    assert (await EnvSecrets("KEY", environ={"KEY": VALUE}).resolve("env:KEY")).reveal() == VALUE


@pytest.mark.parametrize("reference", ["env:OTHER", "env:EMPTY", "env:UNSET", "file:KEY", "KEY", ""])
async def test_no_other_variable_is_one(reference: str) -> None:
    source = EnvSecrets("KEY", "EMPTY", "UNSET", environ={"KEY": VALUE, "OTHER": VALUE, "EMPTY": ""})
    with pytest.raises(NotFoundError, match="no secret"):
        await source.resolve(reference)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
async def test_a_file_of_the_folder_is_a_secret_without_its_last_newline(tmp_path: Path, end: str) -> None:
    (tmp_path / "key").write_bytes(f"{VALUE}{end}".encode())
    assert (await FileSecrets(tmp_path).resolve("file:key")).reveal() == VALUE


@pytest.mark.parametrize("reference", ["file:none", "file:../key", "file:", "file:.key", "env:key", "file:bytes"])
async def test_no_other_file_is_one(tmp_path: Path, reference: str) -> None:
    (tmp_path.parent / "key").write_text(VALUE)
    (tmp_path / ".key").write_text(VALUE)
    (tmp_path / "bytes").write_bytes(b"\xff" * 20)
    with pytest.raises(NotFoundError, match="no secret"):
        await FileSecrets(tmp_path).resolve(reference)


async def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    source = FileSecrets(tmp_path)
    for value in (VALUE, f"{VALUE}, the second"):
        (tmp_path / "key").write_text(value)
        assert (await source.resolve("file:key")).reveal() == value


def test_they_say_where_they_look_and_nothing_they_know() -> None:
    assert repr(EnvSecrets("KEY", environ={"KEY": VALUE})) == "EnvSecrets('KEY')"
    assert repr(FileSecrets(Path("/run/secrets"))) == "FileSecrets('/run/secrets')"
