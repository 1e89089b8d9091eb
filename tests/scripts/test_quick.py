"""What `make quick` checks: one package by name, or whatever changed, with the tests that belong to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts.loading import load_script

FILES = (
    "src/remit/core/layer.py",
    "src/remit/layers/timeout.py",
    "src/remit/home.py",
    "src/remit/__init__.py",
    "tests/core/test_layer.py",
    "tests/layers/test_timeout.py",
    "tests/layers/world.py",
    "tests/test_home.py",
    "tests/stores.py",
    "tests/scripts/test_quick.py",
    "apps/cms/src/remit_cms/pages/tree.py",
    "apps/cms/src/remit_cms/app.py",
    "apps/cms/tests/pages/test_tree.py",
    "apps/cms/tests/test_app.py",
    "packages/weights/src/remit_weights/gguf.py",
    "packages/weights/tests/test_gguf.py",
    "scripts/quick.py",
    "docs/guides/tutorial.md",
    "CHANGELOG.md",
    "pyproject.toml",
)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_script("quick", monkeypatch)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of empty files."""
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("layers", ["src/remit/layers", "tests/layers"]),
        ("home", ["src/remit/home.py", "tests/test_home.py"]),
        ("cms", ["apps/cms/src", "apps/cms/tests"]),
        ("weights", ["packages/weights/src", "packages/weights/tests"]),
        ("scripts", ["scripts", "tests/scripts"]),
    ],
)
def test_a_name_stands_for_sources_and_tests(quick: ModuleType, tree: Path, name: str, paths: list[str]) -> None:
    assert quick.package_scope(tree, name).paths == paths


def test_a_package_is_checked_with_the_tests_of_its_exports_and_documents(quick: ModuleType, tree: Path) -> None:
    surface = [Path("tests/docs/test_generated.py"), Path("tests/test_public_names.py")]
    for file in surface:
        (tree / file).parent.mkdir(exist_ok=True)
        (tree / file).touch()
    assert quick.package_scope(tree, "layers").tests == {*surface, Path("tests/layers")}
    assert quick.package_scope(tree, "cms").tests == {Path("apps/cms/tests")}


def test_an_unknown_name_is_answered_with_the_names_there_are(quick: ModuleType, tree: Path) -> None:
    with pytest.raises(LookupError, match="layerz is no package; there are cms, core, docs, home, layers, scripts"):
        quick.package_scope(tree, "layerz")


@pytest.mark.parametrize(
    ("file", "paths"),
    [
        pytest.param("src/remit/layers/timeout.py", ["src/remit/layers", "tests/layers"], id="source"),
        pytest.param("src/remit/layers/deleted.py", ["src/remit/layers", "tests/layers"], id="deleted source"),
        pytest.param("src/remit/home.py", ["src/remit/home.py", "tests/test_home.py"], id="module"),
        pytest.param("tests/layers/test_timeout.py", ["tests/layers/test_timeout.py"], id="test"),
        pytest.param("tests/layers/test_deleted.py", ["src/remit/layers", "tests/layers"], id="deleted test"),
        pytest.param("tests/layers/world.py", ["src/remit/layers", "tests/layers"], id="what tests share"),
        pytest.param("apps/cms/src/remit_cms/pages/tree.py", ["apps/cms/src", "apps/cms/tests/pages"], id="mirrored"),
        pytest.param("apps/cms/src/remit_cms/app.py", ["apps/cms/src", "apps/cms/tests"], id="application"),
        pytest.param("scripts/quick.py", ["scripts", "tests/scripts"], id="script"),
        pytest.param("docs/guides/tutorial.md", ["docs/guides/tutorial.md"], id="document"),
        pytest.param("CHANGELOG.md", [], id="a document without examples"),
        pytest.param("docs/guides/deleted.md", [], id="deleted document"),
    ],
)
def test_a_changed_file_is_checked_with_what_belongs_to_it(
    quick: ModuleType, tree: Path, file: str, paths: list[str]
) -> None:
    scope = quick.changed_scope(tree, [Path(file)])
    assert (scope.paths, scope.unmapped) == (paths, frozenset())


@pytest.mark.parametrize("file", ["pyproject.toml", "tests/stores.py", "src/remit/__init__.py", "src/remit/gone.py"])
def test_a_file_that_concerns_every_package_is_named(quick: ModuleType, tree: Path, file: str) -> None:
    scope = quick.changed_scope(tree, [Path(file)])
    assert (scope.paths, scope.unmapped) == ([], {Path(file)})


def test_a_test_inside_a_changed_package_is_not_run_twice(quick: ModuleType, tree: Path) -> None:
    changed = [Path("tests/layers/test_timeout.py"), Path("src/remit/layers/timeout.py")]
    assert quick.changed_scope(tree, changed).paths == ["src/remit/layers", "tests/layers"]


def test_documents_are_not_given_to_the_tools_that_read_python(quick: ModuleType, tree: Path) -> None:
    scope = quick.changed_scope(tree, [Path("docs/guides/tutorial.md"), Path("src/remit/home.py")])
    assert scope.python_paths == ["src/remit/home.py", "tests/test_home.py"]


@pytest.mark.process
def test_new_changed_and_deleted_files_differ_from_the_last_commit(
    quick: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "start"]):
        subprocess.run([*git, *command], cwd=tree, check=True)
    monkeypatch.setattr(quick, "ROOT", tree)
    assert quick.changed_files() == []

    (tree / "src/remit/home.py").write_text("HOME = 1\n")
    (tree / "tests/test_home.py").unlink()
    (tree / "src/remit/new").mkdir()
    (tree / "src/remit/new/ünïcode name.py").touch()

    changed = ["src/remit/home.py", "src/remit/new/ünïcode name.py", "tests/test_home.py"]
    assert sorted(map(str, quick.changed_files())) == changed


@pytest.mark.process
@pytest.mark.parametrize(
    ("body", "code", "verdict"),
    [
        ('def test_one() -> None:\n    assert int("1") == 1\n', 0, "passed"),
        ('def test_one() -> None:\n    assert int("1") == 2\n', 1, "failed"),
        ('def test_one() -> None:\n    number: int = str(1)\n    assert number == "1"\n', 1, "failed"),
        ('def test_one( ) -> None:\n    assert int("1") == 1\n', 1, "failed"),
    ],
    ids=["fine", "a test that fails", "a type that is wrong", "a style that is wrong"],
)
def test_any_of_the_three_tools_can_fail_the_check(
    quick: ModuleType,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    body: str,
    code: int,
    verdict: str,
) -> None:
    (tree / "tests/test_home.py").write_text(f'"""One test."""\n\n\n{body}')
    (tree / "pyproject.toml").write_text('[tool.pytest]\nmarkers = ["model: weights", "process: starts one"]\n')
    monkeypatch.setattr(quick, "ROOT", tree)
    monkeypatch.setattr(sys, "argv", ["quick", "home"])

    assert quick.main() == code

    assert f"quick: {verdict} in " in capsys.readouterr().out
