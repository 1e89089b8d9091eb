"""Events of casefiles: what is filed, where, and what is left out."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.policies.trial import Trial
from remit import Effect, LeafContext, tool
from remit.errors import RateLimitedError
from remit.layers import Call, Reply
from remit.testing import call_through, make_call
from remit_casefile.policies.casefile_resolver import CasefileResolver
from remit_casefile.policies.env import CallEvent, Env
from remit_casefile.policies.event_layer import LogCasefileEvents

AUDIT = "casefile_policies: {audit_casefile_changes: true}"
QUIET = "casefile_policies: {audit_casefile_changes: false}"
SESSION = "ts_260101_ann00000_00000a"


async def test_a_change_of_a_casefile_is_an_event_of_it(trial: Trial, office: Office) -> None:
    casefile = await office.casefile()
    trial.declare(AUDIT)
    await trial.call({"casefile_id": casefile, "password": "hush"})
    (event,) = trial.kept.events
    said = asdict(event)
    assert said.pop("id").startswith("te_")
    assert said.pop("run")
    assert said.pop("call") == said.pop("request")
    assert said == {
        "tenant": "default",
        "parent": "",
        "casefile": casefile,
        "session": None,
        "event_type": "casefile_changed",
        "tool_name": "touch",
        "timestamp": trial.database.clock(),
        "parameters": {"casefile_id": casefile, "password": "[redacted]"},
        "result_summary": None,
        "duration_ms": said["duration_ms"],
        "status": "completed",
        "error_message": None,
        "initiator": "ann",
    }
    assert said["duration_ms"] >= 0


async def test_what_is_not_to_be_filed_or_cannot_change_anything_is_not(trial: Trial, office: Office) -> None:
    named = {"casefile_id": await office.casefile()}
    trial.declare(QUIET)
    await trial.call(named)
    trial.declare(AUDIT, effect="pure")
    await trial.call(named)
    assert trial.kept.events == []
    assert len(trial.probe.touched) == 2


async def test_a_change_that_fails_is_filed_and_one_that_a_gate_refuses_does_not_reach_the_casefile(
    trial: Trial, office: Office
) -> None:
    casefile = await office.casefile()
    await office.grant(casefile, "bob", "viewer")
    trial.declare(AUDIT, "business_rules: {casefile_permission_level: editor}")
    await trial.call({"casefile_id": casefile, "fails": True})
    await trial.call({"casefile_id": casefile}, by="bob")
    assert [(each.event_type, each.status, each.initiator) for each in trial.kept.events] == [
        ("casefile_change_failed", "failed", "ann"),
    ]
    assert trial.kept.events[0].error_message == "it was touched already"


@pytest.mark.parametrize("stranger", [principal("bob"), principal("ann", "other")])
async def test_nobody_files_into_a_casefile_that_they_may_not_see(
    trial: Trial, office: Office, stranger: object
) -> None:
    assert isinstance(stranger, type(principal()))
    trial.declare(AUDIT)
    trial.probe.makes = casefile = await office.casefile()
    assert (await trial.call({"casefile_id": casefile}, by=stranger)).code == "NOT_FOUND"
    assert (await trial.call(by=stranger)).code == ""
    assert trial.kept.events == []


async def test_a_call_that_names_no_casefile_is_filed_in_the_one_it_made_or_that_of_its_session(
    trial: Trial, office: Office
) -> None:
    made, worked_in = await office.casefile(), await office.casefile()
    await office.session(SESSION, casefile=worked_in)
    trial.declare(AUDIT)
    await trial.call()
    assert trial.kept.events == []
    await trial.call(conversation=SESSION)
    trial.probe.makes = made
    await trial.call()
    assert [(each.casefile, each.session) for each in trial.kept.events] == [(worked_in, SESSION), (made, None)]


EMIT = (
    "{success_event: touched, failure_event: stumbled, log_response_fields: [casefile_id, password], "
    "redact_fields: [casefile_id], emit_casefile_event: %s}"
)


async def test_events_that_are_emitted_have_the_names_fields_and_gaps_that_were_declared(
    trial: Trial, office: Office
) -> None:
    casefile = await office.casefile()
    trial.declare(QUIET, f"audit_events: {EMIT % 'true'}")
    await trial.call({"casefile_id": casefile})
    await trial.call({"casefile_id": casefile, "fails": True})
    assert [(each.event_type, each.result_summary) for each in trial.kept.events] == [
        ("touched", '{"casefile_id": "[redacted]", "password": "[redacted]"}'),
        ("stumbled", None),
    ]
    assert trial.kept.events[0].parameters == {"casefile_id": "[redacted]"}


async def test_events_that_are_not_emitted_stay_in_the_journal(trial: Trial, office: Office) -> None:
    trial.declare(QUIET, f"audit_events: {EMIT % 'false'}")
    came = await trial.call({"casefile_id": await office.casefile()})
    assert list(came.notes) == ["touched"]
    assert trial.kept.events == []


async def test_an_event_without_a_name_is_none(trial: Trial, office: Office) -> None:
    trial.declare(QUIET, "audit_events: {failure_event: stumbled, emit_casefile_event: true}")
    await trial.call({"casefile_id": await office.casefile()})
    assert trial.kept.events == []


async def test_where_nobody_keeps_events_what_would_be_filed_is_refused(trial: Trial) -> None:
    trial.declare(AUDIT, log=False)
    came = await trial.call()
    assert (came.code, came.error) == ("CAPABILITY_ABSENT", "touch cannot run: the environment keeps no events")
    assert trial.probe.touched == []


async def test_what_was_done_is_said_to_be_done_though_its_event_could_not_be_kept(
    trial: Trial, office: Office
) -> None:
    async def busy(event: CallEvent, /) -> None:
        raise RateLimitedError("casefile.db is being written by another process; try again")

    casefile = await office.casefile()
    trial.kept.append = busy
    trial.declare(AUDIT)
    came = await trial.call({"casefile_id": casefile})
    assert came.code == ""
    assert came.notes["event.unfiled"]["casefile"] == casefile
    assert "being written" in came.notes["event.unfiled"]["error"]


async def test_two_calls_file_two_events_and_a_long_result_is_cut(trial: Trial, office: Office) -> None:
    trial.declare(
        QUIET, "audit_events: {success_event: touched, log_response_fields: [casefile_id], emit_casefile_event: true}"
    )
    named = {"casefile_id": await office.casefile()}
    trial.probe.makes = "x" * 1000
    for _ in range(2):
        await trial.call(named)
    assert len({each.id for each in trial.kept.events}) == 2
    assert all(len(each.result_summary or "") == 501 for each in trial.kept.events)


async def test_a_replay_files_nothing(trial: Trial, office: Office) -> None:
    trial.declare(AUDIT, effect="composed")
    await trial.call({"casefile_id": await office.casefile()})
    assert trial.runtime is not None
    (row,) = await trial.runtime.store.list_runs()
    report = await trial.runtime.replay(row.run)
    assert (report.difference, len(trial.probe.touched)) == ("", 2)
    assert len(trial.kept.events) == 1


@tool(effect=Effect.KEYED)
async def write(_ctx: LeafContext, casefile_id: str) -> str:
    """Write."""
    return casefile_id


@pytest.mark.parametrize("said", ["plain words", ["a", "list"]])
async def test_a_result_that_is_no_object_has_no_fields_to_tell(trial: Trial, office: Office, said: object) -> None:
    async def inner(_call: Call, /) -> Reply:
        return Reply.from_value(said)

    env = Env(database=trial.database, events=trial.kept)
    layer = LogCasefileEvents(env, CasefileResolver(await office.casefile()), success="written", fields=("a",))
    call = await make_call(write, '{"casefile_id": "cf"}', by=principal())
    assert await call_through(layer, call, inner) == Reply.from_value(said)
    assert [each.result_summary for each in trial.kept.events] == ["{}"]
