"""Entry point of the program `remit`."""

from __future__ import annotations

import atexit
import gc
import logging
import sys
from typing import Final

from remit.cli.version import print_version
from remit.lazy_exports import install_hint

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 100_000


def main() -> None:
    """Run the command line; ends the process with the command's exit status.

    Garbage is collected rarely, and not at the exit: start-up creates only objects that last as long as the process,
    and searching them for garbage would take a quarter of its time.
    """
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("remit: CANCELLED: stopped\n")
        sys.exit(130)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # without the command line's own imports
        print_version()
        return
    try:
        from remit.cli.commands import remit
    except ModuleNotFoundError as error:
        if (error.name or "remit").partition(".")[0] == "remit":
            raise
        sys.exit(f"remit: SETUP_ERROR: the command line needs {error.name}; {install_hint('cli')}")
    # A command prints the error of a run itself, and `remit show` says where a tool raised it.
    logging.getLogger("remit.tools").addHandler(logging.NullHandler())
    remit()
