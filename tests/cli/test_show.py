"""`remit show`, `remit runs` and `remit tools`: what there is, and what was."""

from __future__ import annotations

import sqlite3
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from remit import Effect, tool
from remit.cli.tool_help import describe_tool
from remit.testing import calls
from tests.cli.kit import APP, Cli


@pytest.fixture
def run(cli: Cli) -> str:
    """A run with a nested call, a refused one, and one that a person allowed."""
    cli.script(
        calls(("restock", {"name": "rye"}), ("find", {"name": "unicorn"}), content="Let me see."),
        calls(("burn", {"name": "bread"})),
        "All done.",
    )
    cli("run", APP, "--ask", "tidy up", "--conversation", "c")
    cli("approvals", "approve", cli.questions()[0]["id"], "--reason", "it is stale", "--app", APP)
    return cli.runs()[0].run


def test_the_timeline_tells_offsets_calls_risks_durations_and_who_decided(cli: Cli, run: str) -> None:
    lines = [line.split() for line in cli("show", run, "--app", APP).out.splitlines()]
    said = [" ".join(line[2:]) for line in lines]
    assert all(line[0].startswith("+") for line in lines[1:-3])
    assert lines[1][2:4] == ["opened", "keeper"]
    assert any(line.startswith("assistant Let me see.") for line in said)
    assert "wants Restock: name rye (restock)" in said
    assert any(line.startswith("ok moderate Added in ") for line in said)
    assert any(line.startswith("error safe Could not find: name unicorn in ") and "NOT_FOUND" in line for line in said)
    assert any(line.startswith("attempt find, 1: error at ") and line.endswith(" in find") for line in said)
    assert any(line.startswith("question") and "Burn: name bread? burn is high-risk" in line for line in said)
    assert any(line.startswith("decision") and "approved by" in line and "it is stale" in line for line in said)
    assert any(line.startswith("started high burn, allowed by question") for line in said)
    assert said[-4].startswith("done after ")
    assert [" ".join(line) for line in lines[-2:]] == ["changed: Added", "changed: Burned: name bread"]


def test_calls_stand_below_the_call_that_made_them(cli: Cli, run: str) -> None:
    lines = cli("show", run, "--app", APP).out.splitlines()
    column = {
        said: next(line for line in lines if f" {said}" in line and " in " in line).index(said)
        for said in ("Asked the agent keeper", "Restocked", "Added")
    }
    assert column["Asked the agent keeper"] + 2 == column["Restocked"] == column["Added"] - 2


def test_an_application_that_is_gone_costs_only_the_risks(cli: Cli, run: str) -> None:
    done = cli("show", run)
    assert done.status == 0
    assert "moderate" not in done.out


def test_a_call_of_a_tool_that_has_changed_since_is_marked(cli: Cli, run: str) -> None:
    def marked(app: str) -> list[list[str]]:
        lines = cli("show", run, "--app", app).out.splitlines()
        return [line.split()[2:5] for line in lines if line.endswith(", changed since")]

    assert marked(APP) == []
    assert marked("tests.cli.shop:amended") == [["started", "high", "burn,"]]


def test_json_holds_every_item_in_order(cli: Cli, run: str) -> None:
    told = cli("show", run, "--json").json
    assert (told["run"], told["status"], told["application"], told["changedAt"]) == (run, "done", "shop", None)
    assert [item["seq"] for item in told["items"]] == list(range(len(told["items"])))
    assert (told["items"][0]["kind"], told["items"][-1]["kind"]) == ("opened", "finished")


def test_a_journal_that_was_changed_is_told(cli: Cli, run: str) -> None:
    with sqlite3.connect(cli.home / "journal.db") as journal:
        journal.execute("update remit_items set body = replace(body, 'stale', 'fresh') where kind = 'decision'")
    journal.close()
    done = cli("show", run, "--app", APP)
    assert done.status == 1
    assert f"of run {run} does not verify" in done.err


def test_a_run_under_way_is_shown_as_far_as_it_is(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})))
    cli("run", APP, "--ask", "burn it")
    done = cli("show", cli.runs()[0].run, "--app", APP)
    assert done.status == 0
    assert done.out.splitlines()[-3].split()[2] == "waiting"
    assert done.out.splitlines()[-1] == "nothing was changed"


def test_a_request_that_the_model_failed_is_told_with_its_error(cli: Cli) -> None:
    cli.script()
    cli("run", APP, "--ask", "hello")
    said = [" ".join(line.split()[2:]) for line in cli("show", cli.runs()[0].run, "--app", APP).out.splitlines()]
    assert any(line.startswith("failure MODEL_ERROR: the script has 0 answers") for line in said)


def test_a_call_without_arguments_is_told_without_a_colon(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HURRY", "1")
    cli("call", APP, "dawdle")
    opened = cli("show", cli.runs()[0].run, "--app", APP).out.splitlines()[1]
    assert "dawdle of shop, asked by " in opened
    assert not opened.endswith(":")


def test_runs_are_listed_newest_first(cli: Cli) -> None:
    for name in ("one", "two", "three"):
        cli("call", APP, "find", f'{{"name": "{name}"}}')
    listed = [row["run"] for row in cli("runs", "--json").json["runs"]]
    assert listed == [row.run for row in cli.runs()]
    lines = cli("runs", "--limit", "2").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == listed[:2]
    assert lines[1].split()[1:4] == ["done", "shop", "find"]


def test_a_listed_run_has_its_title_calls_and_cost_and_its_first_failure(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "rye"}), ("find", {"name": "unicorn"})), "done")
    cli("run", APP, "--ask", "Is there  rye?")
    (told,) = cli("runs", "--json").json["runs"]
    assert (told["title"], told["calls"], told["open_questions"]) == ("Is there rye?", 2, 0)
    assert (told["usage"]["requests"], told["failure"]["tool"], told["failure"]["code"]) == (2, "find", "NOT_FOUND")
    head, line = cli("runs").out.splitlines()
    assert head.split()[-4:] == ["calls", "tokens", "cost", "title"]
    assert " 2 " in line
    assert line.endswith("Is there rye?")


def test_runs_of_another_tenant_are_not_listed_and_the_user_is_told_which_tenant_is_theirs(cli: Cli) -> None:
    empty = cli("runs")
    assert (empty.out, empty.status) == ("", 0)
    assert "of the tenant local-site may see; those of a program have the tenant of its Principal" in empty.err
    assert cli("runs", "--json").json == {"runs": []}
    cli("call", APP, "find", '{"name": "rye"}')
    assert cli("runs").err == ""


def test_runs_of_one_conversation_are_found_by_it(cli: Cli) -> None:
    cli.script("hello", "hello again")
    cli("run", APP, "--ask", "hello", "--conversation", "c")
    cli("run", APP, "--ask", "hello", "--conversation", "d")
    assert [row["conversation"] for row in cli("runs", "--conversation", "c", "--json").json["runs"]] == ["c"]


def test_tools_are_listed_with_effect_risk_permissions_and_what_they_do(cli: Cli) -> None:
    lines = cli("tools", APP).out.splitlines()
    assert next(line for line in lines if line.startswith("burn")).split(maxsplit=4) == [
        "burn",
        "unsafe",
        "high",
        "shop:write",
        "Burn an article. It is gone for good.",
    ]


def test_tools_as_json_come_with_their_schemas(cli: Cli) -> None:
    told = cli("tools", APP, "--json").json
    remove = next(tool for tool in told["tools"] if tool["name"] == "remove")
    assert told["application"] == "shop"
    assert (remove["effect"], remove["risk"], remove["confirm"]) == ("keyed", "high", "confirmed")
    assert remove["parameters"]["properties"]["confirmed"] == {"default": False, "type": "boolean"}


def test_one_tool_is_shown_with_its_parameters_and_an_example_of_a_call(cli: Cli) -> None:
    assert cli("tools", APP, "add").out.splitlines() == [
        "add",
        "  Add an article.",
        "",
        "  risk         moderate",
        "  effect       keyed",
        "  permissions  shop:write",
        "",
        "Parameters:",
        "  name: text; required",
        "    what it is called.",
        "  price: whole number; required",
        "    in whole euros.",
        "",
        "Example:",
        f"""  remit call {APP} add '{{"name": "<name>", "price": 1}}'""",
    ]


def test_defaults_of_parameters_are_shown(cli: Cli) -> None:
    assert "  count: whole number; default 1\n" in cli("tools", "tests.cli.shop:orders", "order").out


def test_one_tool_as_json_has_its_schemas(cli: Cli) -> None:
    told = cli("tools", APP, "add", "--json").json
    assert (told["name"], sorted(told["parameters"]["properties"])) == ("add", ["name", "price"])


def test_an_agent_is_shown_as_what_can_be_called_too(cli: Cli) -> None:
    assert "Example:\n  remit call" in cli("tools", APP, "keeper").out


def test_a_tool_that_there_is_not_is_refused_with_similar_ones(cli: Cli) -> None:
    done = cli("tools", APP, "restok")
    assert (done.status, done.out) == (2, "")
    assert "has no tool 'restok'; similar: restock" in done.err


class Weight(BaseModel):
    """A weight."""

    value: float = Field(ge=0.5)
    unit: Literal["g", "kg"]


@tool(effect=Effect.PURE)
async def weigh(weights: list[Weight], exactly: bool, by: Weight | None = None, marks: list[str] | None = None) -> str:
    """Weigh articles."""
    return f"{weights}{exactly}{by}{marks}"


def test_objects_lists_choices_and_alternatives_are_described_and_exemplified() -> None:
    lines = describe_tool(weigh, "shop", "disabled").splitlines()
    assert "  state        disabled" in lines
    assert "  weights: list of object (value, unit); required" in lines
    assert "  exactly: true or false; required" in lines
    assert "  by: object (value, unit); optional" in lines
    assert "  marks: list of text; optional" in lines
    assert lines[-1] == ("""  remit call shop weigh '{"weights": [{"value": 0.5, "unit": "g"}], "exactly": true}'""")


def test_a_tool_without_parameters_is_called_with_nothing(cli: Cli) -> None:
    shown = cli("tools", APP, "dawdle").out
    assert "It takes no parameters." in shown
    assert shown.endswith(f"remit call {APP} dawdle '{{}}'\n")


def test_the_tools_of_the_cms_are_listed_without_opening_its_database(cli: Cli) -> None:
    assert "cms_createPage " in cli("tools", "cms").out
    assert not (cli.home / "cms.db").exists()
