"""A run asks an agent, or calls one tool: by object, or by name; and says how it came out."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from remit import Agent, App, Block, Effect, Policy, Principal, Risk, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.dispatch.registry import MissingCallee
from remit.errors import (
    ConflictError,
    InvalidArgumentsError,
    LeaseError,
    ModelError,
    NameTakenError,
    RequestError,
    SetupError,
)
from remit.layers import Budget, CallLayer, Redact, Timeout, Validate
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import Position, RunFinished, RunOpened, ToolOutput
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, World, code_of, items_of, runtime_of


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool(effect=Effect.PURE)
async def refuse() -> int:
    """Refuse."""
    raise ConflictError("it is at revision 4")


async def test_a_run_asks_the_first_agent_of_the_application() -> None:
    first, second = Agent("first", instructions="One."), Agent("second", instructions="Two.")
    runtime = Runtime(App(name="test", agents=(first, second)), model=Scripted(["done"]))
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.value(), result.text) == ("done", "done", "done")
    row = await runtime.store.find_run(result.run)
    assert row is not None
    assert (row.callee, row.status, row.application) == ("first", "done", "test")


@pytest.mark.parametrize("by_object", [False, True])
async def test_a_run_asks_another_agent_that_is_named(by_object: bool) -> None:
    first, second = Agent("first", instructions="One."), Agent("second", instructions="Two.")
    model = Scripted(["done"])
    runtime = Runtime(App(name="test", agents=(first, second)), model=model)
    await runtime.run("go", by=superuser(), agent=second if by_object else "second")
    assert "Two." in model.requests[0].history[0]


async def test_an_agent_that_is_given_with_another_model_asks_that_and_is_the_listed_one_when_it_is_driven_on() -> None:
    world = World()
    own, other = Scripted(["own"]), Scripted([calls(("danger", {"text": "a"})), "other"])
    agent = Agent("agent", instructions="One.", tools=[world.write("danger", risk=Risk.HIGH)], model=own)
    runtime = Runtime(App(name="test", agents=(agent,)))
    assert (await runtime.run("go", by=superuser(), agent=agent)).value() == "own"
    waiting = await runtime.run("go", by=superuser(), agent=agent.with_model(other))
    assert (waiting.status, len(own.requests), len(other.requests)) == ("waiting", 1, 1)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    with pytest.raises(ModelError, match="the script has 1 answers"):
        (await runtime.resume(waiting.run)).value()
    assert (len(own.requests), len(other.requests)) == (2, 1)


async def test_another_agent_under_the_name_of_a_listed_one_is_refused_and_no_run_is_opened() -> None:
    agent = Agent("agent", instructions="One.", model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    for other in (Agent("agent", instructions="Two.", model=Scripted([])), agent.layer(Validate())):
        with pytest.raises(RequestError, match=r"Agent agent .* is not listed: its name is that of Agent agent"):
            await runtime.run("go", by=superuser(), agent=other)
        with pytest.raises(RequestError, match="is not listed: its name is that of"):
            await runtime.submit("go", by=superuser(), agent=other)
    assert await runtime.store.list_runs() == []


async def test_an_agent_that_the_application_does_not_have_is_refused_with_those_it_has() -> None:
    runtime = runtime_of(Scripted([]), double)
    with pytest.raises(RequestError, match="application test has no agent 'editor'; it has: agent"):
        await runtime.run("go", by=superuser(), agent="editor")
    with pytest.raises(RequestError, match="has no default agent; it has: none"):
        await Runtime(App(name="test")).run("go", by=superuser())
    assert await runtime.store.list_runs() == []


async def test_a_call_from_python_gives_a_typed_value_and_is_a_run_of_one_call() -> None:
    runtime = runtime_of(Scripted([]), double)
    result = await runtime.call(double, superuser(), 4)
    assert result.value() == 8
    items = await items_of(runtime.store, result.run)
    (output,) = [item for item in items if isinstance(item, ToolOutput)]
    assert (output.text, output.parent, output.wire) == ("8", "", "")
    assert isinstance(items[0], RunOpened)
    assert isinstance(items[-1], RunFinished)
    assert (await runtime.history(result.run)) == []


async def test_a_header_records_the_permissions_that_its_principal_held() -> None:
    runtime = runtime_of(Scripted([]), double)
    person = Principal("ada", permissions=frozenset({"tools:call", "pages:*"}))
    result = await runtime.call(double, person, 4)
    (header,) = [each for each in await items_of(runtime.store, result.run) if isinstance(each, RunOpened)]
    assert header.held == ("pages:*", "tools:call")


@pytest.mark.parametrize("given", [{"number": 4}, '{"number": 4}', parse_arguments('{"number": 4}')])
async def test_a_call_by_name_takes_a_mapping_json_and_parsed_arguments(given: Any) -> None:
    runtime = Runtime(App(name="test", tools=(double,)))
    assert (await runtime.call_by_name("double", given, by=superuser())).value() == 8


async def test_a_call_by_name_takes_raw_arguments_as_the_command_line_gives_them() -> None:
    runtime = runtime_of(Scripted([]), double)
    result = await runtime.call_by_name("double", parse_arguments('{"number": 4}', Limits()), by=superuser())
    assert result.value() == 8


@pytest.mark.parametrize("raw", ["{", "[4]", '{"number":"4"}', '{"number":4,"more":1}', "{}"])
async def test_bad_arguments_by_name_are_a_run_that_failed(raw: str) -> None:
    runtime = runtime_of(Scripted([]), double)
    result = await runtime.call_by_name("double", parse_arguments(raw, Limits()), by=superuser())
    assert (result.status, code_of(result)) == ("failed", "VALIDATION_ERROR")
    with pytest.raises(InvalidArgumentsError):
        result.value()


async def test_arguments_that_do_not_fit_the_signature_open_no_run() -> None:
    runtime = runtime_of(Scripted([]), double)
    with pytest.raises(InvalidArgumentsError):
        await runtime.call(double, superuser(), "four")  # type: ignore[arg-type]
    assert await runtime.store.list_runs() == []


async def test_a_name_that_the_application_does_not_have_opens_no_run() -> None:
    runtime = runtime_of(Scripted([]), double)
    with pytest.raises(RequestError, match="application test has no tool or agent 'triple'"):
        await runtime.call_by_name("triple", parse_arguments("{}", Limits()), by=superuser())
    assert await runtime.store.list_runs() == []


async def test_a_failed_run_raises_the_error_of_its_root() -> None:
    runtime = runtime_of(Scripted([]), refuse)
    result = await runtime.call(refuse, superuser())
    assert (result.status, code_of(result)) == ("failed", "CONFLICT")
    with pytest.raises(ConflictError, match="revision 4"):
        result.value()
    finished = (await items_of(runtime.store, result.run))[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.status, finished.error) == ("failed", "CONFLICT: it is at revision 4")


async def test_a_run_that_has_ended_tells_its_end_again() -> None:
    world = World()
    runtime = runtime_of(Scripted([]), write := world.write(), refuse)
    done, failed = await runtime.call(write, superuser(), "a"), await runtime.call(refuse, superuser())
    again = await runtime.resume(done.run)
    assert (again.status, again.value(), world.ran) == ("done", "wrote a", ["a"])
    with pytest.raises(ConflictError, match="revision 4"):
        (await runtime.resume(failed.run)).value()


def test_a_run_that_has_no_reply_has_no_value() -> None:
    result: RunResult[str] = RunResult(
        run="r1", status="waiting", callee=MissingCallee("x", ()), questions=("q1", "q2")
    )
    assert result.text == ""
    with pytest.raises(RequestError, match=r"run r1 has no result: it is waiting \(q1, q2\)"):
        result.value()


async def test_a_run_opens_with_a_header_that_says_everything_it_needs_to_be_driven_again() -> None:
    store, clock = InMemoryStore(), Clock(1_700_000_000.0)
    runtime = Runtime(
        App(name="test", agents=(Agent("agent", instructions="Work."),)),
        model=Scripted(["done"]),
        store=store,
        clock=clock,
        make_run_id=lambda: "r1",
    )
    await runtime.run("go", by=Principal("ada", "bakery"), conversation="c")
    (opened, *_) = await store.read("r1")
    limits = {f"Limits.{name}": float(value) for name, value in asdict(Limits()).items()}
    of_budget = {"Budget.calls": 256.0, "Budget.depth": 8.0, "Budget.windows_per_hour": 60.0}
    of_run = {
        "policies": [[["high risk", 2], ["egress", 2], ["undeclared", 2]]],
        "layers": ["Authorize", "Validate", "Budget", "Approve"],
        "limits": {"Approve.max_questions": 20.0, **of_budget, **limits},
    }
    of_agent = {"limits": {"output_bytes": 262_144.0, "repeats": 3.0, "turns": 16.0}}
    assert opened.at == 1_700_000_000.0
    assert opened.item == RunOpened(
        call="r1",
        format=1,
        tenant="bakery",
        principal="ada",
        application="test",
        agent="",
        callee="agent",
        arguments='{"prompt":"go"}',
        conversation="c",
        after="",
        terms=json.dumps([[[""], of_run], [["agent"], of_agent]], sort_keys=True, separators=(",", ":")),
    )


async def test_every_run_has_an_id_of_its_own() -> None:
    runtime = runtime_of(Scripted([]), double)
    runs = {(await runtime.call(double, superuser(), 1)).run for _ in range(20)}
    assert len(runs) == 20
    assert all(len(run) == 12 and run.isalnum() for run in runs)


async def test_whoever_watches_sees_each_item_once_it_is_stored() -> None:
    store, seen = InMemoryStore(), list[Position]()
    app = App(name="test", agents=(Agent("agent", instructions="Work.", tools=[double]),))
    runtime = Runtime(app, model=Scripted([calls(("double", {"number": 1})), "done"]), store=store, on_item=seen.append)
    result = await runtime.run("go", by=superuser())
    assert seen == await store.read(result.run)


async def test_a_runtime_with_one_more_layer_is_a_new_one_over_the_same_store() -> None:
    bare = runtime_of(Scripted([]), double, layers=Stack[CallLayer]())
    strict = bare.layer(Validate())
    loose = parse_arguments('{"number":"4"}', Limits())
    assert (await bare.call_by_name("double", loose, by=superuser())).value() == 8
    assert (await strict.call_by_name("double", loose, by=superuser())).status == "failed"
    assert strict.store is bare.store
    assert len(await bare.store.list_runs()) == 2


def test_a_runtime_prints_the_onion_around_the_calls_of_its_default_agent() -> None:
    assert repr(Runtime(App(name="empty"))) == "Runtime empty\n"
    shown = repr(runtime_of(Scripted([]), double).layer(Validate()))
    door = "ENTRY  Trace(provider=None) · Record() · ToolScope()"
    assert shown.startswith(f"Runtime test\n{door}\nRUN    Validate(strict=True) · Auth")


def test_the_layers_of_an_application_are_the_preset_and_its_own_each_at_its_place() -> None:
    redact, timeout = Redact(fields=["password"]), Timeout(5)
    for layers in ((redact, timeout), Stack(redact, timeout)):
        own = App(name="own", tools=(double,), layers=layers)
        assert f"RUN    {' · '.join(map(repr, (redact, *preset(Env()), timeout)))}\n" in repr(Runtime(own))
    one = App(name="one", tools=(double,), layers=timeout)
    assert f"RUN    {' · '.join(map(repr, (*preset(Env()), timeout)))}\n" in repr(Runtime(one))
    usual = App(name="usual", tools=(double,))
    assert " · ".join(map(repr, preset(Env()))) in repr(Runtime(usual))
    policy, budget = Policy(When("never", lambda _call: True, Block(reason="no"))), Budget(calls=3)
    governed = App(name="governed", tools=(double,), policy=policy, budget=budget, max_questions=4)
    drawn = " · ".join(map(repr, preset(Env(), policy=policy, budget=budget, max_questions=4)))
    assert drawn in repr(Runtime(governed))


def test_two_things_of_one_name_are_refused_when_the_runtime_is_built() -> None:
    other = double.with_name("other").with_name("double")
    with pytest.raises(NameTakenError, match="two callees are named 'double'"):
        Runtime(App(name="test", agents=(Agent("a", instructions="x", tools=[double]),), tools=(other,)))
    with pytest.raises(NameTakenError):
        Runtime(App(name="test", agents=(Agent("double", instructions="x", tools=[double]),)))


def test_one_tool_may_be_of_the_application_and_of_several_agents() -> None:
    agents = tuple(Agent(name, instructions="x", tools=[double]) for name in ("a", "b"))
    assert Runtime(App(name="test", agents=agents, tools=(double,)), model=Scripted([])).dispatcher is not None


def test_one_agent_listed_twice_is_refused() -> None:
    agent = Agent("agent", instructions="x", model=Scripted([]))
    with pytest.raises(SetupError, match="application test has two agents named"):
        Runtime(App(name="test", agents=(agent, agent)))


async def test_a_run_that_is_unknown_or_of_another_application_cannot_be_driven_or_read() -> None:
    store = InMemoryStore()
    result = await runtime_of(Scripted([]), double, store=store, app="one").call(double, superuser(), 1)
    other = runtime_of(Scripted([]), double, store=store, app="two")
    for verb in (other.resume, other.replay, other.history):
        with pytest.raises(RequestError, match="belongs to the application 'one', not 'two'"):
            await verb(result.run)
        with pytest.raises(RequestError, match="run nowhere does not exist"):
            await verb("nowhere")


async def test_a_run_whose_callee_is_gone_cannot_be_resumed() -> None:
    store = InMemoryStore()
    result = await runtime_of(Scripted([]), double, store=store).call(double, superuser(), 1)
    with pytest.raises(RequestError, match="has no tool or agent 'double'"):
        await runtime_of(Scripted([]), store=store).resume(result.run)


async def test_a_run_that_another_process_drives_is_left_alone() -> None:
    runtime = runtime_of(Scripted([]), double)
    run = await runtime.submit("go", by=superuser())
    await runtime.store.acquire(run, "another", 30.0)
    with pytest.raises(LeaseError, match="is being executed by another"):
        await runtime.resume(run)
