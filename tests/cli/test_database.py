"""The journal is where `REMIT_DATABASE` says, or `config.toml`, or else in a file; its password is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.cli.home import HomeFolder, ensure_home
from remit.errors import SetupError
from remit.journal.sql.key_file import KEY_VARIABLE
from remit.users import os_user, read_users
from tests.cli.kit import Cli

SECRET = "rosebud"
ELSEWHERE = f"postgresql://ada:{SECRET}@/remit?host=/nowhere"


def configure(cli: Cli, url: str) -> None:
    cli("runs")
    config = cli.home / "config.toml"
    config.write_text(f'{config.read_text()}\n[journal]\nurl = "{url}"\n')


def test_runs_are_kept_in_postgres_where_the_environment_says_so(
    cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.home / "journal.db").unlink()
    monkeypatch.setenv("REMIT_DATABASE", url)
    assert cli("runs", "--json").json == {"runs": []}
    assert not (cli.home / "journal.db").exists()


def test_the_configuration_may_say_where_and_the_environment_says_otherwise(
    cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(cli, ELSEWHERE)
    assert cli("runs").status == 1
    monkeypatch.setenv("REMIT_DATABASE", url)
    assert cli("runs").status == 0


@pytest.mark.process
@pytest.mark.parametrize("debug", ["", "1"])
def test_a_server_that_is_not_there_is_named_without_the_password(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, debug: str
) -> None:
    monkeypatch.setenv("REMIT_DATABASE", ELSEWHERE)
    monkeypatch.setenv("REMIT_DEBUG", debug)
    done = cli.process("runs")
    assert done.status == 1
    assert "postgresql://ada@/remit" in done.err
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize("url", [f"mysql://ada:{SECRET}@db/remit", SECRET, f"postgresql://ada:{SECRET}@db:x/remit"])
def test_what_is_no_journal_is_refused_without_the_password(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("REMIT_DATABASE", url)
    monkeypatch.setenv("REMIT_DEBUG", "1")
    done = cli("runs")
    assert done.status != 0
    assert "write sqlite:///FILE or postgresql://" in done.err
    assert SECRET not in done.out + done.err


def test_the_configuration_may_name_the_key_of_the_journal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    configure(cli, ELSEWHERE)
    assert "a journal in Postgres needs a key: set REMIT_JOURNAL_KEY to the path of a file" in cli("runs").err
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace("[journal]", '[journal]\nkey = "journal.key"'))
    assert "could not be read" in cli("runs").err


def test_an_unknown_key_about_the_journal_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'[journal]\nuri = "{ELSEWHERE}"\n')
    with pytest.raises(SetupError, match=r"journal\.uri: unknown key") as refused:
        read_users(path, "ada")
    assert SECRET not in str(refused.value)


def test_the_people_do_not_show_the_password(cli: Cli) -> None:
    configure(cli, ELSEWHERE)
    home = ensure_home({"REMIT_HOME": str(cli.home)})
    people = read_users(home.config_file, os_user())
    assert people.journal_url == ELSEWHERE
    assert SECRET not in repr((people, home, HomeFolder(cli.home).open_store(ELSEWHERE)))
