"""Data lives in one folder: the journal, and beside it the databases of applications."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_data_path

from remit.home import data_folder


def test_the_folder_is_the_one_that_is_named_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    assert data_folder({"REMIT_HOME": "/somewhere"}) == Path("/somewhere")
    assert data_folder({"REMIT_HOME": "here"}) == tmp_path / "here"
    assert data_folder({"REMIT_HOME": "~/there"}) == tmp_path / "ann" / "there"


@pytest.mark.parametrize("environ", [{}, {"REMIT_HOME": ""}], ids=["unset", "empty"])
def test_where_none_is_named_it_is_the_users_data_folder_and_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder(environ) == user_data_path("remit") == tmp_path / "remit"
    assert not (tmp_path / "remit").exists()
