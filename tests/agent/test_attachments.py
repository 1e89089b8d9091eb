"""Attachments reach the model, and the journal holds references to them."""

from __future__ import annotations

import asyncio
import base64
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from remit import Agent, App, Context, Effect, Runtime, tool
from remit.agent import Attachment, AttachmentPolicy, PromptWithAttachments
from remit.errors import ContractError, IdempotencyError, NotFoundError
from remit.items import RunOpened
from remit.record.arguments import Limits, parse_arguments
from remit.record.artifact import Artifact, digest_of
from remit.runtime import RunResult
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from tests.agent.both import BOTH, AgentDriver, messages_of, runtime_of
from tests.agent.test_images import ADA, BOB, PNG, publish, read_files, url_of
from tests.runtime.kit import find_superuser

DATA = base64.b64encode(PNG).decode()
PICTURE = Attachment(name="a.png", media_type="image/png", data=DATA)


def agent_of(driver: AgentDriver, *tools: Any, model: Any = None) -> Agent:
    return Agent(
        "agent",
        instructions="Look.",
        input=PromptWithAttachments,
        attachments=AttachmentPolicy(suffixes=(".png",)),
        tools=tools,
        driver=driver,
        model=model,
    )


def images_of(model: Scripted) -> list[str]:
    """The URLs of the images in the last request."""
    contents: list[Any] = [content for _, content in messages_of(model) if isinstance(content, list)]
    return [part["image_url"]["url"] for content in contents for part in content if part["type"] == "image_url"]


@BOTH
async def test_the_journal_has_a_reference_in_place_of_the_bytes(driver: AgentDriver, tmp_path: Path) -> None:
    model = Scripted([calls(("publish", {})), "done"])
    async with AsyncExitStack() as stack:

        def again() -> Runtime:
            store = SqlStore.at(tmp_path / "journal.db")
            stack.push_async_callback(store.close)
            app = App(name="test", agents=[agent_of(driver, publish)])
            return Runtime(app, model=model, store=store, directory=find_superuser)

        runtime = again()
        waiting = await runtime.call(runtime.app.agents[0], ADA, prompt="go", attachments=[PICTURE])
        assert images_of(model) == [url_of(PNG)]
        runtime = again()
        await runtime.decide(waiting.questions[0], approved=True, by=ADA)
        assert (await runtime.resume(waiting.run)).value() == "done"
        assert images_of(model) == [url_of(PNG)]
        assert (await runtime.replay(waiting.run)).difference == ""
    assert DATA[:40].encode() not in read_files(tmp_path)


@BOTH
async def test_an_artifact_is_attached_by_its_reference_and_one_of_somebody_else_is_not_found(
    driver: AgentDriver,
) -> None:
    model = Scripted(["done"])
    agent = agent_of(driver)
    runtime = runtime_of(agent, model=model)
    for by in (ADA, BOB):
        file = await runtime.artifacts.add(PNG, by=by, name="a.png")
    file = await runtime.artifacts.add(PNG + b"ada", by=ADA, name="a.png")
    given = {"name": "a.png", "media_type": "image/png", "artifact": file.model_dump()}
    arguments = parse_arguments(json.dumps({"prompt": "go", "attachments": [given]}), Limits())
    assert (await runtime.call_by_name("agent", arguments, by=ADA)).value() == "done"
    assert images_of(model) == [url_of(PNG + b"ada")]
    refused = await runtime.call_by_name("agent", arguments, by=BOB)
    assert (refused.status, len(model.requests)) == ("failed", 1)
    assert "there is no artifact" in refused.text


@BOTH
async def test_an_agent_that_a_tool_calls_takes_bytes_and_records_none(driver: AgentDriver, tmp_path: Path) -> None:
    model = Scripted(["done"])
    below = agent_of(driver, model=model)

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> str:
        """Ask the agent."""
        return await ctx.call(below, prompt="go", attachments=[PICTURE])

    store = SqlStore.at(tmp_path / "journal.db")
    runtime = Runtime(App(name="test", agents=[below], tools=[ask]), store=store)
    assert (await runtime.call(ask, ADA)).value() == "done"
    await store.close()
    assert images_of(model) == [url_of(PNG)]
    assert DATA[:40].encode() not in read_files(tmp_path)


@pytest.mark.parametrize("attachments", ["no list", [{"name": "a.png"}], [{**PICTURE.model_dump(), "data": "§"}]])
async def test_what_is_no_attachment_is_refused_by_the_run(attachments: object) -> None:
    runtime = runtime_of(agent_of(Agent("x", instructions="x").driver), model=Scripted([]))
    arguments = parse_arguments(json.dumps({"prompt": "go", "attachments": attachments}), Limits())
    result = await runtime.call_by_name("agent", arguments, by=ADA)
    assert (result.status, "attachments" in result.text) == ("failed", True)
    header = (await runtime.store.read(result.run))[0].item
    assert isinstance(header, RunOpened)


def test_an_attachment_has_bytes_or_an_artifact() -> None:
    assert (PICTURE.content, PICTURE.size) == (PNG, len(PNG))
    assert PICTURE.model_dump() == {"name": "a.png", "media_type": "image/png", "data": DATA}
    artifact = {"digest": f"sha256:{'0' * 64}", "size": 7, "media_type": "image/png", "name": "a.png"}
    stored = Attachment.model_validate({"name": "a.png", "media_type": "image/png", "artifact": artifact})
    assert (stored.size, stored.model_dump()["artifact"]) == (7, artifact)
    with pytest.raises(ContractError, match=r"the content of a\.png is an artifact; read it with Artifacts\.read"):
        _ = stored.content
    for wrong in ({}, {"artifact": artifact, "data": DATA}):
        with pytest.raises(ValidationError, match="give either data or artifact"):
            Attachment.model_validate({"name": "a.png", "media_type": "image/png", **wrong})


async def attach(runtime: Runtime, content: bytes) -> RunResult[Any]:
    """Run the agent for the request with the key, with a file."""
    picture = {**PICTURE.model_dump(), "data": base64.b64encode(content).decode()}
    arguments = parse_arguments(json.dumps({"prompt": "go", "attachments": [picture]}), Limits())
    return await runtime.call_by_name("agent", arguments, by=ADA, idempotency_key="key")


async def test_the_file_of_a_refused_request_is_not_stored() -> None:
    runtime = runtime_of(agent_of(Agent("x", instructions="x").driver), model=Scripted(["done"]))
    first = await attach(runtime, PNG)
    with pytest.raises(IdempotencyError):
        await attach(runtime, PNG + b"other")
    other = Artifact(digest=digest_of(PNG + b"other"), size=len(PNG) + 5)
    with pytest.raises(NotFoundError):
        await runtime.artifacts.read(other, by=ADA)
    assert (await attach(runtime, PNG)).run == first.run


async def has_file(runtime: Runtime, content: bytes) -> bool:
    try:
        await runtime.artifacts.read(Artifact(digest=digest_of(content), size=len(content)), by=ADA)
    except NotFoundError:
        return False
    return True


async def test_of_two_requests_that_race_for_a_key_only_the_files_of_one_are_stored() -> None:
    runtime = runtime_of(agent_of(Agent("x", instructions="x").driver), model=Scripted(["done"] * 2))
    results = await asyncio.gather(*(attach(runtime, PNG + end) for end in (b"a", b"b")), return_exceptions=True)
    assert sorted(isinstance(each, RunResult) for each in results) == [False, True]
    assert sorted([await has_file(runtime, PNG + end) for end in (b"a", b"b")]) == [False, True]


async def test_a_repeated_request_with_the_same_bytes_is_the_same_request() -> None:
    runtime = runtime_of(agent_of(Agent("x", instructions="x").driver), model=Scripted(["done"]))
    first = await attach(runtime, PNG)
    assert (await attach(runtime, PNG)).run == first.run
    with pytest.raises(IdempotencyError):
        await attach(runtime, PNG + b"other")


@BOTH
async def test_a_pdf_is_attached_for_a_model_that_reads_it(driver: AgentDriver) -> None:
    class Reader(Scripted):
        reads_pdfs = True

    report = {"name": "r.pdf", "media_type": "application/pdf", "data": base64.b64encode(b"%PDF-1.7").decode()}
    policy = AttachmentPolicy(suffixes=(".pdf",))
    for model in (Reader(["done"]), Scripted(["done"])):
        agent = Agent("agent", instructions="x", input=PromptWithAttachments, attachments=policy, driver=driver)
        result = await runtime_of(agent, model=model).call(agent, ADA, prompt="go", attachments=[report])
        if isinstance(model, Reader):
            assert result.value() == "done"
            (part,) = [each for each in messages_of(model)[-1][1] if each["type"] == "file"]
            assert part["file"]["file_data"].startswith("data:application/pdf;base64,")
        else:
            assert (result.status, "does not read PDFs" in result.text) == ("failed", True)
