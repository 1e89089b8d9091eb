"""``remit people``, and what ``remit serve`` requires before it serves other machines."""

from __future__ import annotations

import re

import pytest

from tests.cli.kit import APP, Cli

PASSWORD = "correct horse battery"


@pytest.fixture
def people(cli: Cli) -> Cli:
    """A home with an editor."""
    assert cli("people", "role", "add", "editor", "cms:read", "cms:write").status == 0
    assert cli("people", "add", "ada", "--role", "editor").err == "added: ada\n"
    return cli


def names(cli: Cli) -> dict[str, tuple[list[str], bool, str]]:
    rows = cli("people", "list", "--json").json["people"]
    return {row["name"]: (row["roles"], row["password"], row["from"]) for row in rows}


def test_a_person_is_added_with_a_role_and_a_password_and_removed(people: Cli) -> None:
    (user,) = set(names(people)) - {"ada"}
    assert names(people) == {user: (["owner"], False, "config.toml"), "ada": (["editor"], False, "remit people")}
    changed = people("people", "password", "ada", stdin=f"{PASSWORD}\n")
    assert (changed.status, changed.err) == (0, "changed: the password of ada\n")
    assert names(people)["ada"][1]
    assert people("people", "take", "ada", "editor").err == "ada has: no role\n"
    assert people("people", "give", "ada", "owner").err == "ada has: owner\n"
    assert people("people", "remove", "ada", "--json").json == {"name": "ada", "status": "removed"}
    assert set(names(people)) == {user}


def test_a_password_is_never_printed_or_stored(people: Cli) -> None:
    for given in (PASSWORD, "hunter2"):
        done = people("people", "password", "ada", stdin=f"{given}\n")
        assert given not in done.out + done.err
    assert "the password has 7 characters; give 12 to 1,024" in done.err
    stored = b"".join(file.read_bytes() for file in people.home.iterdir() if file.is_file())
    assert PASSWORD.encode() not in stored
    assert b"$argon2id$" in stored


def test_a_token_is_printed_once_listed_and_revoked(people: Cli) -> None:
    made = people("people", "token", "add", "ada", "--label", "ci", "--permission", "cms:read", "--json").json
    assert made["token"].startswith("remit_")
    assert people("people", "token", "add", "ada", "--label", "x").out.startswith("remit_")
    listed = people("people", "token", "list", "ada", "--json")
    assert made["token"] not in listed.out
    assert [(each["label"], each["permissions"]) for each in listed.json["tokens"]] == [("ci", ["cms:read"]), ("x", [])]
    table = people("people", "token", "list", "ada").out
    assert made["token"] not in table
    assert table.count("never") == 2
    assert {each["seen"] for each in listed.json["tokens"]} == {None}
    assert people("people", "token", "revoke", "ada", made["id"]).err == f"revoked: token {made['id']}\n"
    assert [each["label"] for each in people("people", "token", "list", "ada", "--json").json["tokens"]] == ["x"]
    assert "ada has no token" in people("people", "token", "revoke", "ada", made["id"]).err


def test_a_link_signs_in_and_its_session_is_ended(people: Cli) -> None:
    own = people("people", "link").out
    assert re.fullmatch(r"http://127\.0\.0\.1:8420/login/link\?secret=[\w-]{43}\n", own)
    made = people("people", "link", "ada", "--url", "https://remit.example/", "--json").json
    assert made["link"].startswith("https://remit.example/login/link?secret=")
    assert people("people", "sessions", "ada", "--json").json == {"sessions": []}
    assert people("people", "sign-out", "ada").err == "ended: 0 sessions of ada\n"
    assert people("people", "link", "--url", "remit.example").status == 2


SIGN_IN = """
[sign_in]
issuer = "https://accounts.example"
client_id = "remit"
client_secret = "env:SIGN_IN_SECRET"
"""


def configure(people: Cli, text: str) -> None:
    """Add lines to the configuration."""
    with (people.home / "config.toml").open("a", encoding="utf-8") as file:
        file.write(text)


def test_an_identity_at_a_provider_is_added_listed_and_removed(people: Cli) -> None:
    configure(people, SIGN_IN)
    added = people("people", "identity", "add", "ada", "ada@bakery.example", "--json").json
    assert (added["kind"], added["label"]) == ("identity", "ada@bakery.example")
    assert people("people", "identity", "list", "ada", "--json").json["identities"] == [added]
    assert "ada@bakery.example" in people("people", "identity", "list", "ada").out
    again = people("people", "identity", "add", "ada", "ADA@bakery.example")
    assert "a person has the identity 'ADA@bakery.example' already" in again.err
    assert people("people", "identity", "remove", "ada", added["id"]).err == f"removed: {added['id']}\n"
    assert people("people", "identity", "remove", "ada", "").status != 0


def test_without_a_provider_nobody_gets_an_identity(people: Cli) -> None:
    refused = people("people", "identity", "add", "ada", "ada@bakery.example")
    assert "names no OpenID provider; add the table [sign_in] with issuer and client_id" in refused.err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SIGN_IN, "the environment variable SIGN_IN_SECRET is not set"),
        (SIGN_IN.replace("https://accounts.example", "http://accounts.example"), "is not an address like https://"),
        (SIGN_IN.replace("env:SIGN_IN_SECRET", "hunter2"), "name the environment variable with the secret"),
        (SIGN_IN.replace("client_id", "client"), "sign_in.client_id: missing"),
    ],
)
def test_a_server_does_not_start_with_a_provider_that_it_cannot_use(
    people: Cli, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    configure(people, text)
    if "http://" in text:
        monkeypatch.setenv("SIGN_IN_SECRET", "what-both-know")
    refused = people("serve", APP, "--port", "0")
    assert (refused.status, problem in refused.err) == (2, True), refused.err
    assert "hunter2" not in refused.err


def test_roles_are_listed_and_removed(people: Cli) -> None:
    assert people("people", "role", "list", "--json").json["roles"] == [
        {"role": "editor", "permissions": ["cms:read", "cms:write"]},
        {"role": "owner", "permissions": ["*"]},
    ]
    assert "config.toml" in people("people", "role", "list").out
    assert "config.toml defines the role 'owner'" in people("people", "role", "add", "owner", "cms:read").err
    assert people("people", "role", "remove", "editor").err == "removed: the role editor\n"
    assert people("people", "list").out.count("ada") == 1


def test_a_user_without_the_right_changes_nobody(people: Cli) -> None:
    config = people.home / "config.toml"
    config.write_text(config.read_text().replace('permissions = ["*"]', 'permissions = ["cms:read"]'))
    refused = people("people", "remove", "ada", "--json")
    assert refused.status == 1
    assert refused.json["errorCode"] == "REQUEST_DENIED"
    assert "missing permission people:manage" in refused.json["error"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "no person can sign in there; add people with: remit people add"),  # noqa: S104
        (["--certificate", "cert.pem"], "a certificate and its key belong together"),
        (["--proxy", "proxy.example"], "the proxy 'proxy.example' is neither an address"),
        (["--origin", "app.example"], "'app.example' is not an origin"),
    ],
    ids=range(4),
)
def test_a_server_that_others_could_misuse_does_not_start(cli: Cli, options: list[str], message: str) -> None:
    refused = cli("serve", APP, *options)
    assert refused.status == 2
    assert message in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "without TLS they could read passwords; give --certificate and --key"),
        (["--proxy", "10.0.0.7"], "give the name under which browsers reach the server: --host-name"),
    ],
    ids=range(2),
)
def test_people_alone_are_not_enough_for_other_machines(people: Cli, options: list[str], message: str) -> None:
    people("people", "password", "ada", stdin=f"{PASSWORD}\n")
    refused = people("serve", APP, "--host", "0.0.0.0", *options)  # noqa: S104
    assert refused.status == 2
    assert message in refused.err


def test_a_grant_may_be_for_a_person_of_the_tables(people: Cli) -> None:
    options = ("--count", "1", "--hours", "1", "--for")
    assert people("approvals", "grant", APP, "burn", *options, "nobody").status == 1
    assert people("approvals", "grant", APP, "burn", *options, "ada").status == 0
