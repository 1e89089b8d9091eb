"""What is read of an error of any HTTP library."""

from __future__ import annotations

from email.message import Message
from types import SimpleNamespace
from urllib.error import HTTPError

import pytest

from remit.chat.model_status import FailedResponse, describe_redirect, find_response, retry_after


@pytest.mark.parametrize(
    ("location", "said"),
    [
        (
            "https://ada:pw@b.example:8443/v2?token=canary#x",
            "to https://b.example:8443/v2, which is not followed",
        ),
        ("https://other.example/login", "to https://other.example/login, which is not followed"),
        ("/login?token=canary", "a redirect, which is not followed: give the base_url of the endpoint itself"),
        ("http://[::1", "a redirect, which is not followed"),
        ("http://other.example:port/", "a redirect, which is not followed"),
        ("", "a redirect, which is not followed"),
    ],
)
def test_a_redirect_is_told_without_the_values_in_it(location: str, said: str) -> None:
    told = describe_redirect({"location": location})
    assert said in told
    assert "canary" not in told
    assert "pw" not in told


class LibraryError(Exception):
    """An error of an HTTP library, with the fields that it has."""

    def __init__(self, **fields: object) -> None:
        super().__init__("no")
        self.__dict__.update(fields)


HEADERS = {"Retry-After": "7"}


@pytest.mark.parametrize(
    "error",
    [
        LibraryError(response=SimpleNamespace(status_code=503, headers=HEADERS)),
        LibraryError(status=503, headers=HEADERS),
    ],
    ids=["httpx", "aiohttp"],
)
def test_the_response_of_an_error_is_found_whichever_library_raises_it(error: Exception) -> None:
    assert find_response(error) == FailedResponse(503, {"retry-after": "7"})


def test_the_response_of_an_error_of_urllib_is_found() -> None:
    headers = Message()
    headers["Location"] = "/login"
    error = HTTPError("http://127.0.0.1/", 302, "elsewhere", headers, None)
    assert find_response(error) == FailedResponse(302, {"location": "/login"})


@pytest.mark.parametrize(
    "fields",
    [{}, {"response": None}, {"status": "failed"}, {"status": 200}, {"status": 7}, {"response": 7, "code": "x"}],
)
def test_an_error_without_a_failed_response_has_none(fields: dict[str, object]) -> None:
    assert find_response(LibraryError(**fields)) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("Thu, 01 Jan 1970 00:01:00 GMT", 50.0), ("soon", None), ("nan", None)],
)
async def test_the_time_that_an_endpoint_asks_to_wait_is_read(header: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": header}, now=lambda: 10.0) == seconds
    assert retry_after({}) is None
