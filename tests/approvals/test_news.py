"""A question marks what is new since the last yes of its rule."""

from __future__ import annotations

import pytest

from remit import Effect, LeafContext, Principal, Risk, tool
from remit.items import QuestionItem
from remit.journal.ports import Store
from remit.policies import Question
from remit.testing import Scripted, calls, superuser
from remit.tools import Change
from tests.runtime.kit import runtime_of

ADA, BOB = superuser(name="ada"), superuser(name="bob")
ELSEWHERE = superuser(name="ada", tenant="butcher")


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def pay(ctx: LeafContext, to: str, euros: int) -> str:
    """Pay an amount."""
    return f"{euros} to {to}"


@pytest.mark.parametrize("decided", ["approved", "denied", "edited"])
async def test_arguments_that_differ_from_the_last_approved_call_are_marked(store: Store, decided: str) -> None:
    script = [calls(("pay", {"to": "carl", "euros": each})) for each in (20, 30)]
    runtime = runtime_of(Scripted([*script, "done"]), pay, store=store)
    first = await runtime.run("go", by=ADA)
    edit = '{"to":"carl","euros":25}' if decided == "edited" else ""
    await runtime.decide(first.questions[0], approved=decided != "denied", by=ADA, arguments=edit)
    second = await runtime.resume(first.run)
    news = list[tuple[Change, ...]]()
    for question in (first.questions[0], second.questions[0]):
        row = await store.find_question(question)
        assert row is not None
        news.append(row.question.news)
    before = {"approved": "20", "edited": "25"}.get(decided)
    assert news == [(), (Change("euros", before, "30"),) if before else ()]


async def test_the_same_call_again_has_nothing_new(store: Store) -> None:
    runtime = runtime_of(Scripted([calls(("pay", {"to": "carl", "euros": 20})), "done"]), pay, store=store)
    first = await runtime.run("go", by=ADA)
    await runtime.decide(first.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(first.run)).status == "done"
    second = await runtime.run("go", by=ADA)
    row = await store.find_question(second.questions[0])
    assert row is not None
    assert row.question.news == ()


async def ask_again(store: Store, first: Principal, second: Principal, conversations: tuple[str, str]) -> Question:
    """A question about a payment of 30 by ``second``, after a payment of 20 by ``first`` was approved."""
    script = [calls(("pay", {"to": "carl", "euros": euros})) for euros in (20, 30)]
    earlier = [script[0], "done"]
    runtime = runtime_of(Scripted(earlier), pay, store=store)
    one = await runtime.run("go", by=first, conversation=conversations[0])
    await runtime.decide(one.questions[0], approved=True, by=first)
    assert (await runtime.resume(one.run)).status == "done"
    history = earlier if conversations == ("talk", "talk") else []
    runtime = runtime_of(Scripted([*history, script[1], "done"]), pay, store=store)
    two = await runtime.run("go", by=second, conversation=conversations[1])
    row = await store.find_question(two.questions[0])
    assert row is not None
    return row.question


@pytest.mark.parametrize("conversations", [("talk", "talk"), ("talk", "chat"), ("", "")])
async def test_what_is_new_is_found_over_all_runs(store: Store, conversations: tuple[str, str]) -> None:
    question = await ask_again(store, ADA, ADA, conversations)
    assert question.news == (Change("euros", "20", "30"),)


STRANGERS = {
    "another principal": (ADA, BOB, ("talk", "talk")),
    "another tenant": (ADA, ELSEWHERE, ("talk", "talk")),
}


@pytest.mark.parametrize("other", STRANGERS)
async def test_the_approvals_of_others_are_not_compared_with(store: Store, other: str) -> None:
    assert (await ask_again(store, *STRANGERS[other])).news == ()


async def test_an_approved_call_that_was_erased_is_not_compared_with(store: Store) -> None:
    script = [calls(("pay", {"to": "carl", "euros": euros})) for euros in (20, 30)]
    runtime = runtime_of(Scripted([script[0], "done", script[1], "done"]), pay, store=store)
    one = await runtime.run("go", by=ADA, conversation="talk")
    await runtime.decide(one.questions[0], approved=True, by=ADA)
    await runtime.resume(one.run)
    asked = [each.seq for each in await store.read(one.run) if isinstance(each.item, QuestionItem)]
    await store.erase(one.run, asked)
    two = await runtime.run("go", by=ADA, conversation="talk")
    row = await store.find_question(two.questions[0])
    assert row is not None
    assert row.question.news == ()


async def test_arguments_are_told_in_words(store: Store) -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def note(page: dict[str, str]) -> str:
        """Note a page."""
        return page["id"]

    pages = ({"id": "p1", "name": "About"}, {"id": "p2", "name": "Contact"})
    runtime = runtime_of(Scripted([*(calls(("note", {"page": each})) for each in pages), "done"]), note, store=store)
    first = await runtime.run("go", by=ADA)
    await runtime.decide(first.questions[0], approved=True, by=ADA)
    second = await runtime.resume(first.run)
    row = await store.find_question(second.questions[0])
    assert row is not None
    assert row.question.news == (Change("page", "About", "Contact"),)
