"""What an application offers and runs is compared with its inventory, at its start and by the check."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import BaseModel

from figures.governed import TAMPERINGS, findings_of
from figures.notebook import Notebook
from remit import App, Ask, LeafContext, Runtime, Stack, Tool, When, preset, tool
from remit.errors import ContractError, SetupError
from remit.inventory import InventoryError, Operations, build_lock
from remit.inventory.running import compare_application
from remit.pipeline import Given, Pipeline, Step
from remit.policies import HighRisk, Policy


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampering_is_noticed_at_the_start_and_by_the_check(name: str) -> None:
    tamper, code = TAMPERINGS[name]
    assert [code in found for found in findings_of(tamper)] == [True, True]


def test_an_untouched_application_starts_and_has_no_findings() -> None:
    assert findings_of(lambda _world: None) == (set(), set())


def test_the_refusal_names_the_first_finding_and_how_to_fix_it(notebook: Notebook) -> None:
    app = notebook.app()
    bare = [each.with_layers(Stack()) for each in app.tools if isinstance(each, Tool)]
    with pytest.raises(InventoryError, match=r"without layers.*offer the tool of Operations.*4 more; remit check"):
        Runtime(App(name="notebook", tools=bare, env=notebook.env, operations=app.operations))


def test_egress_needs_a_policy_that_covers_it(notebook: Notebook) -> None:
    operations = notebook.operations()
    layers = preset(notebook.env, policy=Policy.only(HighRisk()))
    (found,) = compare_application(operations, operations.callees, layers)
    assert found.what == "weather sends data out of the system, but no layer around its calls enforces it"


def test_a_rule_for_other_tools_does_not_cover_egress(notebook: Notebook) -> None:
    operations = notebook.operations()
    findings = {
        name: [
            each.code
            for each in compare_application(
                operations, operations.callees, preset(notebook.env, policy=Policy.only(HighRisk(), asks_about(name)))
            )
        ]
        for name in ("weather", "read_note")
    }
    assert findings == {"weather": [], "read_note": ["unenforced"]}


def test_a_rule_that_names_no_tool_is_found_at_the_start_and_by_the_check(notebook: Notebook) -> None:
    app = notebook.app()
    operations = app.operations
    assert operations is not None
    layers = preset(notebook.env, policy=Policy(asks_about("wether")))
    (found,) = compare_application(operations, operations.callees, layers)
    assert (found.code, found.what) == (
        "unknown-name",
        "the rule 'asks': there is no tool or agent 'wether'; did you mean weather?",
    )
    with pytest.raises(SetupError, match=r"^the rule 'asks': there is no tool or agent 'wether'"):
        Runtime(replace(app, policy=Policy(asks_about("wether"))))


def asks_about(name: str) -> When:
    return When("asks", tools=[name], verdict=Ask(reason="look first"))


@tool(effect="keyed")
async def archive(ctx: LeafContext, number: int) -> int:
    """Archive a note."""
    return number


def test_a_tool_whose_facts_are_in_code_is_offered_locked_and_checked_if_operations_has_it(notebook: Notebook) -> None:
    known = notebook.operations()
    operations = Operations(known.inventory, [archive], parts=[known])
    assert list(build_lock(operations).tools)[-1] == "archive"
    assert operations.find_tool("archive") is archive
    assert list(compare_application(operations, operations.callees, preset(notebook.env))) == []
    joined = Operations(known.inventory, (), parts=[operations])
    assert joined.find_tool("archive") is archive


class Numbers(BaseModel):
    number: int


def test_a_pipeline_needs_no_entry_because_it_acts_by_calls_of_tools(notebook: Notebook) -> None:
    operations = notebook.operations()
    step = Step(name="one", callee=archive, takes={"number": Given("number")})
    offered = [*operations.callees, Pipeline("all", Numbers, [step], description="Archive.")]
    assert list(compare_application(operations, offered, preset(notebook.env))) == []


def test_a_tool_in_code_does_not_take_the_name_of_an_entry(notebook: Notebook) -> None:
    known = notebook.operations()
    with pytest.raises(InventoryError, match="the tool count_notes is already defined at"):
        Operations(known.inventory, [archive.with_name("count_notes")], parts=[known])


def test_a_replacement_keeps_function_facts_and_layers(notebook: Notebook) -> None:
    operations = notebook.operations()
    with pytest.raises(ContractError, match="with_tools got another tool for create_note"):
        operations.with_tools(lambda each: each.with_layers(Stack()))
    with pytest.raises(ContractError, match="with_tools got another tool for create_note"):
        operations.with_tools(lambda each: archive.with_name(each.name) if each.name == "create_note" else each)
