"""The application as Remit's command line meets it."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from apps.casefile.tests.office import principal
from remit import Runtime, Tool
from remit.errors import SetupError
from remit.testing import Scripted, calls
from remit.tools import Arguments
from remit_casefile.app import app, build, read_chat_models
from remit_casefile.google.account import Account
from remit_casefile.policies.vocabulary import VOCABULARY

OWN = {
    "create_casefile",
    "get_casefile",
    "update_casefile",
    "archive_casefile",
    "list_casefiles",
    "delete_casefile",
    "add_session_to_casefile",
    "grant_permission",
    "revoke_permission",
    "set_public_access",
    "list_permissions",
    "check_permission",
}


def test_the_application_is_an_entry_point_of_remit() -> None:
    (found,) = entry_points(group="remit.apps", name="casefile")
    assert found.load() is app


def test_making_the_application_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    made = app()
    assert (made.name, [agent.name for agent in made.agents]) == ("casefile", ["casefile"])
    assert {tool.name for tool in made.agents[0].tools} >= OWN
    assert not (tmp_path / "home").exists()


def test_every_tool_says_what_its_calls_do(tmp_path: Path) -> None:
    made = build(tmp_path).app
    tools = [each for each in (*made.agents[0].tools, *made.tools) if isinstance(each, Tool)]
    assert [each.name for each in tools if each.facts.says is None] == []


def test_its_data_is_in_remits_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    called = asyncio.run(Runtime(app()).call_by_name("list_casefiles", Arguments("{}", {}), by=principal()))
    assert called.status == "done"
    assert (tmp_path / "home" / "casefile.db").exists()


def test_each_operation_is_offered_once_to_the_agent_or_beside_it_and_so_are_workers(tmp_path: Path) -> None:
    made = build(tmp_path).app
    offered = [tool.name for tool in made.tools] + [tool.name for tool in made.agents[0].tools]
    assert made.operations is not None
    assert sorted(offered) == sorted([*made.operations.tools, "investigator", "summarizer"])


def test_what_is_offered_is_what_is_checked_and_each_tool_is_made_once(tmp_path: Path) -> None:
    made = build(tmp_path).app
    assert made.operations is not None
    callees = {tool.name: tool for tool in (*made.agents[0].tools, *made.tools)}
    assert {name: callees[name] for name in made.operations.tools} == {
        tool.name: tool for tool in made.operations.callees
    }


def test_every_word_of_the_vocabulary_is_said_by_an_operation(tmp_path: Path) -> None:
    made = build(tmp_path).app.operations
    assert made is not None
    facts = [definition.tool.facts for definition in made.tools.values()]
    assert set().union(*(each.permissions for each in facts)) == set(VOCABULARY.permissions)
    places = {(each.classification.domain, each.classification.subdomain) for each in facts if each.classification}
    assert places == {(domain, below) for domain, several in VOCABULARY.domains.items() for below in several}


async def test_the_agent_makes_a_casefile_when_its_model_asks_for_one(tmp_path: Path) -> None:
    parts = build(tmp_path / "home")
    model = Scripted([calls(("create_casefile", {"title": "Smith", "tags": ["tax"]})), "I made the casefile Smith."])
    runtime = Runtime(parts.app, model=model)
    result = await runtime.run("Make a casefile for Smith", by=principal())
    assert result.text == "I made the casefile Smith."
    assert "You keep casefiles" in model.requests[0].history[0]
    listed = await runtime.call_by_name("list_casefiles", Arguments("{}", {}), by=principal())
    assert [each["title"] for each in json.loads(listed.text)["casefiles"]] == ["Smith"]
    await parts.close()


async def test_what_changes_a_casefile_can_be_read_among_its_events(tmp_path: Path) -> None:
    parts = build(tmp_path)
    runtime = Runtime(parts.app)

    async def call(name: str, **arguments: object) -> dict[str, object]:
        said = Arguments(json.dumps(arguments), dict(arguments))
        return json.loads((await runtime.call_by_name(name, said, by=principal())).text)

    made = await call("create_casefile", title="Smith")
    await call("update_casefile", casefile_id=made["casefile_id"], notes="call on Monday")
    found = json.dumps(await call("list_events", casefile_id=made["casefile_id"]))
    assert found.count('"casefile_changed"') == 2
    await parts.close()


async def test_the_google_account_of_the_environment_is_used_however_the_application_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_GOOGLE_CREDENTIALS", str(tmp_path / "mine.json"))
    for account, is_used in ((None, True), (Account(), False)):
        parts = build(tmp_path, account=account)
        called = await Runtime(parts.app).call_by_name("gmail_list_messages", Arguments("{}", {}), by=principal())
        assert ("mine.json" in json.loads(called.text)["error"]) is is_used
        await parts.close()


async def test_without_a_google_account_its_tools_say_how_to_give_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REMIT_GOOGLE_CREDENTIALS", raising=False)
    parts = build(tmp_path)
    called = await Runtime(parts.app).call_by_name("gmail_list_messages", Arguments("{}", {}), by=principal())
    assert "REMIT_GOOGLE_CREDENTIALS" in json.loads(called.text)["error"]
    await parts.close()


@pytest.mark.parametrize("name", ["opnai:gpt-5", "gpt-5", "scripted:/nowhere.json"])
def test_a_chat_model_that_does_not_exist_is_refused_at_the_start(name: str) -> None:
    with pytest.raises(SetupError, match=f"REMIT_CASEFILE_MODELS names '{name}', which is not a model: ") as refused:
        read_chat_models({"REMIT_CASEFILE_MODELS": f"openai:gpt-5, {name}"})
    assert "\n" not in str(refused.value)
    assert read_chat_models({"REMIT_CASEFILE_MODELS": " openai:gpt-5,,"}) == ["openai:gpt-5"]
    assert read_chat_models({}) == []
