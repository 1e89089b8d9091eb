"""The value of a secret is in no message on record, whoever wrote the message."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from remit import Agent, Effect, LeafContext, Principal, Risk, Stack, tool
from remit.agent import AgentDriver, AgentLoop, AgentRun, StepRequest
from remit.call.call import StepService
from remit.chat.call_ids import is_kept_id
from remit.chat.wire import kept_details
from remit.errors import ModelRefusedError
from remit.export.jsonl import write_jsonl
from remit.layers import AddMessage, ModelLayer
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.record.arguments import SECRET_IN_ARGUMENTS
from remit.record.items import Message
from remit.secrets import Secret
from remit.testing import Scripted, calls
from remit.workers import PydanticAIDriver
from tests.agent.both import BOTH, look, runtime_of

CANARY = "canary-of-messages"
VALUE = f'{CANARY} "in quotes"'
SHOWN = "[secret test:messages]"
ADA = Principal("ada", permissions=frozenset({"*"}))


@pytest.fixture(autouse=True)
def secret() -> Secret:
    return Secret("test:messages", VALUE)


@BOTH
@pytest.mark.parametrize(
    "layers", [Stack[ModelLayer](), Stack[ModelLayer](AddMessage(f"Mind {VALUE}."))], ids=["bare", "layered"]
)
async def test_what_a_model_and_an_agent_say_is_recorded_without_it(
    driver: AgentDriver, layers: Stack[ModelLayer]
) -> None:
    model = Scripted([calls(("look", {"page": f"p {VALUE}"})), f"It is {VALUE}."])
    agent = Agent(
        "agent", instructions=f"Use {VALUE}.", run_instructions=f"Today {VALUE}.", tools=[look], driver=driver
    ).layer(layers)
    runtime = runtime_of(agent, model=model)
    client = runtime.client(ADA)
    result = await client.run("go", conversation="talk")
    assert result.value() == f"It is {SHOWN}."
    items = await runtime.store.read(result.run)
    streamed = [repr(event) async for event in client.stream(result.run)]
    for text in (write_jsonl(items), *streamed, *await client.history(result.run), repr(items)):
        assert CANARY not in text
    assert SHOWN in write_jsonl(items)
    assert not any(CANARY in text for text in model.requests[-1].history if "Mind" not in text)
    assert (await runtime.replay(result.run)).difference == ""


ESCAPED = VALUE.replace('"', '\\"').replace("y", "\\u0079")


def call_of(arguments: str, name: str = "send") -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@BOTH
@pytest.mark.parametrize(
    "arguments",
    [
        json.dumps({"text": f"the key is {VALUE}"}),
        f'{{"text": "{ESCAPED}"}}',
        f'{{"text": {json.dumps(VALUE)}, "text": ""}}',
    ],
    ids=["plain", "escaped", "twice"],
)
async def test_a_models_call_whose_arguments_contain_it_is_refused_and_not_run(
    driver: AgentDriver, arguments: str
) -> None:
    sent: list[str] = []

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def send(ctx: LeafContext, text: str) -> str:
        """Send a text."""
        sent.append(text + ctx.key[:0])
        return "sent"

    model = Scripted([call_of(arguments), calls(("send", {"text": "without it"})), "done"])
    runtime = runtime_of(Agent("agent", instructions="Work.", tools=[send], driver=driver), model=model)
    client = runtime.client(ADA)
    waiting = await client.run("go", conversation="talk")
    await client.decide(waiting.questions[0], approved=True)
    result = await client.resume(waiting.run)
    assert (result.text, sent) == ("done", ["without it"])
    items = await runtime.store.read(result.run)
    refused = json.loads(model.requests[1].history[-1])["content"]
    assert json.loads(refused)["errorCode"] == "VALIDATION_ERROR"
    assert SECRET_IN_ARGUMENTS in refused
    for text in (write_jsonl(items), repr(items), *model.requests[-1].history):
        assert CANARY not in re.sub(r"\\+u0079", "y", text)
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
@pytest.mark.parametrize("count", [1, 2])
async def test_an_id_of_a_call_that_contains_it_becomes_another_that_endpoints_accept(
    driver: AgentDriver, count: int
) -> None:
    kept = Secret("test:id", "hunter2hunter2")
    made = [{"id": kept.reveal(), "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    made += [{**made[0], "id": "c2"}] * (count - 1)
    model = Scripted([{"role": "assistant", "content": None, "tool_calls": made}, "done"])
    runtime = runtime_of(Agent("agent", instructions="Work.", tools=[look], driver=driver), model=model)
    result = await runtime.run("go", by=ADA)
    assert result.value() == "done"
    told = [json.loads(text)["tool_call_id"] for text in model.requests[1].history if '"role":"tool"' in text]
    assert (len(told), all(map(is_kept_id, told))) == (count, True)
    assert kept.reveal() not in str(model.requests[1].history)


async def test_a_message_of_pydantic_ai_that_is_kept_as_received_is_refused_with_its_call() -> None:
    message = call_of(json.dumps({"page": VALUE}), "look")
    responses = [
        ModelResponse(
            [ToolCallPart("look", {"page": VALUE}, "c1")], provider_details=kept_details(json.dumps(message), "m")
        ),
        ModelResponse([TextPart("done")]),
    ]
    model = FunctionModel(lambda _messages, _info: responses.pop(0))
    runtime = runtime_of(
        Agent("agent", instructions="Work.", tools=[look], model=model, driver=PydanticAIDriver()), model=Scripted([])
    )
    result = await runtime.run("go", by=ADA)
    assert result.text == "done"
    text = write_jsonl(await runtime.store.read(result.run))
    assert CANARY not in text
    assert SECRET_IN_ARGUMENTS in text
    assert all("contained_a_secret" in each for each in await runtime.history(result.run) if "tool_calls" in each)


async def test_what_a_loop_says_is_recorded_without_it() -> None:
    def loop(step: StepService, /) -> Any:
        async def say(request: StepRequest, /) -> AgentRun:
            return await AgentLoop()(step)(request.with_message(f"Mind {VALUE}."))

        return say

    model = Scripted(["done"])
    runtime = runtime_of(Agent("agent", instructions="Work.", loop=loop), model=model)
    result = await runtime.run("go", by=ADA)
    assert CANARY not in write_jsonl(await runtime.store.read(result.run)) + repr(model.requests[-1].history)
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_why_a_model_failed_is_recorded_without_it(driver: AgentDriver) -> None:
    async def refuse(_request: object) -> Any:
        raise ModelRefusedError(f"401: {VALUE} is no key")

    runtime = runtime_of(Agent("agent", instructions="Work.", driver=driver), model=refuse)
    result = await runtime.run("go", by=ADA)
    assert SHOWN in result.text
    assert CANARY not in write_jsonl(await runtime.store.read(result.run))


async def test_what_a_person_says_is_recorded_without_it() -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, page: str) -> str:
        """Erase a page."""
        return f"erased {page} {ctx.key[:0]}"

    model = Scripted([calls(("erase", {"page": "a"})), "done"])
    runtime = runtime_of(Agent("agent", instructions="Work.", tools=[erase]), model=model)
    client = runtime.client(ADA)
    waiting = await client.run("go", conversation="talk")
    await client.decide(waiting.questions[0], approved=False, reason=f"because {VALUE}")
    assert (await client.resume(waiting.run)).value() == "done"
    await client.rename_conversation("talk", f"about {VALUE}")
    assert (await client.conversation("talk")).title == f"about {SHOWN}"
    decided = repr(await client.question(waiting.questions[0])) + write_jsonl(await runtime.store.read(waiting.run))
    assert SHOWN in decided
    assert CANARY not in decided


class Vendor:
    """A model whose message has fields of its vendor."""

    def __init__(self, fields: str) -> None:
        self._fields = fields

    async def __call__(self, _request: ChatRequest, /) -> Completion:
        return completion_from_message(f'{{"role":"assistant","content":"done",{self._fields}}}')


@BOTH
@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ("90125566", '"id":3190125566.25'),
        ("90125577", '"id":[1,{"at":9.0125577e7}]'),
        ("90125588", '"id":90125588,"id":1'),
        ("seen:true,", '"a":"seen:true,","b":true'),
        ('":true,"abc', '"id":true,"abc":1'),
        ("u00e9u00", '"id":"\\u00e9u00"'),
        ('closing"}', '"id":{"x":"closing"}'),
        ("x_vendor_key", '"x_vendor_key":1'),
        ('quo\\te"d!', '"id":"quo\\\\te\\"d!"'),
    ],
)
async def test_a_message_with_it_in_any_place_is_json_on_record(driver: AgentDriver, value: str, fields: str) -> None:
    Secret(f"test:place{len(value)}", value)
    agent = Agent("agent", instructions="Work.", model=Vendor(fields), driver=driver)
    runtime = runtime_of(agent)
    result = await runtime.run("go", by=ADA)
    assert result.text == "done"
    items = [position.item for position in await runtime.store.read(result.run)]
    (message,) = [item for item in items if isinstance(item, Message) and item.request]
    assert json.loads(message.text)["role"] == "assistant"
    assert value not in message.text
    assert (await runtime.replay(result.run)).difference == ""
