"""The host of an address on the web, in the one form in which browsers look it up."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import unquote_to_bytes, urlsplit

import idna

from remit_cms.templates.values import url_scheme

MAX_HREF: Final = 2048
"""So many characters an address may have that an item or a redirect leads to."""
_MAX_HOST: Final = 253
_LABEL: Final = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def is_web_address(url: str) -> bool:
    """Whether an item of the navigation or a redirect may lead to an address on another server."""
    return url.startswith("https://") and len(url) <= MAX_HREF and find_host(url) is not None


def is_on_site(url: str, site: str) -> bool:
    """Whether an address is one of the site with the address ``site``, however its host is written, at any port."""
    host = find_host(url)
    return host is not None and host == find_host(site)


def find_host(url: str) -> str | None:
    """The host that a browser asks for an address; None if there is none, or its port is none.

    It is in lower case and ASCII, without escapes or a dot at its end: ``b%61kery.example.`` and full-width letters
    are bakery.example, and ``127.1`` is 127.0.0.1.
    """
    if url_scheme(url) is None:
        return None
    try:
        parts = urlsplit(url)
        if parts.port == 0:
            return None
        host = parts.hostname or ""
        return str(IPv6Address(host)) if "[" in parts.netloc else _normalize(unquote_to_bytes(host).decode())
    except (ValueError, OSError):  # idna's errors and those of decoding are ValueErrors
        return None


def _normalize(host: str) -> str | None:
    labels = [_encode(label) for label in idna.uts46_remap(host, std3_rules=False).removesuffix(".").split(".")]
    found = ".".join(labels)
    if len(found) > _MAX_HOST or not all(map(_LABEL.fullmatch, labels)):
        return None
    return socket.inet_ntoa(socket.inet_aton(found)) if _NUMBER.fullmatch(labels[-1]) else found


def _encode(label: str) -> str:
    """A part of a host in ASCII: as punycode where it has other letters.

    Raises:
        ValueError: it says that it is punycode, and is not what such letters are written as.
    """
    if not label.isascii():
        return f"xn--{label.encode('punycode').decode()}"
    if label.startswith("xn--"):
        letters = label.removeprefix("xn--").encode().decode("punycode")
        if letters.isascii() or idna.uts46_remap(letters, std3_rules=False) != letters or _encode(letters) != label:
            raise ValueError(f"{label!r} is not punycode")
    return label
