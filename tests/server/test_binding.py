"""Where a server may listen, and which sender a named proxy tells."""

from __future__ import annotations

from typing import Any

import pytest

from remit.errors import SetupError
from remit.server.binding import Proxies, check_binding
from remit.server.guard import GuardSettings
from remit.server.listening import listen
from tests.server.people.kit import World, csrf_of


def scope_from(client: str, **headers: str) -> dict[str, Any]:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "client": (client, 1), "scheme": "http", "headers": sent}


@pytest.mark.parametrize(
    ("client", "forwarded", "sender"),
    [
        ("10.0.0.7", "198.51.100.4", "198.51.100.4"),
        ("10.0.0.7", "203.0.113.9, 198.51.100.4", "198.51.100.4"),
        ("10.0.0.7", "203.0.113.9, 198.51.100.4, 10.0.0.9", "198.51.100.4"),
        ("10.0.0.7", "", "10.0.0.7"),
        ("::ffff:10.0.0.7", "198.51.100.4", "198.51.100.4"),
        ("10.0.0.7", "10.0.0.8", "10.0.0.7"),
        ("192.0.2.1", "198.51.100.4", "192.0.2.1"),
        ("unix", "198.51.100.4", "unix"),
    ],
)
def test_only_a_named_proxy_says_who_sends_a_request(client: str, forwarded: str, sender: str) -> None:
    scope = scope_from(client, x_forwarded_for=forwarded, x_forwarded_proto="https")
    found = Proxies(["10.0.0.0/24"]).read_forwarded(scope)
    assert found["client"][0] == sender
    assert found["scheme"] == ("https" if client.endswith("10.0.0.7") else "http")
    assert Proxies([]).read_forwarded(scope) is scope


def test_a_scheme_that_is_none_is_ignored() -> None:
    scope = scope_from("10.0.0.7", x_forwarded_for="198.51.100.4", x_forwarded_proto="javascript")
    assert Proxies(["10.0.0.7"]).read_forwarded(scope)["scheme"] == "http"


def test_behind_a_named_proxy_pages_and_throttling_see_the_sender() -> None:
    world = World(GuardSettings(hosts=frozenset({"testserver"}), tls=True, proxies=("10.0.0.7",)))
    proxy = world.browser("10.0.0.7")
    sent = {"x-forwarded-for": "198.51.100.4", "x-forwarded-proto": "https", "origin": "https://testserver"}
    page = proxy.get("/login", headers=sent)
    cookie = page.headers["set-cookie"].partition(";")[0]
    form = {"name": "ada", "password": "correct horse battery", "csrf": csrf_of(page)}
    assert proxy.post("/login", data=form, headers={**sent, "cookie": cookie}).status_code == 303
    unnamed = world.browser("192.0.2.1")
    assert unnamed.post("/login", data=form, headers={**sent, "cookie": cookie}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.9.9.9"])
def test_this_machine_alone_is_served_without_anything(host: str) -> None:
    check_binding(host, tls=False, proxy=False, has_people=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.com", "localhost.evil.example"])  # noqa: S104
def test_other_machines_are_served_only_with_people_and_tls(host: str) -> None:
    check_binding(host, tls=True, proxy=False, has_people=True)
    check_binding(host, tls=False, proxy=True, has_people=True)
    with pytest.raises(SetupError, match="no person can sign in there; add people with: remit people add"):
        check_binding(host, tls=True, proxy=True, has_people=False)
    with pytest.raises(SetupError, match="without TLS they could read passwords; give --certificate and --key"):
        check_binding(host, tls=False, proxy=False, has_people=True)


@pytest.mark.parametrize("proxy", ["", "proxy.example", "10.0.0.7/8", "*"])
def test_a_proxy_is_an_address(proxy: str) -> None:
    with pytest.raises(SetupError, match=r"is neither an address nor a network; write it like 10\.0\.0\.7"):
        GuardSettings(proxies=(proxy,))


def test_the_first_port_that_is_not_in_use_is_taken() -> None:
    with listen("127.0.0.1", [0]) as taken:
        port = taken.getsockname()[1]
        with listen("127.0.0.1", [port, port, 0]) as found:
            assert found.getsockname()[1] not in (0, port)
        with pytest.raises(SetupError, match=f"cannot listen on 127.0.0.1 port {port}: .*; give another --port"):
            listen("127.0.0.1", [port])


def test_an_address_of_another_machine_is_refused_at_once() -> None:
    with pytest.raises(SetupError, match=r"cannot listen on 192\.0\.2\.1 port 1"):
        listen("192.0.2.1", [1, 0])
