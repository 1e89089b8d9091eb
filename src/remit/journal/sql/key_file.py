"""The file with the key of a journal's signatures, outside of its database."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url

from remit.core.checks import as_path
from remit.core.files import check_trusted, sync_folder, write_private_file
from remit.errors import JournalError, SetupError

KEY_VARIABLE: Final = "REMIT_JOURNAL_KEY"
"""Names the key file of a journal in Postgres."""

_KEY_LENGTH: Final = 32
_IS_POSIX: Final = os.name == "posix"


def configured_key_file(url: URL, key_file: Path | None) -> Path | None:
    """The configured key file: ``key_file`` or, for Postgres, the environment's. SQLite needs none.

    Raises:
        SetupError: a journal in Postgres has none.
    """
    if key_file is not None:
        return as_path("SqlStore: key_file", key_file)
    if url.get_backend_name() == "sqlite":
        return None
    if not os.environ.get(KEY_VARIABLE):
        raise SetupError(
            f"a journal in Postgres needs a key: set {KEY_VARIABLE} to the path of a file, the same for all processes"
        )
    return Path(os.environ[KEY_VARIABLE])


def locate_key_file(url: str, key_file: str) -> Path:
    """The key file of the journal at ``url``: the configured one, or that beside the file of SQLite.

    Raises:
        SetupError: a journal in Postgres has none.
    """
    parsed = make_url(url)
    return configured_key_file(parsed, Path(key_file) if key_file else None) or Path(f"{parsed.database}.key")


def read_key(path: Path) -> bytes | None:
    """The key in ``path``, or None if there is no such file.

    Raises:
        JournalError: the file cannot be read, others may read it, or it holds no key.
        SetupError: another user owns it.
    """
    try:
        with path.open("rb") as file:
            mode, text = os.fstat(file.fileno()).st_mode, file.read(1000).strip()
        if _IS_POSIX and mode & 0o077:
            raise JournalError(f"others can read the key of the journal, {path}; run: chmod 600 {path}")
        check_trusted(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"the key of the journal, {path}, could not be read: {error.strerror}") from error
    try:
        key = bytes.fromhex(text.decode())
    except ValueError:
        key = b""
    if len(key) != _KEY_LENGTH:
        raise JournalError(
            f"{path} is not the key of a journal, which has {2 * _KEY_LENGTH} hexadecimal digits; restore it"
        )
    return key


def create_key(path: Path) -> bytes:
    """Write a new key to ``path``, readable only by its owner, and return it or the key of a faster process.

    Raises:
        JournalError: the file cannot be written.
    """
    key = secrets.token_bytes(_KEY_LENGTH)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            write_private_file(temporary, f"{key.hex()}\n".encode())  # the signatures must not outlive their key
            os.link(temporary, path)  # unlike a rename, it replaces no key
        finally:
            temporary.unlink(missing_ok=True)
        if _IS_POSIX:
            sync_folder(path.parent)
    except FileExistsError:
        return read_key(path) or create_key(path)
    except OSError as error:
        raise JournalError(f"the key of the journal, {path}, could not be written: {error.strerror}") from error
    return key
