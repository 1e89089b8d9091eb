"""A reply, good or bad, is what a call gives: content for a model, a value for Python."""

from __future__ import annotations

import json

import pytest

from remit.artifacts import Artifact
from remit.call.reply import NOT_LOADED, Reply
from remit.errors import (
    ApprovalDeniedError,
    CallError,
    DeniedError,
    InternalError,
    InvalidArgumentsError,
    InvalidOutputError,
    NotFoundError,
)


def test_a_good_reply_has_value_and_content() -> None:
    assert Reply.from_value({"a": 1}) == Reply('{"a":1}', "ok", {"a": 1})
    assert Reply.from_value("café") == Reply("café", "ok", "café")


def test_a_final_reply_is_a_good_one_that_ends_the_run() -> None:
    assert Reply.final(7) == Reply("7", "ok", 7, is_final=True)
    assert not Reply.from_value(7).is_final


def test_what_json_cannot_hold_is_no_reply() -> None:
    with pytest.raises(InvalidOutputError):
        Reply.from_value(object())


def test_an_error_is_an_error() -> None:
    error = InvalidArgumentsError("número 7")
    reply = Reply.from_error(error)
    assert (reply.outcome, reply.error, reply.value) == ("error", error, NOT_LOADED)
    assert reply.content == '{"success":false,"error":"número 7","errorCode":"VALIDATION_ERROR"}'


@pytest.mark.parametrize("error", [DeniedError("no"), ApprovalDeniedError("no")])
def test_a_denial_is_denied(error: CallError) -> None:
    reply = Reply.from_error(error)
    assert reply.outcome == "denied"
    assert json.loads(reply.content)["cancelled"] is True


def test_a_good_reply_comes_back_from_the_journal_unread() -> None:
    assert Reply.from_journal('{"a":1}', "ok", is_final=True) == Reply('{"a":1}', "ok", NOT_LOADED, None, is_final=True)


@pytest.mark.parametrize("error", [NotFoundError("no page"), ApprovalDeniedError("no"), InternalError("broken")])
def test_a_bad_reply_comes_back_from_the_journal_with_its_error(error: CallError) -> None:
    live = Reply.from_error(error)
    known = Reply.from_journal(live.content, live.outcome, is_final=False)
    assert (known.content, known.outcome, known.value) == (live.content, live.outcome, NOT_LOADED)
    assert known.error is not None
    assert (type(known.error), known.error.message) == (type(error), error.message)


def test_a_bad_reply_raises_the_very_error_it_was_made_of() -> None:
    error = NotFoundError("no page")
    with pytest.raises(NotFoundError) as caught:
        Reply.from_error(error).raise_error()
    assert caught.value is error


def test_a_bad_reply_that_has_only_content_raises_what_that_says() -> None:
    content = Reply.from_error(NotFoundError("no page")).content
    with pytest.raises(NotFoundError, match=r"^no page$"):
        Reply(content, "error").raise_error()


def test_an_unread_value_says_so() -> None:
    assert repr(NOT_LOADED) == "UNREAD"


async def test_outside_of_a_run_the_files_of_a_result_are_not_looked_for() -> None:
    invented = Reply.from_value(Artifact(digest="sha256:" + "0" * 64, size=3))
    assert await invented.check_artifacts() is invented
