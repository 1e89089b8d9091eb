"""Exit statuses, and the one line that reports an error."""

from __future__ import annotations

import enum
import os
import sys
import traceback
from collections.abc import Callable, Iterable

import typer
from typer import Abort, TyperException

from remit.cli.text import json_text, one_line
from remit.errors import CallCancelledError, RemitError, SetupError
from remit.lazy_exports import MissingExtraError


class ExitStatus(enum.IntEnum):
    """The exit status of a command."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    """Nothing was done: the command line, ``config.toml`` or ``REMIT_MODEL`` is invalid."""
    WAITING = 3
    """The run has not ended: it waits for a decision, or another process executes it."""


class UsageError(RemitError, code="USAGE"):
    """The command line is invalid. Raised by commands before anything is done."""


class NoSuchError(UsageError, code="NO_SUCH"):
    """An application, tool, run or question named on the command line does not exist. Nothing was done."""


class UnexpectedError(RemitError, code="INTERNAL_ERROR"):
    """An error that is not one of Remit's."""


def run_and_report(work: Callable[[], object], *, as_json: bool) -> int:
    """Run the work of a command and report an error in one line. Returns the exit status.

    ``as_json`` also prints ``{"error": …, "errorCode": …}`` on stdout. ``REMIT_DEBUG=1`` prints the traceback.
    """
    try:
        status = work()
        return status if isinstance(status, int) else ExitStatus.DONE
    except RemitError as error:
        return report_error(error, as_json=as_json)
    except TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)  # typer's class for them is private
        command = context.command_path if context else "remit"
        message = error.format_message()
        if "extra argument" in message and context and any(each.name == "ask" for each in context.command.params):
            message += ". Send a message with --ask TEXT."
        return report_error(UsageError(f"{message} See: {command} --help"), as_json=as_json)
    except MissingExtraError as error:
        return report_error(SetupError(str(error)), as_json=as_json)
    except (Abort, KeyboardInterrupt):
        return report_error(CallCancelledError("stopped"), as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last resort: a person gets a line, not a traceback
        message = one_line(f"{type(error).__name__}: {error}", max_length=400)
        unexpected = UnexpectedError(f"{message} (REMIT_DEBUG=1 shows where)")
        return report_error(unexpected, as_json=as_json)


def report_error(error: RemitError, *, as_json: bool = False) -> int:
    """Print the line about an error. Returns the exit status."""
    if os.environ.get("REMIT_DEBUG") == "1":
        traceback.print_exc()
    if as_json:
        print(json_text({"error": error.message, "errorCode": error.code}))
    print(error_line(error.code, error.message), file=sys.stderr)
    return ExitStatus.USAGE if isinstance(error, (UsageError, SetupError)) else ExitStatus.FAILED


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A "did you mean …?" suffix for a message; empty if no candidate is similar to ``name``."""
    from remit.schemas.suggestions import find_similar

    alike = find_similar(name, candidates, count=3, cutoff=0.5)
    return f"; similar: {', '.join(alike)}" if alike else ""


def error_line(code: str, message: str) -> str:
    """The one line that reports an error."""
    return f"remit: {code}: {one_line(message, max_length=2000)}"
