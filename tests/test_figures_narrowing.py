"""The judge of random trees finds each kind of call that should not have run, or should have."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from figures.narrowing import find_violations, run_tree
from figures.narrowing_world import Node
from remit.record.items import ToolOutput

WRITE = frozenset({"a:write"})
ALL = frozenset({"*"})
WORKER = Node(name="node", kind="worker", listed_tools=frozenset({"leaf"}), tool_scope=frozenset({"leaf"}))
LEAF = Node(name="leaf", kind="leaf", needs=WRITE)
ROOT = ToolOutput(call="1", parent="", callee="node", wire="", text="", outcome="ok")
CALL = ToolOutput(call="2", parent="1", callee="leaf", wire="w", text="", outcome="ok")


def found(
    worker: Node = WORKER,
    call: ToolOutput = CALL,
    held: frozenset[str] = ALL,
    ran: tuple[tuple[str, str], ...] = (("leaf", "2"),),
) -> list[str]:
    return list(find_violations([ROOT, call], ran, {"node": worker, "leaf": LEAF}, held))


def test_what_all_above_permit_may_run() -> None:
    assert found() == []
    assert found(replace(WORKER, permissions=frozenset({"a:*"}))) == []


def test_each_actor_above_that_does_not_permit_a_call_is_found() -> None:
    assert found(replace(WORKER, tool_scope=frozenset())) == ["leaf ran, and node does not let its calls reach it"]
    assert found(replace(WORKER, listed_tools=frozenset())) == ["leaf ran, and the model of node was not told of it"]
    passed = replace(WORKER, permissions=frozenset({"a:read", "b:*"}))
    assert found(passed) == ["leaf ran, and node does not pass on ['a:write']"]
    assert found(held=frozenset({"a:read"})) == ["leaf ran, and the person lacks ['a:write']"]


def test_what_runs_around_the_door_or_beside_its_record_is_found() -> None:
    assert found(ran=(("leaf", "1"),)) == ["leaf ran, and no call of it is recorded"]
    denied = structs.replace(CALL, outcome="denied")
    assert found(replace(WORKER, tool_scope=frozenset()), denied) == ["leaf ran, and is recorded as denied"]


def test_a_denial_without_a_reason_is_found() -> None:
    assert found(call=structs.replace(CALL, outcome="denied"), ran=()) == ["leaf was denied, and all above permit it"]


async def test_random_trees_have_calls_that_run_and_calls_that_are_denied() -> None:
    outputs, wrong = await run_tree(1)
    assert wrong == []
    assert {"ok", "denied", "error"} <= {output.outcome for output in outputs}
