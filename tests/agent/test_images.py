"""Images given as artifacts reach models that read them, and the journal holds their references only."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.agent import AgentDriver, NativeDriver
from remit.agent.media import MAX_REQUEST_BYTES
from remit.artifacts import Artifact, PromptWithFiles
from remit.chat.chat import History
from remit.errors import BrokenJournalError, SetupError
from remit.layers import ModelService, RetryModel, layer_fn
from remit.messages import ChatRequest, Completion
from remit.models import OpenAI, PydanticAIModel, resolve_model
from remit.models.model_origin import reads_of
from remit.record.arguments import parse_arguments
from remit.record.estimate import PDF
from remit.stores import SqlStore
from remit.testing import Scripted, record_script, superuser
from remit.tools import Limits
from remit.workers import PydanticAIDriver
from tests.loopback import Endpoint
from tests.runtime.kit import find_superuser

ADA, BOB = superuser(name="ada"), superuser(name="bob")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
IMAGES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0 a photo",
    "image/gif": b"GIF89a a drawing",
    "image/webp": b"RIFF\x00\x00\x00\x00WEBPVP8 a picture",
}


def chat_model(url: str, **profile: Any) -> OpenAIChatModel:
    made = ModelProfile(**profile) if profile else None
    return OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k"), profile=made)


WAYS: dict[str, tuple[Callable[[str], Any], AgentDriver]] = {
    "native, raw": (lambda url: OpenAI("m", base_url=url, api_key="k"), NativeDriver()),
    "native, PydanticAI": (lambda url: PydanticAIModel(chat_model(url)), NativeDriver()),
    "PydanticAI": (chat_model, PydanticAIDriver()),
    "PydanticAI, raw": (lambda url: OpenAI("m", base_url=url, api_key="k"), PydanticAIDriver()),
}
BLIND: dict[str, tuple[Callable[[str], Any], AgentDriver]] = {
    "native, raw": (lambda url: OpenAI("m", base_url=url, api_key="k", reads_images=False), NativeDriver()),
    "native, PydanticAI": (
        lambda url: PydanticAIModel(chat_model(url, supports_image_input=False)),
        NativeDriver(),
    ),
    "PydanticAI": (lambda url: chat_model(url, supports_image_input=False), PydanticAIDriver()),
    "PydanticAI, raw": (lambda url: OpenAI("m", base_url=url, api_key="k", reads_images=False), PydanticAIDriver()),
}


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def publish(_ctx: LeafContext) -> str:
    """Publish the picture."""
    return "published"


@layer_fn
async def add_a_word(request: ChatRequest, inner: ModelService) -> Completion:
    """Change the message of the user, in which there are no images yet."""
    assert not any("base64" in text for text in request.history)
    texts = [text.replace("Publish it", "Publish it now") for text in request.history]
    return await inner(replace(request, history=History(texts)))


def answer(body: bytes) -> tuple[int, str]:
    """Calls the agent's tool if there is one, then says that it is done."""
    sent = json.loads(body)
    replied = "tools" not in sent or sent["messages"][-1]["role"] == "tool"
    called = [{"id": "c1", "type": "function", "function": {"name": "publish", "arguments": "{}"}}]
    message = {"role": "assistant", "content": "done"} if replied else {"role": "assistant", "tool_calls": called}
    choice = {"index": 0, "message": message, "finish_reason": "stop" if replied else "tool_calls"}
    return 200, json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


def runtime_of(
    model: Any,
    driver: AgentDriver,
    store: SqlStore | None = None,
    *,
    takes: type[BaseModel] = PromptWithFiles,
    limits: Limits | None = None,
) -> Runtime:
    agent = Agent("agent", instructions="Look.", input=takes, driver=driver)
    app = App(name="test", agents=[agent], limits=limits or Limits())
    return Runtime(app, model=model, store=store, directory=find_superuser)


def _user_parts(body: bytes) -> list[dict[str, Any]]:
    contents: list[Any] = [each["content"] for each in json.loads(body)["messages"] if each["role"] == "user"]
    parts: list[list[dict[str, Any]]] = [
        [{"type": "text", "text": content}] if isinstance(content, str) else content for content in contents
    ]
    return [each for one in parts for each in one]


def images_of(body: bytes) -> list[str]:
    """The URLs of the images in a request."""
    return [part["image_url"]["url"] for part in _user_parts(body) if part["type"] == "image_url"]


def text_of(body: bytes) -> str:
    """The text of a request's user."""
    return "\n".join(part["text"] for part in _user_parts(body) if part["type"] == "text")


def url_of(content: bytes, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


async def ask(
    way: str,
    contents: Sequence[tuple[bytes, str]],
    ways: dict[str, tuple[Callable[[str], Any], AgentDriver]] = WAYS,
    limits: Limits | None = None,
) -> bytes:
    """The body of the one request that an agent makes with these files."""
    make, driver = ways[way]
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model:
        runtime = runtime_of(model, driver, limits=limits)
        files = [
            await runtime.artifacts.add(content, by=ADA, name="picture", media_type=kind) for content, kind in contents
        ]
        assert (await runtime.run("What is it?", by=ADA, files=files)).value() == "done"
    (body,) = endpoint.received
    assert all(each.digest in text_of(body) for each in files), "the model can pass the references on"
    return body


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("media_type", IMAGES)
async def test_an_image_arrives_after_its_reference(way: str, media_type: str) -> None:
    body = await ask(way, [(IMAGES[media_type], media_type), (b"words", "text/plain")])
    assert images_of(body) == [url_of(IMAGES[media_type], media_type)]
    assert text_of(body).startswith("What is it?\nFile: {")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layered", [False, True])
async def test_the_journal_holds_no_content_through_resume_conversation_and_replay(
    way: str, layered: bool, tmp_path: Path
) -> None:
    make, driver = WAYS[way]
    path = tmp_path / "journal.db"
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model, AsyncExitStack() as stack:

        def again() -> Runtime:
            agent = Agent("agent", instructions="Look.", input=PromptWithFiles, driver=driver, tools=[publish])
            app = App(name="test", agents=[agent.layer(add_a_word() if layered else RetryModel())])
            store = SqlStore.at(path)
            stack.push_async_callback(store.close)
            return Runtime(app, model=model, store=store, directory=find_superuser)

        runtime = again()
        file = await runtime.artifacts.add(PNG, by=ADA, name="a.png")
        waiting = await runtime.run("Publish it.", by=ADA, files=[file], conversation="c")
        runtime = again()
        await runtime.decide(waiting.questions[0], approved=True, by=ADA)
        assert (await runtime.resume(waiting.run)).value() == "done"
        assert (await runtime.run("And now?", by=ADA, conversation="c")).status == "waiting"
        assert (await runtime.replay(waiting.run)).difference == ""
    assert [images_of(body) for body in endpoint.received] == [[url_of(PNG)]] * 3
    assert all(("Publish it now" in text_of(body)) is layered for body in endpoint.received)
    stored = read_files(tmp_path)
    assert file.digest.encode() in stored
    assert base64.b64encode(PNG)[:40] not in stored
    assert PNG[:40] not in stored


def read_files(folder: Path) -> bytes:
    """The files of the journal, without those of the artifacts beside it."""
    return b"".join(each.read_bytes() for each in folder.glob("journal.db*") if each.is_file())


@pytest.mark.parametrize("way", WAYS)
async def test_an_image_in_a_typed_input_arrives(way: str) -> None:
    class Job(BaseModel):
        picture: Artifact
        words: int

    make, driver = WAYS[way]
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model:
        runtime = runtime_of(model, driver, takes=Job)
        file = await runtime.artifacts.add(PNG, by=ADA, name="{a}.png")
        arguments = parse_arguments(json.dumps({"picture": file.model_dump(), "words": 3}), Limits())
        assert (await runtime.call_by_name("agent", arguments, by=ADA)).status == "done"
    assert images_of(endpoint.received[0]) == [url_of(PNG)]


@pytest.mark.parametrize("way", BLIND)
async def test_a_model_that_reads_no_images_gets_the_reference(way: str) -> None:
    assert images_of(await ask(way, [(PNG, "image/png")], BLIND)) == []


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_too_large_or_no_image_stays_a_reference(way: str) -> None:
    small = IMAGES["image/gif"]
    files = [(PNG, "image/png"), (b"<svg/>", "image/svg+xml"), (b"no image", "image/png"), (small, "image/gif")]
    body = await ask(way, files, limits=Limits(image_bytes=len(PNG) - 1))
    assert images_of(body) == [url_of(small, "image/gif")]


@pytest.mark.parametrize("way", BLIND)
async def test_an_image_that_is_not_sent_is_named_with_the_reason(way: str) -> None:
    body = await ask(way, [(PNG, "image/png"), (b"words", "text/plain")], BLIND)
    assert text_of(body).endswith("Not shown to you: picture (this model is sent no images).")


async def test_every_reason_for_which_a_file_is_not_sent_is_given() -> None:
    files = [(PNG, "image/png"), (b"<svg/>", "image/svg+xml"), (b"no PDF", PDF), (b"GIF", "image/gif")]
    body = await ask("native, PydanticAI", files, limits=Limits(image_bytes=len(PNG) - 1))
    for reason in (
        f"({len(PNG):,} bytes are too large)",
        "(models are sent no image/svg+xml)",
        "(its content is not application/pdf)",
        "(its content is not image/gif)",
    ):
        assert reason in text_of(body)
    names = text_of(await ask("native, raw", [(b"%d" % each, "image/gif") for each in range(7)])).count("picture (its")
    assert names == 5


PDF_CONTENT = b"%PDF-1.7 a report"
READERS: dict[str, tuple[Callable[[str], Any], AgentDriver]] = {
    **WAYS,
    "native, raw": (lambda url: OpenAI("m", base_url=url, api_key="k", reads_pdfs=True), NativeDriver()),
    "PydanticAI, raw": (lambda url: OpenAI("m", base_url=url, api_key="k", reads_pdfs=True), PydanticAIDriver()),
}


@pytest.mark.parametrize("way", READERS)
async def test_a_pdf_is_sent_as_a_file_to_a_model_that_reads_it(way: str) -> None:
    body = await ask(way, [(PDF_CONTENT, PDF), (PNG, "image/png")], READERS)
    (file,) = [part["file"] for part in _user_parts(body) if part["type"] == "file"]
    assert file["file_data"] == url_of(PDF_CONTENT, PDF)
    assert file["filename"]
    assert images_of(body) == [url_of(PNG)]


@pytest.mark.parametrize(
    "way",
    ["native, raw", "PydanticAI, raw", "PydanticAI"],
)
async def test_a_model_that_reads_no_pdf_is_told_so(way: str) -> None:
    def make(url: str) -> OpenAIChatModel:
        return chat_model(url, supports_document_input=False)

    body = await ask(way, [(PDF_CONTENT, PDF)], {**WAYS, "PydanticAI": (make, PydanticAIDriver())})
    assert {part["type"] for part in _user_parts(body)} == {"text"}
    assert "Not shown to you: picture (this model is sent no PDFs)." in text_of(body)


@pytest.mark.parametrize(
    ("base_url", "model", "expected"),
    [
        (None, "gpt-5-mini", True),
        (None, "gpt-3.5-turbo", False),
        ("https://openrouter.ai/api/v1", "any", True),
        ("http://127.0.0.1:9/v1", "gpt-5-mini", False),
    ],
)
async def test_an_endpoint_is_known_to_take_pdfs_or_not_sent_any(
    base_url: str | None, model: str, expected: bool
) -> None:
    async with OpenAI(model, base_url=base_url, api_key="k") as made:
        assert made.reads_pdfs is expected
    environ = {} if base_url is None else {"OPENAI_BASE_URL": base_url}
    assert resolve_model(f"openai:{model}", environ).reads_pdfs is expected


async def test_a_mislabelled_image_is_sent_as_what_it_is() -> None:
    body = await ask("native, raw", [(IMAGES["image/jpeg"], "image/png")])
    assert images_of(body) == [url_of(IMAGES["image/jpeg"], "image/jpeg")]


async def test_the_images_of_one_request_are_limited() -> None:
    each = MAX_REQUEST_BYTES // 2
    contents = [(PNG + bytes([number]) * (each - len(PNG)), "image/png") for number in range(3)]
    body = await ask("native, raw", contents, limits=Limits(image_bytes=each))
    assert images_of(body) == [url_of(content) for content, _ in contents[:2]]


async def test_what_only_looks_like_a_reference_or_is_of_somebody_else_is_not_read() -> None:
    model = Scripted(["done"])
    runtime = runtime_of(model, NativeDriver())
    foreign = await runtime.artifacts.add(PNG, by=BOB, name="b.png")
    cut = foreign.model_dump_json()[:-1]
    wrong = foreign.model_dump_json().replace(f'"size":{len(PNG)}', '"size":-1')
    await runtime.run(f"{foreign.model_dump_json()} {cut} {wrong}", by=ADA)
    assert json.loads(model.requests[0].history[-1])["content"].startswith(foreign.model_dump_json())


async def test_changed_content_of_an_image_stops_the_run(tmp_path: Path) -> None:
    model = Scripted(["first", "second"])
    store = SqlStore.at(tmp_path / "journal.db")
    runtime = runtime_of(model, NativeDriver(), store)
    file = await runtime.artifacts.add(PNG, by=ADA, name="a.png")
    await runtime.run("Look.", by=ADA, files=[file], conversation="c")
    (stored,) = [each for each in (tmp_path / "journal.db.artifacts").rglob("*") if len(each.name) == 62]
    stored.chmod(0o600)
    stored.write_bytes(PNG[::-1])
    with pytest.raises(BrokenJournalError, match="was changed"):
        await runtime.run("Again.", by=ADA, conversation="c")
    assert len(model.requests) == 1
    await store.close()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("local:base", False),
        ("openai:gpt-5", True),
        ("anthropic:no-key-here", True),
        ("test", True),
        ("scripted:x", True),
    ],
)
def test_a_named_model_says_whether_it_reads_images(name: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert resolve_model(name).reads_images is expected


def test_fallbacks_and_recorded_models_read_images_if_the_models_inside_do(tmp_path: Path) -> None:
    blind = TestModel(profile=ModelProfile(supports_image_input=False))
    assert reads_of(FallbackModel(TestModel(), TestModel())) == (True, True, True)
    assert reads_of(FallbackModel(TestModel(), blind)) == (False, True, True)
    assert not record_script(PydanticAIModel(blind), tmp_path / "script.json").reads_images


def test_the_option_is_true_or_false() -> None:
    with pytest.raises(SetupError, match="OpenAI: reads_images"):
        OpenAI("m", api_key="k", reads_images="no")  # pyright: ignore[reportArgumentType] - the point
