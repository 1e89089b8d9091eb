"""Record answers what the journal knows, writes one end for every other call, and turns errors into replies."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit import Effect, tool
from remit.call.reply import NOT_LOADED
from remit.errors import (
    BudgetError,
    CallError,
    DeniedError,
    DivergedError,
    JournalError,
    LeaseError,
    NotFoundError,
    RemitError,
    Suspended,
)
from remit.journal.codec import body_digest, compute_chain_hash, encode_item, tool_message_text
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.replay import ReplayLedger
from remit.layers import Call, Place, Reply
from remit.layers.record import Record, shorten
from remit.record.items import Note, Position, ToolOutput
from remit.testing import call_through, make_call
from remit.tools import Limits
from tests.layers.inner import Inner, stopped_within


@tool(effect=Effect.PURE)
async def find() -> str:
    """Find pages."""
    return "found"


@tool(effect=Effect.COMPOSED)
async def work() -> str:
    """Work."""
    return "worked"


def ends_of(call: Call) -> list[ToolOutput]:
    return [item for item in call.ledger.items_for(call.id) if isinstance(item, ToolOutput)]


def end_of(call: Call, text: str = "known", **changed: Any) -> ToolOutput:
    """The end of ``call`` as a journal may know it."""
    said: dict[str, Any] = {"wire": call.wire_id, "outcome": "ok", "final": False, **changed}
    return ToolOutput(call=call.id, parent=call.caller.call, callee=call.callee.name, text=text, **said)


async def test_a_reply_passes_through_untouched_and_is_recorded() -> None:
    inner = Inner(reply := Reply.from_value("inner").check(find.schema_out))
    call = await make_call(find)
    assert await call_through(Record(), call, inner) is reply
    assert inner.calls == [call]
    assert ends_of(call) == [end_of(call, "inner")]


async def test_a_models_call_is_recorded_as_its_tool_message() -> None:
    call = await make_call(find, wire="w1")
    await call_through(Record(), call, Inner(Reply.from_value('{"a":"é"}')))
    (end,) = ends_of(call)
    assert (end.wire, end.text) == ("w1", '{"role":"tool","tool_call_id":"w1","content":"{\\"a\\":\\"é\\"}"}')


async def test_a_final_reply_is_recorded_as_one() -> None:
    call = await make_call(find)
    await call_through(Record(), call, Inner(Reply.final("the end")))
    assert ends_of(call) == [end_of(call, "the end", final=True)]


@pytest.mark.parametrize("wire", ["", "w1"], ids=["from Python", "from a model"])
async def test_what_the_journal_knows_is_not_done_again(wire: str) -> None:
    call, inner = await make_call(find, wire=wire), Inner()
    text = tool_message_text("w1", "known") if wire else "known"
    call.ledger.add(end_of(call, text, final=True))
    assert await call_through(Record(), call, inner) == Reply("known", "ok", NOT_LOADED, None, is_final=True)
    assert inner.calls == []
    assert len(ends_of(call)) == 1


async def test_a_bad_end_that_the_journal_knows_is_a_bad_reply_with_its_error() -> None:
    call = await make_call(find)
    bad = Reply.from_error(DeniedError("not you"))
    call.ledger.add(end_of(call, bad.content, outcome="denied"))
    reply = await call_through(Record(), call)
    assert (reply.content, reply.outcome) == (bad.content, "denied")
    assert isinstance(reply.error, DeniedError)


async def test_other_items_about_the_call_are_no_end() -> None:
    call, inner = await make_call(find, recorded_items=[Note(call="call", name="log", data="{}")]), Inner()
    await call_through(Record(), call, inner)
    assert len(inner.calls) == 1


def positions(*items: ToolOutput) -> list[Position]:
    placed, link = list[Position](), b""
    for seq, item in enumerate(items):
        digest = body_digest(encode_item(item))
        link = compute_chain_hash(link, item.kind, item.call, digest)
        placed.append(Position("run", 1, seq, 0.0, item, encode_item(item), digest, link))
    return placed


@pytest.mark.parametrize(("replaying", "driven"), [(True, 1), (False, 0)], ids=["replay", "resume"])
async def test_a_composed_call_that_is_known_is_driven_again_only_to_compare(replaying: bool, driven: int) -> None:
    call, inner = await make_call(work), Inner(Reply.from_value("known"))
    known = positions(end_of(call))
    ledger = ReplayLedger("run", known)
    if replaying:
        call = call.replace(ledger=ledger)
    else:
        call.ledger.add(known[0].item)
    assert (await call_through(Record(), call, inner)).content == "known"
    assert len(inner.calls) == driven


async def test_a_composed_call_that_was_refused_before_it_began_is_answered_from_its_record() -> None:
    call, inner = await make_call(work), Inner()
    spent = Reply.from_error(BudgetError("the run has used all of its calls"))
    known = positions(end_of(call, spent.content, outcome="error"))
    reply = await call_through(Record(), call.replace(ledger=ReplayLedger("run", known)), inner)
    assert (reply.content, reply.outcome, inner.calls) == (spent.content, "error", [])


async def test_a_replay_that_ends_in_another_way_has_diverged() -> None:
    call = await make_call(work)
    call = call.replace(ledger=ReplayLedger("run", positions(end_of(call))))
    with pytest.raises(DivergedError):
        await call_through(Record(), call, Inner(Reply.from_value("something else")))


@pytest.mark.parametrize(
    ("error", "outcome"), [(NotFoundError("no page"), "error"), (DeniedError("not you"), "denied")], ids=str
)
async def test_an_error_becomes_a_reply_and_is_recorded_like_any_other_end(error: CallError, outcome: Any) -> None:
    call = await make_call(find)
    reply = await call_through(Record(), call, Inner(error))
    assert reply == Reply.from_error(error)
    assert reply.error is error
    assert ends_of(call) == [end_of(call, reply.content, outcome=outcome)]


async def test_a_layers_own_bug_ends_the_call_and_not_the_run() -> None:
    call, bug = await make_call(find), ZeroDivisionError("oops")
    reply = await call_through(Record(), call, Inner(bug))
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == ("INTERNAL_ERROR", "a layer failed: ZeroDivisionError: oops")
    assert reply.error.__cause__ is bug
    assert ends_of(call) == [end_of(call, reply.content, outcome="error")]


@pytest.mark.parametrize("error", [JournalError("full"), LeaseError("gone"), DivergedError("other")])
async def test_what_stops_the_driver_is_no_end_of_the_call(error: RemitError) -> None:
    call = await make_call(find)
    with pytest.raises(type(error)) as caught:
        await call_through(Record(), call, Inner(error))
    assert caught.value is error
    assert ends_of(call) == []


async def test_a_call_that_waits_for_a_person_has_not_ended() -> None:
    call = await make_call(find)
    with pytest.raises(Suspended):
        await call_through(Record(), call, Inner(Suspended("q1")))
    assert ends_of(call) == []


async def test_cancellation_reaches_inner_and_the_end_says_so() -> None:
    call = await make_call(find)
    assert await stopped_within(Record(), call) == ["call"]
    (end,) = ends_of(call)
    assert (end.outcome, json.loads(end.text)["errorCode"]) == ("error", "CANCELLED")


async def stopping_ledger() -> RunLedger:
    """The ledger of a run that is driven only to end it."""
    store = InMemoryStore(lambda: 0.0)
    epoch = (await store.acquire("run", "test", 1e9)).epoch
    return RunLedger(store, "run", epoch, clock=lambda: 0.0, on_stored=lambda _positions: None, is_stopping=True)


async def test_a_run_that_is_being_stopped_starts_no_call() -> None:
    call, inner = await make_call(find, ledger=await stopping_ledger()), Inner()
    with pytest.raises(asyncio.CancelledError):
        await call_through(Record(), call, inner)
    assert inner.calls == []
    assert json.loads(ends_of(call)[0].text)["errorCode"] == "CANCELLED"


async def test_a_run_that_is_being_stopped_still_drives_what_is_composed_of_calls() -> None:
    call, inner = await make_call(work, ledger=await stopping_ledger()), Inner()
    await call_through(Record(), call, inner)
    assert len(inner.calls) == 1


async def test_a_long_reply_is_cut_for_a_model_and_its_value_kept() -> None:
    call = await make_call(find, wire="w1")
    reply = await call_through(Record(limits=Limits(output_bytes=1000)), call, Inner(Reply.from_value("x" * 5000)))
    said = json.loads(reply.content)
    assert (said["truncated"], said["beginning"]) == (True, "x" * 500)
    assert "5,000 bytes long" in said["note"]
    assert reply.value == "x" * 5000
    assert json.loads(ends_of(call)[0].text)["content"] == reply.content


async def test_a_long_reply_is_whole_for_python() -> None:
    call = await make_call(find)
    reply = await call_through(Record(limits=Limits(output_bytes=1000)), call, Inner(Reply.from_value("x" * 5000)))
    assert (reply.content, ends_of(call)[0].text) == ("x" * 5000, "x" * 5000)


@pytest.mark.parametrize("content", ["x" * 1000, "é" * 500, "😀" * 250])
async def test_a_reply_as_long_as_may_be_is_not_cut(content: str) -> None:
    call = await make_call(find, wire="w1")
    reply = await call_through(Record(limits=Limits(output_bytes=1000)), call, Inner(Reply.from_value(content)))
    assert reply.content == content


@pytest.mark.parametrize("character", ["é", "€", "😀"])
def test_what_is_cut_is_cut_between_characters(character: str) -> None:
    beginning = json.loads(shorten(character * 1000, 999))["beginning"]
    assert set(beginning) == {character}
    assert 495 < len(beginning.encode()) <= 499


plain = st.text(st.characters(min_codepoint=32, exclude_characters='"\\', exclude_categories=["Cs"]), max_size=600)


@given(plain)
def test_what_was_cut_is_no_longer_than_it_may_be(content: str) -> None:
    assert len(shorten(content, 600).encode()) <= 600


@pytest.mark.parametrize("character", ['"', "\\", "\n", "\x00"], ids=repr)
def test_what_was_cut_is_no_longer_than_it_may_be_with_its_escapes(character: str) -> None:
    assert len(shorten(character * 5000, 2000).encode()) <= 2000


async def test_a_long_reply_with_half_of_a_surrogate_pair_ends_its_call_like_any_other() -> None:
    call = await make_call(find, wire="w1")
    await call_through(Record(limits=Limits(output_bytes=1000)), call, Inner(Reply.from_value("x" * 5000 + "\ud800")))
    assert len(ends_of(call)) == 1


async def test_two_of_it_share_no_state() -> None:
    first, second = await make_call(find), await make_call(find)
    await call_through(Record(), first)
    await call_through(Record(limits=Limits(output_bytes=1)), second)
    assert len(ends_of(first)) == len(ends_of(second)) == 1


def test_it_stands_at_its_place_and_prints_its_name() -> None:
    assert Record().place is Place.RECORD
    assert repr(Record()) == "Record()"
