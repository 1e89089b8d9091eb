"""Google's packages take half a second to load: a process that never asks Google does without them."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATE = ("aiohttp", "google.auth", "google.oauth2")


@pytest.mark.process
def test_an_application_that_is_only_put_together_loads_none_of_them() -> None:
    code = f"""
import sys

import pytest
from pathlib import Path

import pytest
from remit_casefile.app import build
build(Path("nowhere"))
print([name for name in {LATE!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
