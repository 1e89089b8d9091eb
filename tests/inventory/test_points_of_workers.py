"""The points of the checklist, and the checks of access, look at workers as they look at tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from remit import Agent, App, Context, Effect, Policy, Risk, Runtime, Stack, Tool, When, preset, tool
from remit.app import Env
from remit.call.classification import Capability, Classification, Visibility
from remit.errors import DeniedError
from remit.inventory import InventoryError, Operations, run_checklist
from remit.inventory.drift import CHECKLIST
from remit.inventory.lock import build_lock, lock_path
from remit.layers import Authorize, CallLayer, Validate
from remit.policies import Block
from remit.testing import Scripted, superuser
from remit.tools import Facts
from tests.inventory.requested import Library

Kind = Callable[..., Any]
ADA = superuser()


class Open(BaseModel):
    """Accepts anything."""

    model_config = ConfigDict(extra="allow")
    what: str = ""


class Closed(BaseModel):
    """Accepts what it says."""

    model_config = ConfigDict(extra="forbid")
    what: str = ""


def make_tool(*, payload: type[BaseModel] = Closed, **facts: Any) -> Tool[..., Any]:
    async def note(payload: Any) -> str:
        """Note."""
        return "noted"

    note.__annotations__["payload"] = payload
    return tool(name="note", **facts)(note)


def make_worker(*, payload: type[BaseModel] = Closed, **facts: Any) -> Agent:
    return Agent("note", instructions="Note.", input=payload, facts=Facts(**facts), model=Scripted(["noted"]))


BOTH = pytest.mark.parametrize("make", [make_tool, make_worker], ids=["tool", "worker"])
ATOMIC = Classification(domain="library", subdomain="loans", capability=Capability.PROCESS)


def list_findings(folder: Path, callee: Any, layers: Stack[CallLayer] | None = None) -> set[tuple[str, str]]:
    """The point and the code of each finding that is about the callee."""
    tools: list[Any] = [callee] if isinstance(callee, Tool) else []
    try:
        operations = Library(folder, *tools).operations
    except InventoryError as error:  # the start looks at the running application, too
        return {("running", each.code) for each in error.findings if "note" in each.what}
    callees: list[Any] = [*operations.callees, callee]
    lock_path(operations).write_text(build_lock(operations, callees).to_text(), encoding="utf-8")
    offered: list[Any] = [*operations.callees, *([] if tools else [callee])]
    points = run_checklist(operations, offered, preset(Env()) if layers is None else layers)
    return {(point.name, each.code) for point in points for each in point.findings if "note" in each.what}


FAULTS: dict[str, tuple[Callable[[Kind], Any], Any, set[tuple[str, str]]]] = {
    "none": (lambda make: make(effect=Effect.COMPOSED), None, set()),
    "schema: a permission that no role has": (
        lambda make: make(effect=Effect.COMPOSED, permissions=frozenset({"books:lnd"})),
        None,
        {("schema", "unknown-permission")},
    ),
    "running: a payload that is open": (
        lambda make: make(effect=Effect.COMPOSED, payload=Open),
        None,
        {("running", "open-payload")},
    ),
    "running: a permission that nothing checks": (
        lambda make: make(effect=Effect.COMPOSED, permissions=frozenset({"books:lend"})),
        Stack(Validate()),
        {("running", "unenforced")},
    ),
    "running: a visibility that nothing checks": (
        lambda make: make(effect=Effect.COMPOSED, visibility=Visibility.EXPERIMENTAL),
        Stack(Validate()),
        {("running", "unenforced")},
    ),
    "running: a high risk that nothing asks about": (
        lambda make: make(effect=Effect.COMPOSED, risk=Risk.HIGH),
        preset(Env(), policy=Policy.only()),
        {("running", "unenforced")},
    ),
    "running: arguments that nothing validates": (
        lambda make: make(effect=Effect.COMPOSED),
        Stack(Authorize()),
        {("running", "unenforced")},
    ),
}


@BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_at_a_tool_and_at_a_worker(fault: str, make: Kind, tmp_path: Path) -> None:
    make_callee, layers, expected = FAULTS[fault]
    assert list_findings(tmp_path, make_callee(make), layers) == expected


def test_a_worker_is_classified_according_to_its_effect_like_the_method_of_a_tool(tmp_path: Path) -> None:
    worker = make_worker(effect=Effect.COMPOSED, classification=ATOMIC)
    assert list_findings(tmp_path, worker) == {("classification", "classification")}


@BOTH
def test_a_change_since_the_lock_is_found_at_a_tool_and_at_a_worker(make: Kind, tmp_path: Path) -> None:
    before = make(effect=Effect.COMPOSED, permissions=frozenset({"books:lend"}))
    after = make(effect=Effect.COMPOSED)
    both: list[Operations] = []
    for number, callee in enumerate((before, after)):
        (folder := tmp_path / str(number)).mkdir()
        tools: list[Any] = [callee] if isinstance(callee, Tool) else []
        both.append(Library(folder, *tools).operations)
    was, now = both
    lock_path(now).write_text(build_lock(was, [*was.callees, before]).to_text(), encoding="utf-8")
    points = run_checklist(now, [*now.callees, after], preset(Env()))
    changes = [each for point in points for each in point.findings if "note" in each.what]
    assert {each.governance.value for each in changes} == {"looser"}


def test_the_points_about_methods_have_no_worker_to_look_at(tmp_path: Path) -> None:
    """A worker has no method: it can neither lack one, repeat it, nor differ from it."""
    operations = Library(tmp_path).operations
    with_worker = [*operations.callees, make_worker(effect=Effect.COMPOSED)]
    looked = [
        {point.name: point.checked_count for point in run_checklist(operations, offered, preset(Env()))}
        for offered in (operations.callees, with_worker)
    ]
    assert {name for name in CHECKLIST if looked[0][name] == looked[1][name]} == {
        "references",
        "envelopes",
        "inheritance",
        "mapping",
        "drift",
    }


def test_permissions_to_which_a_worker_narrows_its_calls_are_known(tmp_path: Path) -> None:
    for permissions, wrong in (
        ({"books:*", "books:lend"}, []),
        ({"book:*"}, ["'book:*'"]),
        ({"*"}, []),
    ):
        worker = Agent("note", instructions="Note.", input=Closed, permissions=permissions, model=Scripted(["x"]))
        points = run_checklist(Library(tmp_path).operations, [worker], preset(Env()))
        whats = [each.what for point in points for each in point.findings if each.code == "unknown-permission"]
        assert whats == [f"note: no role grants the permission {each}" for each in wrong]


@BOTH
@pytest.mark.parametrize("way", ["call", "call_by_name", "from a body"])
async def test_a_caller_without_the_permission_is_denied_a_tool_and_a_worker(make: Kind, way: str) -> None:
    callee = make(effect=Effect.COMPOSED, permissions=frozenset({"books:lend"}))

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> str:
        """Call it."""
        return await ctx.call("note", {"what": "x"})

    runtime = Runtime(App(name="x", tools=(callee, ask)))
    for by, is_allowed in ((superuser("books:lend"), True), (superuser("books:read"), False)):
        if way == "call":
            result = await runtime.call(callee, by, Closed(what="x"))
        elif way == "call_by_name":
            result = await runtime.call_by_name("note", {"what": "x"}, by=by)
        else:
            result = await runtime.call(ask, by)
        if is_allowed:
            assert result.value() == "noted"
        else:
            with pytest.raises(DeniedError, match="ada may not call note: missing permission books:lend"):
                result.value()


@BOTH
async def test_a_rule_blocks_a_tool_and_a_worker_by_name(make: Kind) -> None:
    callee = make(effect=Effect.COMPOSED)
    policy = Policy(When("no notes", tools="note", verdict=Block(reason="not today")))
    result = await Runtime(App(name="x", tools=(callee,), policy=policy)).call_by_name("note", {"what": "x"}, by=ADA)
    assert "not today" in result.text


def test_the_operations_of_the_library_have_nothing_to_find(tmp_path: Path) -> None:
    operations: Operations = Library(tmp_path).operations
    lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
    points = run_checklist(operations, operations.callees, preset(Env()))
    assert [each.what for point in points for each in point.findings if each.code != "not-in-inventory"] == []
