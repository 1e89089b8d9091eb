"""Text and user-name types: no invisible characters, no look-alikes."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, Field

_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Unicode's categories of control and format characters, and of its separators of lines."""


def _check_printable(text: str) -> str:
    """Reject control characters other than newline and tab."""
    for place, each in enumerate(text):
        if unicodedata.category(each) == "Cc" and each not in "\n\t":
            raise ValueError(f"the character U+{ord(each):04X} at {place} is a control character; leave it out")
    return text


def _check_person_name(name: str) -> str:
    """Reject user names that look like another, or like the name for all users."""
    if name != name.strip():
        raise ValueError("the name begins or ends with a blank; write it as that person signs in")
    if "*" in name:
        raise ValueError("a grant is for one person, so '*' is not a name; use set_public_access for all users")
    for each in name:
        if unicodedata.category(each) in _INVISIBLE_CATEGORIES:
            raise ValueError(f"the character U+{ord(each):04X} cannot be seen in a name; leave it out")
    return name


PRINTABLE: Final = AfterValidator(_check_printable)
"""For texts: what cannot be printed is refused, since it hides what a person is shown."""

PersonName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_person_name)]
"""The name of a person who receives something."""
