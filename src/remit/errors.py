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
    │  │  ├─ PolicyError            a policy rule failed, or returned something else than a verdict
    │  │  ├─ ApprovalDeniedError    an approver denied the call, or no decision came in time
    │  │  └─ MissingCapabilityError a capability that a layer needs is missing
    │  ├─ RateLimitedError          too many calls
    │  ├─ BreakerOpenError          the tool keeps failing and is not called until it may have recovered
    │  ├─ BudgetError               the run has used up its budget
    │  ├─ DeadlineError             no result in time
    │  │  └─ StillRunningError      no result in time, and the call has not stopped
    │  ├─ CallCancelledError        the run was cancelled
    │  ├─ ExternalError             an external service failed, or its connection
    │  │  └─ ModelError             the request to the model failed
    │  │     ├─ ModelUnavailableError  it cannot be reached, does not answer in time, or its server fails (5xx)
    │  │     │  └─ ModelBusyError   the provider limits the rate of requests (429)
    │  │     ├─ ModelRefusedError   the provider refused the request: bad key, unknown model
    │  │     │  └─ ContextLengthError  the request is longer than the model's context
    │  │     └─ CompletionError     the model's answer is not a whole completion
    │  ├─ SealError                 a layer changed the arguments after they were approved
    │  ├─ IdempotencyError          one idempotency key was used with different arguments
    │  ├─ InvalidOutputError        the tool returned a value that its contract does not allow
    │  ├─ MaxTurnsError             the agent did not finish within its turns
    │  ├─ RepeatedCallError         the model makes a call again, although nothing has changed since
    │  └─ ToolFailedError           the tool raised an exception of its own
    ├─ JournalError                 the journal refused a write; the executor stops as if it had crashed
    │  ├─ LeaseError                another executor holds the run
    │  ├─ ApprovalUsedError         the approval was used before
    │  ├─ JournalFormatError        this version cannot read the journal's format
    │  └─ BrokenJournalError        an item or a row was changed, removed or forged; nothing was run
    ├─ AuditError                   an audit log is not the anchored one, or cannot be written
    ├─ DivergedError                a replayed run does something else than its journal records
    └─ RequestError                 the runtime cannot do what was requested; by itself: the request is not valid
       ├─ RequestNotFoundError      the run, question, … does not exist, or is invisible to this principal
       ├─ RequestDeniedError        the principal sees it and may not do that
       └─ RequestConflictError      its state does not allow that now: busy, decided or revoked already, …

Failures end in ``Error``; the signal `Suspended` does not.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, cast

from remit.base_errors import (
    ApprovalUsedError,
    BrokenJournalError,
    ContractError,
    JournalError,
    JournalFormatError,
    LayerOrderError,
    LeaseError,
    NameTakenError,
    NoModelError,
    RemitError,
    SetupError,
)
from remit.signals import Suspended

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
    "InvalidArgumentsError",
    "InvalidOutputError",
    "JournalError",
    "JournalFormatError",
    "LayerOrderError",
    "LeaseError",
    "MaxTurnsError",
    "MissingCapabilityError",
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
    "ToolFailedError",
    "UnknownToolError",
    "as_no_model_error",
    "error_from_reply",
]

_ERRORS_BY_CODE: Final = dict[str, "type[CallError]"]()


class CallError(RemitError):
    """A call failed. Python callers get the exception, models get `to_reply`."""

    code = "INTERNAL_ERROR"
    max_chars = 1 << 30  # `Limits.error_bytes` limits what is recorded and shown
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        _ERRORS_BY_CODE.setdefault(cls.code, cls)

    def to_reply(self) -> dict[str, object]:
        """The reply that the model sees instead of a result."""
        return {"success": False, "error": self.message, "errorCode": self.code}


class InvalidArgumentsError(CallError):
    """The arguments do not match the contract. Raised by validate, by the base and by tools."""

    code = "VALIDATION_ERROR"


class NotFoundError(CallError):
    """The named object does not exist, or is invisible to this caller: both look the same. Raised by tools."""

    code = "NOT_FOUND"


class UnknownToolError(NotFoundError):
    """No tool has that name. The message suggests similar names. Raised by the dispatcher."""

    code = "UNKNOWN_TOOL"


class AlreadyExistsError(CallError):
    """The object to be created exists already. Raised by tools."""

    code = "ALREADY_EXISTS"


class ConflictError(CallError):
    """The object changed since the caller read it. The message gives its current state. Raised by tools."""

    code = "CONFLICT"


class DeniedError(CallError):
    """The call is not permitted. Raised by authorize and by tools."""

    code = "PERMISSION_DENIED"

    def to_reply(self) -> dict[str, object]:
        """A denial: it tells the model that the call was cancelled, and why."""
        return {"success": False, "cancelled": True, "reason": self.message} | super().to_reply()


class BlockedError(DeniedError):
    """A policy rule blocks the call. Raised by approve."""

    code = "BLOCKED"


class PolicyError(DeniedError):
    """A policy rule failed or returned something that is not a verdict, so the call is denied. Raised by approve."""

    code = "POLICY_ERROR"


class ApprovalDeniedError(DeniedError):
    """An approver denied the call, or no decision came in time. Raised by approve."""

    code = "APPROVAL_DENIED"


class MissingCapabilityError(DeniedError):
    """A capability that a layer needs is missing, so the layer refuses every call."""

    code = "CAPABILITY_ABSENT"


class RateLimitedError(CallError):
    """Too many calls. Raised by limit and by tools. Retryable."""

    code = "RATE_LIMITED"
    retryable = True


class BreakerOpenError(CallError):
    """The tool keeps failing and is not called until it may have recovered. Raised by breaker."""

    code = "BREAKER_OPEN"


class BudgetError(CallError):
    """The run has used up its budget. Raised by budget."""

    code = "BUDGET_EXCEEDED"


class DeadlineError(CallError):
    """No result in time. Raised by timeout. Retryable."""

    code = "TIMEOUT"
    retryable = True


class StillRunningError(DeadlineError):
    """No result in time, and the call has not stopped. Raised by timeout; the call's end is journaled later."""

    code = "STILL_RUNNING"


class CallCancelledError(CallError):
    """The run was cancelled during the call."""

    code = "CANCELLED"


class ExternalError(CallError):
    """An external service failed. Raised by tools and adapters, and by the base for a lost connection. Retryable."""

    code = "EXTERNAL_SERVICE_ERROR"
    retryable = True


class ModelError(ExternalError):
    """The request to the model failed. ``retry_after``: the seconds that the provider asks to wait, None if unknown."""

    code = "MODEL_ERROR"
    retryable = False
    retry_after: float | None = None

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailableError(ModelError):
    """The model cannot be reached, does not answer in time, or its server fails. Retryable."""

    code = "MODEL_UNAVAILABLE"
    retryable = True


class ModelBusyError(ModelUnavailableError):
    """The provider limits the rate of requests. Retryable."""

    code = "MODEL_BUSY"


class ModelRefusedError(ModelError):
    """The provider refused the request: bad key, unknown model."""

    code = "MODEL_REFUSED"


class ContextLengthError(ModelRefusedError):
    """The request is longer than the model's context. An agent with a `Compaction` compacts its history."""

    code = "CONTEXT_LENGTH"


class CompletionError(ModelError):
    """The model's answer is not a whole completion. Raised by model adapters and the agent."""

    code = "MODEL_GARBAGE"


class SealError(CallError):
    """A layer changed the arguments after they were approved. Raised by the base."""

    code = "SEAL_BROKEN"


class IdempotencyError(CallError):
    """One idempotency key was used with different arguments. Raised by `remit.effects` and the runtime."""

    code = "IDEMPOTENCY_KEY_REUSED"


class InvalidOutputError(CallError):
    """The tool returned a value that its contract or JSON does not allow. Raised by the base."""

    code = "INVALID_OUTPUT"


class MaxTurnsError(CallError):
    """The agent did not finish within its turns. Raised by the agent loop."""

    code = "MAX_TURNS"


class RepeatedCallError(CallError):
    """The model makes a call again, although nothing has changed since. Raised for the call, and then for the agent."""

    code = "REPEATED_CALL"


class ToolFailedError(CallError):
    """The tool raised an exception of its own, which is the ``__cause__``. Raised by the base."""

    code = "INTERNAL_ERROR"


class AuditError(RemitError):
    """The audit log is not the anchored one, or log or anchor cannot be used. Raised by `Audit`."""

    code = "AUDIT_BROKEN"


class DivergedError(RemitError):
    """A replayed run does something else than its journal records. Raised by replay and resume."""

    code = "DIVERGED"


class RequestError(RemitError):
    """The runtime cannot do what was requested. An error of this class itself: a value of the request is not valid."""

    code = "BAD_REQUEST"


class RequestNotFoundError(RequestError):
    """What the request names does not exist, or is invisible to this principal: both look the same."""

    code = "REQUEST_NOT_FOUND"


class RequestDeniedError(RequestError):
    """The principal may not do that, with something that they see or that anybody may know of."""

    code = "REQUEST_DENIED"


class RequestConflictError(RequestError):
    """The present state does not allow the request: a busy conversation, a decided question, a run without result."""

    code = "REQUEST_CONFLICT"


def as_no_model_error(error: SetupError) -> NoModelError:
    """The setup error of an unavailable model as a `NoModelError`, which leaves the run as it is."""
    return error if isinstance(error, NoModelError) else NoModelError(error.message)


def error_from_reply(content: str) -> CallError:
    """Rebuild the error of a recorded reply, an application's own too; a `ToolFailedError` for an unknown code."""
    body = cast("dict[str, object]", json.loads(content))
    error_class = _ERRORS_BY_CODE.get(str(body.get("errorCode")), ToolFailedError)
    error = error_class.__new__(error_class)
    CallError.__init__(error, str(body.get("error", "the call failed")))
    return error
