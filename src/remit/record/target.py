"""Targets: the subjects of runs, such as a site, and permissions that apply only to some targets."""

from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase
from typing import Final

from remit.core.checks import check_permission, check_text
from remit.core.names import check_shown, find_mixed_scripts
from remit.errors import RemitError, SetupError
from remit.shown import show_value

MAX_TARGET: Final = 200
"""The maximal length of a target, in characters."""

_RESERVED: Final = frozenset(" *?[]@\\")


def as_target(what: str, value: object, error: type[RemitError] = SetupError) -> str:
    """Check a target, such as ``bakery/main``, and return it in Unicode's composed form. An empty text means no target.

    Raises:
        SetupError: or ``error``; names the argument and what is wrong with it.
    """
    text = check_shown(what, value, error, MAX_TARGET)
    segments = text.split("/") if text else []
    if not _RESERVED.isdisjoint(text) or not {"", ".", ".."}.isdisjoint(segments):
        raise error(
            f"{what} is {show_value(text)}; give words joined by /, like bakery/main, without spaces and * ? [ ] @"
        )
    if unicodedata.normalize("NFKC", text) != text or any(map(find_mixed_scripts, segments)):
        raise error(f"{what} is {text!a}, which looks like another; give it in letters of one script")
    return text


def check_granted(what: str, value: object) -> None:
    """Refuse a value that cannot be a granted permission, such as ``cms:write`` or ``cms:write@bakery/*``.

    Raises:
        SetupError: names the argument.
    """
    check_text(what, value)
    permission, has_target, pattern = str(value).partition("@")
    check_permission(what, permission)
    if has_target:
        if not pattern:
            raise SetupError(f"{what} is {show_value(value)}; give a target after @, like {permission}@bakery/*")
        as_target(f"the target of {what}", pattern.replace("*", "x"))


def permissions_at(permissions: frozenset[str], target: str) -> frozenset[str]:
    """The permissions that apply to ``target``, without target suffixes. Permissions without a target always apply."""
    if "@" not in "".join(permissions):
        return permissions
    parts = [each.partition("@") for each in permissions]
    return frozenset(name for name, is_scoped, pattern in parts if not is_scoped or matches_target(pattern, target))


def matches_target(pattern: str, target: str) -> bool:
    """Whether a target matches ``pattern``, in whose segments ``*`` matches any text. An empty target never matches."""
    expected, actual = pattern.split("/"), target.split("/")
    return bool(target) and len(expected) == len(actual) and all(map(fnmatchcase, actual, expected))
