"""What the six programs share: the work of the two tools, the instructions, and the person who is asked.

Everything that happens is a line in a file opened ``O_APPEND``, which the judge reads.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final

HOME: Final = Path(os.environ.get("COMPARE_HOME", "."))

TASK: Final = "Find out how bees winter and publish a note on it."
LEAD: Final = "You are the lead. Have the searcher find facts and the writer publish them."
SEARCHER: Final = "You are the searcher. Search for facts."
WRITER: Final = "You are the writer. Publish a note."

SEARCH_SECONDS: Final = 0.2


def search(query: str) -> str:
    """Find something. Searching twice costs, and changes nothing."""
    time.sleep(SEARCH_SECONDS)
    _append("searches.log", query)
    _kill("search", "after")
    return "Bees keep warm in a cluster."


def publish(title: str, body: str) -> str:
    """Publish a note, which cannot be taken back."""
    _kill("publish", "before")
    _append("notes.log", f"{title}: {body}")
    _kill("publish", "after")
    return f"published {title!r}"


def approve(question: object) -> bool:
    """A person is asked whether a note may be published, and says yes."""
    _append("questions.log", f"approve {question}")
    return True


def has_happened(question: object) -> bool:
    """A person is asked whether a call that was cut off has published its note, and looks."""
    _append("questions.log", f"happened {question}")
    return (HOME / "notes.log").exists()


def _append(name: str, line: str) -> None:
    handle = os.open(HOME / name, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.write(handle, line.replace("\n", " ").encode() + b"\n")
    os.close(handle)


def _kill(tool: str, place: str) -> None:
    """Kill this process the first time that it comes to the place named in the file ``kill``."""
    order = HOME / "kill"
    if order.exists() and order.read_text() == f"{tool} {place}":
        order.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
