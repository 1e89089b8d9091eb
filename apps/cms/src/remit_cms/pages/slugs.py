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


MAX_ADDRESS: Final = 64
"""Most characters of the address of a page, with those that it stands below, or of an entry with its collection."""


def tidy_slug(text: str) -> str:
    """A slug or address as it is stored: it may be written between slashes, and upper case is as good as lower case."""
    return text.strip().strip("/").lower()


def slug_from_title(title: str, max_length: int = MAX_ADDRESS) -> str:
    """The slug derived from a title: lower case, transliterated, truncated at a word. It may be too short."""
    from slugify import slugify  # noqa: PLC0415 - slow to import, seldom needed

    return slugify(title, max_length=max_length, word_boundary=True)


def resolve_slug(slug: str | None, title: str, locales: Iterable[str]) -> str:
    """The given slug, or else the one derived from the title.

    Raises:
        InvalidArgumentsError: it is not a valid slug, or it is reserved.
    """
    if slug is None:
        return _check_slug(_slug_of_title(title), locales)
    return _check_slug(tidy_slug(slug), locales)


def _slug_of_title(title: str, max_length: int = MAX_ADDRESS) -> str:
    """The slug that a title makes.

    Raises:
        InvalidArgumentsError: the title makes none; says what to give.
    """
    made = slug_from_title(title, max_length)
    if not _SLUG_PATTERN.fullmatch(made):
        raise InvalidArgumentsError(
            f"'{title}' makes no slug, the part of an address: too few letters are left of it. Give one beside it, "
            f"of 2 to {MAX_ADDRESS} of a-z, 0-9 and '-'."
        )
    return made


def _check_slug(candidate: str, locales: Iterable[str]) -> str:
    if not _SLUG_PATTERN.fullmatch(candidate):
        suggestion = slug_from_title(candidate)
        hint = f" '{suggestion}' would do." if _SLUG_PATTERN.fullmatch(suggestion) else " Give a slug of your own."
        raise InvalidArgumentsError(f"'{candidate}' is not a slug: use 2 to 64 of a-z, 0-9 and '-'.{hint}")
    if candidate in RESERVED_SLUGS or candidate in {code.lower() for code in locales}:
        raise InvalidArgumentsError(f"The slug '{candidate}' is reserved. '{candidate}-page' would do.")
    return candidate


def resolve_address(slug: str | None, title: str, above: str, locales: Iterable[str]) -> str:
    """The address of a page below an address, or of an entry in its collection; at the top ``above`` is empty.

    The slug may be written with the address above it: about/team is team below about. One that is made from the title
    is cut where the address would be too long.

    Raises:
        InvalidArgumentsError: it is not a valid slug, it is reserved, or the address is too long.
    """
    if not above:
        return resolve_slug(slug, title, locales)
    if slug is None:
        given = _slug_of_title(title, max(MAX_ADDRESS - len(above) - 1, 2))
    else:
        given = tidy_slug(slug).removeprefix(f"{above}/")
    return join_slug(above, _check_slug(given, ()))


def join_slug(above: str, name: str) -> str:
    """The address of a page with this name below an address, which is empty at the top.

    Raises:
        InvalidArgumentsError: it is too long.
    """
    slug = f"{above}/{name}" if above else name
    if len(slug) > MAX_ADDRESS:
        raise InvalidArgumentsError(
            f"The address '{slug}' would have {len(slug)} characters; {MAX_ADDRESS} are the most."
        )
    return slug
