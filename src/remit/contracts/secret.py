"""Secrets: a call carries a reference, a body gets the value, and nothing that Remit writes holds it."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any, Final, NoReturn, Protocol, cast
from urllib.parse import quote, quote_plus

from pydantic import Field, StringConstraints

from remit.errors import SetupError
from remit.schemas.jsontext import compact_json

MIN_SECRET_LENGTH: Final = 8
"""Characters that the value of a secret has at least: a shorter one stands in too much that is none."""

SecretRef = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z]+:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$"),
    Field(description="A reference to a secret, like env:STRIPE_KEY. Never the secret itself."),
]
"""The type of a parameter that names a secret. It is what a model, a person and the journal see."""


class Secret:
    """A value that is told to nobody but who asks for it by `reveal`.

    Printed it shows its reference, and it can be neither pickled nor copied nor written as JSON. From the moment it is
    made, its value is redacted from every reply, error and note of every call in this process: whoever read it, and
    whatever task or thread it went through.

    Raises:
        SetupError: the value is too short to be redacted.
    """

    __slots__ = ("_value", "reference")

    def __init__(self, reference: str, value: str) -> None:
        if len(value) < MIN_SECRET_LENGTH:
            raise SetupError(
                f"the secret {reference} has {len(value)} characters; it needs {MIN_SECRET_LENGTH}, to be redacted"
            )
        KNOWN_SECRETS.add(reference, value)
        self.reference = reference
        self._value = value

    def reveal(self) -> str:
        """The value, for the one who sends it where it belongs."""
        return self._value

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} is not to be written or copied; pass its reference")

    def __repr__(self) -> str:
        return f"Secret({self.reference!r})"


class Secrets(Protocol):
    """The capability: who knows secrets. A domain class is given one by its constructor."""

    async def resolve(self, reference: str, /) -> Secret:
        """The secret of that reference.

        Raises:
            NotFoundError: there is none, or not here.
        """
        ...


class _SecretRegistry:
    """Every spelling of every secret that this process has read, the longest first, and what is shown instead."""

    __slots__ = ("_lock", "_values", "replacements")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: set[str] = set()
        self.replacements: tuple[tuple[str, str], ...] = ()

    def add(self, reference: str, value: str) -> None:
        """Know a value from now on."""
        if value in self._values:
            return
        with self._lock:
            placeholder = f"[secret {reference}]"
            replacements = dict.fromkeys(_secret_encodings(value), placeholder) | dict(self.replacements)
            self.replacements = tuple(sorted(replacements.items(), key=lambda pair: -len(pair[0])))
            self._values.add(value)


KNOWN_SECRETS: Final = _SecretRegistry()
"""Of the process, not of a runtime: what one call has read may not be told by another either."""


def redact_secrets(text: str) -> str:
    """``text``, with the references of secrets in place of their values."""
    for spelling, placeholder in KNOWN_SECRETS.replacements:
        if spelling in text:
            text = text.replace(spelling, placeholder)
    return text


def redact_secrets_in_content(content: str) -> str:
    """The content of a reply without secrets; where it was JSON, it is still JSON."""
    if not KNOWN_SECRETS.replacements:
        return content
    escaped = "\\" in content  # what is escaped twice is found only where it is escaped once
    return content if not escaped and redact_secrets(content) == content else rewrite_content(content, redact_secrets)


def rewrite_content(content: str, change: Callable[[str], str], fields: Collection[str] = ()) -> str:
    """Content with ``change`` made to every text, key and number in it, and the values of ``fields`` left out."""
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        return change(content)
    changed = _rewrite_value(value, change, fields)
    return content if changed == value else compact_json(changed)


def _rewrite_value(value: object, change: Callable[[str], str], fields: Collection[str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {
            change(name): REDACTION_MARK
            if name in fields and part is not None
            else _rewrite_value(part, change, fields)
            for name, part in pairs
        }
    if isinstance(value, list):
        return [_rewrite_value(part, change, fields) for part in cast("list[Any]", value)]
    text = compact_json(value)
    changed = change(text)
    return value if changed == text else changed


REDACTION_MARK: Final = "[redacted]"
"""What stands where something was redacted that is no secret of a `Secrets`."""


def _secret_encodings(value: str) -> Iterator[str]:
    """A value as it stands in text, in JSON, in JSON within JSON, in Python, in a URL, and first in Base64."""
    yield value
    for ascii_only in (True, False):
        escaped = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield escaped
        yield json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
    yield repr(value)[1:-1]
    yield quote(value, safe="")
    yield quote(value)
    yield quote_plus(value)
    data = value.encode("utf-8", "surrogatepass")
    whole = len(data) - len(data) % 3
    yield base64.b64encode(data[:whole]).decode()
    yield base64.urlsafe_b64encode(data[:whole]).decode()
