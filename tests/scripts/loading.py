"""The programs in `scripts/`, which are not installed, as modules."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from tests.docs.reading import ROOT


def load_script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of ``scripts/NAME.py``, whose neighbours can be imported until the end of the test."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module
