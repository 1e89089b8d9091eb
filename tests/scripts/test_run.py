"""`make run` serves the CMS at once on a new machine: no terminal, model, key, weights or Node."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.kit import PATIENCE, ROOT

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose console has sources that no build can use."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    (folder / "console").mkdir()
    (folder / "console/index.html").write_text("no package.json")
    (folder / ".venv").symlink_to(sys.prefix)
    (tmp_path / "user").mkdir()
    return folder


@contextmanager
def served(checkout: Path) -> Generator[tuple[subprocess.Popen[str], list[str]]]:
    """The process, and the lines that it has said when it listens."""
    left_out = ("REMIT_", "OPENAI_", "XDG_")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    process = subprocess.Popen(
        [str(checkout / ".venv/bin/python"), str(checkout / "scripts/run.py"), "--port", "0"],
        cwd=checkout,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environ, "HOME": str(checkout.parent / "user"), "PATH": "/nonexistent"},
    )
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        said = list[str]()
        while not any("the console in" in line for line in said):
            line = process.stderr.readline()
            assert line, said
            said.append(line)
        yield process, said
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def find_link(said: list[str]) -> tuple[str, str]:
    """The address of the server, and the one-time link."""
    text = "".join(said)
    url, link = re.search(r"serving cms on (\S+)", text), re.search(r"sign in once, .*: (\S+)", text)
    assert url is not None, text
    assert link is not None, text
    return url[1], link[1]


def test_it_listens_and_signs_in_without_a_terminal_and_a_failed_build_is_one_line(checkout: Path) -> None:
    with served(checkout) as (process, said):
        url, link = find_link(said)
        assert process.stderr is not None
        while not any("could not be built" in line for line in said):
            said.append(process.stderr.readline())
            assert said[-1], said
        (failed,) = [line for line in said if "could not be built" in line]
        log = Path(failed.removeprefix("the console could not be built; ").removesuffix(" says why\n"))
        assert log.parent == checkout / "build/console"
        assert "npm" in log.read_text(encoding="utf-8")
        with httpx.Client(base_url=url, timeout=PATIENCE, follow_redirects=True) as browser:
            assert browser.get("/health").json() == {"status": "ok"}
            page = browser.get(link).text
            assert f"The console could not be built; {log} says why." in page
            assert browser.get("/api/me").json()["application"]["name"] == "cms"
            pages = browser.get("/api/views/page").json()["items"]
        assert "About us" in {each["name"] for each in pages}, "the sample site is there"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_console_that_is_built_is_served_as_it_is(checkout: Path) -> None:
    named = subprocess.check_output(
        [sys.executable, "-c", "import build_console; print(build_console.folder_of())"],
        cwd=checkout / "scripts",
        text=True,
    )
    Path(named.strip()).mkdir(parents=True)
    (Path(named.strip()) / "index.html").write_text("<!doctype html>the console")
    with served(checkout) as (_, said):
        url, link = find_link(said)
        assert said[-1] == f"the console in {named}"
        with httpx.Client(base_url=url, timeout=PATIENCE, follow_redirects=True) as browser:
            assert "the console" in browser.get(link).text


def test_with_ask_the_editor_is_asked_once(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = checkout / "script.json"
    script.write_text('{"script": ["There are many pages."]}')
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{script}")
    ended = subprocess.run(
        [sys.executable, str(checkout / "scripts/run.py"), "--ask", "Which pages are there?"],
        cwd=checkout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "There are many pages.\n"), ended.stderr
    assert not (checkout / "build").exists()
