"""Locates the audit anchor: a file, or an `Anchor` object."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from remit.audit.anchor import Anchor, FileAnchor
from remit.cli.apps import load_attribute
from remit.errors import SetupError

ANCHOR_VARIABLE: Final = "REMIT_ANCHOR"
"""The location of the audit anchor. If set, every run is entered into the audit log when it ends or suspends."""

_ATTRIBUTE_PATH: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def load_anchor(location: str) -> Anchor:
    """Return the anchor at ``location``: a file, or an `Anchor` at ``package.module:attribute``.

    Raises:
        SetupError: the location is empty, or there is no anchor at it.
    """
    if not location:
        raise SetupError(f"no audit anchor is configured; set {ANCHOR_VARIABLE}, or give --anchor FILE")
    if not _ATTRIBUTE_PATH.fullmatch(location):
        return FileAnchor(Path(location).expanduser().absolute())
    try:
        found = load_attribute(location)
    except Exception as error:
        raise SetupError(f"the anchor {location!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Anchor):
        raise SetupError(
            f"{location!r} is not an anchor but {type(found).__name__}; an anchor has the methods append and read"
        )
    return found
