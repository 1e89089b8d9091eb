"""People are asked once for the calls of a pipeline that are known beforehand, and those run exactly as shown, once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit import Effect, Policy, Risk, When
from remit.policies import Ask, Decision, Egress, HighRisk
from remit.record.items import DecisionItem
from tests.approvals.office import ADA, ALL, BOB, CYD, Invitation, Office
from tests.runtime.kit import Crash, items_of


async def test_one_question_shows_all_calls_that_are_known_and_the_rest_is_asked_when_it_is_known() -> None:
    office = Office()
    people = [f"p{number}" for number in range(40)]
    result = await office.start(*people)
    (row,) = await office.answer()
    assert [each.tool for each in row.question.plan] == ["send"] * 40
    assert [json.loads(each.arguments)["to"] for each in row.question.plan] == people
    assert {each.rule for each in row.question.plan} == {"high risk"}
    assert office.sent == []
    result = await office.resume(result.run)
    assert [to for to, _ in office.sent] == people
    (row,) = await office.answer()
    assert (row.question.tool, json.loads(row.question.arguments)) == (
        "send",
        {"confirmed": True, "to": "head", "words": "p0"},
    )
    result = await office.resume(result.run)
    assert (result.value().outcome, len(office.sent)) == ("done", 41)
    office.check()
    assert (await office.process().replay(result.run)).difference == ""
    items = await items_of(office.store, result.run)
    decisions = [Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)]
    assert ({each.by for each in decisions}, len(decisions)) == ({"bob"}, 42)


async def test_a_no_to_the_pipeline_runs_none_of_its_calls() -> None:
    office = Office()
    result = await office.start("a", "b")
    await office.answer(approved=False)
    result = await office.resume(result.run)
    assert (result.status, office.sent) == ("failed", [])


async def test_a_pipeline_that_the_policy_allows_is_asked_about_for_the_sake_of_its_calls() -> None:
    office = Office(policy=ALL, risk=Risk.SAFE, egress=True)
    result = await office.start("a", "b")
    (row,) = await office.answer()
    assert (row.question.tool, row.question.rule, len(row.question.plan)) == ("party", "egress", 2)
    assert row.question.reason == "party makes calls that need approval: send sends data out of the system"
    result = await office.resume(result.run)
    assert [to for to, _ in office.sent] == ["a", "b"]
    (row,) = await office.answer()
    assert row.question.tool == "send", "what an earlier step determines"
    assert (await office.resume(result.run)).value().outcome == "done"
    assert (await office.process().replay(result.run)).difference == ""


async def test_a_nested_pipeline_is_covered_with_its_calls() -> None:
    office = Office(nested=True)
    result = await office.start("a", "b")
    (row,) = await office.answer()
    assert [each.tool for each in row.question.plan] == ["invite_all", "send", "send"]
    result = await office.resume(result.run)
    assert (result.value().outcome, [to for to, _ in office.sent]) == ("done", ["a", "b"])
    assert (await office.process().replay(result.run)).difference == ""
    safe = Office(policy=ALL, risk=Risk.SAFE, egress=True, nested=True)
    result = await safe.start("a", "b")
    (row,) = await safe.answer()
    assert (await safe.resume(result.run)).value().outcome == "done"


async def test_a_call_that_would_be_refused_today_is_not_shown() -> None:
    office = Office(gate=True)
    await office.start("a", "bob", "c")
    (row,) = await office.open_rows()
    assert [json.loads(each.arguments)["to"] for each in row.question.plan] == ["a", "c"]


async def test_a_pipeline_shows_at_most_a_hundred_calls_and_asks_about_the_others_together() -> None:
    office = Office()
    result = await office.start(*[f"p{number}" for number in range(103)])
    (row,) = await office.answer()
    assert len(row.question.plan) == 100
    await office.resume(result.run)
    assert [len(office.sent), len(await office.open_rows())] == [100, 3]


async def test_arguments_that_one_question_cannot_show_are_asked_about_by_themselves() -> None:
    office = Office()
    result = await office.start("a", "b", words="x" * 100_000)
    (row,) = await office.answer()
    assert len(row.question.plan) == 1
    await office.resume(result.run)
    assert [len(office.sent), len(await office.open_rows())] == [1, 1]


async def test_an_approval_that_has_expired_covers_nothing() -> None:
    soon = Policy.only(When("letters", lambda call: call.callee.name == "send", Ask(reason="letters", expires_in=60.0)))
    office = Office(policy=soon)
    result = await office.start("a")
    (row,) = await office.answer()
    assert (row.question.tool, row.question.expires - row.question.asked) == ("party", 60.0)
    office.store.die_at(1, after=True)
    with pytest.raises(Crash):
        await office.resume(result.run)
    assert office.sent == []
    office.store.revive()
    office.clock.now += 61.0
    result = await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, office.sent) == ("send", [])


async def test_a_pipeline_is_not_approved_for_longer_than_its_calls() -> None:
    mixed = Policy.only(
        When("letters", lambda call: call.callee.name == "send", Ask(reason="letters", expires_in=60.0)),
        HighRisk(),
    )
    office = Office(policy=mixed)
    result = await office.start("a")
    office.clock.now += 61.0
    (row,) = await office.answer()
    assert row.question.rule == "high risk"
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, office.sent) == ("send", [])


async def crash_after_the_answer(office: Office) -> str:
    """The run of a pipeline that was approved, and whose process died before it made a call."""
    result = await office.start("a")
    await office.answer()
    office.store.die_at(1, after=True)
    with pytest.raises(Crash):
        await office.resume(result.run)
    office.store.revive()
    office.clock.now += 61.0
    return result.run


SEND_ONLY = When("high risk", lambda call: call.callee.name == "send", Ask(reason="letters"))


@pytest.mark.parametrize(
    "policy",
    [Policy.only(SEND_ONLY), Policy.only(HighRisk(), Egress())],
    ids=["rule of the same name", "one rule more"],
)
async def test_another_policy_asks_anew(policy: Policy) -> None:
    office = Office()
    await office.resume(await crash_after_the_answer(office), policy)
    (row,) = await office.open_rows()
    assert (row.question.tool, row.question.rule, office.sent) == ("send", "high risk", [])


async def test_a_policy_without_the_rule_that_asked_makes_the_run_rest_and_asks_anew_once_a_person_continues_it() -> (
    None
):
    office = Office()
    run = await crash_after_the_answer(office)
    runtime = office.process(Policy.only(HighRisk("risky")))
    resting = await runtime.resume(run)
    assert (resting.status, await office.open_rows(), office.sent) == ("stalled", [], [])
    assert "opened under the rule 'high risk'" in resting.reason
    await runtime.loosen(run, without=["high risk"], by=BOB, reason="it has another name")
    assert (await runtime.resume(run)).status == "waiting"
    (row,) = await office.open_rows()
    assert (row.question.tool, row.question.rule, office.sent) == ("send", "risky", [])


async def test_a_call_that_another_rule_asks_about_by_now_is_asked_about_anew() -> None:
    office = Office()
    asks = [
        When(f"rule {number}", lambda call, n=number: office.revision == n, Ask(reason="letters"), version="1")
        for number in (1, 2)
    ]
    office.policy = Policy.only(*asks)
    result = await office.start("a")
    (row,) = await office.answer()
    assert row.question.plan[0].rule == "rule 1"
    office.store.die_at(1, after=True)
    with pytest.raises(Crash):
        await office.resume(result.run)
    office.store.revive()
    office.clock.now += 61.0
    office.revision = 2
    await office.resume(result.run)
    rows = [row.question for row in await office.open_rows()]
    assert [(each.tool, each.rule) for each in rows] == [("count", "rule 2")]
    await office.answer()
    await office.resume(result.run)
    rows = [row.question for row in await office.open_rows()]
    assert [(each.tool, each.rule) for each in rows] == [("send", "rule 2")]
    assert office.sent == []


async def test_a_weaker_approval_does_not_cover_a_call_under_four_eyes() -> None:
    strict = Policy.only(
        When("letters", lambda call: call.callee.name == "send", Ask(reason="letters", four_eyes=True)), HighRisk()
    )
    office = Office(policy=strict)
    result = await office.start("a")
    (row,) = await office.answer(by=ADA)
    assert (row.question.tool, row.question.plan) == ("party", ())
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, row.question.four_eyes, office.sent) == ("send", True, [])


async def test_what_has_another_state_than_the_one_shown_is_asked_about_anew() -> None:
    office = Office(with_state=True)
    result = await office.start("a", "b")
    (row,) = await office.answer()
    assert [each.preview.summary for each in row.question.plan] == ["a letter to a", "a letter to b"]
    office.revision += 1
    await office.resume(result.run)
    rows = await office.open_rows()
    assert [row.question.tool for row in rows] == ["send", "send"]
    assert "the state has changed since it was approved" in rows[0].question.why
    assert office.sent == []


async def test_a_call_that_is_made_a_second_time_is_asked_about_anew() -> None:
    office = Office(back=True, fails=1)
    result = await office.start("a")
    await office.answer()
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, office.sent) == ("send", [])


async def test_a_covered_call_that_did_not_happen_needs_a_new_answer() -> None:
    office = Office(effect=Effect.UNSAFE)
    result = await office.start("a")
    await office.answer()
    office.store.die_at(3, after=True)
    with pytest.raises(Crash):
        await office.resume(result.run)
    office.store.revive()
    office.clock.now += 61.0
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, row.question.kind) == ("send", "outcome")
    await office.answer(approved=False)
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.kind, json.loads(row.question.arguments)["to"], office.sent) == ("approval", "a", [])


async def test_a_pipeline_that_has_begun_is_not_asked_about_when_a_grant_is_used_up() -> None:
    office = Office(policy=ALL, risk=Risk.SAFE, egress=True)
    runtime = office.process()
    await runtime.grants.create("send", by=BOB, principal="ada", count=1, expires_in=60.0)
    result = await runtime.call(office.made, ADA, Invitation(people=["a"]))
    (row,) = await office.answer()
    assert (row.question.tool, [to for to, _ in office.sent]) == ("send", ["a"])
    assert (await office.resume(result.run)).value().outcome == "done"


async def test_a_confirmed_call_is_covered_once_although_its_approval_could_serve_its_conversation() -> None:
    office = Office(back=True, fails=1, confirm=True)
    runtime = office.process()
    result = await runtime.call_in_conversation("c1", office.made, ADA, Invitation(people=["a"]))
    (row,) = await office.answer()
    assert [each.arguments for each in row.question.plan] == ['{"confirmed":true,"to":"a","words":"come"}']
    await office.resume(result.run)
    (row,) = await office.open_rows()
    assert (row.question.tool, office.sent) == ("send", [])


@pytest.mark.parametrize(
    ("people", "sent", "asked"), [(["a", "b", "c"], ["a", "b"], ["c"]), (["b"], ["b"], []), (["b", "b"], ["b"], ["b"])]
)
async def test_an_edit_of_the_pipeline_covers_only_the_calls_that_were_shown(
    people: list[str], sent: list[str], asked: list[str]
) -> None:
    office = Office()
    result = await office.start("a", "b")
    await office.answer(arguments=json.dumps({"people": people, "words": "come"}))
    await office.resume(result.run)
    rows = [json.loads(row.question.arguments) for row in await office.open_rows()]
    assert [each["to"] for each in rows if each["words"] == "come"] == asked
    assert [to for to, _ in office.sent] == sent


async def test_grants_for_the_calls_need_no_question_and_one_for_the_pipeline_covers_no_call() -> None:
    office = Office(policy=ALL, risk=Risk.SAFE, egress=True)
    runtime = office.process()
    await runtime.grants.create("send", by=BOB, principal="ada", count=2, expires_in=60.0)
    await runtime.call(office.made, ADA, Invitation(people=["a", "b"]))
    assert [to for to, _ in office.sent] == ["a", "b"]
    risky = Office()
    runtime = risky.process()
    await runtime.grants.create("party", by=BOB, principal="ada", count=1, expires_in=60.0)
    await runtime.call(risky.made, ADA, Invitation(people=["a", "b"]))
    assert [row.question.tool for row in await risky.open_rows()] == ["send", "send"]


NAMES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


@pytest.mark.untraced
@settings(max_examples=150, deadline=None)
@given(
    people=NAMES,
    edited=st.none() | NAMES,
    four_eyes=st.booleans(),
    egress=st.booleans(),
    nested=st.booleans(),
    back=st.booleans(),
    fails=st.integers(0, 2),
    deaths=st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=4),
    pauses=st.lists(st.sampled_from([0.0, 60.0, 5e5, 7e5]), min_size=8, max_size=8),
    answers=st.lists(st.booleans(), min_size=8, max_size=8),
    changes=st.booleans(),
)
async def test_whatever_happens_only_what_was_shown_runs_and_each_once(
    people: list[str],
    edited: list[str] | None,
    four_eyes: bool,
    egress: bool,
    nested: bool,
    back: bool,
    fails: int,
    deaths: list[tuple[int, bool]],
    pauses: list[float],
    answers: list[bool],
    changes: bool,
) -> None:
    risk = Risk.SAFE if egress else Risk.HIGH
    policy = Policy.only(HighRisk(), Egress(), four_eyes=four_eyes)
    office = Office(policy, risk, egress, nested=nested, back=back and not nested, fails=fails, with_state=changes)
    office.process()
    for at, (pause, approved) in enumerate(zip(pauses, answers, strict=True)):
        if at < len(deaths):
            office.store.die_at(deaths[at][0], after=deaths[at][1])
        rows = await office.store.list_runs()
        try:
            result = await office.resume(rows[0].run) if rows else await office.start(*people)
        except Crash:
            office.store.revive()
            office.clock.now += 61.0
            continue
        office.store.revive()
        office.check()
        if result.status != "waiting":
            assert (await office.process().replay(result.run)).difference == ""
            return
        office.revision += changes and approved
        arguments = json.dumps({"people": edited, "words": "come"}) if edited is not None and at == 0 else ""
        tools = {row.question.tool for row in await office.open_rows()}
        if approved or at % 2:
            by = BOB if at == 0 else CYD  # under four eyes, another than the editor
            await office.answer(by=by, arguments=arguments if tools == {"party"} else "")
        office.clock.now += pause
    office.check()
