"""Fields of models' messages that are lost on the way back: shapes of real providers through both drivers.

A model answers with each shape, over HTTP. The run is cut off by an outage and goes on in another runtime, from a file;
then it hands over to another agent, and a later run of the conversation follows, which is cut off as well. Each request
after the answer must hold the message as it was sent: order of keys, spelling of numbers and escapes included. Of a
message that a strict endpoint would refuse, it must hold the legal one, in which all else is as it was sent.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from typing import Any, Final

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from figures.figure import Figure, no_violations
from figures.wire_shapes import SHAPES, Shape
from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent.driver import AgentDriver
from remit.agent.native import NativeDriver
from remit.layers import layer_fn
from remit.messages import ChatRequest, Completion
from remit.models import OpenAI, PydanticAIModel
from remit.schemas.raw_json import join_items, join_members, raw_items, raw_members
from remit.stores import SqlStore
from remit.workers import PydanticAIDriver
from tests.loopback import Endpoint

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
SHORT: Final = ("openai, web search", "empty arguments", "mistral, thinking", "numbers and escapes")
"""A sample, of which each goes each way once. `tests/test_figures_wire.py` has two more."""

FINAL: Final = '{"role":"assistant","content":"done"}'
HANDOFF: Final = (
    '{"role":"assistant","content":null,"tool_calls":[{"id":"over_1","type":"function","function":'
    '{"name":"transfer_to_second","arguments":"{}"}}]}'
)

MakeModel = Callable[[str], Any]


def _openai(url: str) -> OpenAI:
    return OpenAI("m", base_url=url, api_key="k")


def _openai_chat(url: str) -> OpenAIChatModel:
    """A model of those for which PydanticAI adds an empty `reasoning_content` to messages with calls."""
    profile = OpenAIModelProfile(
        supports_thinking=True,
        thinking_always_enabled=True,
        thinking_enabled_by_default=True,
        openai_chat_thinking_field="reasoning_content",
        openai_chat_send_back_thinking_parts="field",
        openai_chat_thinking_requires_field_on_tool_calls=True,
    )
    return OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k"), profile=profile)


def _wrapped(url: str) -> PydanticAIModel:
    return PydanticAIModel(_openai_chat(url))


WAYS: Final[dict[str, tuple[Callable[[], AgentDriver], MakeModel]]] = {
    "the native driver": (NativeDriver, _openai),
    "the native driver with a model of PydanticAI": (NativeDriver, _wrapped),
    "the driver of PydanticAI": (PydanticAIDriver, _openai_chat),
    "the driver of PydanticAI with a model of Remit": (PydanticAIDriver, _openai),
}


def figures(*, short: bool) -> Iterator[Figure]:
    """Messages that were sent back changed, or not at all."""
    if short:
        yield _measure([(SHAPES[name], way, number % 2 > 0) for number, name in enumerate(SHORT) for way in WAYS])
    else:
        yield _measure(list(product(SHAPES.values(), WAYS, (False, True))))


def measure_shape(name: str) -> Iterator[Figure]:
    """The figure of one shape."""
    yield _measure([(SHAPES[name], way, False) for way in WAYS])


def _measure(cases: Sequence[tuple[Shape, str, bool]]) -> Figure:
    lost = requests = 0
    for shape, way, is_layered in cases:
        found, made = asyncio.run(play(shape, way, is_layered=is_layered))
        lost, requests = lost + len(found), requests + made
    count = len({id(shape) for shape, _, _ in cases})
    how = (
        f"{count} shapes of real providers, {len(WAYS)} pairs of driver and model, with a layer around the model "
        "and without, at an HTTP endpoint: requests of later turns, after an outage and a resume by another runtime, "
        "after a handoff and in the next run of the conversation, that lack the message as it was sent"
    )
    return no_violations("wire.fields_lost", lost, requests, how)


async def play(shape: Shape, way: str, *, is_layered: bool) -> tuple[list[str], int]:
    """What was lost of a message: one line for each request without it, and the number of requests that should."""
    world = _World(shape, way, is_layered=is_layered)
    with tempfile.TemporaryDirectory() as folder:
        return await world.play(Path(folder) / "journal.db")


class _World:
    def __init__(self, shape: Shape, way: str, *, is_layered: bool) -> None:
        self._shape = shape
        self._way = way
        self._is_layered = is_layered
        self._calls = len(json.loads(shape.message).get("tool_calls") or ())
        self._answers = iter(["", "outage", HANDOFF, FINAL, "outage", FINAL] if self._calls else ["", "outage", FINAL])

    async def play(self, file: Path) -> tuple[list[str], int]:
        expected_requests = 5 if self._calls else 2
        async with Endpoint(self._answer) as endpoint:
            first = await self._execute(
                file, endpoint.url, lambda runtime: runtime.run("go", by=PERSON, conversation="talk")
            )
            if first.status == "stalled":
                first = await self._execute(file, endpoint.url, lambda runtime: runtime.resume(first.run))
            second = await self._execute(file, endpoint.url, _start("again"))
            if second.status == "stalled":
                second = await self._execute(file, endpoint.url, lambda runtime: runtime.resume(second.run))
            replayed = await self._execute(file, endpoint.url, lambda runtime: runtime.replay(first.run))
            later = endpoint.received[1:]
        lost = [f"{first.status} {second.status} {first.text} {second.text}"] if second.status != "done" else []
        lost += [replayed.difference] if replayed.difference else []
        lost += ["a request is missing"] * (expected_requests - len(later))
        return lost + [body.decode() for body in later if not self._holds(body)], max(len(later), expected_requests)

    async def _execute(self, file: Path, url: str, use: Callable[[Runtime], Any]) -> Any:
        """Use a runtime that has nothing of the one before but the file."""
        make_driver, make_model = WAYS[self._way]
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(make_model(url))
            store = SqlStore.at(file)
            stack.push_async_callback(store.close)
            agents = _agents(make_driver(), model, is_layered=self._is_layered)
            runtime = Runtime(App(name="wire", agents=agents), store=store, directory=lambda _name, _tenant: PERSON)
            return await use(runtime)

    def _answer(self, _body: bytes) -> tuple[int, str]:
        message = next(self._answers, "outage")
        if message == "outage":
            return 503, '{"error":{"message":"overloaded"}}'
        shape = self._shape if not message else Shape(message, "")
        message = shape.message
        finish = "tool_calls" if json.loads(message).get("tool_calls") else "stop"
        choice = f'{{"index":0,"message": {message} ,"finish_reason":"{finish}",{shape.choice}}}'
        usage = '"usage":{"prompt_tokens":9,"completion_tokens":8,"total_tokens":17}'
        return 200, f'{{"id":"c1","created":1,"model":"m-1","choices":[{choice}],{usage},{shape.response}}}'

    def _holds(self, body: bytes) -> bool:
        sent = raw_items(raw_members(body.decode())["messages"])
        handoffs = [text for text in sent if '"over_1"' in text and json.loads(text).get("role") == "assistant"]
        if any(join_members(raw_members(text)) != HANDOFF for text in handoffs):
            return False
        return any(self._is_the_message(text) for text in sent if json.loads(text).get("role") == "assistant")

    def _is_the_message(self, text: str) -> bool:
        expected, found = raw_members(self._shape.legal or self._shape.message), raw_members(text)
        if expected.get("audio", "").startswith("{"):
            expected["audio"] = join_members({"id": raw_members(expected["audio"])["id"]})
        if self._calls and not self._has_usable_ids():
            expected["tool_calls"], found["tool_calls"] = map(
                _without_ids, (expected["tool_calls"], found["tool_calls"])
            )
        return join_members(expected) == join_members(found)

    def _has_usable_ids(self) -> bool:
        ids = [call.get("id") for call in json.loads(self._shape.message)["tool_calls"]]
        return all(ids) and len(set(ids)) == len(ids)


def _start(prompt: str) -> Callable[[Runtime], Any]:
    return lambda runtime: runtime.run(prompt, by=PERSON, conversation="talk")


def _without_ids(calls: str) -> str:
    return join_items(join_members(_without_id(raw_members(call))) for call in raw_items(calls))


def _without_id(call: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in call.items() if key != "id"}


def _agents(driver: AgentDriver, model: Any, *, is_layered: bool) -> tuple[Agent, ...]:
    @tool(effect=Effect.PURE)
    async def look(page: str) -> str:
        """Look at a page."""
        return f"saw {page}"

    @layer_fn
    async def watch(request: ChatRequest, inner: Any) -> Completion:
        return await inner(request)

    second = Agent("second", instructions="Finish.", model=model, driver=driver)
    first = Agent("first", instructions="Begin.", tools=[look], handoffs=["second"], model=model, driver=driver)
    agents = (first, second)
    return tuple(agent.layer(watch()) for agent in agents) if is_layered else agents
