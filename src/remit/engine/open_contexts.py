"""The context variables that the calls of an open run see."""

from __future__ import annotations

from contextvars import Context, ContextVar
from typing import Any, Final

from msgspec.structs import replace

from remit.call.current_call import CURRENT_CALL
from remit.call.guard import ENTERED_LAYERS
from remit.chat.streaming import CURRENT_CHAT
from remit.core.files import DATA_FOLDER
from remit.engine.open_calls import OpenedCall
from remit.record.current_run import CURRENT_RUN

_OF_RUNS: Final = (CURRENT_RUN, CURRENT_CALL, CURRENT_CHAT, ENTERED_LAYERS)
"""The variables that say which run and call the current task executes."""


def context_of_call(caller: Context, opened: OpenedCall) -> Context:
    """A copy of the caller's context in which the current task, the body of the open run, makes the call.

    The variables of the application are those of the caller, as in a direct call. Those that describe the run are those
    of the body, because the caller may be in the body of another run.
    """
    context = caller.copy()
    for variable in _OF_RUNS:
        _pass_on(variable, context)
    around = caller[CURRENT_RUN].calls_around if CURRENT_RUN in caller else ()
    context.run(CURRENT_RUN.set, replace(CURRENT_RUN.get(), calls_around=(*around, opened)))
    return context


def context_of_no_caller() -> Context:
    """A context for an execution that several callers share, with the variables of none of them."""
    context = Context()
    _pass_on(DATA_FOLDER, context)
    return context


def _pass_on(variable: ContextVar[Any], context: Context) -> None:
    context.run(variable.set, variable.get())
