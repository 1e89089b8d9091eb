"""What `remit call` keeps about an application that it has checked in full, and when it does not rely on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from figures.notebook import NOTES, WEATHER
from remit import App
from remit.call.typed_schema import contracts_are_checked
from remit.cli.checked import load_checked, remember_checked
from remit.cli.client import open_client
from tests.cli.kit import Cli

DESK = """
from pathlib import Path
from remit import App
from figures.notebook import Notebook

notebook = Notebook(Path({folder!r}))
app = App(name="desk", tools=notebook.operations().callees, operations=notebook.operations())
"""


@pytest.fixture
def checked(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Loads an application as `remit call` does, and says whether its contracts were checked before."""
    folder, module = tmp_path / "notes", module_in(tmp_path)
    folder.mkdir()
    for name, text in (("notes", NOTES), ("weather", WEATHER)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / f"{module}.py").write_text(DESK.format(folder=str(folder)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def load() -> bool:
        with open_client() as client:
            app = load_checked(client, f"{module}:app")
            was_checked = contracts_are_checked()
            remember_checked(client, f"{module}:app", app)
        assert isinstance(app, App)
        assert not contracts_are_checked()
        return was_checked

    assert cli.home.name == "home"
    return load


def module_in(folder: Path) -> str:
    """The module of the application, of another name in each test: Python imports each once."""
    return f"desk_{folder.name}"


def kept_file(cli: Cli) -> Path:
    """The file about the application."""
    (file,) = (cli.home / "checked").iterdir()
    return file


def test_an_application_is_checked_once_as_long_as_its_files_are_the_same(checked: Callable[[], bool]) -> None:
    assert [checked(), checked(), checked()] == [False, True, True]


def test_a_file_that_has_changed_or_is_gone_has_all_checked_again(
    cli: Cli, checked: Callable[[], bool], tmp_path: Path
) -> None:
    checked()
    os.utime(tmp_path / f"{module_in(tmp_path)}.py", (1, 1))
    assert [checked(), checked()] == [False, True]
    os.utime(tmp_path / "notes" / "notes.yaml", (1, 1))
    assert [checked(), checked()] == [False, True]
    text = kept_file(cli).read_text(encoding="utf-8")
    kept_file(cli).write_text(text.replace(module_in(tmp_path), "gone"), encoding="utf-8")
    assert [checked(), checked()] == [False, True]


def test_what_cannot_be_read_or_kept_is_checked_again(cli: Cli, checked: Callable[[], bool]) -> None:
    checked()
    kept_file(cli).write_text("no JSON", encoding="utf-8")
    assert [checked(), checked()] == [False, True]
    kept_file(cli).unlink()
    (cli.home / "checked").rmdir()
    (cli.home / "checked").write_text("in the way", encoding="utf-8")
    assert [checked(), checked()] == [False, False]


def test_a_changed_file_of_an_agent_has_all_checked_again(
    cli: Cli, tmp_path: Path, checked: Callable[[], bool]
) -> None:
    module = tmp_path / f"{module_in(tmp_path)}.py"
    worker = tmp_path / "clerk.worker"
    worker.write_text(
        "---\nname: clerk\ndescription: Files notes.\n---\n\nFile the notes of {{ prompt }}.\n", encoding="utf-8"
    )
    text = module.read_text(encoding="utf-8").replace(
        "from figures", "from remit.workers import load_workers\nfrom figures"
    )
    agents = f"agents=load_workers(Path({str(tmp_path)!r})), operations="
    module.write_text(text.replace("operations=", agents), encoding="utf-8")
    assert [checked(), checked()] == [False, True]
    worker.write_text(worker.read_text(encoding="utf-8") + "Say less.\n", encoding="utf-8")
    assert [checked(), checked()] == [False, True]
