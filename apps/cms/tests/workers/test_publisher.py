"""The editor asks the publisher, which shows what would change, and publishes after approval."""

from __future__ import annotations

from pathlib import Path

from apps.cms.tests.workers.test_editor import ANN, replies
from remit import Principal, Runtime
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted, calls
from remit_cms.app import build

REPORT = {"differences": ["About is new"], "preview": "", "pages": [], "summary": "Visitors see About."}


async def test_the_editor_has_the_publisher_publish_the_edits_of_the_conversation(tmp_path: Path) -> None:
    cms = build(tmp_path)
    editing = Scripted(
        [
            calls(("cms_createPage", {"title": "About"})),
            calls(("search_tools", {"query": "show the difference and publish"})),
            calls(("publisher", {"task": "Publish my edits."})),
            "About is published.",
        ]
    )
    publishing = Scripted(
        [calls(("cms_getChangeSet", {})), calls(("cms_publishChangeSet", {})), calls(("final_result", REPORT))]
    )

    async def model(request: ChatRequest, /) -> Completion:
        is_publisher = "You are the publisher" in next(iter(request.history))
        return await (publishing if is_publisher else editing)(request)

    runtime = Runtime(cms.app, model=model)
    asked = await runtime.run("Make a page About, and have it published.", by=ANN, conversation="c")
    assert asked.status == "waiting"
    (row,) = await runtime.store.list_questions()
    assert "About: title = About" in [f"{each.where} = {each.after}" for each in row.question.changes]
    await runtime.decide(row.question.id, approved=True, by=Principal("bea", "local-site", frozenset({"*"})))
    assert (await runtime.resume(asked.run)).text == "About is published."
    (shown, published) = replies(publishing.requests[-1])
    assert [page["title"] for page in shown["changeSet"]["pages"]] == ["About"]
    assert published["success"] is True
    assert "publisher" in editing.requests[-1].tools.names
    assert "cms_updatePage" not in publishing.requests[-1].tools.names
    await cms.database.close()
