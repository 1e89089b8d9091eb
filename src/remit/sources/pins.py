"""Pins: what a person has accepted of a source, in a file for each source, with who accepted what and when."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.shown import show_value
from remit.sources.offer import Offer, Snapshot

FORMAT: Final = 1
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
FIRST_USE: Final = "first use"
"""Who accepts the first snapshot of a source."""


def check_source_name(name: object) -> None:
    """Refuse a name that is no name of a source, and might be a path.

    Raises:
        SetupError: says which names are valid.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SetupError(f"the name of a source is {show_value(name)}; give one like files, of a-z, 0-9 and -")


class Act(Struct, frozen=True, kw_only=True):
    """Who accepted what, and when. ``tool`` is empty for what the source says of itself and for a first snapshot."""

    by: str
    at: float
    digest: str
    tool: str = ""


class Pins(Struct, frozen=True, kw_only=True):
    """What was accepted of a source."""

    source: str
    snapshot: Snapshot
    acts: tuple[Act, ...] = ()
    format: int = FORMAT


@check_arguments()
class PinFolder:
    """The folder in which each source has a file with its pins.

    A source without a file is pinned as it is when it is first used. So keep the folder with the journal, and let only
    those write to it who may accept tools.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"PinFolder({str(self.folder)!r})"

    def read(self, source: str) -> Pins | None:
        """The pins of a source; None before its first use.

        Raises:
            SetupError: the file cannot be read, or is of another format.
        """
        path = self._path(source)
        try:
            pins = msgspec.json.decode(path.read_bytes(), type=Pins)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SetupError(f"the pins in {path} cannot be read: {error}; restore them from a backup") from error
        if pins.format != FORMAT or pins.source != source:
            raise SetupError(f"{path} has pins of format {pins.format} of {pins.source}, not of format {FORMAT}")
        return pins

    def write(self, pins: Pins) -> None:
        """Replace the pins of a source.

        Raises:
            SetupError: the file cannot be written.
        """
        path = self._path(pins.source)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(msgspec.json.format(msgspec.json.encode(pins), indent=1))
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(path)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    Path(name).unlink()
        except OSError as error:
            raise SetupError(f"the pins in {path} cannot be written: {error.strerror}") from error

    def _path(self, source: str) -> Path:
        check_source_name(source)
        return self.folder / f"{source}.json"


def replace_offer(snapshot: Snapshot, name: str, offer: Offer | None) -> Snapshot:
    """A snapshot with another version of one offer, or without it."""
    others = tuple(each for each in snapshot.offers if each.name != name)
    offers = others if offer is None else (*others, offer)
    return msgspec.structs.replace(snapshot, offers=tuple(sorted(offers, key=lambda each: each.name)))
