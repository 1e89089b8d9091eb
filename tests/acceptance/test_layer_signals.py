"""A signal that ends a process or suspends a run ends one call, if code of the application raised it in a layer."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Ask, Context, Effect, Policy, Runtime, Stack, Timeout, When, preset, tool
from remit.app import Env
from remit.call.gate import Gate
from remit.call.step import StepOutcome, StepRequest
from remit.errors import JournalError, SealError, Suspended
from remit.layers import Call, CallLayer, CallService, Guardrail, ModelService, Reply, StepService, Transform, layer_fn
from remit.messages import ChatRequest, Completion
from remit.policies import Decision, Question
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser

RUNS: list[int] = []
ADA = superuser(name="ada")
ROOT = Path(__file__).parents[2]
ERRORS = [
    Suspended("mine"),
    Suspended(reason="the model is busy"),
    SystemExit(3),
    KeyboardInterrupt("mine"),
    GeneratorExit("mine"),
    BaseExceptionGroup("mine", [SystemExit(1)]),
]


@tool(effect=Effect.UNSAFE, risk="safe", tags=["test"])
async def pay(amount: int) -> int:
    """Pay an amount."""
    RUNS.append(amount)
    return amount


@tool(effect=Effect.UNSAFE, risk="high")
async def erase() -> str:
    """Erase."""
    RUNS.append(0)
    return "erased"


@layer_fn
async def before(_call: Call, _inner: CallService, error: BaseException) -> Reply:
    raise error


@layer_fn
async def behind(call: Call, inner: CallService, error: BaseException) -> Reply:
    await inner(call)
    raise error


@layer_fn
async def around_model(request: ChatRequest, inner: ModelService, error: BaseException) -> Completion:
    await inner(request)
    raise error


@layer_fn
async def around_step(request: StepRequest, inner: StepService, error: BaseException) -> StepOutcome:
    await inner(request)
    raise error


def _payer(*, tool_layer: CallLayer | Stack[CallLayer] = Stack[CallLayer]()) -> Agent:  # noqa: B008 - immutable
    return Agent("payer", instructions="Pay.", tools=[pay.layer(tool_layer)])


PLACES: dict[str, Callable[[BaseException], tuple[Agent, str, int]]] = {
    "tool, before": lambda error: (_payer(tool_layer=before(error)), "before", 0),
    "tool, behind": lambda error: (_payer(tool_layer=behind(error)), "behind", 1),
    "agent": lambda error: (_payer().layer(behind(error)), "behind", 1),
    "around the agent": lambda error: (_payer().layer_around(behind(error)), "behind", 1),
    "model": lambda error: (_payer().layer(around_model(error)), "around_model", 0),
    "step": lambda error: (_payer().layer(around_step(error)), "around_step", 1),
}


async def _run(agent: Agent, layers: Stack[CallLayer] | None = None) -> tuple[Runtime, RunResult[Any]]:
    RUNS.clear()
    model = Scripted([calls(("pay", {"amount": 1})), "done"])
    runtime = Runtime(App(name="test", agents=[agent]), model=model)
    if layers is not None:
        runtime = runtime.layer(layers)
    return runtime, await runtime.run("go", by=ADA)


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("place", PLACES)
async def test_a_signal_of_its_own_ends_one_call_with_an_error_that_names_the_layer(
    place: str, error: BaseException
) -> None:
    agent, name, effects = PLACES[place](error)
    runtime, result = await _run(agent)
    errors = [json.loads(text) for text in await _replies(runtime, result) if "errorCode" in text]
    assert f"the layer {name} failed: {type(error).__name__}" in errors[0]["error"]
    assert result.status == ("done" if place in {"tool, before", "tool, behind", "agent"} else "failed")
    assert len(RUNS) == effects
    assert (await runtime.replay(result.run)).is_identical
    assert len(RUNS) == effects


async def _replies(runtime: Runtime, result: RunResult[Any]) -> list[str]:
    history = [json.loads(text) for text in await runtime.history(result.run)]
    return [*(message["content"] for message in history if message["role"] == "tool"), result.text]


def raising(error: BaseException) -> Callable[..., Any]:
    """A plain function that raises ``error``, whatever it is called with."""

    def fail(*_args: object) -> Any:
        raise error

    return fail


class Closed(Gate):
    """A gate of an application."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def check(self, call: Call, /) -> None:
        """Fail."""
        raise self._error


class Hasty:
    """An approver in the process of the application."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def decide(self, _question: Question, /) -> Decision | None:
        """Fail."""
        raise self._error


def _asking(rule: Callable[[], bool], env: Env) -> Stack[CallLayer]:
    """The preset with a policy about payments."""
    return preset(
        env, policy=Policy.only(When("mine", lambda call: call.callee.name == "pay" and rule(), Ask(reason="?")))
    )


OWN_CODE: dict[str, tuple[Callable[[BaseException], tuple[Agent, Stack[CallLayer] | None]], str]] = {
    "Transform": (lambda error: (_payer(tool_layer=Transform(raising(error))), None), "the layer Transform"),
    "Guardrail": (lambda error: (_payer().layer(Guardrail(raising(error))), None), "the layer Guardrail"),
    "gate": (lambda error: (_payer(tool_layer=Closed(error)), None), "the layer Closed"),
    "rule": (lambda error: (_payer(), _asking(raising(error), Env())), "the rule 'mine' failed, so pay is denied"),
    "approver": (
        lambda error: (_payer(), _asking(lambda: True, Env(approver=Hasty(error)))),
        "the approver failed, so pay is not",
    ),
}


@pytest.mark.parametrize("error", [*ERRORS, asyncio.CancelledError()], ids=repr)
@pytest.mark.parametrize("where", OWN_CODE)
async def test_a_signal_of_a_function_that_a_layer_of_remit_runs_ends_one_call(
    where: str, error: BaseException
) -> None:
    make, message = OWN_CODE[where]
    agent, layers = make(error)
    RUNS.clear()
    runtime = Runtime(
        App(name="test", agents=[agent]), layers=layers, model=Scripted([calls(("pay", {"amount": 1})), "done"])
    )
    result = await runtime.run("go", by=ADA)
    assert any(message in text for text in await _replies(runtime, result)), result.text
    assert len(RUNS) == (1 if where == "Transform" else 0)
    assert (await runtime.replay(result.run)).is_identical


class Crash(BaseException):
    """The process died here."""


@pytest.mark.parametrize("where", OWN_CODE)
async def test_a_crash_in_a_function_that_a_layer_of_remit_runs_ends_the_run(where: str) -> None:
    agent, layers = OWN_CODE[where][0](Crash())
    model = Scripted([calls(("pay", {"amount": 1})), "done"])
    with pytest.raises(Crash):
        await Runtime(App(name="test", agents=[agent]), layers=layers, model=model).run("go", by=ADA)


@layer_fn
async def swallow(call: Call, inner: CallService) -> Reply:
    """Answer whatever inner raises."""
    try:
        return await inner(call)
    except BaseException:  # noqa: BLE001 - the defect
        return Reply.from_value("fine")


@layer_fn
async def group(call: Call, inner: CallService) -> Reply:
    """Call in a group, which wraps what its tasks raise."""
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(_call(inner, call))
    return task.result()


async def _call(inner: CallService, call: Call) -> Reply:
    return await inner(call)


@layer_fn
async def twice(call: Call, inner: CallService) -> Reply:
    """Try again, whatever inner raised."""
    try:
        return await inner(call)
    except BaseException:  # noqa: BLE001 - the defect
        return await inner(call)


@pytest.mark.parametrize("layer", [swallow(), group(), twice()], ids=repr)
async def test_a_run_waits_for_its_question_whatever_a_layer_does_with_the_suspension(layer: CallLayer) -> None:
    RUNS.clear()
    runtime = Runtime(App(name="test", tools=[erase])).layer(layer)
    waiting = await runtime.call(erase, ADA)
    assert (waiting.status, len(waiting.questions), RUNS) == ("waiting", 1, [])
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).value() == "erased"
    assert RUNS == [0]
    assert (await runtime.replay(waiting.run)).is_identical


async def test_an_error_that_a_group_of_a_layer_wraps_ends_one_call() -> None:
    agent = _payer(tool_layer=Stack(group(), before(KeyError("where"))))
    runtime, result = await _run(agent)
    assert "the layer group failed: ExceptionGroup" in (await _replies(runtime, result))[0]
    assert result.value() == "done"


@pytest.mark.parametrize("layer", [swallow(), twice()], ids=repr)
async def test_a_journal_that_refuses_stops_the_run_whatever_a_layer_does_with_the_error(layer: CallLayer) -> None:
    RUNS.clear()

    @layer_fn
    async def refuse(_call: Call, _inner: CallService) -> Reply:
        raise JournalError("full")

    runtime = Runtime(App(name="test", tools=[pay]), layers=Stack(layer, Timeout(60).calls, refuse()))
    with pytest.raises(JournalError, match="full"):
        await runtime.call(pay, ADA, 1)
    assert RUNS == []


async def test_what_a_layer_has_kept_or_left_behind_calls_nothing_when_its_call_has_ended() -> None:
    RUNS.clear()
    kept: list[tuple[CallService, Call]] = []
    left: list[asyncio.Task[Reply]] = []
    over = asyncio.Event()

    async def call_late(inner: CallService, call: Call) -> Reply:
        await over.wait()
        return await inner(call)

    @layer_fn
    async def leave(call: Call, inner: CallService) -> Reply:
        kept.append((inner, call))
        left.append(asyncio.create_task(call_late(inner, call)))
        return Reply.from_value(7)

    made = pay.layer(leave())
    assert (await Runtime(App(name="test", tools=[made])).call(made, ADA, 1)).value() == 7
    over.set()
    with pytest.raises(SealError, match="the layer leave called inner after its call had ended"):
        await left[0]
    with pytest.raises(SealError, match="the layer leave called inner after its call had ended"):
        await _call(*kept[0])
    assert RUNS == []


async def test_a_layer_that_calls_another_late_is_named_and_another_call_under_way_is_not_taken_for_its_own() -> None:
    left: list[asyncio.Task[Reply]] = []
    over = asyncio.Event()

    async def call_late(inner: CallService, call: Call) -> Reply:
        await over.wait()
        return await inner(call)

    @layer_fn
    async def leave(call: Call, inner: CallService) -> Reply:
        if not call.caller.call:
            return await inner(call)
        left.append(asyncio.create_task(call_late(inner, call)))
        return Reply.from_value(7)

    @layer_fn
    async def pass_on(call: Call, inner: CallService) -> Reply:
        return await inner(call)

    @tool(effect=Effect.COMPOSED)
    async def repeat(ctx: Context, number: int) -> int:
        """Call itself once, and then wait for what its layers do late."""
        if number:
            found: int = await ctx.call("repeat", number=number - 1)
            over.set()
            await asyncio.wait(left)
            return found
        return 0

    made = repeat.layer(pass_on()).layer(leave())
    assert (await Runtime(App(name="test", tools=[made])).call(made, ADA, 1)).value() == 7
    with pytest.raises(SealError, match="the layer leave called inner after its call had ended"):
        await left[0]


INTERRUPTED = """
import asyncio, signal, sys, time
from remit import App, Effect, Runtime, tool
from remit.layers import Call, CallService, Reply, layer_fn
from remit.stores import SqlStore
from remit.testing import superuser

def wait():
    if sys.argv[1] == "call":
        print("begun", flush=True)
        while True:
            time.sleep(0.01)

@tool(effect=Effect.IDEMPOTENT, risk="safe", tags=["test"])
async def put(number: int) -> int:
    "Put a number."
    if sys.argv[2] == "body":
        wait()
    return number

@layer_fn
async def blocking(call: Call, inner: CallService) -> Reply:
    if sys.argv[2] == "layer":
        wait()
    return await inner(call)

async def main():
    store, made = SqlStore.at("journal.db"), put.layer(blocking())
    runtime = Runtime(App(name="test", tools=(made,)), store=store, lease_seconds=0.01, make_run_id=lambda: "run",
                      directory=lambda name, tenant: superuser(name=name, tenant=tenant))
    result = await (runtime.call(made, superuser(), 4) if sys.argv[1] == "call" else runtime.resume("run"))
    print(result.value())
    await store.close()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
asyncio.new_event_loop().run_until_complete(main())
"""


@pytest.mark.process
@pytest.mark.parametrize("where", ["body", "layer"])
def test_ctrl_c_stops_a_process_that_runs_a_loop_of_its_own_and_the_run_can_be_resumed(
    where: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*command, "call", where],
        cwd=tmp_path,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert "KeyboardInterrupt" in errors
    resumed = subprocess.run(
        [*command, "resume", where], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert resumed.stdout == "4\n", resumed.stderr
