"""Context variables are few, and the documents say what each holds."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.reading import ROOT
from tests.scripts.loading import load_script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_script("context_parts", monkeypatch)


def test_there_are_at_most_six_context_variables(script: ModuleType) -> None:
    found = [each.name for each in script.find_variables(ROOT / "src/remit")]
    assert len(found) <= 6, f"{found}: make one a member of another, or pass it as an argument; see ADR 113"


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("A: ContextVar[int] = ContextVar('a')", "one.py:1: the context variable has no docstring"),
        ("A = ContextVar('a')", "one.py:1: assign a context variable to an annotated name"),
        ("def make():\n    return ContextVar[int]('a')", "one.py:2: assign a context variable to an annotated name"),
        (
            "class A:\n    a: object = contextvars.ContextVar('a')",
            "one.py:2: assign a context variable to an annotated",
        ),
    ],
)
def test_a_context_variable_that_the_table_would_lack_is_refused(
    script: ModuleType, tmp_path: Path, source: str, error: str
) -> None:
    (tmp_path / "one.py").write_text(source)
    with pytest.raises(LookupError, match=error):
        script.find_variables(tmp_path)


def test_the_table_has_the_docstring_of_each_variable(script: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part/one.py").write_text('A: ContextVar[int] = ContextVar(\'a\')\n"""What\n\nis so."""\n')
    (tmp_path / "none.py").write_text("from contextvars import ContextVar")
    assert script.find_variables(tmp_path) == [("A", "part.one", "What is so.")]
