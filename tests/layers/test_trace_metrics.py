"""What requests to models and calls are measured by."""

from __future__ import annotations

import pytest

from remit.agent.model import ask_or_stream
from remit.chat.chat import History, completion_from_message, encode_message
from remit.chat.streaming import CURRENT_CHAT, AnswerSink, CurrentChat, Delta, ask_streaming
from remit.errors import ModelError, NotFoundError
from remit.journal.ledger import RunLedger
from remit.layers import Reply
from remit.layers.trace import ModelSpan, Trace, TraceModel
from remit.messages import ChatRequest, Completion
from remit.record.usage import Price
from remit.stores import InMemoryStore
from remit.testing import Scripted, call_through, make_call
from tests.call.steps import chat_request
from tests.layers.inner import Inner
from tests.layers.measures import Measures
from tests.layers.test_trace import Listening, answered, editor, find

REQUEST = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "little"}


class Answers:
    """Open answers of a run that is followed, and the pieces of the last one."""

    def __init__(self, *, is_followed: bool = True) -> None:
        self.pieces = list[str]()
        self._is_followed = is_followed

    async def open(self, call: str) -> AnswerSink | None:
        assert call == "a:1"
        return self if self._is_followed else None

    def __call__(self, delta: Delta, /) -> None:
        self.pieces.append(delta.text)

    def restart(self) -> None:
        self.pieces.clear()

    def settle(self, call: str) -> None:
        raise NotImplementedError

    def drop(self, call: str) -> None:
        raise NotImplementedError


async def test_a_model_request_is_measured_without_spans_too() -> None:
    measures = Measures()
    layer = TraceModel(meters=measures.provider, model="little", vendor="openai")
    for _ in range(2):
        await layer(answered)(await chat_request())
    found, about = measures.found(), {**REQUEST, "gen_ai.response.model": "small"}
    assert found["gen_ai.client.token.usage {token}"] == [
        ({**about, "gen_ai.token.type": "input"}, 14),
        ({**about, "gen_ai.token.type": "output"}, 6),
    ]
    assert found["remit.model.cached_tokens {token}"] == [(about, 0)]
    ((attributes, seconds),) = found["gen_ai.client.operation.duration s"]
    assert attributes == about
    assert seconds > 0


async def test_a_failed_request_is_measured_by_the_code_of_its_error() -> None:
    measures = Measures()

    async def broken(_request: ChatRequest, /) -> Completion:
        raise ModelError("refused")

    with pytest.raises(ModelError):
        await TraceModel(meters=measures.provider, model="little", vendor="openai")(broken)(await chat_request())
    assert list(measures.found()) == ["gen_ai.client.operation.duration s"]
    ((attributes, _),) = measures.found()["gen_ai.client.operation.duration s"]
    assert attributes == {**REQUEST, "error.type": "MODEL_ERROR"}


async def test_cached_tokens_and_the_cost_of_a_model_with_a_price_are_measured() -> None:
    measures = Measures()

    async def cached(_request: ChatRequest, /) -> Completion:
        text = encode_message({"role": "assistant", "content": "Hello."})
        tokens = {"prompt_tokens": 1_000_000, "completion_tokens": 10, "cached_tokens": 600_000}
        return completion_from_message(text, model="little", **tokens)

    prices = {"little": Price(2.0, 8.0, 0.5)}
    ledger = RunLedger(InMemoryStore(), "run", 1, clock=lambda: 0.0, on_stored=lambda _positions: None, prices=prices)
    request = ChatRequest(agent_call_id="a", turn=1, ledger=ledger, history=History())
    await TraceModel(meters=measures.provider, model="little", vendor="openai")(cached)(request)
    about = {**REQUEST, "gen_ai.response.model": "little"}
    assert measures.found()["remit.model.cached_tokens {token}"] == [(about, 600_000)]
    assert measures.found()["remit.model.cost {USD}"] == [(about, pytest.approx(0.4 * 2 + 0.6 * 0.5 + 0.00008))]


async def test_a_model_without_a_price_has_no_cost() -> None:
    measures = Measures()
    await TraceModel(meters=measures.provider, model="little", vendor="openai")(answered)(await chat_request())
    assert "remit.model.cost {USD}" not in measures.found()


async def ask_while(answers: Answers, measures: Measures, listening: Listening | None = None) -> None:
    """Ask a model that streams, while its answer is open."""
    provider = None if listening is None else listening.provider
    script = Scripted(["We bake bread, rolls and cake."], piece_chars=4)

    async def inner(request: ChatRequest, /) -> Completion:
        return await ask_streaming(request.call_id, lambda asked: ask_or_stream(script, asked), request)

    token = CURRENT_CHAT.set(CurrentChat(answers=answers))
    trace = TraceModel(provider=provider, meters=measures.provider, model="little", vendor="openai")
    await trace(inner)(await chat_request())
    CURRENT_CHAT.reset(token)


async def test_the_time_to_the_first_piece_of_a_followed_answer_is_measured_once() -> None:
    measures, answers, listening = Measures(), Answers(), Listening()
    await ask_while(answers, measures, listening)
    ((attributes, first),) = measures.found()["gen_ai.client.operation.time_to_first_chunk s"]
    ((_, whole),) = measures.found()["gen_ai.client.operation.duration s"]
    assert (attributes, "".join(answers.pieces)) == (REQUEST, "We bake bread, rolls and cake.")
    assert 0 < first < whole
    assert listening.only()[1]["gen_ai.response.time_to_first_chunk"] == first


def test_a_request_that_is_not_measured_has_a_span_that_records_nothing() -> None:
    span = ModelSpan()
    span.record_first_piece()
    span.record_answer(completion_from_message(encode_message({"role": "assistant", "content": "Hello."})), "stop", 1.0)


async def test_an_answer_that_nobody_follows_has_no_first_piece() -> None:
    measures = Measures()
    await ask_while(Answers(is_followed=False), measures)
    assert "gen_ai.client.operation.time_to_first_chunk s" not in measures.found()


async def test_calls_of_tools_and_agents_are_measured_by_name_outcome_and_error() -> None:
    measures = Measures()
    trace = Trace(meters=measures.provider)
    await call_through(trace, await make_call(find))
    await call_through(trace, await make_call(find), Inner(Reply.from_error(NotFoundError("gone"))))
    await call_through(trace, await make_call(editor))
    found = measures.found()
    assert [attributes for attributes, _ in found["gen_ai.execute_tool.duration s"]] == [
        {"gen_ai.tool.name": "find", "remit.outcome": "ok"},
        {"gen_ai.tool.name": "find", "remit.outcome": "error", "error.type": "NOT_FOUND"},
    ]
    assert [attributes for attributes, _ in found["gen_ai.invoke_agent.duration s"]] == [
        {"gen_ai.agent.name": "editor", "remit.outcome": "ok"}
    ]
