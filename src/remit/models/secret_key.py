"""Keeps API keys out of errors and documents: some endpoints repeat the key that they refuse."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from remit.errors import RemitError

_SHORTEST: Final = 8
"""A shorter value is no key, but a word such as "none"."""

_AUTHORIZATION: Final = re.compile(r"\b(basic|bearer)(\s+)(?=\S*[\d=])[\w+/.~=-]{8,}", re.IGNORECASE)
"""The value of a header that an endpoint repeats. Words such as "bearer authentication" have no digit."""


@contextmanager
def hide_key(key: str) -> Generator[None]:
    """Remove a key from the messages of the errors that are raised in the block, before they are recorded."""
    try:
        yield
    except RemitError as error:
        error.message = without_key(error.message, key)
        error.args = (error.message,)
        raise


def without_key(text: str, key: str) -> str:
    """A text without a key, or the value of an ``Authorization`` header, that it repeats."""
    bare = text.replace(key, "[key]") if len(key) >= _SHORTEST else text
    return _AUTHORIZATION.sub(r"\1\2[key]", bare)


def bare_address(address: str) -> str:
    """An address for people: without the parts that may hold a secret, which are user, password, query and fragment."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # fails where a password with a slash looks like a path
    except ValueError:
        return "[address]"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
