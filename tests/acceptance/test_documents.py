"""The code of documents 1, 2, 4 and 5, translated one to one; where a block does not hold, the ruling stands beside it.

Blocks with a language are counted from 1 in each document. In place of what a block shows as bad is what Remit has.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from remit import Agent, App, Ask, Context, Policy, Retry, Runtime, Stack, Timeout, Tool, When, preset, tool
from remit.agent import AgentLimits, AgentLoop, NativeDriver
from remit.app import Env
from remit.errors import DeadlineError, NotFoundError, SetupError
from remit.inventory import (
    Capability,
    Complexity,
    InventoryError,
    Maturity,
    Tier,
    ToolRequest,
    ToolRequestPayload,
    handle_request,
)
from remit.items import Message, ToolOutput
from remit.layers import (
    Accumulate,
    Approve,
    Call,
    CallLayer,
    Reply,
    Transform,
    Validate,
    compose,
)
from remit.messages import decode_message, encode_message
from remit.testing import Scripted, call_through, calls, make_call, superuser
from remit.tools import tool_name
from remit.workers import WorkerDefinition, build_agent
from tests.acceptance.casefile_document import (
    ENTRY,
    CasefilePayload,
    CreateCasefilePayload,
    CreateCasefileRequest,
    CreateCasefileResponse,
    PlainService,
    casefile_operations,
)
from tests.acceptance.layers_document import Approves, DatabaseTool, LogCalls, ProductionEnv, database, probe
from tests.runtime.kit import items_of

ADA = superuser()


def agent_of(*tools: Tool[..., Any], model: Scripted | None = None) -> Agent:
    script = model or Scripted([calls(("DatabaseTool", {"query": "1"})), "done"])
    return Agent("assistant", instructions="You are helpful.", tools=tools, model=script)


def fires(call: Call) -> bool:
    return call.callee.name == "DatabaseTool"


ASKS = Policy(When("queries", fires, Ask(reason="it is a query")))


# Document 1


async def test_1_blocks_1_and_2_the_order_is_run_agent_tool_base() -> None:
    """Ruling 1: run layers outermost, then Agent, Tool, Base."""
    log: list[str] = []
    agent = agent_of(database(log).layer(probe("tool", log))).layer(probe("agent", log))
    runtime = Runtime(App(name="x", agents=(agent,))).layer(probe("run", log))
    await runtime.run("go", by=ADA)
    of_call = log[log.index("tool enter") - 2 : log.index("tool exit") + 3]
    assert of_call == ["run enter", "agent enter", "tool enter", "1", "tool exit", "agent exit", "run exit"]


async def test_1_blocks_3_and_4_a_tool_is_a_service_without_an_adapter() -> None:
    """Ruling 4: a tool is a function or a callable object; the base runs it, and there is one path to it."""
    made = database()
    assert (await Runtime(App(name="x", tools=(made,))).call(made, ADA, "1")).value() == "one"


def test_1_blocks_5_to_8_layers_are_chained_at_every_scope() -> None:
    """Ruling 1: `.layer(x)` is the one verb, on tools, agents and runtimes; there is no list of boxed layers."""
    made = database().layer(Timeout(30)).layer(Retry())
    agent = agent_of(made).layer(Timeout(10)).layer(Retry())
    runtime = Runtime(App(name="x", agents=(agent,))).layer(Timeout(60))
    drawn = runtime.dispatcher.draw_layers("assistant", made)
    assert "AGENT  Retry(" in drawn
    assert "TOOL   Retry(" in drawn
    assert "Timeout(seconds=60)" in drawn
    assert not hasattr(agent, "with_agent_layers")


async def test_1_blocks_9_and_10_state_is_a_layer_not_a_context() -> None:
    """Ruling 8: the context of a body is small and shapes no output; state is a stateful layer."""
    count = Accumulate(0, lambda state, _call, _reply: state + 1)
    made = database().layer(count)
    await Runtime(App(name="x", tools=(made,))).call(made, ADA, "1")
    assert count.state == 1


@pytest.mark.parametrize(("env", "status"), [(Env(approver=None), "denied"), (Env(approver=Approves()), "done")])
async def test_1_blocks_11_and_12_approval_is_one_capability_and_without_it_calls_are_denied(
    env: Env, status: str
) -> None:
    """Ruling 2: a missing capability means deny."""
    made = database()
    app = App(name="x", tools=(made,), env=env, policy=ASKS)
    result = await Runtime(app).call(made, ADA, "1")
    assert result.status == ("done" if status == "done" else "failed")


async def test_1_block_13_strictness_is_a_layer_of_a_preset_that_can_be_read() -> None:
    """Ruling 9: a typed tool binds its arguments; strictness is `Validate` in a preset that `repr` prints."""
    assert "Validate(strict=True)" in repr(preset(Env()))
    loose = Stack[CallLayer](Validate(strict=False))
    call = await make_call(database(), '{"query":"1","more":2}')
    assert (await call_through(loose, call)).outcome == "ok"


async def test_1_blocks_14_and_15_a_tool_has_its_layers_before_an_agent_lists_it() -> None:
    """Ruling 3: layers are given to the tool itself, not to its name; attaching returns a new tool."""
    upper = database()
    layered = upper.layer(Transform(lambda reply: reply.map(str(reply.value).upper())))
    assert (len(upper.layers), len(layered.layers)) == (0, 1)
    runtime = Runtime(App(name="x", agents=(agent_of(layered),)))
    result = await runtime.run("go", by=ADA)
    outputs = [item for item in await items_of(runtime.store, result.run) if isinstance(item, ToolOutput)]
    assert "ONE" in outputs[0].text


# Document 2


def test_2_block_1_a_tool_manages_its_own_layers() -> None:
    made = database().layer(Timeout(30))
    assert repr(made).endswith("Timeout(seconds=30)")


def test_2_block_2_and_19_dependencies_are_given_to_the_constructor() -> None:
    log: list[str] = []
    assert tool(DatabaseTool({"1": "one"}, log), effect="pure").name == "DatabaseTool"


def test_2_block_3_composition_is_uniform() -> None:
    """Ruling 1. Line 2 traces an agent: every call has a span already (`ENTRY`), so there is no layer to attach."""
    made = database().layer(Timeout(30))
    agent = agent_of(made).layer(Retry())
    config = Runtime(App(name="x", agents=(agent,))).layer(Approve(Env(), policy=ASKS))
    assert "ENTRY  Trace(" in repr(config)
    assert repr(config).count("Approve(") == 2


def test_2_blocks_4_and_17_tools_are_objects_and_an_unlisted_one_is_refused() -> None:
    """Ruling 3: names exist at the edges only; nothing is configured by name."""
    agent = agent_of(database())
    with pytest.raises(SetupError):
        agent.layer(cast("Any", "timeout"))


async def test_2_blocks_5_and_21_the_layer_attached_last_is_outermost() -> None:
    log: list[str] = []
    made = database(log).layer(probe("A", log)).layer(probe("B", log)).layer(probe("C", log))
    await Runtime(App(name="x", tools=(made,))).call(made, ADA, "1")
    assert log[:4] == ["C enter", "B enter", "A enter", "1"]


async def test_2_blocks_6_13_14_15_and_22_capabilities_come_from_the_environment() -> None:
    """Ruling 2: checked by the type checker; dependencies are passed to constructors."""
    env, made = ProductionEnv(), database()
    app = App(name="x", tools=(made,), env=env, policy=ASKS, layers=LogCalls(env))
    assert (await Runtime(app).call(made, ADA, "1")).status == "done"
    assert env.logger == ["DatabaseTool"]


async def test_2_blocks_7_16_and_26_output_is_transformed_and_state_kept_by_layers() -> None:
    pure = Transform(lambda reply: reply.map(f"{reply.value}!"))
    state = Accumulate("", lambda seen, _call, reply: seen + reply.content)
    made = database().layer(pure).layer(state)
    assert (await Runtime(App(name="x", tools=(made,))).call(made, ADA, "1")).value() == "one!"
    assert state.state == "one!"


def test_2_block_8_a_tool_has_a_default_name_and_another_on_request() -> None:
    assert (database().name, database().with_name("db").name) == ("DatabaseTool", "db")


def test_2_block_9_recommended_layers_are_a_function_of_the_tools_author() -> None:
    def recommended() -> Tool[[str], str]:
        return database().layer(Timeout(30)).layer(Retry(attempts=2))

    assert [type(each).__name__ for each in recommended().layers] == ["Retry", "_CallLayerView"]
    assert len(database().layers) == 0


async def test_2_block_10_an_object_that_can_be_called_is_a_tool() -> None:
    made = database()
    assert (await Runtime(App(name="x", tools=(made,))).call(made, ADA, "1")).value() == "one"


def test_2_blocks_11_12_and_18_an_agent_lists_tools_and_has_layers_of_its_own() -> None:
    """Ruling 11: one `Agent`, a frozen value; there is no builder, and no way to reach into a tool."""
    agent = Agent("Assistant", instructions="You are helpful.", tools=[database()]).layer(Timeout(30))
    assert len(agent.tools[0].layers) == 0


@pytest.mark.looptime
async def test_2_block_20_a_layer_is_tested_alone() -> None:
    async def mock(_call: Call, /) -> Reply:
        await asyncio.sleep(1)
        return Reply.from_value("late")

    with pytest.raises(DeadlineError):
        await call_through(Timeout(0.01).calls, await make_call(database()), mock)


async def test_2_blocks_23_to_25_a_plain_def_runs_in_a_thread_and_layers_cost_what_they_do() -> None:
    """About Rust's allocations. Blocking code is a plain `def`; what a layer costs is a figure of `make bench`."""

    @tool(effect="pure")
    def blocking(query: str) -> str:
        """Query, and block."""
        return query

    assert (await Runtime(App(name="x", tools=(blocking,))).call(blocking, ADA, "1")).value() == "1"


def test_2_block_27_timeout_retry_and_approval_are_layers() -> None:
    made = database().layer(Timeout(30)).layer(Retry(attempts=3)).layer(Approve(Env(), policy=ASKS))
    assert [each.place.value for each in made.layers] == ["approve", "retry", "timeout"]


async def test_2_blocks_28_to_30_a_stack_is_a_value_attached_to_many_and_built_with_an_if() -> None:
    log: list[str] = []
    is_debugging = True
    standard = Stack(Retry(attempts=3), Timeout(30))
    standard = standard.layer(probe("debug", log)) if is_debugging else standard
    tools = [each.layer(standard) for each in (database(), database().with_name("other"))]
    assert [len(each.layers) for each in tools] == [3, 3]
    composed = compose([probe("composed", log)], _answer)
    assert (await composed(await make_call(tools[0]))).value == "base"
    assert (await call_through(Stack(probe("stack", log)), await make_call(tools[0]))).outcome == "ok"
    assert log == ["composed enter", "composed exit", "stack enter", "stack exit"]


async def _answer(_call: Call, /) -> Reply:
    return Reply.from_value("base")


async def test_2_blocks_31_to_33_the_loop_is_a_layer_over_one_step() -> None:
    """Ruling 11: the loop wraps a step that makes one request and the calls it asks for; `AgentLimits` bounds it.

    Its raw request is `messages=`; the system's message of the request is the agent's instructions.
    """
    model = Scripted(["Ask me.", calls(("DatabaseTool", {"query": "1"})), "done"])
    initial = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Ask me."},
        {"role": "user", "content": "go"},
    ]
    made = [database()]
    driver, limits = NativeDriver(loop=AgentLoop()), AgentLimits(turns=16)
    agent = Agent("a", instructions="Help.", tools=made, driver=driver, limits=limits, model=model)
    runtime = Runtime(App(name="x", agents=(agent,)))
    run = await runtime.run(messages=initial, by=ADA)
    assert (run.value(), len(model.requests)) == ("done", 2)
    messages, events = await runtime.history(run.run), await items_of(runtime.store, run.run)
    assert [decode_message(each) for each in messages[:3]] == initial
    assert [each.kind for each in events[:3]] == ["opened", "given", "given"]


async def test_2_blocks_34_to_36_items_and_raw_messages_map_one_to_one() -> None:
    """Ruling 10: the journal holds each message as wire text; handoffs are other items, outside of the mapping."""
    runtime = Runtime(App(name="x", agents=(agent_of(database()),)))
    result = await runtime.run("go", by=ADA)
    history = await runtime.history(result.run)
    assert [encode_message(decode_message(each)) for each in history] == history
    of_items = [
        item.text for item in await items_of(runtime.store, result.run) if isinstance(item, (Message, ToolOutput))
    ]
    assert [each for each in history if each in of_items] == history


# Document 4


@tool(effect="pure")
@tool_name("get-page")
async def get_page(slug: str) -> str:
    """Read a page."""
    if slug == "gone":
        raise NotFoundError("there is no page 'gone'")
    return f"page {slug}"


@tool(effect="composed")
async def edit(ctx: Context, slug: str) -> list[str]:
    """Call a tool by alias, by canonical name and as an object."""
    return [
        await ctx.tools.get_page(slug=slug),
        await ctx.call("get-page", {"slug": slug}),
        await ctx.call(get_page, slug),
    ]


async def test_4_tools_and_workers_are_called_by_alias_name_and_object_through_one_protocol() -> None:
    """Ruling 8: `risk_profile` is part of `facts`, and what the base calls is `run`; users call through `ctx`."""
    worker = build_agent(
        WorkerDefinition(name="analyst", prompt="Analyse."), tools=[get_page], model=Scripted(["fine"])
    )
    for callee in (get_page, worker):
        assert all(hasattr(callee, each) for each in ("name", "schema_in", "schema_out", "facts", "run"))
    runtime = Runtime(App(name="x", tools=(edit, get_page, worker)))
    assert (await runtime.call(edit, ADA, "a")).value() == ["page a"] * 3
    assert (await runtime.call(worker, ADA, "a page")).value() == "fine"
    with pytest.raises(NotFoundError, match="there is no page 'gone'"):
        (await runtime.call(edit, ADA, "gone")).value()


# Document 5


async def test_5_blocks_1_to_6_from_the_inventory_to_the_response(tmp_path: Path) -> None:
    """Rulings 5 and 12: types define parameters, the inventory what governs; `MANAGED_METHODS` is `Operations`."""
    operations = casefile_operations(tmp_path)
    method = operations.methods["workspace.casefile.create_casefile"]
    assert (
        method.metadata.description,
        method.facts.classification and method.facts.classification.capability.value,
    ) == (
        "Creates new casefile.",
        "create",
    )
    assert (method.request, method.response) == (CreateCasefileRequest, CreateCasefileResponse)
    made = operations.tools["create_casefile_tool"]
    assert [(each.name, each.required) for each in made.parameters] == [
        ("title", True),
        ("description", False),
        ("tags", False),
    ]
    runtime = Runtime(App(name="casefiles", tools=operations.callees, operations=operations))
    payload = ToolRequestPayload(tool_name="create_casefile_tool", parameters={"title": "X"})
    done = await handle_request(runtime, ToolRequest(user_id="ada", payload=payload), by=ADA)
    assert done.payload is not None
    assert done.payload.result == {"casefile_id": "cf1", "title": "X", "created_at": "now"}
    request = CreateCasefileRequest(user_id="ada", payload=CreateCasefilePayload(title="Y"), metadata={"trace": "1"})
    response = await handle_request(runtime, request, by=ADA)
    assert isinstance(response, CreateCasefileResponse)
    assert response.payload == CasefilePayload(casefile_id="cf1", title="Y", created_at="now")


def test_5_block_7_the_taxonomy_is_closed_and_domains_are_a_vocabulary() -> None:
    assert {each.value for each in Capability} >= {"create", "read", "update", "delete", "process", "search"}
    assert {each.value for each in Complexity} == {"atomic", "composite", "pipeline"}
    assert {each.value for each in Maturity} == {"stable", "beta", "alpha"}
    assert {each.value for each in Tier} == {"internal", "external", "hybrid"}


def test_5_blocks_8_to_10_13_and_14_envelopes_have_the_names_that_are_derived(tmp_path: Path) -> None:
    assert CreateCasefileRequest.model_fields["operation"].default == "create_casefile"
    with pytest.raises(InventoryError, match="MakeRequest"):
        casefile_operations(tmp_path, ENTRY.replace("request: CreateCasefileRequest", "request: MakeRequest"))


def test_5_blocks_11_and_12_plain_models_stay_plain_and_their_envelopes_are_derived(tmp_path: Path) -> None:
    operations = casefile_operations(tmp_path, service=PlainService())
    method = operations.methods["workspace.casefile.create_casefile"]
    assert (method.request.__name__, method.payload) == ("CreateCasefileRequest", CreateCasefilePayload)


def test_5_blocks_15_and_16_a_tool_inherits_its_parameters(tmp_path: Path) -> None:
    repeated = "create_casefile_tool: {parameters: [{name: title, type: string}]}"
    with pytest.raises(InventoryError, match="the tool 'create_casefile_tool' repeats parameters; remove them"):
        casefile_operations(tmp_path, ENTRY.replace("create_casefile_tool: {}", repeated))
