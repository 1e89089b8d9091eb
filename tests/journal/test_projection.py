"""A chat history is a projection of the journal: in call order, and always valid."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from remit.chat.chat import decode_message, encode_message
from remit.journal.codec import build_chat_history, count_prior_groups, items_from_messages, tool_message_text
from remit.record.items import (
    AttemptEnded,
    ErasedItem,
    GivenMessage,
    Handoff,
    HistoryCompacted,
    Item,
    Message,
    RunResumed,
    RunSuspended,
    ToolOutput,
)
from remit.testing.history_check import history_errors
from remit.testing.store_suite.samples import header_item, note, start_item
from tests.journal.examples import some

SYSTEM = '{"role":"system","content":"You edit pages."}'
SECOND = '{"role":"system","content":"You check pages."}'
USER = '{"role":"user","content":"go"}'
BYE = '{"role":"assistant","content":"done"}'


def make_message(text: str, *, agent: str = "agent") -> Message:
    return Message(call=agent, agent=agent, text=text)


def calling(*wires: str) -> str:
    calls = [{"id": wire, "type": "function", "function": {"name": "t", "arguments": "{}"}} for wire in wires]
    return encode_message({"role": "assistant", "content": None, "tool_calls": calls})


def ended(wire: str, *, agent: str = "agent", content: str = "") -> ToolOutput:
    text = tool_message_text(wire, content or f"of {wire}") if wire else content
    return ToolOutput(call=f"call {agent} {wire}", parent=agent, callee="t", wire=wire, text=text, outcome="ok")


def test_messages_stand_in_the_order_in_which_they_were_written() -> None:
    assert build_chat_history([make_message(SYSTEM), make_message(USER), make_message(BYE)], "agent") == [
        SYSTEM,
        USER,
        BYE,
    ]


def test_a_given_history_stands_before_the_messages_and_stays_valid_when_it_is_erased_in_part() -> None:
    texts = [USER, calling("a"), tool_message_text("a", "given"), BYE]
    history = [GivenMessage(call="agent:given", agent="agent", text=text) for text in texts]
    items = [header_item(), *history, make_message(SYSTEM), make_message(USER), make_message(calling("a")), ended("a")]
    own = [SYSTEM, USER, calling("a"), ended("a").text]
    assert build_chat_history(items, "agent") == [*texts, *own]
    assert count_prior_groups(items, "agent", 6.0) == 1.0
    without_call = [ErasedItem(call=each.call, was=each.kind) if each == history[1] else each for each in items]
    assert history_errors(build_chat_history(without_call, "agent")[:2]) == []
    without_reply = build_chat_history([each for each in items if each != history[2]], "agent")
    assert history_errors(without_reply[:4]) == []
    assert build_chat_history(items, "another") == []


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_outputs_stand_in_the_order_of_their_calls_whichever_ended_first(order: tuple[str, ...]) -> None:
    items = [
        make_message(USER),
        make_message(calling("a", "b", "c")),
        *(ended(wire) for wire in order),
        make_message(BYE),
    ]
    replies = [ended(wire).text for wire in "abc"]
    assert build_chat_history(items, "agent") == [USER, calling("a", "b", "c"), *replies, BYE]


def test_a_call_without_an_output_gets_a_reply_that_says_it_was_cut_off() -> None:
    texts = build_chat_history([make_message(USER), make_message(calling("a", "b")), ended("b")], "agent")
    assert texts[:2] + texts[3:] == [USER, calling("a", "b"), ended("b").text]
    reply = decode_message(texts[2])
    assert (reply["role"], reply.get("tool_call_id")) == ("tool", "a")
    content = json.loads(str(reply.get("content")))
    assert (content["success"], content["errorCode"]) == (False, "CANCELLED")
    assert "the run was cut off" in content["error"]


def test_outputs_of_two_turns_stand_each_after_their_own_call() -> None:
    items = [
        make_message(USER),
        make_message(calling("a")),
        ended("a"),
        make_message(calling("b")),
        ended("b"),
        make_message(BYE),
    ]
    assert build_chat_history(items, "agent") == [item.text for item in items]


def test_nested_agents_do_not_mix() -> None:
    outer = [make_message(USER), make_message(calling("x"))]
    inner = [
        make_message(USER, agent="inner"),
        make_message(calling("x"), agent="inner"),
        ended("x", agent="inner", content="inner x"),
    ]
    items = [*outer, *inner, make_message(BYE, agent="inner"), ended("x", content="outer x"), make_message(BYE)]
    assert build_chat_history(items, "agent") == [USER, calling("x"), tool_message_text("x", "outer x"), BYE]
    assert build_chat_history(items, "inner") == [USER, calling("x"), tool_message_text("x", "inner x"), BYE]


def test_the_result_of_a_nested_agent_answers_no_call_of_another() -> None:
    inner = make_message(tool_message_text("x", "inner x"), agent="inner")
    items = [make_message(USER), make_message(calling("x")), inner, ended("x", content="outer x"), make_message(BYE)]
    assert build_chat_history(items, "agent") == [USER, calling("x"), tool_message_text("x", "outer x"), BYE]


def test_after_a_handoff_the_system_message_of_the_new_agent_stands_first_in_place_of_the_other() -> None:
    handoff = Handoff(call="agent", source="first", target="second")
    items = [make_message(SYSTEM), make_message(USER), handoff, make_message(SECOND), make_message(BYE)]
    assert build_chat_history(items, "agent") == [SECOND, USER, BYE]


def test_a_system_message_without_a_handoff_stays_where_it_is() -> None:
    items = [make_message(SYSTEM), make_message(USER), make_message(SECOND), make_message(BYE)]
    assert build_chat_history(items, "agent") == [SYSTEM, USER, SECOND, BYE]


def test_an_agent_that_nobody_knows_has_said_nothing() -> None:
    assert build_chat_history([make_message(USER), make_message(BYE)], "nobody") == []


def test_calls_that_no_model_made_are_no_part_of_the_history() -> None:
    items: list[Item] = [
        header_item(),
        make_message(USER),
        start_item(),
        note("x"),
        ended("", content="plain"),
        make_message(BYE),
    ]
    assert build_chat_history(items, "agent") == [USER, BYE]


def test_an_output_of_a_call_that_no_model_made_answers_no_call_of_a_model_without_an_id() -> None:
    texts = build_chat_history([make_message(USER), make_message(calling("")), ended("", content="plain")], "agent")
    assert "plain" not in texts


def test_an_output_that_answers_no_call_is_left_out() -> None:
    assert build_chat_history([make_message(USER), make_message(BYE), ended("stray")], "agent") == [USER, BYE]


def test_an_assistant_that_says_null_for_its_calls_called_nothing() -> None:
    nothing = '{"role":"assistant","content":"hm","tool_calls":null}'
    assert build_chat_history([make_message(nothing)], "agent") == [nothing]


def test_a_history_that_was_made_into_items_is_projected_as_it_was() -> None:
    history = [SYSTEM, USER, calling("a", "b"), ended("a").text, ended("b").text, BYE, USER, calling("c")]
    history = [*history, ended("c").text, BYE]
    assert build_chat_history(items_from_messages(history, "agent"), "agent") == history


def test_a_wire_id_that_a_later_turn_uses_again_belongs_to_each_turn_by_itself() -> None:
    """Some endpoints name the first call of every turn alike; a history of theirs is projected as it was."""
    history = [
        USER,
        calling("call_0"),
        tool_message_text("call_0", "first"),
        calling("call_0"),
        tool_message_text("call_0", "second"),
        BYE,
    ]
    assert build_chat_history(items_from_messages(history, "agent"), "agent") == history


turn = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=4)


@some
@given(st.lists(turn, max_size=4))
def test_a_history_is_valid_wherever_its_run_was_cut_off(turns: list[list[tuple[bool, bool]]]) -> None:
    """Each call may have an output or not, written at once or after those of its siblings."""
    items: list[Item] = [make_message(SYSTEM), make_message(USER)]
    for number, calls in enumerate(turns):
        wires = [f"{number}.{index}" for index in range(len(calls))]
        items.append(make_message(calling(*wires) if wires else BYE))
        late = [ended(wire) for wire, (has, waits) in zip(wires, calls, strict=True) if has and waits]
        items += [ended(wire) for wire, (has, waits) in zip(wires, calls, strict=True) if has and not waits]
        items += reversed(late)
    for length in range(2, len(items) + 1):
        assert history_errors(build_chat_history(items[:length], "agent")) == []


def test_an_erased_output_leaves_a_valid_history() -> None:
    items = [
        make_message(USER),
        make_message(calling("a")),
        ErasedItem(call="call agent a", was="tool_output"),
        make_message(BYE),
    ]
    texts = build_chat_history(items, "agent")
    assert history_errors([SYSTEM, *texts]) == []
    assert len(texts) == 4


def test_an_erased_message_takes_its_replies_along() -> None:
    items = [make_message(USER), ErasedItem(call="agent:1", was="message"), ended("a"), make_message(BYE)]
    assert build_chat_history(items, "agent") == [USER, BYE]


def compacted(**fields: Any) -> HistoryCompacted:
    return HistoryCompacted(call="agent:compaction", agent="agent", turn=2, length=9, **fields)


def test_what_was_compacted_stays_so_and_later_messages_follow() -> None:
    summary = encode_message({"role": "user", "content": "<summary>"})
    items = [
        make_message(SYSTEM),
        make_message(USER),
        make_message(calling("a")),
        ended("a"),
        compacted(kept=1, head=(summary,), notes=(("a", "dropped"),)),
        make_message(BYE),
    ]
    kept = [calling("a"), tool_message_text("a", "dropped")]
    assert build_chat_history(items, "agent", [BYE]) == [SYSTEM, summary, *kept, BYE]
    assert build_chat_history(items, "another") == []


def test_a_compaction_that_keeps_all_repeats_no_system_message() -> None:
    items = [make_message(SYSTEM), make_message(USER), compacted(kept=None, head=(SECOND,)), make_message(BYE)]
    assert build_chat_history(items, "agent") == [SYSTEM, SECOND, USER, BYE]


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (RunSuspended(call="run", questions=("q1",)), "this call has not ended; its run waits"),
        (RunResumed(call="run", driver="executor"), "the run was cut off before this call ended"),
    ],
    ids=["waiting", "resumed"],
)
def test_a_call_without_an_output_waits_with_its_run_even_if_an_attempt_ends_later(last: Item, says: str) -> None:
    late = AttemptEnded(call="another", attempt=1, outcome="ok", content="")
    reply = build_chat_history([make_message(USER), make_message(calling("a")), last, late], "agent")[-1]
    assert says in reply


def test_a_compaction_reaches_into_the_messages_before_the_run() -> None:
    prior = [USER, calling("z"), tool_message_text("z", "long"), BYE]
    items = [make_message(USER), compacted(kept=3, head=(BYE,)), make_message(BYE)]
    assert build_chat_history(items, "agent", prior) == [BYE, *prior[1:], USER, BYE]


@pytest.mark.parametrize(
    ("kept", "before"), [(None, float("inf")), (1, 0), (2, 0), (3, 1)], ids=["all", "one", "two", "three"]
)
def test_runs_of_which_a_compaction_left_nothing_are_not_needed(kept: int | None, before: float) -> None:
    items = [
        make_message(SYSTEM),
        make_message(USER),
        make_message(calling("a")),
        ended("a"),
        compacted(kept=kept, head=("s",)),
        make_message(BYE),
    ]
    assert count_prior_groups(items, "agent", float("inf")) == before


def test_the_messages_and_compactions_of_nested_agents_do_not_count() -> None:
    inner = structs.replace(compacted(kept=1, head=("s",)), agent="inner")
    items = [make_message(USER), make_message(USER, agent="inner"), inner, make_message(BYE, agent="inner")]
    assert count_prior_groups(items, "agent", 5) == 4
