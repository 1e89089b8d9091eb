"""The base of all errors, and the errors of setup and of the journal; their public home is `remit.errors`."""

from __future__ import annotations

from typing import ClassVar, Final


class RemitError(Exception):
    """The base class of all errors of Remit. ``str(error)`` is one line: what is wrong, where, and how to fix it.

    The middle of a message of more than ``max_chars`` is left out: it may repeat a value of any length.
    """

    code: ClassVar[str] = "REMIT_ERROR"
    max_chars: ClassVar[int] = 4000

    def __init__(self, message: str) -> None:
        half = self.max_chars // 2
        self.message = message if len(message) <= self.max_chars else f"{message[:half]} … {message[-half:]}"
        super().__init__(self.message)


class SetupError(RemitError):
    """The program is configured wrongly. Raised while building it; only `NoModelError` is also raised during a call."""

    code = "SETUP_ERROR"


class LayerOrderError(SetupError):
    """The order of layers breaks a rule. Raised by `Stack` and by the runtime."""

    code = "LAYER_ORDER"


class ContractError(SetupError):
    """A function or model cannot be a tool's contract. Raised by `tool`."""

    code = "CONTRACT_ERROR"


class NameTakenError(SetupError):
    """Two callees have the same name. Raised by the registry."""

    code = "NAME_TAKEN"


class NoModelError(SetupError):
    """The model of a run is missing: no name, key, package or file. The run rests as stalled, and can be resumed."""

    code = "NO_MODEL"


class JournalError(RemitError):
    """The journal refused a write. The executor stops as if it had crashed; no write is left half done."""

    code = "JOURNAL_ERROR"


class LeaseError(JournalError):
    """Another executor holds the run or took it over. ``executor`` is its name, empty if unknown."""

    code = "LEASE_HELD"

    def __init__(self, message: str, *, executor: str = "") -> None:
        super().__init__(message)
        self.executor = executor


class ApprovalUsedError(JournalError):
    """The approval was used before; each can be used once."""

    code = "APPROVAL_USED"


class JournalFormatError(JournalError):
    """This version cannot read the journal's format."""

    code = "JOURNAL_FORMAT"


class BrokenJournalError(JournalError):
    """An item or a row of the journal was changed, removed or forged. Nothing was run."""

    code = "JOURNAL_BROKEN"


BASE_ERRORS: Final = (
    RemitError,
    SetupError,
    LayerOrderError,
    ContractError,
    NameTakenError,
    NoModelError,
    JournalError,
    LeaseError,
    ApprovalUsedError,
    JournalFormatError,
    BrokenJournalError,
)
for _each in BASE_ERRORS:
    _each.__module__ = "remit.errors"  # what tracebacks and pickles name
