"""All errors, as one tree.

    RemitError
    ├─ SetupError                   the program is configured wrongly; raised while building it, before any call
    │  ├─ LayerOrderError           the order of layers breaks a rule
    │  ├─ ContractError             a function or model cannot be a tool's contract
    │  ├─ NameTakenError            two callees have the same name
    │  └─ NoModelError              the model of a run is missing; the run rests as stalled
    ├─ CallError                    a call failed; the model sees the error as a reply
    │  ├─ InvalidArgumentsError     the arguments do not match the contract
    │  ├─ NotFoundError             the named object does not exist, or is invisible to this caller
    │  │  └─ UnknownToolError       no tool has that name
    │  ├─ AlreadyExistsError        the object to be created exists already
    │  ├─ ConflictError             the object changed since the caller read it
    │  ├─ DeniedError               not permitted, blocked by policy, or denied by an approver
    │  │  ├─ BlockedError           a policy rule blocks the call
    │  │  ├─ PolicyError            a policy rule failed, or did not return a verdict
    │  │  ├─ ApprovalDeniedError    an approver denied the call, or no decision came in time
    │  │  └─ MissingCapabilityError a capability that a layer needs is missing
    │  ├─ RateLimitedError          too many calls
    │  ├─ BreakerOpenError          the tool keeps failing and is not called until it may have recovered
    │  ├─ BudgetError               the run has used up its budget
    │  ├─ DeadlineError             no result in time
    │  │  └─ StillRunningError      no result in time, and the call has not stopped
    │  ├─ CallCancelledError        the run was cancelled, or the caller cancelled the call
    │  ├─ ExternalError             an external service or its connection failed
    │  │  ├─ LostAnswerError        the request was sent, and its answer is lost: it may have been carried out
    │  │  └─ ModelError             the request to the model failed
    │  │     ├─ ModelUnavailableError  it cannot be reached, does not answer in time, or its server fails (5xx)
    │  │     │  ├─ ModelAccessError  the provider refuses the key, account, model, tools or settings; the run rests
    │  │     │  ├─ ModelBusyError   the provider limits the rate of requests (429)
    │  │     │  └─ CompletionError  the model's answer is not a whole completion
    │  │     └─ ModelRefusedError   the provider refused the request
    │  │        └─ ContextLengthError  the request is longer than the model's context
    │  ├─ SealError                 a layer changed the arguments after they were approved
    │  ├─ IdempotencyError          one idempotency key was used with different arguments
    │  ├─ InvalidOutputError        the tool returned a value that its contract does not allow
    │  ├─ MaxTurnsError             the agent did not finish within its turns
    │  ├─ RepeatedCallError         the model makes a call again, although nothing has changed since
    │  ├─ ToolFailed                the tool answers that it failed, and why
    │  └─ InternalError             code of the application raised another exception
    ├─ JournalError                 the journal refused a write; the executor stops as if it had crashed
    │  ├─ LeaseError                another executor holds the run
    │  ├─ ApprovalUsedError         the approval was used before
    │  ├─ JournalFormatError        this version cannot read the journal's format
    │  └─ BrokenJournalError        an item or a row was changed, removed or forged; nothing was run
    ├─ AuditError                   an audit log is not the anchored one, or cannot be written
    ├─ DivergedError                a replayed run differs from its journal
    └─ RequestError                 the runtime cannot do what was requested; by itself: the request is not valid
       ├─ RequestNotFoundError      the run, question, … does not exist, or is invisible to this principal
       ├─ RequestDeniedError        the principal sees it and may not do that
       └─ RequestConflictError      its state does not allow that now: busy, decided or revoked already, …

Failures end in ``Error``; `ToolFailed`, an answer of a tool, and the signal `Suspended` do not.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Final, cast

from remit.shown import HALF_CHARACTER, show_details, show_text

__all__ = [
    "AlreadyExistsError",
    "ApprovalDeniedError",
    "ApprovalUsedError",
    "AuditError",
    "BlockedError",
    "BreakerOpenError",
    "BrokenJournalError",
    "BudgetError",
    "CallCancelledError",
    "CallError",
    "CompletionError",
    "ConflictError",
    "ContextLengthError",
    "ContractError",
    "DeadlineError",
    "DeniedError",
    "DivergedError",
    "ExternalError",
    "IdempotencyError",
    "InternalError",
    "InvalidArgumentsError",
    "InvalidOutputError",
    "JournalError",
    "JournalFormatError",
    "LayerOrderError",
    "LeaseError",
    "LostAnswerError",
    "MaxTurnsError",
    "MissingCapabilityError",
    "ModelAccessError",
    "ModelBusyError",
    "ModelError",
    "ModelRefusedError",
    "ModelUnavailableError",
    "NameTakenError",
    "NoModelError",
    "NotFoundError",
    "PolicyError",
    "RateLimitedError",
    "RemitError",
    "RepeatedCallError",
    "RequestConflictError",
    "RequestDeniedError",
    "RequestError",
    "RequestNotFoundError",
    "SealError",
    "SetupError",
    "StillRunningError",
    "Suspended",
    "ToolFailed",
    "UnknownToolError",
    "error_from_reply",
]

_ERRORS_BY_CODE: Final = dict[str, "type[CallError]"]()


class RemitError(Exception):
    """The base class of all errors of Remit. ``str(error)`` is one line: what is wrong, where, and how to fix it.

    A class of errors is declared with its ``code``: ``class OutOfStockError(CallError, code="OUT_OF_STOCK")``.
    A message has no addresses of objects in memory, no lone surrogates, and no middle beyond ``max_chars``.
    """

    code: str = "REMIT_ERROR"
    max_chars: ClassVar[int] = 4000

    def __init_subclass__(cls, *, code: str = "") -> None:
        super().__init_subclass__()
        cls.code = code or cls.code

    def __init__(self, message: str) -> None:
        half, message = self.max_chars // 2, HALF_CHARACTER.sub("\ufffd", show_text(message))
        self.message = message if len(message) <= self.max_chars else f"{message[:half]} … {message[-half:]}"
        super().__init__(self.message)


class SetupError(RemitError, code="SETUP_ERROR"):
    """The program is configured wrongly. Raised while building or opening it; only `NoModelError` during a call."""


class LayerOrderError(SetupError, code="LAYER_ORDER"):
    """The order of layers breaks a rule. Raised by `Stack` and by the runtime."""


class ContractError(SetupError, code="CONTRACT_ERROR"):
    """A function or model cannot be a tool's contract. Raised by `tool`."""


class NameTakenError(SetupError, code="NAME_TAKEN"):
    """Two callees have the same name. Raised by the registry."""


class NoModelError(SetupError, code="NO_MODEL"):
    """A run's model has no name, key, package or file, or no price under a limit on cost. The run rests as stalled."""


class CallError(RemitError, code="INTERNAL_ERROR"):
    """A call failed. Python callers get the exception, models get `to_reply`, which has ``details`` as JSON."""

    raised_at: str = ""  # where the application raised it, if it replaces another exception
    max_chars = 1 << 30  # `Limits.error_bytes` limits what is recorded and shown
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls, *, code: str = "") -> None:
        super().__init_subclass__(code=code)
        _ERRORS_BY_CODE.setdefault(cls.code, cls)

    def __init__(self, message: str, *, details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.details = details

    def to_reply(self) -> dict[str, object]:
        """The reply that the model sees instead of a result."""
        told: dict[str, object] = {"success": False, "error": self.message, "errorCode": self.code}
        return {**told, "details": show_details(self.details)} if self.details else told


class InvalidArgumentsError(CallError, code="VALIDATION_ERROR"):
    """The arguments do not match the contract. Raised by validate, by the base and by tools."""


class NotFoundError(CallError, code="NOT_FOUND"):
    """The named object does not exist, or is invisible to this caller: both look the same. Raised by tools."""


class UnknownToolError(NotFoundError, code="UNKNOWN_TOOL"):
    """No tool has that name. The message suggests similar names. Raised by the dispatcher."""


class AlreadyExistsError(CallError, code="ALREADY_EXISTS"):
    """The object to be created exists already. Raised by tools."""


class ConflictError(CallError, code="CONFLICT"):
    """The object changed since the caller read it. The message gives its current state. Raised by tools."""


class DeniedError(CallError, code="PERMISSION_DENIED"):
    """The call is not permitted. Raised by authorize and by tools."""

    def to_reply(self) -> dict[str, object]:
        """A denial: it tells the model that the call was cancelled, and why."""
        return {"success": False, "cancelled": True, "reason": self.message} | super().to_reply()


class BlockedError(DeniedError, code="BLOCKED"):
    """A policy rule or a visibility blocks the call. Raised by approve and authorize."""


class PolicyError(DeniedError, code="POLICY_ERROR"):
    """A policy rule failed or returned something that is not a verdict, so the call is denied. Raised by approve."""


class ApprovalDeniedError(DeniedError, code="APPROVAL_DENIED"):
    """An approver denied the call, or no decision came in time. Raised by approve."""


class MissingCapabilityError(DeniedError, code="CAPABILITY_ABSENT"):
    """A capability that a layer needs is missing, so the layer refuses every call."""


class RateLimitedError(CallError, code="RATE_LIMITED"):
    """Too many calls. Raised by limit and by tools. Retryable."""

    retryable = True


class BreakerOpenError(CallError, code="BREAKER_OPEN"):
    """The tool keeps failing and is not called until it may have recovered. Raised by breaker."""


class BudgetError(CallError, code="BUDGET_EXCEEDED"):
    """The run has used up its budget. Raised by budget. ``limit``: the limit of the meter that is used up, if any."""

    limit: object = None


class DeadlineError(CallError, code="TIMEOUT"):
    """No result in time. Raised by timeout. Retryable."""

    retryable = True


class StillRunningError(DeadlineError, code="STILL_RUNNING"):
    """No result in time, and the call has not stopped. Raised by timeout; the call's end is journaled later."""


class CallCancelledError(CallError, code="CANCELLED"):
    """The run was cancelled during the call, or the caller cancelled the call."""


class ExternalError(CallError, code="EXTERNAL_SERVICE_ERROR"):
    """An external service failed. Raised by tools and adapters, and by the base for a lost connection. Retryable."""

    retryable = True


class LostAnswerError(ExternalError, code="ANSWER_LOST"):
    """The request was sent, and its answer is lost. Of an unsafe call, a person says whether it happened. Retryable."""


class ModelError(ExternalError, code="MODEL_ERROR"):
    """The request to the model failed. ``retry_after``: the provider's requested delay in seconds; None if unknown."""

    retryable = False
    retry_after: float | None = None

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailableError(ModelError, code="MODEL_UNAVAILABLE"):
    """The model cannot be reached, does not answer in time, or its server fails. Retryable."""

    retryable = True


class ModelBusyError(ModelUnavailableError, code="MODEL_BUSY"):
    """The provider limits the rate of requests. Retryable."""


class ModelAccessError(ModelUnavailableError, code="MODEL_ACCESS"):
    """The provider refuses the key, the account, the model, or its tools and settings, or redirects. The run rests."""

    retryable = False


class CompletionError(ModelUnavailableError, code="MODEL_GARBAGE"):
    """The model's answer is not a whole completion, such as the page of a proxy. The run rests. Retryable."""


class ModelRefusedError(ModelError, code="MODEL_REFUSED"):
    """The provider refused the request."""


class ContextLengthError(ModelRefusedError, code="CONTEXT_LENGTH"):
    """The request is longer than the model's context, also once its history is compacted. It says what is too long."""


class SealError(CallError, code="SEAL_BROKEN"):
    """A layer changed the arguments after they were approved. Raised by the base."""


class IdempotencyError(CallError, code="IDEMPOTENCY_KEY_REUSED"):
    """One idempotency key was used with different arguments. Raised by `remit.effects` and the runtime."""


class InvalidOutputError(CallError, code="INVALID_OUTPUT"):
    """The tool returned a value that its contract or JSON does not allow. Raised by the base."""


class MaxTurnsError(CallError, code="MAX_TURNS"):
    """The agent did not finish within its turns. Raised by the agent loop."""


class RepeatedCallError(CallError, code="REPEATED_CALL"):
    """The model makes a call again, although nothing has changed since. Raised for the call, and then for the agent."""


class ToolFailed(CallError, code="TOOL_FAILED"):  # noqa: N818 - the answer of a tool
    """The tool answers that it failed: ``raise ToolFailed("the card was declined")``. It is not tried again."""


class InternalError(CallError, code="INTERNAL_ERROR"):
    """Code of the application raised an exception, which is the ``__cause__``. Raised by the base."""


class JournalError(RemitError, code="JOURNAL_ERROR"):
    """The journal refused a write. The executor stops as if it had crashed; no write is left half done."""


class LeaseError(JournalError, code="LEASE_HELD"):
    """Another executor holds the run or took it over. ``executor`` is its name, empty if unknown."""

    def __init__(self, message: str, *, executor: str = "") -> None:
        super().__init__(message)
        self.executor = executor


class ApprovalUsedError(JournalError, code="APPROVAL_USED"):
    """The approval was used before; each can be used once."""


class JournalFormatError(JournalError, code="JOURNAL_FORMAT"):
    """This version cannot read the journal's format."""


class BrokenJournalError(JournalError, code="JOURNAL_BROKEN"):
    """An item or a row of the journal was changed, removed or forged. Nothing was run."""


class AuditError(RemitError, code="AUDIT_BROKEN"):
    """The audit log is not the anchored one, or log or anchor cannot be used. Raised by `Audit`."""


class DivergedError(RemitError, code="DIVERGED"):
    """A replayed run differs from its journal. Raised by replay and resume."""


class RequestError(RemitError, code="BAD_REQUEST"):
    """The runtime cannot do what was requested. An error of this class itself: a value of the request is not valid."""


class RequestNotFoundError(RequestError, code="REQUEST_NOT_FOUND"):
    """The requested object does not exist, or is invisible to this principal: both look the same."""


class RequestDeniedError(RequestError, code="REQUEST_DENIED"):
    """The principal lacks a permission for an object that is visible to it or public."""


class RequestConflictError(RequestError, code="REQUEST_CONFLICT"):
    """The present state does not allow the request: a busy conversation, a decided question, a run without result."""


class Suspended(BaseException):
    """The run waits for decisions, or rests for a ``reason`` that will pass: after ``retry_after`` seconds, if known.

    A scheduled call rests until ``starts_at`` (epoch seconds). A signal: it leaves a batch last. Raised by approve.
    """

    def __init__(self, *questions: str, reason: str = "", retry_after: float | None = None, starts_at: float = 0):
        super().__init__(*questions)
        self.questions, self.reason, self.retry_after, self.starts_at = questions, reason, retry_after, starts_at


def error_from_reply(content: str) -> CallError:
    """Rebuild the error of a recorded reply, even an application's own. Unknown codes give an `InternalError`."""
    body = cast("dict[str, Any]", json.loads(content))
    code = str(body.get("errorCode") or InternalError.code)
    error = (kind := _ERRORS_BY_CODE.get(code, InternalError)).__new__(kind)
    CallError.__init__(error, str(body.get("error", "the call failed")), details=body.get("details"))
    error.code = code
    return error
