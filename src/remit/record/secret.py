"""Secrets: a call carries the reference, the body receives the value, and Remit never writes the value."""

from __future__ import annotations

import threading
from typing import Annotated, Final, NoReturn, Protocol

from pydantic import Field, StringConstraints

from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.record.spelling import Spellings, derive_spellings
from remit.schemas.rewritten_json import rewrite_json
from remit.shown import show_id

MIN_SECRET_LENGTH: Final = 8
"""Minimal length of a secret's value: shorter values occur by chance in too much text."""

SecretRef = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z]+:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$"),
    Field(description="A reference to a secret, like env:STRIPE_KEY. Never the secret itself."),
]
"""The type of a parameter that refers to a secret. Models, approvers and the journal see the reference."""


@check_arguments()
class Secret:
    """A value that only `reveal` returns.

    Its repr shows the reference. It cannot be pickled, copied or written as JSON. From its creation on, the value is
    redacted from the replies, errors and notes of every call in this process, in all tasks and threads.

    Raises:
        SetupError: the value is too short to be redacted, or the value or the reference is not a string.
    """

    __slots__ = ("_value", "reference")

    def __init__(self, reference: str, value: Annotated[str, UNCHECKED]) -> None:
        if type(value) is not str:  # the message must not show the value
            raise SetupError(f"the value of the secret {show_id(reference)} is not a string")
        if len(value) < MIN_SECRET_LENGTH:
            short = f"{len(value)} characters; redaction needs at least {MIN_SECRET_LENGTH}"
            raise SetupError(f"the secret {show_id(reference)} has {short}")
        KNOWN_SECRETS.add(reference, value)
        self.reference = reference
        self._value = value

    def reveal(self) -> str:
        """The value, for the code that sends it to its destination."""
        return self._value

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be written or copied; pass its reference")

    def __repr__(self) -> str:
        return f"Secret({self.reference!r})"


class Secrets(Protocol):
    """The capability to resolve secrets. Domain classes receive it in their constructor."""

    async def resolve(self, reference: str, /) -> Secret:
        """Look up the secret.

        Raises:
            NotFoundError: the secret does not exist.
        """
        ...


class _SecretRegistry:
    """The spellings of all secrets read by this process, with their replacements."""

    __slots__ = ("_lock", "_values", "spellings")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: set[str] = set()
        self.spellings = Spellings()

    def add(self, reference: str, value: str) -> None:
        """Redact this value from now on."""
        if value in self._values:
            return
        with self._lock:
            placeholder = f"[secret {reference}]"
            found = dict.fromkeys(derive_spellings(value), placeholder)
            self.spellings = Spellings([*found.items(), *self.spellings.replacements])
            self._values.add(value)


KNOWN_SECRETS: Final = _SecretRegistry()
"""Shared by the process, not per runtime: a secret that one call read must not leak through another."""


def contains_secret(text: str) -> bool:
    """Whether a text contains a secret's value in any spelling."""
    return KNOWN_SECRETS.spellings.is_in(text)


def redact_secrets(text: str) -> str:
    """Replace the values of secrets in ``text`` by their references."""
    return KNOWN_SECRETS.spellings.replace_in(text)


def redact_secrets_in_content(content: str) -> str:
    """Redact secrets in the content of a reply, or in a message. JSON stays valid JSON."""
    if not contains_secret(content):
        return content
    return rewrite_json(content, redact_secrets, REDACTION_MARK)


REDACTION_MARK: Final = "[redacted]"
"""Replaces redacted text that is not a secret."""
