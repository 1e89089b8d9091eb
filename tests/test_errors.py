"""One tree of errors: drawn as it is, each with a stable code, and each comes back from the reply it made."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from typing import Any

import pytest

from remit import errors
from remit.errors import (
    CallError,
    ConflictError,
    DeniedError,
    InternalError,
    RemitError,
    RequestError,
    Suspended,
    ToolFailed,
    error_from_reply,
)


def below(kind: type[RemitError]) -> list[type[RemitError]]:
    """Every error of the package under ``kind``, itself included; not those that tests define."""
    children = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return [kind, *(deep for child in children for deep in below(child))]


ALL = below(RemitError)
CALL_ERRORS = [kind for kind in ALL if issubclass(kind, CallError)]
EACH_CALL_ERROR = pytest.mark.parametrize("kind", CALL_ERRORS)


def drawn() -> list[tuple[int, str]]:
    """Depth and name of each line of the drawing."""
    lines = re.findall(r"^    ([│├└─ ]*)(\w+)", inspect.getdoc(errors) or "", re.MULTILINE)
    return [(len(indent) // 3, name) for indent, name in lines]


def real(kind: type[RemitError], depth: int = 0) -> list[tuple[int, str]]:
    children = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return [(depth, kind.__name__), *(line for child in children for line in real(child, depth + 1))]


def test_the_tree_is_drawn_as_it_is() -> None:
    assert sorted(drawn()) == sorted(real(RemitError))


def test_the_drawing_puts_every_error_under_its_parent() -> None:
    path: list[str] = []
    for depth, name in drawn():
        path = [*path[:depth], name]
        kind: type = vars(errors)[name]
        assert depth == 0 or kind.__bases__ == (vars(errors)[path[depth - 1]],), name


@pytest.mark.parametrize("kind", ALL)
def test_a_failure_ends_in_error_and_says_what_it_is(kind: type[RemitError]) -> None:
    assert kind.__name__.endswith("Error") or kind is ToolFailed
    assert kind.__doc__
    assert re.fullmatch(r"[A-Z][A-Z_]*", kind.code)


def test_no_two_errors_share_a_code_but_the_two_that_say_nothing_more() -> None:
    codes = [kind.code for kind in ALL]
    shared = {code for code in codes if codes.count(code) > 1}
    assert shared == {CallError.code}
    assert [kind for kind in ALL if kind.code in shared] == [CallError, InternalError]


def test_the_codes_are_these_for_ever() -> None:
    assert {kind.__name__: kind.code for kind in ALL if kind.__name__ not in ("RemitError", "CallError")} == {
        "SetupError": "SETUP_ERROR",
        "LayerOrderError": "LAYER_ORDER",
        "ContractError": "CONTRACT_ERROR",
        "NameTakenError": "NAME_TAKEN",
        "NoModelError": "NO_MODEL",
        "InvalidArgumentsError": "VALIDATION_ERROR",
        "NotFoundError": "NOT_FOUND",
        "UnknownToolError": "UNKNOWN_TOOL",
        "AlreadyExistsError": "ALREADY_EXISTS",
        "ConflictError": "CONFLICT",
        "DeniedError": "PERMISSION_DENIED",
        "BlockedError": "BLOCKED",
        "PolicyError": "POLICY_ERROR",
        "ApprovalDeniedError": "APPROVAL_DENIED",
        "MissingCapabilityError": "CAPABILITY_ABSENT",
        "RateLimitedError": "RATE_LIMITED",
        "BreakerOpenError": "BREAKER_OPEN",
        "BudgetError": "BUDGET_EXCEEDED",
        "DeadlineError": "TIMEOUT",
        "StillRunningError": "STILL_RUNNING",
        "CallCancelledError": "CANCELLED",
        "ExternalError": "EXTERNAL_SERVICE_ERROR",
        "LostAnswerError": "ANSWER_LOST",
        "ModelError": "MODEL_ERROR",
        "ModelAccessError": "MODEL_ACCESS",
        "ModelBusyError": "MODEL_BUSY",
        "ModelRefusedError": "MODEL_REFUSED",
        "ContextLengthError": "CONTEXT_LENGTH",
        "ModelUnavailableError": "MODEL_UNAVAILABLE",
        "CompletionError": "MODEL_GARBAGE",
        "SealError": "SEAL_BROKEN",
        "IdempotencyError": "IDEMPOTENCY_KEY_REUSED",
        "InvalidOutputError": "INVALID_OUTPUT",
        "MaxTurnsError": "MAX_TURNS",
        "ToolFailed": "TOOL_FAILED",
        "InternalError": "INTERNAL_ERROR",
        "JournalError": "JOURNAL_ERROR",
        "LeaseError": "LEASE_HELD",
        "ApprovalUsedError": "APPROVAL_USED",
        "JournalFormatError": "JOURNAL_FORMAT",
        "BrokenJournalError": "JOURNAL_BROKEN",
        "AuditError": "AUDIT_BROKEN",
        "DivergedError": "DIVERGED",
        "RepeatedCallError": "REPEATED_CALL",
        "RequestError": "BAD_REQUEST",
        "RequestNotFoundError": "REQUEST_NOT_FOUND",
        "RequestDeniedError": "REQUEST_DENIED",
        "RequestConflictError": "REQUEST_CONFLICT",
    }


def test_the_message_is_the_text_of_the_error() -> None:
    error = RemitError("what, where and how to mend it")
    assert (str(error), error.message) == ("what, where and how to mend it", "what, where and how to mend it")


def test_half_a_character_in_a_message_is_replaced() -> None:
    assert ConflictError("a\ud83db").message == "a\ufffdb"


def test_the_middle_of_a_long_message_is_left_out_and_its_remedy_stays() -> None:
    error = RequestError(f"run {'x' * 5_000_000} does not exist; see: remit runs")
    assert len(str(error)) == len(error.message) == 4003
    assert (error.message[:5], error.message[-18:]) == ("run x", "st; see: remit runs"[-18:])
    assert len(ConflictError("x" * 5000).message) == 5000, "what a tool says is limited where it is recorded"


def test_only_what_may_go_well_later_is_worth_another_try() -> None:
    assert {kind.__name__ for kind in CALL_ERRORS if kind.retryable} == {
        "RateLimitedError",
        "DeadlineError",
        "StillRunningError",
        "ExternalError",
        "LostAnswerError",
        "ModelUnavailableError",
        "ModelBusyError",
        "CompletionError",
    }


def test_a_model_reads_the_details_of_an_error() -> None:
    reply = ToolFailed("declined", details={"bank": 51}).to_reply()
    assert reply == {"success": False, "error": "declined", "errorCode": "TOOL_FAILED", "details": {"bank": 51}}
    read = error_from_reply(json.dumps(reply))
    assert (type(read), read.message, read.details) == (ToolFailed, "declined", {"bank": 51})


@pytest.mark.parametrize("kind", [kind for kind in CALL_ERRORS if not issubclass(kind, DeniedError)])
def test_a_model_reads_an_error_as_no_success_with_its_code(kind: type[CallError]) -> None:
    assert kind("no page 'x'").to_reply() == {"success": False, "error": "no page 'x'", "errorCode": kind.code}


@pytest.mark.parametrize("kind", [kind for kind in CALL_ERRORS if issubclass(kind, DeniedError)])
def test_a_model_reads_a_denial_as_cancelled_with_the_reason(kind: type[CallError]) -> None:
    assert kind("not now").to_reply() == {
        "success": False,
        "cancelled": True,
        "reason": "not now",
        "error": "not now",
        "errorCode": kind.code,
    }


@pytest.mark.parametrize("kind", [kind for kind in CALL_ERRORS if kind is not CallError])
def test_an_error_comes_back_from_its_reply(kind: type[CallError]) -> None:
    error = error_from_reply(json.dumps(kind("why").to_reply()))
    assert (type(error), error.message) == (kind, "why")


@pytest.mark.parametrize("content", ['{"errorCode":"NEVER_HEARD_OF","error":"why"}', '{"error":"why"}'])
def test_an_unknown_code_comes_back_as_a_failed_tool(content: str) -> None:
    error = error_from_reply(content)
    assert (type(error), error.message) == (InternalError, "why")


def test_a_reply_without_a_message_still_gives_one() -> None:
    assert error_from_reply("{}").message == "the call failed"


class OutOfStockError(CallError, code="OUT_OF_STOCK"):
    """An application's own error."""


def test_an_applications_own_error_comes_back_as_itself() -> None:
    assert type(error_from_reply(json.dumps(OutOfStockError("none left").to_reply()))) is OutOfStockError


def test_no_except_exception_of_a_tool_swallows_the_signal_to_wait() -> None:
    with pytest.raises(Suspended) as caught, contextlib.suppress(Exception):
        raise Suspended("q1", "q2")
    assert caught.value.questions == ("q1", "q2")


def test_the_signal_to_wait_is_no_error_of_the_tree() -> None:
    assert not issubclass(Suspended, Exception)


def test_a_message_has_no_address_of_an_object_which_says_nothing_and_changes() -> None:
    value, text = object(), "at 0x7f0000000000 the program ended"
    assert RequestError(f"prompt is {value!r}; give a string").message == "prompt is <object object>; give a string"
    assert RequestError(text).message == text


class Mute:
    def __str__(self) -> str:
        raise LookupError("no text")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (ValueError("the card was declined"), "the card was declined"),
        (ValueError(), "ValueError"),
        (5, "5"),
        (10**5000, "int"),
        (Mute(), "Mute"),
        (None, "no reason was given"),
        ("", ""),
    ],
    ids=["exception", "silent exception", "number", "long number", "mute", "none", "empty"],
)
def test_what_is_not_a_text_becomes_the_message_and_nothing_says_that_it_is_missing(given: Any, message: str) -> None:
    failed = ToolFailed(given)
    assert (failed.message, str(failed)) == (message, message)
    assert failed.to_reply()["error"] == message


def test_details_that_are_not_json_are_shown_without_addresses_of_objects() -> None:
    reply = ToolFailed("declined", details={"bank": object(), "card": Mute()}).to_reply()
    assert reply["details"] == {"bank": "<object object>", "card": "Mute"}


@pytest.mark.parametrize("part", [10**5000, "cycle"], ids=["long", "cycle"])
def test_details_that_cannot_be_written_are_left_out_and_the_message_is_kept(part: object) -> None:
    details: dict[str, object] = {"part": part}
    if part == "cycle":
        details["part"] = details
    reply = ToolFailed("declined", details=details).to_reply()
    told = reply.pop("details")
    assert reply == {"success": False, "error": "declined", "errorCode": "TOOL_FAILED"}
    assert str(told).startswith("{'left_out': ")
    assert "they cannot be written as JSON: " in str(told)
