"""The gates: each field of policy that looks at a casefile is broken once through the runtime, and must hold."""

from __future__ import annotations

import pytest

from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.policies.trial import Trial
from remit.inventory import InventoryError

CF = "cf_260101_ffffff"
SESSION = "ts_260101_ann00000_00000a"
EDITOR = "business_rules: {casefile_permission_level: editor}"


async def test_a_call_that_must_name_a_casefile_and_names_none_is_refused(trial: Trial, office: Office) -> None:
    trial.declare("business_rules: {requires_casefile: true, casefile_permission_level: viewer}")
    came = await trial.call()
    assert came.code == "PERMISSION_DENIED"
    assert "touch needs a casefile; give casefile_id" in came.error
    await office.session(SESSION, casefile=await office.casefile())
    assert (await trial.call(conversation=SESSION)).code == "PERMISSION_DENIED"
    assert trial.probe.touched == []


async def test_a_call_that_may_name_a_casefile_passes_without_one(trial: Trial) -> None:
    trial.declare(EDITOR)
    assert (await trial.call()).code == ""
    assert (await trial.call({"casefile_id": None})).code == ""


async def test_a_level_that_is_declared_is_needed(trial: Trial, office: Office) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", "viewer")
    await office.grant(casefile, "eve", "editor")
    trial.declare(EDITOR)
    named = {"casefile_id": casefile}
    refused = await trial.call(named, by="bob")
    assert refused.code == "PERMISSION_DENIED"
    assert f"touch needs the level editor of casefile '{casefile}', and bob has viewer" in refused.error
    assert trial.probe.touched == []
    assert (await trial.call(named, by="eve")).code == ""
    assert (await trial.call(named)).code == ""


async def test_what_one_may_not_see_is_refused_in_the_words_of_what_is_not_there(trial: Trial, office: Office) -> None:
    casefile = await office.casefile()
    trial.declare(EDITOR)
    absent = await trial.call({"casefile_id": CF})
    assert absent.code == "NOT_FOUND"
    for stranger in (principal("bob"), principal("ann", "other")):
        unseen = await trial.call({"casefile_id": casefile}, by=stranger)
        assert unseen.code == "NOT_FOUND"
        assert unseen.error.replace(casefile, CF) == absent.error


async def test_of_a_key_that_stands_twice_the_gate_sees_what_the_body_would_get(trial: Trial, office: Office) -> None:
    hers, his = await office.casefile(by="ann"), await office.casefile(by="bob")
    trial.declare(EDITOR)
    for first, second in ((hers, his), (his, hers)):
        came = await trial.call(f'{{"casefile_id": "{first}", "casefile_id": "{second}"}}', by="bob")
        assert came.code in {"NOT_FOUND", "VALIDATION_ERROR"}
    assert trial.probe.touched == []


FIXED = "      narrow: {{fix: {{casefile_id: {}}}}}\n      hidden: {{hide: [casefile_id]}}"


async def test_a_casefile_that_the_inventory_fixes_is_looked_at_like_one_that_is_named(
    trial: Trial, office: Office
) -> None:
    casefile = await office.casefile()
    trial.declare(
        "business_rules: {casefile_permission_level: editor, requires_casefile: true}", tools=FIXED.format(casefile)
    )
    assert (await trial.call(name="narrow", by="bob")).code == "NOT_FOUND"
    assert (await trial.call({"casefile_id": CF}, name="narrow")).code == "VALIDATION_ERROR"
    assert (await trial.call(name="narrow")).code == ""
    assert trial.probe.touched == [casefile]
    assert (await trial.call(name="hidden")).code == "PERMISSION_DENIED"


async def test_a_tool_from_which_the_casefile_is_hidden_reaches_none(trial: Trial, office: Office) -> None:
    casefile = await office.casefile()
    trial.declare(EDITOR, "casefile_policies: {}", tools=FIXED.format(casefile))
    assert (await trial.call({"casefile_id": casefile}, name="hidden")).code == "VALIDATION_ERROR"
    assert (await trial.call(name="hidden")).code == ""
    assert trial.probe.touched == [None]
    assert (await trial.call(name="narrow", by="bob")).code == "NOT_FOUND"


async def test_a_call_that_is_made_in_no_casefile_is_refused_where_it_needs_one(trial: Trial, office: Office) -> None:
    trial.declare("casefile_policies: {requires_casefile: true}")
    casefile = await office.casefile()
    await office.session(SESSION, casefile=casefile)
    await office.session("ts_260101_ann00000_00000b")
    refused = await trial.call()
    assert refused.error == "touch needs a casefile; name one, or call it in a session of one"
    assert (await trial.call(conversation="ts_260101_ann00000_00000b")).code == "PERMISSION_DENIED"
    assert (await trial.call(conversation=SESSION)).code == ""
    assert (await trial.call({"casefile_id": casefile})).code == ""


async def test_a_session_of_somebody_else_puts_a_call_in_no_casefile(trial: Trial, office: Office) -> None:
    trial.declare("casefile_policies: {requires_casefile: true}")
    await office.session(SESSION, casefile=await office.casefile())
    for stranger in (principal("bob"), principal("ann", "other")):
        assert (await trial.call(conversation=SESSION, by=stranger)).code == "PERMISSION_DENIED"
    assert trial.probe.touched == []


@pytest.mark.parametrize(
    ("states", "state", "code"),
    [
        ("[active]", "active", ""),
        ("[active]", "archived", "BLOCKED"),
        ("[archived]", "active", "BLOCKED"),
        ("[active, archived]", "archived", ""),
    ],
)
async def test_a_casefile_of_another_state_is_refused(
    trial: Trial, office: Office, states: str, state: str, code: str
) -> None:
    trial.declare(f"casefile_policies: {{allowed_casefile_states: {states}}}")
    casefile = await office.casefile()
    await office.session(SESSION, casefile=casefile)
    await office.change(casefile, state=state)
    assert (await trial.call({"casefile_id": casefile})).code == code
    assert (await trial.call(conversation=SESSION)).code == code


async def test_access_control_can_be_left_to_the_operation_and_the_tenant_stays(trial: Trial, office: Office) -> None:
    casefile = await office.casefile()
    await office.session(SESSION, "bob", casefile=casefile)
    trial.declare("casefile_policies: {enforce_access_control: true}")
    assert (await trial.call({"casefile_id": casefile}, by="bob")).code == "NOT_FOUND"
    assert (await trial.call(by="bob", conversation=SESSION)).code == "NOT_FOUND"
    trial.declare(
        "business_rules: {casefile_permission_level: viewer}", "casefile_policies: {enforce_access_control: false}"
    )
    assert (await trial.call({"casefile_id": casefile}, by="bob")).code == "NOT_FOUND"
    assert (await trial.call(by="bob", conversation=SESSION)).code == ""
    foreign = await trial.call({"casefile_id": casefile}, by=principal("ann", "other"))
    assert foreign.code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        (
            "business_rules: {casefile_permission_level: write}",
            "'write' is the verb of a permission, not a level; say 'editor'",
        ),
        ("business_rules: {casefile_permission_level: read}", "say 'viewer'"),
        ("business_rules: {casefile_permission_level: share}", "say 'admin'"),
        ("business_rules: {casefile_permission_level: delete}", "say 'owner'"),
        ("business_rules: {casefile_permission_level: boss}", "Input should be 'viewer', 'editor', 'admin' or 'owner'"),
        ("business_rules: {casefile_permission_level: none}", "Input should be 'viewer', 'editor', 'admin' or 'owner'"),
        ("business_rules: {required_permissions: [casefile:read]}", "did you mean casefiles:read?"),
        ("casefile_policies: {create_if_missing: true}", "create_if_missing: no such key, or no layer enforces it"),
        ("casefile_policies: {allowed_casefile_states: []}", "at least 1 item"),
        ("casefile_policies: {allowed_casefile_states: [open]}", "Input should be 'active' or 'archived'"),
        ("business_rules: {template: casefile_access}", "takes a casefile_id, and nothing looks at its access list"),
        ("casefile_policies: {enforce_access_control: false}", "nothing looks at its access list"),
        ("audit_events: standard", "nothing looks at its access list"),
    ],
)
def test_what_cannot_be_enforced_or_leaves_a_casefile_open_is_refused_at_load(
    trial: Trial, policies: str, said: str
) -> None:
    with pytest.raises(InventoryError) as refused:
        trial.declare(policies)
    assert said in str(refused.value)


def test_the_template_for_casefiles_needs_one_and_a_minute(trial: Trial) -> None:
    made = trial.declare("business_rules: {template: casefile_access, casefile_permission_level: viewer}")
    assert made.find_tool("touch").facts.timeout == 60
    assert "AccessGate(level=<Level.VIEWER: 1>, required=True)" in repr(made.find_tool("touch").layers)
