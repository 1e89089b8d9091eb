"""A worker file may have run instructions: a template of what is known of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remit import App, Runtime
from remit.errors import ContractError
from remit.testing import Scripted, superuser
from remit.workers import WorkerDefinition, WorkerFileError, load_workers

FILE = """---
run_instructions: |
  Today is {{ date }} ({{ now }}). {{ principal }} of {{ tenant }} edits {{ target }}
  {%- if conversation %} in {{ conversation }}{% endif %}.
---
Edit pages.
"""


async def test_the_template_is_rendered_for_each_run(tmp_path: Path) -> None:
    (tmp_path / "editor.worker").write_text(FILE, encoding="utf-8")
    model = Scripted(["done"])
    app = App(name="test", agents=load_workers(tmp_path))
    runtime = Runtime(app, model=model, clock=lambda: 0.0)
    await runtime.run("go", by=superuser(), target="bakery/main")
    history = [json.loads(text)["content"] for text in model.requests[0].history]
    text = "Today is 1970-01-01 (1970-01-01T00:00:00+00:00). ada of default edits bakery/main."
    assert history == ["Edit pages.", f"<run_instructions>\n{text}\n</run_instructions>", "go"]


def test_an_unknown_name_is_found_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "editor.worker").write_text(FILE.replace("{{ date }}", "{{ day }}"), encoding="utf-8")
    with pytest.raises(WorkerFileError, match=r"editor\.worker:\d: .*'day'.*available: .*, date, .*target"):
        load_workers(tmp_path)


@pytest.mark.parametrize(("written", "line"), [("a {{ day }}", 2), ("|\n  a\n  {{ day }}", 4), ("\n  a {{ day }}", 3)])
def test_the_line_of_an_unknown_name_is_that_in_the_file(tmp_path: Path, written: str, line: int) -> None:
    (tmp_path / "editor.worker").write_text(f"---\nrun_instructions: {written}\n---\nEdit.", encoding="utf-8")
    with pytest.raises(WorkerFileError, match=rf"editor\.worker:{line}: .*'day'"):
        load_workers(tmp_path)


def test_an_unknown_name_in_python_is_found_too() -> None:
    with pytest.raises(ContractError, match=r"worker editor: .*'day'"):
        WorkerDefinition(name="editor", prompt="Edit.", run_instructions="{{ day }}")
