"""Which servers webhooks may tell: public ones by https, and those of the operator's own network that are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from ssrfguard import Policy

from remit.errors import SetupError
from remit.http import PUBLIC_ONLY, GuardedHttp, HttpReply

Server = tuple[str, int]
"""An address and a port."""

_BY_HTTPS: Final = replace(PUBLIC_ONLY, allowed_schemes=frozenset({"https"}))


def _make_http(policy: Policy) -> GuardedHttp:
    return GuardedHttp(policy=policy)


class WebhookHttp:
    """Posts to the servers of webhooks.

    Args:
        private: servers of the operator's own network, as ``ADDRESS:PORT`` separated by commas. Each is reached under
            this address and port alone, by http too. What it allows holds for no other server.
        make_http: makes the client for what a policy allows.

    Raises:
        SetupError: a server is written otherwise.
    """

    def __init__(self, private: str = "", *, make_http: Callable[[Policy], GuardedHttp] = _make_http) -> None:
        self._public = make_http(_BY_HTTPS)
        servers = [_read_server(each) for each in filter(None, map(str.strip, private.split(",")))]
        self._own = {server: make_http(_policy_for(server)) for server in servers}

    def check(self, url: str) -> str:
        """Check what can be checked of an address without a connection. Returns it as it is requested.

        Raises:
            InvalidArgumentsError: it cannot be requested. DeniedError: it is no server that may be told.
        """
        return self._find_client(url).check(url)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply:
        """Post a body, as `GuardedHttp.post` does."""
        return await self._find_client(url).post(url, body, headers)

    def _find_client(self, url: str) -> GuardedHttp:
        try:
            parts = urlsplit(url)
            server = str(ip_address(parts.hostname or "")), parts.port or 0
        except ValueError:  # a name, or no address at all
            return self._public
        return self._own.get(server, self._public)


def _policy_for(server: Server) -> Policy:
    """One server, by http and https."""
    address, port = server
    return replace(PUBLIC_ONLY, allowed_networks=(ip_network(address),), allowed_ports=frozenset({port}))


def _read_server(text: str) -> Server:
    try:
        parts = urlsplit(f"//{text}")
        if parts.port is not None and parts.netloc == text and parts.username is None:
            return str(ip_address(parts.hostname or "")), parts.port
    except ValueError:
        pass
    raise SetupError(f"REMIT_CMS_WEBHOOK_PRIVATE holds {text!r}; give ADDRESS:PORT, such as 10.1.2.3:8080")
