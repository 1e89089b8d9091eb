"""A run starts from a history that was saved elsewhere: it is checked at the door, journaled, and read as any other."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from remit import Agent, App, LeafContext, Principal, Runtime, tool
from remit.agent import Compaction, NativeDriver
from remit.chat.wire import ModelText
from remit.errors import IdempotencyError, RequestConflictError, RequestError, SetupError
from remit.items import GivenMessage, RunOpened
from remit.messages import ChatRequest, decode_message, encode_message
from remit.record.arguments import Limits
from remit.runtime import RunResult
from remit.secrets import Secret
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of

ADA = superuser()
HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "Is the shop open on Monday?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"day":"Monday"}'}},
            {"id": "b", "type": "function", "function": {"name": "gone", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "content": "9 to 18", "tool_call_id": "a"},
    {"role": "tool", "tool_call_id": "b", "content": "nothing"},
    {"role": "assistant", "content": "From 9 to 18."},
]
BOTH = pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=["native", "pydantic-ai"])


def script(*answers: Any, given: int = 2) -> Scripted:
    """A model that answers after as many answers of a given history: it counts those in its request."""
    return Scripted([*["given"] * given, *answers])


class Shop:
    """A shop with one tool, whose calls are counted."""

    def __init__(self, driver: Any = None, *, model: Scripted | None = None, **options: Any) -> None:
        self.looked: list[str] = []

        @tool(effect="keyed")
        async def look(ctx: LeafContext, day: str) -> str:
            """Look up the opening hours."""
            self.looked.append(f"{day} {bool(ctx.key)}")
            return "10 to 16"

        self.model = model or script(calls(("look", {"day": "Sunday"})), "From 10 to 16.")
        agent = Agent("clerk", instructions="Help.", tools=[look], driver=driver or NativeDriver(), model=self.model)
        options.setdefault("store", InMemoryStore(Clock()))
        self.runtime = Runtime(App(name="shop", agents=(agent,)), directory=find_superuser, **options)

    @property
    def first_request(self) -> list[dict[str, Any]]:
        """The messages of the first request."""
        return [{**decode_message(text)} for text in self.model.requests[0].history]


@BOTH
async def test_a_run_starts_from_a_saved_history(driver: Any) -> None:
    shop = Shop(driver)
    result = await shop.runtime.run("And on Sunday?", by=ADA, messages=HISTORY, conversation="c")
    assert result.value() == "From 10 to 16."
    assert shop.looked == ["Sunday True"]
    assert shop.first_request == [
        {"role": "system", "content": "Help."},
        *HISTORY,
        {"role": "user", "content": "And on Sunday?"},
    ]
    history = await shop.runtime.history(result.run)
    assert [decode_message(text) for text in history[:5]] == HISTORY
    assert history_errors(history) == []
    report = await shop.runtime.replay(result.run)
    assert (report.difference, report.is_identical) == ("", True)
    items = await items_of(shop.runtime.store, result.run)
    assert isinstance(items[0], RunOpened)
    assert items[0].history
    assert [type(each) for each in items[1:6]] == [GivenMessage] * 5


async def test_a_conversation_goes_on_from_it_and_cannot_be_given_another() -> None:
    shop = Shop(model=script("Yes.", "You are welcome.", given=1))
    await shop.runtime.run("Really?", by=ADA, messages=HISTORY[:1] + HISTORY[4:], conversation="c")
    second = await shop.runtime.run("Thank you", by=ADA, conversation="c")
    texts = [decode_message(text).get("content") for text in await shop.runtime.history(second.run)]
    assert texts == [
        "Is the shop open on Monday?",
        "From 9 to 18.",
        "Really?",
        "Yes.",
        "Thank you",
        "You are welcome.",
    ]
    assert (await shop.runtime.replay(second.run)).is_identical
    with pytest.raises(RequestConflictError, match="conversation 'c' has begun, so it has a history"):
        await shop.runtime.run("Hi", by=ADA, messages=HISTORY, conversation="c")


async def test_an_id_that_not_every_provider_takes_becomes_another_for_the_call_and_its_result() -> None:
    shop = Shop(model=script("Yes."))
    text = json.dumps(HISTORY).replace('"a"', f'"{"a" * 100}"').replace('"b"', f'"{"a" * 99}"')
    await shop.runtime.run("Really?", by=ADA, messages=json.loads(text))
    ids = [call["id"] for each in shop.first_request for call in each.get("tool_calls", ())]
    assert ids == [each["tool_call_id"] for each in shop.first_request if each["role"] == "tool"]
    assert len(set(ids)) == 2
    assert all(len(each) <= 40 for each in ids)


def make_messages(*ids: str) -> list[dict[str, Any]]:
    """A message that makes calls with these ids, and their results, last first."""
    calls = [{"id": each, "type": "function", "function": {"name": "look", "arguments": "{}"}} for each in ids]
    replies = [{"role": "tool", "tool_call_id": each, "content": f"saw {each!r}"} for each in reversed(ids)]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *replies]


@pytest.mark.parametrize(
    "turns",
    [
        [("x" * 41,), ("call00000",)],
        [("x" * 41, "call00000")],
        [("call00000", "call00001"), ("é", "x" * 50)],
        [("a",), ("a", "call00000"), ("a", "call00001")],
        [("c\0",), ("c d",), ("c\n", "\u2028")],
    ],
)
async def test_an_id_that_becomes_another_is_that_of_no_other_call(turns: list[tuple[str, ...]]) -> None:
    shop = Shop(model=script("Yes."))
    messages = [each for ids in turns for each in make_messages(*ids)]
    await shop.runtime.run("Really?", by=ADA, messages=[{"role": "user", "content": "Hi"}, *messages])
    sent = shop.first_request
    assert not list(history_errors(map(json.dumps, sent)))
    ids = [call["id"] for each in sent for call in each.get("tool_calls", ())]
    given = [each for turn in turns for each in turn]
    assert len(set(ids)) == len(given)
    said = {each["tool_call_id"]: each["content"] for each in sent if each["role"] == "tool"}
    assert [said[each] for each in ids] == [f"saw {each!r}" for each in given]


async def test_without_a_prompt_the_agent_is_asked_the_last_message() -> None:
    shop = Shop(model=script("Yes."))
    result = await shop.runtime.run(messages=[*HISTORY, {"role": "user", "content": "Sure?"}], by=ADA)
    assert result.value() == "Yes."
    assert [each["content"] for each in shop.first_request[-2:]] == ["From 9 to 18.", "Sure?"]
    with pytest.raises(RequestError, match="messages does not end with a user message; give the question"):
        await shop.runtime.run(messages=HISTORY, by=ADA)
    with pytest.raises(SetupError, match="prompt is None; give a string"):
        await shop.runtime.run(by=ADA)
    with pytest.raises(
        RequestError, match=r"messages\[0\] contains the character NUL, which a prompt cannot hold; leave it out"
    ):
        await shop.runtime.run(by=ADA, messages=[{"role": "user", "content": "a\0b"}])


async def test_the_history_of_a_run_is_the_start_of_another_to_the_byte() -> None:
    first = Shop(model=Scripted(["9 to 18"]))
    ended = await first.runtime.run("When?", by=ADA)
    saved = [*await first.runtime.history(ended.run)]
    saved[1] = ModelText('{"role":"assistant","content":"9 to 18","reasoning":"long"}', "elsewhere:m")
    shop = Shop(model=script("Yes.", given=1))
    result = await shop.runtime.run("Sure?", by=ADA, messages=saved)
    history = await shop.runtime.history(result.run)
    assert history[:2] == saved
    assert isinstance(history[1], ModelText)
    assert '"reasoning"' not in shop.model.requests[0].for_model("test").history[2]
    plain = await shop.runtime.run("Sure?", by=ADA, messages=[*map(str, saved)], idempotency_key="x")
    assert json.loads((await shop.runtime.history(plain.run))[1]) == json.loads(saved[1])
    assert '"reasoning"' not in shop.model.requests[1].for_model("test").history[2]


@BOTH
async def test_a_given_history_is_compacted_as_any_other(driver: Any) -> None:
    def answer(request: ChatRequest) -> str:
        return "a summary" if "summarise" in request.history[0] else "short"

    settings = Compaction(tokens=600, keep=100)
    model = Scripted([answer] * 20)
    agent = Agent("clerk", instructions="Help.", driver=driver, model=model, compaction=settings)
    runtime = Runtime(App(name="shop", agents=(agent,)))
    history = [{"role": role, "content": f"{at} " + "x" * 400} for at in range(4) for role in ("user", "assistant")]
    first = await runtime.run("one", by=ADA, messages=history, conversation="c")
    sent = [*model.requests[-1].history][1:]
    assert len(sent) < len(history)
    assert (await runtime.history(first.run))[:-1] == sent
    second = await runtime.run("two", by=ADA, conversation="c")
    for result in (first, second):
        assert (await runtime.replay(result.run)).is_identical
        assert history_errors(await runtime.history(result.run)) == []


@pytest.mark.parametrize("way", ["client", "submit", "stream", "queue"])
async def test_every_way_to_run_takes_a_history(way: str) -> None:
    shop = Shop(model=script("Yes."))
    client = shop.runtime.client(ADA)
    if way == "client":
        run = (await client.run("Sure?", messages=HISTORY)).run
    elif way == "queue":
        run = (await client.run("Sure?", messages=HISTORY, conversation="c", when_busy="queue")).run
    elif way == "submit":
        run = await client.submit("Sure?", messages=HISTORY)
        assert (await shop.runtime.resume(run)).value() == "Yes."
    else:
        events = [event async for event in shop.runtime.stream("Sure?", by=ADA, messages=HISTORY)]
        run = next(each.run for each in events if isinstance(each, RunResult))
    assert shop.first_request[1:6] == HISTORY
    assert (await shop.runtime.replay(run)).is_identical


async def test_a_run_with_a_history_survives_a_crash_at_every_append() -> None:
    for append in range(1, 9):
        clock = Clock()
        store = Mortal(clock)
        shop = Shop(store=store, clock=clock)
        store.die_at(append, after=True)
        with contextlib.suppress(Crash):
            await shop.runtime.run("And on Sunday?", by=ADA, messages=HISTORY, idempotency_key="k")
        store.revive()
        clock.now += 60
        result = await shop.runtime.run("And on Sunday?", by=ADA, messages=HISTORY, idempotency_key="k")
        assert (result.value(), shop.looked) == ("From 10 to 16.", ["Sunday True"])
        assert shop.first_request[1:6] == HISTORY
        assert (await shop.runtime.replay(result.run)).is_identical


async def test_a_repeated_request_is_one_with_the_same_history() -> None:
    shop = Shop(model=script("Yes."))
    ask = shop.runtime.run
    first = await ask("Sure?", by=ADA, messages=HISTORY, idempotency_key="k", conversation="c")
    assert (await ask("Sure?", by=ADA, messages=HISTORY, idempotency_key="k", conversation="c")).run == first.run
    for other in (HISTORY[:1], []):
        with pytest.raises(IdempotencyError):
            await ask("Sure?", by=ADA, messages=other, idempotency_key="k", conversation="c")


async def test_a_secret_in_a_history_is_redacted_and_one_that_is_erased_leaves_it_valid() -> None:
    Secret("test:given", "sk-given-in-a-history")
    history = [*HISTORY, {"role": "user", "content": "the key is sk-given-in-a-history"}]
    shop = Shop(model=script("Yes."))
    result = await shop.runtime.run("Sure?", by=ADA, messages=history, conversation="c")
    assert shop.first_request[6]["content"] == "the key is [secret test:given]"
    assert "sk-given" not in str(await items_of(shop.runtime.store, result.run))
    await shop.runtime.store.erase(result.run, [2, 4])
    left = await shop.runtime.history(result.run)
    assert history_errors(left) == []
    assert [decode_message(each)["role"] for each in left] == ["user", "assistant", "user", "user", "assistant"]
    assert not (await shop.runtime.replay(result.run)).is_identical


def without(index: int) -> list[dict[str, Any]]:
    return HISTORY[:index] + HISTORY[index + 1 :]


def changed(index: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**each, **fields} if at == index else each for at, each in enumerate(HISTORY)]


TWICE = [{**HISTORY[1]["tool_calls"][0]}, {**HISTORY[1]["tool_calls"][0]}]
REFUSED: dict[str, tuple[Any, str]] = {
    "no list": ("go", "messages is 'go'; give a list"),
    "no message": ([5], r"messages\[0\] is 5; give a message, such as {'role': 'user', 'content': '…'}"),
    "no JSON": (["hello"], r"messages\[0\] is 'hello'; give a message"),
    "a list as JSON": (["[]"], r"messages\[0\] is '\[\]'; give a message"),
    "too deep": (["[" * 100_000], r"messages\[0\] is '\[\[.*; give a message"),
    "an object in a message": ([{"role": "user", "content": "x", "more": object()}], r"messages\[0\] is not JSON"),
    "instructions": ([{"role": "system", "content": "x"}], r"messages\[0\] is a message of the system; leave it out"),
    "a role": ([{"role": "clerk", "content": "x"}], r"messages\[0\] has the role 'clerk'; give one of user, assistant"),
    "no role": ([{"content": "x"}], r"messages\[0\] has the role None"),
    "no text": ([{"role": "user"}], r"messages\[0\] has the content None; give a text"),
    "no parts": ([{"role": "user", "content": []}], r"messages\[0\] has the content \[\]; give a text"),
    "a function": (
        [{"role": "assistant", "content": None, "function_call": {"name": "x", "arguments": "{}"}}],
        r"messages\[0\] has a function_call; give it as one of tool_calls, with an id",
    ),
    "calls that are no list": (changed(1, tool_calls=3), r"messages\[1\]: a message: tool_calls is 3; give a list"),
    "a call without an id": (changed(1, tool_calls=[{"function": {"name": "x"}}]), "a call without an id or a name"),
    "a call without a name": (changed(1, tool_calls=[{"id": "x"}]), "a call without an id or a name; give both"),
    "two calls with one id": (changed(1, tool_calls=TWICE), r"messages\[1\] has two calls with the same id"),
    "a result without an id": (changed(2, tool_call_id=""), r"messages\[2\] is a result without tool_call_id"),
    "a result without its call": (without(1), r"messages\[1\] is the result of a call 'a' that the preceding message"),
    "a second result": (
        changed(3, tool_call_id="a"),
        r"messages\[3\] is the result of a call 'a' .* or that already has a result",
    ),
    "a call without its result": (
        without(3),
        r"messages\[1\] has a call 'b' without its result; add {'role': 'tool', ",
    ),
    "half a call at the end": (HISTORY[:3], r"messages\[1\] has a call 'b' without its result"),
    "too long": ([{"role": "user", "content": "x" * 3_000}], r"the messages are 3,0\d\d bytes long; at most 2,000"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_history_that_no_provider_would_accept_is_refused(case: str) -> None:
    messages, said = REFUSED[case]
    shop = Shop(limits=Limits(argument_bytes=2_000))
    with pytest.raises((RequestError, SetupError), match=said) as raised:
        await shop.runtime.run("go", by=ADA, messages=messages)
    assert "\n" not in raised.value.message
    assert await shop.runtime.store.list_runs() == []


LEGAL: dict[str, Callable[[], list[Any]]] = {
    "none": list,
    "parts of text": lambda: [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
    "spaces in JSON": lambda: [json.dumps(each) for each in HISTORY],
    "wire texts": lambda: [encode_message(each) for each in HISTORY],
    "results in another order": lambda: [*HISTORY[:2], HISTORY[3], HISTORY[2]],
    "fields of a vendor": lambda: changed(4, reasoning_content="hm", refusal=None, annotations=[]),
}


@BOTH
@pytest.mark.parametrize("case", LEGAL)
async def test_a_history_that_providers_accept_is_taken(case: str, driver: Any) -> None:
    messages = LEGAL[case]()
    shop = Shop(
        driver, model=script("Yes.", given=str(messages).count("'assistant'") or str(messages).count('"assistant"'))
    )
    result = await shop.runtime.run("go", by=Principal("ada"), messages=messages)
    assert history_errors(await shop.runtime.history(result.run)) == []
    assert (await shop.runtime.replay(result.run)).is_identical
    assert not any("reasoning_content" in each for each in shop.first_request)
