"""Where secrets come from: the environment of the process, or files in a folder."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from remit.contracts.secret import Secret, SecretRef, Secrets
from remit.errors import NotFoundError

__all__ = ["EnvSecrets", "FileSecrets", "Secret", "SecretRef", "Secrets"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class EnvSecrets:
    """Those environment variables that are named here, and no other: ``env:STRIPE_KEY``.

    A reference may come from a model. So that it cannot ask for whatever the process has, there is no "all of them".
    """

    def __init__(self, *names: str, environ: Mapping[str, str] = os.environ) -> None:
        self._names = names
        self._environ = environ

    async def resolve(self, reference: str, /) -> Secret:
        """The secret of that reference.

        Raises:
            NotFoundError: it is not named here, or not set.
        """
        scheme, _, name = reference.partition(":")
        if scheme != "env" or name not in self._names or not self._environ.get(name):
            raise _missing_secret_error(reference)
        return Secret(reference, self._environ[name])

    def __repr__(self) -> str:
        return f"EnvSecrets({', '.join(map(repr, self._names))})"


class FileSecrets:
    """The files of one folder, as containers are given them: ``file:stripe_key``. A newline at the end is left out.

    Read anew each time, so that a secret can be replaced while the process runs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def resolve(self, reference: str, /) -> Secret:
        """The secret of that reference.

        Raises:
            NotFoundError: there is no such file in the folder.
        """
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
    return NotFoundError(f"there is no secret {reference!r} here")
