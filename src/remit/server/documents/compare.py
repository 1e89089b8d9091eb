"""Comparisons: a run with its replay, and two runs with each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from remit.server.documents.document import Asked, Document
from remit.views.parts import CallView, MessageView
from remit.views.run_view import RunView


class ReplayDocument(Document):
    """Whether today's code reproduces a run to the byte, or the first difference."""

    run: str
    identical: bool
    compared: int
    difference: str


class StepDocument(Document):
    """A message, or a call with its reply."""

    kind: str
    name: str
    text: str
    content: str


class ComparisonDocument(Document):
    """The first step in which two runs differ, after ``same`` equal ones. Null where a run has no such step."""

    identical: bool
    same: int
    a: StepDocument | None
    b: StepDocument | None


class CompareQuery(Asked):
    """The two runs."""

    a: str
    b: str


def compare_runs(a: RunView, b: RunView) -> ComparisonDocument:
    """The first difference of two runs: their messages and calls in order."""
    for count, (one, other) in enumerate(zip_longest(_steps(a), _steps(b))):
        if one != other:
            return ComparisonDocument(identical=False, same=count, a=one, b=other)
    return ComparisonDocument(identical=True, same=sum(1 for _ in _steps(a)), a=None, b=None)


def _steps(view: RunView) -> Iterator[StepDocument]:
    """The messages of a run, each with the calls that it requests, and the calls that no message requests."""
    for message in view.messages:
        yield _message(message)
        yield from (step for call in message.calls for step in _calls(call))
    if view.root is not None and not view.messages:
        yield from _calls(view.root)


def _message(message: MessageView) -> StepDocument:
    return StepDocument(kind="message", name=message.role, text=message.text, content="")


def _calls(call: CallView) -> Iterator[StepDocument]:
    for each in call.walk():
        yield StepDocument(kind="call", name=each.tool, text=each.arguments, content=each.content)
