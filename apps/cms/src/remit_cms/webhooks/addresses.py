"""Which addresses webhooks may have: public ones by https, and those of the operator's own network that are named."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from ssrfguard import Policy

from remit.errors import SetupError
from remit_cms.web.guarded_http import PUBLIC_ONLY


def webhook_policy(private: str = "") -> Policy:
    """What webhooks may reach. ``private`` are servers by address and port, which may be reached by http too.

    Raises:
        SetupError: one of them is written otherwise.
    """
    servers = [_read_server(each) for each in filter(None, map(str.strip, private.split(",")))]
    if not servers:
        return replace(PUBLIC_ONLY, allowed_schemes=frozenset({"https"}))
    return replace(
        PUBLIC_ONLY,
        allowed_networks=tuple(ip_network(host) for host, _ in servers),
        allowed_ports=PUBLIC_ONLY.allowed_ports | {port for _, port in servers},
    )


def _read_server(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        if parts.port is not None and parts.netloc == text and parts.username is None:
            return str(ip_address(parts.hostname or "")), parts.port
    except ValueError:
        pass
    raise SetupError(f"REMIT_CMS_WEBHOOK_PRIVATE holds {text!r}; give ADDRESS:PORT, such as 10.1.2.3:8080")
