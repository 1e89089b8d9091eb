"""Keys under which rows are found by name. They are stored: a database folds the case of ASCII alone, or by locale."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any


def name_key(name: str) -> str:
    """The key of a name: equal for names that differ in case, in how accents are written, or in spaces around."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


def key_of_column(column: str) -> Callable[[Any], str | None]:
    """The default of a column with the key of another one, for rows that are inserted without an object."""

    def make_key(context: Any) -> str | None:
        name = context.get_current_parameters()[column]
        return None if name is None else name_key(name)

    return make_key
