"""The state in which the current call was approved, for the code that writes: it is compared where it is used."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Protocol


class ApprovedState(Protocol):
    """The states that the approvers of a call saw."""

    async def compare(self) -> None:
        """Compare it with the current state.

        Raises:
            ConflictError: it has changed.
        """
        ...


APPROVED_STATE: Final[ContextVar[ApprovedState | None]] = ContextVar("remit_approved_state", default=None)
"""The approved state of the call whose body runs; None if the call was not approved."""


async def check_approved_state() -> None:
    """Refuse the current call if the state that it was approved for has changed.

    For tools that write elsewhere than with `remit.effects.once`, which does this itself. Await it as the last thing
    before the write: the call counts as one that has not started, and is asked about again. The preview of the tool is
    taken once more. A call that needed no approval, or was approved about no state, passes.

    Raises:
        ConflictError: says what changed. Let it leave the body.
    """
    approved = APPROVED_STATE.get()
    if approved is not None:
        await approved.compare()
