"""What the documents say of the code is what the code says today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from remit.errors import CallError, RemitError
from remit_local.weights import BASE, SMALL
from tests.docs.reading import ROOT, prose
from tests.scripts.loading import load_script

CONFIGURATION = ROOT / "docs/reference/configuration.md"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program behind `make docs`, which may only check."""
    monkeypatch.setattr("sys.argv", ["docs.py", "--check"])
    return load_script("docs", monkeypatch)


def test_the_generated_parts_are_up_to_date(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    is_stale = script.main() != 0
    assert not is_stale, f"run `make docs` and commit what it changes:\n{capsys.readouterr().out}"


def test_every_code_of_a_call_belongs_to_one_of_the_nine(monkeypatch: pytest.MonkeyPatch) -> None:
    nine = load_script("nine_codes", monkeypatch)
    mapped = [code for codes in nine.NINE_CODES.values() for code in codes]
    assert len(nine.NINE_CODES) == 9
    assert sorted(mapped) == sorted({kind.code for kind in _call_errors(CallError)})
    assert all(nine.broad_code(code) == code for code in nine.NINE_CODES)
    with pytest.raises(LookupError, match="NEW is not in NINE_CODES"):
        nine.broad_code("NEW")


def _call_errors(kind: type[CallError]) -> Iterator[type[CallError]]:
    yield kind
    for each in kind.__subclasses__():
        if each.__module__ == CallError.__module__:
            yield from _call_errors(each)


def test_a_stale_part_is_found_and_written_again_and_the_rest_kept(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- generated: rules -->\nold\n<!-- end -->\nafter\n", "utf-8")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    assert (script.main(), capsys.readouterr().out) == (1, "README.md: stale, run `make docs`\n")
    monkeypatch.setattr("sys.argv", ["docs.py"])
    assert script.main() == 0
    written = readme.read_text("utf-8")
    assert written.startswith("before\n<!-- generated: rules -->\n\n| outside | inside | within | why |")
    assert written.endswith("|\n\n<!-- end -->\nafter\n")


def test_every_environment_variable_that_the_code_reads_is_explained_and_no_other() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *ROOT.glob("apps/*/src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")]
    read = {name for path in sources for name in re.findall(r"\b(?:REMIT|OPENAI)_[A-Z_]+\b", path.read_text("utf-8"))}
    read.discard(RemitError.code)
    explained = set(re.findall(r"^\| `([A-Z_]+)` \|", prose(CONFIGURATION), re.MULTILINE))
    assert explained == read, f"the tables of {CONFIGURATION.name} lack or exceed {', '.join(sorted(explained ^ read))}"


def test_the_sizes_of_weights_are_those_of_the_lock() -> None:
    said = prose(CONFIGURATION)
    for weights in (BASE, SMALL):
        assert f"`local:{weights.name}` | Qwen2.5-Coder" in said
        assert f"{weights.size / 1e9:.1f} GB to fetch" in said
