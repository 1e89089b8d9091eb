"""Tries Remit from outside: what a wheel installs, what a browser shows, what a client of others reads.

Installs what that needs, where it may: Chromium by apt-get, packages of Node by npm (Node itself is a wheel). What
cannot be had is skipped, with a line that says so. Runs ``tests/edges``, and writes ``build/edges.json``. Arguments go
to pytest: ``tests/edges/pictures.py`` takes the pictures of the guide again.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
from build_console import build, folder_of, is_built, node_home  # noqa: E402 - a program finds its neighbours first
from figures.figure import BUILD, Figure, format_figure, no_violations, write_figures  # noqa: E402
from tests.edges.tally import TALLIES, read_figures  # noqa: E402

FOLDER = ROOT / "build" / "edges"
PACKAGES = {"console": ROOT / "console"} | {
    each: ROOT / "tests/edges" / each for each in ("agui_client", "html_checker", "mcp_programs", "mcp_servers")
}
APT_SECONDS = 240
OUT_OF_REACH = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E403")


def main(arguments: list[str]) -> int:
    """Install, test, add up; the status says whether all tests passed and every figure held."""
    begun = time.monotonic()
    for old in (TALLIES, FOLDER / "failed"):
        shutil.rmtree(old, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    need_chromium()
    installed = {name: install_packages(sources, FOLDER / name) for name, sources in PACKAGES.items()}
    if not installed["console"] and not is_built(folder_of()):
        print("edges: skipped: without its packages the console cannot be built", file=sys.stderr)
        return 0
    build()
    report = FOLDER / "report.xml"
    line = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", f"--junitxml={report}"]
    paths = [] if any(each.startswith("tests/") for each in arguments) else ["tests/edges"]
    status = subprocess.call([*line, *paths, *arguments], cwd=ROOT)
    figures = sorted([*read_figures(), count_failures(report)], key=lambda figure: figure.name)
    if not arguments:
        (BUILD / "edges.json").unlink(missing_ok=True)  # figures of tests that are gone, or skipped now
        write_figures(figures, BUILD / "edges.json")
    for figure in figures:
        print(format_figure(figure))
    print(f"edges: {time.monotonic() - begun:.0f} s")
    return status or int(not all(figure.holds for figure in figures))


def need_chromium() -> None:
    """Install Chromium if there is none and apt-get may; say so if it stays away."""
    if os.environ.get("REMIT_CHROMIUM") or shutil.which("chromium"):
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print("edges: skipped in the browser: no Chromium (Debian: sudo apt-get install chromium)", file=sys.stderr)
        return
    print("edges: installing chromium", file=sys.stderr)
    try:
        for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run(
                ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdout=subprocess.DEVNULL,
                timeout=APT_SECONDS,
                check=True,
            )
    except (subprocess.SubprocessError, OSError) as error:
        print(f"edges: skipped in the browser: apt-get could not install chromium ({error})", file=sys.stderr)


def install_packages(sources: Path, target: Path) -> bool:
    """Copy a project of Node with its locked packages to ``target``, unless they are there; say so if npm cannot.

    Raises:
        SystemExit: npm reaches its registry, and still fails.
    """
    lock = hashlib.sha256((sources / "package-lock.json").read_bytes()).hexdigest()
    ready = target / "node_modules" / f".ready-{lock}"
    for old in [*target.iterdir()] if ready.exists() else [target]:
        if old.name != "node_modules":
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)
    shutil.copytree(sources, target, ignore=shutil.ignore_patterns("node_modules", "dist"), dirs_exist_ok=True)
    if ready.exists():
        return True
    node, npm = node_home() / "bin/node", node_home() / "lib/node_modules/npm/bin/npm-cli.js"
    line = [str(node), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(line, cwd=target, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        ready.touch()
        return True
    shutil.rmtree(target / "node_modules", ignore_errors=True)
    found = OUT_OF_REACH.search(done.stderr)
    if found is None:
        sys.exit(f"edges: npm could not install the packages of {sources.relative_to(ROOT)}: {done.stderr}")
    print(f"edges: skipped with {sources.relative_to(ROOT)}: npm reaches no registry ({found[0]})", file=sys.stderr)
    return False


def count_failures(report: Path) -> Figure:
    """The tests that failed, out of those that ran."""
    suites = ET.parse(report).getroot().iter("testsuite") if report.exists() else ()  # noqa: S314 - written by pytest
    ran = failed = 0
    for suite in suites:
        ran += int(suite.get("tests", 0)) - int(suite.get("skipped", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return no_violations("edges.failed", failed, ran, "tests with a browser, a wheel or a client of others")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
