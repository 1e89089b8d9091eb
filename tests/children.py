"""Runs functions in processes that may be killed."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable


def run_in_child(function: Callable[[], object]) -> int:
    """Call a function in a forked process, which shares all that this one has imported; return its exit status."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - the child must not return into the parent's code
            traceback.print_exception(error)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
