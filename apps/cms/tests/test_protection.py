"""A person approves every edit of a protected environment; elsewhere edits are drafts that need no approval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remit import Principal, Runtime
from remit.errors import SetupError
from remit.tools import Arguments
from remit_cms.app import Cms, build

ANN = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))


async def call(cms: Cms, tool: str, target: str, **arguments: object) -> str:
    """How a call ends, or that it waits."""
    given = Arguments(json.dumps(arguments), arguments)
    return (await Runtime(cms.app).call_by_name(tool, given, by=ANN, target=target)).status


@pytest.mark.parametrize(
    ("protected", "target", "status"),
    [
        ((), "local-site/main", "done"),
        (("local-site/main",), "local-site/main", "waiting"),
        (("local-site/main",), "local-site", "waiting"),
        (("local-site/main",), "", "waiting"),
        (("local-site/live",), "local-site/main", "done"),
        (("local-site/live", "local-site/main"), "local-site", "waiting"),
    ],
)
async def test_an_edit_waits_where_the_environment_is_protected_or_may_be(
    tmp_path: Path, protected: tuple[str, ...], target: str, status: str
) -> None:
    cms = build(tmp_path, protected=protected)
    assert await call(cms, "cms_createPage", target, title="About") == status
    assert await call(cms, "cms_getPages", target) == "done"
    await cms.database.close()


async def test_what_was_approved_is_done_and_what_is_high_risk_is_asked_about_once(tmp_path: Path) -> None:
    cms = build(tmp_path, protected=["local-site/main"])
    runtime = Runtime(cms.app)
    for tool, arguments in (("cms_createPage", {"title": "About"}), ("cms_publishPage", {"pageId": "about"})):
        waiting = await runtime.call_by_name(
            tool, Arguments(json.dumps(arguments), dict(arguments)), by=ANN, target="local-site/main"
        )
        assert len(waiting.questions) == 1
        await runtime.decide(waiting.questions[0], approved=True, by=ANN)
        assert (await runtime.resume(waiting.run)).status == "done"
    await cms.database.close()


@pytest.mark.parametrize(
    ("protected", "tool", "needs"),
    [
        ((), "cms_deletePage", "confirm"),
        ((), "cms_deletePageSection", "confirm"),
        ((), "cms_publishPage", "approve"),
        (("local-site/main",), "cms_deletePage", "approve"),
        (("local-site/main",), "cms_deletePageSection", "approve"),
    ],
)
async def test_the_acting_person_confirms_deletions_and_an_approver_decides_what_visitors_notice(
    tmp_path: Path, protected: tuple[str, ...], tool: str, needs: str
) -> None:
    cms = build(tmp_path)
    section = {"definitionId": "text", "content": {"content": "Bread"}}
    await call(cms, "cms_createPageWithContent", "local-site/main", title="About", sections=[section])
    asking = build(tmp_path, database=cms.database, protected=protected)
    name = "pageSectionId" if tool == "cms_deletePageSection" else "pageId"
    flag = {} if tool == "cms_publishPage" else {"confirmed": True}
    arguments = {name: "about/text" if name == "pageSectionId" else "about", **flag}
    runtime = Runtime(asking.app)
    made = Arguments(json.dumps(arguments), arguments)
    waiting = await runtime.call_by_name(tool, made, by=ANN, target="local-site/main")
    row = await runtime.store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.needs == needs
    await cms.database.close()


@pytest.mark.parametrize("name", ["bakery", "bakery/", "/main", "bakery/main/x", ""])
def test_a_protected_environment_is_named_with_its_site(tmp_path: Path, name: str) -> None:
    with pytest.raises(SetupError, match="give SITE/ENVIRONMENT, such as bakery/main"):
        build(tmp_path, protected=[name])
