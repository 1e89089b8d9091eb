"""The ids of tool calls: those allowed in a history, and the form that all providers accept."""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Container, Iterator
from hashlib import sha256
from itertools import count
from typing import Final

MAX_ID: Final = 40
"""The maximum length of an id that providers issue and accept."""
PORTABLE_CHARS: Final = 9
"""The length of a portable id. Some providers accept only this length, with letters and digits."""

is_kept_id: Final = re.compile(rf"[!-~]{{1,{MAX_ID}}}").fullmatch
"""Whether a history keeps an id unchanged: it is printable ASCII, which the model that issued it accepts."""
is_portable_id: Final = re.compile(rf"[A-Za-z0-9]{{{PORTABLE_CHARS}}}").fullmatch
"""Whether all providers accept an id."""


def portable_id(ident: str) -> str:
    """Return the id if it is portable, or else a portable id derived from it."""
    if is_portable_id(ident):
        return ident
    return b32encode(sha256(ident.encode("utf-8", "surrogatepass")).digest())[:PORTABLE_CHARS].decode().lower()


def new_ids(taken: Container[str], first: int = 0) -> Iterator[str]:
    """Generate distinct portable ids that are not taken."""
    numbered = (f"call{number:0{PORTABLE_CHARS - 4}}" for number in count(first))
    return (each for each in numbered if each not in taken)
