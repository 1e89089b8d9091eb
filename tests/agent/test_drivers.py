"""Both drivers run the same agents the same way: results, mends, limits, conversations, handoffs, resume and replay."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Risk, Runtime, SqlStore, tool
from remit.agent import AgentDriver, AgentLimits, Attachment, AttachmentPolicy, PromptWithAttachments
from remit.errors import BudgetError, InvalidOutputError, MaxTurnsError, SetupError
from remit.models import ModelSettings
from remit.record.items import Handoff
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import BOTH, DRIVERS, Found, look, messages_of, result_of, runtime_of
from tests.runtime.kit import World, items_of, tool_messages

PAIRS = [(one, other) for one in DRIVERS for other in DRIVERS]


class Task(BaseModel):
    """What is to be done."""

    page: str
    words: int = 7


async def error_of(agent: Agent, *args: Any) -> Any:
    result = await runtime_of(agent).call(agent, superuser(), *(args or ("go",)))
    assert result.reply is not None
    return result.reply.error


@BOTH
async def test_an_agent_calls_its_tools_and_gives_a_text(driver: AgentDriver) -> None:
    model = Scripted([calls(("look", {"page": "a"}), ("look", {"page": "b"})), "done"])
    agent = Agent(
        "agent",
        instructions="Work.",
        tools=[look],
        driver=driver,
        settings=ModelSettings(temperature=0.5, max_tokens=9),
    )
    runtime = runtime_of(agent, model=model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    assert messages_of(model)[:2] == [("system", "Work."), ("user", "go")]
    assert await tool_messages(runtime, result.run) == ["saw a", "saw b"]
    assert [(each.turn, each.settings.temperature, each.max_tokens) for each in model.requests] == [
        (1, 0.5, 9),
        (2, 0.5, 9),
    ]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_typed_input_is_read_as_canonical_json(driver: AgentDriver) -> None:
    model = Scripted(["done", "done"])
    agent = Agent("agent", instructions="Work.", input=Task, driver=driver, model=model)
    runtime = runtime_of(agent)
    assert (await runtime.call(agent, superuser(), Task(page="about"))).value() == "done"
    assert (await runtime.call(agent, superuser(), page="about")).value() == "done"
    assert messages_of(model)[1] == ("user", '{"page":"about","words":7}')


@BOTH
async def test_a_typed_output_is_a_validated_result(driver: AgentDriver) -> None:
    model = Scripted([calls(("look", {"page": "a"})), calls(result_of())])
    agent = Agent("agent", instructions="Find.", tools=[look], output=Found, driver=driver, model=model)
    runtime = runtime_of(agent)
    result = await runtime.call(agent, superuser(), "go")
    assert result.value() == Found(page="about", words=3)
    assert result.text == '{"page":"about","words":3}'
    assert model.requests[0].tools.names == ("look", "final_result")
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_result_that_is_no_object_is_wrapped(driver: AgentDriver) -> None:
    model = Scripted([calls(("final_result", {"response": [1, 2]}))])
    agent = Agent("agent", instructions="Count.", output=list[int], driver=driver, model=model)
    result = await runtime_of(agent).call(agent, superuser(), "go")
    assert result.value() == [1, 2]


@BOTH
@pytest.mark.parametrize("wrong", [calls(result_of(words="many")), "It is about."], ids=["invalid", "a text"])
async def test_the_model_may_correct_an_invalid_result_so_often(driver: AgentDriver, wrong: Any) -> None:
    model = Scripted([wrong, wrong, calls(result_of())])
    agent = Agent("agent", instructions="Find.", output=Found, retries=2, driver=driver, model=model)
    runtime = runtime_of(agent)
    result = await runtime.call(agent, superuser(), "go")
    assert result.value() == Found(page="about", words=3)
    assert (await runtime.replay(result.run)).difference == ""
    assert history_errors(await runtime.history(result.run)) == []
    once = Agent("agent", instructions="Find.", output=Found, driver=driver, model=Scripted([wrong, wrong]))
    assert type(await error_of(once)) is InvalidOutputError


@BOTH
async def test_calls_beside_a_result_are_made(driver: AgentDriver) -> None:
    world = World()
    model = Scripted([calls(("write", {"text": "a"}), result_of(), ("write", {"text": "b"}))])
    agent = Agent("agent", instructions="x", tools=[world.write()], output=Found, driver=driver, model=model)
    result = await runtime_of(agent).call(agent, superuser(), "go")
    assert (result.value().page, sorted(world.texts)) == ("about", ["a", "b"])


@BOTH
@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (AgentLimits(turns=1), MaxTurnsError),
        (AgentLimits(tool_calls=1), BudgetError),
        (AgentLimits(tokens=1), BudgetError),
        (AgentLimits(output_bytes=3), InvalidOutputError),
    ],
    ids=["turns", "calls", "tokens", "bytes"],
)
async def test_limits_end_an_agent_before_it_does_more(
    driver: AgentDriver, limits: AgentLimits, error: type[Exception]
) -> None:
    world = World()
    script = ["done"] if limits.output_bytes == 3 else [calls(("write", {"text": "a"}), ("write", {"text": "b"}))] * 2
    agent = Agent(
        "agent", instructions="x", tools=[world.write()], limits=limits, driver=driver, model=Scripted(script)
    )
    if limits.tokens is not None:
        agent = agent.with_model(CountingModel())
    assert type(await error_of(agent)) is error
    assert len(world.texts) == (2 if limits.turns == 1 else 0)


class CountingModel:
    """A model whose one answer took more tokens than an agent may use."""

    async def __call__(self, request: Any, /) -> Any:
        completion = await Scripted([calls(("write", {"text": "a"}))])(request)
        return replace(completion, prompt_tokens=7, completion_tokens=2)


@BOTH
async def test_attachments_reach_the_model_and_stay_out_of_the_recorded_message(driver: AgentDriver) -> None:
    model = Scripted(["seen"])
    policy = AttachmentPolicy(suffixes=(".txt",))
    agent = Agent(
        "agent", instructions="x", input=PromptWithAttachments, attachments=policy, driver=driver, model=model
    )
    note = Attachment(name="a.txt", media_type="text/plain", data="aGk=")
    runtime = runtime_of(agent)
    result = await runtime.call(agent, superuser(), prompt="go", attachments=[note])
    assert result.value() == "seen"
    assert messages_of(model)[1][1] == [{"type": "text", "text": "go"}, {"type": "text", "text": "hi"}]
    assert json.loads((await runtime.history(result.run))[0])["content"] == "go"


@BOTH
async def test_an_agent_goes_on_with_its_conversation(driver: AgentDriver) -> None:
    script = [calls(("look", {"page": "a"})), "first", "second"]
    model = Scripted(script)
    runtime = runtime_of(Agent("agent", instructions="Work.", tools=[look], driver=driver), model=model)
    await runtime.run("one", by=superuser(), conversation="c")
    result = await runtime.run("two", by=superuser(), conversation="c")
    assert result.value() == "second"
    assert messages_of(model) == [
        ("system", "Work."),
        ("user", "one"),
        ("assistant", None),
        ("tool", "saw a"),
        ("assistant", "first"),
        ("user", "two"),
    ]
    assert (await runtime.replay(result.run)).difference == ""
    assert history_errors(await runtime.history(result.run)) == []


@BOTH
async def test_a_conversation_goes_on_behind_a_typed_result(driver: AgentDriver) -> None:
    model = Scripted([calls(result_of()), calls(result_of("home"))])
    agent = Agent("agent", instructions="Find.", output=Found, driver=driver)
    runtime = runtime_of(agent, model=model)
    await runtime.run("one", by=superuser(), conversation="c")
    result = await runtime.run("two", by=superuser(), conversation="c")
    assert json.loads(result.text)["page"] == "home"
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_submitted_run_is_executed_later(driver: AgentDriver) -> None:
    runtime = runtime_of(Agent("agent", instructions="x", driver=driver), model=Scripted(["done"]))
    run = await runtime.submit("go", by=superuser())
    assert (await runtime.resume(run)).value() == "done"


@BOTH
async def test_a_cut_answer_is_the_result_with_a_note(driver: AgentDriver) -> None:
    class Cut:
        async def __call__(self, request: Any, /) -> Any:
            return replace(await Scripted(["The answer is"])(request), finish_reason="length")

    runtime = Runtime(App(name="test", agents=(Agent("agent", instructions="x", driver=driver, model=Cut()),)))
    text = (await runtime.run("go", by=superuser())).value()
    assert text.startswith("The answer is\n\n(the answer was cut at the limit of its endpoint;")


@BOTH
async def test_an_agent_in_python_narrows_scope_and_permissions(driver: AgentDriver) -> None:
    world = World()
    write = world.write()

    @tool(effect=Effect.PURE, permissions={"pages:read"})
    async def read() -> str:
        """Read."""
        return "read"

    inner_model = Scripted([calls(("write", {"text": "a"}), ("read", {})), "tried"])
    inner = Agent("inner", instructions="x", tools=[write, read], driver=driver, model=inner_model)
    lead_model = Scripted([calls(("inner", {"prompt": "go"})), "done"])
    lead = Agent(
        "lead",
        instructions="x",
        tools=[inner],
        tool_scope=["read"],
        permissions=["pages:write"],
        driver=driver,
        model=lead_model,
    )
    result = await runtime_of(lead).run("go", by=superuser())
    assert (result.value(), world.texts) == ("done", [])
    replies = [json.loads(content)["errorCode"] for role, content in messages_of(inner_model) if role == "tool"]
    assert replies == ["PERMISSION_DENIED", "PERMISSION_DENIED"]


def pair(one: str, other: str, *, tools: Any = (), **known: Any) -> tuple[Agent, Agent]:
    """An editor and a writer that hand over to one another."""
    return (
        Agent("editor", instructions="You lay out.", tools=[look], handoffs=["writer"], driver=DRIVERS[one], **known),
        Agent("writer", instructions="You write.", tools=tools, handoffs=["editor"], driver=DRIVERS[other], **known),
    )


TO_WRITER = ("handoff_to_writer", {"reason": "words"})
TO_EDITOR = ("handoff_to_editor", {"reason": "layout"})


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_agents_of_any_drivers_hand_over_to_one_another(one: str, other: str) -> None:
    model = Scripted([calls(TO_WRITER, ("look", {"page": "a"})), calls(TO_EDITOR), calls(("look", {"page": "b"})), "x"])
    runtime = runtime_of(*pair(one, other), model=model)
    result = await runtime.run("go", by=superuser(), conversation="c")
    assert result.value() == "x"
    assert [each.turn for each in model.requests] == [1, 2, 3, 4]
    assert [messages_of(model, request)[0][1] for request in range(4)] == [
        "You lay out.",
        "You write.",
        "You lay out.",
        "You lay out.",
    ]
    roles = ["system", "user", "assistant", "tool", *["tool", "assistant"] * 2, "tool"]
    assert [role for role, _ in messages_of(model)] == roles
    assert [content for role, content in messages_of(model) if role == "tool"] == [
        "handed over to writer",
        "saw a",
        "handed over to editor",
        "saw b",
    ]
    items = await items_of(runtime.store, result.run)
    assert [each.target for each in items if isinstance(each, Handoff)] == ["writer", "editor"]
    assert (await runtime.replay(result.run)).difference == ""
    assert history_errors(await runtime.history(result.run)) == []


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_the_agent_that_took_over_has_the_conversation(one: str, other: str) -> None:
    model = Scripted([calls(TO_WRITER), "written", "more"])
    runtime = runtime_of(*pair(one, other), model=model)
    await runtime.run("go", by=superuser(), conversation="c")
    result = await runtime.run("on", by=superuser(), conversation="c")
    assert (result.value(), result.callee.name, messages_of(model)[0][1]) == ("more", "writer", "You write.")


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_a_question_after_a_handoff_is_decided_in_another_process(one: str, other: str, tmp_path: Any) -> None:
    world = World()
    script = [calls(TO_WRITER), calls(("danger", {"text": "a"})), "written"]

    def process() -> Runtime:
        danger = world.write("danger", risk=Risk.HIGH)
        store = SqlStore.at(tmp_path / "journal.db")
        return runtime_of(*pair(one, other, tools=[danger]), model=Scripted(script), store=store)

    first = process()
    result = await first.run("go", by=superuser())
    assert (result.status, world.texts) == ("waiting", [])
    await first.decide(result.questions[0], approved=True, by=superuser())
    second = process()
    result = await second.resume(result.run)
    assert (result.value(), world.texts) == ("written", ["a"])
    assert (await second.replay(result.run)).difference == ""
    for runtime in (first, second):
        await runtime.store.close()


@BOTH
async def test_no_handoff_is_made_while_another_call_waits(driver: AgentDriver) -> None:
    world = World()
    model = Scripted([calls(TO_WRITER, ("danger", {"text": "a"})), "written"])
    danger = world.write("danger", risk=Risk.HIGH)
    editor = Agent("editor", instructions="x", tools=[danger], handoffs=["writer"], driver=driver)
    runtime = runtime_of(editor, Agent("writer", instructions="You write.", driver=driver), model=model)
    result = await runtime.run("go", by=superuser())
    assert result.status == "waiting"
    assert not any(isinstance(each, Handoff) for each in await items_of(runtime.store, result.run))
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(result.run)).value() == "written"
    assert await tool_messages(runtime, result.run) == ["handed over to writer", "wrote a"]


@BOTH
async def test_of_two_handoffs_the_first_is_followed(driver: AgentDriver) -> None:
    model = Scripted([calls(TO_WRITER, ("handoff_to_other", {"reason": "or so"})), "written"])
    editor = Agent("editor", instructions="x", handoffs=["writer", "other"], driver=driver)
    others = [Agent(name, instructions=f"The {name}.", driver=driver) for name in ("writer", "other")]
    runtime = runtime_of(editor, *others, model=model)
    result = await runtime.run("go", by=superuser())
    first, second = await tool_messages(runtime, result.run)
    assert (result.value(), first, messages_of(model)[0][1]) == ("written", "handed over to writer", "The writer.")
    assert json.loads(second)["errorCode"] == "CONFLICT"


@BOTH
def test_an_agent_that_cannot_go_on_with_a_conversation_is_no_target(driver: AgentDriver) -> None:
    editor = Agent("editor", instructions="x", handoffs=["writer"], driver=driver)
    with pytest.raises(SetupError, match="editor hands over to writer, whose input is not a prompt"):
        runtime_of(editor, Agent("writer", instructions="x", input=Task))
    with pytest.raises(SetupError, match="editor hands over to writer, whose result has another type"):
        runtime_of(editor, Agent("writer", instructions="x", output=Found))


def test_a_driver_refuses_what_it_cannot_do() -> None:
    with pytest.raises(SetupError, match="no provider has the tool 'websearch'; did you mean web_search"):
        Agent("agent", instructions="x", provider_tools=["websearch"])
    with pytest.raises(SetupError, match="does not support the model 'openai:gpt', only local:"):
        Agent("agent", instructions="x", compatible_models=["local:*"], model="openai:gpt")
