"""Serves the CMS to a browser on this machine, on a site that begins as the sample (``make run``).

The server listens at once, with or without a terminal, a model or Node; the web console is built beside it. Arguments
are passed to ``remit serve cms``. With ``--ask`` the editor is asked once in the terminal instead; see ``chat.py``.
"""

import os
import sys
from pathlib import Path

from build_console import start_build

CHAT = Path(__file__).with_name("chat.py")


def main(arguments: list[str]) -> None:
    """Become the server, or the program that asks once."""
    if any(each.partition("=")[0] == "--ask" for each in arguments):
        replace_process(sys.executable, str(CHAT), *arguments)
    remit = str(Path(sys.executable).with_name("remit"))
    replace_process(remit, "serve", "cms", "--console", str(start_build()), *arguments)


def replace_process(*line: str) -> None:
    """Run a program in place of this one, so that it gets its signals, with the sample as the first site."""
    os.execve(line[0], line, {**os.environ, "REMIT_CMS_SAMPLE": "1"})  # noqa: S606 - both are programs of this checkout


if __name__ == "__main__":
    main(sys.argv[1:])
