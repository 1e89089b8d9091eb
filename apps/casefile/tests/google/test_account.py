"""The account: read when first used, one clear error where it is not there, and its secrets nowhere."""

# google-auth ships without types for its credentials.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.transport.requests import Request
from google.oauth2.service_account import Credentials as ServiceCredentials

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.governed import call, google_app
from apps.casefile.tests.office import principal
from remit import Runtime
from remit.errors import MissingCapabilityError, SetupError
from remit_casefile.google.account import CREDENTIALS_VARIABLE, SUBJECT_VARIABLE, URL_VARIABLE, Account
from remit_casefile.google.clients import AccountClients, Clients
from remit_casefile.google.errors import GoogleRefusedError
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.transport import Hosts, Transport

SECRET, REFRESH = "GOCSPX-not-for-anybody", "refresh-1-not-for-anybody"


def user(google: FakeGoogle, **more: str) -> dict[str, str]:
    """The file of somebody who has signed in."""
    said = {"type": "authorized_user", "client_id": "id", "client_secret": SECRET, "refresh_token": REFRESH}
    return {**said, "token_uri": f"{google.url}/token", **more}


@pytest.fixture
def file(tmp_path: Path, google: FakeGoogle) -> Path:
    path = tmp_path / "credentials.json"
    path.write_text(json.dumps(user(google)))
    return path


@pytest.fixture
async def transport(file: Path, google: FakeGoogle) -> AsyncIterator[Transport]:
    transport = Account.from_environ({CREDENTIALS_VARIABLE: str(file), URL_VARIABLE: google.url}).transport()
    yield transport
    await transport.close()


async def test_who_has_signed_in_is_who_the_tools_act_as(google: FakeGoogle, transport: Transport) -> None:
    gmail = GmailClient(transport)

    await asyncio.gather(*(gmail.get_profile() for _ in range(4)))

    assert [each["refresh_token"] for each in google.granted] == [REFRESH]
    assert google.asked == ["gmail.users.getProfile"] * 4


async def test_without_credentials_every_tool_says_what_to_set(google: FakeGoogle) -> None:
    transport = Account.from_environ({URL_VARIABLE: google.url}).transport()
    runtime = Runtime(google_app(Clients.from_transport(transport)))

    for name, arguments in (
        ("gmail_list_messages", {}),
        ("drive_list_files", {}),
        ("sheets_batch_get", {"spreadsheet_id": "b", "ranges": ["A1"]}),
    ):
        said = json.loads((await call(runtime, name, arguments)).text)
        assert said["errorCode"] == "CAPABILITY_ABSENT"
        assert said["error"] == (
            "no Google account is connected: set REMIT_GOOGLE_CREDENTIALS to the path of an authorized user's or a "
            "service account's JSON file"
        )
    assert google.asked == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no credentials"),
        ('{"type": "external_account"}', "holds no credentials"),
        ('{"type": "authorized_user", "client_id": "i", "client_secret": "short"}', "client_secret"),
        (json.dumps({"type": "authorized_user", "client_id": "i", "client_secret": SECRET}), "refresh_token"),
        (
            json.dumps({"type": "service_account", "client_email": "a@b.c", "private_key": SECRET}),
            "private_key of the credentials is not valid",
        ),
        (
            json.dumps(
                {
                    "type": "authorized_user",
                    "client_id": "i",
                    "client_secret": SECRET,
                    "refresh_token": REFRESH,
                    "token_uri": "http://[example.com",
                }
            ),
            "token_uri",
        ),
    ],
)
async def test_a_file_that_holds_no_credentials_is_named_and_not_quoted(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "credentials.json"
    path.write_text(text)

    with pytest.raises(MissingCapabilityError, match=said) as raised:
        await Account(file=path).load_credentials()

    assert SECRET not in f"{raised.value!s} {raised.value.__cause__!r}"
    assert "short" not in str(raised.value)


async def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none.json", "No such file"), (tmp_path / "bytes.json", "it is not text")):
        (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
        with pytest.raises(MissingCapabilityError, match=why) as raised:
            await Account(file=path).load_credentials()
        assert str(path) in str(raised.value)


async def test_credentials_that_come_later_are_taken_without_a_restart(tmp_path: Path, google: FakeGoogle) -> None:
    path = tmp_path / "credentials.json"
    async with Account(file=path, hosts=Hosts.all_at(google.url)).transport() as transport:
        with pytest.raises(MissingCapabilityError):
            await GmailClient(transport).get_profile()

        path.write_text(json.dumps(user(google)))
        await GmailClient(transport).get_profile()

    assert google.asked == ["gmail.users.getProfile"]


async def test_secrets_stand_in_no_reply_error_or_journal(google: FakeGoogle, transport: Transport) -> None:
    google.accepts = "another"
    runtime = Runtime(google_app(Clients.from_transport(transport)))

    refused = await call(runtime, "gmail_list_messages", {})
    google.accepts, quoting = "refresh-1", f"{SECRET} and {REFRESH}"
    key = google.drive.put("notes", quoting.encode())
    read = await call(runtime, "drive_download_file", {"file_id": key})

    assert json.loads(refused.text)["errorCode"] == "GOOGLE_REFUSED"
    assert "sign in again" in refused.text
    assert json.loads(read.text)["content"] == "[secret google:client_secret] and [secret google:refresh_token]"
    written = repr([await runtime.store.read(each.run) for each in (refused, read)])
    assert SECRET not in written
    assert REFRESH not in written
    assert "token-1" not in written


async def test_a_person_acts_as_nobody_else(file: Path) -> None:
    account = Account.from_environ({CREDENTIALS_VARIABLE: str(file), SUBJECT_VARIABLE: "bob@example.com"})

    with pytest.raises(MissingCapabilityError, match="REMIT_GOOGLE_SUBJECT is for service accounts"):
        await account.load_credentials()


async def test_a_service_account_acts_as_the_person_who_is_named(tmp_path: Path, google: FakeGoogle) -> None:
    google.accepts = "ey"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    path = tmp_path / "service.json"
    said = {"type": "service_account", "client_email": "robot@example.com", "private_key": pem}
    path.write_text(json.dumps({**said, "token_uri": f"{google.url}/token"}))

    made = await Account.from_environ(
        {CREDENTIALS_VARIABLE: str(path), SUBJECT_VARIABLE: "ann@example.com"}
    ).load_credentials()
    assert isinstance(made, ServiceCredentials)
    request = Request()
    await asyncio.to_thread(made.refresh, request)
    request.session.close()

    claims = _claims(google.granted[0]["assertion"])
    assert (claims["iss"], claims["sub"]) == ("robot@example.com", "ann@example.com")
    assert set(claims["scope"].rsplit("/")) >= {"spreadsheets"}


def test_a_place_that_a_token_may_not_travel_to_is_refused_when_the_account_is_made() -> None:
    with pytest.raises(SetupError, match=r"REMIT_GOOGLE_URL: gmail=.http://example\.com.: give https://HOST"):
        Account.from_environ({URL_VARIABLE: "http://example.com"})


async def test_an_account_that_google_no_longer_knows_is_a_denial(google: FakeGoogle, transport: Transport) -> None:
    google.accepts = "another"

    with pytest.raises(GoogleRefusedError, match="sign in again"):
        await GmailClient(transport).get_profile()


def accounts_of(folder: Path, google: FakeGoogle) -> AccountClients:
    """The clients of Ann and Bob, each with an account of their own."""
    (folder / "default").mkdir()
    for name in ("ann", "bob"):
        credentials = user(google, refresh_token=f"refresh-1-of-{name}")
        (folder / "default" / f"{name}.json").write_text(json.dumps(credentials))
    return AccountClients(Account.from_environ({CREDENTIALS_VARIABLE: str(folder), URL_VARIABLE: google.url}))


async def test_a_preview_reads_with_the_account_of_the_caller(tmp_path: Path, google: FakeGoogle) -> None:
    clients = accounts_of(tmp_path, google)
    google.sheets.put("book", "Sheet1", [["a"]])
    arguments = {"spreadsheet_id": "book", "range": "Sheet1!A1", "values": [[1]]}

    waiting = await call(Runtime(google_app(clients)), "sheets_append_values", arguments, principal("bob"))
    await clients.close()

    assert (waiting.status, google.asked) == ("waiting", ["sheets.spreadsheets.values.batchGet"])
    assert [each["refresh_token"] for each in google.granted] == ["refresh-1-of-bob"]


async def test_with_a_folder_of_accounts_each_user_acts_as_their_own(tmp_path: Path, google: FakeGoogle) -> None:
    clients = accounts_of(tmp_path, google)
    runtime = Runtime(google_app(clients))

    for name in ("ann", "bob", "ann"):
        done = await call(runtime, "gmail_list_messages", {}, principal(name))
        assert done.status == "done", done.text
    refused = json.loads((await call(runtime, "gmail_list_messages", {}, principal("cleo"))).text)
    foreign = json.loads((await call(runtime, "gmail_list_messages", {}, principal("ann", "other"))).text)
    await clients.close()

    assert [each["refresh_token"] for each in google.granted] == ["refresh-1-of-ann", "refresh-1-of-bob"]
    assert (refused["errorCode"], "no Google account for cleo of default: put" in refused["error"]) == (
        "CAPABILITY_ABSENT",
        True,
    )
    assert (foreign["errorCode"], "other/ann.json" in foreign["error"]) == ("CAPABILITY_ABSENT", True)


@pytest.mark.parametrize(
    ("tenant", "name", "file"),
    [
        ("default", "ann@example.com", "default/ann@example.com.json"),
        ("default", "../other/bob", "default/..%2Fother%2Fbob.json"),
        ("..", "bob", "%2E%2E/bob.json"),
        ("/etc", "bob", "%2Fetc/bob.json"),
    ],
)
def test_no_name_leads_out_of_the_folder_of_accounts(tmp_path: Path, tenant: str, name: str, file: str) -> None:
    assert Account(file=tmp_path).of(principal(name, tenant)).file == tmp_path / file


def test_a_subject_for_all_and_an_account_for_each_contradict(tmp_path: Path) -> None:
    account = Account(file=tmp_path, subject="ann@example.com")
    with pytest.raises(MissingCapabilityError, match="unset one"):
        account.of(principal("ann"))


def test_an_anonymous_caller_has_no_account(tmp_path: Path) -> None:
    with pytest.raises(MissingCapabilityError, match="no Google account is connected"):
        Account(file=tmp_path).of(principal("anonymous"))


def _claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
