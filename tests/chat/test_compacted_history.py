"""Compacting a history keeps it valid and its newest messages, and never cuts a call from its replies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.chat.chat import encode_message
from remit.chat.compacted_history import compact_history, compact_messages, group_messages, reply_id
from remit.record.items import HistoryCompacted
from remit.testing.history_check import history_errors

HEAD = (encode_message({"role": "user", "content": "<summary>"}),)


def item(length: int = 0, **fields: Any) -> HistoryCompacted:
    return HistoryCompacted(call="agent:compaction", agent="agent", turn=1, length=length, **fields)


@st.composite
def histories(draw: st.DrawFn) -> list[str]:
    """Valid histories without a system message, of users' messages and answers with up to three calls."""
    texts: list[str] = []
    for number in range(draw(st.integers(1, 12))):
        count = draw(st.integers(0, 3))
        ids = [f"call_{number}_{each}" for each in range(count)]
        if draw(st.booleans()):
            texts.append(encode_message({"role": "user", "content": draw(st.text(max_size=20))}))
            continue
        tool_calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}} for each in ids]
        calls = {"tool_calls": tool_calls} if ids else {}
        texts.append(encode_message({"role": "assistant", "content": "done", **calls}))
        texts += [encode_message({"role": "tool", "tool_call_id": each, "content": "x" * 30}) for each in ids]
    return texts


@given(histories(), st.integers(1, 14), st.data())
def test_a_compacted_history_is_valid_and_ends_with_the_same_messages(
    texts: list[str], kept: int, data: st.DataObject
) -> None:
    ids = [reply_id(text) for text in texts if reply_id(text)]
    dropped = data.draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    compacted = compact_messages(texts, item(kept=kept, head=HEAD, notes=tuple((each, "n") for each in dropped)))
    assert history_errors(compacted) == []
    groups = group_messages(texts)[-kept:]
    assert len(compacted) == 1 + sum(map(len, groups))
    unchanged = [text for group in groups for text in group if reply_id(text) not in dropped]
    assert [text for text in compacted[1:] if text in unchanged] == unchanged


@given(histories(), st.lists(st.tuples(st.integers(1, 40), st.none() | st.integers(1, 5)), max_size=4))
def test_compactions_one_after_another_leave_a_valid_history_that_grows_at_its_end(
    texts: list[str], found: list[tuple[int, int | None]]
) -> None:
    items = [item(length=length, kept=kept, head=HEAD if kept else ()) for length, kept in sorted(found, key=str)]
    items.sort(key=lambda each: each.length)
    compacted = compact_history(texts, items)
    assert history_errors(compacted) == []
    more = encode_message({"role": "user", "content": "more"})
    last = items[-1].length if items else 0
    if last <= len(texts):
        assert compact_history([*texts, more], items) == [*compacted, more]


def test_without_a_compaction_nothing_changes() -> None:
    assert compact_history(["a", "b"], []) == ["a", "b"]


def test_a_note_stands_in_the_reply_to_its_call() -> None:
    reply = encode_message({"role": "tool", "tool_call_id": "a", "content": "long"})
    assert compact_messages([reply], item(notes=(("a", "é"),))) == ['{"role":"tool","tool_call_id":"a","content":"é"}']


@pytest.mark.parametrize("text", ['{"role":"user","content":"a"}', '{"role":"assistant","content":"a"}'])
def test_only_replies_have_the_id_of_a_call(text: str) -> None:
    assert reply_id(text) == ""
