"""Slugs: the names of pages in addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from remit.errors import InvalidArgumentsError

_SLUG_PATTERN: Final = re.compile(r"[a-z0-9-]{2,64}")

RESERVED_SLUGS: Final = frozenset(
    {"admin", "api", "assets", "feed", "images", "index", "media", "preview", "robots", "sitemap", "static"}
)
"""Addresses that a site keeps for itself. Its locale codes are reserved too."""


def slug_from_title(title: str) -> str:
    """The slug derived from a title: lower case, transliterated, truncated at a word. It may be too short."""
    from slugify import slugify  # noqa: PLC0415 - slow to import, seldom needed

    return slugify(title, max_length=64, word_boundary=True)


def resolve_slug(slug: str | None, title: str, locales: Iterable[str]) -> str:
    """The given slug, or else the one derived from the title.

    Raises:
        InvalidArgumentsError: it is not a valid slug, or it is reserved.
    """
    candidate = slug.strip("/") if slug is not None else slug_from_title(title)
    if not _SLUG_PATTERN.fullmatch(candidate):
        suggestion = slug_from_title(candidate)
        hint = f" '{suggestion}' would do." if _SLUG_PATTERN.fullmatch(suggestion) else " Give a slug of your own."
        raise InvalidArgumentsError(f"'{candidate}' is not a slug: use 2 to 64 of a-z, 0-9 and '-'.{hint}")
    if candidate in RESERVED_SLUGS or candidate in {code.lower() for code in locales}:
        raise InvalidArgumentsError(f"The slug '{candidate}' is reserved. '{candidate}-page' would do.")
    return candidate
