"""The copy editor reads a page and changes the sections that its task is about, through the tools of the CMS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.world import World
from remit import Principal, Runtime
from remit.messages import ChatRequest
from remit.testing import Scripted, calls
from remit_cms.app import Cms, build
from remit_cms.pages.payloads import CreatePage
from remit_cms.sections.payloads import SectionInput
from remit_cms.workers import load_workers
from remit_cms.workers.editing import Edit, Edited

ANN = Principal("ann", "local-site", frozenset({"cms:*"}))


def replies(request: ChatRequest) -> list[dict[str, Any]]:
    """What the model has read of its calls."""
    messages = [json.loads(text) for text in request.history]
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]


def section_of(request: ChatRequest) -> str:
    return str(replies(request)[0]["page"]["sections"][0]["id"])


def look(request: ChatRequest) -> dict[str, Any]:
    return calls(("cms_getSectionContent", {"pageSectionId": section_of(request)}))


def change(request: ChatRequest) -> dict[str, Any]:
    """Mend the heading."""
    given = {"pageSectionId": section_of(request), "content": {"heading": "We bake bread"}}
    return calls(("cms_updateSectionContent", given))


def report(request: ChatRequest) -> dict[str, Any]:
    page = replies(request)[0]["page"]["id"]
    said = {"pageId": page, "changed": [section_of(request)], "summary": "I mended the heading."}
    return calls(("final_result", said))


SCRIPT = [
    calls(("cms_getPage", {"slug": "about"})),
    look,
    change,
    report,
]


async def with_page(home: Path) -> Cms:
    cms = build(home)
    call = World(home / "unopened").call()
    section = SectionInput(definition_id="hero", content={"heading": "We bake bred"})
    await cms.pages.create_page(call, CreatePage(title="About", sections=[section]))
    return cms


async def test_it_mends_a_page_and_says_what_it_changed(tmp_path: Path) -> None:
    cms = await with_page(tmp_path)
    model = Scripted(SCRIPT)
    runtime = Runtime(cms.app, model=model)
    (editor,) = (each for each in cms.app.tools if each.name == "copy_editor")
    result = await runtime.call(editor, ANN, Edit(slug="about", task="Mend the spelling."))
    edited = result.value()
    assert isinstance(edited, Edited)
    assert (len(edited.changed), edited.summary) == (1, "I mended the heading.")
    assert "We bake bred" in json.dumps(replies(model.requests[-1])[1])
    assert replies(model.requests[-1])[2]["success"] is True
    assert 'the page "about" alone' in json.loads(model.requests[0].history[0])["content"]
    assert model.requests[0].tools.names[:3] == ("cms_getPage", "cms_getSectionContent", "cms_updateSectionContent")
    assert (await runtime.replay(result.run)).is_identical
    await cms.database.close()


async def test_whoever_may_not_write_may_not_have_it_write(tmp_path: Path) -> None:
    cms = await with_page(tmp_path)
    (editor,) = (each for each in cms.app.tools if each.name == "copy_editor")
    reader = Principal("ben", "local-site", frozenset({"cms:read"}))
    result = await Runtime(cms.app, model=Scripted(SCRIPT)).call(editor, reader, Edit(slug="about", task="Mend it."))
    assert json.loads(result.text)["errorCode"] == "PERMISSION_DENIED"
    await cms.database.close()


def test_without_the_extra_the_cms_has_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        return None

    monkeypatch.setattr("remit_cms.workers.find_spec", missing)
    assert load_workers(()) == ()
