"""The conformance suite of MCP and its inspector, in Node, against an application and its server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from figures.figure import BUILD
from scripts.build_console import node_home
from tests.cli.kit import PATIENCE, ROOT, command
from tests.edges.served import Program
from tests.edges.tally import add_violations

pytestmark = pytest.mark.process

PROGRAMS = BUILD / "edges" / "mcp_programs"
MODULE = "tests.edges.conformance_server"
SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
EXPECTED = ROOT / "tests/edges/mcp_programs/expected_failures.yaml"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of the server that the suite meets."""
    if not (PROGRAMS / "node_modules" / SUITE).exists():
        pytest.skip("npm could not install the programs of MCP")
    with Program([sys.executable, "-m", MODULE], {"PYTHONPATH": str(ROOT)}) as running:
        yield running.until(r"running on (http://[^ ]+)")[1] + "/mcp"


def run_node(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Node to its end."""
    line = [str(node_home() / "bin/node"), str(PROGRAMS / "node_modules" / program), *arguments]
    environ = {**os.environ, "PATH": f"{node_home() / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        line, cwd=PROGRAMS, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_the_server_does_what_a_revision_requires_apart_from_what_is_listed(url: str, revision: str) -> None:
    done = run_node(SUITE, "server", "--url", url, "--requirements", revision, "--expected-failures", str(EXPECTED))
    told = COLOURS.sub("", done.stdout)
    scored = re.findall(r"^([✓✗]) [\w-]+: (\d+) passed, (\d+) failed", told, re.MULTILINE)
    unexpected = re.findall(r"^  ✗ (\S+)$", told.partition("not in baseline")[2], re.MULTILINE)
    add_violations("mcp.conformance_unexpected", len(unexpected), len(scored), "scenarios that failed unlisted")
    assert len(scored) > 30, told + done.stderr
    assert done.returncode == 0, told


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_lists_and_calls_tools(url: str, tmp_path: Path, transport: str) -> None:
    def inspect(method: str, *options: str) -> dict[str, Any]:
        asked = ("--cli", "--method", method, *options)
        if transport == "http":
            done = run_node(INSPECTOR, *asked, "--transport", "http", "--server-url", url)
        else:
            environ = (f"REMIT_HOME={tmp_path}", f"PYTHONPATH={ROOT}")
            given = [part for each in environ for part in ("-e", each)]
            done = run_node(INSPECTOR, *asked, *given, "--cwd", str(ROOT), "--", *command("mcp", f"{MODULE}:app"))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    names = [each["name"] for each in inspect("tools/list")["tools"]]
    assert {"test_simple_text", "json_schema_2020_12_tool"} <= set(names)
    called = inspect("tools/call", "--tool-name", "test_simple_text")
    assert called["content"] == [{"type": "text", "text": "This is a simple text response for testing."}]
    assert not called["isError"]
