"""Writes new worker files."""

from __future__ import annotations

from pathlib import Path

from remit.call.contract import check_name
from remit.call.naming import check_not_reserved
from remit.cli.status import UsageError
from remit.errors import ContractError


def check_worker_name(name: str, hint: str) -> None:
    """Refuse what cannot name a worker; ``hint`` ends the error.

    Raises:
        UsageError: says why.
    """
    try:
        check_not_reserved(check_name(name, "a worker"))
    except ContractError as error:
        raise UsageError(f"{error.message}{hint}") from error


def write_worker_file(name: str, text: str, remedy: str) -> Path:
    """Write NAME.worker in this folder. ``remedy``: what to do if it exists already.

    Raises:
        UsageError: it exists or cannot be written.
    """
    path = Path(f"{name}.worker")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} exists already; {remedy}") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return path
