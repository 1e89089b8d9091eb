"""The value of a secret is in no message on record, whoever wrote the message."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, Effect, LeafContext, Principal, Risk, Stack, tool
from remit.agent import AgentDriver, AgentLoop, AgentRun, StepRequest
from remit.contracts.call import StepService
from remit.errors import ModelRefusedError
from remit.export.jsonl import write_jsonl
from remit.layers import AddMessage, ModelLayer
from remit.secrets import Secret
from remit.testing import Scripted, calls
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
