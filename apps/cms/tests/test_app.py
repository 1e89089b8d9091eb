"""The application as Remit's command line meets it."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from remit import Principal, Runtime, Tool
from remit.errors import SetupError
from remit.testing import Scripted, calls
from remit.tools import Arguments
from remit_cms.app import EMBEDDINGS_VARIABLE, app, build

ANN = Principal("ann", "local-site", frozenset({"cms:*"}))


def test_the_application_is_an_entry_point_of_remit() -> None:
    (found,) = entry_points(group="remit.apps", name="cms")
    assert found.load() is app


def test_making_the_application_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    made = app()
    assert (made.name, [agent.name for agent in made.agents]) == ("cms", ["editor"])
    assert {"cms_createPage", "cms_deletePageSection"} < {tool.name for tool in made.agents[0].tools}
    assert not (tmp_path / "home").exists()


def test_the_environment_chooses_the_model_for_search_by_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    for chosen in ("", "off", "openai:text-embedding-3-small"):
        monkeypatch.setenv(EMBEDDINGS_VARIABLE, chosen)
        assert app().name == "cms"
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SetupError, match="REMIT_CMS_EMBEDDINGS needs OPENAI_API_KEY"):
        app()
    for wrong in ("openai:", "small"):
        monkeypatch.setenv(EMBEDDINGS_VARIABLE, wrong)
        with pytest.raises(SetupError, match=f"REMIT_CMS_EMBEDDINGS holds '{wrong}'; give openai:NAME, or off"):
            app()


def test_what_is_offered_is_what_is_checked_and_each_tool_is_made_once(tmp_path: Path) -> None:
    made = build(tmp_path).app
    assert made.operations is not None
    offered = (*made.agents[0].tools, *made.tools)
    callees = {tool.name: tool for tool in offered if isinstance(tool, Tool)}
    assert callees == {tool.name: tool for tool in made.operations.callees}


def test_every_tool_says_what_its_calls_do(tmp_path: Path) -> None:
    made = build(tmp_path).app
    tools = [each for each in (*made.agents[0].tools, *made.tools) if isinstance(each, Tool)]
    assert [each.name for each in tools if each.facts.says is None] == []
    offered = {each.name for each in tools}
    undos = {each.name: each.facts.undo.tool for each in tools if each.facts.undo is not None}
    assert {name: undo for name, undo in undos.items() if undo not in offered} == {}
    assert {undos[name] for name in ("cms_deletePage", "cms_publishPage", "cms_unpublishPage")} == {
        "cms_revertChangeSet"
    }


def test_its_data_is_in_remits_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    called = asyncio.run(Runtime(app()).call_by_name("cms_getPages", Arguments("{}", {}), by=ANN))
    assert called.status == "done"
    assert (tmp_path / "home" / "cms.db").exists()


async def test_the_first_call_makes_the_database(tmp_path: Path) -> None:
    cms = build(tmp_path / "home")
    result = await Runtime(cms.app).call_by_name("cms_getPages", Arguments("{}", {}), by=ANN)
    assert json.loads(result.text)["total"] == 0
    assert (tmp_path / "home" / "cms.db").exists()
    await cms.database.close()


async def test_the_editor_makes_a_page_when_its_model_asks_for_one(tmp_path: Path) -> None:
    cms = build(tmp_path)
    model = Scripted(
        [
            calls(
                (
                    "cms_createPageWithContent",
                    {
                        "title": "About",
                        "sections": [{"definitionId": "hero", "content": {"heading": "We bake bread"}}],
                    },
                )
            ),
            "I created the About page.",
        ]
    )
    result = await Runtime(cms.app, model=model).run("Create an About page", by=ANN)
    assert result.text == "I created the About page."
    system = model.requests[0].history[0]
    assert "You are the editor of a website" in system
    await cms.database.close()


@pytest.mark.parametrize(
    ("permissions", "told"),
    [
        ({"cms:*", "web:*"}, ""),
        ({"cms:read", "cms:write", "cms:delete", "web:read"}, "may not publish, hide or schedule anything. If"),
        ({"cms:read"}, "may not change anything, and not publish, hide or schedule anything, and not delete anything"),
    ],
)
async def test_the_editor_is_told_what_the_person_may_not_do(tmp_path: Path, permissions: set[str], told: str) -> None:
    model = Scripted(["I cannot do that."])
    cms = build(tmp_path)
    person = Principal("pat", "local-site", frozenset(permissions))
    await Runtime(cms.app, model=model).run("Publish the page About.", by=person)
    sent = " ".join(model.requests[0].history)
    assert told in sent
    assert ("may not" in sent.replace("you may not do it", "")) is bool(told)
    await cms.database.close()
