"""Wrong values in the public API: each is refused in one line that names the argument, none fails inside Remit."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, cast

import pytest

from figures.untyped_names import NOT_SWEPT, PublicCallable, public_callables
from figures.untyped_sweep import sweep
from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentLimits, AttachmentPolicy
from remit.effects import once
from remit.engines import LocalEngine
from remit.errors import ContractError, RequestError, SetupError
from remit.inventory import Classification, Operations, read_inventory
from remit.layers import Redact
from remit.messages import History, ToolDefinitions, decode_message
from remit.models import resolve_model
from remit.policies import Ask, Decision
from remit.testing import make_call, superuser
from remit.tools import Limits, parse_arguments, with_recommended_layers
from remit.workers import build_agent, load_workers, read_worker


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


def untyped(value: object) -> Any:
    """Hide the type of a value."""
    return value


def clerk(**changes: Any) -> Agent:
    return cast("Any", Agent)(**{"name": "clerk", "instructions": "Work.", **changes})


class Grid:
    """Compares and is shown as an array of numpy, whose comparison is no truth and whose ``repr`` has several lines."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth of a grid is ambiguous")

    def __repr__(self) -> str:
        return "grid 1 2\n     3 4"

    __hash__ = None  # type: ignore[assignment]


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "limits": (lambda: clerk(limits=-1), "agent clerk: limits is -1; give AgentLimits(…)"),
    "a driver": (lambda: clerk(driver=-1), "agent clerk: driver is -1; give a driver, such as NativeDriver()"),
    "facts": (lambda: clerk(facts=-1), "agent clerk: facts is -1; give Facts(…)"),
    "an input": (lambda: clerk(input=None), "agent clerk: input is None; give a class derived from BaseModel"),
    "provider tools": (lambda: clerk(provider_tools=None), "agent clerk: provider_tools is None; give a list"),
    "agent layers": (lambda: clerk(agent_layers=-1), "agent clerk: agent_layers is -1; give Stack(…)"),
    "no turn": (lambda: AgentLimits(turns=0), "AgentLimits: turns: Input should be greater than or equal to 1"),
    "no suffix": (lambda: AttachmentPolicy(suffixes=()), "AttachmentPolicy: suffixes: "),
    "layers": (lambda: double.with_layers(untyped(5)), "5 is not a layer; "),
    "a preview": (lambda: double.with_preview(untyped(0)), "tool double: preview is 0; give an async function"),
    "a reconcile": (lambda: double.with_reconcile(untyped(0)), "tool double: reconcile is 0; give an async function"),
    "a redaction": (lambda: Redact(fields=untyped(None)), "Redact: fields is None; give a list"),
    "a tool": (lambda: with_recommended_layers(untyped(None)), "with_recommended_layers: tool is None; give a tool"),
    "a permission": (lambda: superuser(untyped([])), "an item of permissions is []; give a string"),
    "a callback": (
        lambda: Runtime(App(name="shop", tools=[double]), on_item=untyped(3)),
        "Runtime: on_item is 3; give a function",
    ),
    "an engine's store": (
        lambda: LocalEngine(untyped(None), untyped(print), applications=["shop"], on_error=print),
        "an engine: store is None; give the store of the journal",
    ),
    "a model": (lambda: resolve_model(untyped(None)), "the name of a model is None; give a string"),
    "a folder of workers": (lambda: load_workers(untyped(None)), "a folder of workers is None; give a path"),
    "a worker file": (lambda: read_worker(untyped(None)), "read_worker: path is None; give a path"),
    "a worker": (lambda: build_agent(untyped(None)), "build_agent: definition is None; give WorkerDefinition(…)"),
    "an inventory folder": (
        lambda: read_inventory(untyped(None), untyped(None), untyped(None)),
        "read_inventory: folder is None; give a path",
    ),
    "an inventory": (lambda: Operations(untyped(None), []), "Operations: inventory is None; give Inventory(…)"),
    "a domain": (
        lambda: Classification(domain=untyped(None), subdomain="x", capability=untyped("read")),
        "Classification: domain is None; give a string",
    ),
    "a history": (lambda: History(untyped(None)), "History: texts is None; give a list"),
    "one text as a history": (lambda: History("hello"), "History: texts is 'hello'; give a list"),
    "definitions": (lambda: ToolDefinitions([{}]), "ToolDefinitions: definitions is [{}]; give definitions of"),
    "a message": (lambda: decode_message(""), "decode_message: text is ''; give the JSON text of a message"),
    "arguments": (
        lambda: parse_arguments(untyped(None), Limits()),
        "parse_arguments: raw is None; give a string",
    ),
    "a session": (
        lambda: asyncio.run(once(untyped(None), "key", int, untyped(print))),
        "once: session is None; give AsyncSession(…)",
    ),
    "a question": (
        lambda: Runtime(App(name="shop", tools=[double])).client(superuser()).decision_kind(untyped("question")),
        "question is 'question'; give Question(…)",
    ),
    "the principal of a call": (
        lambda: asyncio.run(make_call(double, by=untyped(0))),
        "make_call: by is 0; give a Principal, such as Principal('ada')",
    ),
    "a principal's name": (lambda: superuser(name="\ud800"), r"Principal: name is '\ud800'; "),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_value_is_refused_in_one_line(case: str) -> None:
    build, message = REFUSED[case]
    with pytest.raises((SetupError, RequestError)) as caught:
        build()
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("text", ["", "not a type", "a\nb", "a\0b"])
def test_a_text_is_no_type_of_a_result(text: str) -> None:
    with pytest.raises(ContractError, match="cannot be a result"):
        clerk(output=text)


def test_values_whose_comparison_is_no_truth_are_refused_like_others() -> None:
    for build in (
        lambda: App(name="shop", views=untyped(Grid())),
        lambda: clerk(tool_scope=untyped(Grid())),
        lambda: clerk(output_mode=untyped(Grid())),
        lambda: Ask(reason="big", kind=untyped(Grid())),
    ):
        with pytest.raises(SetupError, match=r" is grid 1 2 3 4; give "):
            build()


@pytest.mark.parametrize("run", [[], [3], 10**400, None])
async def test_a_run_that_is_no_text_is_refused(run: object) -> None:
    runtime = Runtime(App(name="shop", tools=[double]))
    for attempt in (runtime.resume, runtime.replay, runtime.earliest_expiry):
        with pytest.raises(RequestError, match=r"^run is .*; give a string$"):
            await attempt(untyped(run))
    with pytest.raises(RequestError, match=r"^run is .*; give a string$"):
        await runtime.cancel(untyped(run), by=superuser())


def test_the_kinds_of_a_classification_are_accepted_as_text() -> None:
    axes = Classification(domain="office", subdomain="notes", capability=untyped("read")).axis_values()
    assert axes[2] == "read"


def test_a_decision_names_its_approver_in_the_composed_form() -> None:
    assert Decision(question="q", approved=True, by="Ame\u0301lie").by == superuser(name="Am\u00e9lie").name


@pytest.mark.process
async def test_every_public_callable_answers_every_wrong_value() -> None:
    count, found = await sweep()
    assert found == [], "\n".join(found)
    assert count > 10_000


@pytest.mark.process
def test_every_reason_to_leave_callables_out_names_callables_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = " ".join(NOT_SWEPT.values()).split()
    monkeypatch.setattr("figures.untyped_names.NOT_SWEPT", {})
    names = [each.name for each in public_callables()]
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)] == []


def test_a_public_callable_without_samples_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    part = inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY, annotation="Unheard")
    new = PublicCallable("unknown", print, None, {"part": part})
    monkeypatch.setattr("figures.untyped_sweep.public_callables", lambda: [new])
    count, found = asyncio.run(sweep())
    assert (count, len(found)) == (0, 1)
