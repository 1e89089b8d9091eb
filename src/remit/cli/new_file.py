"""Writes the output of a command to a new file."""

from __future__ import annotations

import sys
from pathlib import Path

from remit.cli.status import UsageError
from remit.core.files import write_private_file


def write_new_file(file: str, content: bytes) -> None:
    """Write ``content`` to a new file that is private to its owner, or to stdout for ``-``.

    Raises:
        UsageError: the file exists or cannot be written.
    """
    try:
        if file == "-":
            sys.stdout.buffer.write(content)
        else:
            write_private_file(Path(file), content)
    except FileExistsError as error:
        raise UsageError(f"{file} exists and is not replaced; name another file") from error
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
