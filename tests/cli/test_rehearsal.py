"""The rehearsal: a script plays the main job of the CMS, and a person is asked before anything is deleted."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from tests.cli.kit import ROOT, Cli, Talk

pytestmark = pytest.mark.slow

PROMPT = "Create a page Wedding cakes with a hero section that says we bake wedding cakes"
SCRIPT = (ROOT / "apps/cms/src/remit_cms/rehearsal.json").read_text("utf-8")


@pytest.fixture
def waiting(cli: Cli) -> str:
    """The page that the rehearsal wants to delete; its run waits, as without a terminal."""
    page = re.findall(r'"page":{"id":"(\w+)"', cli("call", "cms", "cms_createPage", '{"title": "Jobs"}').out)[0]
    cli.script_file.write_text(SCRIPT, "utf-8")
    made = cli("run", "cms", "--conversation", "rehearsal", "--ask", PROMPT)
    assert (made.status, "a script, not a model" in made.err) == (0, True)
    assert cli("run", "cms", "--conversation", "rehearsal", "--ask", "Delete the page Jobs.").status == 3
    return page


def slugs(cli: Cli) -> list[str]:
    return [page["slug"] for page in cli("call", "cms", "cms_getPages").json["pages"]]


def test_without_a_terminal_the_call_waits_and_the_page_stays(cli: Cli, waiting: str) -> None:
    (question,) = cli.questions()
    arguments = json.loads(question["arguments"])
    assert arguments == {
        "confirmed": True,
        "pageId": {"id": waiting, "name": "Jobs", "revision": "1"},
    }
    assert slugs(cli) == ["jobs", "wedding-cakes"]


@pytest.mark.process
@pytest.mark.parametrize(("answer", "left"), [("y", ["wedding-cakes"]), ("n", ["jobs", "wedding-cakes"])])
def test_in_a_terminal_the_person_decides(cli: Cli, waiting: str, answer: str, left: list[str]) -> None:
    with Talk("run", "cms", "--conversation", "rehearsal") as talk:
        talk.until("Delete the page Jobs")
        talk.until("the page 'Jobs' (/jobs)")
        talk.until("l = later: ")
        talk.type(f"{answer}\n")
        if answer == "n":
            talk.until("Why not?")
            talk.type("\n")
        talk.until("this script can say")
        talk.until("you> ")
        talk.type("/quit\n")
        assert talk.status() == 0
    assert slugs(cli) == left


def open_page(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(ROOT / "scripts/open_page")],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.process
def test_without_a_page_the_pages_of_a_site_are_listed(cli: Cli) -> None:
    cli("call", "cms", "cms_addSite", '{"key": "bakery", "name": "Bakery"}')
    cli("call", "cms", "cms_createPage", '{"title": "Our bread"}', "--target", "bakery")
    empty = open_page()
    assert (empty.returncode, empty.stdout) == (0, "The site has no pages yet.\n")
    listed = open_page(TARGET="bakery").stdout.splitlines()
    assert listed == ["make open PAGE=… opens one of these pages:", f"  {'our-bread':<24} Our bread"]


@pytest.mark.process
@pytest.mark.usefixtures("cli")
def test_a_page_of_any_name_is_asked_for() -> None:
    done = open_page(PAGE='o\'brien "$x"')
    assert done.returncode == 1
    assert "There is no page or entry 'o'brien \"$x\"'" in done.stderr
