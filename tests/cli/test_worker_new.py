"""`remit worker new`: a file to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers.front_matter import FrontMatter
from remit.workers.reader import read_worker
from tests.cli.kit import Cli


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands are given."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_written_is_a_valid_worker_file_that_names_every_key(cli: Cli) -> None:
    done = cli("worker", "new", "mail-sorter")
    assert (done.status, done.out) == (0, "mail-sorter.worker\n")
    assert cli("worker", "check", "mail-sorter.worker").status == 0
    made = read_worker(Path.cwd() / "mail-sorter.worker")
    assert (made.name, made.tools) == ("mail-sorter", ())
    assert made.prompt.startswith("You are mail-sorter.")
    text = Path("mail-sorter.worker").read_text()
    missing = [key for key in FrontMatter.model_fields if f"\n{key}:" not in text and f"\n# {key}:" not in text]
    assert missing == ["name"]


def test_every_key_that_is_commented_out_is_valid_too(cli: Cli) -> None:
    cli("worker", "new", "sort")
    path = Path("sort.worker")
    exclusive = ("# compatible_models", "# input", "# output")
    lines = [
        line.replace("# ", "", 1) if line.lstrip().startswith("# ") and _is_key(line) else line
        for line in path.read_text().splitlines()
        if not line.startswith(exclusive)
    ]
    path.write_text("\n".join(lines))
    made = read_worker(path)
    assert made.model
    assert made.delegates == ()
    assert made.attachments is not None
    assert made.limits.seconds == 120
    assert made.facts.permissions == {"mail:sort"}


def _is_key(line: str) -> bool:
    word = line.lstrip().removeprefix("# ").partition(":")
    return word[1] == ":" and word[0].replace("_", "").isalpha() and word[0].islower()


def test_a_file_that_is_there_is_left_alone(cli: Cli) -> None:
    Path("sort.worker").write_text("mine")
    done = cli("worker", "new", "sort")
    assert (done.status, Path("sort.worker").read_text()) == (2, "mine")
    assert "sort.worker exists already; choose another name, or remove it" in done.err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("so rt", "'so rt' is not a worker name"),
        ("../up", "'../up' is not a worker name"),
        ("sort.worker", "'_' or '-'; write: remit worker new sort"),
        ("call", "'call' is reserved"),
    ],
    ids=["space", "folder", "suffix", "reserved"],
)
def test_a_name_that_nothing_can_have_is_refused(cli: Cli, name: str, said: str) -> None:
    done = cli("worker", "new", name)
    assert done.status == 2
    assert said in done.err


def test_a_folder_that_cannot_be_written_to_is_told(cli: Cli, here: Path) -> None:
    gone = here / "gone"
    gone.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(gone)
        gone.rmdir()
        done = cli("worker", "new", "sort")
    assert done.status == 2
    assert "sort.worker cannot be written: No such file or directory" in done.err
