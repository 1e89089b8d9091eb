"""Slugs: the names of pages in addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from slugify import slugify

from remit.errors import InvalidError

_RULE: Final = re.compile(r"[a-z0-9-]{2,64}")

RESERVED: Final = frozenset(
    {"admin", "api", "assets", "feed", "index", "media", "preview", "robots", "sitemap", "static"}
)
"""Addresses that a site keeps for itself. Its locale codes are reserved too."""


def slug_of(title: str) -> str:
    """The slug that a title gives: lower case, transliterated, cut at a word. May be too short to be one."""
    return slugify(title, max_length=64, word_boundary=True)


def check_slug(slug: str | None, title: str, locales: Iterable[str]) -> str:
    """The slug that was given, or else the title's.

    Raises:
        InvalidError: it breaks the rule, or is reserved.
    """
    wanted = slug.strip("/") if slug is not None else slug_of(title)
    if not _RULE.fullmatch(wanted):
        better = slug_of(wanted)
        hint = f" '{better}' would do." if _RULE.fullmatch(better) else " Give a slug of your own."
        raise InvalidError(f"'{wanted}' is no slug: use 2 to 64 of a-z, 0-9 and '-'.{hint}")
    if wanted in RESERVED or wanted in {code.lower() for code in locales}:
        raise InvalidError(f"The slug '{wanted}' is reserved. '{wanted}-page' would do.")
    return wanted
