"""Items are values, each filed under a call and named by its kind; a position says where one stands."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import astuple

from remit.record import items
from remit.record.items import ITEM_TYPES, CallItem, Item, Note, Position

NOTE = Note(call="c1", name="log", data="{}")


def test_every_kind_of_item_is_known_by_its_own_name() -> None:
    classes = [kind for kind in vars(items).values() if isinstance(kind, type) and issubclass(kind, Item)]
    assert {kind.kind: kind for kind in classes if kind not in (Item, CallItem)} == ITEM_TYPES
    assert len(ITEM_TYPES) == len(classes) - 2


def test_the_names_of_the_kinds_are_these_for_ever() -> None:
    assert {name: kind.__name__ for name, kind in ITEM_TYPES.items()} == {
        "opened": "RunOpened",
        "given": "GivenMessage",
        "message": "Message",
        "usage": "ModelUsage",
        "exchange": "ModelExchange",
        "failure": "ModelFailure",
        "tool_output": "ToolOutput",
        "turn": "TurnEnded",
        "handoff": "Handoff",
        "compacted": "HistoryCompacted",
        "question": "QuestionItem",
        "decision": "DecisionItem",
        "read": "RuleRead",
        "uses": "UsesReserved",
        "bound": "ArgumentsBound",
        "closed": "QuestionClosed",
        "allowed": "CallAllowed",
        "received": "CallReceived",
        "entered": "CallEntered",
        "started": "AttemptStarted",
        "ended": "AttemptEnded",
        "note": "Note",
        "mismatch": "Mismatch",
        "erased": "ErasedItem",
        "suspended": "RunSuspended",
        "stalled": "RunStalled",
        "scheduled": "RunScheduled",
        "resumed": "RunResumed",
        "loosened": "RunLoosened",
        "trace": "TraceStarted",
        "finished": "RunFinished",
    }


@pytest.mark.parametrize("kind", ITEM_TYPES.values())
def test_every_item_is_filed_under_a_call(kind: type[Item]) -> None:
    assert kind.__struct_fields__[0] == "call"


def test_an_item_does_not_change() -> None:
    item: Any = NOTE
    with pytest.raises(AttributeError, match="immutable"):
        item.name = "emit"


def position(**changed: Any) -> Position:
    known: dict[str, Any] = {"run": "r", "epoch": 1, "seq": 3, "at": 0.5, "item": NOTE}
    known |= {"body": "{}", "digest": b"d", "chain": b"c"}
    return Position(**{**known, **changed})


def test_two_positions_are_equal_if_all_they_say_is() -> None:
    assert position() == position()
    assert hash(position()) == hash(position())


@pytest.mark.parametrize(
    "changed",
    [
        {"run": "s"},
        {"epoch": 2},
        {"seq": 4},
        {"at": 0.6},
        {"item": Note(call="c2", name="log", data="{}")},
        {"body": "[]"},
        {"digest": b"e"},
        {"chain": b"d"},
    ],
)
def test_any_difference_makes_another_position(changed: dict[str, Any]) -> None:
    assert position(**changed) != position()


def test_a_position_is_no_other_thing() -> None:
    assert position() != astuple(position())


def test_a_position_prints_run_seq_and_item() -> None:
    assert repr(position()) == "r#3 Note(call='c1', name='log', data='{}')"
