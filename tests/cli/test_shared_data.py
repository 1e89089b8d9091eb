"""Two executors with homes of their own and one Postgres work on one site of the CMS."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from remit.testing import calls
from tests.cli.kit import PATIENCE, Cli, command
from tests.cli.test_executor import until


@pytest.mark.process
@pytest.mark.slow
def test_executors_of_two_homes_write_to_one_site(
    cli: Cli, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_DATABASE", url)
    for name in ("first", "second"):
        cli.script(calls(("cms_createPage", {"title": name})), "It is there.")
        run = cli("run", "cms", "--ask", "make a page", "--detach").out.strip()
        home = {**os.environ, "REMIT_HOME": str(tmp_path / name)}
        process = subprocess.Popen(command("executor", "--app", "cms"), stderr=subprocess.PIPE, text=True, env=home)
        try:
            until(process, f"run {run} done")
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.communicate()
    listed = cli("call", "cms", "cms_getPages", "--json").json
    assert [page["slug"] for page in listed["result"]["pages"]] == ["first", "second"]
    assert not list(tmp_path.rglob("cms.db"))
