"""A command that calls one tool makes the contract of that tool, once the application was checked as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HEAVY: Final = ("openai", "opentelemetry", "pydantic_ai", "remit_casefile")

PROGRAM: Final = (
    f"HEAVY = {HEAVY!r}"
    """
import json, sys
import remit.call.typed_schema as schema
made = []
adapt = schema.TypeAdapter
def count(*arguments):
    made.append(arguments)
    return adapt(*arguments)
schema.TypeAdapter = count
from remit.cli.main import main
sys.argv = ["remit", "call", "cms", "cms_getPages", "{}"]
try:
    main()
except SystemExit as end:
    print(json.dumps([end.code, len(made), [each for each in HEAVY if each in sys.modules]]))
"""
)


def contracts_made(home: Path) -> int:
    """How many contracts a call makes, in a process of its own."""
    environment = {**os.environ, "REMIT_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    result, (status, made, heavy) = *done.stdout.splitlines()[:-1], json.loads(done.stdout.splitlines()[-1])
    assert (json.loads(result)["success"], status or 0, heavy) == (True, 0, [])
    return int(made)


@pytest.mark.process
def test_a_second_call_makes_one_contract_until_a_source_changes(tmp_path: Path) -> None:
    assert contracts_made(tmp_path) > 100
    (kept,) = (tmp_path / "checked").iterdir()
    assert contracts_made(tmp_path) <= 4
    checked = json.loads(kept.read_text())
    kept.write_text(json.dumps({**checked, "governance": "other"}))
    assert contracts_made(tmp_path) > 100
    kept.write_text(json.dumps({**checked, "sources": "", "files": ["/no/such/file"]}))
    assert contracts_made(tmp_path) > 100
    assert json.loads(kept.read_text())["governance"] == checked["governance"]
    assert contracts_made(tmp_path) <= 4
