"""The investigator searches mail, has it summarized by another worker, and writes what it found into the casefile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.casefile.tests.workspace.desk import ANN, PEOPLE, Desk
from remit import Principal, Runtime
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted, calls
from remit_casefile.workers import load_workers


def replies(request: ChatRequest) -> list[Any]:
    """What the model has read of its calls."""
    messages = [json.loads(text) for text in request.history]
    return [message["content"] for message in messages if message["role"] == "tool"]


class Two:
    """The models of the two workers, as one: each is asked by its own instructions."""

    def __init__(self, casefile: str) -> None:
        self._casefile = casefile
        lines = [self._search, self._read, self._summarize, self._keep, self._note, self._report]
        self.investigator = Scripted(lines)
        self.summarizer = Scripted(["Baron Harkonnen owes 300."])

    async def __call__(self, request: ChatRequest, /) -> Completion:
        own = "You investigate" in request.history[0]
        return await (self.investigator if own else self.summarizer)(request)

    def _search(self, _request: ChatRequest) -> dict[str, Any]:
        return calls(("get_casefile", {"casefile_id": self._casefile}), ("gmail_search_messages", {"query": "invoice"}))

    def _read(self, request: ChatRequest) -> dict[str, Any]:
        found = json.loads(replies(request)[1])["messages"][0]["id"]
        return calls(("gmail_get_message", {"message_id": found}))

    def _summarize(self, request: ChatRequest) -> dict[str, Any]:
        return calls(("summarizer", {"prompt": replies(request)[2]}))

    def _keep(self, request: ChatRequest) -> dict[str, Any]:
        message = json.loads(replies(request)[2])
        return calls(("store_gmail_messages", {"casefile_id": self._casefile, "messages": [message]}))

    def _note(self, request: ChatRequest) -> dict[str, Any]:
        return calls(("update_casefile", {"casefile_id": self._casefile, "notes": replies(request)[3]}))

    def _report(self, request: ChatRequest) -> dict[str, Any]:
        kept = [json.loads(replies(request)[2])["id"]]
        return calls(("final_result", {"messages": kept, "answer": replies(request)[3]}))


def at(desk: Desk, model: Two) -> Runtime:
    return Runtime(desk.app, model=model, store=desk.store, directory=lambda name, _tenant: PEOPLE[name])


async def test_it_finds_keeps_and_notes_what_the_mail_says(desk: Desk, casefile: str) -> None:
    (invoice,) = desk.deliver(1, subject="invoice")
    desk.deliver(2, subject="lunch")
    model = Two(casefile)
    runtime = at(desk, model)
    (investigator,) = (each for each in desk.app.tools if each.name == "investigator")
    result = await runtime.call(investigator, ANN, casefile_id=casefile, question="What does the baron owe?")
    assert json.loads(result.text) == {"messages": [invoice], "answer": "Baron Harkonnen owes 300."}
    assert await desk.mail_in(casefile) == {invoice: "invoice 0"}
    assert (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"] == "Baron Harkonnen owes 300."
    assert f"for the casefile {casefile}" in model.investigator.requests[0].history[0]
    assert "invoice 0" in model.summarizer.requests[0].history[-1]
    assert len(model.summarizer.requests[0].tools) == 0, "the summarizer can do nothing"
    assert (await runtime.replay(result.run)).difference == ""


async def test_whoever_may_not_write_casefiles_has_nothing_investigated(desk: Desk, casefile: str) -> None:
    (investigator,) = (each for each in desk.app.tools if each.name == "investigator")
    reader = Principal("ann", permissions=frozenset({"casefiles:read"}))
    result = await at(desk, Two(casefile)).call(investigator, reader, casefile_id=casefile, question="What?")
    assert json.loads(result.text)["errorCode"] == "PERMISSION_DENIED"


def test_without_the_extra_there_are_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        return None

    monkeypatch.setattr("remit_casefile.workers.find_spec", missing)
    assert load_workers(()) == ()
