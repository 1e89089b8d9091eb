"""Who makes a call: a model within a run, or a person or program by itself."""

from __future__ import annotations

from remit import LeafContext
from remit.artifacts import Artifact


def is_direct(ctx: LeafContext) -> bool:
    """Whether a person or program made the call by itself, as with ``remit call``, and reads the reply."""
    return ctx.caller.is_outside


def say_how_to_confirm(ctx: LeafContext) -> str:
    """What the reader of an announced deletion does next. In a conversation the person is asked by the runtime."""
    again = "" if ctx.caller.conversation else " Call it again with confirmed true: a person is asked then."
    return f"Nothing is deleted until the person agrees.{again}"


def describe_saving(ctx: LeafContext, file: Artifact) -> str:
    """How the caller saves a file of the reply. Models are told nothing: they pass files on as they are."""
    return f" To save it: remit artifact {file.digest} {file.name}" if is_direct(ctx) else ""
