"""Where the audit is anchored: a file, or an object of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from remit.audit.anchor import Anchor, FileAnchor
from remit.cli.apps import attribute_at
from remit.errors import SetupError

VARIABLE: Final = "REMIT_ANCHOR"
"""Says where the audit is anchored; with it set, every run is entered into the audit log when it comes to rest."""

_PLACE: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def anchor_at(where: str) -> Anchor:
    """The anchor that ``where`` says: a file, or an `Anchor` at ``package.module:attribute``.

    Raises:
        SetupError: it says nothing, or there is no anchor.
    """
    if not where:
        raise SetupError(f"nobody said where the audit is anchored; set {VARIABLE}, or give --anchor FILE")
    if not _PLACE.fullmatch(where):
        return FileAnchor(Path(where).expanduser().absolute())
    try:
        found = attribute_at(where)
    except Exception as error:
        raise SetupError(f"the anchor {where!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Anchor):
        raise SetupError(f"{where!r} is no anchor but {type(found).__name__}; it needs the methods append and read")
    return found
