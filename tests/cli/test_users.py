"""`config.toml` says who may do what, and a slip in it permits nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from remit.errors import SetupError
from remit.users import os_user, read_users
from tests.cli.kit import APP, Cli

GOOD = """
[roles.owner]
permissions = ["*"]
[roles.writer]
permissions = ["cms:read", "cms:write"]
[roles.judge]
permissions = ["approvals:*"]
[users.ada]
roles = ["writer", "judge"]
tenant = "bakery"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_the_first_use_makes_whoever_uses_it_the_owner(path: Path) -> None:
    ada = read_users(path, "ada").require_principal("ada")
    assert (ada.tenant, ada.roles, ada.may("anything:at-all")) == ("local-site", {"owner"}, True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_users(path, "bob").principals.keys() == {"ada"}


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "deep" / "home"))
    assert cli("runs").status == 0
    assert stat.S_IMODE((tmp_path / "deep" / "home").stat().st_mode) == 0o700


def test_a_name_that_toml_could_not_read_bare_is_quoted(path: Path) -> None:
    assert read_users(path, 'ada "the" b. é').require_principal('ada "the" b. é').tenant == "local-site"


def test_a_user_is_found_by_every_spelling_of_the_name(path: Path) -> None:
    path.write_text(GOOD.replace("users.ada", 'users."andre\u0301"'))
    people = read_users(path, "ada")
    assert people.require_principal("andre\u0301") == people.find_principal("andr\u00e9", "bakery")


def test_a_byte_order_mark_is_no_part_of_the_file(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_users(path, "ada").require_principal("ada").tenant == "bakery"


def test_permissions_are_those_of_all_roles(path: Path) -> None:
    path.write_text(GOOD)
    ada = read_users(path, "ada").require_principal("ada")
    assert (ada.tenant, ada.roles) == ("bakery", {"writer", "judge"})
    assert [ada.may(each) for each in ("cms:write", "approvals:decide", "cms:delete")] == [True, True, False]


def test_the_directory_knows_a_name_only_in_its_tenant(path: Path) -> None:
    path.write_text(GOOD)
    people = read_users(path, "ada")
    assert people.find_principal("ada", "bakery") == people.require_principal("ada")
    assert people.find_principal("ada", "elsewhere") is None
    assert people.find_principal("bob", "bakery") is None


def test_a_user_whom_the_file_does_not_know_is_told_what_to_add(path: Path) -> None:
    path.write_text(GOOD)
    with pytest.raises(SetupError, match=r"does not list the user 'bob'; add the table \[users\.bob\]") as raised:
        read_users(path, "bob").require_principal("bob")
    assert str(path) in raised.value.message
    assert "owner, writer, judge" in raised.value.message


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ('[users.bob]\nroles = ["owner"]\ntenant = "x"\nadmin = true', "users.bob.admin: unknown key"),
        ("[people.bob]", "people: unknown key"),
        ('[roles.r]\npermissions = []\ninherits = "owner"', "roles.r.inherits: unknown key"),
        ('[users.bob]\nroles = ["ownr"]\ntenant = "x"', "users.bob.roles: no role 'ownr' in this file; it has: owner"),
        ('[users.bob]\nroles = ["owner"]', 'users.bob.tenant: missing; add tenant = "local-site"'),
        ('[users.bob]\nroles = ["owner"]\ntenant = ""', "users.bob.tenant: "),
        ('[users.bob]\nroles = "owner"\ntenant = "x"', "users.bob.roles: "),
        ('[roles.r]\npermissions = ["everything"]', "roles.r.permissions.0: 'everything' is not a permission"),
        ('[roles.r]\npermissions = ["cms:re*"]', "roles.r.permissions.0: "),
        ('[roles.r]\npermissions = ["*:read"]', "roles.r.permissions.0: "),
        ("[roles.r]\npermissions = [1]", "roles.r.permissions.0: "),
        ("[roles.owner", "is not TOML"),
        ('[users."ad\u0430"]\nroles = []\ntenant = "x"', 'users."ad\\u0430": the name of a principal is'),
        ('[users."ada "]\nroles = []\ntenant = "x"', 'users."ada ": another user has this name; remove one of them'),
    ],
)
def test_a_slip_is_named_by_file_and_key(path: Path, slip: str, said: str) -> None:
    path.write_text(f"{GOOD}\n{slip}\n")
    with pytest.raises(SetupError) as raised:
        read_users(path, "ada")
    assert str(path) in raised.value.message
    assert said in raised.value.message
    assert "\n" not in raised.value.message


def test_a_slip_stops_every_command_with_exit_status_2(cli: Cli) -> None:
    (cli.home / "config.toml").write_text("[users.x]\nroles = []\ntenant = 'y'\nadmin = 1\n")
    done = cli("call", APP, "find", '{"name": "bread"}', "--json")
    assert (done.status, done.json["errorCode"]) == (2, "SETUP_ERROR")
    assert "users.x.admin: unknown key" in done.json["error"]


def test_a_file_that_cannot_be_read_is_said(path: Path) -> None:
    path.mkdir()
    with pytest.raises(SetupError, match="cannot be used: Is a directory"):
        read_users(path, "ada")


def test_a_home_or_a_configuration_that_others_can_change_is_refused_with_the_command_to_mend_it(cli: Cli) -> None:
    assert cli("runs").status == 0
    config = cli.home / "config.toml"
    for path, mode in ((config, 0o600), (cli.home, 0o700)):
        path.chmod(mode | 0o022)
        done = cli("runs")
        assert (done.status, done.out) == (2, "")
        assert f"others can write to {path}; run: chmod go-w {path}" in done.err
        path.chmod(mode)
    assert cli("runs").status == 0


def test_a_home_that_cannot_be_made_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(cli.home / "journal.db" / "home"))
    done = cli("runs")
    assert done.status == 2
    assert "cannot be created: Not a directory; name another folder, or set REMIT_HOME to another" in done.err


def test_who_one_is_does_not_depend_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os_user()
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "somebody-else")
    assert os_user() == before


def test_the_default_home_is_the_users_data_folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMIT_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert cli("runs").status == 0
    assert (tmp_path / "data" / "remit" / "config.toml").exists()
