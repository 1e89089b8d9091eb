"""A person's answer to the questions of a call: waited for, asked for in the client, and read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from remit.client.client import Client
from remit.client.updates import QuestionUpdate
from remit.core.deadline import Deadline
from remit.errors import RequestError
from remit.journal.question_row import QuestionRow
from remit.mcp.wire import Result
from remit.views.sentences import sentence_of_question

_SCHEMA: Final[Result] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Do it", "description": "Whether this is to be done", "default": False}
    },
    "required": ["approve"],
}


class FormAnswer(Struct, kw_only=True):
    """What a client returns for a form. Only ``approve: true`` in an accepted one confirms."""

    action: str = ""
    content: dict[str, Any] | None = None

    @property
    def is_yes(self) -> bool:
        """Whether it confirms."""
        return self.action == "accept" and (self.content or {}).get("approve") is True

    @property
    def is_no(self) -> bool:
        """Whether it denies. A form that was closed says nothing."""
        return self.action == "decline" or (self.action == "accept" and not self.is_yes)


def read_answer(sent: Raw) -> FormAnswer:
    """The answer to a form; a closed one if it is anything else."""
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(sent, type=FormAnswer)
    return FormAnswer()


async def open_questions(client: Client, questions: Iterable[str]) -> list[QuestionRow]:
    """Those questions that are open."""
    rows = [await client.question(each) for each in questions]
    return [each for each in rows if each.status == "open"]


def confirmable(client: Client, rows: Iterable[QuestionRow]) -> list[QuestionRow]:
    """Those questions that the principal of the client can confirm: a form never approves."""
    mine = (each for each in rows if client.decision_kind(each.question) == "confirm")
    return [each for each in mine if client.may_decide(each.question, approved=True)]


async def wait_for_decision(client: Client, questions: Sequence[str], seconds: float) -> None:
    """Wait until one of the questions is no longer open, whichever process decides it."""
    place = await client.place()
    if not questions or len(await open_questions(client, questions)) < len(questions):
        return
    with contextlib.suppress(TimeoutError), Deadline(seconds, lambda _error: TimeoutError()):
        async with contextlib.aclosing(client.watch(after=place)) as events:
            async for each in events:
                if isinstance(each, QuestionUpdate) and each.row.question.id in questions and each.row.status != "open":
                    return


async def take_answers(client: Client, answers: Mapping[str, Raw], shown: Iterable[str]) -> bool:
    """Decide the questions that a form has shown, as their person answered. Returns whether one was left unanswered.

    A decision that is refused, because it came too late or is not the person's to make, changes nothing: the call says
    what became of its question.
    """
    is_dismissed = False
    for question in shown:
        answer = read_answer(answers.get(question, Raw(b"{}")))
        if not answer.is_yes and not answer.is_no:
            is_dismissed = True
            continue
        with contextlib.suppress(RequestError):
            await client.decide(question, approved=answer.is_yes, kind="confirm" if answer.is_yes else None)
    return is_dismissed


def make_form(client: Client, row: QuestionRow) -> Result:
    """The parameters of a form about a question."""
    return {"mode": "form", "message": describe_question(client, row), "requestedSchema": _SCHEMA}


def describe_question(client: Client, row: QuestionRow) -> str:
    """What the person is asked, as in every other display."""
    question = row.question
    sentence = sentence_of_question(question, client.contract(question.tool)).text
    rows = [f"{each.where}: {each.before or '(nothing)'} → {each.after or '(nothing)'}" for each in question.changes]
    shown = "" if question.shown == sentence else question.shown
    asked = f"Did it happen? {sentence}" if question.kind == "outcome" else f"{sentence}?"
    return "\n".join(each for each in (asked, question.consequence, shown, *rows, question.why) if each)
