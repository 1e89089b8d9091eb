"""The call whose body the current task runs."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Protocol

from remit.record.ledger import Ledger
from remit.record.principal import Caller


class ApprovedState(Protocol):
    """The approval of a call: the approvers, and the states that they saw."""

    @property
    def approvers(self) -> tuple[str, ...]:
        """The names of the approvers, each once."""
        ...

    async def compare(self) -> None:
        """Compare the approved state with the current state.

        Raises:
            ConflictError: the state has changed.
        """
        ...


class CurrentCall(Protocol):
    """A call whose body runs, for code that the body calls without its context."""

    @property
    def id(self) -> str:
        """The id of the call."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The ledger of its run."""
        ...

    @property
    def callee_name(self) -> str:
        """The name of its callee, for messages."""
        ...

    @property
    def approved_state(self) -> ApprovedState | None:
        """The state for which it was approved; None if it was not approved."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether its body has ended, although a task that the body started still runs."""
        ...

    def caller_of_runs(self) -> Caller:
        """The caller of runs that the body opens.

        Raises:
            ContractError: the call has ended.
        """
        ...


CURRENT_CALL: Final[ContextVar[CurrentCall | None]] = ContextVar("remit_call", default=None)
"""The call whose body runs, set around the body and so in the tasks and threads that it starts; None outside bodies."""
