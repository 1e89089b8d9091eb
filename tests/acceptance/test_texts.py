"""Texts that cannot be stored are refused at every door, and made safe where a model or a tool says them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import RemitError
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from remit.tools import Limits, parse_arguments

ADA: Final = Principal("ada", permissions=frozenset({"*"}))
BOB: Final = Principal("bob", permissions=frozenset({"*"}))
UNSTORABLE: Final = {"half a surrogate pair": "a\ud800b", "NUL": "a\0b"}

Door = Callable[[Runtime, str], Awaitable[object]]


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def pay(to: str) -> str:
    """Pay."""
    return to


@tool(effect=Effect.PURE)
async def look(to: str) -> str:
    """Look."""
    return to


@tool(effect=Effect.PURE)
async def say(ctx: LeafContext, how: str) -> Any:
    """Say what cannot be stored."""
    text = "a\ud800b\0c"
    if how == "error":
        raise ValueError(text)
    if how == "note":
        ctx.log(text)
        ctx.emit(text, {text: text})
    return {"text": text, "structure": {"parts": [text]}, "error": "", "note": "noted"}[how]


def runtime_of(store: SqlStore, *answers: Any) -> Runtime:
    agent = Agent("agent", instructions="Work.", tools=[pay, look, say], model=Scripted([*answers, "done"]))
    return Runtime(App(name="office", agents=(agent,)), store=store)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqlStore]:
    opened = SqlStore.at(tmp_path / "journal.db")
    yield opened
    await opened.close()


async def decide(runtime: Runtime, text: str, **verdict: Any) -> object:
    waiting = await runtime.run("go", by=ADA)
    given: dict[str, Any] = {"approved": True, **verdict}
    return await runtime.decide(waiting.questions[0], by=BOB, **given)


async def begin(runtime: Runtime) -> Any:
    client = runtime.client(ADA)
    await client.run("go", conversation="talk")
    return client


async def rename(runtime: Runtime, conversation: str, title: str) -> None:
    await (await begin(runtime)).rename_conversation(conversation, title)


async def share(runtime: Runtime, text: str) -> None:
    await (await begin(runtime)).share_conversation("talk", text)


def grant(runtime: Runtime, **options: Any) -> Awaitable[object]:
    given: dict[str, Any] = {"principal": "ada", "count": 1, "expires_in": 60, **options}
    return runtime.grants.create("pay", by=BOB, **given)


async def build(make: Callable[[], object]) -> object:
    return make()


DOORS: Final[dict[str, Door]] = {
    "prompt": lambda runtime, text: runtime.run(text, by=ADA),
    "prompt of a client": lambda runtime, text: runtime.client(ADA).run(text),
    "conversation": lambda runtime, text: runtime.run("go", by=ADA, conversation=text),
    "idempotency key": lambda runtime, text: runtime.run("go", by=ADA, idempotency_key=text),
    "target": lambda runtime, text: runtime.run("go", by=ADA, target=text),
    "arguments in Python": lambda runtime, text: runtime.call(look, ADA, text),
    "principal": lambda _, text: build(lambda: Principal(text)),
    "tenant": lambda _, text: build(lambda: Principal("ada", text)),
    "permission": lambda _, text: build(lambda: Principal("ada", permissions=frozenset({text}))),
    "role": lambda _, text: build(lambda: Principal("ada", roles=frozenset({text}))),
    "application": lambda _, text: build(lambda: App(name=text)),
    "instructions": lambda _, text: build(lambda: Agent("agent", instructions=text)),
    "run to resume": lambda runtime, text: runtime.resume(text),
    "run to cancel": lambda runtime, text: runtime.cancel(text, by=ADA),
    "run to read": lambda runtime, text: runtime.client(ADA).status(text),
    "question": lambda runtime, text: runtime.decide(text, approved=True, by=BOB),
    "reason": lambda runtime, text: decide(runtime, text, reason=text),
    "reason to deny": lambda runtime, text: decide(runtime, text, approved=False, reason=text),
    "edited arguments": lambda runtime, text: decide(runtime, text, arguments=json.dumps({"to": text})),
    "grant's principal": lambda runtime, text: grant(runtime, principal=text),
    "grant's reason": lambda runtime, text: grant(runtime, reason=text),
    "grant's target": lambda runtime, text: grant(runtime, target=text),
    "artifact's name": lambda runtime, text: runtime.artifacts.add(b"x", by=ADA, name=text),
    "artifact's type": lambda runtime, text: runtime.artifacts.add(b"x", by=ADA, media_type=text),
    "title": lambda runtime, text: rename(runtime, "talk", text),
    "conversation to rename": lambda runtime, text: rename(runtime, text, "title"),
    "person to share with": share,
}


@pytest.mark.parametrize("kind", UNSTORABLE)
@pytest.mark.parametrize("door", DOORS)
async def test_each_door_refuses_it_and_says_which_character_to_leave_out(
    store: SqlStore, door: str, kind: str
) -> None:
    runtime = runtime_of(store, calls(("pay", {"to": "ann"})))
    with pytest.raises(RemitError) as raised:
        await DOORS[door](runtime, UNSTORABLE[kind])
    said = "the character NUL" if kind == "NUL" else "lone surrogates"
    assert re.search(
        f"give a string without {said}|contain {said}, which cannot be stored; leave that out", str(raised.value)
    )
    assert "\n" not in str(raised.value)
    assert not re.search("[\0\ud800-\udfff]", str(raised.value))


@pytest.mark.parametrize(
    "raw", [r'{"to":"a\ud800b"}', r'{"to":"a\u0000b"}', '{"to":"a\ud800b"}', r'{"a\u0000b":1,"to":"x"}']
)
async def test_arguments_of_models_and_other_callers_are_refused_in_the_same_words(store: SqlStore, raw: str) -> None:
    runtime = runtime_of(store, calls(("look", raw)))
    called = await runtime.call_by_name("look", parse_arguments(raw, Limits()), by=ADA)
    assert called.reply is not None
    assert "which cannot be stored; leave that out" in called.text
    result = await runtime.run("go", by=ADA)
    history = await runtime.history(result.run)
    assert result.text == "done"
    assert "which cannot be stored; leave that out" in history[-2]


async def test_characters_that_only_look_like_escapes_are_passed_on(store: SqlStore) -> None:
    for text in ("a\\u0000b", "a\\\\u0000b", "\\ud800", "\U0001f600", "é"):
        assert (await runtime_of(store).call(look, ADA, text)).text == text


@pytest.mark.parametrize("how", ["text", "structure", "error", "note"])
async def test_what_a_tool_says_is_made_safe(store: SqlStore, how: str) -> None:
    runtime = runtime_of(store, calls(("say", {"how": how})))
    reply = await runtime.call(say, ADA, how)
    assert "\ud800" not in reply.text
    result = await runtime.run("go", by=ADA)
    for message in await runtime.history(result.run):
        assert not re.search("[\0\ud800-\udfff]", message)
    assert result.text == "done"
    assert (await runtime.replay(result.run)).is_identical


async def test_what_a_model_says_is_made_safe(store: SqlStore) -> None:
    result = await runtime_of(store, "a\ud800b").run("go", by=ADA)
    assert (result.status, result.text) == ("done", "a\ufffdb")
