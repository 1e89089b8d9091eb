"""The addresses that a redirect may have: those of another system too, but none that the site keeps for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from remit.errors import InvalidArgumentsError
from remit_cms.pages.slugs import RESERVED_SLUGS
from remit_cms.storage.scope import split_address

MAX_PATH: Final = 200

_PART: Final = re.compile(r"[a-z0-9_~-][a-z0-9._~-]*")
_OTHERS: Final = re.compile(r"[^a-z0-9._~-]+")
_KEPT: Final = frozenset({"404.html", "feed.json", "feed.xml", "index.html", "robots.txt", "sitemap.xml"})
"""Files of the site itself, which no part of an address may be: an exported site has them as files."""


def normalize_path(path: str, locales: Sequence[str]) -> str:
    """The address that a redirect has: ``/old-menu``, or ``/de/alte-karte`` in another language than the first.

    Upper case is as good as lower case. An address may have dots and underscores, as those of other systems do.

    Raises:
        InvalidArgumentsError: it is none; says what would do.
    """
    text = path.strip().lower()
    locale, rest = split_address(text, locales)
    if not rest:
        raise InvalidArgumentsError(
            f"'{path}' is a home page, from which nothing redirects. The setting homePage says which page that is."
        )
    parts = rest.split("/")
    if text.startswith("//") or len(text) > MAX_PATH or not all(map(_PART.fullmatch, parts)):
        hint = f" '{suggestion}' would do." if (suggestion := _suggest(text)) else ""
        raise InvalidArgumentsError(
            f"'{path[:MAX_PATH]}' is not an address to redirect from: give what follows the host, at most {MAX_PATH} "
            f"of a-z, 0-9, '-', '_', '.', '~' and '/', such as /old-menu.{hint}"
        )
    kept = [part for part in parts if part in _KEPT] + ([parts[0]] if parts[0] in RESERVED_SLUGS else [])
    if kept:
        raise InvalidArgumentsError(
            f"'{path}' is not an address to redirect from: the site keeps '{kept[0]}' for itself. Give another one."
        )
    return f"/{rest}" if locale == locales[0] else f"/{locale}/{rest}"


def _suggest(text: str) -> str:
    """An address that would do in place of one; empty if nothing is left of it."""
    try:
        path = unquote(urlsplit(text).path)
    except ValueError:
        return ""
    parts = [_OTHERS.sub("-", part).strip("-.") for part in path.split("/")]
    return ("/" + "/".join(filter(None, parts)))[:MAX_PATH].rstrip("/.")
