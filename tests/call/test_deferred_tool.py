"""A tool that is found when its function, contract or description is first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit import App, Effect, LeafContext, Retry, Runtime, Stack, Tool, tool
from remit.call.callee import AgentLike, HasBody, HasModel, HasSource, ReconcileResult
from remit.call.deferred_tool import DeferredTool
from remit.core.protocols import implements
from remit.errors import ContractError, SetupError
from remit.layers import CallLayer
from remit.testing import superuser
from remit.tools import UNKNOWN


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return 2 * number


class Found:
    """Makes a tool, and counts how often."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> Tool[..., Any]:
        self.count += 1
        return double


@pytest.fixture
def found() -> Found:
    return Found()


def defer(found: Found, *layers: CallLayer) -> DeferredTool[..., Any]:
    return DeferredTool(found, name="twice", facts=double.facts, layers=Stack(*layers), where="numbers.yaml:3")


def test_what_governs_a_tool_is_known_before_it_is_found(found: Found) -> None:
    retry = Retry()
    later = defer(found, retry)
    copies = [
        later.with_name("other"),
        later.with_key("numbers.double"),
        later.layer(Retry()),
        later.with_layers(Stack()),
    ]
    assert (later.name, later.facts, tuple(later.layers), later.where) == (
        "twice",
        double.facts,
        (retry,),
        "numbers.yaml:3",
    )
    assert [(each.name, len(each.layers)) for each in copies] == [
        ("other", 1),
        ("numbers.double", 1),
        ("twice", 2),
        ("twice", 0),
    ]
    assert "Tool twice (pure" in repr(later)
    assert found.count == 0


def test_a_question_about_its_kind_does_not_find_it(found: Found) -> None:
    later = defer(found)
    assert implements(later, HasBody)
    assert implements(later, HasSource)
    assert not implements(later, AgentLike)
    assert not implements(later, HasModel)
    assert found.count == 0


ASKED: dict[str, Callable[[Tool[..., Any]], bool]] = {
    "input": lambda each: each.schema_in is double.schema_in,
    "output": lambda each: each.schema_out is double.schema_out,
    "description": lambda each: each.description == double.description,
    "function": lambda each: each.function is double.function,
    "body": lambda each: each.body == double.body,
    "arguments": lambda each: each.build_arguments(4).raw == '{"number":4}',
}


@pytest.mark.parametrize("asked", ASKED)
def test_its_function_and_contract_are_found_once(found: Found, asked: str) -> None:
    later = defer(found)
    assert ASKED[asked](later)
    assert ASKED[asked](later)
    assert found.count == 1


def test_it_can_be_changed_as_little_as_any_tool(found: Found) -> None:
    later = defer(found)
    with pytest.raises(SetupError, match=r"twice\.description cannot be changed"):
        later.description = "Halve a number."
    with pytest.raises(AttributeError, match="'DeferredTool' object has no attribute 'colour'"):
        _ = later.colour


async def test_it_runs_under_its_own_layers_as_what_was_found(found: Found) -> None:
    later = defer(found, Retry())
    runtime = Runtime(App(name="numbers", tools=(later,)))
    assert (await runtime.call(later, superuser(), 4)).value() == 8
    assert found.count == 1
    assert "Retry" in runtime.dispatcher.draw_layers("", later)


async def test_a_tool_that_cannot_be_found_does_not_run() -> None:
    def find() -> Tool[..., Any]:
        raise ContractError("there is no function double any more")

    lost: DeferredTool[..., Any] = DeferredTool(find, name="lost", facts=double.facts, layers=Stack(), where="here")
    with pytest.raises(ContractError, match="no function double any more"):
        _ = lost.schema_in


async def test_a_preview_and_a_reconciliation_belong_to_what_is_found(found: Found) -> None:
    async def show(_ctx: LeafContext, _payload: object) -> str:
        return "a number"

    async def ask(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        return UNKNOWN

    shown, asked = defer(found, Retry()).with_preview(show), defer(found).with_reconcile(ask)
    assert shown.functions == (double.function, show)
    assert asked.functions == (double.function, ask)
    assert (shown.name, len(shown.layers), shown.where) == ("twice", 1, "numbers.yaml:3")
