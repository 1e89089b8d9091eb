"""Summaries: each append updates the index of what runs have done, which agrees with their items."""

from __future__ import annotations

import random
from collections.abc import Sequence

from msgspec.structs import replace

from remit.journal.ports import Store
from remit.journal.run_summary import DAY, RunSummary, UsageRow
from remit.journal.run_totals import RunTotals
from remit.record.items import (
    Item,
    ModelFailure,
    ModelUsage,
    Position,
    RunFinished,
    RunResumed,
    RunScheduled,
    RunStalled,
    RunSuspended,
    ToolOutput,
)
from remit.record.usage import ModelName, TokenCounts
from remit.testing.store_suite.samples import (
    Clock,
    Run,
    acquire_run,
    begin,
    header_item,
    note,
    positions,
    question,
    question_item,
    yes,
)

FAILED = '{"success":false,"error":"away","errorCode":"EXTERNAL_SERVICE_ERROR"}'
GPT, MINI = ModelName("openai:gpt-5", "gpt-5"), ModelName("openai:gpt-5", "gpt-5-mini")


def output(call: str = "call", *, parent: str = "root", failed: bool = False) -> ToolOutput:
    text, outcome = (FAILED, "error") if failed else ("done", "ok")
    return ToolOutput(call=call, parent=parent, callee="save", text=text, outcome=outcome)


def usage(tokens: int = 10, name: ModelName = GPT) -> ModelUsage:
    return ModelUsage(
        call="root:1",
        model=name.model,
        requested=name.requested,
        finish="stop",
        prompt_tokens=tokens,
        completion_tokens=1,
        response="",
        cached_tokens=tokens // 2,
        reasoning_tokens=1,
    )


async def summary_of(store: Store, run: str = "run") -> RunSummary:
    return (await store.read_summaries([run]))[run]


async def test_a_run_is_summed_up_with_each_append(store: Store) -> None:
    run = await begin(store)
    assert await summary_of(store) == RunSummary(title="about")
    await run.append(usage(10), output(), usage(20), usage(5, MINI))
    await run.append(output("root", parent=""), usage(1))
    found = await summary_of(store)
    assert (found.title, found.calls) == ("about", 1)
    assert found.used == {GPT: TokenCounts(3, 31, 3, 15, 3), MINI: TokenCounts(1, 5, 1, 2, 1)}
    assert await store.read_summaries(["unknown"]) == {}


async def test_a_run_works_while_an_executor_has_it_and_waits_otherwise(store: Store) -> None:
    run = await begin(store, at=1000.0)
    await run.append(note(), at=1002.0)
    await run.append(RunSuspended(call="run", questions=()), at=1003.0)
    await run.append(RunResumed(call="run", driver="driver"), note(), at=1010.0)
    await run.append(note(), at=1011.0)
    found = await summary_of(store)
    assert (found.worked, found.waited) == (4.0, 7.0)
    # The executor has died, and another one takes over the run.
    await run.append(RunResumed(call="run", driver="another"), at=1111.0)
    await run.append(RunStalled(call="run", reason="away", retry_at=1500.0), at=1112.0)
    found = await summary_of(store)
    assert (found.worked, found.waited, found.due) == (5.0, 107.0, 1500.0)
    await run.append(RunFinished(call="run", status="cancelled"), at=1113.0)
    assert (await summary_of(store)).due == 0.0


async def test_a_queued_run_waits_for_its_turn(store: Store) -> None:
    run = await acquire_run(store)
    await run.append(replace(header_item(), queued=True))
    await run.append(RunResumed(call="run", driver="driver"), at=1005.0)
    await run.append(RunScheduled(call="run", at=2000.0), at=1006.0)
    found = await summary_of(store)
    assert (found.worked, found.waited, found.due) == (1.0, 5.0, 2000.0)


async def test_the_first_failure_is_kept_until_its_item_is_erased(store: Store) -> None:
    run = await begin(store)
    await run.append(output("fine"), output("away", failed=True), at=1002.0)
    await run.append(output("away too", failed=True), ModelFailure(call="root:1", content=FAILED))
    failure = (await summary_of(store)).failure
    assert failure is not None
    assert (failure[0].call, failure[1]) == ("away", 1002.0)
    await store.erase("run", [2])
    assert (await summary_of(store)).failure is None


async def test_a_failure_after_which_a_model_is_asked_again_is_none(store: Store) -> None:
    run = await begin(store)
    await run.append(ModelFailure(call="root:1", content=FAILED, attempt=1, retry_at=1010.0))
    assert (await summary_of(store)).failure is None
    await run.append(ModelFailure(call="root:1", content=FAILED))
    assert (await summary_of(store)).failure is not None


async def test_the_title_is_erased_with_the_header_and_the_numbers_stay(store: Store) -> None:
    run = await begin(store)
    await run.append(usage(), output())
    await store.erase("run", [0, 1, 2])
    await run.append(output())
    found = await summary_of(store)
    assert (found.title, found.calls, found.used) == ("", 2, {GPT: TokenCounts(1, 10, 1, 5, 1)})


async def test_questions_are_open_until_they_are_decided_or_expire(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(*(question_item(question(each, expires=1010)) for each in ("q1", "q2")))
    assert (await summary_of(store)).open_questions == 2
    await store.decide(yes())
    assert (await summary_of(store)).open_questions == 1
    clock.now = 1010
    assert (await summary_of(store)).open_questions == 0


async def test_an_append_that_is_refused_changes_no_summary(store: Store) -> None:
    run = await begin(store)
    refused = store.append("run", run.epoch + 1, positions("run", [usage(), output()], first=1))
    accepted = store.append("run", run.epoch, positions("run", [usage()], first=1))
    await accepted
    assert isinstance(refused.exception(), Exception)
    found = await summary_of(store)
    assert (found.calls, found.used) == (0, {GPT: TokenCounts(1, 10, 1, 5, 1)})


async def use(store: Store, name: str, at: float, *, ends: bool = True, **header: str) -> Run:
    """A run that uses 10 tokens of a prompt."""
    run = await acquire_run(store, name)
    await run.append(replace(header_item(name), **header), usage(), at=at)
    if ends:
        await run.append(RunFinished(call=name, status="done"), at=at + 1)
    return run


async def prompts(store: Store, since: float, until: float, **filters: str) -> dict[str, int]:
    """The tokens of prompts, by target."""
    rows = await store.read_usage(tenant="default", since=since, until=until, **filters)
    return {row.target: row.counts.prompt_tokens for row in rows}


async def test_usage_is_that_of_the_runs_that_were_opened_in_a_time_ended_or_not(store: Store) -> None:
    hour = DAY / 24
    for number, at in enumerate((0.0, 5 * hour, DAY - 1, DAY, DAY + hour, 2 * DAY, 5 * DAY + hour)):
        await use(store, f"ended {number}", at)
        await use(store, f"waits {number}", at, ends=False)
    for since, until, count in (
        (0.0, float("inf"), 7),
        (0.0, DAY, 3),
        (hour, DAY, 2),
        (hour, DAY + hour, 3),
        (hour, 4 * DAY + hour, 5),
        (hour, 6 * hour, 1),
        (DAY - 1, DAY + 1, 2),
        (5 * DAY, 5 * DAY + 2 * hour, 1),
        (6 * DAY, 7 * DAY, 0),
    ):
        assert await prompts(store, since, until) == ({"": count * 20} if count else {}), (since, until)


async def test_usage_is_told_by_target_and_model_and_of_one_principal_and_application(store: Store) -> None:
    await use(store, "one", 1.0, target="bakery")
    await use(store, "two", 2.0, target="bakery", principal="bob")
    await use(store, "three", 3.0, target="mill", application="cms")
    await use(store, "four", 4.0, tenant="acme")
    everything = 0.0, float("inf")
    assert await prompts(store, *everything) == {"bakery": 20, "mill": 10}
    assert await prompts(store, *everything, principal="bob") == {"bakery": 10}
    assert await prompts(store, *everything, application="cms") == {"mill": 10}
    (row,) = await store.read_usage(tenant="acme", since=0.0, until=float("inf"))
    assert row == UsageRow("", GPT, TokenCounts(1, 10, 1, 5, 1))


async def test_usage_stays_when_content_is_erased(store: Store) -> None:
    await use(store, "run", 1.0)
    await store.erase("run", [0, 1, 2])
    assert await prompts(store, 0.0, DAY) == {"": 10}


def random_items(dice: random.Random) -> list[Item]:
    """Items of a run after its header."""
    names = [GPT, MINI, ModelName("", "local")]
    kinds = (
        lambda: usage(dice.randint(0, 9), dice.choice(names)),
        lambda: output(parent=dice.choice(["", "root"]), failed=dice.random() < 0.3),
        lambda: ModelFailure(call="root:1", content=FAILED, retry_at=dice.choice([None, 1.0])),
        lambda: note("a"),
        lambda: RunSuspended(call="run", questions=()),
        lambda: RunStalled(call="run", reason="away", retry_at=float(dice.randint(1, 9))),
        lambda: RunScheduled(call="run", at=float(dice.randint(1, 9))),
        lambda: RunResumed(call="run", driver="driver"),
    )
    return [dice.choice(kinds)() for _ in range(dice.randint(1, 12))]


def cut(dice: random.Random, items: Sequence[Item]) -> list[list[Item]]:
    """The items in pieces, as appends store them."""
    pieces: list[list[Item]] = [[]]
    for item in items:
        if pieces[-1] and dice.random() < 0.5:
            pieces.append([])
        pieces[-1].append(item)
    return pieces


async def test_the_summary_of_a_run_is_the_fold_of_its_items_wherever_they_are_cut_into_appends(store: Store) -> None:
    for seed in range(40):
        dice = random.Random(seed)  # noqa: S311 - no secret
        run, at, stored = await acquire_run(store, f"run {seed}"), 1000.0, list[Position]()
        first = replace(header_item(run.run), queued=dice.random() < 0.3)
        for piece in cut(dice, [first, *random_items(dice)]):
            placed = positions(run.run, piece, epoch=run.epoch, first=len(stored))
            for index, position in enumerate(placed):
                at += dice.choice([0.0, 0.25, 4.0, -0.5])
                placed[index] = replace(position, at=at)
            await store.append(run.run, run.epoch, placed)
            stored += placed
        totals, found = RunTotals.of(stored), await summary_of(store, run.run)
        assert found == RunSummary(
            title=totals.title,
            calls=totals.calls,
            used=totals.used,
            worked=totals.worked,
            waited=totals.waited,
            due=totals.due or 0.0,
            failure=None if totals.failure is None else (totals.failure, totals.failed_at),
        ), seed
