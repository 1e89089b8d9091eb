"""The editor posts to a server and fetches from one: a search finds the tools, and a person is asked first."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from figures.ssrf_world import Internet, Page
from remit import Runtime
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from remit_cms.app import build
from remit_cms.operations import Web
from remit_cms.sites.sample.filling import fill_with_sample
from remit_cms.storage.database import Database

ANN = superuser(tenant="local-site")
ASKED = "Tell our webhook http://hooks.example/new that the page Bread has changed."
SEARCH = calls(("search_tools", {"query": "post text to a webhook"}))


@pytest.fixture
async def internet() -> AsyncIterator[Internet]:
    pages = {"/new": Page(b'{"ok": true}', headers={"content-type": "application/json"})}
    async with Internet(pages=pages) as internet:
        yield internet


class Conversation:
    """One with the editor of the sample site, which may post to one host."""

    def __init__(self, home: Path, internet: Internet, *answers: Any) -> None:
        self.model = Scripted([*answers, "Done."])
        web = Web(http=internet.http(), post_hosts={"local-site": frozenset({"hooks.example"})})
        made = build(home, database=Database(home / "cms.db", fill=fill_with_sample), web=web).app
        self.runtime = Runtime(made, model=self.model)

    async def ask(self) -> RunResult[Any]:
        return await self.runtime.run(ASKED, by=ANN, conversation="c")

    @property
    def offered(self) -> list[str]:
        """The tools of the last request."""
        return [each["function"]["name"] for each in json.loads(self.model.requests[-1].tools.text)]


def post(url: str) -> dict[str, Any]:
    return calls(("http_post", {"url": url, "body": '{"page": "bread"}'}))


@pytest.mark.parametrize("approved", [True, False])
async def test_what_the_editor_posts_leaves_only_after_a_yes(
    tmp_path: Path, internet: Internet, approved: bool
) -> None:
    talk = Conversation(tmp_path, internet, SEARCH, post("http://hooks.example/new"))
    run = await talk.ask()
    assert (run.status, internet.requests) == ("waiting", [])
    assert "http_post" in talk.offered
    (row,) = await talk.runtime.store.list_questions()
    assert row.question.shown.startswith("POST http://hooks.example/new\n")
    assert '{"page": "bread"}' in row.question.shown
    await talk.runtime.decide(row.question.id, approved=approved, by=ANN)
    assert (await talk.runtime.resume(run.run)).value() == "Done."
    assert [each.split(" ", 2)[:2] for each in internet.requests] == ([["POST", "/new"]] if approved else [])
    reply = json.loads(json.loads(talk.model.requests[-1].history[-1])["content"])
    assert reply["success"] is approved


async def test_an_address_that_the_site_does_not_allow_is_refused_before_anybody_is_asked(
    tmp_path: Path, internet: Internet
) -> None:
    talk = Conversation(tmp_path, internet, SEARCH, post("http://evil.example/new"))
    assert (await talk.ask()).value() == "Done."
    assert (await talk.runtime.store.list_questions(), internet.requests) == ([], [])
    assert "does not allow posts to evil.example" in talk.model.requests[-1].history[-1]


async def test_the_editor_fetches_an_address_after_a_yes(tmp_path: Path, internet: Internet) -> None:
    search = calls(("search_tools", {"query": "fetch JSON from an API"}))
    talk = Conversation(tmp_path, internet, search, calls(("http_get", {"url": "http://hooks.example/new"})))
    run = await talk.ask()
    assert "http_get" in talk.offered
    await talk.runtime.decide(run.questions[0], approved=True, by=ANN)
    assert (await talk.runtime.resume(run.run)).value() == "Done."
    assert [each.split(" ", 2)[:2] for each in internet.requests] == [["GET", "/new"]]
