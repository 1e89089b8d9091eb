"""The window that a refusal states is read from the journal: by the rest of its run, and by later runs elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Runtime, tool
from remit.agent import AgentDriver, Compaction, ToolSearch
from remit.agent.model_window import read_window
from remit.chat.chat import ChatRequest, Completion, completion_from_message
from remit.errors import ContextLengthError
from remit.layers import Fallback
from remit.record.items import HistoryCompacted, Item, ModelFailure, Note
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import calls, superuser
from tests.agent.both import BOTH
from tests.agent.test_model_window import make_tools
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser

WINDOW = 1_500
STATED = f"m answered 400: This model's maximum context length is {WINDOW:,} tokens. However, you sent more."


class Strict:
    """Searches a tool for each message, calls it and answers. Says nothing of its window until it refuses."""

    vendor = "test"

    def __init__(self, *, model: str = "strict", window: int = WINDOW, refusal: str = STATED) -> None:
        self.model, self._window, self._refusal = model, window, refusal
        self.requests, self.refused_count = list[ChatRequest](), 0

    async def __call__(self, request: ChatRequest, /) -> Completion:
        self.requests.append(request)
        if size_of(request) > self._window:
            self.refused_count += 1
            raise ContextLengthError(self._refusal)
        return completion_from_message(json.dumps({"role": "assistant", **self._answer(request)}))

    def _answer(self, request: ChatRequest) -> dict[str, Any]:
        last = json.loads(request.history[-1])
        if last["role"] == "user" and last["content"].startswith("word"):
            answer = calls(("search_tools", {"query": last["content"]}))
        elif last["role"] == "tool" and last["tool_call_id"].startswith("found"):
            answer = calls((next(iter(json.loads(last["content"]))), {"text": "x"}))
        else:
            return {"content": "done"}
        wire = "found" if "search" in str(answer) else "made"
        answer["tool_calls"][0]["id"] = f"{wire}_{len(request.history)}_{request.turn}"
        return answer


def size_of(request: ChatRequest) -> int:
    return (sum(map(len, request.history)) + len(request.tools.text)) // 4


def agent_of(model: Any, *, finds: int = 1, **options: Any) -> Agent:
    """An agent with twelve tools, of which a search finds so many."""
    search = ToolSearch(above=2, limit=finds)
    return Agent("agent", instructions="Work.", tools=make_tools(12), tool_search=search, model=model, **options)


def runtime_of(driver: AgentDriver, model: Any, store: InMemoryStore, **options: Any) -> Runtime:
    return Runtime(App(name="test", agents=(agent_of(model, driver=driver, **options),)), store=store)


async def live(driver: AgentDriver, models: Sequence[Any], **options: Any) -> list[RunResult[Any]]:
    """A message to each model, each in a runtime of its own: a conversation that goes on in other processes."""
    store, runs = InMemoryStore(), list[RunResult[Any]]()
    for number, model in enumerate(models):
        runtime = runtime_of(driver, model, store, **options)
        runs.append(await runtime.run(f"word{number % 12}", by=superuser(), conversation="day"))
    for run in runs:
        report = await runtime_of(driver, Strict(window=1), store, **options).replay(run.run)
        assert report.is_identical, report.difference
    return runs


def refusals(run: RunResult[Any]) -> list[Item]:
    return [item for item in run.items if isinstance(item, ModelFailure)]


@BOTH
async def test_a_conversation_is_refused_once_though_every_message_has_a_new_model_object(driver: AgentDriver) -> None:
    models = [Strict() for _ in range(14)]
    runs = await live(driver, models)
    assert [run.status for run in runs] == ["done"] * 14
    assert sum(model.refused_count for model in models) == 1
    learnt = next(number for number, run in enumerate(runs) if refusals(run))
    noted = [[item.data for item in run.items if isinstance(item, Note)] for run in runs]
    assert noted == [[]] * (learnt + 1) + [['{"model":"test:strict","tokens":1500}']] * (13 - learnt)


@BOTH
async def test_a_refusal_without_a_number_has_definitions_leave_as_well(driver: AgentDriver) -> None:
    models = [Strict(refusal="the prompt is too long") for _ in range(10)]
    runs = await live(driver, models)
    assert [run.status for run in runs] == ["done"] * 10
    shortened = [item for run in runs for item in run.items if isinstance(item, HistoryCompacted)]
    assert len(shortened) == sum(model.refused_count for model in models) > 0


@BOTH
async def test_a_refused_request_is_sent_again_once_with_fewer_definitions_and_the_same_messages(
    driver: AgentDriver,
) -> None:
    model = Strict()
    runtime = Runtime(App(name="test", agents=(agent_of(model, driver=driver, finds=12),)))
    result = await runtime.run("word work care done", by=superuser())
    assert result.status == "done"
    assert model.refused_count == 1
    first, again, *_ = model.requests[1:]
    assert [*again.history] == [*first.history]
    assert len(first.tools.names) == 13
    assert set(again.tools.names) < set(first.tools.names)
    [item] = [item for item in result.items if isinstance(item, HistoryCompacted)]
    assert (item.turn, item.refused, item.kept, item.head, item.notes) == (2, True, None, (), ())
    assert (await runtime.replay(result.run)).is_identical


@BOTH
async def test_the_window_of_one_model_is_not_heeded_for_another(driver: AgentDriver) -> None:
    small = [Strict() for _ in range(8)]
    large = [Strict(model="large", window=100_000) for _ in range(2)]
    last = [Strict() for _ in range(2)]
    runs = await live(driver, [*small, *large, *last])
    assert [run.status for run in runs] == ["done"] * 12
    assert sum(model.refused_count for model in small) == 1
    assert len(large[-1].requests[-1].tools.names) > 6 > len(small[-1].requests[-1].tools.names)
    assert sum(model.refused_count for model in last) == 0


@BOTH
async def test_what_a_model_says_itself_is_heeded_rather_than_what_was_learnt(driver: AgentDriver) -> None:
    small, wider = [Strict() for _ in range(8)], Strict(window=100_000)
    wider.context_tokens = 100_000  # type: ignore[attr-defined]
    runs = await live(driver, [*small, wider])
    assert [item.data for item in runs[-1].items if isinstance(item, Note)] == [
        '{"model":"test:strict","tokens":100000}'
    ]


@BOTH
async def test_another_agent_of_the_run_does_not_heed_the_window_of_the_one_that_handed_over(
    driver: AgentDriver,
) -> None:
    long = json.dumps({"content": "long " * 2_000})

    def answer(request: ChatRequest) -> dict[str, Any]:
        handed = any("handoff_to_wide" in text for text in request.history)
        return json.loads(long) if handed else calls(("handoff_to_wide", {"reason": "more"}))

    narrow, wide = Strict(window=1_200, refusal="maximum context length is 1200"), Strict(model="wide", window=10_000)
    narrow._answer = answer  # type: ignore[method-assign]
    wide._answer = answer  # type: ignore[method-assign]
    second = Agent("wide", instructions="Work.", driver=driver, model=wide)
    first = Agent("narrow", instructions="Work.", driver=driver, model=narrow, handoffs=["wide"])
    runtime = Runtime(App(name="test", agents=(first, second)))
    talk = [{"role": role, "content": f"{role} {number} " + "word " * 100} for number in range(12) for role in ROLES]
    result = await runtime.run("go", by=superuser(), messages=talk)
    assert result.status == "done", result.text
    assert narrow.refused_count == 1
    compacted = [item.turn for item in result.items if isinstance(item, HistoryCompacted)]
    assert compacted == [1]
    assert (await runtime.replay(result.run)).is_identical


ROLES = ("user", "assistant")


@BOTH
async def test_a_model_that_another_stands_in_for_teaches_no_window(driver: AgentDriver) -> None:
    models = [Strict() for _ in range(9)]
    stand_in = Strict(model="large", window=100_000)
    store = InMemoryStore()
    for number, model in enumerate(models):
        agent = agent_of(model, driver=driver).layer(Fallback(stand_in))
        runtime = Runtime(App(name="test", agents=(agent,)), store=store)
        run = await runtime.run(f"word{number % 12}", by=superuser(), conversation="day")
        assert run.status == "done"
        assert (await runtime.replay(run.run)).is_identical
        assert not [item for item in run.items if isinstance(item, Note)]
    assert stand_in.requests


@BOTH
@pytest.mark.parametrize("append", range(1, 14))
async def test_a_crash_at_any_point_of_a_refusal_changes_nothing(driver: AgentDriver, append: int) -> None:
    store = Mortal(clock := Clock())
    app = App(name="test", agents=(agent_of(Strict(), driver=driver, finds=12),))

    def runtime() -> Runtime:
        return Runtime(app, store=store, clock=clock, directory=find_superuser)

    store.die_at(append, after=True)
    try:
        result = await runtime().run("word work care done", by=superuser())
    except Crash:
        store.revive()
        clock.now += 60
        [row] = await store.list_runs()
        result = await runtime().resume(row.run)
    assert result.status == "done", result.text
    assert (await runtime().replay(result.run)).is_identical


async def test_a_tool_s_own_note_of_that_name_is_no_window() -> None:
    @tool(effect="pure")
    async def note(ctx: Any) -> str:
        """Note."""
        ctx.emit("window of the model of agent", {"tokens": 2_000})
        return "noted"

    class Once(Strict):
        def _answer(self, request: ChatRequest) -> dict[str, Any]:
            return {"content": "done"} if '"tool"' in request.history[-1] else calls(("note", {}))

    store = InMemoryStore()
    for _ in range(2):
        agent = Agent("agent", instructions="Work.", tools=[note], model=Once())
        run = await Runtime(App(name="test", agents=(agent,)), store=store).run("go", by=superuser(), conversation="c")
        assert run.status == "done"


@BOTH
async def test_a_smaller_compaction_of_the_agent_s_own_still_counts(driver: AgentDriver) -> None:
    models = [Strict() for _ in range(8)]
    runs = await live(driver, models, compaction=Compaction(tokens=1_000))
    assert [run.status for run in runs] == ["done"] * 8


@pytest.mark.parametrize(
    ("said", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192),
        ("prompt is too long: 200251 tokens > 199999 maximum", 199_999),
        ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000),
        ("The input token count (1189814) exceeds the maximum number of tokens allowed (1048575).", 1_048_575),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
        ("too many tokens: total number of tokens in the prompt cannot exceed 4081", 4_081),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
        ("`inputs` tokens + `max_new_tokens` must be <= 8193", 8_193),
        ("Request body too large for gpt-4o model. Max size: 8000 tokens.", 8_000),
        ("Your request exceeded model token limit: 8192", 8_192),
        ("request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", 8_192),
        ("the context window of 32,768 tokens is exceeded", 32_768),
        ("context the overflows. However, the model is loaded with context length of only 4096 tokens", 4_096),
        ("is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model", 4_096),
        ("the request exceeds the available context size. enable context shift; n_ctx: 6000", 6_000),
        ("Request too large on tokens per minute (TPM): Limit 6000, Requested 9011", 6_000),
        ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000.", 272_000),
        ("prompt token count of 135000 exceeds the limit of 128000", 128_000),
        ("Range of input length should be [1, 98304]", 98_304),
        ("maximum context length is 512 tokens", None),
        ("prompt is too long", None),
    ],
)
def test_the_window_is_read_from_a_refusal(said: str, window: int | None) -> None:
    assert read_window(said) == window
