"""An unsafe call that was under way when its process died is never run again before somebody says what became of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, LeafContext, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Happened, ReconcileResult
from remit.dispatch.unwrapping import unwrap_reply
from remit.errors import CallError, ExternalError, InvalidOutputError, Suspended
from remit.layers import Call, CallService, Reply, layer_fn
from remit.record.items import AttemptEnded, AttemptStarted, DecisionItem, QuestionItem
from remit.record.question import Decision, Question
from tests.dispatch.kit import Bench, Crash, of_kind


class Mail:
    """A mail server, and a tool that dies while it sends."""

    def __init__(self, *, dies: int = 1) -> None:
        self.sent: list[str] = []
        self._dies = dies

    def send(self) -> Tool[[str], int]:
        @tool(effect=Effect.UNSAFE)
        async def send(ctx: LeafContext, to: str) -> int:
            """Send a mail; the number of mails sent."""
            self.sent.append(to)
            if len(self.sent) <= self._dies:
                raise Crash
            return len(self.sent)

        return send


async def crashed(send: Tool[[str], int]) -> Bench:
    bench = Bench(send)
    with pytest.raises(Crash):
        await bench.base(send, '{"to":"ada"}')
    return bench


async def open_question(bench: Bench, send: Tool[[str], int]) -> Question:
    """The question that the call opens when it is executed again."""
    with pytest.raises(Suspended) as suspended:
        await bench.base(send, '{"to":"ada"}')
    (ident,) = suspended.value.questions
    row = await bench.store.find_question(ident)
    assert row is not None
    return row.question


async def tell(bench: Bench, question: Question, *, happened: bool, result: str = "") -> Reply:
    """What the call gives once a person has told, or rather the ledger that knows it."""
    decision = Decision(question=question.id, approved=happened, by="ada", result=result)
    ledger = await bench.drive()
    await ledger.commit(DecisionItem(call="call", question=question.id, body=decision.to_json()))
    return await bench.base(bench.named("send"), '{"to":"ada"}')


async def test_a_person_is_asked_whether_it_happened() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    question = await open_question(bench, send)
    assert mail.sent == ["ada"]
    assert (question.kind, question.tool, question.arguments) == ("outcome", "send", '{"to":"ada"}')
    assert "did it happen?" in question.reason


async def test_the_person_is_asked_once_however_often_the_call_is_driven() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    first, second = await open_question(bench, send), await open_question(bench, send)
    assert first == second
    assert len(of_kind(await bench.stored(), QuestionItem)) == 1
    assert mail.sent == ["ada"]


async def test_a_call_that_is_approved_anew_after_a_crash_is_asked_about_before_it_is_made_again() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    await bench.approve(await bench.call(send, '{"to":"ada"}'))
    with pytest.raises(Suspended):
        await bench.base(send, '{"to":"ada"}')
    assert mail.sent == ["ada"]


async def test_if_it_happened_its_result_is_what_the_person_tells() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    reply = await tell(bench, await open_question(bench, send), happened=True, result="7")
    assert (reply.content, reply.outcome) == ("7", "ok")
    assert unwrap_reply(send, reply) == 7
    assert mail.sent == ["ada"]
    assert of_kind(await bench.stored(), AttemptEnded) == [
        AttemptEnded(call="call", attempt=1, outcome="ok", content="7")
    ]
    again = await bench.base(send, '{"to":"ada"}')
    assert again.content == "7"


async def test_if_it_did_not_happen_it_is_done_as_another_attempt() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    reply = await tell(bench, await open_question(bench, send), happened=False)
    assert reply.value == 2
    assert mail.sent == ["ada", "ada"]
    items = await bench.stored()
    assert [item.attempt for item in of_kind(items, AttemptStarted)] == [1, 2]
    assert [(item.attempt, item.void) for item in of_kind(items, AttemptEnded)] == [(1, True), (2, False)]


async def test_if_it_dies_again_it_is_asked_about_again() -> None:
    mail = Mail(dies=2)
    send = mail.send()
    bench = await crashed(send)
    first = await open_question(bench, send)
    with pytest.raises(Crash):
        await tell(bench, first, happened=False)
    second = await open_question(bench, send)
    assert second.id != first.id
    assert len(mail.sent) == 2
    assert (await tell(bench, second, happened=True, result="2")).content == "2"
    assert len(mail.sent) == 2


async def test_a_crash_after_the_person_told_that_it_did_not_happen_asks_nobody_again() -> None:
    mail = Mail()
    send = mail.send()
    bench = await crashed(send)
    question = await open_question(bench, send)
    ledger = await bench.drive()
    decision = Decision(question=question.id, approved=False, by="ada")
    await ledger.commit(DecisionItem(call="call", question=question.id, body=decision.to_json()))
    await ledger.commit(AttemptEnded(call="call", attempt=1, outcome="error", content="", void=True))
    assert (await bench.base(send, '{"to":"ada"}')).value == 2


def finding(found: ReconcileResult | BaseException) -> tuple[Mail, Tool[[str], int], list[str]]:
    mail, looked = Mail(), list[str]()

    async def look(ctx: LeafContext, payload: object) -> ReconcileResult:
        looked.append(f"{ctx.key} {payload}")
        if isinstance(found, BaseException):
            raise found
        return found

    return mail, mail.send().with_reconcile(look), looked


async def test_a_tool_that_can_find_out_that_it_happened_asks_nobody() -> None:
    mail, send, looked = finding(Happened(1))
    bench = await crashed(send)
    reply = await bench.base(send, '{"to":"ada"}')
    assert reply.value == 1
    assert (mail.sent, looked) == (["ada"], ["call to='ada'"])
    assert of_kind(await bench.stored(), AttemptEnded) == [
        AttemptEnded(call="call", attempt=1, outcome="ok", content="1")
    ]
    assert (await bench.base(send, '{"to":"ada"}')).content == "1"
    assert len(looked) == 1


async def test_a_tool_that_can_find_out_that_it_did_not_happen_does_it() -> None:
    mail, send, _ = finding(DID_NOT_HAPPEN)
    bench = await crashed(send)
    assert (await bench.base(send, '{"to":"ada"}')).value == 2
    assert len(mail.sent) == 2


async def test_a_tool_that_cannot_find_out_asks_a_person() -> None:
    mail, send, _ = finding(UNKNOWN)
    bench = await crashed(send)
    assert (await open_question(bench, send)).kind == "outcome"
    assert mail.sent == ["ada"]


async def test_only_the_attempt_that_was_cut_off_is_looked_after() -> None:
    _, send, looked = finding(Happened(1))
    bench = Bench(send)
    with pytest.raises(Crash):
        await bench.base(send, '{"to":"ada"}')
    await bench.base(send, '{"to":"ada"}')
    await bench.base(send, '{"to":"ada"}')
    assert len(looked) == 1


async def test_a_finding_that_breaks_the_contract_is_refused() -> None:
    _, send, _ = finding(Happened("many"))
    bench = await crashed(send)
    with pytest.raises(InvalidOutputError):
        await bench.base(send, '{"to":"ada"}')


@pytest.mark.parametrize("failure", [ConnectionError("the mail server is down"), SystemExit(1)], ids=repr)
async def test_a_tool_that_fails_to_find_out_asks_a_person(failure: BaseException) -> None:
    mail, send, _ = finding(failure)
    bench = await crashed(send)
    assert (await open_question(bench, send)).kind == "outcome"
    assert mail.sent == ["ada"]


async def test_a_call_that_is_stopped_while_its_tool_finds_out_asks_nobody() -> None:
    looking = asyncio.Event()

    async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        looking.set()
        await asyncio.Event().wait()
        return UNKNOWN

    send = Mail().send().with_reconcile(look)
    bench = await crashed(send)
    running = asyncio.ensure_future(bench.base(send, '{"to":"ada"}'))
    await looking.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert of_kind(await bench.stored(), QuestionItem) == []


def numbering(*attempts: int) -> Any:
    """A layer that makes a call once for each number of an attempt, whatever becomes of the one before."""

    @layer_fn
    async def number(call: Call, inner: CallService) -> Reply:
        outcomes: list[Reply] = []
        for attempt in attempts:
            try:
                outcomes.append(await inner(call.replace(attempt=attempt)))
            except CallError as error:
                outcomes.append(Reply.from_error(error))
        return outcomes[-1]

    return number()


@pytest.mark.parametrize("attempts", [(1, 2), (2, 1), (2, 3, 1), (0, -1), (1, 1)])
@pytest.mark.parametrize("fails", [True, False])
async def test_an_unsafe_call_has_one_attempt_however_a_layer_numbers_it(
    attempts: tuple[int, ...], fails: bool
) -> None:
    sent: list[str] = []

    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> int:
        """Send a mail; the number of mails sent."""
        sent.append(to)
        if fails:
            raise ExternalError("busy")
        return len(sent)

    made = send.layer(numbering(*attempts))
    bench = Bench(made)
    reply = await bench.door.service("", made)(await bench.call(made, '{"to":"ada"}'))
    assert (sent, reply.outcome) == (["ada"], "error" if fails else "ok")


async def test_an_unsafe_call_that_a_layer_numbers_otherwise_after_a_crash_is_not_started_again() -> None:
    mail = Mail()
    numbered = [7, 1]

    @layer_fn
    async def count_on(call: Call, inner: CallService) -> Reply:
        return await inner(call.replace(attempt=numbered.pop(0)))

    send = mail.send().layer(count_on())
    bench = Bench(send)
    with pytest.raises(Crash):
        await bench.door.service("", send)(await bench.call(send, '{"to":"ada"}'))
    with pytest.raises(Suspended):
        await bench.door.service("", send)(await bench.call(send, '{"to":"ada"}'))
    assert (mail.sent, numbered) == (["ada"], [])


async def test_an_unsafe_call_that_a_layer_makes_twice_at_once_runs_once_whatever_reconcile_finds() -> None:
    sent: list[str] = []
    let_go = asyncio.Event()

    @tool(effect=Effect.UNSAFE)
    async def send(to: str) -> int:
        """Send a mail; the number of mails sent."""
        await let_go.wait()
        sent.append(to)
        return len(sent)

    async def nothing_found(_ctx: LeafContext, _payload: object) -> ReconcileResult:
        return DID_NOT_HAPPEN

    @layer_fn
    async def hedge(call: Call, inner: CallService) -> Reply:
        first, second = asyncio.ensure_future(inner(call)), asyncio.ensure_future(inner(call))
        with pytest.raises(Suspended):
            await second
        let_go.set()
        return await first

    made = send.with_reconcile(nothing_found).layer(hedge())
    bench = Bench(made)
    await bench.door.service("", made)(await bench.call(made, '{"to":"ada"}'))
    assert sent == ["ada"]


async def test_reconcile_cannot_change_what_runs() -> None:
    mail = Mail()

    async def redirect(_ctx: LeafContext, payload: Any) -> ReconcileResult:
        payload.to = "mallory"
        return DID_NOT_HAPPEN

    send = mail.send().with_reconcile(redirect)
    bench = await crashed(send)
    await bench.base(send, '{"to":"ada"}')
    assert mail.sent == ["ada", "ada"]
