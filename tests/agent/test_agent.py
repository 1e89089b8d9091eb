"""An agent asks a model with one system message, the conversation so far, and its own knobs."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from remit import Agent, App, Effect, Retry, Runtime, Stack, Timeout, tool
from remit.agent.conversation import last_message_text
from remit.agent.limits import AgentLimits
from remit.agent.setting import settings_of
from remit.chat.chat import History, encode_message
from remit.dispatch.registry import Registry
from remit.errors import CallError, ContractError, NameTakenError, NoModelError, SetupError
from remit.layers import Call, CallLayer, CallService, Place, Reply, layer_fn
from remit.models import ModelSettings
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


ASK_WRITER = calls(("writer", {"prompt": "write"}))


def runtime_of(model: Scripted, agent: Agent) -> Runtime:
    return Runtime(App(name="test", agents=(agent,)), model=model)


def messages(model: Scripted, request: int = -1) -> list[dict[str, Any]]:
    return [json.loads(text) for text in model.requests[request].history]


async def test_a_request_begins_with_the_instructions_and_what_is_asked() -> None:
    model = Scripted(["done"])
    result = await runtime_of(model, Agent("agent", instructions="Sois bref, é.")).run("va", by=superuser())
    assert list(model.requests[0].history) == [
        '{"role":"system","content":"Sois bref, é."}',
        '{"role":"user","content":"va"}',
    ]
    assert result.value() == "done"


async def test_there_is_one_system_message_in_every_request_of_a_run() -> None:
    model = Scripted([calls(("double", {"number": 2})), calls(("double", {"number": 3})), "done"])
    await runtime_of(model, Agent("agent", instructions="Work.", tools=[double])).run("go", by=superuser())
    for request in range(3):
        assert [message["role"] for message in messages(model, request)].count("system") == 1
        assert messages(model, request)[0]["role"] == "system"


async def test_the_second_run_of_a_conversation_begins_with_the_first_and_today_s_instructions() -> None:
    model = Scripted([calls(("double", {"number": 2})), "four", "bye"])
    runtime = runtime_of(model, Agent("agent", instructions="Work.", tools=[double]))
    await runtime.run("two twice?", by=superuser(), conversation="c")
    rewritten = Agent("agent", instructions="Work better.", tools=[double])
    later = Runtime(App(name="test", agents=(rewritten,)), model=model, store=runtime.store)
    await later.run("thanks", by=superuser(), conversation="c")
    roles = [(message["role"], message["content"]) for message in messages(model)]
    assert roles == [
        ("system", "Work better."),
        ("user", "two twice?"),
        ("assistant", None),
        ("tool", "4"),
        ("assistant", "four"),
        ("user", "thanks"),
    ]


async def test_runs_without_a_conversation_know_nothing_of_one_another() -> None:
    model = Scripted(["one"])
    runtime = runtime_of(model, Agent("agent", instructions="Work."))
    await runtime.run("first", by=superuser())
    await runtime.run("second", by=superuser())
    assert [message["content"] for message in messages(model)] == ["Work.", "second"]


@pytest.mark.parametrize(("temperature", "max_tokens"), [(None, None), (0.0, 1), (1.5, 4096)])
async def test_the_knobs_of_an_agent_are_those_of_each_request(
    temperature: float | None, max_tokens: int | None
) -> None:
    model = Scripted([calls(("double", {"number": 2})), "done"])
    agent = Agent(
        "agent",
        instructions="x",
        tools=[double],
        settings=ModelSettings(temperature=temperature, max_tokens=max_tokens),
    )
    await runtime_of(model, agent).run("go", by=superuser())
    assert [(each.settings.temperature, each.max_tokens) for each in model.requests] == [(temperature, max_tokens)] * 2


async def test_the_tools_of_an_agent_are_in_each_request_in_their_order() -> None:
    model = Scripted(["done"])
    other = double.with_name("other")
    await runtime_of(model, Agent("agent", instructions="x", tools=[other, double])).run("go", by=superuser())
    assert model.requests[0].tools.names == ("other", "double")


async def test_an_agent_whose_turns_are_used_up_has_failed() -> None:
    model = Scripted([calls(("double", {"number": turn})) for turn in range(9)])
    result = await runtime_of(model, Agent("agent", instructions="x", tools=[double], limits=AgentLimits(turns=3))).run(
        "go", by=superuser()
    )
    assert (result.status, len(model.requests)) == ("failed", 3)
    assert '"errorCode":"MAX_TURNS"' in result.text


async def test_a_layer_gives_a_new_agent_and_leaves_the_old_one() -> None:
    log = list[str]()

    @layer_fn
    async def heard(call: Call, inner: CallService) -> Reply:
        log.append(call.callee.name)
        return await inner(call)

    plain = Agent(
        "agent",
        instructions="x",
        tools=[double],
        settings=ModelSettings(temperature=0.5, max_tokens=9),
        limits=AgentLimits(turns=2),
        parallel=1,
    )
    better = plain.layer(Stack[CallLayer](heard()))
    model = Scripted([calls(("double", {"number": 2})), "done"])
    await runtime_of(model, plain).run("go", by=superuser())
    assert log == []
    await runtime_of(model, better).run("go", by=superuser())
    assert log == ["double"]
    names = [each.attribute for each in settings_of(Agent) if each.attribute != "agent_layers"]
    assert [getattr(better, name) for name in names] == [getattr(plain, name) for name in names]
    assert better.tools == plain.tools


async def test_an_agent_with_a_model_of_its_own_asks_that_one() -> None:
    own, common = Scripted(["from its own"]), Scripted(["from all"])
    agent = Agent("agent", instructions="x").with_model(own)
    assert (await runtime_of(common, agent).run("go", by=superuser())).value() == "from its own"
    assert common.requests == []


def test_an_agent_says_what_it_is() -> None:
    agent = Agent("editor", instructions="x", tools=[double])
    assert (repr(agent), agent.description) == ("Agent editor (1 tool)", "The agent editor.")
    assert Agent("editor", instructions="x", description="Edits.").description == "Edits."
    assert agent.facts.effect is Effect.COMPOSED
    assert agent.schema_in.json_schema["required"] == ["prompt"]


def test_an_agent_is_its_own_definition_which_nothing_replaces() -> None:
    agent = Agent("editor", instructions="x", tools=[double])
    assert agent.definition is agent
    assert agent.layer(Timeout(1)).definition is not agent
    with pytest.raises(AttributeError):
        agent.definition = agent  # pyright: ignore[reportAttributeAccessIssue]: the test is that it is refused


@pytest.mark.parametrize("name", ["", "the editor", "e" * 65])
def test_a_name_that_a_model_may_not_see_is_refused(name: str) -> None:
    with pytest.raises(ContractError):
        Agent(name, instructions="x")


def test_limits_that_allow_no_turn_are_refused() -> None:
    with pytest.raises(SetupError, match=r"^AgentLimits: turns: Input should be greater than or equal to 1$"):
        AgentLimits(turns=0)


def test_what_was_said_is_the_text_of_the_last_message_in_whatever_form() -> None:
    parts = [{"type": "text", "text": "al"}, {"type": "text", "text": "l"}]
    assert (
        last_message_text(
            [encode_message({"role": "user", "content": "x"}), encode_message({"role": "assistant", "content": "all"})]
        )
        == "all"
    )
    assert last_message_text(History([encode_message({"role": "assistant", "content": parts})])) == "all"
    assert last_message_text([encode_message({"role": "assistant", "content": None})]) == ""


async def test_a_prompt_that_is_empty_is_a_prompt() -> None:
    model = Scripted(["done"])
    await runtime_of(model, Agent("agent", instructions="")).run("", by=superuser())
    assert [message["content"] for message in messages(model)] == ["", ""]


async def test_a_reply_that_ends_the_run_is_what_the_agent_answers() -> None:
    @layer_fn
    async def enough(call: Call, inner: CallService) -> Reply:
        return Reply.final((await inner(call)).content + " and no more")

    model = Scripted([calls(("double", {"number": 2})), "never"])
    agent = Agent("agent", instructions="x", tools=[double.layer(enough())])
    result = await runtime_of(model, agent).run("go", by=superuser())
    assert (result.value(), result.status, len(model.requests)) == ("4 and no more", "done", 1)


async def test_an_agent_with_a_model_of_its_own_can_be_called_by_another() -> None:
    writer_model, lead_model = Scripted([calls(("double", {"number": 2})), "written"]), Scripted([ASK_WRITER, "led"])
    writer = Agent("writer", instructions="Write.", tools=[double], model=writer_model)
    lead = Agent("lead", instructions="Lead.", tools=[writer], model=lead_model)
    runtime = Runtime(App(name="test", agents=(lead, writer)))
    result = await runtime.run("go", by=superuser())
    assert result.value() == "led"
    assert [message["content"] for message in messages(writer_model)] == ["Write.", "write", None, "4"]
    history = await runtime.history(result.run)
    assert [json.loads(text)["role"] for text in history] == ["user", "assistant", "tool", "assistant"]
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).is_identical


class NamedOnly:
    """A place, and nothing else of a layer."""

    place = Place.OWN


@pytest.mark.parametrize("options", [{}, {"by": "ada"}])
async def test_an_agent_that_is_run_itself_names_the_line_with_a_runtime(options: dict[str, Any]) -> None:
    agent: Any = Agent("agent", instructions="x")
    with pytest.raises(SetupError, match=r"agent agent runs in a runtime; write runtime.run\(prompt, by=…\)$"):
        await agent.run("go", **options)


def test_a_layer_that_an_agent_cannot_attach_is_refused() -> None:
    with pytest.raises(SetupError, match=r"agent agent cannot attach .*; derive it from CallLayer, ModelLayer or Step"):
        Agent("agent", instructions="x").layer(cast("Any", NamedOnly()))


def test_a_layer_that_fits_all_stands_around_the_calls_of_an_agent() -> None:
    agent = Agent("agent", instructions="x", agent_layers=Stack(Timeout(1))).layer(Retry())
    assert list(map(repr, agent.call_layers)) == [repr(Retry()), "Timeout(seconds=1)"]


@pytest.mark.parametrize("by_name", [False, True], ids=["by object", "by name"])
async def test_an_agent_can_be_called_by_another_and_has_the_runtime_s_model(by_name: bool) -> None:
    writer = Agent("writer", instructions="Write.", tools=[double])

    async def model(request: Any, /) -> Any:
        wanted = ASK_WRITER if "Lead" in request.history[0] else "written"
        return await Scripted([wanted, "led"])(request)

    lead = Agent("lead", instructions="Lead.", tools=[writer])
    runtime = Runtime(App(name="test", agents=(lead, writer)), model=model)
    result = await (runtime.run("go", by=superuser()) if by_name else runtime.call(writer, superuser(), "write"))
    assert result.value() == ("led" if by_name else "written")


async def test_an_agent_without_a_model_says_so_and_its_run_stays_as_it_is() -> None:
    store = InMemoryStore()
    runtime = Runtime(App(name="test", agents=(Agent("agent", instructions="x"),)), store=store)
    with pytest.raises(NoModelError, match="agent has no model; pass model= to it or to the runtime, or set"):
        await runtime.run("go", by=superuser())
    assert [row.status for row in await store.list_runs()] == ["stalled"]


def test_an_agent_that_has_two_models_is_two_agents_of_one_name() -> None:
    agent = Agent("agent", instructions="x")
    one, other = agent.with_model(Scripted([])), agent.with_model(Scripted([]))
    assert agent == one != other
    assert agent != Agent("agent", instructions="x")
    with pytest.raises(NameTakenError):
        Registry([one, other])


@pytest.mark.parametrize("prompt", ["x" * ((1 << 20) + 1), "half \ud800"], ids=["too long", "half a surrogate pair"])
async def test_a_prompt_that_cannot_be_one_is_one_clear_error(prompt: str) -> None:
    with pytest.raises(CallError):
        (await runtime_of(Scripted(["done"]), Agent("agent", instructions="x")).run(prompt, by=superuser())).value()
