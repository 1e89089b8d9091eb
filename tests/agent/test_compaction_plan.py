"""Dropping outputs never makes a history longer, leaves it valid and keeps its newest messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remit.agent.compaction import Compaction, CompactionPlan, LongRequest
from remit.chat.chat import ChatRequest, History, encode_message
from remit.chat.compacted_history import compact_messages, group_messages
from remit.journal.codec import tool_message_text
from remit.testing import calls, read_only_ledger
from remit.testing.history_check import history_errors


@given(st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from("aé\n")), min_size=1, max_size=8), st.integers(1, 900))
def test_a_history_without_old_outputs_is_valid_and_not_longer(outputs: list[tuple[int, str]], keep: int) -> None:
    texts = [encode_message({"role": "user", "content": "go"})]
    for number, (length, letter) in enumerate(outputs):
        asked = calls((f"tool_{number}", {}))
        texts += [
            encode_message({"role": "assistant", **asked}),
            tool_message_text(asked["tool_calls"][0]["id"], letter * length),
        ]
    chat = ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(texts))
    plan = CompactionPlan(LongRequest.of(chat), texts, Compaction(tokens=1_000, keep=keep))
    compacted = compact_messages(texts, plan.drop_outputs(()))
    assert history_errors(compacted) == []
    assert len("".join(compacted).encode()) <= len("".join(texts).encode())
    kept = [text for group in group_messages(texts)[plan.older_count :] for text in group]
    assert compacted[-len(kept) :] == kept
