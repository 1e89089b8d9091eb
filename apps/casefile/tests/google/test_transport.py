"""The transport: each way in which Google can fail, in Remit's words, and lists of several pages."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Iterator

import pytest
from google.auth.aio.credentials import StaticCredentials
from google.auth.exceptions import RefreshError

from apps.casefile.tests.google.fake.faults import Cut, Says, Stall, broken, busy
from apps.casefile.tests.google.fake.requests import GoogleResponseError
from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.world import NOW, World
from remit.errors import (
    CallError,
    DeadlineError,
    ExternalError,
    InvalidArgumentsError,
    SetupError,
)
from remit_casefile.google.errors import (
    BusyError,
    GoogleConflictError,
    GoogleInvalidError,
    GoogleNotFoundError,
    GoogleRefusedError,
    GoogleUnavailableError,
    UnexpectedResponseError,
    UnreachableError,
    error_from_response,
    may_have_happened,
)
from remit_casefile.google.payloads.drive import DownloadFile
from remit_casefile.google.payloads.gmail import MessageList
from remit_casefile.google.transport import (
    Hosts,
    HttpResponse,
    Transport,
    add_query,
    iterate_pages,
    parse_response,
    quote_segment,
)
from remit_casefile.google.wire import MessageResource, Profile

PROFILE = "gmail.users.getProfile"


async def test_a_token_that_is_refused_once_is_renewed_once(world: World) -> None:
    world.google.tokens = {"token-2"}

    await world.gmail.get_profile()

    assert (world.credentials.renewed, world.google.asked) == (1, [PROFILE, PROFILE])


async def test_requests_that_are_refused_together_renew_the_token_once(world: World) -> None:
    world.google.tokens = {"token-2"}

    await asyncio.gather(*(world.gmail.get_profile() for _ in range(8)))

    assert world.credentials.renewed == 1


async def test_a_token_that_stays_refused_is_a_denial(world: World) -> None:
    world.google.tokens = set()

    with pytest.raises(GoogleRefusedError, match="sign in again"):
        await world.gmail.get_profile()


async def test_credentials_that_cannot_be_renewed_are_a_denial(world: World) -> None:
    transport = Transport(StaticCredentials("stale"), hosts=Hosts.all_at(world.google.url))

    async with transport:
        with pytest.raises(GoogleRefusedError, match="sign in again"):
            await transport.call_json("GET", f"{world.google.url}/gmail/v1/users/me/profile", Profile)


@pytest.mark.parametrize(("retryable", "kind"), [(True, UnreachableError), (False, GoogleRefusedError)])
async def test_credentials_that_fail_before_a_request_send_nothing(
    world: World, retryable: bool, kind: type[CallError]
) -> None:
    class Failing(StaticCredentials):
        async def before_request(self, request: object, method: str, url: str, headers: object) -> None:
            raise RefreshError("no", retryable=retryable)

    async with Transport(Failing("x"), hosts=Hosts.all_at(world.google.url)) as transport:
        with pytest.raises(kind):
            await transport.call_json("GET", f"{world.google.url}/gmail/v1/users/me/profile", Profile)
    assert world.google.asked == []


@pytest.mark.parametrize(
    ("trouble", "kind", "retryable"),
    [
        (GoogleResponseError(400, "Bad", "invalid"), GoogleInvalidError, False),
        (GoogleResponseError(403, "No", "insufficientPermissions"), GoogleRefusedError, False),
        (GoogleResponseError(403, "Slow down", "userRateLimitExceeded"), BusyError, True),
        (GoogleResponseError(404, "None", "notFound"), GoogleNotFoundError, False),
        (GoogleResponseError(409, "Exists", "alreadyExists"), GoogleConflictError, False),
        (busy(), BusyError, True),
        (broken(500), GoogleUnavailableError, True),
        (broken(503), GoogleUnavailableError, True),
        (Says(b"<html>", 302), UnexpectedResponseError, False),
        (Says(b"not json"), UnexpectedResponseError, False),
        (Says(b"{}"), UnexpectedResponseError, False),
    ],
)
async def test_each_refusal_has_its_error(
    world: World, trouble: GoogleResponseError, kind: type[CallError], retryable: bool
) -> None:
    world.google.faults.plan(PROFILE, trouble)

    with pytest.raises(kind, match="GET /gmail/v1/users/me/profile") as caught:
        await world.gmail.get_profile()

    assert type(caught.value) is kind
    assert kind.code.startswith("GOOGLE_")
    assert caught.value.retryable is retryable
    assert world.google.asked == [PROFILE]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
async def test_retry_after_is_a_number_or_a_date(world: World, said: str, seconds: float | None) -> None:
    world.google.faults.plan(PROFILE, busy(said))

    with pytest.raises(BusyError, match=r"Wait (a while|\d+ s)") as caught:
        await world.gmail.get_profile()

    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("cut", Cut)
async def test_a_cut_connection_is_worth_another_try(world: World, cut: Cut) -> None:
    world.google.faults.plan(PROFILE, cut, times=2)

    with pytest.raises(ExternalError, match="was cut") as caught:
        await world.gmail.get_profile()

    assert caught.value.retryable
    assert may_have_happened(caught.value)


async def test_what_is_never_answered_ends_at_its_timeout(world: World) -> None:
    world.google.faults.plan(PROFILE, Stall.FOREVER)
    hurried = World(world.google, timeout=0.05)

    with pytest.raises(DeadlineError, match=r"within 0\.05 s") as caught:
        await hurried.gmail.get_profile()
    await hurried.transport.close()

    assert may_have_happened(caught.value)


async def test_where_nobody_listens_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"

    async with Transport(StaticCredentials("x"), hosts=Hosts.all_at(url)) as transport:
        with pytest.raises(UnreachableError, match="nothing was sent") as caught:
            await transport.call_json("GET", f"{url}/x", Profile)

    assert not may_have_happened(caught.value)


async def test_an_answer_larger_than_allowed_is_not_read(world: World) -> None:
    key = world.google.drive.put("a", b"x" * 100)

    with pytest.raises(InvalidArgumentsError, match="larger than 99 bytes"):
        await world.drive.download_file(DownloadFile(file_id=key, max_bytes=99))
    assert (await world.drive.download_file(DownloadFile(file_id=key, max_bytes=100))).size == 100


async def test_every_page_of_a_list_comes() -> None:
    given = {None: "b", "b": "c", "c": None}

    async def fetch(token: str | None) -> MessageList:
        return MessageList(next_page_token=given[token], result_size_estimate=len(given))

    assert [page.next_page_token async for page in iterate_pages(fetch)] == ["b", "c", None]


async def test_a_list_that_goes_in_circles_ends() -> None:
    tokens: Iterator[str] = iter("abab")

    async def fetch(token: str | None) -> MessageList:
        return MessageList(next_page_token=next(tokens))

    with pytest.raises(UnexpectedResponseError, match="never end"):
        async for _ in iterate_pages(fetch):
            pass


@pytest.mark.parametrize("url", ["http://example.com", "ftp://example.com", "https://", "https://example.com/", ""])
def test_tokens_go_nowhere_in_clear(url: str) -> None:
    with pytest.raises(SetupError, match="give https://HOST"):
        Hosts.all_at(url)


def test_a_transport_wants_a_positive_timeout() -> None:
    with pytest.raises(SetupError, match="positive"):
        Transport(StaticCredentials("x"), timeout=0)


def test_a_name_stays_within_its_segment_of_a_path() -> None:
    assert quote_segment("a/b?c#d e") == "a%2Fb%3Fc%23d%20e"
    for name in ("", ".", ".."):
        with pytest.raises(InvalidArgumentsError, match="names nothing"):
            quote_segment(name)


def test_what_is_none_or_empty_is_no_parameter() -> None:
    params = {"a": None, "b": [], "c": ["x", "y z"], "d": True, "e": 0}
    assert add_query("https://h/p", params) == "https://h/p?c=x&c=y+z&d=true&e=0"
    assert add_query("https://h/p", {"a": None}) == "https://h/p"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"error": "text"}', b'{"error": {"errors": 1}}', b"\xff", b"[" * 100_000]
)
def test_an_error_that_is_not_written_as_google_does_is_read_all_the_same(body: bytes) -> None:
    error = error_from_response("GET /x", 500, {}, body, NOW)

    assert isinstance(error, ExternalError)
    assert error.message == "GET /x: Google answers 500; worth another try"


@pytest.mark.parametrize("body", [b"[" * 100_000, b'["\\ud800", ' + b"[" * 100_000, b'{"payload": "\\ud800'])
def test_an_answer_that_cannot_be_read_is_told_as_that(body: bytes) -> None:
    with pytest.raises(UnexpectedResponseError, match="GET /x: Google's answer is not a MessageResource"):
        parse_response(HttpResponse(200, {}, body), MessageResource, "GET /x")


async def test_a_transport_that_was_closed_opens_again(world: World) -> None:
    await world.gmail.get_profile()
    await world.transport.close()

    await world.gmail.get_profile()

    assert world.google.asked == [PROFILE, PROFILE]


def test_a_program_that_ends_without_a_word_leaves_no_connection_open() -> None:
    """A connection left open would be complained about, and complaints fail a test."""

    async def program() -> list[str]:
        async with serving(FakeGoogle()) as google:
            await World(google).gmail.get_profile()
            return google.asked

    assert asyncio.run(program()) == [PROFILE]
    gc.collect()
