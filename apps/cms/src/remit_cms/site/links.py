"""Links to previews: each shows a revision, or a change set as it was, until it expires."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from remit.errors import SetupError
from remit.secrets import Secret
from remit_cms.storage.pins import Pin, decode, encode, read_pin, write_pin
from remit_cms.storage.scope import Target

_MIN_KEY: Final = 32
_MAX_TOKEN: Final = 1000


@dataclass(frozen=True, slots=True)
class Preview:
    """What a link shows on one site until a time in seconds. It is as long for a set of many pages as for one page."""

    target: Target
    pin: Pin
    expires: int


def sign_preview(key: Secret, preview: Preview) -> str:
    """The token of a preview.

    Raises:
        SetupError: the key is too short to keep anybody from guessing it.
    """
    body = [preview.target.site, preview.target.environment, preview.expires, *write_pin(preview.pin)]
    text = json.dumps(body, separators=(",", ":")).encode()
    return f"{encode(text)}.{encode(_sign(key, text))}"


def read_preview(key: Secret, token: str, target: Target, now: float) -> Preview | None:
    """What a token shows on a site; None if it was made with another key or for another site, changed, or expired."""
    if len(token) > _MAX_TOKEN:
        return None
    text, _, signature = token.partition(".")
    try:
        body = decode(text)
        if not hmac.compare_digest(_sign(key, body), decode(signature)):
            return None
        site, environment, expires, *pin = json.loads(body)
    except ValueError:
        return None
    pinned = read_pin(pin)
    if pinned is None:
        return None
    preview = Preview(Target(site, environment), pinned, expires)
    return preview if preview.target == target and now < preview.expires else None


def check_key(key: Secret) -> None:
    """Refuse a key of previews that is too short.

    Raises:
        SetupError: says how long it must be.
    """
    if len(key.reveal()) < _MIN_KEY:
        raise short_key_error(key.reference)


def short_key_error(reference: str) -> SetupError:
    """The error of a key of previews that is too short."""
    return SetupError(f"the key of previews, {reference}, is too short; give {_MIN_KEY} characters or more")


def _sign(key: Secret, text: bytes) -> bytes:
    check_key(key)
    return hmac.new(key.reveal().encode(), b"remit-cms preview 3\0" + text, sha256).digest()
