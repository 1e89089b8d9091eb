"""A client sees and does what its principal may: own runs, those of the tenant with a permission, nothing else."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from remit import App, Client, Effect, Principal, Risk, Runtime, tool
from remit.errors import NotFoundError, RemitError, RequestError, SetupError
from remit.items import ItemEvent, RunFinished, RunSuspended
from remit.stores import Store
from remit.testing import Scripted, calls, history_errors, superuser
from tests.runtime.kit import Clock, World, runtime_of

ERASE = calls(("erase", {"text": "about"}))
ADA = Principal("ada", "bakery", frozenset({"approvals:decide"}))
BOB = Principal("bob", "bakery")
BOSS = Principal("boss", "bakery", frozenset({"runs:*", "approvals:decide"}))


def runtime_for(store: Store, *script: Any, clock: Clock | None = None) -> Runtime:
    return runtime_of(
        Scripted(list(script) or ["done"] * 9),
        World().write("erase", Effect.KEYED, Risk.HIGH),
        store=store,
        clock=clock or time.time,
        directory=None,
    )


def client(runtime: Runtime, principal: Principal = ADA) -> Client:
    return runtime.client(principal)


async def ids(client: Client, **filters: Any) -> list[str]:
    return [row.run for row in (await client.runs(**filters)).items]


async def test_a_client_lists_its_own_runs_and_with_a_permission_those_of_the_tenant(store: Store) -> None:
    clock = Clock()
    runtime = runtime_for(store, clock=clock)
    runs = list[str]()
    for principal in (ADA, BOB, superuser(tenant="elsewhere")):
        clock.now += 1
        runs.append(await client(runtime, principal).submit("go"))
    assert await ids(client(runtime)) == [runs[0]]
    assert await ids(client(runtime, BOSS)) == [runs[1], runs[0]]
    assert await ids(client(runtime, BOSS), since=1002, until=1003) == [runs[1]]
    assert await ids(client(runtime, BOSS), agent="agent", status="running", conversation="") == [runs[1], runs[0]]
    assert await ids(client(runtime, BOSS), agent="erase") == []


async def test_a_permission_for_targets_lists_their_runs_beside_the_own_ones(store: Store) -> None:
    clock = Clock()
    runtime = runtime_for(store, clock=clock)
    runs = dict[tuple[str, str], str]()
    for name, tenant, target in (
        ("bob", "bakery", "bread/main"),
        ("ada", "bakery", "cakes/main"),
        ("bob", "bakery", "cakes/main"),
        ("bob", "bakery", ""),
        ("bob", "elsewhere", "bread/main"),
        ("bob", "bakery", "bread/test"),
    ):
        clock.now += 1
        runs[tenant, f"{name} {target}"] = await client(runtime, Principal(name, tenant)).submit("go", target=target)
    reader = client(runtime, Principal("ada", "bakery", frozenset({"runs:read@bread/*"})))
    expected = [runs["bakery", each] for each in ("bob bread/test", "ada cakes/main", "bob bread/main")]
    assert await ids(reader) == expected
    first = await reader.runs(limit=2)
    assert [row.run for row in (*first, *await reader.runs(limit=2, before=first.next))] == expected
    assert await ids(reader, target="cakes/main") == [runs["bakery", "ada cakes/main"]]
    assert await ids(reader, status="done") == []


async def test_a_page_is_a_sequence_of_its_items(store: Store) -> None:
    ada = client(runtime_for(store))
    run = await ada.submit("go")
    page = await ada.runs()
    assert ([row.run for row in page], len(page)) == ([run], 1)


async def test_a_status_that_no_run_can_have_is_refused(store: Store) -> None:
    with pytest.raises(RequestError, match="status is 'waitin'; give one of 'queued', 'running', 'open', 'wait"):
        await client(runtime_for(store)).runs(status=cast("Any", "waitin"))


async def test_the_pages_of_runs_follow_one_another_until_the_last(store: Store) -> None:
    runtime = runtime_for(store, clock=Clock())
    ada = client(runtime)
    runs = {await ada.submit("go") for _ in range(5)}
    first = await ada.runs(limit=3)
    second = await ada.runs(limit=3, before=first.next)
    assert (len(first.items), len(second.items), second.next) == (3, 2, "")
    assert {row.run for row in (*first.items, *second.items)} == runs
    for limit in (0, 1001):
        with pytest.raises(RequestError, match="give a whole number from 1 to 1000"):
            await ada.runs(limit=limit)


async def test_a_run_of_another_application_does_not_exist(store: Store) -> None:
    run = await client(runtime_for(store)).submit("go")
    other = Runtime(App(name="other", agents=runtime_for(store).app.agents), model=Scripted([]), store=store)
    assert await ids(other.client(ADA)) == []
    with pytest.raises(RequestError, match=f"^run {run} does not exist$"):
        await other.client(ADA).status(run)


async def test_a_question_of_another_application_does_not_exist(store: Store) -> None:
    (question,) = (await client(runtime_for(store, ERASE)).run("go")).questions
    other = Runtime(App(name="other", agents=runtime_for(store).app.agents), model=Scripted([]), store=store).client(
        ADA
    )
    assert (await other.questions()).items == []
    for attempt in (
        other.question(question),
        other.questions(after=question),
        other.decide(question, approved=True),
        other.decide(question, approved=False, kind="confirm"),
    ):
        with pytest.raises(RequestError, match=f"^question {question} does not exist$"):
            await attempt


async def test_details_tell_what_a_waiting_run_waits_for_and_then_its_result_and_usage(store: Store) -> None:
    ada = client(runtime_for(store, ERASE, "erased"))
    waiting = await ada.run("go")
    details = await ada.details(waiting.run)
    assert (details.row.status, details.text) == ("waiting", "")
    (asked,) = details.questions
    await ada.decide(asked.question.id, approved=True, reason="fine")
    await ada.resume(waiting.run)
    details = await ada.details(waiting.run)
    assert (details.row.status, details.text, details.error, details.questions) == ("done", "erased", "", ())
    assert details.usage.requests == 2
    assert await ada.usage(since=0, until=details.row.opened + 1) == details.usage
    assert (await ada.usage(since=0, until=details.row.opened)).requests == 0


async def test_details_of_failed_cancelled_and_executing_runs_say_so(store: Store) -> None:
    runtime = runtime_for(store, calls(("erase", {"text": "x"})))
    ada = client(runtime)
    failed = await ada.call("erase", "{")
    details = await ada.details(failed.run)
    assert details.row.status == "failed"
    assert details.error.startswith("VALIDATION_ERROR")
    run = await ada.submit("go")
    assert (await ada.details(run)).row.status == "running"
    assert await ada.cancel(run) == "cancelled"
    assert "cancelled" in (await ada.details(run)).text


async def test_a_pending_call_stands_as_pending_in_a_valid_history_and_on_no_record(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased")
    ada = client(runtime)
    run = (await ada.run("go")).run
    before = await store.read(run)
    messages = [json.loads(text) for text in await ada.history(run)]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]
    assert json.loads(messages[2]["content"])["pending"] is True
    assert history_errors(await ada.history(run)) == []
    assert await store.read(run) == before
    (row,) = (await ada.questions()).items
    await ada.decide(row.question.id, approved=True)
    await ada.resume(run)
    assert "pending" not in "".join(await ada.history(run))
    assert (await runtime.replay(run)).is_identical


async def test_questions_are_those_that_the_principal_may_decide_or_has_caused(store: Store) -> None:
    runtime = runtime_for(store, *[ERASE] * 4)
    for principal in (BOB, BOB, ADA):
        await client(runtime, principal).run("go")
    assert len((await client(runtime, BOB).questions()).items) == 2
    assert len((await client(runtime, ADA).questions()).items) == 3
    assert (await client(runtime, Principal("eve", "bakery")).questions()).items == []
    assert (await client(runtime, superuser(tenant="elsewhere")).questions()).items == []
    first = await client(runtime).questions(limit=2)
    second = await client(runtime).questions(limit=2, after=first.next)
    assert [row.question.asker for row in (*first.items, *second.items)] == ["bob", "bob", "ada"]
    asked = first.items[0].question
    await client(runtime).decide(asked.id, approved=False)
    assert (await client(runtime).questions(run=asked.run)).items == []
    assert len((await client(runtime).questions(run=asked.run, status="all")).items) == 1


async def test_an_unknown_id_and_one_out_of_sight_are_refused_alike(store: Store) -> None:
    runtime = runtime_for(store, ERASE)
    run = (await client(runtime, BOB).run("go")).run
    (row,) = (await client(runtime, BOB).questions()).items
    for eve in (Principal("eve", "bakery"), superuser(name="bob", tenant="elsewhere")):
        outside = client(runtime, eve)
        for act in (outside.status, outside.details, outside.history, outside.resume, outside.cancel, outside.items):
            with pytest.raises(RequestError, match=f"^run {run} does not exist$"):
                await act(run)
        with pytest.raises(RequestError, match=f"^question {row.question.id} does not exist$"):
            await outside.decide(row.question.id, approved=True)


async def test_an_edge_tells_missing_denied_conflicting_and_invalid_requests_apart_by_their_codes(store: Store) -> None:
    runtime = runtime_for(store, ERASE, ERASE, ERASE)
    ada, bob, boss = client(runtime), client(runtime, BOB), client(runtime, BOSS)
    reader = client(runtime, Principal("reader", "bakery", frozenset({"runs:read"})))
    run = (await bob.run("go", conversation="talk")).run
    (row,) = (await bob.questions()).items
    await client(runtime, Principal("eve", "elsewhere")).run("go", conversation="theirs")
    shop = runtime.grants
    grant = await shop.create("erase", by=BOSS, principal="bob", count=1, expires_in=60)

    async def code_of(request: Awaitable[object]) -> str:
        with pytest.raises(RequestError) as caught:
            await request
        return caught.value.code

    missing = [
        ada.status(run),
        ada.resume(run),
        ada.cancel(run),
        ada.items(run),
        ada.history("nothing"),
        ada.grant("nothing"),
        ada.conversation("theirs"),
        ada.conversation("nothing"),
        ada.delete_conversation("theirs"),
        ada.decide("nothing", approved=True),
        ada.call("nothing", {}),
        ada.run("go", agent="nothing"),
        runtime.resume("nothing"),
        runtime.cancel("nothing", by=ADA),
        shop.revoke("nothing", by=ADA),
    ]
    denied = [
        bob.decide(row.question.id, approved=True),
        bob.create_grant("erase", principal="bob", count=1, expires_in=60),
        reader.cancel(run),
        reader.rename_conversation("talk", "mine"),
        reader.run("go", conversation="talk"),
        bob.revoke_grant(grant.id),
        runtime.cancel(run, by=ADA),
    ]
    conflicting = [bob.run("go", conversation="talk"), bob.run("go", conversation="talk", target="other")]
    invalid = [
        bob.runs(limit=0),
        bob.run("go", target="a b"),
        bob.conversations(before="x"),
        boss.share_conversation("talk", ""),
    ]
    assert {await code_of(each) for each in missing} == {"REQUEST_NOT_FOUND"}
    assert {await code_of(each) for each in denied} == {"REQUEST_DENIED"}
    assert {await code_of(each) for each in conflicting} == {"REQUEST_CONFLICT"}
    assert {await code_of(each) for each in invalid} == {"BAD_REQUEST"}
    await boss.decide(row.question.id, approved=False)
    await boss.revoke_grant(grant.id)
    settled = [boss.decide(row.question.id, approved=True), boss.revoke_grant(grant.id)]
    assert {await code_of(each) for each in settled} == {"REQUEST_CONFLICT"}


async def test_what_no_database_can_hold_is_refused_in_one_line(store: Store) -> None:
    runtime = runtime_for(store)
    run, own = (await client(runtime).run("go")).run, client(runtime)
    for act in (lambda: own.items(run, after=10**30), lambda: anext(own.stream(run, after=10**30))):
        with pytest.raises(RemitError, match=r"after has 100 bits; give a whole number of at most 63$"):
            await act()
    for after in (" ", "a\ud800", "1~", "1~2", "1~1.1.x.call", "9" * 30):
        with pytest.raises(RequestError, match=r"^after is '.*'; give the after of an event, or a number$"):
            own.stream(run, after=after)  # before a server has sent the status of its answer
    assert (await ids(own, since=10**300), await ids(own, until=10**300)) == ([], [run])
    for act in (own.status, own.history, own.question, own.grant):
        with pytest.raises(RequestError, match=r"^[a-z]+ is 'a\\ud800'; give a string without lone surrogates$"):
            await act("a\ud800")


async def test_who_may_cancel_runs_of_others_needs_no_right_to_read_them(store: Store) -> None:
    runtime = runtime_for(store, ERASE)
    run = (await client(runtime, BOB).run("go")).run
    stopper = client(runtime, Principal("stopper", "bakery", frozenset({"runs:cancel"})))
    with pytest.raises(RequestError, match="does not exist"):
        await stopper.status(run)
    assert await stopper.cancel(run) == "cancelled"


async def test_a_stream_yields_each_item_once_while_the_run_executes_elsewhere(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased")
    ada = client(runtime)
    run, has_begun = await ada.submit("go"), asyncio.Event()
    streamed: list[ItemEvent] = []

    async def follow() -> None:
        async for event in ada.stream(run, poll_seconds=0.01):
            has_begun.set()
            streamed.extend([event] if isinstance(event, ItemEvent) else [])

    async def execute() -> None:
        await has_begun.wait()
        await ada.resume(run)
        (row,) = (await ada.questions(run=run)).items
        await ada.decide(row.question.id, approved=True)
        await ada.resume(run)

    async with asyncio.TaskGroup() as group:  # if one fails, the other does not go on for ever
        group.create_task(follow())
        group.create_task(execute())
    assert [event.position.seq for event in streamed] == list(range(len(streamed)))
    assert any(isinstance(event.item, RunSuspended) for event in streamed)
    assert isinstance(streamed[-1].item, RunFinished)
    for after, first in ((streamed[-3].after, -2), (streamed[-3].position.seq, -2), ("", 0)):
        assert [event async for event in ada.stream(run, after=after)] == streamed[first:]


async def test_the_grants_of_a_principal_are_listed_page_by_page(store: Store) -> None:
    runtime = runtime_for(store)
    ada, eve = client(runtime), client(runtime, Principal("eve", "bakery"))
    given = [
        (await ada.create_grant("erase", principal=name, count=1, expires_in=60)).id
        for name in ("eve", "bob", "eve", "bob", "eve")
    ]
    first = await eve.grants(limit=2)
    second = await eve.grants(limit=2, after=first.next)
    assert [row.grant.id for row in (*first.items, *second.items)] == given[::2]
    assert second.next == ""
    assert [row.grant.id for row in (await ada.grants()).items] == given
    assert (await eve.grant(given[0])).grant.principal == "eve"
    for foreign in (given[1], "unknown"):
        with pytest.raises(RequestError, match=f"^grant {foreign} does not exist$"):
            await eve.grants(after=foreign)
    with pytest.raises(RequestError, match="limit is 0"):
        await eve.grants(limit=0)


async def test_a_client_gives_and_lists_grants_and_files_of_its_principal(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased")
    ada, bob = client(runtime), client(runtime, BOB)
    grant = await ada.create_grant("erase", principal="bob", count=1, expires_in=60)
    assert [row.grant.id for row in (await bob.grants()).items] == [grant.id]
    assert (await client(runtime, Principal("eve", "bakery")).grants()).items == []
    assert (await bob.run("go")).status == "done"
    with pytest.raises(RequestError, match=r"^grant unknown does not exist$"):
        await ada.revoke_grant("unknown")
    await ada.revoke_grant(grant.id)
    artifact = await ada.add_artifact(b"text", name="a.txt")
    assert await ada.read_artifact(artifact, offset=1, length=2) == b"ex"
    with pytest.raises(NotFoundError):
        await bob.read_artifact(artifact)


async def test_a_tool_is_called_with_a_mapping_or_json(store: Store) -> None:
    @tool(effect=Effect.PURE)
    async def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    ada = Runtime(App(name="count", tools=[double]), store=store).client(ADA)
    assert (await ada.call("double", {"number": 4})).value() == 8
    assert (await ada.call("double", '{"number": 4}', idempotency_key="k")).value() == 8
    with pytest.raises(RequestError, match="double: JSON cannot hold the arguments"):
        await ada.call("double", {"number": object()})
    with pytest.raises(RequestError, match="give a mapping"):
        await ada.call("double", 4)  # pyright: ignore[reportArgumentType] - the test's point


def test_a_client_needs_a_principal_that_has_signed_in(store: Store) -> None:
    with pytest.raises(RequestError, match="needs an authenticated principal"):
        runtime_for(store).client(Principal("Anonymous"))
    with pytest.raises(SetupError, match="give a Principal"):
        runtime_for(store).client("ada")  # pyright: ignore[reportArgumentType] - the test's point


@pytest.mark.parametrize(
    ("method", "of_runtime"), [("run", "run"), ("submit", "submit"), ("call", "call_by_name"), ("decide", "decide")]
)
def test_a_client_offers_every_option_of_the_runtime(method: str, of_runtime: str) -> None:
    options = inspect.signature(getattr(Client, method)).parameters
    unpacked = inspect.get_annotations(Client.__dict__[method], eval_str=True).get("options")
    offered = {*options, *(unpacked.__args__[0].__annotations__ if unpacked else ())}
    missing = (
        set(inspect.signature(getattr(Runtime, of_runtime)).parameters) - offered - {"by", "name", "schedule"}
    )  # which has a method of its own
    assert missing == set()


async def test_a_client_schedules_lists_and_withdraws_calls(store: Store) -> None:
    ada = client(runtime_for(store))
    at = datetime(2099, 12, 24, 9, tzinfo=UTC)
    run = (await ada.schedule("erase", {"text": "about"}, at=at)).run
    details = await ada.details(run)
    assert details.row.status == "waiting"
    await client(runtime_for(store), BOSS).decide(details.questions[0].question.id, approved=True)
    assert (await ada.resume(run)).status == "scheduled"
    assert await ids(ada, status="scheduled") == [run]
    assert (await ada.details(run)).retry_at == at.timestamp()
    assert await ids(client(runtime_for(store), BOB), status="scheduled") == []
    assert await ada.cancel(run) == "cancelled"
