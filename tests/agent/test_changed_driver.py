"""A run may change its driver: both record the same answers alike, and either goes on where the other stopped."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Risk, Runtime
from remit.agent import AgentLimits
from remit.agent.stop import HasText, TurnsUsed
from remit.journal.codec import encode_item
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import DRIVERS, Found, look, result_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser

VALID = calls(result_of())
ANSWERS: dict[str, Any] = {
    "a text": "It is about.",
    "text and a call": {**calls(("look", {"page": "a"})), "content": "Let me look."},
    "parallel calls": calls(("look", {"page": "a"}), ("write", {"text": "a"}), ("look", {"page": "b"})),
    "a repeated call": calls(("look", {"page": "a"})),
    "invalid arguments": calls(("look", {"page": 1}), ("write", "[1]"), ("look", '{"page"')),
    "arguments of no text": calls(("look", "")),
    "an unknown tool": calls(("looks", {"page": "a"}), ("", {})),
    "an unknown handoff": calls(("handoff_to_nobody", {"reason": "x"})),
    "a result beside calls": calls(("write", {"text": "b"}), result_of(), ("look", {"page": "c"})),
    "an invalid result": calls(result_of(words="many")),
    "a result without arguments": calls(("final_result", "")),
    "two results": calls(result_of(words="many"), result_of("first"), result_of("second"), result_of(words="no")),
    "two invalid results": calls(result_of(words="many"), ("final_result", "[]")),
    "JSON": '{"page": "about", "words": 3}',
    "invalid JSON": '{"page": "about"}',
    "the same id": {**calls(("look", {"page": "a"}), ("look", {"page": "b"}))},
    "half a pair": calls(("look", '{"page": "\ud800"}')),
    "a refusal": {"role": "assistant", "content": None, "refusal": "I will not."},
    "empty": "",
}
ANSWERS["the same id"]["tool_calls"][1]["id"] = ANSWERS["the same id"]["tool_calls"][0]["id"]

KINDS: dict[str, dict[str, Any]] = {
    "text": {},
    "typed": {"output": Found, "output_mode": "tool", "retries": 2},
    "JSON": {"output": Found, "output_mode": "native", "retries": 2},
    "no object": {"output": list[int], "output_mode": "tool"},
    "stopped by text": {"stop": HasText("about") | TurnsUsed(3)},
    "stopped by turns": {"output": Found, "output_mode": "tool", "retries": 3, "stop": TurnsUsed(2)},
    "few turns": {"output": Found, "limits": AgentLimits(turns=2), "retries": 3},
    "few calls": {"limits": AgentLimits(tool_calls=2, repeats=1)},
}


def runtime_with(driver: str, script: Sequence[Any], store: Any, clock: Clock, world: World, kind: str) -> Runtime:
    """A process with an agent of a kind, whose model gives the answers of a script and then a text."""
    tools = [look, world.write(), world.write("danger", risk=Risk.HIGH)]
    agent = Agent("agent", instructions="Work.", tools=tools, driver=DRIVERS[driver], **KINDS[kind])
    model = Scripted([*script, "It is about."])
    return Runtime(App(name="test", agents=(agent,)), model=model, store=store, clock=clock, directory=find_superuser)


async def recorded(store: Any, run: str) -> list[tuple[str, str]]:
    """What the journal holds of a run, without what each execution has of its own. Call ids are numbered."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found.group(), f"call {len(numbers)}")

    items = [position.item for position in await store.read(run)]
    kept = [item for item in items if item.kind not in ("opened", "resumed", "stalled", "suspended")]
    texts = [re.sub(r'"retry_at":[0-9.]+', "", item.call + encode_item(item)).replace(run, "RUN") for item in kept]
    return [(item.kind, re.sub(r"\b[0-9a-f]{32}\b", number, text)) for item, text in zip(kept, texts, strict=True)]


PAIRS = [(first, second) for index, first in enumerate(ANSWERS) for second in list(ANSWERS)[index % 13 :: 13]]


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.looptime
@pytest.mark.parametrize("kind", KINDS)
async def test_both_drivers_record_the_same_of_any_answers_and_replay_one_another(kind: str) -> None:
    for names in PAIRS:
        script, found = [*(ANSWERS[name] for name in names), VALID], list[Any]()
        for driver in DRIVERS:
            world, store = World(), InMemoryStore(Clock())
            runtime = runtime_with(driver, script, store, Clock(), world, kind)
            result = await runtime.run("go", by=superuser())
            found.append((result.status, result.text, sorted(world.texts), await recorded(store, result.run)))
            for replaying in DRIVERS:
                report = await runtime_with(replaying, script, store, Clock(), World(), kind).replay(result.run)
                assert report.difference == "", (names, driver, replaying)
            assert history_errors(await runtime.history(result.run)) == [], (names, driver)
        assert found[0] == found[1], names


WHOLE = {
    "text": ["text and a call", "parallel calls", "an unknown tool", "a text"],
    "typed": ["a text", "text and a call", "two invalid results", "a result beside calls"],
    "JSON": ["invalid JSON", "parallel calls", "JSON"],
}


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.looptime
@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize(("one", "other"), [("native", "pydantic-ai"), ("pydantic-ai", "native")])
async def test_a_run_interrupted_at_any_item_goes_on_with_the_other_driver(one: str, other: str, kind: str) -> None:
    script = [ANSWERS[name] for name in WHOLE[kind]]
    whole = InMemoryStore(Clock())
    ended = await runtime_with(one, script, whole, Clock(), World(), kind).run("go", by=superuser())
    for append, after in itertools.product(range(1, 100), (False, True)):
        clock, world = Clock(), World()
        store = Mortal(clock)
        store.die_at(append, after=after)
        try:
            result = await runtime_with(one, script, store, clock, world, kind).run("go", by=superuser())
        except Crash:
            clock.now += 1_000
            store.revive()
        else:
            assert (result.text, append > 5) == (ended.text, True)
            return
        if not (rows := await store.list_runs()):
            continue
        run = rows[0].run
        result = await runtime_with(other, script, store, clock, world, kind).resume(run)
        assert (result.status, result.text) == ("done", ended.text)
        assert not any(kind == "mismatch" for kind, _ in await recorded(store, run))
        for replaying in DRIVERS:
            report = await runtime_with(replaying, script, store, clock, World(), kind).replay(run)
            assert report.difference == "", (append, after, replaying)
        assert history_errors(await runtime_with(other, script, store, clock, world, kind).history(run)) == []
    pytest.fail("it never came to its end")
