"""`remit serve` and `remit executor` as processes of their own, over one home folder."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import pytest

from tests.cli.kit import PATIENCE, ROOT, command

OFFICE: Final = """
from remit import Agent, App
from remit.testing import Scripted

app = App(name="office", agents=[Agent("clerk", instructions="Help.", tools=[], model=Scripted(["Good morning."]))])
"""
APP: Final = "tests.edges.app:app"
_OF_APPROVERS: Final = ("approvals:decide", "runs:read", "conversations:manage", "cms:*")
_UNSET: Final = frozenset({"REMIT_DATABASE", "REMIT_MODEL", "REMIT_HOME"})


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _UNSET}


class Program:
    """A command of Remit that runs until it is ended. ``said`` is what it has written to stderr."""

    def __init__(self, line: Sequence[str], environ: Mapping[str, str], folder: Path = ROOT) -> None:
        self._process = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**_inherited(), **environ},
            cwd=folder,
        )
        self.said = ""

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until it has said something that matches."""
        assert self._process.stderr is not None
        until = time.monotonic() + PATIENCE
        while (found := re.search(pattern, self.said)) is None:
            ready, _, _ = select.select([self._process.stderr], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self._process.stderr.fileno(), 65536).decode() if ready else ""
            assert more, f"{pattern!r} was not said, but: {self.said}"
            self.said += more
        return found

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


class Serving(Program):
    """A command that serves: ``url`` is its address, and ``link`` signs its operator in once."""

    def __init__(self, line: Sequence[str], environ: Mapping[str, str], folder: Path = ROOT) -> None:
        super().__init__(line, environ, folder)
        self.url = self.until(r"serving .* on (http://\S+)\n")[1]
        self.link = self.until(r"sign in once.*: (http://\S+)\n")[1]


class Server(Serving):
    """A server of the CMS with the built console."""

    def __init__(
        self, home: Path, console: Path, environ: Mapping[str, str], *options: str, app: str = APP, port: int = 0
    ) -> None:
        self.home = home
        self.environ = {
            "REMIT_HOME": str(home),
            "REMIT_CMS_SAMPLE": "1",
            "REMIT_CMS_EMBEDDINGS": "off",
            "PYTHONPATH": str(ROOT),
            **environ,
        }
        options = ("--console", str(console), "--port", str(port), *options)
        super().__init__(command("serve", app, *options), self.environ)

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.url.rpartition(":")[2])

    def run(self, *arguments: str) -> str:
        """Run another command over the same home; what it prints."""
        done = subprocess.run(
            command(*arguments),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**_inherited(), **self.environ},
            cwd=ROOT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def link_for(self, person: str) -> str:
        """A one-time sign-in link for another person, who may decide all questions and read all runs."""
        self._need_person(person)
        found = re.search(r"http://\S+", self.run("people", "link", person, "--url", self.url))
        assert found is not None
        return found[0]

    def token_of(self, person: str) -> str:
        """An API token of another person with the same rights."""
        self._need_person(person)
        permissions = (word for each in _OF_APPROVERS for word in ("--permission", each))
        return self.run("people", "token", "add", person, "--label", "edges", *permissions).strip()

    def _need_person(self, person: str) -> None:
        if person not in self.run("people", "list"):
            self.run("people", "role", "add", "approver", *_OF_APPROVERS)
            self.run("people", "add", person, "--role", "approver")


class Installed(Serving):
    """A server of an application of two lines, with what a wheel installs into an empty environment."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        python = folder / "venv/bin/python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        pins = ("--constraint", str(ROOT / "requirements/dev.txt"))
        uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--python", str(python), *pins]
        line = [*uv, f"remit[server] @ {wheel.as_uri()}"]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        if "Failed to fetch" in done.stderr:
            pytest.skip("the package index is out of reach")
        assert done.returncode == 0, done.stderr
        (folder / "office.py").write_text(OFFICE, encoding="utf-8")
        line = [str(python.with_name("remit")), "serve", "office:app", "--port", "0"]
        super().__init__(line, {"REMIT_HOME": str(folder / "home"), "PYTHONPATH": ""}, folder)
