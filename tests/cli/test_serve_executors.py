"""``remit serve`` beside ``remit executor``: the server executes nothing, and tells what the executor does."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import httpx
import pytest

from figures.agui_reader import read_frames
from remit.server.cookies import CSRF_HEADER
from remit.testing import calls
from tests.cli.kit import APP, PATIENCE, Cli, command
from tests.cli.test_executor import until, working
from tests.server.agui import fold, types_of

pytestmark = [pytest.mark.process, pytest.mark.slow]

MESSAGE: Final = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "Burn it."}]}


@contextmanager
def browsing() -> Generator[httpx.Client]:
    """A browser that is signed in to a server which executes nothing."""
    line = command("serve", APP, "--port", "0", "--concurrency", "0")
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        try:
            url, link = (re.search(r"http://\S+", until(process, each)) for each in ("serving", "sign in"))
            assert url is not None
            assert link is not None
            with httpx.Client(base_url=url[0], timeout=PATIENCE) as browser:
                browser.get(link[0])
                browser.headers[CSRF_HEADER] = browser.get("/api/me").json()["csrf"]
                yield browser
        finally:
            process.kill()


@pytest.mark.parametrize("engine", ["local", "postgres", "dbos"])
def test_a_stream_tells_what_an_executor_does_whichever_engine_both_have(
    cli: Cli, engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine != "local":
        monkeypatch.setenv("REMIT_DATABASE", request.getfixturevalue("url"))
    if engine == "dbos":
        monkeypatch.setenv("REMIT_ENGINE", "dbos")
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    with browsing() as browser, working():
        first = read_frames(browser.post("/agui", json=MESSAGE).text)
        (interrupt,) = first[-1][1]["outcome"]["interrupts"]
        resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}]
        second = read_frames(browser.post("/agui", json={**MESSAGE, "runId": "r2", "resume": resume}).text)
    assert "TOOL_CALL_ARGS" in types_of(first)
    assert second[-1][1]["outcome"] == {"type": "success"}
    assert "It is burnt." in fold(event for _, event in [*first[:-2], *second[1:]]).values()
    assert cli.book == ["burn bread"]


def test_a_run_that_a_server_opened_waits_for_an_executor(cli: Cli) -> None:
    cli.script("We sell bread.")
    with browsing() as browser:
        run = browser.post("/api/runs", json={"prompt": "What do you sell?"}).json()["run"]
        assert browser.post(f"/api/runs/{run}/resume").status_code == 202
        assert browser.get(f"/api/runs/{run}").json()["messages"] == []
        with working():
            frames = read_frames(browser.get(f"/api/runs/{run}/events").text)
    assert "We sell bread." in fold(event for _, event in frames).values()
