"""`remit check`, `remit lock` and `remit docs`: what they print, and how they end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from figures.notebook import NOTES, Notebook
from remit import Agent, App, Ask, Block, Policy, When
from remit.layers import Approve
from tests.cli.kit import Cli

HERE = "tests.cli.test_check"
notebook = Notebook(Path())


def app() -> App:
    """The application, as its inventory says it now."""
    return notebook.app()


bare = App(name="bare")
broken = App(name="broken", agents=[Agent("a", instructions="x", handoffs=["nobody"])])
misnamed = App(name="misnamed", policy=Policy(When("refunds", tools="refnd", verdict=Block(reason="never"))))


def misruled() -> App:
    """The application with a policy for a tool that it does not have."""
    return replace(notebook.app(), policy=misnamed.policy)


def plain() -> App:
    """The same without layers of its own."""
    made = notebook.app()
    return App(name="plain", tools=made.tools, env=notebook.env, operations=made.operations)


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path) -> None:
    notebook.folder = tmp_path / "inventory"
    notebook.write()


def test_an_application_that_was_agreed_to_holds(cli: Cli) -> None:
    locked = cli("lock", f"{HERE}:app")
    assert (locked.status, "4 methods, 5 tools" in locked.out) == (0, True)
    for name in ("app", "plain"):
        done = cli("check", f"{HERE}:{name}")
        assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[1].split()[:3] == ["references", "4", "0"]
    assert "\nentity note, in results of: create_note, quick_note, read_note" in done.out
    assert json.loads(cli("check", f"{HERE}:app", "--json").out)["entities"] == {
        "note": ["create_note", "quick_note", "read_note"]
    }


def test_a_change_is_shown_with_its_step_and_agreed_to_by_locking(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    notebook.write(NOTES.replace("effect: keyed", "effect: keyed\n    risk: high"))
    done = cli("check", f"{HERE}:app")
    assert done.status == 1
    assert (
        "raised-risk: method office.notes.create_note: its risk was safe, and is high (needs a MAJOR version)"
        in done.out
    )
    locked = cli("lock", f"{HERE}:app")
    assert "major   method office.notes.create_note: its risk was safe, and is high" in locked.out
    assert locked.out.endswith("the next version is a MAJOR one\n")
    assert cli("check", f"{HERE}:app").status == 0


def test_an_inventory_that_cannot_be_read_is_reported_too(cli: Cli) -> None:
    notebook.write(NOTES.replace("[notes:write]", "[notes:wirte]"))
    done = cli("check", f"{HERE}:app", "--json")
    assert done.status == 1
    told = json.loads(done.out)
    (found,) = [finding for point in told["points"] for finding in point["findings"]]
    assert (told["holds"], found["code"], found["mend"]) == (False, "unknown-permission", "did you mean notes:write?")
    assert found["where"].endswith("notes.yaml:8")


def test_without_a_lock_the_check_says_how_to_write_one(cli: Cli) -> None:
    done = cli("check", f"{HERE}:app")
    assert (
        done.status,
        f"no-lock: there is no lock\n    write it and commit it: remit lock {HERE}:app" in done.out,
    ) == (
        1,
        True,
    )


def test_a_lock_that_a_merge_left_in_conflict_is_written_again_by_locking(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    file = notebook.folder / "inventory.lock"
    file.write_text("<<<<<<< HEAD\n" + file.read_text(), encoding="utf-8")
    done = cli("check", f"{HERE}:app")
    assert "the lock cannot be read: it contains an unresolved merge conflict\n    take it from version" in done.out
    refused = cli("lock", f"{HERE}:app")
    assert (refused.status, "changes since then are unknown" in refused.out) == (1, True)
    assert cli("lock", f"{HERE}:app", "--loosen", "resolved a merge").status == 0
    assert "resolved a merge" in file.read_text(encoding="utf-8")
    assert cli("check", f"{HERE}:app").status == 0


def test_a_lock_that_was_edited_to_hide_a_loosening_is_accepted_by_name_only(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    file = notebook.folder / "inventory.lock"
    notebook.write(NOTES.replace("[notes:write]", "[]"))
    file.write_text(file.read_text(encoding="utf-8").replace('"notes:write"', ""), encoding="utf-8")
    refused = cli("lock", f"{HERE}:app")
    assert (refused.status, "the lock was edited by hand" in refused.out) == (1, True)
    assert cli("lock", f"{HERE}:app", "--loosen", "notes are free").status == 0


def test_tools_that_not_everybody_can_call_are_listed_with_their_state(cli: Cli) -> None:
    notebook.write(
        NOTES.replace("quick_note:\n", "quick_note:\n        business_rules: {visibility: internal}\n")
        .replace("read_note: {}", "read_note: {business_rules: {enabled: false}}")
        .replace("{tags: [note, create]}", '{tags: [note, create], business_rules: {removal_version: "1.0"}}')
        .replace(
            "    effect: pure\n    business_rules: {required_permissions: [notes:read]}\n    tools",
            "    effect: pure\n    tools",
        )
        .replace("{required_permissions: [notes:read]}", '{deprecated_since: "0.9"}')
    )
    told = cli("tools", f"{HERE}:app", "--json").json
    assert {tool["name"]: tool["state"] for tool in told["tools"]} == {
        "count_notes": "deprecated",
        "create_note": "removed",
        "quick_note": "internal",
        "read_note": "disabled",
        "weather": "",
    }
    lines = cli("tools", f"{HERE}:app").out.splitlines()
    assert "disabled" in next(line for line in lines if line.startswith("read_note"))


def test_an_application_without_an_inventory_is_checked_as_far_as_it_starts(cli: Cli) -> None:
    done = cli("check", f"{HERE}:bare")
    assert (done.status, "no other point is checked" in done.out) == (0, True)
    broken = cli("check", f"{HERE}:broken", "--json").json
    (point,) = broken["points"]
    assert (broken["holds"], point["point"]) == (False, "running")
    assert "nobody" in point["findings"][0]["what"]


@pytest.mark.parametrize("name", ["misnamed", "misruled"])
def test_a_rule_that_names_no_tool_is_a_finding_with_and_without_an_inventory(cli: Cli, name: str) -> None:
    done = cli("check", f"{HERE}:{name}")
    assert done.status == 1
    assert "the rule 'refunds': there is no tool or agent 'refnd'; " in done.out


@pytest.mark.parametrize("command", ["lock", "docs"])
def test_an_application_without_an_inventory_is_a_mistake_of_usage(cli: Cli, command: str) -> None:
    done = cli(command, f"{HERE}:bare")
    assert done.status == 2
    assert "the application 'bare' has no inventory" in done.err


def test_the_reference_is_printed_as_markdown(cli: Cli) -> None:
    done = cli("docs", f"{HERE}:app")
    assert (done.status, done.out.splitlines()[0]) == (0, "# notebook: methods and tools")


def test_a_loosening_is_locked_with_a_reason_only_and_the_lock_keeps_it(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    lock_file = notebook.folder / "inventory.lock"
    before = lock_file.read_text(encoding="utf-8")
    notebook.write(NOTES.replace("[notes:write]", "[]"))
    found = cli("check", f"{HERE}:app")
    assert 'accept it by name: remit lock tests.cli.test_check:app --loosen "the reason"' in found.out
    refused = cli("lock", f"{HERE}:app")
    assert (refused.status, lock_file.read_text(encoding="utf-8")) == (1, before)
    assert "it no longer needs notes:write (looser)" in refused.out
    assert "not written, because governance would be loosened" in refused.out
    assert cli("lock", f"{HERE}:app", "--loosen", "anyone may write").status == 0
    kept = json.loads(lock_file.read_text(encoding="utf-8"))["loosened"]
    assert [(each["reason"], len(each["changes"])) for each in kept] == [("anyone may write", 1)]
    assert cli("check", f"{HERE}:app").status == 0
    notebook.write()
    assert cli("lock", f"{HERE}:app").status == 0, "tightening needs no reason"
    assert json.loads(lock_file.read_text(encoding="utf-8"))["loosened"] == kept


def roles(**permissions: str) -> str:
    """A config.toml with these roles, each with the permissions in one text."""
    return "".join(f"[roles.{role}]\npermissions = {json.dumps(each.split())}\n" for role, each in permissions.items())


def notes(cli: Cli, config: str, app: str = "app") -> list[tuple[str, str, str]]:
    """What a check of the locked application notes about the roles: code, what, and how to mend it."""
    (cli.home / "config.toml").write_text(config, encoding="utf-8")
    told = cli("check", f"{HERE}:{app}", "--json")
    assert (told.status, told.json["holds"]) == (0, True)
    return [(note["code"], note["what"], note["mend"]) for note in told.json["notes"]]


def test_a_role_with_a_misspelt_permission_is_noted_and_does_not_fail_the_check(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    file = cli.home / "config.toml"
    found = notes(cli, roles(reader="notes:read weather:read", writer="notes:wirte shop:buy approvals:decide"))
    add = "add it to a role, or correct the name"
    assert found == [
        ("ungranted-permission", f"no role in {file} grants notes:write, which create_note requires (and 1 more)", add),
        (
            "unneeded-permission",
            "the role writer grants notes:wirte, which no tool or method requires",
            "did you mean notes:write?",
        ),
    ]
    done = cli("check", f"{HERE}:app")
    assert (done.status, done.err) == (0, "")
    assert f"\nnote: {file}: unneeded-permission: the role writer grants notes:wirte" in done.out
    line = NOTES.splitlines().index("      create_note: {tags: [note, create]}") + 1
    assert f"note: {notebook.folder / 'notes.yaml'}:{line}: ungranted-permission: " in done.out


def signed() -> App:
    """The application with a rule whose questions the person with ``legal:sign`` decides."""
    ask = Ask(reason="it is a contract", who="legal:sign")
    rule = When("contracts", tools="create_note", verdict=ask)
    limited = Approve(notebook.env, policy=Policy.only(rule)).where(tools="create_note")
    return replace(notebook.app(), layers=[limited])


def test_a_permission_of_who_decides_that_no_role_grants_is_noted(cli: Cli) -> None:
    cli("lock", f"{HERE}:signed")
    found = notes(cli, roles(owner="notes:* weather:* legal:sgin"), app="signed")
    assert [(code, what.partition(" grants ")[2]) for code, what, _ in found] == [
        ("ungranted-permission", "legal:sign, which the rule 'contracts' requires"),
        ("unneeded-permission", "legal:sgin, which no tool or method requires"),
    ]
    assert notes(cli, roles(owner="notes:* weather:* legal:sign"), app="signed") == []


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(roles(owner="*"), id="everything"),
        pytest.param(roles(writer="notes:*", weather="weather:*"), id="areas"),
        pytest.param(roles(one="notes:read", two="notes:write weather:read shop:sell"), id="several roles"),
    ],
)
def test_roles_that_grant_what_is_required_are_not_noted(cli: Cli, config: str) -> None:
    cli("lock", f"{HERE}:app")
    assert notes(cli, config) == []


def test_a_method_without_a_tool_and_an_experimental_tool_require_their_permissions_too(cli: Cli) -> None:
    changed = NOTES.replace("[notes:read]", "[]", 1) + "    without_tool: counted by others\n    tools: {}\n"
    notebook.write(changed.replace("read_note: {}", "read_note: {business_rules: {visibility: experimental}}"))
    cli("lock", f"{HERE}:app")
    found = notes(cli, roles(user="notes:write weather:read"))
    assert [what.partition(" grants ")[2] for _, what, _ in found] == [
        "notes:read, which office.notes.count_notes requires",
        "tools:experiment, which read_note requires",
    ]
    assert notes(cli, roles(user="notes:* weather:read tools:experiment runs:read")) == []


def test_a_config_that_cannot_be_read_is_noted_and_the_rest_is_checked(cli: Cli) -> None:
    cli("lock", f"{HERE}:app")
    ((code, what, _),) = notes(cli, '[roles.writer]\npermissions = ["write notes"]\n')
    assert (code, "'write notes' is not a permission" in what) == ("roles-unreadable", True)


@pytest.mark.parametrize("folder", [".", "new"], ids=["no file", "no folder"])
def test_a_check_without_a_config_notes_nothing_and_creates_none(
    cli: Cli, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_HOME", str(cli.home / folder))
    cli("lock", f"{HERE}:app")
    before = sorted(cli.home.iterdir())
    told = cli("check", f"{HERE}:app", "--json")
    assert (told.status, told.json["notes"], sorted(cli.home.iterdir())) == (0, [], before)
