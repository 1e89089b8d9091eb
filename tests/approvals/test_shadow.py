"""A shadow policy judges every call and changes none; where it differs, a note of the call says so."""

from __future__ import annotations

from collections.abc import Callable

from remit import App, Ask, Block, Effect, Policy, Principal, Risk, Runtime, When, tool
from remit.approvals.shadow import SHADOW_NOTE
from remit.call.call import Call
from remit.client.client import Client
from remit.items import Note
from remit.journal.memory import InMemoryStore

MADE: list[str] = []


@tool(effect=Effect.IDEMPOTENT)
async def pay(to: str) -> str:
    """Pay somebody."""
    MADE.append(to)
    return to


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def delete(name: str) -> str:
    """Delete something."""
    return name


def client_of(shadow: Policy, store: InMemoryStore) -> Client:
    return Runtime(App(name="shop", tools=(pay, delete), shadow=shadow), store=store).client(Principal("ada"))


def paying(test: Callable[[Call], bool] | None = None) -> Policy:
    return Policy(When("payments", test, Block(reason="no money"), tools={"pay"}))


async def test_a_call_that_the_shadow_would_block_runs_and_is_listed() -> None:
    client = client_of(paying(), InMemoryStore())
    result = await client.call("pay", {"to": "baker"})
    assert (result.status, MADE[-1]) == ("done", "baker")
    trial = await client.shadow_trial(since=0)
    assert [(each.tool, each.after_rule, each.examples[0].run) for each in trial.newly_blocked] == [
        ("pay", "payments", result.run)
    ]


async def test_a_call_that_the_shadow_would_not_ask_about_is_asked_about_and_listed() -> None:
    client = client_of(Policy.only(), InMemoryStore())
    assert (await client.call("delete", {"name": "a"})).status == "waiting"
    assert [each.tool for each in (await client.shadow_trial(since=0)).looser] == ["delete"]


async def test_a_shadow_that_agrees_leaves_no_note() -> None:
    store = InMemoryStore()
    client = client_of(Policy(), store)
    run = (await client.call("pay", {"to": "baker"})).run
    assert not [each for each in await store.read(run) if isinstance(each.item, Note)]
    assert (await client.shadow_trial(since=0)).groups == []


async def test_an_error_in_the_shadow_ends_no_call() -> None:
    def fail(_call: Call) -> bool:
        raise ValueError("broken")

    client = client_of(paying(fail), InMemoryStore())
    assert (await client.call("pay", {"to": "baker"})).status == "done"
    (group,) = (await client.shadow_trial(since=0)).newly_blocked
    assert "broken" in group.examples[0].after.reason


async def test_a_resumed_call_has_one_note_and_replays_under_another_shadow() -> None:
    store = InMemoryStore()
    ask = Policy(When("deletions", verdict=Ask(reason="gone", four_eyes=True), tools={"delete"}))
    boss = Principal("ada", permissions=frozenset({"approvals:decide"}))
    app = App(name="shop", tools=(pay, delete), shadow=ask)
    client = Runtime(app, store=store).client(boss)
    run = (await client.call("delete", {"name": "a"})).run
    await client.decide((await client.questions()).items[0].question.id, approved=True)
    assert (await client.resume(run)).status == "done"
    notes = [each.item for each in await store.read(run) if isinstance(each.item, Note)]
    assert [each.name for each in notes] == [SHADOW_NOTE]
    assert (await client_of(Policy.only(), store).replay(run)).is_identical
