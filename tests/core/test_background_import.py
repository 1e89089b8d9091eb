"""Imports in the background leave the event loop to other tasks."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

import pytest

from remit.core.background_import import import_in_background

_WAITING_MODULE = """
import remit_test_gate
remit_test_gate.running.set()
if not remit_test_gate.opened.wait(30):
    raise TimeoutError
"""


class _Gate:
    """Lets a module say that its import is running, and the test let it finish."""

    def __init__(self) -> None:
        self.running = threading.Event()
        self.opened = threading.Event()


async def test_other_tasks_go_on_while_a_module_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = _Gate()
    monkeypatch.setitem(sys.modules, "remit_test_gate", gate)
    (tmp_path / "remit_test_waiting.py").write_text(_WAITING_MODULE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importing = asyncio.create_task(import_in_background("remit_test_waiting"))
    assert await asyncio.to_thread(gate.running.wait, 30)
    gate.opened.set()
    await importing
    assert sys.modules.pop("remit_test_waiting").__file__ == str(tmp_path / "remit_test_waiting.py")


async def test_a_module_that_is_imported_already_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(asyncio, "to_thread")
    await import_in_background("json")


async def test_a_missing_module_is_the_error_that_an_import_raises() -> None:
    with pytest.raises(ModuleNotFoundError, match="remit_test_missing"):
        await import_in_background("remit_test_missing")
