"""At the wire a completion that the journal knows is not asked for again, and every call has an id of its own."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from remit.agent.model_recorder import RecordModel
from remit.chat.chat import History, completion_from_message, encode_message
from remit.core import Place
from remit.errors import (
    CompletionError,
    DivergedError,
    JournalError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    RemitError,
    Suspended,
)
from remit.journal.codec import tool_message_text
from remit.journal.ledger import RunLedger
from remit.journal.replay import ReplayLedger
from remit.layers import Reply
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings
from remit.record.items import Message, Mismatch, ModelFailure, ModelUsage, Note
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.testing.history_check import HistoryErrorKind, history_errors
from tests.agent.kit import USER, asks, request

COMPLETION = Completion(
    message=encode_message({"role": "assistant", **asks("a")}),
    content=None,
    tool_calls=completion_from_message(encode_message({"role": "assistant", **asks("a")})).tool_calls,
    finish_reason="tool_calls",
    model="m-2026",
    prompt_tokens=11,
    completion_tokens=3,
    response='{"choices": []}',
)


class Model:
    """Answers always the same, and counts."""

    def __init__(self, completion: Completion = COMPLETION) -> None:
        self._completion = completion
        self.asked: list[ChatRequest] = []

    async def __call__(self, asked: ChatRequest, /) -> Completion:
        self.asked.append(asked)
        return self._completion


class Run:
    """A run in memory, whose ledgers know what the ones before have stored."""

    def __init__(self) -> None:
        self.store = InMemoryStore(lambda: 0.0)

    async def ledger(self, *, stopping: bool = False) -> RunLedger:
        epoch = (await self.store.acquire("run", "test", 0.0)).epoch
        known = await self.store.read("run")
        return RunLedger(
            self.store, "run", epoch, clock=lambda: 0.0, on_stored=lambda _: None, history=known, is_stopping=stopping
        )

    async def ask(self, model: Model, asked: ChatRequest | None = None, **known: Any) -> Completion:
        """One request of a new driver, stored with whatever it wrote."""
        ledger = await self.ledger()
        completion = await RecordModel()(model)(asked or request(ledger=ledger, **known))
        await ledger.flush()
        return completion

    async def items(self, kind: type[Any]) -> list[Any]:
        return [position.item for position in await self.store.read("run") if isinstance(position.item, kind)]


async def test_a_completion_is_recorded_with_what_it_took() -> None:
    run, model = Run(), Model()
    ledger = await run.ledger()
    asked = request(ledger=ledger)
    assert await RecordModel()(model)(asked) == COMPLETION
    await ledger.flush()
    assert await run.items(Message) == [
        Message(call="agent:1", agent="agent", text=COMPLETION.message, request=asked.digest())
    ]
    assert await run.items(ModelUsage) == [
        ModelUsage(
            call="agent:1",
            model="m-2026",
            finish="tool_calls",
            prompt_tokens=11,
            completion_tokens=3,
            response='{"choices": []}',
        )
    ]


async def test_everything_written_before_is_stored_before_the_model_is_asked() -> None:
    run = Run()
    ledger = await run.ledger()
    ledger.add(Note(call="call", name="said", data='"first"'))
    seen = list[int]()

    async def model(_asked: ChatRequest, /) -> Completion:
        seen.append(len(await run.items(Note)))
        return COMPLETION

    await RecordModel()(model)(request(ledger=ledger))
    assert seen == [1]


async def test_a_recorded_completion_is_not_asked_for_again_and_is_whole() -> None:
    run, model = Run(), Model()
    assert await run.ask(model) == await run.ask(model) == COMPLETION
    assert len(model.asked) == 1
    assert len(await run.items(Message)) == len(await run.items(ModelUsage)) == 1
    assert await run.items(Mismatch) == []


async def test_a_completion_whose_usage_was_lost_in_a_crash_is_answered_without() -> None:
    run, model = Run(), Model()
    ledger = await run.ledger()
    await ledger.commit(
        Message(call="agent:1", agent="agent", text=COMPLETION.message, request=request(ledger=ledger).digest())
    )
    completion = await run.ask(model)
    assert (completion.message, completion.tool_calls) == (COMPLETION.message, COMPLETION.tool_calls)
    assert (completion.model, completion.prompt_tokens, model.asked) == ("", 0, [])


async def test_each_turn_and_each_agent_is_known_by_itself() -> None:
    run, model = Run(), Model()
    await run.ask(model, turn=1)
    await run.ask(model, turn=2)
    await run.ask(model, agent_call_id="other")
    assert [asked.call_id for asked in model.asked] == ["agent:1", "agent:2", "other:1"]


async def test_a_failed_request_is_made_again() -> None:
    run = Run()
    script = Scripted([ModelBusyError("later")])
    ledger = await run.ledger()
    with pytest.raises(Suspended):
        await RecordModel()(script)(request(ledger=ledger))
    await ledger.flush()
    assert await run.ask(Model()) == COMPLETION


async def test_a_failure_is_recorded_with_the_digest_of_its_request() -> None:
    run = Run()
    ledger = await run.ledger()
    asked = request(ledger=ledger)
    with pytest.raises(Suspended) as stalled:
        await RecordModel()(Scripted([ModelBusyError("later", retry_after=5.0)]))(asked)
    assert (stalled.value.reason, stalled.value.retry_after) == ("MODEL_BUSY: later", 5.0)
    await ledger.flush()
    (failure,) = await run.items(ModelFailure)
    assert failure == ModelFailure(
        call="agent:1", content=Reply.from_error(ModelBusyError("later")).content, request=asked.digest()
    )


async def test_an_answer_that_is_no_completion_is_refused_and_recorded_as_a_failure() -> None:
    async def answer_text(_request: ChatRequest, /) -> Any:
        return "hi"

    ledger = await Run().ledger()
    with pytest.raises(ModelError, match=r"^the model returned str, not a Completion; make one with remit\.messages\."):
        await RecordModel()(answer_text)(request(ledger=ledger))
    await ledger.flush()
    assert any(isinstance(item, ModelFailure) for item in ledger.items_for("agent:1"))


class FailedRequestError(Exception):
    """What an HTTP library raises for a status that is not a success."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        self.response = SimpleNamespace(status_code=status, headers=headers)


@pytest.mark.parametrize(
    ("error", "reason", "seconds"),
    [
        (CompletionError("it answered with a page"), "MODEL_GARBAGE: it answered with a page", None),
        (
            FailedRequestError(503, **{"retry-after": "9"}),
            "MODEL_UNAVAILABLE: the model failed: Failed",
            9.0,
        ),
        (FailedRequestError(429), "MODEL_BUSY: the model failed: FailedRequestError", None),
        (FailedRequestError(401), "MODEL_ACCESS: the model failed: FailedRequestError", None),
        (
            FailedRequestError(302, location="https://b.example/"),
            "MODEL_ACCESS: .* a redirect to https://b",
            None,
        ),
    ],
)
async def test_a_run_rests_whatever_library_the_model_asks_with(
    error: Exception, reason: str, seconds: float | None
) -> None:
    ledger = await Run().ledger()
    with pytest.raises(Suspended) as rests:
        await RecordModel()(Scripted([error]))(request(ledger=ledger))
    assert re.match(reason, rests.value.reason)
    assert rests.value.retry_after == seconds


async def test_a_request_that_is_refused_ends_the_run_whatever_library_the_model_asks_with() -> None:
    ledger = await Run().ledger()
    with pytest.raises(ModelRefusedError, match="the model failed: FailedRequestError: status 422"):
        await RecordModel()(Scripted([FailedRequestError(422)]))(request(ledger=ledger))


async def test_a_bug_of_the_model_is_a_model_error_that_a_replay_meets_too() -> None:
    run = Run()
    ledger = await run.ledger()
    bug = ZeroDivisionError("oops")
    with pytest.raises(ModelError, match=r"^the model failed: ZeroDivisionError: oops$") as raised:
        await RecordModel()(Scripted([bug]))(request(ledger=ledger))
    assert raised.value.__cause__ is bug
    await ledger.flush()
    with pytest.raises(ModelError, match=r"^the model failed: ZeroDivisionError: oops$"):
        await RecordModel()(Model())(request(ledger=ReplayLedger("run", await run.store.read("run"))))


@pytest.mark.parametrize("error", [JournalError("full"), DivergedError("other")], ids=repr)
async def test_what_stops_the_driver_is_no_failure_of_the_model(error: RemitError) -> None:
    run = Run()
    ledger = await run.ledger()
    with pytest.raises(type(error)):
        await RecordModel()(Scripted([error]))(request(ledger=ledger))
    await ledger.flush()
    assert await run.items(ModelFailure) == []


async def test_a_replay_compares_a_request_that_failed() -> None:
    run = Run()
    ledger = await run.ledger()
    with pytest.raises(Suspended):
        await RecordModel()(Scripted([ModelBusyError("later")]))(request(ledger=ledger))
    await ledger.flush()
    with pytest.raises(DivergedError, match="turn 1: the request to the model differs from the recorded one"):
        await RecordModel()(Model())(
            request(ledger=ReplayLedger("run", await run.store.read("run")), settings=ModelSettings(max_tokens=1))
        )


@pytest.mark.parametrize("role", ["user", "tool", "system", "model"])
async def test_a_message_of_another_role_than_the_assistants_is_refused_and_recorded_as_a_failure(role: str) -> None:
    run = Run()
    ledger = await run.ledger()
    script = Scripted([{"role": role, "content": "hello"}])
    with pytest.raises(Suspended) as rests:
        await RecordModel()(script)(request(ledger=ledger))
    assert f"answered with a message of role '{role}'" in rests.value.reason
    await ledger.flush()
    assert (await run.items(Message), len(await run.items(ModelFailure))) == ([], 1)


async def test_a_request_that_differs_on_resume_keeps_the_recorded_answer_and_is_journaled_once() -> None:
    run, model = Run(), Model()
    await run.ask(model)
    recorded = (await run.items(Message))[0].request
    for _ in range(3):
        assert await run.ask(model, settings=ModelSettings(temperature=0.5)) == COMPLETION
    today = request(settings=ModelSettings(temperature=0.5)).digest()
    assert await run.items(Mismatch) == [
        Mismatch(call="agent:1", what="request of turn 1", recorded=recorded, today=today)
    ]
    await run.ask(model, settings=ModelSettings(temperature=0.7))
    assert len(await run.items(Mismatch)) == 2, "another difference is another item"
    assert len(model.asked) == 1


async def test_a_replay_finds_a_request_that_differs_and_names_its_turn() -> None:
    run, model = Run(), Model()
    await run.ask(model, turn=3)
    ledger = ReplayLedger("run", await run.store.read("run"))
    assert await RecordModel()(model)(request(ledger=ledger, turn=3)) == COMPLETION
    with pytest.raises(DivergedError, match=r"turn 3: the request to the model differs from the recorded one"):
        await RecordModel()(model)(request(ledger=ledger, turn=3, settings=ModelSettings(max_tokens=1)))
    assert len(model.asked) == 1


async def test_a_replay_asks_no_model() -> None:
    model = Model()
    with pytest.raises(DivergedError, match="makes one more model request than the journal records"):
        await RecordModel()(model)(request(ledger=ReplayLedger("run", ())))
    assert model.asked == []


async def test_a_run_that_is_driven_only_to_be_ended_asks_no_model_but_reads_what_was_said() -> None:
    run, model = Run(), Model()
    await run.ask(model)
    stopping = await run.ledger(stopping=True)
    assert await RecordModel()(model)(request(ledger=stopping)) == COMPLETION
    with pytest.raises(asyncio.CancelledError):
        await RecordModel()(model)(request(ledger=stopping, turn=2))
    assert len(model.asked) == 1


async def turns(*ids: list[str]) -> tuple[list[list[str]], list[str]]:
    """The ids by which the calls of successive turns go on when a model named them ``ids``, and the history."""
    run, used, given, texts = Run(), set[str](), list[list[str]](), [USER]
    for turn, wires in enumerate(ids, 1):
        model = Model(completion_from_message(encode_message({"role": "assistant", **asks(*wires)})))
        asked = request(ledger=await run.ledger(), turn=turn, used_call_ids=used, history=History(texts))
        completion = await RecordModel()(model)(asked)
        given.append([wanted.id for wanted in completion.tool_calls])
        texts += [completion.message, *(tool_message_text(wanted.id, "ok") for wanted in completion.tool_calls)]
    return given, texts


NAMED: dict[str, list[list[str]]] = {
    "empty": [[""]],
    "several empty": [["", "", ""]],
    "one empty beside a good one": [["a", ""]],
    "twice in one turn": [["a", "a"]],
    "the same in every turn": [["a"], ["a"], ["a"]],
    "the same set in another order": [["a", "b"], ["b", "a"]],
    "empty in every turn": [["", ""], [""], ["", ""]],
    "only one of them again": [["a", "b"], ["c", "a"]],
}


@pytest.mark.parametrize("name", NAMED)
async def test_ids_that_are_empty_or_used_before_are_replaced_by_others(name: str) -> None:
    given, texts = await turns(*NAMED[name])
    flat = [wire for turn in given for wire in turn]
    assert len(set(flat)) == len(flat)
    assert all(flat)
    assert history_errors(texts) == []


@pytest.mark.parametrize("name", NAMED)
async def test_the_ids_given_instead_are_the_same_whenever_the_same_is_said(name: str) -> None:
    assert await turns(*NAMED[name]) == await turns(*NAMED[name])


async def test_good_ids_are_kept_with_the_message_to_the_byte() -> None:
    given, texts = await turns(["a", "b"], ["c"])
    assert given == [["a", "b"], ["c"]]
    spelled = json.dumps({"role": "assistant", **asks("z")}, indent=1)
    completion = await RecordModel()(Model(completion_from_message(spelled)))(request(ledger=await Run().ledger()))
    assert completion.message == spelled
    assert history_errors(texts) == []


async def test_of_a_message_whose_ids_are_replaced_everything_else_stays() -> None:
    message: dict[str, Any] = {"role": "assistant", **asks("", ""), "content": "café", "refusal": None}
    model = Model(
        Completion(
            message=encode_message(message),
            content="café",
            tool_calls=completion_from_message(encode_message(message)).tool_calls,
            finish_reason="tool_calls",
            model="m",
            prompt_tokens=5,
            completion_tokens=6,
            response="raw",
        )
    )
    completion = await RecordModel()(model)(request(ledger=await Run().ledger()))
    kept = json.loads(completion.message)
    for call in kept["tool_calls"]:
        assert call.pop("id") != ""
    for call in message["tool_calls"]:
        del call["id"]
    assert kept == message
    assert (completion.finish_reason, completion.model, completion.response) == ("tool_calls", "m", "raw")
    assert (completion.prompt_tokens, completion.completion_tokens, completion.content) == (5, 6, "café")


async def test_what_was_recorded_has_the_ids_that_were_given() -> None:
    run = Run()
    completion = await run.ask(Model(completion_from_message(encode_message({"role": "assistant", **asks("")}))))
    assert (await run.items(Message))[0].text == completion.message
    assert (await run.ask(Model())).message == completion.message


async def test_a_name_that_is_made_up_is_never_one_that_the_model_has_used() -> None:
    _, texts = await turns(["call00001"], [""])
    assert HistoryErrorKind.DUPLICATE_ID not in {fault.kind for fault in history_errors(texts)}


def test_it_stands_where_the_journal_stands_and_says_its_name() -> None:
    assert (RecordModel().place, repr(RecordModel())) == (Place.RECORD, "RecordModel()")
