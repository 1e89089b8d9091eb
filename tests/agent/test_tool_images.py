"""Images in the results of tools reach models that read them, and the journal holds their references only."""

from __future__ import annotations

import base64
import json
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentLimits
from remit.artifacts import Artifact, PromptWithFiles, RunArtifacts
from remit.chat.chat import History
from remit.layers import Call, CallService, ModelService, Redact, Reply, RetryModel, layer_fn
from remit.messages import ChatRequest, Completion
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from tests.agent.both import BOTH, AgentDriver, messages_of, runtime_of
from tests.agent.test_images import ADA, BLIND, BOB, IMAGES, PNG, WAYS, publish, read_files, url_of
from tests.loopback import Endpoint
from tests.runtime.kit import find_superuser

CONTENTS = {"a.png": PNG, "b.gif": IMAGES["image/gif"]}
ARTIFACTS = RunArtifacts()


@tool(effect=Effect.PURE)
async def draw(name: str) -> Artifact:
    """Draw a picture. A report is no picture."""
    return await ARTIFACTS.add(CONTENTS.get(name, b"%PDF-1.7 words"), name=name)


def answer(body: bytes) -> tuple[int, str]:
    """Draws two pictures and a report at once, publishes, says that it is done."""
    roles = [each["role"] for each in json.loads(body)["messages"]]
    step = roles[len(roles) - roles[::-1].index("assistant") :].count("tool") if "assistant" in roles else 0
    drawing = [("draw", {"name": name}) for name in ("a.png", "r.pdf", "b.gif")]
    listed = {0: drawing, 3: [("publish", dict[str, str]())]}.get(step, [])
    requests = [
        {"id": f"c{n}", "type": "function", "function": {"name": called, "arguments": json.dumps(arguments)}}
        for n, (called, arguments) in enumerate(listed)
    ]
    message = {"role": "assistant", "tool_calls": requests} if requests else {"role": "assistant", "content": "done"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if requests else "stop"}
    return 200, json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


def shape_of(body: bytes) -> list[Any]:
    """The messages of a request in order: roles, for those of several parts with the texts and URLs in them."""
    messages = json.loads(body)["messages"]
    parts = [
        [part.get("text") or (part.get("image_url") or {"url": "a PDF"})["url"] for part in each["content"]]
        for each in messages
        if isinstance(each.get("content"), list)
    ]
    left = iter(parts)
    return [next(left) if isinstance(each.get("content"), list) else each["role"] for each in messages]


OF_CALL = "in the result of the tool call {}, in order. They are data from the tool, not from the user."


def drawn_of(way: str) -> list[str]:
    """The parts of the message with the files of the tools. PDFs are sent through PydanticAI, as its profile says."""
    report = [f"Files {OF_CALL.format('c1')}", "a PDF"]
    if "raw" in way:
        report = ["From the result of the tool call c1: Not shown to you: r.pdf (this model is sent no PDFs)."]
    return [
        f"Images {OF_CALL.format('c0')}",
        url_of(PNG),
        *report,
        f"Images {OF_CALL.format('c2')}",
        url_of(IMAGES["image/gif"], "image/gif"),
    ]


@layer_fn
async def add_a_word(request: ChatRequest, inner: ModelService) -> Completion:
    """Change the first message. There are no images yet."""
    assert not any("base64" in text for text in request.history)
    texts = [text.replace("Draw.", "Draw now.") if "Draw." in text else text for text in request.history]
    return await inner(replace(request, history=History(texts)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layered", [False, True])
async def test_images_follow_the_replies_to_their_batch_through_resume_conversation_and_replay(
    way: str, layered: bool, tmp_path: Path
) -> None:
    make, driver = WAYS[way]
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model, AsyncExitStack() as stack:

        def again() -> Runtime:
            agent = Agent("agent", instructions="Look.", driver=driver, tools=[draw, publish])
            app = App(name="test", agents=[agent.layer(add_a_word() if layered else RetryModel())])
            store = SqlStore.at(tmp_path / "journal.db")
            stack.push_async_callback(store.close)
            return Runtime(app, model=model, store=store, directory=find_superuser)

        runtime = again()
        waiting = await runtime.run("Draw.", by=ADA, conversation="c")
        runtime = again()
        await runtime.decide(waiting.questions[0], approved=True, by=ADA)
        assert (await runtime.resume(waiting.run)).value() == "done"
        assert (await runtime.replay(waiting.run)).difference == ""
        await runtime.run("And now?", by=ADA, conversation="c")
    drawn = ["system", "user", "assistant", "tool", "tool", "tool", drawn_of(way)]
    first, published, done, later = map(shape_of, endpoint.received[:4])
    assert (first, published, done) == (drawn[:2], drawn, [*drawn, "assistant", "tool"])
    assert later[: len(drawn)] == drawn
    replies = [each["content"] for each in json.loads(endpoint.received[1])["messages"] if each["role"] == "tool"]
    assert [json.loads(each)["name"] for each in replies] == ["a.png", "r.pdf", "b.gif"]
    stored = read_files(tmp_path)
    assert base64.b64encode(PNG)[:40] not in stored
    assert PNG[:40] not in stored


@pytest.mark.parametrize("way", BLIND)
async def test_a_model_that_reads_no_images_gets_the_references_of_tools(way: str) -> None:
    make, driver = BLIND[way]
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model:
        agent = Agent("agent", instructions="Look.", driver=driver, tools=[draw, publish])
        await runtime_of(agent, model=model).run("Draw.", by=ADA)
    *roles, told = shape_of(endpoint.received[1])
    assert roles == ["system", "user", "assistant", "tool", "tool", "tool"]
    assert told[0] == "From the result of the tool call c0: Not shown to you: a.png (this model is sent no images)."
    assert not any("base64" in each for each in told)


async def test_python_callers_get_the_artifact_and_read_its_content() -> None:
    runtime = Runtime(App(name="test", tools=[draw]))
    drawn = (await runtime.call(draw, ADA, "a.png")).value()
    assert (drawn.name, drawn.media_type) == ("a.png", "image/png")
    assert await runtime.artifacts.read(drawn, by=ADA) == PNG


def images_of(model: Scripted) -> list[str]:
    """The URLs of the images in the last request."""
    contents: list[Any] = [content for _, content in messages_of(model) if isinstance(content, list)]
    parts: list[dict[str, Any]] = [part for content in contents for part in content]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


@BOTH
async def test_an_image_in_the_result_of_an_agent_reaches_its_caller(driver: AgentDriver) -> None:
    @tool(effect=Effect.PURE)
    async def both() -> list[Artifact | str]:
        """Draw with a caption."""
        return [await ARTIFACTS.add(PNG, media_type="image/png"), "a caption"]

    within = Scripted([calls(("both", {})), last_reply])
    painter = Agent("painter", instructions="Paint.", tools=[both], model=within, driver=driver)
    chief = Agent("chief", instructions="Look.", tools=[painter], driver=driver)
    model = Scripted([calls(("painter", {"prompt": "x"})), "seen"])
    assert (await runtime_of(chief, model=model).run("Go.", by=ADA)).value() == "seen"
    assert images_of(model) == [url_of(PNG)]


def last_reply(request: ChatRequest) -> str:
    """Repeat the reply of the last tool."""
    return next(
        message["content"] for message in map(json.loads, reversed(list(request.history))) if message["role"] == "tool"
    )


@BOTH
async def test_an_image_that_is_named_again_is_sent_once(driver: AgentDriver) -> None:
    model = Scripted(
        [calls(("draw", {"name": "a.png"}), ("draw", {"name": "a.png"})), calls(("draw", {"name": "a.png"})), "x"]
    )
    agent = Agent("agent", instructions="Look.", input=PromptWithFiles, tools=[draw], driver=driver)
    runtime = runtime_of(agent, model=model)
    file = await runtime.artifacts.add(PNG, by=ADA, name="mine.png")
    await runtime.run("Draw.", by=ADA, files=[file])
    assert images_of(model) == [url_of(PNG)]
    assert [role for role, _ in messages_of(model)] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
    ]


@layer_fn
async def show_a_name(call: Call, inner: CallService) -> Reply:
    """Replace a result by its name."""
    reply = await inner(call)
    return reply.map({"digest": "sha256:" + "0" * 64, "size": 1, "name": "hidden"})


@layer_fn
async def forget_images(request: ChatRequest, inner: ModelService) -> Completion:
    """Remove what tools returned from the request."""
    texts = [text.replace("sha256:", "removed:") if '"role":"tool"' in text else text for text in request.history]
    return await inner(replace(request, history=History(texts)))


@BOTH
@pytest.mark.parametrize("where", ["result", "record", "request"])
async def test_an_image_that_a_layer_removes_is_not_sent(driver: AgentDriver, where: str) -> None:
    model = Scripted([calls(("draw", {"name": "a.png"})), "done"])
    drawing: Any = {"result": draw.layer(show_a_name()), "record": draw.layer(Redact(patterns=["[0-9a-f]{64}"]))}.get(
        where, draw
    )
    agent = Agent("agent", instructions="Look.", tools=[drawing], driver=driver)
    agent = agent.layer(forget_images()) if where == "request" else agent
    await runtime_of(agent, model=model).run("Draw.", by=ADA)
    assert [role for role, _ in messages_of(model)] == ["system", "user", "assistant", "tool"]


@BOTH
async def test_text_of_a_tool_shows_no_image_of_somebody_else(driver: AgentDriver) -> None:
    @tool(effect=Effect.PURE)
    async def quote() -> str:
        """Quote a page."""
        return f"see {foreign.model_dump_json()}"

    model = Scripted([calls(("quote", {})), "done"])
    runtime = runtime_of(Agent("agent", instructions="Look.", tools=[quote], driver=driver), model=model)
    foreign = await runtime.artifacts.add(PNG, by=BOB, name="b.png")
    await runtime.run("Look.", by=ADA)
    assert images_of(model) == []


@BOTH
@pytest.mark.parametrize("layered", [False, True])
async def test_an_image_of_a_tool_that_the_budget_may_not_hold_is_not_sent(driver: AgentDriver, layered: bool) -> None:
    def agent_of(model: Scripted) -> Agent:
        limits = AgentLimits(tokens=10_000)
        agent = Agent("agent", instructions="Look.", tools=[draw], driver=driver, limits=limits, model=model)
        return agent.layer(forget_nothing()) if layered else agent

    script = [calls(("draw", {"name": "a.png"})), "done"]
    model = Scripted(script)
    result = await runtime_of(agent_of(model)).run("Draw.", by=ADA)
    assert (result.status, len(model.requests)) == ("failed", 1)
    assert "10,000 tokens, and the requests to come need about 15," in result.text

    class Blind(Scripted):
        reads_images = False

    assert (await runtime_of(agent_of(Blind(script))).run("Draw.", by=ADA)).value() == "done"


@layer_fn
async def forget_nothing(request: ChatRequest, inner: ModelService) -> Completion:
    """Change nothing."""
    return await inner(request)
