"""The invariants of layers, through the real runtime: the model's calls, one after another and in parallel."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, Stack, Tool, tool
from remit.agent import StepOutcome, StepRequest
from remit.app import Env
from remit.call.call import ModelService, StepService
from remit.chat.chat import ChatRequest, Completion
from remit.layers import Approve, Call, CallLayer, CallService, ModelLayer, Reply, StepLayer, Validate, layer_fn
from remit.policies import Decision, HasApprover, Question
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from tests.acceptance.layered import WAYS, every_public_way
from tests.cli.kit import Cli

MODES = pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
AnyTool = Tool[..., Any]


@layer_fn
async def probe(call: Call, inner: CallService, name: str, log: list[str]) -> Reply:
    log.append(f"{name} enter")
    reply = await inner(call)
    log.append(f"{name} exit")
    return reply


@layer_fn
async def finish(call: Call, inner: CallService, value: str) -> Reply:
    await inner(call)
    return Reply.final(value)


def logging_tool(log: list[str]) -> Tool[[], str]:
    @tool(effect=Effect.PURE)
    async def work() -> str:
        """Work."""
        log.append("base")
        return "worked"

    return work


def runtime_of(
    *tools: AnyTool,
    parallel: int,
    times: int = 1,
    arguments: str = "{}",
    layers: Stack[CallLayer] | None = None,
    around: Callable[[Agent], Agent] = lambda agent: agent,
) -> tuple[Runtime, Scripted]:
    """A runtime whose model calls each tool ``times`` times in one reply, then says "all done"."""
    wanted = [(each.name, arguments) for each in tools for _ in range(times)]
    model = Scripted([calls(*wanted), "all done"])
    agent = around(Agent("agent", instructions="Work.", tools=tools, parallel=parallel))
    return Runtime(App(name="test", agents=(agent,)), model=model, layers=layers), model


def replies(model: Scripted) -> list[Any]:
    """What the model read as results, in order."""
    messages = [json.loads(text) for text in model.requests[-1].history]
    return [message["content"] for message in messages if message["role"] == "tool"]


async def ask(runtime: Runtime, by: Principal | None = None) -> RunResult[str]:
    return await runtime.run("go", by=by or superuser())


@MODES
async def test_cross_scope_layer_ordering(parallel: int) -> None:
    log: list[str] = []
    runtime, _ = runtime_of(
        logging_tool(log).layer(probe("tool", log)),
        parallel=parallel,
        around=lambda agent: agent.layer(probe("agent", log)),
    )
    await ask(runtime.layer(probe("run", log)))
    agent_call, tool_call = log[:1] + log[-1:], log[1:-1]
    assert agent_call == ["run enter", "run exit"]
    assert tool_call == [
        "run enter",
        "agent enter",
        "tool enter",
        "base",
        "tool exit",
        "agent exit",
        "run exit",
    ]


@MODES
async def test_final_effect_precedence(parallel: int) -> None:
    log: list[str] = []

    @layer_fn
    async def finish_calls(call: Call, inner: CallService) -> Reply:
        reply = await inner(call)
        return Reply.final("by the run") if call.callee.name == "work" else reply

    runtime, model = runtime_of(
        logging_tool(log).layer(finish("by the tool")),
        parallel=parallel,
        times=3,
        around=lambda agent: agent.layer(finish("by the agent")),
    )
    result = await ask(runtime.layer(finish_calls()))
    assert result.value() == "by the run"
    assert log == ["base"] * 3, "siblings finish"
    assert len(model.requests) == 1, "nobody asks the model again"


@MODES
async def test_the_first_final_in_call_order_wins_between_siblings(parallel: int) -> None:
    first = logging_tool([]).with_name("first").layer(finish("first"))
    second = logging_tool([]).with_name("second").layer(finish("second"))
    runtime, _ = runtime_of(first, second, parallel=parallel)
    assert (await ask(runtime)).value() == "first"


@MODES
async def test_runner_uses_service_tools(parallel: int) -> None:
    log: list[str] = []
    runtime, model = runtime_of(logging_tool(log), parallel=parallel, times=3)
    result = await ask(runtime)
    assert result.value() == "all done"
    assert log == ["base"] * 3
    assert replies(model) == ["worked"] * 3


@MODES
async def test_agent_layer_chaining_compiles(parallel: int) -> None:
    log: list[str] = []
    runtime, _ = runtime_of(
        logging_tool(log),
        parallel=parallel,
        around=lambda agent: agent.layer(probe("first", log)).layer(probe("second", log)),
    )
    await ask(runtime)
    assert log == ["second enter", "first enter", "base", "first exit", "second exit"]


@MODES
async def test_runconfig_layer_chaining_compiles(parallel: int) -> None:
    log: list[str] = []
    runtime, _ = runtime_of(logging_tool(log), parallel=parallel, layers=Stack())
    await ask(runtime.layer(probe("first", log)).layer(probe("second", log)))
    around_tool = log[2:-2]
    assert around_tool == ["second enter", "first enter", "base", "first exit", "second exit"]


@dataclass
class Yes:
    """An approver that approves at once, and remembers what it was asked."""

    asked: list[Question] = field(default_factory=list[Question])

    async def decide(self, question: Question, /) -> Decision | None:
        self.asked.append(question)
        return Decision(question=question.id, approved=True, by="ada")


def guarded(env: HasApprover) -> Stack[CallLayer]:
    return Stack[CallLayer](Validate(), Approve(env))


def risky(log: list[str]) -> Tool[[], str]:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(_ctx: LeafContext) -> str:
        """Erase."""
        log.append("erased")
        return "erased"

    return erase


@MODES
async def test_approval_layer_denies_without_capability(parallel: int) -> None:
    log: list[str] = []
    nobody = risky(log).layer(Approve(Env(approver=None)))
    runtime, model = runtime_of(nobody, parallel=parallel, times=2, layers=Stack[CallLayer](Validate()))
    result = await ask(runtime)
    assert log == []
    assert result.value() == "all done", "the agent reads the denial and goes on"
    said = "erase cannot run: the environment has no approver"
    denial = {"success": False, "cancelled": True, "reason": said, "error": said, "errorCode": "CAPABILITY_ABSENT"}
    assert [json.loads(reply) for reply in replies(model)] == [denial, denial]


@MODES
async def test_approval_layer_allows_with_capability(parallel: int) -> None:
    log: list[str] = []
    approver = Yes()
    runtime, model = runtime_of(risky(log), parallel=parallel, times=2, layers=guarded(Env(approver=approver)))
    result = await ask(runtime)
    assert result.value() == "all done"
    assert log == ["erased", "erased"]
    assert len({question.id for question in approver.asked}) == 2, "each call is asked about by itself"
    assert replies(model) == ["erased", "erased"]


def counting(log: list[int]) -> Tool[[int], str]:
    @tool(effect=Effect.PURE)
    async def count(number: int) -> str:
        """Count."""
        log.append(number)
        return str(number)

    return count


@MODES
async def test_schema_not_enforced_without_layer(parallel: int) -> None:
    log: list[int] = []
    loose = '{"number": "7", "unheard": "of"}'
    runtime, model = runtime_of(counting(log), parallel=parallel, arguments=loose, layers=Stack())
    await ask(runtime)
    assert log == [7]
    assert replies(model) == ["7"]


@MODES
async def test_schema_enforced_with_strict_layer(parallel: int) -> None:
    log: list[int] = []
    loose = '{"number": "7", "unheard": "of"}'
    strict = Stack[CallLayer](Validate(strict=True))
    runtime, model = runtime_of(counting(log), parallel=parallel, times=2, arguments=loose, layers=strict)
    await ask(runtime)
    assert log == []
    for reply in map(json.loads, replies(model)):
        assert reply["errorCode"] == "VALIDATION_ERROR"
        assert "number" in reply["error"]
        assert "unheard: no such parameter" in reply["error"]


@MODES
async def test_tool_level_layer_applies_in_service_path(parallel: int) -> None:
    @layer_fn
    async def shout(call: Call, inner: CallService) -> Reply:
        return Reply.from_value((await inner(call)).content.upper())

    runtime, model = runtime_of(logging_tool([]).layer(shout()), parallel=parallel, times=2)
    await ask(runtime)
    assert replies(model) == ["WORKED", "WORKED"]


class Counter:
    """A capability of an application: one number."""

    def __init__(self) -> None:
        self.value = 0


class HasCounter(Protocol):
    @property
    def counter(self) -> Counter: ...


@dataclass(frozen=True)
class CounterEnv:
    counter: Counter = field(default_factory=Counter)


class Raise(CallLayer):
    """A layer that reads and raises the counter of its environment."""

    def __init__(self, env: HasCounter, seen: list[int]) -> None:
        self._counter = env.counter
        self._seen = seen

    def __call__(self, inner: CallService, /) -> CallService:
        async def raising(call: Call, /) -> Reply:
            self._seen.append(self._counter.value)
            self._counter.value += 1
            return await inner(call)

        return raising


@MODES
async def test_layers_at_every_scope_share_one_counter_capability(parallel: int) -> None:
    env, seen = CounterEnv(), list[int]()
    runtime, _ = runtime_of(
        logging_tool([]).layer(Raise(env, seen)),
        parallel=parallel,
        times=4,
        around=lambda agent: agent.layer(Raise(env, seen)),
    )
    await ask(runtime.layer(Raise(env, seen)))
    assert env.counter.value == 1 + 4 * 3, "once for the agent's own call, three times for each tool call"
    assert seen == list(range(13))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", ["model", "python", "by name"])
async def test_a_layer_attached_at_each_scope_by_each_public_way_runs_on_every_path(way: str, path: str) -> None:
    log: list[str] = []
    work = logging_tool(log).layer(every_public_way("tool", log)[way])
    model = Scripted([calls(("work", {})), "done"])
    agent = Agent("agent", instructions="Work.", tools=[work]).layer(every_public_way("agent", log)[way])
    runtime = Runtime(App(name="test", agents=(agent,)), model=model).layer(every_public_way("run", log)[way])
    paths: dict[str, Callable[[], Awaitable[RunResult[Any]]]] = {
        "model": lambda: runtime.run("go", by=superuser()),
        "python": lambda: runtime.call(work, superuser()),
        "by name": lambda: runtime.call_by_name("work", work.build_arguments(), by=superuser()),
    }
    result = await paths[path]()
    assert result.status == "done"
    assert log[-4:] == ["run", "agent", "tool", "base"]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made = Cli(tmp_path)
    made.script(calls(("work", {})), "done")
    monkeypatch.setenv("REMIT_HOME", str(made.home))
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{made.script_file}")
    monkeypatch.setenv("LAYERED", str(tmp_path / "layered"))
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("command", [("call", "work", "{}"), ("run", "--ask", "go")], ids=["call", "run"])
def test_a_layer_attached_at_each_scope_by_each_public_way_runs_from_the_command_line(
    cli: Cli, way: str, command: tuple[str, ...]
) -> None:
    verb, *words = command
    done = cli(verb, f"tests.acceptance.layered:{'klass' if way == 'class' else way}", *words)
    assert done.status == 0, done.err
    ran = Path(os.environ["LAYERED"]).read_text(encoding="utf-8").split()
    around_the_agent = ["run"] if verb == "run" else []
    assert ran == [*around_the_agent, "run", "agent", "tool", "base"]


async def test_model_and_step_layers_of_an_agent_run_around_requests_and_steps() -> None:
    log: list[str] = []

    class Asking(ModelLayer):
        def __call__(self, inner: ModelService, /) -> ModelService:
            async def service(request: ChatRequest, /) -> Completion:
                log.append("model")
                return await inner(request)

            return service

    class Stepping(StepLayer):
        def __call__(self, inner: StepService, /) -> StepService:
            async def service(request: StepRequest, /) -> StepOutcome:
                log.append("step")
                return await inner(request)

            return service

    runtime, _ = runtime_of(logging_tool(log), parallel=8, around=lambda agent: agent.layer(Asking()).layer(Stepping()))
    await ask(runtime)
    assert log == ["step", "model", "base", "step", "model"]
