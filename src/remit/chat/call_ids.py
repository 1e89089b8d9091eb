"""The ids of tool calls: which ones a history may have, and the form that all providers take."""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Container, Iterator
from hashlib import sha256
from itertools import count
from typing import Final

MAX_ID: Final = 40
"""The most characters of an id that providers give and take."""
PORTABLE_CHARS: Final = 9
"""The length of a portable id: there are providers that take no other, and only letters and digits."""

is_kept_id: Final = re.compile(rf"[!-~]{{1,{MAX_ID}}}").fullmatch
"""Whether a history keeps an id unchanged: printable characters of ASCII. The model that gave the id accepts it."""
is_portable_id: Final = re.compile(rf"[A-Za-z0-9]{{{PORTABLE_CHARS}}}").fullmatch
"""Whether all providers take an id."""


def portable_id(ident: str) -> str:
    """The id itself if it is portable; else one that is and that is always made of this one."""
    if is_portable_id(ident):
        return ident
    return b32encode(sha256(ident.encode("utf-8", "surrogatepass")).digest())[:PORTABLE_CHARS].decode().lower()


def new_ids(taken: Container[str], first: int = 0) -> Iterator[str]:
    """Portable ids that are not taken; each is another."""
    numbered = (f"call{number:0{PORTABLE_CHARS - 4}}" for number in count(first))
    return (each for each in numbered if each not in taken)
