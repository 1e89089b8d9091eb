"""Where the audit is anchored: a file, or an object of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from remit.audit.anchor import Anchor, FileAnchor
from remit.cli.apps import load_attribute
from remit.errors import SetupError

ANCHOR_VARIABLE: Final = "REMIT_ANCHOR"
"""Says where the audit is anchored; with it set, every run is entered into the audit log when it comes to rest."""

_ATTRIBUTE_PATH: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def load_anchor(location: str) -> Anchor:
    """The anchor that ``location`` says: a file, or an `Anchor` at ``package.module:attribute``.

    Raises:
        SetupError: it says nothing, or there is no anchor.
    """
    if not location:
        raise SetupError(f"nobody said where the audit is anchored; set {ANCHOR_VARIABLE}, or give --anchor FILE")
    if not _ATTRIBUTE_PATH.fullmatch(location):
        return FileAnchor(Path(location).expanduser().absolute())
    try:
        found = load_attribute(location)
    except Exception as error:
        raise SetupError(f"the anchor {location!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Anchor):
        raise SetupError(f"{location!r} is no anchor but {type(found).__name__}; it needs the methods append and read")
    return found
