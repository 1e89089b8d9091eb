"""A stream has the answers that models are writing, and nothing that a layer or a secret holds back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from figures.stream_world import Typist
from remit import Agent, App, Principal, Runtime, Stack
from remit.agent.driver import AgentDriver
from remit.chat.chat import ChatRequest, Completion
from remit.chat.streaming import Delta
from remit.engine.open_answers import OpenAnswer
from remit.errors import RequestError
from remit.items import DeltaEvent, DropEvent, ItemEvent, RunFinished
from remit.layers import AddMessage, Fallback, Guardrail, Redact, RetryModel
from remit.record.arguments import Limits
from remit.runtime import RunResult
from remit.secrets import Secret
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.workers import PydanticAIDriver
from tests.runtime.kit import Clock, Crash, Mortal

ADA = Principal("ada")
TEXT = "a text that is written piece by piece, so that it can be followed"


class DerivedFallback(Fallback):
    """A layer that may do anything with answers, as far as its class tells."""


class Streaming(Scripted):
    """Notes whether it was asked to stream."""

    has_streamed = False

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        self.has_streamed = True
        return await super().stream(request, on_delta)


def runtime_of(model: Any, *layers: Any, driver: AgentDriver | None = None, **options: Any) -> Runtime:
    agent = Agent("agent", instructions="Write.", model=model, driver=driver, agent_layers=Stack(*layers))
    store = InMemoryStore()
    return Runtime(App(name="app", agents=[agent], **options), store=store, make_run_id=lambda: "run")


async def stream(runtime: Runtime) -> list[Any]:
    return [event async for event in runtime.stream("go", by=ADA)]


def text_of(events: list[Any]) -> str:
    return "".join(each.text for each in events if isinstance(each, DeltaEvent))


@pytest.mark.looptime
@pytest.mark.parametrize("driver", [None, PydanticAIDriver()])
async def test_a_streamed_run_yields_pieces_items_and_its_result(driver: AgentDriver | None) -> None:
    events = await stream(runtime_of(Typist([TEXT]), driver=driver))
    kinds: list[type] = [type(each) for each in events]
    assert text_of(events) == TEXT
    assert kinds.count(DeltaEvent) > 5
    assert isinstance(events[-2].item, RunFinished)
    assert isinstance(events[-1], RunResult)
    assert events[-1].text == TEXT


@pytest.mark.looptime
async def test_a_request_that_fails_withdraws_its_pieces_at_once() -> None:
    events = await stream(runtime_of(Typist([TEXT], breaks=True)))
    dropped = next(number for number, each in enumerate(events) if isinstance(each, DropEvent))
    assert [text_of(events[:dropped]), text_of(events[dropped:])] == [TEXT[:15].upper(), TEXT]
    items = [(number > dropped, each.item.kind) for number, each in enumerate(events) if isinstance(each, ItemEvent)]
    assert (False, "failure") in items
    assert (True, "message") in items


@pytest.mark.looptime
@pytest.mark.parametrize("driver", [None, PydanticAIDriver()])
@pytest.mark.parametrize(
    ("layer", "streams"),
    [
        (AddMessage("Be short."), True),
        (Fallback(Scripted(["other"])), True),
        (RetryModel(attempts=1), True),
        (DerivedFallback(Scripted(["other"])), False),
        (Guardrail(lambda _answer: True), False),
    ],
)
async def test_no_piece_leaves_before_a_layer_that_may_change_it(
    layer: Any, driver: AgentDriver | None, *, streams: bool
) -> None:
    events = await stream(runtime_of(Typist([TEXT]), layer, driver=driver))
    assert text_of(events) == (TEXT if streams else "")
    assert events[-1].text == TEXT


@pytest.mark.looptime
async def test_no_piece_leaves_where_results_are_redacted() -> None:
    runtime = runtime_of(Typist([TEXT])).layer(Redact(patterns=["piece"]))
    events = await stream(runtime)
    assert text_of(events) == ""
    assert "piece" not in events[-1].text


@pytest.mark.looptime
async def test_no_part_of_a_secret_is_streamed() -> None:
    secret = Secret("env:KEY", "sk-followed-nowhere")
    events = await stream(runtime_of(Typist([f"the key is {secret.reveal()} and that is all of it"])))
    assert text_of(events) == "the key is "
    answer = OpenAnswer("call", 1, 1, 1000, -1)
    for letter in secret.reveal():
        answer.add(Delta(letter))
        answer.add(Delta(" ", "arguments"))
    assert answer.read(0) == []
    answer.add(Delta("{", "arguments", name=f"call_{secret.reveal()}"))
    assert answer.read(0) == []
    answer = OpenAnswer("call", 1, 1, 1000, -1)
    answer.add(Delta('{"to": "ann", "key": "s', "arguments"))
    answer.add(Delta("\\u006b-followed", "arguments"))
    answer.add(Delta('-nowhere"}', "arguments"))
    assert answer.read(0) == [Delta('{"to": "ann", "key": "', "arguments")]
    events = await stream(runtime_of(Typist(["sk-fol, sk-follow and sk-followed-now are no key"])))
    assert text_of(events) == "sk-fol, sk-follow and sk-followed-now are no key"


@pytest.mark.looptime
async def test_a_reader_who_loses_access_gets_no_more_of_an_answer() -> None:
    class Slow(Scripted):
        async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
            for number in range(100):
                await asyncio.sleep(0.1)
                on_delta(Delta(f"{number} "))
            return await super().stream(request, on_delta)

    runtime = Runtime(App(name="app", agents=[Agent("agent", instructions="Write.", model=Slow(["one", "two"]))]))
    ada, bob = runtime.client(ADA), runtime.client(Principal("bob"))
    await ada.run("go", conversation="talk")
    await ada.share_conversation("talk", "bob")
    run = await ada.submit("go on", conversation="talk")
    running = asyncio.create_task(runtime.resume(run))
    events = list[Any]()

    async def follow() -> None:
        async for event in bob.stream(run):
            events.append(event)
            if "10 " in text_of(events):
                await ada.unshare_conversation("talk", "bob")

    with pytest.raises(RequestError, match=f"run {run} does not exist"):
        await follow()
    assert "20 " not in text_of(events)
    assert (await running).status == "done"


@pytest.mark.looptime
async def test_a_model_does_not_stream_to_nobody() -> None:
    model = Streaming(["one", "two"])
    await runtime_of(model).run("go", by=ADA)
    assert not model.has_streamed


@pytest.mark.looptime
@pytest.mark.parametrize(("seconds", "streams"), [(0, True), (59, True), (61, False)])
async def test_a_model_streams_to_who_may_still_come_when_a_run_was_submitted_a_moment_ago(
    seconds: int, *, streams: bool
) -> None:
    clock = Clock()
    model, store = Streaming(["one"]), InMemoryStore(clock)
    app = App(name="app", agents=[Agent("agent", instructions="Write.", model=model)])
    runtime = Runtime(app, store=store, clock=clock)
    run = await runtime.submit("go", by=ADA)
    clock.now += seconds
    await runtime.resume(run)
    assert model.has_streamed is streams


@pytest.mark.looptime
async def test_a_model_streams_to_nobody_when_a_run_is_taken_up_that_has_begun() -> None:
    clock = Clock()
    model, store = Streaming(["one", "one"]), Mortal(clock)
    app = App(name="app", agents=[Agent("agent", instructions="Write.", model=model)])

    def process() -> Runtime:
        return Runtime(app, store=store, clock=clock, directory=lambda _name, _tenant: ADA, make_run_id=lambda: "run")

    store.die_at(2, after=True)
    with suppress(Crash):
        await process().run("go", by=ADA)
    store.revive()
    clock.now += 31
    assert (await process().resume("run")).status == "done"
    assert not model.has_streamed


@pytest.mark.looptime
async def test_leaving_a_stream_leaves_the_run() -> None:
    runtime = runtime_of(Typist([TEXT]))
    events = runtime.stream("go", by=ADA)
    while not isinstance(await anext(events), DeltaEvent):
        pass
    await events.aclose()
    await asyncio.sleep(60)
    assert (await runtime.client(ADA).status("run")).status == "done"


@pytest.mark.looptime
async def test_a_reader_that_is_slow_gets_longer_pieces_and_one_that_joins_late_the_text_so_far() -> None:
    runtime = runtime_of(Typist([TEXT]))
    slow = list[Any]()

    async def follow() -> list[Any]:
        await asyncio.sleep(1.6)
        return [event async for event in runtime.client(ADA).stream("run")]

    late = asyncio.create_task(follow())
    async for event in runtime.stream("go", by=ADA):
        slow.append(event)
        await asyncio.sleep(1.5 * isinstance(event, DeltaEvent))
    assert TEXT.startswith(text_of(slow))
    assert max(len(each.text) for each in slow if isinstance(each, DeltaEvent)) > 20
    first = next(each for each in await late if isinstance(each, DeltaEvent))
    assert TEXT.startswith(first.text)
    assert len(first.text) > 20


@pytest.mark.looptime
async def test_a_stream_raises_what_the_run_raises() -> None:
    runtime = runtime_of(Scripted(["done"]))
    with pytest.raises(RequestError, match="has no agent 'nobody'"):
        _ = [event async for event in runtime.stream("go", by=ADA, agent="nobody")]
    await runtime.submit("go", by=ADA)
    with pytest.raises(RequestError, match="run run exists already"):
        _ = [event async for event in runtime.stream("go", by=ADA)]


@pytest.mark.looptime
async def test_an_answer_beyond_the_limit_of_replies_is_kept_up_to_it() -> None:
    runtime = runtime_of(Typist(["x" * 400]), limits=Limits(reply_bytes=256))
    events = await stream(runtime)
    assert 200 < len(text_of(events)) <= 260
    assert isinstance(events[-1], RunResult)
    assert events[-1].status == "failed"


def test_pieces_of_parts_that_alternate_are_read_from_any_place() -> None:
    answer, texts = OpenAnswer("call", 1, 1, 100_000, -1), ""
    for number in range(600):
        answer.add(Delta(str(number % 10), "arguments" if number % 300 > 290 else "text", number % 2))
        texts += str(number % 10)
    for offset in range(0, 600, 7):
        assert "".join(each.text for each in answer.read(offset)) == texts[offset:]
