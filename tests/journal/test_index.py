"""The rules by which every store indexes runs and questions, and refuses what does not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from remit.errors import ApprovalUsedError, LeaseError, RequestError
from remit.journal.index import (
    artifacts_of_header,
    check_consumable,
    check_conversation_free,
    check_open,
    check_revocable,
    check_sequence,
    decision_of_header,
    find_unreferenced,
    is_expired,
    wake_time,
)
from remit.journal.ports import GrantRow, QuestionRow, RunRow
from remit.record.artifact import ArtifactScope
from remit.record.items import DETACHED, DecisionItem, Item, RunSuspended
from remit.record.ledger import Consumption
from remit.record.question import Decision
from remit.testing.store_suite.grants import grant
from remit.testing.store_suite.samples import header_item, no, note, positions, question, yes

NOW = 1500.0
OPEN = QuestionRow(question(), "open", None, None)
APPROVED = OPEN._replace(status="approved", decision=yes())
BY_GRANT = APPROVED._replace(decision=replace(yes(), grant="g1"))
USED = APPROVED._replace(status="taken", consumed_by=("run", "call"))
VALID = GrantRow(replace(grant(), expires=2000.0), 0, "")
USE = Consumption(("q1",), "run", "call")


@pytest.mark.parametrize(
    ("row", "expired"),
    [
        (OPEN, False),
        (APPROVED, False),
        (OPEN._replace(status="expired"), True),
        (OPEN._replace(status="cancelled"), True),
        (APPROVED._replace(status="erased"), True),
        (OPEN._replace(question=question(expires=NOW)), True),
    ],
)
def test_a_question_is_over_after_its_deadline_or_its_end(row: QuestionRow, expired: bool) -> None:
    assert is_expired(row, NOW) is expired


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (None, "question q1 does not exist"),
        (OPEN._replace(question=question(expires=NOW)), "question q1 has expired, which denies the call"),
        (OPEN._replace(status="cancelled"), "run run was cancelled, so question q1 can no longer be decided"),
        (OPEN._replace(status="erased"), "question q1 was erased"),
        (OPEN._replace(status="closed"), "question q1 is closed: the call has ended, and its outcome"),
        (APPROVED, "question q1 is already approved by bob"),
        (APPROVED._replace(decision=replace(yes(), kind="confirm")), "question q1 is already confirmed by bob"),
        (OPEN._replace(status="denied", decision=no()), "question q1 is already denied by bob"),
    ],
)
def test_a_question_that_is_not_open_takes_no_decision(row: QuestionRow | None, message: str) -> None:
    assert check_open(OPEN, "q1", NOW) is OPEN
    with pytest.raises(RequestError, match=f"^{message}"):
        check_open(row, "q1", NOW)


@pytest.mark.parametrize(
    ("row", "used_grant"),
    [
        pytest.param(APPROVED, None, id="approved"),
        pytest.param(USED, None, id="used by this call before"),
        pytest.param(USED._replace(question=question(expires=NOW)), None, id="used before it expired"),
        pytest.param(BY_GRANT, VALID, id="by a grant"),
        pytest.param(BY_GRANT._replace(consumed_by=("run", "call")), None, id="used before the grant was revoked"),
    ],
)
def test_an_approval_is_used_by_one_call(row: QuestionRow, used_grant: GrantRow | None) -> None:
    assert check_consumable(row, "q1", USE, NOW, used_grant) is row


@pytest.mark.parametrize(
    ("row", "used_grant", "message"),
    [
        pytest.param(None, None, "has no such decision", id="unknown"),
        pytest.param(OPEN, None, "has no such decision", id="open"),
        pytest.param(APPROVED._replace(decision=no()), None, "has no such decision", id="denied"),
        pytest.param(USED._replace(consumed_by=("run", "other")), None, "was used by another call", id="used"),
        pytest.param(APPROVED._replace(status="erased"), None, "was erased", id="erased"),
        pytest.param(APPROVED._replace(question=question(expires=NOW)), None, "has expired", id="expired"),
        pytest.param(BY_GRANT, None, "was revoked or has expired", id="by an unknown grant"),
        pytest.param(BY_GRANT, VALID._replace(revoked_by="bob"), "was revoked or has", id="by a revoked grant"),
        pytest.param(
            BY_GRANT, VALID._replace(grant=replace(grant(), expires=NOW)), "was revoked or has", id="by an old grant"
        ),
    ],
)
def test_an_approval_that_does_not_count_any_more_is_not_used(
    row: QuestionRow | None, used_grant: GrantRow | None, message: str
) -> None:
    with pytest.raises(ApprovalUsedError, match=message):
        check_consumable(row, "q1", USE, NOW, used_grant)


def test_a_grant_is_revoked_once() -> None:
    assert check_revocable(VALID, "g1") is VALID
    with pytest.raises(RequestError, match="grant g1 does not exist"):
        check_revocable(None, "g1")
    with pytest.raises(RequestError, match="grant g1 was already revoked by eve"):
        check_revocable(VALID._replace(revoked_by="eve"), "g1")


def test_items_follow_one_another() -> None:
    check_sequence("run", positions("run", [note(), note()], first=3), 3)
    with pytest.raises(LeaseError, match="run run: item 3 does not follow item 3"):
        check_sequence("run", positions("run", [note()], first=3), 4)


def run_row(run: str, **fields: Any) -> RunRow:
    values: dict[str, Any] = {"status": "running", "after": "first", "opened": 1.0, "ended": 0.0, **fields}
    return RunRow(
        run=run,
        tenant="default",
        principal="ada",
        application="app",
        agent="",
        callee="editor",
        conversation="talk",
        **values,
    )


DONE, QUEUED = run_row("first", status="done", after=""), run_row("next", status="queued")
BUSY, CANCELLED = replace(DONE, status="waiting"), replace(DONE, status="cancelled")


@pytest.mark.parametrize(
    ("row", "newest", "unfinished"),
    [
        pytest.param(run_row("next", after=""), None, "", id="the first"),
        pytest.param(run_row("next", after=DETACHED), BUSY, "", id="a direct call"),
        pytest.param(BUSY, BUSY, "", id="the newest run itself"),
        pytest.param(run_row("next"), DONE, "earlier", id="after a run that has ended"),
        pytest.param(run_row("next"), CANCELLED, "", id="after a cancelled run"),
        pytest.param(QUEUED, BUSY, "", id="queued after a busy run"),
        pytest.param(QUEUED, CANCELLED, "earlier", id="queued after a cancelled run"),
    ],
)
def test_a_run_is_opened_in_a_conversation_if_all_before_have_ended(
    row: RunRow, newest: RunRow | None, unfinished: str
) -> None:
    check_conversation_free(row, newest, lambda: unfinished)


@pytest.mark.parametrize(
    ("row", "newest", "unfinished", "message"),
    [
        pytest.param(run_row("next"), BUSY, "", "talk is busy: run first", id="busy"),
        pytest.param(run_row("next"), CANCELLED, "earlier", "talk is busy: run earlier", id="busy before"),
        pytest.param(run_row("next", after=""), DONE, "", "talk has continued with run first", id="continued"),
        pytest.param(replace(QUEUED, after="other"), BUSY, "", "talk has continued with run first", id="queued"),
    ],
)
def test_a_run_is_not_opened_in_a_busy_conversation(row: RunRow, newest: RunRow, unfinished: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        check_conversation_free(row, newest, lambda: unfinished)


DIGEST = "sha256:" + "a" * 64
OWN = ArtifactScope("default", "ada", "app", "", "run")


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        ([], []),
        ([OWN], []),
        ([OWN._replace(run="other")], [(DIGEST, OWN)]),
        ([OWN._replace(principal="bob", run="other")], []),
    ],
)
def test_a_run_gets_the_artifacts_that_its_header_names_and_that_its_principal_sees(
    owners: list[ArtifactScope], expected: list[tuple[str, ArtifactScope]]
) -> None:
    header = msgspec.structs.replace(header_item(), arguments=f'{{"file":"{DIGEST}"}}')
    (opened,) = positions("run", [header])
    assert list(artifacts_of_header(opened, header, lambda _digest: owners)) == expected


@pytest.mark.parametrize(
    ("bodies", "erased", "expected"),
    [
        ({0: "x", 1: DIGEST}, [1], [DIGEST]),
        ({0: DIGEST, 1: DIGEST}, [1], []),
        ({0: "x", 1: "y"}, [1], []),
        ({0: "x", 1: "y"}, [0, 1], [DIGEST]),
    ],
)
def test_an_artifact_goes_with_the_last_body_that_names_it_or_with_its_run(
    bodies: dict[int, str], erased: list[int], expected: list[str]
) -> None:
    assert find_unreferenced([DIGEST], bodies, erased) == expected


def test_a_run_wakes_at_the_first_deadline_of_the_questions_that_exist() -> None:
    rows = {"q1": OPEN}
    assert wake_time(RunSuspended(call="run", questions=("gone", "q1")), rows.get) == 2000.0


def decided(call: str) -> DecisionItem:
    return DecisionItem(call=call, question="q1", body=yes().to_json())


@pytest.mark.parametrize(
    ("carries", "following", "expected"),
    [
        ("call", [note(), decided("other"), decided("call")], yes()),
        ("", [decided("")], None),
        ("call", [decided("other")], None),
    ],
)
def test_a_run_that_carries_a_call_is_opened_with_the_decision_on_it(
    carries: str, following: list[Item], expected: Decision | None
) -> None:
    header = msgspec.structs.replace(header_item(), carries=carries)
    assert decision_of_header(positions("run", [header, *following])) == expected
    assert decision_of_header(positions("run", following)) is None
