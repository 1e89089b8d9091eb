"""`make chat` does the main job of the CMS on a new machine, with a model or without, and overwrites nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from remit.models.choice import ChoiceFile, ModelChoice
from tests.cli.kit import PATIENCE, ROOT, Talk
from tests.cli.running import Done, done

pytestmark = [pytest.mark.process, pytest.mark.slow]

CHOICE = "d = download it, r = rehearse with a script, q = quit: "


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a build folder of its own, and a user who has nothing else: no home folder, model or key."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    (folder / "apps/cms/src/remit_cms").mkdir(parents=True)
    shutil.copy(ROOT / "apps/cms/src/remit_cms/rehearsal.json", folder / "apps/cms/src/remit_cms")
    (folder / ".venv").symlink_to(sys.prefix)
    for name in [name for name in os.environ if name.startswith(("REMIT_", "OPENAI_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "user").mkdir()
    return folder


def program(checkout: Path) -> Sequence[str]:
    return [str(checkout / ".venv/bin/python"), str(checkout / "scripts/chat.py")]


def run(checkout: Path, *arguments: str) -> Done:
    """Run it without a terminal."""
    line = [*program(checkout), *arguments]
    ended = subprocess.run(
        line, cwd=checkout, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


def slugs() -> set[str]:
    listed = done("call", "cms", "cms_getPages", '{"limit": 100}')
    assert listed.status == 0, listed.err
    return {page["slug"] for page in listed.json["pages"]}


def write_script(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model answer that no rehearsal plays."""
    script = checkout / "script.json"
    script.write_text(json.dumps({"script": ["There are many pages."]}))
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{script}")


def test_without_terminal_and_model_it_rehearses_on_the_sample_site(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run(checkout)
    assert ended.status == 0, ended.err
    first = ended.err.splitlines()[0]
    assert first.startswith("This is a rehearsal with a script: there is no terminal to talk in, and REMIT_MODEL names")
    assert first.endswith("For a real model: OPENAI_API_KEY=… REMIT_MODEL=openai:gpt-5-mini make chat")
    assert "The page Wedding cakes is there" in ended.out
    assert ended.err.index("Making the sample site, once") < ended.err.index("cms_createPage")
    assert 'export PATH="$PWD/.venv/bin:$PATH" REMIT_HOME=build/rehearsal REMIT_MODEL=' in ended.err
    monkeypatch.setenv("REMIT_HOME", str(checkout / "build/rehearsal"))
    assert {"home", "bread", "jobs", "wedding-cakes"} <= slugs()
    (question,) = done("approvals", "list", "--json").json["questions"]
    assert question["tool"] == "cms_deletePage"
    assert not (checkout.parent / "user/.remit").exists(), "what the user has is left alone"


def test_without_terminal_a_model_that_is_named_is_not_asked_and_one_line_says_how_to_ask_it(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(checkout, monkeypatch)
    ended = run(checkout)
    assert (ended.status, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("There is no terminal to talk to scripted:")
    assert line.endswith("""Ask it once: make chat ARGS='--ask "Which pages are there?"'""")
    assert run(checkout, "--ask", "Which pages are there?").status == 0


def test_in_a_terminal_without_a_model_the_user_chooses(checkout: Path) -> None:
    with Talk(program=program(checkout)) as talk:
        assert "OPENAI_API_KEY=… REMIT_MODEL=openai:gpt-5-mini make chat" in talk.until(CHOICE)
        talk.type("\n")
        talk.until(CHOICE)
        talk.type("q\n")
        assert talk.status() == 0
    with Talk(program=program(checkout)) as talk:
        talk.until(CHOICE)
        talk.type("r\n")
        talk.until("This is a rehearsal with a script: REMIT_MODEL names no model.")
        talk.until("The run waits for you.")
        talk.until("cms_deletePage")
        talk.until("l = later: ")
        talk.type("l\n")
        talk.until("you> ")
        talk.type("/quit\n")
        talk.until("See the page: make open PAGE=wedding-cakes REHEARSAL=1")
        assert talk.status() == 0


def test_with_a_model_it_talks_to_it_on_the_sample_site(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(checkout, monkeypatch)
    with Talk(program=program(checkout)) as talk:
        talk.until("you> ")
        talk.type("Which pages are there?\n")
        talk.until("There are many pages.")
        talk.until("you> ")
        talk.type("/quit\n")
        assert talk.status() == 0
    assert {"home", "bread", "jobs"} <= slugs()


def test_a_model_that_is_chosen_in_the_console_is_talked_to(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(checkout, monkeypatch)
    monkeypatch.delenv("REMIT_MODEL")
    home = checkout.parent / "home"
    monkeypatch.setenv("REMIT_HOME", str(home))
    home.mkdir(mode=0o700)
    ChoiceFile(home).write(ModelChoice(name=f"scripted:{checkout / 'script.json'}"))
    with Talk(program=program(checkout)) as talk:
        talk.until("you> ")
        talk.type("/quit\n")
        assert talk.status() == 0


def test_a_site_that_is_there_is_not_filled(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(checkout, monkeypatch)
    assert slugs() == set(), "the application itself begins with an empty site"
    ended = run(checkout, "--ask", "Which pages are there?")
    assert (ended.status, ended.out) == (0, "There are many pages.\n"), ended.err
    assert slugs() == set()
