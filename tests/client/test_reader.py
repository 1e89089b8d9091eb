"""A reader tells of runs, questions and grants what holds now, and nothing of another tenant."""

from __future__ import annotations

import pytest

from remit.client.reader import RunReader
from remit.errors import RequestError
from remit.journal.memory import InMemoryStore
from remit.record.items import AttemptEnded, RunFinished, RunSuspended
from remit.record.principal import Principal
from remit.testing.store_suite.grants import grant
from remit.testing.store_suite.samples import Clock, begin, question, question_item, yes


@pytest.fixture
def store(clock: Clock) -> InMemoryStore:
    return InMemoryStore(clock)


@pytest.fixture
def ada(store: InMemoryStore) -> RunReader:
    return RunReader(store, Principal("ada"), application="app", prices={})


async def test_a_grant_of_another_tenant_does_not_exist_for_who_has_the_name_of_its_principal(
    store: InMemoryStore, ada: RunReader
) -> None:
    for tenant in ("default", "elsewhere"):
        await store.add_grant(grant(tenant, tenant=tenant))
    assert (await ada.grant("default")).grant.tenant == "default"
    with pytest.raises(RequestError, match=r"^grant elsewhere does not exist$"):
        await ada.grant("elsewhere")


@pytest.mark.parametrize(("given", "shown"), [("a\nb", r"'a\nb'"), ("x" * 10_000, f"{'x' * 80}…")])
async def test_the_id_of_what_does_not_exist_is_shown_in_one_short_line(ada: RunReader, given: str, shown: str) -> None:
    reads = {"run": ada.details, "question": ada.question, "grant": ada.grant}
    for noun, read in reads.items():
        with pytest.raises(RequestError) as refused:
            await read(given)
        assert refused.value.message == f"{noun} {shown} does not exist"


async def test_a_question_past_its_deadline_is_listed_only_with_those_that_are_not_open(
    store: InMemoryStore, ada: RunReader, clock: Clock
) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    assert [row.question.id for row in await ada.questions()] == ["q1"]
    clock.now = 2000.0
    assert [row.question.id for row in await ada.questions()] == []
    assert [row.status for row in await ada.questions(status="all")] == ["expired"]


async def test_settled_questions_are_listed_newest_first_without_open_ones(
    store: InMemoryStore, ada: RunReader, clock: Clock
) -> None:
    run = await begin(store)
    for at, (name, expires) in enumerate((("first", 1500.0), ("open", 9000.0), ("last", 1500.0))):
        await run.append(question_item(question(name, match=name, asked=1000.0 + at, expires=expires)))
    clock.now = 2000.0
    page = await ada.questions(status="settled", limit=1)
    rest = await ada.questions(status="settled", limit=1, after=page.next)
    assert [each.question.id for each in (*page, *rest)] == ["last", "first"]
    assert rest.next == ""


async def test_details_of_a_waiting_run_have_those_of_its_questions_that_are_open_and_known_here(
    store: InMemoryStore, ada: RunReader
) -> None:
    run = await begin(store)
    asked = [question_item(question(name, match=name)) for name in ("q1", "q2")]
    await run.append(*asked, RunSuspended(call="run", questions=("q1", "q2", "elsewhere")))
    await store.decide(yes("q1"))
    assert [row.question.id for row in (await ada.details("run")).questions] == ["q2"]


async def test_details_say_why_a_run_failed_whose_attempt_ended_after_it(store: InMemoryStore, ada: RunReader) -> None:
    run = await begin(store)
    await run.append(
        RunFinished(call="run", status="failed", error="NOT_FOUND: no page"),
        AttemptEnded(call="call", attempt=1, outcome="ok", content="late"),
    )
    assert (await ada.details("run")).error == "NOT_FOUND: no page"
