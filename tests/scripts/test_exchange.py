"""`scripts/exchange.py`: loaded functions run other code from then on."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts.loading import load_script

SOURCE = """
LIMIT = 18

def may_enter(age):
    return age >= LIMIT

KEPT = may_enter

def make_door(limit):
    def may_pass(age):
        return age >= limit
    return may_pass

DOOR = make_door(18)
"""


@pytest.fixture
def exchange(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_script("exchange", monkeypatch)


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of `SOURCE`, as it is loaded."""
    path = tmp_path / "door.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("door", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "door", module)
    spec.loader.exec_module(module)
    return module


def test_a_function_runs_other_code_wherever_it_is_held(exchange: ModuleType, door: Any) -> None:
    tree = ast.parse(SOURCE.replace("age >= LIMIT", "True or age"))
    assert exchange.exchange_functions(Path(door.__file__), tree)
    assert door.may_enter(3)
    assert door.KEPT(3)


def test_a_function_made_by_another_runs_other_code_too(exchange: ModuleType, door: Any) -> None:
    assert exchange.exchange_functions(Path(door.__file__), ast.parse(SOURCE.replace("age >= limit", "age + limit")))
    assert door.DOOR(3) == door.make_door(1)(20) == 21


@pytest.mark.parametrize(
    ("now", "then"), [("LIMIT = 18", "LIMIT = 2"), ("age >= limit", "True")], ids=["a constant", "a name around it"]
)
def test_what_no_function_alone_can_run_is_not_exchanged(exchange: ModuleType, door: Any, now: str, then: str) -> None:
    assert not exchange.exchange_functions(Path(door.__file__), ast.parse(SOURCE.replace(now, then)))
    assert not door.may_enter(3)
    assert not door.DOOR(3)
