"""A trial lists the recorded calls on which a changed policy differs, and counts those that it cannot judge."""

from __future__ import annotations

import json

import pytest

from remit import Allow, App, Ask, Block, Context, Effect, Policy, Principal, Risk, When, tool
from remit.call.call import Call
from remit.client.client import Client
from remit.journal.memory import InMemoryStore
from remit.policies import After
from remit.runtime import Runtime
from remit.testing.store_suite.samples import Clock


@tool(effect=Effect.PURE)
async def read_note(name: str) -> str:
    """Read a note."""
    return name


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def delete_note(name: str) -> str:
    """Delete a note."""
    return name


@tool(effect=Effect.IDEMPOTENT)
async def pay(euros: int) -> int:
    """Pay an amount."""
    return euros


@tool(effect=Effect.COMPOSED)
async def settle(ctx: Context, euros: int) -> int:
    """Pay by another tool."""
    return await ctx.call(pay, euros)


ADA = Principal("ada", permissions=frozenset({"runs:read"}))


def is_large(call: Call) -> bool:
    return json.loads(call.canonical_arguments)["euros"] > 100


LARGE = When("large payments", is_large, Ask(reason="large"), tools={"pay"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> InMemoryStore:
    return InMemoryStore(clock)


def client_of(store: InMemoryStore, policy: Policy | None = None) -> Client:
    app = App(name="notes", tools=(read_note, delete_note, pay, settle), policy=policy)
    return Runtime(app, store=store).client(ADA)


async def test_the_policy_in_force_changes_nothing(store: InMemoryStore) -> None:
    client = client_of(store, Policy(LARGE))
    for name, arguments in (("read_note", {"name": "a"}), ("delete_note", {"name": "a"}), ("pay", {"euros": 500})):
        await client.call(name, arguments)
    trial = await client.try_policy(Policy(LARGE), since=0)
    assert (trial.runs, trial.calls, trial.groups) == (3, 3, [])


async def test_calls_newly_asked_about_newly_blocked_and_no_longer_asked_about_are_three_lists(
    store: InMemoryStore,
) -> None:
    client = client_of(store)
    read, deleted, paid, large = [
        (await client.call(name, arguments)).run
        for name, arguments in (
            ("read_note", {"name": "a"}),
            ("delete_note", {"name": "a"}),
            ("pay", {"euros": 50}),
            ("pay", {"euros": 500}),
        )
    ]
    new = Policy.only(LARGE, When("secret", verdict=Block(reason="secret"), tools={"read_note"}))
    trial = await client.try_policy(new, since=0)
    assert [(each.tool, each.examples[0].run) for each in trial.newly_asked] == [("pay", large)]
    assert [(each.tool, each.examples[0].run) for each in trial.newly_blocked] == [("read_note", read)]
    assert [(each.tool, each.examples[0].run) for each in trial.looser] == [("delete_note", deleted)]
    assert (trial.looser[0].before, trial.looser[0].before_rule, trial.looser[0].after) == (
        "approved",
        "high risk",
        "allowed",
    )
    assert paid not in {each.run for group in trial.groups for each in group.examples}


async def test_many_equal_differences_are_one_group_with_a_few_examples(store: InMemoryStore) -> None:
    client = client_of(store)
    for euros in range(101, 111):
        await client.call("pay", {"euros": euros})
    trial = await client.try_policy(Policy(LARGE), since=0, examples=2)
    group = trial.groups[0]
    assert (len(trial.groups), group.calls, group.runs) == (1, 10, 10)
    assert [each.arguments for each in group.examples] == ['{"euros":110}', '{"euros":109}']


async def test_a_question_that_goes_to_others_or_needs_less_is_listed_as_looser(store: InMemoryStore) -> None:
    client = client_of(store, Policy(When("pay", verdict=Ask(reason="money", four_eyes=True), tools={"pay"})))
    await client.call("pay", {"euros": 1})
    for ask in (Ask(reason="money"), Ask(reason="money", kind="confirm"), Ask(reason="m", who="a:b", four_eyes=True)):
        trial = await client.try_policy(Policy(When("pay", verdict=ask, tools={"pay"})), since=0)
        assert [each.kind for each in trial.groups] == ["looser"]


async def test_a_rule_that_fails_blocks_the_call(store: InMemoryStore) -> None:
    client = client_of(store)
    await client.call("pay", {"euros": 1})

    def fail(_call: object) -> bool:
        raise ValueError("no")

    trial = await client.try_policy(Policy(When("broken", fail, Allow())), since=0)
    assert [(each.after, "broken" in each.examples[0].after.reason) for each in trial.newly_blocked] == [
        ("blocked", True)
    ]


async def test_calls_of_a_body_are_judged_by_rules_without_arguments_and_counted_under_others(
    store: InMemoryStore,
) -> None:
    client = client_of(store)
    await client.call("settle", {"euros": 500})
    every = await client.try_policy(Policy(When("pay", verdict=Ask(reason="money"), tools={"pay"})), since=0)
    assert [(each.tool, each.calls) for each in every.newly_asked] == [("pay", 1)]
    large = await client.try_policy(Policy(LARGE), since=0)
    assert (large.groups, large.unjudged, large.calls) == ([], {"unrecorded": 1}, 1)


async def test_calls_of_a_tool_that_is_gone_are_counted(store: InMemoryStore) -> None:
    await client_of(store).call("pay", {"euros": 500})
    later = Runtime(App(name="notes", tools=(read_note,)), store=store).client(ADA)
    trial = await later.try_policy(Policy(LARGE), since=0)
    assert (trial.calls, trial.unjudged) == (0, {"unknown tool": 1})


async def test_calls_with_erased_arguments_are_counted(store: InMemoryStore) -> None:
    client = client_of(store)
    run = (await client.call("pay", {"euros": 500})).run
    await store.erase(run, [0])
    trial = await client.try_policy(Policy(LARGE), since=0)
    assert (trial.calls, trial.unjudged) == (0, {"erased": 1})
    await store.erase(run, [each.seq for each in await store.read(run)])
    trial = await client.try_policy(Policy.only(), since=0)
    assert (trial.calls, trial.unjudged) == (0, {"erased": 1})


async def test_arguments_that_the_tool_no_longer_takes_are_counted(store: InMemoryStore) -> None:
    await client_of(store).call("pay", {"euros": 500})

    @tool(effect=Effect.IDEMPOTENT, name="pay")
    async def pay_cents(cents: int) -> int:
        """Pay an amount."""
        return cents

    later = Runtime(App(name="notes", tools=(pay_cents,)), store=store).client(ADA)
    trial = await later.try_policy(Policy(LARGE), since=0)
    assert (trial.calls, trial.unjudged) == (0, {"unfit arguments": 1})


async def test_only_runs_of_the_period_and_of_the_principal_are_read(store: InMemoryStore, clock: Clock) -> None:
    client = Runtime(App(name="notes", tools=(pay,)), store=store, clock=clock).client(ADA)
    await client.call("pay", {"euros": 500})
    clock.now += 1000
    await client.call("pay", {"euros": 600})
    assert (await client.try_policy(Policy(LARGE), since=clock.now)).calls == 1
    assert (await client.try_policy(Policy(LARGE), since=0, until=clock.now)).calls == 1
    app = App(name="notes", tools=(pay,))
    stranger = Runtime(app, store=store).client(Principal("eve"))
    assert (await stranger.try_policy(Policy(LARGE), since=0)).runs == 0


async def test_a_call_that_was_refused_before_the_policy_is_not_judged(store: InMemoryStore) -> None:
    client = client_of(store)
    await client.call("pay", {"euros": "many"})
    trial = await client.try_policy(Policy(LARGE), since=0)
    assert (trial.calls, trial.refused) == (0, 1)


async def test_rules_that_read_the_run_see_it_as_it_was_at_the_call(store: InMemoryStore) -> None:
    client = client_of(store)
    async with client.open_run() as run:
        for name in ("a", "b"):
            await run.call("pay", {"euros": 1})
            await run.call("read_note", {"name": name})
    rule = When("no payment after reading", After("read_note"), Block(reason="no"), tools={"pay"})
    trial = await client.try_policy(Policy(rule), since=0)
    assert [(each.kind, each.tool, each.calls) for each in trial.groups] == [("blocked", "pay", 1)]


async def test_calls_on_which_a_rule_reads_other_runs_are_counted(store: InMemoryStore) -> None:
    client = client_of(store)
    await client.call("pay", {"euros": 1})
    rule = When("no payment after reading", After("read_note", per="tenant"), Block(reason="no"), tools={"pay"})
    trial = await client.try_policy(Policy(rule), since=0)
    assert (trial.calls, trial.unjudged) == (0, {"other runs": 1})
