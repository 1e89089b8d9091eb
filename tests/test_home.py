"""Data lives in one folder: the journal, and beside it the databases of applications."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_data_path

from remit.errors import SetupError
from remit.home import data_folder, data_location


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


POSTGRES = "postgresql://ada:rosebud@db.example/remit"


@pytest.mark.parametrize(
    ("environ", "config", "location"),
    [
        ({}, "", "bakery.db"),
        ({"REMIT_DATABASE": "sqlite:////journal.db"}, "", "bakery.db"),
        ({"REMIT_DATABASE": POSTGRES}, "", POSTGRES),
        ({}, f'[journal]\nurl = "{POSTGRES}"', POSTGRES),
        ({"REMIT_DATABASE": POSTGRES, "REMIT_DATA": "files"}, "", "bakery.db"),
        ({"REMIT_DATABASE": POSTGRES}, '[data]\nurl = "files"', "bakery.db"),
        ({}, f'[data]\nurl = "{POSTGRES}"', POSTGRES),
        ({"REMIT_DATA": POSTGRES}, '[data]\nurl = "files"', POSTGRES),
    ],
    ids=["home", "journal in a file", "journal", "its table", "files", "their table", "table", "variable first"],
)
def test_data_is_where_it_is_said_to_be_or_with_the_journal(
    tmp_path: Path, environ: dict[str, str], config: str, location: str
) -> None:
    (tmp_path / "config.toml").write_text(config)
    found = data_location({"REMIT_HOME": str(tmp_path), **environ}, "bakery")
    assert found == (location if location == POSTGRES else tmp_path / location)


def test_a_place_for_data_that_executors_cannot_share_or_name_is_refused(tmp_path: Path) -> None:
    for data in ("sqlite:////data.db", "elsewhere"):
        with pytest.raises(SetupError, match="write postgresql://USER:PASSWORD@HOST/DATABASE, or files"):
            data_location({"REMIT_HOME": str(tmp_path), "REMIT_DATA": data}, "bakery")
