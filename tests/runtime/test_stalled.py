"""A run does not die of its model: requests are repeated, and what stays unavailable lets the run rest as stalled."""

from __future__ import annotations

import asyncio
import http.client
import ssl
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from remit import Agent, App, Effect, LeafContext, Runtime, tool
from remit.agent.driver import AgentDriver
from remit.agent.native import NativeDriver
from remit.chat.chat import ChatRequest, Completion, completion_from_message
from remit.engine.local import LocalEngine
from remit.errors import (
    ModelAccessError,
    ModelBusyError,
    ModelRefusedError,
    ModelUnavailableError,
    RequestError,
    SetupError,
)
from remit.layers import RetryModel
from remit.record.items import ModelFailure, RunStalled
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits
from remit.workers import PydanticAIDriver
from tests.runtime.kit import find_superuser, items_of

pytestmark = pytest.mark.looptime
BOTH = pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=["native", "pydantic-ai"])
BUSY = ModelBusyError("come back later")


class InTurn:
    """Gives one answer after the other, whatever the conversation; raises those that are errors."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest, /) -> Completion:
        self.requests.append(request)
        return await Scripted([self.answers.pop(0)] * 50)(request)


class Effects:
    """An effect that counts, in agents that are nested three deep."""

    def __init__(self, driver: AgentDriver, *answers: Any, **changes: Any) -> None:
        self.keys: list[str] = []
        self.script = InTurn(answers)
        self.store = InMemoryStore(self.now)
        self._driver = driver
        self._changes = changes

    @staticmethod
    def now() -> float:
        return asyncio.get_running_loop().time()

    def runtime(self, *answers: Any, depth: int = 1) -> Runtime:
        """A process with a model that gives ``answers``, else the one before."""

        @tool(effect=Effect.KEYED)
        async def pay(ctx: LeafContext) -> str:
            """Pay."""
            self.keys.append(ctx.key)
            return "paid"

        if answers:
            self.script = InTurn(answers)
        agents: list[Agent] = []
        for level in range(depth):
            tools: list[Any] = [pay, *agents[-1:]]
            made = Agent(f"agent{level}", instructions="Work.", tools=tools, driver=self._driver)
            for layer in self._changes.get("layers", ()):
                made = made.layer(layer)
            agents.append(made)
        app = App(name="test", agents=tuple(reversed(agents)))
        return Runtime(app, model=self.script, store=self.store, clock=self.now, directory=find_superuser)


@BOTH
async def test_a_busy_model_is_asked_again_and_the_failures_are_on_record(driver: AgentDriver) -> None:
    world = Effects(driver)
    result = await world.runtime(BUSY, BUSY, "done").run("go", by=superuser())
    assert (result.value(), len(world.script.requests)) == ("done", 3)
    failures = [item for item in await items_of(world.store, result.run) if isinstance(item, ModelFailure)]
    assert [each.attempt for each in failures] == [1, 2]
    assert (await world.runtime().replay(result.run)).is_identical


@BOTH
async def test_a_model_that_stays_busy_stalls_the_run_which_continues_without_repeating_effects(
    driver: AgentDriver,
) -> None:
    world = Effects(driver)
    result = await world.runtime(calls(("pay", {})), BUSY, BUSY, BUSY).run("go", by=superuser())
    assert (result.status, "come back later" in result.reason) == ("stalled", True)
    with pytest.raises(RequestError, match=r"has no result: it is stalled \(MODEL_BUSY"):
        result.value()
    row = await world.store.find_run(result.run)
    assert row is not None
    assert (row.status, row.ended) == ("stalled", 0.0)
    assert (await world.runtime().replay(result.run)).is_identical
    assert (await world.runtime("done").resume(result.run)).value() == "done"
    assert (len(world.keys), len(world.script.requests)) == (1, 1)
    assert (await world.runtime().replay(result.run)).is_identical


@BOTH
async def test_a_nested_agent_stalls_the_whole_run_after_its_siblings_have_ended(driver: AgentDriver) -> None:
    world = Effects(driver)
    ask = calls(("agent0", {"prompt": "inner"}), ("pay", {}))
    result = await world.runtime(ask, BUSY, BUSY, BUSY, depth=2).run("go", by=superuser())
    assert (result.status, len(world.keys)) == ("stalled", 1)
    resumed = await world.runtime("inner done", "outer done", depth=2).resume(result.run)
    assert (resumed.value(), len(world.keys)) == ("outer done", 1)
    assert (await world.runtime(depth=2).replay(result.run)).is_identical


async def test_the_time_that_a_provider_asks_for_is_waited_or_rested() -> None:
    world = Effects(NativeDriver())
    begun = world.now()
    result = await world.runtime(ModelBusyError("soon", retry_after=7), "done").run("go", by=superuser())
    assert (result.value(), world.now() - begun) == ("done", 7.0)
    result = await world.runtime(ModelBusyError("late", retry_after=600)).run("go", by=superuser())
    assert (result.status, result.retry_at - world.now()) == ("stalled", 600.0)


async def test_a_stalled_run_is_tried_again_ever_more_rarely() -> None:
    world = Effects(NativeDriver(), layers=(RetryModel(attempts=1),))
    result = await world.runtime(BUSY).run("go", by=superuser())
    waits = [result.retry_at - world.now()]
    for _ in range(5):
        await asyncio.sleep(waits[-1])
        result = await world.runtime(BUSY).resume(result.run)
        waits.append(result.retry_at - world.now())
    assert waits == [60.0, 120.0, 240.0, 480.0, 900.0, 900.0]
    await asyncio.sleep(5_000)
    result = await world.runtime(BUSY).resume(result.run)
    assert result.retry_at - world.now() == 60.0


async def test_an_engine_continues_a_stalled_run_when_its_time_has_come() -> None:
    world = Effects(NativeDriver(), layers=(RetryModel(attempts=1),))
    runtime = world.runtime(calls(("pay", {})), BUSY, BUSY, "done")
    run = await runtime.submit("go", by=superuser())
    begun = world.now()

    def report(_run: str, error: BaseException) -> None:
        raise AssertionError from error

    engine = LocalEngine(world.store, runtime.resume, applications=["test"], clock=world.now, on_error=report)
    async with engine:
        await asyncio.sleep(200)
    row = await world.store.find_run(run)
    assert row is not None
    assert (row.status, row.ended - begun < 190) == ("done", True)
    assert len(world.keys) == 1
    assert sum(isinstance(item, RunStalled) for item in await items_of(world.store, run)) == 2


async def test_a_stalled_run_can_be_cancelled_and_keeps_its_conversation_busy_until_then() -> None:
    world = Effects(NativeDriver(), layers=(RetryModel(attempts=1),))
    runtime = world.runtime(BUSY, "hello")
    result = await runtime.run("go", by=superuser(), conversation="talk")
    with pytest.raises(RequestError, match="is stalled; resume or cancel it first, or queue the message"):
        await runtime.run("again", by=superuser(), conversation="talk")
    cancelled = await runtime.cancel(result.run, by=superuser())
    assert cancelled is not None
    assert cancelled.status == "cancelled"
    assert (await runtime.run("again", by=superuser(), conversation="talk")).value() == "hello"


@BOTH
async def test_an_answer_that_is_empty_is_asked_for_again_and_its_tokens_count(driver: AgentDriver) -> None:
    answers = [{"content": ""}, {"content": "whole"}]

    async def model(_request: ChatRequest, /) -> Completion:
        answer = answers.pop(0)
        text = f'{{"role":"assistant","content":"{answer["content"]}"}}'
        finish = answer.get("finish", "stop")
        return completion_from_message(text, finish_reason=finish, prompt_tokens=10, completion_tokens=1)

    store = InMemoryStore()
    agent = Agent("agent", instructions="Work.", driver=driver, model=model)
    runtime = Runtime(App(name="test", agents=(agent,)), store=store, directory=find_superuser)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), answers) == ("whole", [])
    usages = [item for item in await items_of(store, result.run) if item.kind == "usage"]
    assert len(usages) == 2
    assert (await runtime.replay(result.run)).is_identical


@BOTH
async def test_a_refused_request_is_not_repeated_and_fails_the_run(driver: AgentDriver) -> None:
    world = Effects(driver)
    result = await world.runtime(ModelRefusedError("bad key"), "never").run("go", by=superuser())
    assert (result.status, len(world.script.requests)) == ("failed", 1)
    assert sum(isinstance(item, ModelFailure) for item in await items_of(world.store, result.run)) == 1


async def test_retries_of_a_model_that_keeps_failing_are_paid_from_a_bucket() -> None:
    asked = 0

    async def fail() -> str:
        nonlocal asked
        asked += 1
        raise ModelUnavailableError("down")

    retry = RetryModel(base_delay=0.0)
    for _ in range(200):
        with pytest.raises(ModelUnavailableError):
            await retry.repeat(fail, lambda _: False)
    assert asked == 200 + 100


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"attempts": 0}, "RetryModel: attempts is 0; give a whole number of at least 1"),
        ({"base_delay": 3.0, "max_delay": 1.0}, "base_delay must be at most max_delay"),
        ({"max_delay": float("inf")}, "RetryModel: max_delay is inf; give a finite number"),
    ],
)
def test_retries_of_models_need_sensible_numbers(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        RetryModel(**wrong)


@BOTH
async def test_an_answer_that_takes_too_long_in_all_lets_the_run_rest(driver: AgentDriver) -> None:
    async def drip(request: ChatRequest, /) -> Completion:
        for _second in range(10_000):  # as if a byte came now and then
            await asyncio.sleep(1)
        return await Scripted(["at last"])(request)

    loop = asyncio.get_running_loop()
    agent = Agent("agent", instructions="Work.", model=drip, driver=driver)
    runtime = Runtime(App(name="test", agents=(agent,)), limits=Limits(reply_seconds=40), clock=loop.time)
    began = loop.time()
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.reason) == (
        "stalled",
        "MODEL_UNAVAILABLE: the model did not finish its answer within 40 seconds",
    )
    assert 3 * 40 <= loop.time() - began < 3 * 40 + 2 * 20


@pytest.mark.parametrize(
    ("asked", "waits"),
    [(0.0, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), (5.0, [5.0, 5.0, 5.0, 8.0, 16.0, 32.0]), (-1.0, [60.0, 120.0, 240.0])],
)
async def test_a_provider_that_asks_for_no_time_is_asked_ever_more_rarely(asked: float, waits: list[float]) -> None:
    busy = ModelBusyError("again", retry_after=asked)
    world = Effects(NativeDriver(), layers=(RetryModel(attempts=1),))
    result = await world.runtime(busy).run("go", by=superuser())
    found = [result.retry_at - world.now()]
    for _ in waits[1:]:
        await asyncio.sleep(found[-1])
        result = await world.runtime(busy).resume(result.run)
        found.append(result.retry_at - world.now())
    assert found == waits


async def test_the_pause_before_the_next_request_grows_whatever_the_provider_asks_for() -> None:
    world = Effects(NativeDriver(), layers=(RetryModel(attempts=3, base_delay=2, jitter=lambda: 1.0),))
    begun = world.now()
    result = await world.runtime(*[ModelBusyError("again", retry_after=0)] * 2, "done").run("go", by=superuser())
    assert (result.value(), world.now() - begun) == ("done", 6.0)


@BOTH
@pytest.mark.parametrize(
    ("asked", "seconds"), [(1e15, 3600), (float("inf"), 3600), (float("nan"), 60), (-5.0, 60), (3599.0, 3599)]
)
async def test_a_provider_that_asks_for_ages_is_asked_again_in_an_hour(
    driver: AgentDriver, asked: float, seconds: float
) -> None:
    busy = ModelBusyError("come back later", retry_after=asked)
    world = Effects(driver)
    result = await world.runtime(*[busy] * 9).run("go", by=superuser())
    assert (result.status, result.retry_at - world.now()) == ("stalled", seconds)


def connection_lost() -> Exception:
    return ExceptionGroup("two attempts", [ConnectionResetError("reset"), ExceptionGroup("", [TimeoutError("late")])])


def refused_once_and_lost_once() -> Exception:
    return ExceptionGroup("two attempts", [ConnectionResetError("reset"), ModelRefusedError("no")])


OUTAGES: dict[str, tuple[Callable[[], Any], str]] = {
    "a page": (lambda: completion_from_message("<html>502 Bad Gateway</html>"), "'<html>502 Bad Gateway</html>'"),
    "a list": (lambda: completion_from_message("[]"), "the model answered '[]', which is not the JSON of a message"),
    "odd calls": (
        lambda: completion_from_message('{"role":"assistant","tool_calls":[5]}'),
        "not the JSON of a message",
    ),
    "a group": (connection_lost, "the model failed: ConnectionResetError: reset"),
    "a cut body": (lambda: http.client.IncompleteRead(b"half", 7), "IncompleteRead"),
    "a broken record": (lambda: ssl.SSLError("bad record"), "SSLError"),
    "a certificate": (lambda: ssl.SSLCertVerificationError("self-signed"), "SSLCertVerificationError"),
    "an access error in a group": (lambda: ExceptionGroup("", [ModelAccessError("wrong key")]), "wrong key"),
}


@pytest.mark.parametrize("name", OUTAGES)
async def test_what_a_model_of_an_application_meets_lets_the_run_rest(name: str) -> None:
    meet, said = OUTAGES[name]

    async def model(_request: ChatRequest) -> Completion:
        met = meet()
        if isinstance(met, Exception):
            raise met
        return met

    runtime = Runtime(App(name="bank", agents=(Agent("teller", instructions="Help.", model=model),)))
    result = await runtime.run("go", by=superuser())
    assert (result.status, said in result.reason) == ("stalled", True)


async def test_a_group_with_an_error_that_would_come_again_ends_the_run() -> None:
    async def model(_request: ChatRequest) -> Completion:
        raise refused_once_and_lost_once()

    runtime = Runtime(App(name="bank", agents=(Agent("teller", instructions="Help.", model=model),)))
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.reply and result.reply.error and result.reply.error.code) == (
        "failed",
        "MODEL_REFUSED",
    )
