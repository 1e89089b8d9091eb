"""Pages: runs and questions are listed by their properties, one page at a time."""

from __future__ import annotations

from msgspec.structs import replace

from remit.journal.ports import Store
from remit.record.items import RunFinished
from remit.testing.store_suite.samples import Clock, acquire_run, begin, header_item, question, question_item


async def test_the_pages_of_runs_are_the_whole_list_even_if_all_were_opened_at_one_time(store: Store) -> None:
    for name in "abcde":
        await begin(store, name)
    listed: list[str] = []
    while page := await store.list_runs(tenant="default", before=listed[-1] if listed else "", limit=2):
        listed += [row.run for row in page]
    assert listed == ["e", "d", "c", "b", "a"]
    assert await store.list_runs(before="unknown") == []


async def test_the_pages_of_a_conversation_follow_its_order(store: Store) -> None:
    after = ""
    for at, name in ((3.0, "a"), (2.0, "b"), (1.0, "c")):
        run = await begin(store, name, conversation="talk", after=after, at=at)
        await run.append(RunFinished(call=name, status="done"))
        after = name
    page = await store.list_runs(conversation="talk", limit=2)
    rest = await store.list_runs(conversation="talk", before=page[-1].run)
    assert [row.run for row in (*page, *rest)] == ["c", "b", "a"]


async def test_runs_are_found_by_status_callee_and_time(store: Store) -> None:
    for at, (name, callee) in enumerate((("one", "cms"), ("two", "desk"), ("three", "cms")), start=1000):
        run = await acquire_run(store, name)
        await run.append(replace(header_item(name), callee=callee), at=at)
        if name == "one":
            await run.append(RunFinished(call=name, status="done"))
    assert [row.run for row in await store.list_runs(status="running")] == ["three", "two"]
    assert [row.run for row in await store.list_runs(callee="cms")] == ["three", "one"]
    assert [row.run for row in await store.list_runs(status="done", callee="cms")] == ["one"]
    assert [row.run for row in await store.list_runs(since=1001, until=1002)] == ["two"]


async def test_the_pages_of_questions_are_those_of_the_tenant_and_run(store: Store, clock: Clock) -> None:
    run, other = await begin(store), await begin(store, "other")
    for name, expires in (("a", 2000), ("b", 1010), ("c", 2000)):
        await run.append(question_item(question(name, expires=expires)))
    await other.append(question_item(question("d", run="other", tenant="zeta")))
    clock.now = 1010
    page = await store.list_questions(tenant="default", limit=2)
    rest = await store.list_questions(tenant="default", after=page[-1].question.id, limit=2)
    assert [(row.question.id, row.status) for row in (*page, *rest)] == [("a", "open"), ("b", "expired"), ("c", "open")]
    assert [row.question.id for row in await store.list_questions(run="other")] == ["d"]
    assert [row.question.id for row in await store.list_questions(tenant="default")] == ["a", "c"]
    assert await store.list_questions(after="unknown") == []
