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


@pytest.mark.parametrize("name", ["bakery", "bakery/", "/main", "bakery/main/x", ""])
def test_a_protected_environment_is_named_with_its_site(tmp_path: Path, name: str) -> None:
    with pytest.raises(SetupError, match="give SITE/ENVIRONMENT, such as bakery/main"):
        build(tmp_path, protected=[name])
