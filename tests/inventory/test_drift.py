"""Drift between code, inventory and lock, by the points of the checklist; each change with the step it needs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from figures.drift import PLANTS, findings_after
from figures.notebook import NOTES, WEATHER, Notebook
from remit import tool
from remit.core import Stack
from remit.inventory.drift import CHECKLIST, report_load_errors, run_checklist
from remit.inventory.lock import Lock, build_lock, lock_path, read_lock
from remit.inventory.lock_diff import diff_lock
from remit.inventory.operations import Operations
from remit.layers import Validate
from remit.schemas.finding import Finding, GovernanceChange, InventoryError, VersionBump, locate_field
from tests.inventory.drifting import OtherWeather, agree, look


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_drift_is_found(name: str) -> None:
    plant, code = PLANTS[name]
    assert code in [finding.code for finding in findings_after(plant)]


def test_where_nothing_was_planted_nothing_is_found() -> None:
    assert findings_after(lambda _notebook: ()) == []


def test_every_point_looks_at_something(notebook: Notebook) -> None:
    operations = agree(notebook)
    layers = notebook.app().build_layers()
    points = run_checklist(operations, operations.callees, layers)
    assert [point.name for point in points] == list(CHECKLIST)
    assert all(point.checked_count > 0 for point in points)


def test_what_was_refused_stands_under_its_point() -> None:
    kinds = ("missing-model", "repeated", "unknown-key", "not-in-inventory")
    error = InventoryError([Finding(code=code, where="f:1", what="", fix="") for code in kinds])
    found = {
        point.name: [each.code for each in point.findings] for point in report_load_errors(error) if point.findings
    }
    assert found == {
        "references": ["missing-model"],
        "inheritance": ["repeated"],
        "schema": ["unknown-key"],
        "drift": ["not-in-inventory"],
    }


@pytest.mark.parametrize(
    ("old", "new", "code", "step"),
    [
        ("effect: keyed", "effect: keyed\n    risk: moderate", "raised-risk", VersionBump.MAJOR),
        ("effect: keyed", "effect: unsafe", "changed-effect", VersionBump.MAJOR),
        ("[notes:write]", "[notes:write, notes:read]", "changed-permissions", VersionBump.MAJOR),
        ("[notes:write]", "[]", "changed-permissions", VersionBump.MINOR),
        ("template: authenticated_access,", "visibility: internal,", "changed-visibility", VersionBump.MAJOR),
        ("template: authenticated_access,", "timeout_seconds: 5,", "changed-business_rules", VersionBump.MAJOR),
        (
            "audit_events: {template: standard, log_response_fields: [number, secret]}\n",
            "\n",
            "changed-audit_events",
            VersionBump.MINOR,
        ),
        ("{capability: create}", "{capability: create, maturity: beta}", "changed-classification", VersionBump.MINOR),
        ("tags: [note, create]", "tags: [note]", "changed-tags", VersionBump.MINOR),
        ("fix: {tags: [quick]}", "fix: {tags: [slow]}", "changed-fixed", VersionBump.MINOR),
        ("Write down a title and nothing else.", "Jot a title down.", "text", VersionBump.PATCH),
        ("      create_note: {tags: [note, create]}\n", "", "removed", VersionBump.MAJOR),
        ("      create_note: {tags", "      more: {}\n      create_note: {tags", "added", VersionBump.MINOR),
        ("hide: [text, secret]", "hide: [text]", "added-parameter", VersionBump.MINOR),
        ("hide: [text, secret]", "hide: []", "added-parameter", VersionBump.MINOR),
    ],
)
def test_a_change_since_the_lock_is_named_with_its_step(
    notebook: Notebook, old: str, new: str, code: str, step: VersionBump
) -> None:
    agree(notebook)
    assert old in NOTES
    notebook.write(NOTES.replace(old, new, 1))
    found = look(notebook, notebook.operations())
    assert (code, step) in [(each.code, each.bump) for each in found]


def test_a_risk_that_was_lowered_breaks_nobody(notebook: Notebook) -> None:
    notebook.write(NOTES.replace("effect: keyed", "effect: keyed\n    risk: high"))
    agree(notebook)
    notebook.write()
    assert {(each.code, each.bump) for each in look(notebook, notebook.operations())} == {
        ("lowered-risk", VersionBump.MINOR)
    }


def altered(notebook: Notebook, **changed: Any) -> list[tuple[str, VersionBump, str]]:
    """The codes, bumps and texts of `altered_findings`."""
    return [(each.code, each.bump, each.what) for each in altered_findings(notebook, **changed)]


def altered_findings(notebook: Notebook, **changed: Any) -> list[Finding]:
    """What is found after the lock of the method create_note, its digests true, said ``changed``."""
    operations = agree(notebook)
    lock = build_lock(operations)
    key = "office.notes.create_note"
    said = lock.methods[key].model_copy(update=changed)
    contract, governance = said.compute_digests()
    methods = {**lock.methods, key: said.model_copy(update={"contract": contract, "governance": governance})}
    before = Lock(methods=methods, tools=lock.tools)
    return list(diff_lock(before, operations))


TEXT = {"type": "string"}
NOW = {
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "text": TEXT,
    "tags": {"type": "array", "items": TEXT},
    "secret": TEXT,
}
OPTIONAL = {"text": "", "secret": ""}


@pytest.mark.parametrize(
    ("changed", "code", "step"),
    [
        ({"parameters": {**NOW, "old": TEXT}}, "removed-parameter", VersionBump.MAJOR),
        ({"parameters": {key: NOW[key] for key in ("title", "tags", "secret")}}, "added-parameter", VersionBump.MINOR),
        ({"parameters": {key: NOW[key] for key in ("text", "tags", "secret")}}, "added-parameter", VersionBump.MAJOR),
        ({"parameters": {**NOW, "title": {**NOW["title"], "maxLength": 20}}}, "changed-type", VersionBump.MINOR),
        ({"parameters": {**NOW, "title": TEXT}}, "changed-type", VersionBump.MAJOR),
        ({"required": []}, "changed-required", VersionBump.MAJOR),
        ({"required": ["tags", "title"]}, "changed-required", VersionBump.MINOR),
        ({"defaults": {"text": "x", "secret": ""}}, "changed-default", VersionBump.MAJOR),
        ({"result": {"type": "object"}}, "changed-result", VersionBump.MINOR),
        ({"result": {"type": "string"}}, "changed-result", VersionBump.MAJOR),
        ({"text": "other"}, "text", VersionBump.PATCH),
    ],
)
def test_a_change_of_the_contract_is_named_with_its_step(
    notebook: Notebook, changed: dict[str, Any], code: str, step: VersionBump
) -> None:
    assert (code, step) in [each[:2] for each in altered(notebook, **changed)]


@pytest.mark.parametrize(
    ("was", "direction"),
    [
        ({**NOW["title"], "maxLength": 20}, GovernanceChange.LOOSER),
        ({**NOW["title"], "minLength": 2}, GovernanceChange.LOOSER),
        ({**NOW["title"], "pattern": "^a"}, GovernanceChange.LOOSER),
        ({"enum": ["a", "b"]}, GovernanceChange.LOOSER),
        (TEXT, GovernanceChange.TIGHTER),
        ({"type": "string", "minLength": 1, "maxLength": 200}, GovernanceChange.TIGHTER),
    ],
)
def test_a_parameter_that_takes_what_it_refused_before_is_looser(
    notebook: Notebook, was: dict[str, Any], direction: GovernanceChange
) -> None:
    """A bound, a pattern and an enum limit what a call may do, as a validator does."""
    found = altered_findings(notebook, parameters={**NOW, "title": was})
    assert {each.governance for each in found if each.code == "changed-type"} == {direction}


def test_a_lock_that_says_what_is_said_today_has_no_change(notebook: Notebook) -> None:
    assert altered(notebook) == []


def test_what_has_changed_in_a_method_is_not_said_again_of_its_tools(notebook: Notebook) -> None:
    agree(notebook)
    notebook.write(NOTES.replace("effect: keyed", "effect: keyed\n    risk: high"))
    assert [each.what.split(":")[0] for each in look(notebook, notebook.operations())] == [
        "method office.notes.create_note"
    ]


def test_a_method_that_is_gone_is_found_at_the_lock(notebook: Notebook) -> None:
    agree(notebook)
    notebook.write(NOTES, "domain: office\nsubdomain: weather\n")
    (notebook.folder / "weather.yaml").write_text("domain: office\nsubdomain: weather\n", encoding="utf-8")
    found = look(notebook, notebook.operations(notebook.notes))
    assert {(each.code, each.where.rpartition("/")[2]) for each in found} == {("removed", "inventory.lock:1")}


def test_without_a_lock_that_is_what_is_found(notebook: Notebook) -> None:
    assert [each.code for each in look(notebook, notebook.operations())] == ["no-lock"]


@pytest.mark.parametrize("text", ["{", '{"format": 2, "methods": {}, "tools": {}}', "[]"])
def test_a_file_that_is_no_lock_is_found(notebook: Notebook, text: str) -> None:
    operations = agree(notebook)
    lock_path(operations).write_text(text, encoding="utf-8")
    assert [each.code for each in look(notebook, operations)] == ["lock"]


def test_the_lock_reads_back_as_it_was_written(notebook: Notebook) -> None:
    operations = agree(notebook)
    assert read_lock(lock_path(operations)) == build_lock(operations)
    assert json.loads(lock_path(operations).read_text())["format"] == 1


def test_a_tool_that_the_application_does_not_offer_is_an_orphan(notebook: Notebook) -> None:
    operations = agree(notebook)
    layers = notebook.app().build_layers()
    (point,) = [
        each for each in run_checklist(operations, [operations.find_tool("create_note")], layers) if each.findings
    ]
    assert (point.name, {each.code for each in point.findings}, len(point.findings)) == ("drift", {"orphan"}, 4)


def test_permissions_that_no_layer_asks_for_are_found(notebook: Notebook) -> None:
    operations = agree(notebook)
    (point,) = [each for each in run_checklist(operations, operations.callees, Stack(Validate())) if each.findings]
    assert {each.code for each in point.findings} == {"unenforced"}
    assert "create_note declares business_rules.required_permissions" in point.findings[0].what


def test_a_method_may_say_why_it_has_no_tool_but_not_beside_one(notebook: Notebook) -> None:
    said = NOTES.replace("    tools:\n      read_note: {}\n", "    without_tool: for other methods only\n")
    agree(notebook.write(said))
    assert look(notebook, notebook.operations()) == []
    agree(notebook.write(NOTES.replace("    effect: keyed", "    without_tool: none\n    effect: keyed")))
    assert [each.code for each in look(notebook, notebook.operations())] == ["no-tool"]


def test_an_operation_that_is_of_a_foreign_api_alone_has_no_envelopes_of_the_application(notebook: Notebook) -> None:
    external = "{capability: create, integration_tier: external}"
    agree(notebook.write(NOTES.replace("{capability: create}", external)))
    (found,) = look(notebook, notebook.operations())
    assert (found.code, "its signature has envelopes" in found.what) == ("tier", True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "{capability: read}\n    effect: pure",
            "{capability: update}\n    effect: pure",
            "update and the effect pure",
        ),
        (
            "{capability: read}\n    effect: pure",
            "{capability: search}\n    effect: keyed",
            "search and the effect keyed",
        ),
        ("effect: keyed", "effect: composed", "is atomic, but its effect is composed"),
    ],
)
def test_a_classification_that_contradicts_the_effect_is_found(
    notebook: Notebook, old: str, new: str, said: str
) -> None:
    agree(notebook.write(NOTES.replace(old, new, 1)))
    (found,) = look(notebook, notebook.operations())
    assert (found.code, said in found.what) == ("classification", True)


def test_a_tool_in_code_is_checked_with_the_others(notebook: Notebook) -> None:
    @tool(effect="pure")
    async def tidy() -> int:
        """Tidy the notes."""
        return 0

    known = agree(notebook)
    operations = Operations(known.inventory, [tidy], parts=[known])
    assert [(each.code, each.what) for each in look(notebook, operations)] == [("added", "tool tidy: is new")]


POLICY = "template: authenticated_access,"
READS = "    effect: pure\n    business_rules: {required_permissions: [notes:read]}\n"
SESSION = "    session_policies: session_required\n"


@pytest.mark.parametrize(
    ("old", "new", "said", "step"),
    [
        (POLICY, "enabled: false,", "business_rules.enabled true → false", VersionBump.MAJOR),
        (POLICY, "", "business_rules.timeout_seconds 30 → none", VersionBump.MINOR),
        (POLICY, "timeout_seconds: 1,", "business_rules.timeout_seconds 30 → 1", VersionBump.MAJOR),
        (POLICY, 'removal_version: "2.0",', "business_rules.removal_version none → 2.0", VersionBump.MAJOR),
        (
            "session_policies: session_required",
            "session_policies: session_creation",
            "session_policies.requires_active_session true → false",
            VersionBump.MINOR,
        ),
        (SESSION, "", "session_policies is no longer declared", VersionBump.MINOR),
        (SESSION, f"{SESSION}    notebook_policies: {{}}\n", "notebook_policies is now declared", VersionBump.MINOR),
        (
            f"{READS}    tools:",
            f"{READS}{SESSION}    tools:",
            "session_policies.requires_active_session none → true",
            VersionBump.MAJOR,
        ),
        ("effect: keyed", "effect: keyed\n    egress: true", "it now sends data out of the system", VersionBump.MAJOR),
        ("effect: keyed", "effect: keyed\n    trusted: true", "trusted false → true", VersionBump.MINOR),
    ],
)
def test_a_change_of_policy_names_its_field_and_what_is_stricter_breaks_callers(
    notebook: Notebook, old: str, new: str, said: str, step: VersionBump
) -> None:
    agree(notebook)
    assert old in NOTES
    notebook.write(NOTES.replace(old, new, 1))
    found = [(each.what.partition(": ")[2], each.bump) for each in look(notebook, notebook.operations())]
    assert (said, step) in found, found


def test_data_that_is_not_sent_out_any_more_breaks_nobody(notebook: Notebook) -> None:
    agree(notebook)
    notebook.write(NOTES, WEATHER.replace("egress: true", "egress: false"))
    found = [(each.what, each.bump) for each in look(notebook, notebook.operations())]
    key = "method office.weather.forecast"
    assert found == [(f"{key}: it no longer sends data out of the system", VersionBump.MINOR)]


def test_a_change_of_a_parameter_says_where_it_is_written(notebook: Notebook) -> None:
    said = altered(notebook, defaults={"text": "x", "secret": ""})
    what = next(each[2] for each in said if each[0] == "changed-default")
    place = re.search(r"\((figures/notebook\.py):([0-9]+)\)$", what)
    assert place is not None
    assert Path(place[1]).read_text().splitlines()[int(place[2]) - 1] == '    text: str = ""'


def test_a_change_of_a_parameter_of_a_plain_method_names_the_method(notebook: Notebook) -> None:
    agree(notebook)
    found = look(notebook, notebook.operations(notebook.notes, OtherWeather()))
    what = next(each.what for each in found if each.code == "changed-type" and "'place'" in each.what)
    assert re.search(r"'place' no longer accepts all values it did \(tests/inventory/drifting\.py:[0-9]+\)$", what)


def test_a_class_that_stands_in_no_file_is_named() -> None:
    assert locate_field(int, "real") == "int"


def test_a_lock_from_before_with_a_line_for_everything_is_still_read(notebook: Notebook) -> None:
    operations = agree(notebook)
    file = lock_path(operations)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=1, sort_keys=True), encoding="utf-8")
    assert look(notebook, operations) == []


def test_a_change_of_one_parameter_is_one_line_of_the_lock(notebook: Notebook) -> None:
    lock = build_lock(agree(notebook))
    key = "office.notes.create_note"
    said = lock.methods[key]
    other = said.model_copy(update={"parameters": {**said.parameters, "text": {"type": "integer"}}})
    changed = lock.model_copy(update={"methods": {**lock.methods, key: other}})
    lines = [set(each.to_text().splitlines()) for each in (lock, changed)]
    assert [each.strip(" ,") for each in lines[1] - lines[0]] == ['"text": {"type": "integer"}']


def test_a_lock_that_a_merge_left_in_conflict_is_named_with_its_line(notebook: Notebook) -> None:
    operations = agree(notebook)
    file = lock_path(operations)
    file.write_text("{\n<<<<<<< HEAD\n}\n=======\n>>>>>>> other\n", encoding="utf-8")
    (found,) = look(notebook, operations)
    assert found.what == "the lock cannot be read: it contains an unresolved merge conflict"
    assert found.where.rpartition("/")[2] == "inventory.lock:2"
    assert found.fix == 'take it from version control, or write it again: remit lock APP --loosen "the reason"'


@pytest.mark.parametrize(
    ("tight", "loose"),
    [
        ("effect: keyed", "effect: keyed\n    trusted: true"),
        ("effect: keyed\n    risk: high", "effect: keyed"),
        ("effect: keyed\n    egress: true", "effect: keyed"),
        ("effect: unsafe", "effect: keyed"),
        ("[notes:write]", "[]"),
        ("[notes:write]", "[notes:read]"),
        ("template: authenticated_access, ", "timeout_seconds: 60, "),
        ("requires_auth: true, ", "requires_auth: false, "),
        ("visibility: internal, ", "visibility: public, "),
        ("    session_policies: session_required\n", ""),
        ("template: standard, redact_fields: [text, secret], ", "template: standard, redact_fields: [secret], "),
    ],
)
def test_a_change_that_loosens_governance_says_so_and_its_reverse_tightens_it(
    notebook: Notebook, tight: str, loose: str
) -> None:
    place = {"effect": "effect: keyed", "[": "[notes:write]", "    ": "    session_policies: session_required\n"}
    place["template: standard"] = "template: standard, "
    old = next((text for start, text in place.items() if tight.startswith(start)), "template: authenticated_access, ")
    tighter = GovernanceChange.LOOSER if loose == "[notes:read]" else GovernanceChange.TIGHTER
    for first, second, direction in ((tight, loose, GovernanceChange.LOOSER), (loose, tight, tighter)):
        notebook.write(NOTES.replace(old, first, 1))
        agree(notebook)
        notebook.write(NOTES.replace(old, second, 1))
        found = {each.governance for each in look(notebook, notebook.operations())} - {GovernanceChange.NONE}
        assert found == {direction}
