"""No text that a person, a program or a policy gives is stored with the value of a secret in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from remit import Agent, App, Ask, Block, Policy, Principal, Runtime, When, tool
from remit.app import Env
from remit.errors import ApprovalDeniedError, BlockedError
from remit.inventory import ToolRequest, ToolRequestPayload, handle_request
from remit.policies import Decision, Question
from remit.record.arguments import Arguments
from remit.secrets import Secret
from remit.stores import InMemoryStore
from remit.testing import Scripted, superuser
from tests.runtime.kit import Clock, find_superuser

VALUE = "sk-live-of-the-record"
PLACE = "[secret test:record]"
ADA = superuser()


@pytest.fixture(autouse=True)
def register_secret() -> None:
    Secret("test:record", VALUE)


@tool(effect="unsafe")
async def wipe(what: str) -> str:
    """Wipe."""
    return what


def any_call(_call: object) -> bool:
    return True


async def everything(store: InMemoryStore) -> str:
    """All that the store holds about runs, questions and grants, as one text."""
    rows = await store.list_runs(tenant="default")
    bodies = [each.body for row in rows for each in await store.read(row.run)]
    questions = [repr(each) for each in await store.list_questions(tenant="default")]
    return "\n".join([*map(repr, rows), *bodies, *questions, *map(repr, await store.list_grants(tenant="default"))])


async def test_the_reason_and_the_rule_of_a_question_are_stored_without_it() -> None:
    store = InMemoryStore(Clock())
    policy = Policy(When(f"rule {VALUE}", any_call, Ask(reason=f"because of {VALUE}")))
    runtime = Runtime(App(name="x", tools=(wipe,), policy=policy), store=store)
    result = await runtime.call(wipe, ADA, "a")
    row = await store.find_question(result.questions[0])
    assert row is not None
    assert (row.question.reason, row.question.rule) == (f"because of {PLACE}", f"rule {PLACE}")
    await runtime.decide(result.questions[0], approved=True, by=ADA, reason=f"yes, {VALUE}")
    assert (await runtime.resume(result.run)).value() == "a"
    assert VALUE not in await everything(store)


async def test_the_reason_of_a_block_is_told_and_stored_without_it() -> None:
    store = InMemoryStore(Clock())
    policy = Policy(When("never", any_call, Block(reason=f"not with {VALUE}")))
    result = await Runtime(App(name="x", tools=(wipe,), policy=policy), store=store).call(wipe, ADA, "a")
    with pytest.raises(BlockedError) as raised:
        result.value()
    assert PLACE in raised.value.message
    assert VALUE not in await everything(store)


@dataclass
class Answers:
    approved: bool

    async def decide(self, question: Question, /) -> Decision:
        return Decision(question=question.id, approved=self.approved, by="bob", reason=f"I say {VALUE}")


@pytest.mark.parametrize("approved", [True, False])
async def test_the_reason_of_an_approver_of_the_application_is_stored_without_it(approved: bool) -> None:
    store = InMemoryStore(Clock())
    policy = Policy(When("all", any_call, Ask(reason="look", kind="confirm")))
    app = App(name="x", tools=(wipe,), policy=policy, env=Env(approver=Answers(approved)))
    runtime = Runtime(app, store=store, directory=find_superuser)
    result = await runtime.call(wipe, ADA, "a")
    if not approved:
        with pytest.raises(ApprovalDeniedError, match="I say"):
            result.value()
    assert VALUE not in await everything(store)


async def test_the_reason_of_a_loosening_is_stored_without_it() -> None:
    store = InMemoryStore(Clock())
    ask = When("own", any_call, Ask(reason="look"))
    strict = Runtime(App(name="x", tools=(wipe,), policy=Policy(ask)), store=store)
    result = await strict.call(wipe, ADA, "a")
    loose = Runtime(App(name="x", tools=(wipe,)), store=store, directory=find_superuser)
    assert (await loose.resume(result.run)).status == "stalled"
    await loose.loosen(result.run, without=["own"], by=ADA, reason=f"because of {VALUE}")
    stored = await everything(store)
    assert VALUE not in stored
    assert f"because of {PLACE}" in stored


def as_envelope(runtime: Runtime) -> Awaitable[Any]:
    payload = ToolRequestPayload(tool_name="wipe", parameters={"what": VALUE})
    return handle_request(runtime, ToolRequest(user_id=ADA.name, payload=payload), by=ADA)


ARGUMENTS: dict[str, Callable[[Runtime], Awaitable[Any]]] = {
    "a mapping": lambda runtime: runtime.call_by_name("wipe", {"what": VALUE}, by=ADA),
    "parsed": lambda runtime: runtime.call_by_name("wipe", Arguments(f'{{"what":"{VALUE}"}}', {"what": VALUE}), by=ADA),
    "an envelope": as_envelope,
}


@pytest.mark.parametrize("way", ARGUMENTS)
async def test_arguments_with_it_are_refused_and_stored_without_it(way: str) -> None:
    store, made = InMemoryStore(Clock()), list[str]()

    @tool(effect="pure", name="wipe")
    async def note(what: str) -> str:
        """Note."""
        made.append(what)
        return "done"

    await ARGUMENTS[way](Runtime(App(name="x", tools=(note,)), store=store))
    assert made == []
    assert VALUE not in await everything(store)
    assert "contained_a_secret" in await everything(store)


async def test_a_grant_is_stored_without_it() -> None:
    store = InMemoryStore(Clock())
    runtime = Runtime(App(name="x", tools=(wipe,)), store=store, directory=find_superuser)
    grants = runtime.client(replace(ADA)).create_grant
    await grants("wipe", principal="bob", count=1, expires_in=60, reason=f"for {VALUE}")
    assert VALUE not in await everything(store)


async def test_a_prompt_with_it_is_refused() -> None:
    store = InMemoryStore(Clock())
    agent = Agent("a", instructions=f"Use {VALUE}.", model=Scripted(["done"]))
    runtime = Runtime(App(name="x", agents=(agent,)), store=store)
    await runtime.run("go", by=Principal("ada"))
    assert VALUE not in await everything(store)
