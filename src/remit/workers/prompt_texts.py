"""The texts of a prompt by name: the prompt itself, and its includes."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from msgspec import Struct

MAIN_TEMPLATE: Final = ""
"""The name of the prompt itself among the texts."""


class IncludeReference(Struct, frozen=True):
    """A text's reference to another text that it includes. ``name`` is None if it is not a literal."""

    name: str | None
    line: int


def file_of_text(file: str, name: str) -> str:
    """The path of the file that holds a text of the prompt in ``file``."""
    return file if name == MAIN_TEMPLATE else str(PurePath(file).parent / name)
