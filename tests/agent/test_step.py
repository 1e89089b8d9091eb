"""A step asks the model once and makes the calls it wants: together, bounded, and told in call order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit.agent import AgentStep
from remit.call.step import Done, Next, StepRequest, StepUsage
from remit.chat.chat import completion_from_message, encode_message
from remit.errors import JournalError, ModelBusyError, SetupError, Suspended
from remit.journal.codec import tool_message_text
from remit.layers import Reply
from remit.models import ModelSettings
from remit.testing import Scripted
from tests.agent.kit import Desk, asks, asks_for, request, soon

MODES = pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
Outcome = Next | Done


async def step(desk: Desk, *lines: Any, parallel: int = 8) -> Outcome:
    return await AgentStep(model=Scripted(lines), parallel=parallel)(StepRequest(chat=request(), calls=desk))


async def ok() -> Reply:
    return Reply.from_value("ok")


async def test_an_answer_without_calls_is_the_end() -> None:
    outcome = await step(Desk(), "done")
    assert outcome == Done(messages=(encode_message({"role": "assistant", "content": "done"}),), usage=StepUsage())


@MODES
async def test_calls_are_prepared_in_order_before_any_is_made(parallel: int) -> None:
    desk = Desk(work=ok)
    outcome = await step(desk, asks("a", "b", "c"), parallel=parallel)
    assert desk.prepared == [("work", "{}", "a"), ("work", "{}", "b"), ("work", "{}", "c")]
    assert isinstance(outcome, Next)
    assert outcome.messages == (
        encode_message({"role": "assistant", **asks("a", "b", "c")}),
        *(tool_message_text(wire, "ok") for wire in "abc"),
    )


async def test_what_a_step_used_is_what_the_completion_says_and_the_calls_it_asked_for() -> None:
    async def model(_request: Any, /) -> Any:
        completion = await Scripted([asks("a", "b")])(request())
        return type(completion)(
            message=completion.message,
            content=None,
            tool_calls=completion.tool_calls,
            prompt_tokens=11,
            completion_tokens=3,
        )

    outcome = await AgentStep(model=model)(StepRequest(chat=request(), calls=Desk(work=ok)))
    assert outcome.usage == StepUsage(prompt_tokens=11, completion_tokens=3, tool_calls=2)


async def test_replies_keep_call_order_whichever_ends_first() -> None:
    turn = {wire: asyncio.Event() for wire in "abc"}

    def body(own: str, following: str) -> Any:
        async def run() -> Reply:
            await turn[own].wait()
            if following:
                turn[following].set()
            return Reply.from_value(own)

        return run

    desk = Desk(a=body("a", ""), b=body("b", "a"), c=body("c", "b"))
    turn["c"].set()
    message = asks_for(x="a", y="b", z="c")
    outcome = await step(desk, message)
    assert [line for line in desk.log if "ends" in line] == ["z ends", "y ends", "x ends"]
    assert outcome.messages[1:] == (
        tool_message_text("x", "a"),
        tool_message_text("y", "b"),
        tool_message_text("z", "c"),
    )


@pytest.mark.parametrize("parallel", [1, 2, 3, 8, 50])
async def test_no_more_calls_than_allowed_run_at_once(parallel: int) -> None:
    async def work() -> Reply:
        await soon()
        return Reply.from_value("ok")

    desk = Desk(work=work)
    await step(desk, asks(*map(str, range(20))), parallel=parallel)
    assert desk.most == min(parallel, 20)


async def test_one_at_a_time_means_that_each_begins_when_the_one_before_has_ended() -> None:
    async def work() -> Reply:
        await soon()
        return Reply.from_value("ok")

    desk = Desk(work=work)
    await step(desk, asks("a", "b"), parallel=1)
    assert desk.log == ["a begins", "a ends", "b begins", "b ends"]


@MODES
async def test_a_suspension_waits_for_its_siblings_and_names_every_question_in_call_order(parallel: int) -> None:
    questions = ["q1", "q2"]

    async def wait() -> Reply:
        raise Suspended(questions.pop(0))

    async def work() -> Reply:
        await soon()
        return Reply.from_value("ok")

    desk = Desk(wait=wait, work=work)
    message = asks_for(a="wait", b="work", c="wait", d="work")
    with pytest.raises(Suspended) as suspended:
        await step(desk, message, parallel=parallel)
    assert suspended.value.questions == ("q1", "q2")
    assert sorted(line for line in desk.log if "ends" in line) == ["a ends", "b ends", "c ends", "d ends"]


@MODES
async def test_a_suspension_goes_before_a_reply_that_ends_the_run(parallel: int) -> None:
    async def wait() -> Reply:
        raise Suspended("q")

    async def finish() -> Reply:
        return Reply.final("over")

    message = asks_for(a="finish", b="wait")
    with pytest.raises(Suspended):
        await step(Desk(wait=wait, finish=finish), message, parallel=parallel)


@MODES
async def test_of_the_replies_that_end_the_run_the_first_in_call_order_counts_and_siblings_finish(
    parallel: int,
) -> None:
    values = ["first", "second"]

    async def finish() -> Reply:
        return Reply.final(values.pop(0))

    async def work() -> Reply:
        await soon()
        return Reply.from_value("ok")

    desk = Desk(finish=finish, work=work)
    message = asks_for(a="work", b="finish", c="finish")
    outcome = await step(desk, message, parallel=parallel)
    assert isinstance(outcome, Done)
    assert outcome.final_reply is not None
    assert outcome.final_reply.value == "first"
    assert outcome.messages[1:] == (
        tool_message_text("a", "ok"),
        tool_message_text("b", "first"),
        tool_message_text("c", "second"),
    )


async def test_a_bad_reply_is_told_to_the_model_like_a_good_one() -> None:
    async def fail() -> Reply:
        return Reply.from_error(ModelBusyError("later"))

    outcome = await step(Desk(work=fail), asks("a"))
    assert isinstance(outcome, Next)
    assert '\\"errorCode\\":\\"MODEL_BUSY\\"' in outcome.messages[1]


async def test_an_error_of_the_model_is_the_error_of_the_step_and_nothing_is_called() -> None:
    desk = Desk(work=ok)
    with pytest.raises(ModelBusyError):
        await step(desk, ModelBusyError("later"))
    assert desk.prepared == []


def answering(finish: str, message: dict[str, Any]) -> Any:
    """A model that says ``message`` and stops for ``finish``."""

    async def model(_request: Any, /) -> Any:
        return completion_from_message(encode_message({"role": "assistant", **message}), finish_reason=finish)

    return model


NO_ANSWERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "cut": (
        "length",
        {"content": "The answer is "},
        "The answer is\n\n(the answer was cut at max_tokens=5; ask for less at a time, or allow more tokens)",
    ),
    "cut before it began": (
        "length",
        {"content": ""},
        "(there is no answer: the model was cut at max_tokens=5 before it wrote one; allow more tokens)",
    ),
    "cut in its refusal": (
        "length",
        {"content": "", "refusal": "I can"},
        "I can\n\n(the answer was cut at max_tokens=5; ask for less at a time, or allow more tokens)",
    ),
    "filtered": (
        "content_filter",
        {"content": None},
        "(a filter held back the answer; ask in other words)",
    ),
    "filtered in part": (
        "content_filter",
        {"content": "half an"},
        "half an\n\n(a filter held back the rest of the answer)",
    ),
    "empty": ("stop", {"content": ""}, "(the model returned no answer)"),
    "nothing": ("stop", {"content": None}, "(the model returned no answer)"),
    "only spaces": ("stop", {"content": " \n"}, "(the model returned no answer)"),
    "no parts": ("stop", {"content": []}, "(the model returned no answer)"),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
async def test_what_is_no_whole_answer_is_a_result_that_says_why(name: str) -> None:
    finish, message, said = NO_ANSWERS[name]
    asked = StepRequest(chat=request(settings=ModelSettings(max_tokens=5)), calls=Desk())
    outcome = await AgentStep(model=answering(finish, message))(asked)
    assert isinstance(outcome, Done)
    assert outcome.result is not None
    assert outcome.result.value == said


async def test_an_answer_that_was_cut_where_nobody_set_a_limit_was_cut_by_its_endpoint() -> None:
    outcome = await AgentStep(model=answering("length", {"content": "The"}))(StepRequest(chat=request(), calls=Desk()))
    assert isinstance(outcome, Done)
    assert outcome.result is not None
    assert "was cut at the limit of its endpoint" in outcome.result.content


REASONS = [
    ('{"choices":[{"content_filter_results":{"hate":{"filtered":false},"violence":{"filtered":true}}}]}', "violence"),
    ('{"innererror":{"content_filter_result":{"jailbreak":{"filtered":true,"detected":true}}}}', "jailbreak"),
    ('{"provider_details":{"refusal":"It is about weapons.","refusal_category":"weapons"}}', "It is about weapons."),
    ('{"a":[{"explanation":"no"},{"explanation":"no"}]}', "(no)"),
    ('{"error":{"message":"The prompt was filtered.","code":"content_filter"}}', "(The prompt was filtered.)"),
    ("no JSON", "held back the answer; ask"),
]


@pytest.mark.parametrize(("response", "reason"), REASONS)
async def test_the_reason_of_a_filter_is_in_the_result(response: str, reason: str) -> None:
    async def model(_request: Any, /) -> Any:
        text = encode_message({"role": "assistant", "content": ""})
        return completion_from_message(text, finish_reason="content_filter", response=response)

    outcome = await AgentStep(model=model)(StepRequest(chat=request(), calls=Desk()))
    assert isinstance(outcome, Done)
    assert outcome.result is not None
    assert reason in outcome.result.content


@pytest.mark.parametrize(
    "message",
    [{"content": "", "refusal": "I cannot."}, {"content": [{"type": "text", "text": "a"}]}],
    ids=["refusal", "parts"],
)
async def test_a_refusal_and_whatever_else_has_words_is_an_answer(message: dict[str, Any]) -> None:
    outcome = await AgentStep(model=answering("stop", message))(StepRequest(chat=request(), calls=Desk()))
    assert isinstance(outcome, Done)
    assert outcome.result is None


async def test_a_call_that_was_cut_before_its_arguments_is_not_one_without_arguments() -> None:
    desk, message = Desk(work=ok), asks("a", "b")
    for call in message["tool_calls"]:
        call["function"]["arguments"] = ""
    outcome = await AgentStep(model=answering("length", message))(StepRequest(chat=request(), calls=desk))
    assert [(each[0], each[1].startswith("refused: "), each[2]) for each in desk.prepared] == [
        ("work", True, "a"),
        ("work", True, "b"),
    ]
    assert outcome.messages[0] == encode_message({"role": "assistant", **message}), "the history keeps what was said"


async def test_a_call_whose_arguments_are_whole_is_made_though_the_answer_was_cut() -> None:
    desk, message = Desk(work=ok), asks("a")
    message["tool_calls"][0]["function"]["arguments"] = '{"what":"a"}'
    await AgentStep(model=answering("length", message))(StepRequest(chat=request(), calls=desk))
    assert desk.prepared == [("work", '{"what":"a"}', "a")]


async def test_a_cancelled_step_stops_every_call_and_leaves_when_all_have_ended() -> None:
    begun = asyncio.Event()
    tidied = list[str]()

    async def wait() -> Reply:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await soon()
            tidied.append("tidied")
        return Reply.from_value("never")

    desk = Desk(work=wait)
    stepping = asyncio.create_task(step(desk, asks("a", "b", "c", "d"), parallel=2))
    await begun.wait()
    await soon()
    stepping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stepping
    assert tidied == ["tidied"] * 2
    assert desk.log == ["a begins", "b begins", "a ends", "b ends"], "what had not begun never does"


@MODES
async def test_when_the_journal_fails_one_call_the_step_fails_after_its_siblings_have_ended(parallel: int) -> None:
    async def refuse() -> Reply:
        raise JournalError("the disk is full")

    async def work() -> Reply:
        await soon()
        return Reply.from_value("ok")

    desk = Desk(refuse=refuse, work=work)
    message = asks_for(a="work", b="refuse")
    with pytest.raises(JournalError, match="the disk is full"):
        await step(desk, message, parallel=parallel)
    assert desk.running == 0


@pytest.mark.parametrize("parallel", [0, -1])
def test_a_step_that_could_make_no_call_is_refused_when_it_is_built(parallel: int) -> None:
    with pytest.raises(SetupError, match="parallel"):
        AgentStep(model=Scripted([]), parallel=parallel)
