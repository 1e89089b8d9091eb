"""What people install: the wheel, the source distribution, and the wheel that is made from it hold the console."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from figures.figure import BUILD, at_most
from scripts.build_console import SOURCES, build, node_home
from tests.cli.kit import ROOT
from tests.edges.served import Installed
from tests.edges.tally import add_figure, add_violations

pytestmark = pytest.mark.process

STATIC = "remit/server/static/"
Files = dict[str, str]
"""The digest of each file, by its path in the console."""


def digests_of(folder: Path) -> Files:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def files_in_wheel(wheel: Path) -> Files:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(STATIC)]
        return {name.removeprefix(STATIC): sha256(archive.read(name)).hexdigest() for name in names}


def files_in_sdist(sdist: Path) -> Files:
    found: Files = {}
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            _, _, name = member.name.partition(f"/src/{STATIC}")
            content = archive.extractfile(member) if name else None
            if content is not None:
                found[name] = sha256(content.read()).hexdigest()
    return found


def build_archive(kind: str, source: Path, folder: Path) -> Path:
    """Build ``source`` with Hatchling of this environment, as an installer does; the archive."""
    program = f"import sys; from hatchling.build import build_{kind}; print(build_{kind}(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", program, str(folder)], cwd=source, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory, console: Path) -> Path:
    """The source distribution."""
    return build_archive("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, sdist: Path) -> Path:
    """The wheel that is made from the source distribution, without Node."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked)  # noqa: S202 - made above, and a filter is not in every Python 3.11
    (source,) = unpacked.iterdir()
    return build_archive("wheel", source, tmp_path_factory.mktemp("wheel"))


def test_wheel_and_source_distribution_hold_the_console(
    tmp_path: Path, console: Path, sdist: Path, wheel: Path
) -> None:
    built = digests_of(console)
    assert "index.html" in built
    archives = {
        "wheel": files_in_wheel(build_archive("wheel", ROOT, tmp_path)),
        "sdist": files_in_sdist(sdist),
        "wheel of the sdist": files_in_wheel(wheel),
    }
    without = [name for name, files in archives.items() if files != built]
    add_violations("wheels.without_console", len(without), len(archives), "archives whose console is not the built one")
    assert without == []


def test_an_installed_wheel_serves_the_console_of_an_own_application(
    tmp_path: Path, console: Path, wheel: Path
) -> None:
    built = digests_of(console)
    with Installed(tmp_path, wheel) as server, httpx.Client(base_url=server.url, timeout=120) as browser:
        assert browser.get(server.link).status_code == 303
        assert browser.get("/api/me").json()["application"]["name"] == "office"
        assert '<base href="/">' in browser.get("/").text
        served = {name: sha256(browser.get(f"/{name}").content).hexdigest() for name in built if name != "index.html"}
    different = [name for name, digest in served.items() if digest != built[name]]
    add_violations(
        "wheels.served_differently", len(different), len(served), "files of the console, served from a wheel"
    )
    assert different == []


def test_the_console_built_twice_is_the_same(tmp_path: Path, console: Path) -> None:
    if not (BUILD / "edges/console/node_modules").exists():
        pytest.skip("npm could not install the packages of the console")
    again = build(SOURCES, tmp_path)
    assert again.name == console.name
    one, two = digests_of(console), digests_of(again)
    different = {name for name in {*one, *two} if one.get(name) != two.get(name)}
    add_violations("console.build_differs", len(different), len(one), "files that differ in a second build")
    assert different == set()


def test_the_console_is_small(console: Path) -> None:
    line = [str(node_home() / "bin/node"), str(SOURCES / "scripts/check-size.mjs"), str(console)]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    sizes = re.search(r"console: ([\d.]+) kB gz, of them ([\d.]+) for the chat", said)
    assert sizes is not None, said
    everything, chat = map(float, sizes.groups())
    add_figure(
        at_most("console.bundle_gz_kb", everything, "kB", 260, 1, "scripts and styles of the console, after gzip")
    )
    add_figure(at_most("console.chat_gz_kb", chat, "kB", 180, 1, "what of them the chat loads"))
