"""The client that requests what models name: limits, redirects, headers, and errors that say what went wrong."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from figures.ssrf_world import PUBLIC, Internet, Page
from remit.errors import DeniedError, ExternalError, InvalidArgumentsError
from remit.http import PUBLIC_ONLY, GuardedHttp, HttpLimits, HttpReply

SMALL = HttpLimits(max_bytes=1000, seconds=5, redirects=2)


@pytest.fixture
async def internet() -> AsyncIterator[Internet]:
    async with Internet() as internet:
        yield internet


async def test_a_page_arrives_as_it_is(internet: Internet) -> None:
    internet.pages["/"] = Page("gr\xfc\xdf".encode("latin-1"), headers={"content-type": "text/plain; charset=latin-1"})
    reply = await internet.http().get("http://site.example/?q=a%20b#part")
    assert (reply.status, reply.media_type, reply.text) == (200, "text/plain", "gr\xfc\xdf")
    assert reply.url == "http://site.example/?q=a%20b"
    assert internet.requests[0].startswith("GET /?q=a%20b HTTP/1.1\r\nHost: site.example")


@pytest.mark.parametrize(
    "charset", ["idna", "undefined", "unicode_escape", "raw_unicode_escape", "utf-7", "x\0y", "hex"]
)
async def test_a_charset_that_is_none_of_the_web_is_read_as_utf_8(charset: str) -> None:
    headers = {"content-type": f"text/plain; charset={charset}"}
    reply = HttpReply(url="https://a.example/", status=200, headers=headers, body="é \\ud800 +2AA-".encode())
    assert reply.text == "é \\ud800 +2AA-"


async def test_a_name_with_umlauts_is_looked_up_as_the_browser_does(internet: Internet) -> None:
    internet.names["xn--bckerei-5wa.example"] = [["1.1.1.1"]]
    internet.pages["/"] = Page(b"bread")
    assert (await internet.http().get("http://b\xe4ckerei.example/")).text == "bread"
    assert internet.connects == ["1.1.1.1"]


@pytest.mark.parametrize(
    ("body", "encoding"), [(gzip.compress(b"x" * 5_000_000), "gzip"), (zlib.compress(b"x" * 5_000_000), "deflate")]
)
async def test_a_body_that_unpacks_to_too_much_is_cut(internet: Internet, body: bytes, encoding: str) -> None:
    internet.pages["/"] = Page(body, headers={"content-encoding": encoding})
    reply = await internet.http(SMALL).get("http://site.example/")
    assert (reply.body, reply.is_cut) == (b"x" * 1000, True)


async def test_a_body_at_the_limit_is_whole(internet: Internet) -> None:
    internet.pages["/"] = Page(b"x" * 1000)
    reply = await internet.http(SMALL).get("http://site.example/")
    assert (len(reply.body), reply.is_cut) == (1000, False)


async def test_redirects_are_followed_up_to_the_limit(internet: Internet) -> None:
    internet.pages |= {
        "/a": Page(status=301, headers={"location": "/b"}),
        "/b": Page(status=302, headers={"location": "//other.example/c"}),
        "/c": Page(b"here"),
        "/round": Page(status=302, headers={"location": "/round"}),
    }
    reply = await internet.http(SMALL).get("http://site.example/a")
    assert (reply.url, reply.text) == ("http://other.example/c", "here")
    with pytest.raises(ExternalError, match="leads to more than 2 other addresses"):
        await internet.http(SMALL).get("http://site.example/round")


async def test_headers_of_the_caller_do_not_follow_to_another_server(internet: Internet) -> None:
    internet.pages |= {
        "/a": Page(status=302, headers={"location": "/b"}),
        "/b": Page(status=302, headers={"location": "http://other.example/c"}),
        "/c": Page(b"here"),
    }
    await internet.http().get(
        "http://site.example/a", {"Authorization": "Bearer x", "X-Key": "y", "Accept": "text/html"}
    )
    assert ["Bearer x" in each for each in internet.requests] == [True, True, False]
    assert ["x-key" in each.lower() for each in internet.requests] == [True, True, False]
    assert all("text/html" in each for each in internet.requests)


async def test_a_client_for_https_alone_connects_to_public_servers(internet: Internet) -> None:
    policy = replace(PUBLIC_ONLY, allowed_schemes=frozenset({"https"}))
    http = GuardedHttp(policy=policy, resolver=internet.look_up, network=internet)
    with pytest.raises(ExternalError, match="cannot get an answer of hooks"):  # it has no certificate
        await http.post("https://hooks.example/", b"")
    internet.names["inside.example"] = [["10.0.0.1"]]
    with pytest.raises(DeniedError):
        await http.post("https://inside.example/", b"")
    assert internet.connects == [PUBLIC]


async def test_a_post_is_not_sent_on_to_where_a_redirect_leads(internet: Internet) -> None:
    internet.pages["/"] = Page(status=307, headers={"location": "http://other.example/"})
    reply = await internet.http().post("http://site.example/", b"{}")
    assert (reply.status, len(internet.requests), internet.bodies) == (307, 1, [b"{}"])


@pytest.mark.parametrize(
    "name", ["Host", "content-length", "Transfer-Encoding", "Proxy-Authorization", "a b", "", "x\n"]
)
async def test_headers_that_would_change_the_request_are_refused(internet: Internet, name: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="header"):
        await internet.http().get("http://site.example/", {name: "x"})
    assert internet.requests == []


async def test_a_header_cannot_carry_another_one(internet: Internet) -> None:
    with pytest.raises(InvalidArgumentsError, match="the header X holds characters that cannot be sent"):
        await internet.http().get("http://site.example/", {"X": "a\r\nHost: inside"})


async def test_an_address_inside_a_network_is_denied_without_telling_which_it_is(internet: Internet) -> None:
    internet.names["inside.example"] = [["10.1.2.3"]]
    with pytest.raises(DeniedError) as caught:
        await internet.http().get("http://inside.example/")
    assert str(caught.value) == "http://inside.example/ does not lead to a public address, so it is not requested"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "site.example",
        "http://",
        "http://a:b@site.example/",
        "http://[",
        "http://site.example/\udc00",
    ],
)
async def test_what_is_no_address_of_a_page_is_refused_in_one_line(internet: Internet, url: str) -> None:
    with pytest.raises(
        InvalidArgumentsError,
        match=r"cannot be requested: .*; give the whole address|give a string without lone surrogates",
    ) as caught:
        await internet.http().get(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (Page(b"x", headers={"content-encoding": "br"}), "the encoding 'br', which was not asked for"),
        (Page(b"not gzip", headers={"content-encoding": "gzip"}), "its compressed body is broken"),
        (Page(b"late", wait=30), "did not answer within 0.2 s"),
        (Page(status=302, headers={"location": "http://["}), "leads to an address that cannot be requested"),
    ],
)
async def test_a_server_that_answers_badly_is_an_error_of_that_server(
    internet: Internet, page: Page, message: str
) -> None:
    internet.pages["/"] = page
    limits = HttpLimits(seconds=0.2) if page.wait else SMALL
    with pytest.raises(ExternalError, match=message):
        await internet.http(limits).get("http://site.example/")


async def test_a_name_without_a_server_is_an_error_that_says_so(internet: Internet) -> None:
    with pytest.raises(ExternalError, match=r"cannot get an answer of no\.missing: there is no server of that name"):
        await internet.http().get("http://no.missing/")


async def test_each_method_is_sent_with_its_own_body_or_without_one(internet: Internet) -> None:
    internet.pages["/"] = Page(b"done")
    await internet.http().request("DELETE", "http://site.example/")
    await internet.http().request("PUT", "http://site.example/", b"bread")
    assert internet.requests[0].startswith("DELETE / HTTP/1.1\r\n")
    assert "content-length" not in internet.requests[0].lower()
    assert internet.requests[1].startswith("PUT / HTTP/1.1\r\n")
    assert "content-length: 5" in internet.requests[1].lower()


def test_a_client_for_one_server_reaches_a_private_address_and_no_other_server() -> None:
    http = GuardedHttp.for_server("http://10.0.0.7:8080/api")
    assert http.check("http://10.0.0.7:8080/pages") == "http://10.0.0.7:8080/pages"
    for other in ("http://10.0.0.8:8080/", "http://10.0.0.7:8081/", "https://site.example/"):
        with pytest.raises((DeniedError, InvalidArgumentsError)):
            http.check(other)


@pytest.mark.parametrize("url", ["", "x", "http://", "http://[::1", "file:///etc/passwd"])
def test_a_client_for_one_server_needs_the_address_of_a_server(url: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"is no address of a server"):
        GuardedHttp.for_server(url)
