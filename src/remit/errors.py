"""Everything that can go wrong, as one tree.

    RemitError
    ├─ SetupError                   the program is put together wrongly; raised while building, before any call
    │  ├─ LayerOrderError           layers stand in an order that breaks a promise
    │  ├─ ContractError             a function or model cannot be a tool's contract
    │  ├─ NameTakenError            two callees want one name
    │  └─ NoModelError              the model that a run asks cannot be had here; the driver stops, the run stays
    ├─ CallError                    how a call can end badly; a model sees it as a reply
    │  ├─ InvalidArgumentsError     the arguments are not what the contract says
    │  ├─ NotFoundError             what was named does not exist, or not for this caller
    │  │  └─ UnknownToolError       no tool of that name
    │  ├─ AlreadyExistsError        what should be created is there already
    │  ├─ ConflictError             it changed since the caller read it
    │  ├─ DeniedError               not permitted, blocked by policy, or refused by a person
    │  │  ├─ BlockedError           a rule of the policy blocks it
    │  │  ├─ ApprovalDeniedError    a person said no, or nobody answered in time
    │  │  └─ MissingCapabilityError the capability that a layer needs is absent
    │  ├─ RateLimitedError          too many calls at present
    │  ├─ BreakerOpenError          it keeps failing, and is given time to recover
    │  ├─ BudgetError               the run has used up what it may use
    │  ├─ DeadlineError             no result in time
    │  │  └─ StillRunningError      and it has not stopped either
    │  ├─ CallCancelledError        the run was cancelled
    │  ├─ ExternalError             a service of somebody else failed
    │  │  └─ ModelError             the model could not be asked
    │  │     ├─ ModelBusyError      the model asks for patience (429)
    │  │     ├─ ModelRefusedError   the request is refused: bad key, no such model, too long
    │  │     └─ CompletionError     the model answered, but not with a completion
    │  ├─ SealError                 a layer changed arguments after they were asked about
    │  ├─ IdempotencyError          one key, two different arguments
    │  ├─ InvalidOutputError        the tool returned what its contract does not allow
    │  ├─ MaxTurnsError             the agent did not finish within its turns
    │  └─ ToolFailedError           the tool raised something of its own
    ├─ JournalError                 the journal refused; the driver stops as if it had crashed
    │  ├─ LeaseError                another driver holds the run
    │  ├─ ApprovalUsedError         an approval can be used once, and was
    │  └─ JournalFormatError        the journal was written in a format this version does not read
    ├─ AuditError                   an audit log is not the one that was anchored, or cannot be kept
    ├─ DivergedError                a run that is driven again does not do what its journal says
    └─ RequestError                 what was asked of the runtime makes no sense (no such run, already decided, …)

Failures end in ``Error``; signals do not: `Suspended` is a BaseException, so that no ``except Exception`` of a tool
swallows it.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, cast

__all__ = [
    "AlreadyExistsError",
    "ApprovalDeniedError",
    "ApprovalUsedError",
    "AuditError",
    "BlockedError",
    "BreakerOpenError",
    "BudgetError",
    "CallCancelledError",
    "CallError",
    "CompletionError",
    "ConflictError",
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
    "NameTakenError",
    "NoModelError",
    "NotFoundError",
    "RateLimitedError",
    "RemitError",
    "RequestError",
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


class RemitError(Exception):
    """The root of the tree. ``str(error)`` is one line that says what, where and how to mend it."""

    code: ClassVar[str] = "REMIT_ERROR"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SetupError(RemitError):
    """The program is put together wrongly. Raised while building; of its kinds only `NoModelError` during a call."""

    code = "SETUP_ERROR"


class LayerOrderError(SetupError):
    """Layers stand in an order that breaks a promise. Raised by `Stack` and by the runtime."""

    code = "LAYER_ORDER"


class ContractError(SetupError):
    """A function or model cannot be a tool's contract. Raised by `tool`."""

    code = "CONTRACT_ERROR"


class NameTakenError(SetupError):
    """Two callees want one name. Raised by the registry."""

    code = "NAME_TAKEN"


class NoModelError(SetupError):
    """The model that a run asks cannot be had here: no name, key, package or file. The drive stops, the run stays.

    Raised at the first request that the journal does not know. Resumed where the model can be had, the run goes on.
    """

    code = "NO_MODEL"


class CallError(RemitError):
    """How a call can end badly. A Python caller gets it raised, a model gets `reply`."""

    code = "INTERNAL_ERROR"
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        _ERRORS_BY_CODE.setdefault(cls.code, cls)

    def to_reply(self) -> dict[str, object]:
        """What a model sees instead of a result."""
        return {"success": False, "error": self.message, "errorCode": self.code}


class InvalidArgumentsError(CallError):
    """The arguments are not what the contract says. Raised by validate, the base, and tools."""

    code = "VALIDATION_ERROR"


class NotFoundError(CallError):
    """What was named does not exist, or not for this caller: the two look the same. Raised by tools."""

    code = "NOT_FOUND"


class UnknownToolError(NotFoundError):
    """No tool of that name. The message names near ones. Raised at the door."""

    code = "UNKNOWN_TOOL"


class AlreadyExistsError(CallError):
    """What should be created is there already. Raised by tools."""

    code = "ALREADY_EXISTS"


class ConflictError(CallError):
    """It changed since the caller read it. The message names the current state. Raised by tools."""

    code = "CONFLICT"


class DeniedError(CallError):
    """The call may not be made. Raised by authorize and by tools."""

    code = "PERMISSION_DENIED"

    def to_reply(self) -> dict[str, object]:
        """A denial: the model reads that the call was cancelled, and why."""
        return {
            "success": False,
            "cancelled": True,
            "reason": self.message,
            "error": self.message,
            "errorCode": self.code,
        }


class BlockedError(DeniedError):
    """A rule of the policy blocks the call. Raised by approve."""

    code = "BLOCKED"


class ApprovalDeniedError(DeniedError):
    """A person said no, or nobody answered in time. Raised by approve."""

    code = "APPROVAL_DENIED"


class MissingCapabilityError(DeniedError):
    """The capability that a layer needs is absent, so the layer refuses every call."""

    code = "CAPABILITY_ABSENT"


class RateLimitedError(CallError):
    """Too many calls at present. Raised by limit and by tools; worth another try later."""

    code = "RATE_LIMITED"
    retryable = True


class BreakerOpenError(CallError):
    """It keeps failing, and is left alone until it may have recovered. Raised by breaker."""

    code = "BREAKER_OPEN"


class BudgetError(CallError):
    """The run has used up what it may use. Raised by budget."""

    code = "BUDGET_EXCEEDED"


class DeadlineError(CallError):
    """No result in time. Raised by timeout."""

    code = "TIMEOUT"
    retryable = True


class StillRunningError(DeadlineError):
    """No result in time, and it was told to stop and has not. Raised by timeout; its end is journaled when it comes."""

    code = "STILL_RUNNING"


class CallCancelledError(CallError):
    """The run was cancelled while the call was under way."""

    code = "CANCELLED"


class ExternalError(CallError):
    """A service of somebody else failed. Raised by tools and adapters; worth another try."""

    code = "EXTERNAL_SERVICE_ERROR"
    retryable = True


class ModelError(ExternalError):
    """The model could not be asked: refused connection, no answer, a failing server. Raised by model adapters."""

    code = "MODEL_ERROR"


class ModelBusyError(ModelError):
    """The model asks for patience. Raised by model adapters; worth another try later."""

    code = "MODEL_BUSY"


class ModelRefusedError(ModelError):
    """The model's endpoint refuses the request: a bad key, no such model, too long. Raised by model adapters."""

    code = "MODEL_REFUSED"
    retryable = False


class CompletionError(ModelError):
    """The model answered, but not with a whole completion. Raised by model adapters and the agent."""

    code = "MODEL_GARBAGE"
    retryable = False


class SealError(CallError):
    """A layer changed arguments after they were asked about. Raised by the base."""

    code = "SEAL_BROKEN"


class IdempotencyError(CallError):
    """One idempotency key was used for two different things. Raised by `remit.effects` and the runtime."""

    code = "IDEMPOTENCY_KEY_REUSED"


class InvalidOutputError(CallError):
    """The tool returned what its contract or JSON does not allow. Raised by the base."""

    code = "INVALID_OUTPUT"


class MaxTurnsError(CallError):
    """The agent did not finish within its turns. Raised by the agent loop."""

    code = "MAX_TURNS"


class ToolFailedError(CallError):
    """The tool raised something of its own; the original is its ``__cause__``. Raised by the base."""

    code = "INTERNAL_ERROR"


class JournalError(RemitError):
    """The journal refused. The driver of the run stops as if it had crashed; nothing is half written."""

    code = "JOURNAL_ERROR"


class LeaseError(JournalError):
    """Another driver holds the run, or took it over. ``executor``: who holds it, where that is known."""

    code = "LEASE_HELD"

    def __init__(self, message: str, *, executor: str = "") -> None:
        super().__init__(message)
        self.executor = executor


class ApprovalUsedError(JournalError):
    """An approval can be used once, and was."""

    code = "APPROVAL_USED"


class JournalFormatError(JournalError):
    """The journal was written in a format that this version does not read."""

    code = "JOURNAL_FORMAT"


class AuditError(RemitError):
    """The audit log is not the one that was anchored, or log or anchor cannot be used. Raised by `Audit`."""

    code = "AUDIT_BROKEN"


class DivergedError(RemitError):
    """A run that is driven again does not do what its journal says. Raised by replay and resume."""

    code = "DIVERGED"


class RequestError(RemitError):
    """What was asked of the runtime makes no sense: no such run, already decided, not yours to decide."""

    code = "BAD_REQUEST"


class Suspended(BaseException):
    """The run waits for a person. A signal, not a failure: it leaves a batch after every sibling has ended."""

    def __init__(self, *questions: str) -> None:
        super().__init__(*questions)
        self.questions = questions


def as_no_model_error(error: SetupError) -> NoModelError:
    """What is put together wrongly where a model is to be asked, as the error that leaves the run as it is."""
    return error if isinstance(error, NoModelError) else NoModelError(error.message)


def error_from_reply(content: str) -> CallError:
    """The error that a recorded reply stands for, an application's own too. An unknown code is a `ToolFailedError`."""
    body = cast("dict[str, object]", json.loads(content))
    error_class = _ERRORS_BY_CODE.get(str(body.get("errorCode")), ToolFailedError)
    error = error_class.__new__(error_class)
    CallError.__init__(error, str(body.get("error", "the call failed")))
    return error
