"""What is wrong in an inventory is found when it is read, with file and line, all of it at once."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from figures.notebook import NOTES, VOCABULARY, WEATHER, Env, Notebook, Notes, table
from remit.call.call import ToolLayer
from remit.call.classification import Capability, Tier
from remit.inventory.builtin_sections import SessionPolicies
from remit.inventory.gates import EnabledGate
from remit.inventory.governance import Enforcer, PolicyModel, PolicySection, PolicyTable, ToolGovernance
from remit.inventory.reader import read_inventory
from remit.schemas.finding import InventoryError


def findings(tmp_path: Path, notes: str, weather: str = WEATHER) -> list[tuple[str, str, str]]:
    Notebook(tmp_path / "inventory").write(notes, weather)
    with pytest.raises(InventoryError) as raised:
        read_inventory(tmp_path / "inventory", table(Env(), Notes()), VOCABULARY)
    return [(each.code, each.where.rpartition("/")[2], f"{each.what}; {each.fix}") for each in raised.value.findings]


def test_entries_are_read_with_templates_filled_in(tmp_path: Path) -> None:
    Notebook(tmp_path / "inventory").write()
    inventory = read_inventory(tmp_path / "inventory", table(Env(), Notes()), VOCABULARY)
    assert sorted(inventory.methods) == [
        "office.notes.count_notes",
        "office.notes.create_note",
        "office.notes.read_note",
        "office.weather.forecast",
    ]
    assert sorted(inventory.tools) == ["count_notes", "create_note", "quick_note", "read_note", "weather"]
    entry = inventory.methods["office.notes.create_note"]
    assert (entry.name, entry.spec.classification.capability) == ("create_note", Capability.CREATE)
    assert inventory.methods["office.weather.forecast"].spec.classification.integration_tier is Tier.EXTERNAL
    rules = entry.policies["business_rules"].model_dump()
    assert (rules["timeout_seconds"], rules["required_permissions"]) == (30, ("notes:write",))
    assert entry.policies["session_policies"] == SessionPolicies(requires_active_session=True)
    assert inventory.tools["quick_note"].policies == entry.policies


CASES: dict[str, tuple[str, str, tuple[str, str, str]]] = {
    "unknown top key": (
        "domain: office\n",
        "domain: office\nversion: 1\n",
        ("unknown-key", "notes.yaml:2", "'version'; available: domain,"),
    ),
    "unknown key": (
        "    effect: keyed",
        "    efect: keyed",
        ("unknown-key", "notes.yaml:7", "efect: no such key, or no layer enforces it; did you mean effect?"),
    ),
    "old key": (
        "    effect: keyed",
        "    effect: keyed\n    entities: [note]",
        (
            "unknown-key",
            "notes.yaml:8",
            "entities: no such key, or no layer enforces it; remove it, and declare them on the models of the result",
        ),
    ),
    "duplicate key": (
        "    effect: keyed",
        "    effect: keyed\n    effect: pure",
        ("duplicate", "notes.yaml:8", "'effect' occurs twice"),
    ),
    "missing key": (
        "    classification: {capability: create}\n",
        "",
        ("missing-key", "notes.yaml:4", "classification is missing; add it"),
    ),
    "unknown word": (
        "{capability: create}",
        "{capability: make}",
        ("value", "notes.yaml:5", "capability: Input should be 'create'"),
    ),
    "unknown domain": (
        "domain: office",
        "domain: garden",
        ("unknown-domain", "notes.yaml:1", "no domain 'garden'; available: office"),
    ),
    "unknown subdomain": (
        "subdomain: notes",
        "subdomain: beds",
        ("unknown-domain", "notes.yaml:2", "no subdomain 'beds' of office; available: notes, weather"),
    ),
    "unknown permission": (
        "[notes:write]",
        "[note:write]",
        ("unknown-permission", "notes.yaml:8", "'note:write'; did you mean notes:write?"),
    ),
    "strange permission": (
        "[notes:write]",
        "[xyz]",
        ("unknown-permission", "notes.yaml:8", "'xyz'; grant it to a role, or correct the name"),
    ),
    "unknown section": (
        "session_policies:",
        "casefile_policies:",
        ("unknown-key", "notes.yaml:9", "casefile_policies: no such key, or no layer enforces it"),
    ),
    "unknown field": (
        "template: standard",
        "template: standard, keep: 7",
        ("unknown-key", "notes.yaml:10", "keep: no such key, or no layer enforces it"),
    ),
    "unknown template": (
        "session_policies: session_required",
        "session_policies: session_needed",
        (
            "unknown-template",
            "notes.yaml:9",
            "no template 'session_needed' of session_policies; did you mean session_required?",
        ),
    ),
    "wrong value": (
        "template: authenticated_access",
        "timeout_seconds: -1",
        ("value", "notes.yaml:8", "timeout_seconds: Input should be greater than 0"),
    ),
    "quoted number": (
        "template: authenticated_access",
        'timeout_seconds: "30"',
        ("value", "notes.yaml:8", "timeout_seconds: Input should be a valid number"),
    ),
    "section that is not a mapping": (
        "session_policies: session_required",
        "session_policies: 7",
        ("value", "notes.yaml:9", "session_policies is not a mapping"),
    ),
    "methods that are not a mapping": (
        "methods:\n",
        "methods: 7\nmore:\n",
        ("value", "notes.yaml:3", "methods is not a mapping"),
    ),
    "entry that is not a mapping": (
        "      read_note: {}",
        "      read_note: 7",
        ("value", "notes.yaml:22", "read_note is not a mapping"),
    ),
    "parameters in a tool": (
        "      read_note: {}",
        "      read_note: {parameters: []}",
        (
            "repeated",
            "notes.yaml:22",
            "the tool 'read_note' repeats parameters; remove them: the types in the code define them",
        ),
    ),
    "classification in a tool": (
        "      read_note: {}",
        "      read_note: {classification: {capability: read}}",
        ("repeated", "notes.yaml:22", "repeats classification; remove it: it is inherited"),
    ),
    "policy said again": (
        "      read_note: {}",
        "      read_note: {business_rules: {required_permissions: [notes:read]}}",
        ("repeated", "notes.yaml:22", "business_rules.required_permissions is already declared by the method"),
    ),
    "method that is not": (
        "methods:\n",
        "tools:\n  x: {method: office.notes.creat_note}\nmethods:\n",
        (
            "unknown-method",
            "notes.yaml:4",
            "no method 'office.notes.creat_note'; did you mean office.notes.create_note?",
        ),
    ),
    "method far from any": (
        "methods:\n",
        "tools:\n  x: {method: z}\nmethods:\n",
        ("unknown-method", "notes.yaml:4", "name one as domain.subdomain.name"),
    ),
    "tool without method": (
        "methods:\n",
        "tools:\n  x:\nmethods:\n",
        ("missing-key", "notes.yaml:4", "x.method is missing"),
    ),
    "two tools of a name": (
        "\n  count_notes:",
        "\n  quick_note:",
        ("duplicate-name", "notes.yaml:23", "the tool quick_note is at"),
    ),
    "word near another": (
        "{capability: create}",
        "{capability: creat}",
        ("value", "notes.yaml:5", "did you mean create?"),
    ),
    "key near another, one level down": (
        "{capability: create}",
        "{capabilty: create}",
        (
            "unknown-key",
            "notes.yaml:5",
            "classification.capabilty: no such key, or no layer enforces it; did you mean",
        ),
    ),
    "key near another of the models": (
        "models: {request: CreateNoteRequest, response: CreateNoteResponse}",
        "models: {reqest: CreateNoteRequest}",
        ("unknown-key", "notes.yaml:6", "did you mean request?"),
    ),
    "parameters of a method": (
        "    effect: keyed",
        "    parameters: []\n    effect: keyed",
        ("repeated", "notes.yaml:7", "the method 'create_note' repeats parameters; remove them: the types"),
    ),
    "replacement that is not": (
        "template: authenticated_access,",
        "replacement_method: office.notes.read_not,",
        ("unknown-method", "notes.yaml:8", "no method or tool 'office.notes.read_not'; did you mean office.notes.read"),
    ),
    "replacement far from any": (
        "template: authenticated_access,",
        "replacement_method: zzz,",
        ("unknown-method", "notes.yaml:8", "name a method as domain.subdomain.name, or a tool"),
    ),
    "rate of what is composed": (
        "    effect: keyed\n    business_rules: {template: authenticated_access,",
        "    effect: composed\n    business_rules: {rate_limit_per_minute: 5,",
        ("value", "notes.yaml:4", "a composed operation cannot have a rate (rate_limit_per_minute)"),
    ),
    "bad version": (
        "{template: authenticated_access,",
        "{deprecated_since: soon,",
        ("value", "notes.yaml:4", "'soon' is not a version"),
    ),
    "bad permission form": (
        "[notes:write]",
        "[Notes]",
        ("value", "notes.yaml:4", "permission 'Notes' is not of the form"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_found_with_its_line_and_a_way_to_mend_it(tmp_path: Path, name: str) -> None:
    old, new, (code, where, said) = CASES[name]
    assert old in NOTES
    found = findings(tmp_path, NOTES.replace(old, new, 1))
    assert [each for each in found if each[:2] == (code, where) and said in each[2]], found


def test_everything_is_found_at_once(tmp_path: Path) -> None:
    wrong = NOTES.replace("effect: keyed", "efect: keyed").replace("[notes:read]", "[notes:rad]")
    codes = [code for code, _, _ in findings(tmp_path, wrong, "domain: office\n")]
    assert sorted(codes) == ["missing-key", "unknown-key", "unknown-permission", "unknown-permission"]


ONCE: dict[str, tuple[str, str]] = {
    "yes for true": ("template: authenticated_access,", "enabled: yes,"),
    "a permission that is no text": ("[notes:write]", "[no]"),
    "a mistyped key that is required": ("capability: create}", "capabilty: create}"),
}


@pytest.mark.parametrize("name", ONCE)
def test_one_mistake_is_one_finding(tmp_path: Path, name: str) -> None:
    old, new = ONCE[name]
    assert old in NOTES
    assert len(found := findings(tmp_path, NOTES.replace(old, new, 1))) == 1, found


def test_a_reference_is_found_where_it_is_made_and_where_it_leads(tmp_path: Path) -> None:
    text = NOTES.replace("classification: {capability: create}", "classification: &x {capability: create}")
    text = text.replace("{capability: read}\n    effect: pure", "*x\n    effect: pure", 1)
    assert [code for code, *_ in findings(tmp_path, text)] == ["alias", "alias"]


class Chosen(PolicyModel):
    """A section that holds several words, of which one must be there."""

    words: tuple[Literal["one", "two"], ...] = Field(default=("one",), min_length=1)


def test_a_mistake_within_a_whole_is_not_said_of_the_whole_too(tmp_path: Path) -> None:
    def around(_policies: PolicyModel, _governed: ToolGovernance) -> tuple[ToolLayer, ...]:
        return ()

    enforced = {"words": Enforcer(layer=EnabledGate, description="nothing")}
    section = PolicySection(name="chosen", model=Chosen, enforcers=enforced, make_layers=around)
    Notebook(tmp_path).write(NOTES.replace("session_policies: session_required", "chosen: {words: [onee]}", 1))
    with pytest.raises(InventoryError) as raised:
        read_inventory(tmp_path, PolicyTable(*table(Env(), Notes()).sections.values(), section), VOCABULARY)
    (found,) = raised.value.findings
    assert found.what == "create_note.chosen.words.0: Input should be 'one' or 'two'"
    assert found.fix == "did you mean one?"


def test_a_file_that_says_nothing_is_found_as_that(tmp_path: Path) -> None:
    ((code, where, said),) = findings(tmp_path, NOTES, "# nothing yet\n")
    assert (code, where) == ("empty", "weather.yaml:1")
    assert said == "the file says nothing; start it with `domain: …`, or remove it"


def test_a_file_that_nobody_would_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "inventory" / "more"
    folder.mkdir(parents=True)
    for file in (folder / "tasks.yaml", folder.parent / "jobs.yml"):
        file.write_text("domain: office\n", encoding="utf-8")
    found = findings(tmp_path, NOTES)
    assert [(code, where) for code, where, _ in found] == [("not-read", "jobs.yml:1"), ("not-read", "tasks.yaml:1")]
    assert found[1][2].endswith("inventory/tasks.yaml, or remove it")


@pytest.mark.parametrize("name", ["weather", "office.weather.forecast"])
def test_what_replaces_another_may_be_a_tool_or_a_method(tmp_path: Path, name: str) -> None:
    Notebook(tmp_path).write(NOTES.replace("template: authenticated_access,", f"replacement_method: {name},", 1))
    inventory = read_inventory(tmp_path, table(Env(), Notes()), VOCABULARY)
    rules = inventory.methods["office.notes.create_note"].policies["business_rules"].model_dump()
    assert rules["replacement_method"] == name


def test_a_file_that_is_no_yaml_hides_no_other(tmp_path: Path) -> None:
    found = findings(tmp_path, "a: [", WEATHER.replace("domain: office", "domain: moon"))
    assert [code for code, _, _ in found] == ["yaml", "unknown-domain"]


def test_a_method_that_cannot_be_read_is_not_said_again_of_its_tools(tmp_path: Path) -> None:
    found = findings(tmp_path, NOTES.replace("effect: keyed", "efect: keyed"))
    assert [code for code, _, _ in found] == ["unknown-key"]


def test_a_policy_that_a_tool_inherits_is_not_refused_twice(tmp_path: Path) -> None:
    found = findings(tmp_path, NOTES.replace("template: standard", "keep: 7"))
    assert [code for code, _, _ in found] == ["unknown-key"]


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match=r"no inventory found: no file matches \*\.yaml; create one"):
        read_inventory(tmp_path, table(Env(), Notes()), VOCABULARY)


def test_the_message_says_the_first_finding_and_how_many_more(tmp_path: Path) -> None:
    Notebook(tmp_path).write(NOTES.replace("domain: office", "domain: moon"), "domain: sun\n")
    with pytest.raises(
        InventoryError, match=r"notes\.yaml:1: no domain 'moon'; available: office \(and 1 more; remit check lists all"
    ):
        read_inventory(tmp_path, table(Env(), Notes()), VOCABULARY)


def test_a_tool_may_add_policy_that_its_method_does_not_say(tmp_path: Path) -> None:
    more = NOTES.replace("read_note: {}", "read_note: {business_rules: {timeout_seconds: 5}, audit_events: minimal}")
    Notebook(tmp_path).write(more)
    inventory = read_inventory(tmp_path, table(Env(), Notes()), VOCABULARY)
    policies = inventory.tools["read_note"].policies
    rules = policies["business_rules"].model_dump()
    assert (rules["timeout_seconds"], rules["required_permissions"]) == (5, ("notes:read",))
    assert policies["audit_events"].model_dump()["failure_event"] == "operation.failed"


def test_a_slice_has_what_is_said_of_one_subdomain(tmp_path: Path) -> None:
    Notebook(tmp_path).write()
    weather = read_inventory(tmp_path, table(Env(), Notes()), VOCABULARY).slice("office", "weather")
    assert (list(weather.methods), list(weather.tools)) == (["office.weather.forecast"], ["weather"])


def test_a_method_that_stands_in_two_files_is_found(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "more.yaml").write_text(
        f"{NOTES.partition('    tools:')[0]}    tools: {{}}\n", encoding="utf-8"
    )
    ((code, where, said),) = findings(tmp_path, NOTES)
    assert (code, where) == ("duplicate-name", "notes.yaml:4")
    assert said.startswith("the method office.notes.create_note is at ")
