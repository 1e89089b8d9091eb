"""Sources of secrets: environment variables, or files in a folder."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.core.checks import check_text
from remit.errors import NotFoundError
from remit.record.secret import Secret, SecretRef, Secrets

__all__ = ["EnvSecrets", "FileSecrets", "Secret", "SecretRef", "Secrets"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@check_arguments()
class EnvSecrets:
    """Secrets from the environment variables listed here: ``env:STRIPE_KEY``.

    References may come from a model, so there is no way to allow the whole environment.
    """

    def __init__(self, *names: Name, environ: Mapping[str, str] = os.environ) -> None:
        self._names = names
        self._environ = environ

    async def resolve(self, reference: str, /) -> Secret:
        """Look up the secret.

        Raises:
            NotFoundError: the variable is not listed, or not set.
        """
        check_text("EnvSecrets: a reference", reference)
        scheme, _, name = reference.partition(":")
        if scheme != "env" or name not in self._names or not self._environ.get(name):
            raise _missing_secret_error(reference)
        return Secret(reference, self._environ[name])

    def __repr__(self) -> str:
        return f"EnvSecrets({', '.join(map(repr, self._names))})"


@check_arguments()
class FileSecrets:
    """Secrets from the files of one folder, as mounted into containers: ``file:stripe_key``.

    One final newline is removed. Files are read on every use, so that a secret can be replaced while the process runs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def resolve(self, reference: str, /) -> Secret:
        """Look up the secret.

        Raises:
            NotFoundError: the folder has no such file.
        """
        check_text("FileSecrets: a reference", reference)
        scheme, _, name = reference.partition(":")
        if scheme != "file" or not _NAME.fullmatch(name):
            raise _missing_secret_error(reference)
        try:
            value = await asyncio.to_thread((self._folder / name).read_text, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise _missing_secret_error(reference) from error
        return Secret(reference, value.removesuffix("\n").removesuffix("\r"))

    def __repr__(self) -> str:
        return f"FileSecrets({str(self._folder)!r})"


def _missing_secret_error(reference: str) -> NotFoundError:
    return NotFoundError(f"no secret {reference!r}; use a reference that this application provides")
