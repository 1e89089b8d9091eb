"""Where a server may listen, and whose forwarded headers it believes."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

from remit.errors import SetupError

_LOOPBACK_NAMES: Final = frozenset({"localhost", "ip6-localhost"})
_MAX_HOPS: Final = 32


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a host."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.casefold() in _LOOPBACK_NAMES


def check_binding(host: str, *, tls: bool, proxy: bool, has_people: bool) -> None:
    """Refuse to listen where others could use the server unauthenticated or read what it says.

    Args:
        host: the address or name to listen on.
        tls: the server has a certificate.
        proxy: the address of a proxy with TLS is named.
        has_people: people can sign in with a password or a token, and not only the user of this machine by a link.

    Raises:
        SetupError: says what is missing, and the line to write.
    """
    if is_loopback(host):
        return
    where = f"remit serve: {host or 'every address'} can be reached from other machines"
    if not has_people:
        raise SetupError(
            f"{where}, and no person can sign in there; add people with: remit people add NAME --role ROLE, and: "
            "remit people password NAME; or serve this machine alone with: --host 127.0.0.1"
        )
    if not tls and not proxy:
        raise SetupError(
            f"{where}, and without TLS they could read passwords; give --certificate and --key, or the address of the "
            "proxy that has them with --proxy; or serve this machine alone with: --host 127.0.0.1"
        )


class Proxies:
    """The named proxies. Only their forwarded headers count, because anybody can send such headers.

    Raises:
        SetupError: one is neither an address nor a network.
    """

    def __init__(self, addresses: Iterable[str]) -> None:
        self._networks = [_parse_network(each) for each in addresses]

    def read_forwarded(self, scope: Scope) -> Scope:
        """The scope of a request as its sender made it: the address and the scheme that the proxy reports."""
        client = scope.get("client")
        if not self._networks or client is None or not self._is_proxy(client[0]):
            return scope
        headers = Headers(scope=scope)
        hops = [each.strip() for each in ",".join(headers.getlist("x-forwarded-for")).split(",")][-_MAX_HOPS:]
        sender = next((each for each in reversed(hops) if each and not self._is_proxy(each)), client[0])
        scheme = headers.get("x-forwarded-proto", "").strip().lower()
        return {**scope, "client": (sender, 0), "scheme": scheme if scheme in ("http", "https") else scope["scheme"]}

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        return any((mapped or found) in network for network in self._networks)


def _parse_network(address: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(address)
    except ValueError:
        raise SetupError(
            f"the proxy {address!r} is neither an address nor a network; write it like 10.0.0.7 or 10.0.0.0/24"
        ) from None
