"""A driver drives one run to a rest: done, failed, or waiting; and from there on, or again."""

from __future__ import annotations

import asyncio

import pytest

from remit.call.reply import Reply
from remit.engine.executor import ExecutionOutcome, RootCall
from remit.errors import BlockedError, DivergedError, JournalError, NotFoundError, RemitError, Suspended
from remit.journal.ledger import RunLedger
from remit.record.items import DecisionItem, QuestionClosed, RunFinished, RunResumed, RunSuspended
from remit.record.question import Decision
from remit.testing.store_suite.samples import header_item, no, note, question, question_item, yes
from tests.engine.roots import GOOD, Crash, Stage, asks, end_of, never, raising, replying

# --- to its end -------------------------------------------------------------------------------------------------


async def test_a_run_begins_with_its_header_and_ends_with_its_end(stage: Stage) -> None:
    assert await stage.begin(replying()) == ExecutionOutcome(status="done", reply=GOOD)
    assert await stage.items() == [header_item(), end_of(GOOD), RunFinished(call="run", status="done")]
    assert await stage.status() == "done"


async def test_the_header_is_stored_before_anything_runs(stage: Stage) -> None:
    async def root(_ledger: RunLedger) -> Reply:
        assert await stage.items() == [header_item()]
        return GOOD

    await stage.begin(root)


async def test_that_a_run_was_taken_up_again_is_stored_with_what_comes_of_it(stage: Stage) -> None:
    await stage.begin(asks("q1"))
    before = await stage.items()

    async def root(ledger: RunLedger) -> Reply:
        assert await stage.items() == before
        await ledger.commit(note())
        assert await stage.items() == [*before, RunResumed(call="run", driver="again"), note()]
        return GOOD

    assert (await stage.again(root, name="again")).status == "done"


@pytest.mark.parametrize(
    ("error", "said"),
    [(NotFoundError("no page 'x'"), "NOT_FOUND: no page 'x'"), (BlockedError("by a rule"), "BLOCKED: by a rule")],
    ids=["error", "denial"],
)
async def test_a_bad_reply_fails_the_run_and_its_end_says_why(stage: Stage, error: NotFoundError, said: str) -> None:
    reply = Reply.from_error(error)
    assert await stage.begin(replying(reply)) == ExecutionOutcome(status="failed", reply=reply)
    assert (await stage.items())[-1] == RunFinished(call="run", status="failed", error=said)


async def test_a_bad_reply_that_carries_no_error_fails_the_run_all_the_same(stage: Stage) -> None:
    assert (await stage.begin(replying(Reply("{}", "error")))).status == "failed"
    assert (await stage.items())[-1] == RunFinished(call="run", status="failed")


async def test_whoever_watches_sees_every_item_once_it_is_stored(stage: Stage) -> None:
    await stage.begin(asks("q1"))
    await stage.store.decide(yes())
    await stage.again(asks("q1"))
    assert stage.seen == await stage.store.read("run")


async def test_the_root_gets_what_the_run_was_given(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        await ledger.commit(question_item(question(conversation="talk"), call="match"))
        assert await ledger.decisions.find_usable_question("match") is not None
        assert (ledger.run, list(ledger.prior_messages), ledger.execution.is_stopping) == ("run", ["{}"], False)
        assert ledger.now() == stage.clock()
        return GOOD

    await stage.driver().execute("run", root, header=header_item(), conversation="talk", prior_messages=["{}"])


# --- what goes wrong stays open -----------------------------------------------------------------------------------


@pytest.mark.looptime  # on a clock that runs, what is added is stored after a twentieth of a second
@pytest.mark.parametrize("error", [DivergedError("other code"), ZeroDivisionError(), Crash()], ids=repr)
async def test_a_root_that_raises_leaves_the_run_open_as_if_it_had_crashed(stage: Stage, error: BaseException) -> None:
    async def root(ledger: RunLedger) -> Reply:
        await ledger.commit(note("stored"))
        ledger.add(note("lost"))
        return await raising(error)(ledger)

    with pytest.raises(type(error)):
        await stage.begin(root)
    assert await stage.items() == [header_item(), note("stored")]
    assert await stage.status() == "running"
    assert (await stage.again(replying())).status == "done"


# --- waiting for people -------------------------------------------------------------------------------------------


async def test_a_run_that_asks_waits_and_says_for_what(stage: Stage) -> None:
    assert await stage.begin(asks("q1", "q2")) == ExecutionOutcome(status="waiting", questions=("q1", "q2"))
    assert (await stage.items())[-1] == RunSuspended(call="run", questions=("q1", "q2"))
    assert await stage.status() == "waiting"


@pytest.mark.parametrize("decision", [yes(), no()], ids=["yes", "no"])
async def test_a_decision_is_copied_to_the_call_that_asked(stage: Stage, decision: Decision) -> None:
    await stage.begin(asks("q1"))
    await stage.store.decide(decision)
    assert (await stage.again(asks("q1"), name="later")).status == "done"
    assert (await stage.items())[3:] == [
        RunResumed(call="run", driver="later"),
        DecisionItem(call="call q1", question="q1", body=decision.to_json()),
        end_of(GOOD),
        RunFinished(call="run", status="done"),
    ]


async def test_every_call_that_waits_for_one_question_gets_the_decision(stage: Stage) -> None:
    async def both(ledger: RunLedger) -> Reply:
        for call in ("one", "two"):
            if not ledger.items_for(call):
                await ledger.commit(question_item(question(), call=call))
        return await asks("q1")(ledger)

    await stage.begin(both)
    await stage.store.decide(yes())
    await stage.again(both)
    assert [i.call for i in await stage.items() if isinstance(i, DecisionItem)] == ["one", "two", "call q1"]


async def test_a_decision_is_copied_once_however_often_the_run_is_driven(stage: Stage) -> None:
    await stage.begin(asks("q1", "q2"))
    await stage.store.decide(yes("q1"))
    assert await stage.again(asks("q1", "q2")) == ExecutionOutcome(status="waiting", questions=("q2",))
    await stage.store.decide(no("q2"))
    assert (await stage.again(asks("q1", "q2"))).status == "done"
    assert [i.question for i in await stage.items() if isinstance(i, DecisionItem)] == ["q1", "q2"]


async def test_a_call_that_asks_what_was_decided_for_another_gets_the_decision_too(stage: Stage) -> None:
    """Its process died between its question and the copy of the decision."""

    async def announces(ledger: RunLedger) -> Reply:
        await ledger.commit(question_item(question(), call="announced"))
        raise Crash

    drives = 0

    async def calls(ledger: RunLedger) -> Reply:
        nonlocal drives
        drives += 1
        assert drives < 5, "driven again and again, and nothing has changed"
        if not ledger.items_for("call"):
            await ledger.commit(question_item(question(), call="call"))
        if not any(isinstance(item, DecisionItem) for item in ledger.items_for("call")):
            raise Suspended("q1")
        return await replying()(ledger)

    with pytest.raises(Crash):
        await stage.begin(announces)
    await stage.store.decide(yes())
    assert (await stage.again(calls)).status == "done"


async def test_a_run_that_nobody_decided_waits_on(stage: Stage) -> None:
    await stage.begin(asks("q1"))
    assert await stage.again(asks("q1")) == ExecutionOutcome(status="waiting", questions=("q1",))
    assert await stage.status() == "waiting"


async def test_a_call_that_waits_for_what_is_decided_is_an_error_and_no_endless_loop(stage: Stage) -> None:
    async def deaf(ledger: RunLedger) -> Reply:
        if not ledger.items_for("call"):
            await ledger.commit(question_item(question(conversation=""), call="call"))
        raise Suspended("q1")

    await stage.begin(deaf)
    await stage.store.decide(yes())
    with pytest.raises(JournalError, match="run run: question q1 is decided, but asked again"):
        await asyncio.wait_for(stage.again(deaf), 10)


async def test_a_decision_that_comes_while_the_run_comes_to_rest_drives_it_on_at_once(stage: Stage) -> None:
    deciding: list[asyncio.Task[None]] = []

    def decide() -> None:
        if not deciding:
            deciding.append(asyncio.create_task(stage.store.decide(yes())))

    assert (await stage.begin(asks("q1", meanwhile=decide))).status == "done"
    assert await stage.kinds() == ["opened", "question", "decision", "tool_output", "finished"]


async def test_one_decision_of_two_drives_the_run_on_to_the_other_question(stage: Stage) -> None:
    deciding: list[asyncio.Task[None]] = []

    def decide() -> None:
        if not deciding:
            deciding.append(asyncio.create_task(stage.store.decide(yes("q2"))))

    assert await stage.begin(asks("q1", "q2", meanwhile=decide)) == ExecutionOutcome(
        status="waiting", questions=("q1",)
    )
    assert (await stage.kinds()).count("suspended") == 1


async def test_a_question_that_is_closed_while_the_run_comes_to_rest_drives_it_on_at_once(stage: Stage) -> None:
    async def closes(ledger: RunLedger) -> Reply:
        if ledger.items_for("call"):
            return await replying()(ledger)
        await ledger.commit(question_item(question(conversation="")))
        await ledger.commit(QuestionClosed(call="call", question="q1"))
        raise Suspended("q1")

    assert (await stage.begin(closes)).status == "done"


async def test_a_question_that_the_store_does_not_know_is_waited_for(stage: Stage) -> None:
    """It can be in the journal of another store; whoever decides it there will drive this run."""
    assert (await stage.begin(raising(Suspended("elsewhere")))).status == "waiting"


async def test_a_run_that_waits_for_a_question_of_an_earlier_run_gets_its_decision(stage: Stage) -> None:
    """A tool with a confirmation flag: announced in one run of a conversation, called in the next."""

    async def announces(ledger: RunLedger) -> Reply:
        await ledger.commit(question_item(question(run="first", call="announced")))
        return await replying()(ledger)

    drives = 0

    async def calls(ledger: RunLedger) -> Reply:
        nonlocal drives
        drives += 1
        assert drives < 5, "driven again and again, and nothing has changed"
        if not ledger.items_for("call"):
            await ledger.commit(question_item(question(run="first", call="announced"), call="call"))
        if not any(isinstance(item, DecisionItem) for item in ledger.items_for("call")):
            raise Suspended("q1")
        return await replying()(ledger)

    assert (await stage.begin(announces, run="first")).status == "done"
    assert (await stage.begin(calls, run="second")).status == "waiting"
    await stage.store.decide(yes())
    assert (await stage.again(calls, run="second")).status == "done"


# --- ended runs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        Reply.final("over"),
        Reply.from_error(NotFoundError("no page")),
        Reply.from_error(BlockedError("by a rule")),
    ],
    ids=["done", "final", "failed", "denied"],
)
async def test_an_ended_run_tells_its_end_and_is_not_driven(stage: Stage, reply: Reply) -> None:
    first = await stage.begin(replying(reply))
    before = await stage.items()
    again = await stage.again(never)
    assert again.status == first.status
    assert again.reply is not None
    assert (again.reply.content, again.reply.outcome, again.reply.is_final) == (
        reply.content,
        reply.outcome,
        reply.is_final,
    )
    assert (str(again.reply.error), type(again.reply.error)) == (str(reply.error), type(reply.error))
    assert await stage.items() == before


async def test_an_ended_run_whose_bodies_were_erased_is_not_driven(stage: Stage) -> None:
    await stage.begin(replying())
    await stage.store.erase("run", [1, 2])
    assert (await stage.again(never)).status == "done"


@pytest.mark.parametrize("root", [replying(), asks("q1")], ids=["ended", "waiting"])
async def test_a_new_run_cannot_have_the_id_of_one_that_exists(stage: Stage, root: RootCall) -> None:
    await stage.begin(root)
    with pytest.raises(RemitError):
        await stage.begin(replying())
    assert (await stage.kinds()).count("opened") == 1
