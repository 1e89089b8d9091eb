"""``remit serve`` as a process: from its one-time link to its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.kit import ROOT, command

pytestmark = pytest.mark.process


@pytest.fixture
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process of a server, its URL and its link."""
    environ = {**os.environ, "REMIT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "SHOP": str(tmp_path / "b")}
    environ["REMIT_CACHE"] = str(tmp_path)  # without weights
    environ = {name: value for name, value in environ.items() if name not in ("REMIT_DATABASE", "REMIT_MODEL")}
    line = command("serve", "tests.cli.shop:app", "--port", "0", *request.param)
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environ, cwd=ROOT)
    assert process.stderr is not None
    first, second = process.stderr.readline(), process.stderr.readline()
    url, link = re.search(r"http://\S+", first), re.search(r"http://\S+", second)
    assert url is not None, first
    assert link is not None, second
    try:
        yield process, url[0], link[0]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize("served", [(), ("--host", "localhost")], indirect=True)
def test_the_link_of_the_terminal_signs_its_user_in_once(served: tuple[subprocess.Popen[str], str, str]) -> None:
    process, url, link = served
    with httpx.Client(base_url=url, timeout=60) as browser, httpx.Client(base_url=url, timeout=60) as other:
        assert browser.get("/api/me").status_code == 401
        entered = browser.get(link)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        me = browser.get("/api/me")
        assert me.status_code == 200
        assert "frame-ancestors 'none'" in me.headers["content-security-policy"]
        assert other.get(link).status_code == 403
        assert browser.post("/api/runs", json={"prompt": "Hello."}).status_code == 403
        assert browser.get("/api/me", headers={"host": "evil.example"}).status_code == 421
        assert "You are signed out" not in browser.get("/login").text
    assert process.stderr is not None
    assert process.stderr.readline() == f"no model answers yet; choose one: {url}/settings/model\n"
    assert "console" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
