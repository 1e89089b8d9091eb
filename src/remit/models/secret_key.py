"""Keeps an API key out of errors: some endpoints repeat the key that they refuse."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from remit.errors import RemitError

_SHORTEST: Final = 8
"""A shorter value is no key, but a word such as "none"."""


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
    """A text without a key that it repeats."""
    return text.replace(key, "[key]") if len(key) >= _SHORTEST else text
