"""The approval of the current call, for the code that writes: who approved it, and for which state."""

from __future__ import annotations

from remit.call.current_call import CURRENT_CALL, ApprovedState


def approved_state() -> ApprovedState | None:
    """The state for which the current call was approved; None if it was not approved, or no body runs."""
    current = CURRENT_CALL.get()
    return None if current is None else current.approved_state


def find_approvers() -> tuple[str, ...]:
    """The names of the people who approved the current call, each once; empty if it needed no approval."""
    approved = approved_state()
    return () if approved is None else approved.approvers


async def check_approved_state() -> None:
    """Refuse the current call if the state that it was approved for has changed.

    For tools that do not write with `remit.effects.once`, which does this itself. Await it immediately before the
    write: if the state has changed, the call counts as not started and is asked about again. The check takes the tool's
    preview again. A call that needed no approval, or whose approval covers no state, passes.

    Raises:
        ConflictError: says what changed. Let it propagate out of the body.
    """
    approved = approved_state()
    if approved is not None:
        await approved.compare()
