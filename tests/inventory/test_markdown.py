"""The reference of an application, and the tables of what enforces what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from figures.notebook import NOTES, Env, Notebook, Notes, table
from remit import tool
from remit.inventory.markdown import enforcement_table, reference_page, templates_table
from remit.layers import CallLayer, CallService


def test_every_method_and_tool_is_in_it_as_code_and_inventory_say(tmp_path: Path) -> None:
    going = NOTES.replace("{required_permissions: [notes:read]}", '{deprecated_since: "0.9"}', 1)
    text = reference_page("notebook", Notebook(tmp_path).write(going).operations())
    assert text.startswith("# notebook: methods and tools\n\n## Methods\n\n### `office.notes.count_notes`\n")
    assert "Takes `CreateNoteRequest`, gives `CreateNoteResponse`." in text
    assert "| `title` | string | required | characters ≥ 1, characters ≤ 80 | What it is called. |" in text
    assert "Of the method `office.notes.create_note`; `tags` is fixed, `text` is hidden, `secret` is hidden." in text
    assert "| classification | office · weather · read · atomic · beta · external |" in text
    assert "| deprecated since | 0.9 |" in text
    assert "| entities of the result | note |" in text
    head = "| layer, outermost first | configuration |\n| --- | --- |\n| `AuthenticationGate` | none |\n"
    assert f"{head}| `Retry` | `attempts = 3`<br>`base_delay = 0.5`<br>`max_delay = 10.0`<br>`on = []` |\n" in text


def test_defaults_bounds_and_what_is_declared_stand_in_it(tmp_path: Path) -> None:
    internal = NOTES.replace("template: authenticated_access,", "visibility: internal,", 1)
    text = reference_page("notebook", Notebook(tmp_path).write(internal).operations())
    assert '| `text` | string | `""` |  |  |' in text
    assert "| `tags` | array of string | none |  |  |" in text
    assert '| `business_rules.visibility` | `"internal"` |' in text
    assert '| `business_rules.required_permissions` | `["notes:write"]` |' in text


def test_bounds_within_an_alternative_are_those_of_the_parameter(tmp_path: Path) -> None:
    @tool
    async def wait(seconds: Annotated[int, Field(ge=1, lt=9)] | None = None) -> str:
        """Wait."""
        return "waited"

    operations = Notebook(tmp_path).write().operations()
    operations.tools = {"wait": replace(operations.tools["count_notes"], tool=wait, policies={})}
    tools = reference_page("notebook", operations).partition("## Tools")[2]
    assert "| `seconds` | integer \\| null | `null` | ≥ 1, < 9 |  |" in tools
    assert "| declared |" not in tools


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Once()", "| `Once` | none |"),
        ("Keep(fields=('a|b', 'c'), most=None)", '| `Keep` | `fields = ["a\\|b","c"]`<br>`most = null` |'),
        ("Keep(level=editor)", '| `Keep` | `level = "editor"` |'),
        ("Keep(policy=Rule(most=1))", "| `Keep` | `policy = Rule(most=1)` |"),
        ("Keep(<object at 0x1>)", "| `Keep(<object at 0x1>)` | none |"),
        ("Keep('title')", "| `Keep('title')` | none |"),
    ],
)
def test_a_layer_is_told_as_it_prints_itself(tmp_path: Path, printed: str, said: str) -> None:
    class Printed(CallLayer):
        """Prints itself so."""

        def __call__(self, inner: CallService, /) -> CallService:
            """Pass through."""
            return inner

        def __repr__(self) -> str:
            return printed

    operations = Notebook(tmp_path).write().operations().with_tools(lambda tool: tool.layer(Printed()))
    assert said in reference_page("notebook", operations).splitlines()


def test_an_application_whose_tools_are_all_in_code_has_no_methods(tmp_path: Path) -> None:
    @tool(effect="pure")
    async def count() -> int:
        """Count."""
        return 0

    (tmp_path / "notes.yaml").write_text("domain: office\nsubdomain: notes\n", encoding="utf-8")
    text = reference_page("notebook", Notebook(tmp_path).operations(count))
    assert "## Methods" not in text
    assert "### `count`" in text


def test_a_tool_without_gates_has_its_layers_in_the_reference(tmp_path: Path) -> None:
    public = NOTES.replace("required_permissions: [notes:read]", "requires_auth: false")
    text = reference_page("notebook", Notebook(tmp_path).write(public).operations())
    assert "| --- | --- |\n| `Retry` |" in text


def test_the_tables_name_every_field_and_every_template() -> None:
    sections = table(Env(), Notes())
    rows = list(enforcement_table(sections))
    effect = "false refuses every call, and hides the tool"
    assert f"| `business_rules.enabled` | `true` | `EnabledGate` | the tool | {effect} |" in rows
    assert (
        "| `business_rules.timeout_seconds` | none | `Timeout` | the tool | an attempt that takes longer is cancelled |"
        in rows
    )
    assert any("| `Authorize` | every call |" in row for row in rows)
    assert "| `business_rules` | `public_access` | requires_auth: False, timeout_seconds: 10 |" in list(
        templates_table(sections)
    )
