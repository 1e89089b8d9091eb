"""Links to previews: each shows the revisions that it names, until it expires."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from remit.errors import SetupError
from remit.secrets import Secret
from remit_cms.storage.scope import Target

_MIN_KEY: Final = 32
_MAX_TOKEN: Final = 20_000


@dataclass(frozen=True, slots=True)
class Preview:
    """What a link shows: revisions by page, on one site, until a time in seconds."""

    target: Target
    pins: Mapping[str, int]
    expires: int


def sign_preview(key: Secret, preview: Preview) -> str:
    """The token of a preview.

    Raises:
        SetupError: the key is too short to keep anybody from guessing it.
    """
    body = [preview.target.site, preview.target.environment, dict(preview.pins), preview.expires]
    text = json.dumps(body, separators=(",", ":"), sort_keys=True).encode()
    return f"{_encode(text)}.{_encode(_sign(key, text))}"


def read_preview(key: Secret, token: str, target: Target, now: float) -> Preview | None:
    """What a token shows on a site; None if it was made with another key or for another site, changed, or expired."""
    if len(token) > _MAX_TOKEN:
        return None
    text, _, signature = token.partition(".")
    try:
        body = _decode(text)
        if not hmac.compare_digest(_sign(key, body), _decode(signature)):
            return None
        site, environment, pins, expires = json.loads(body)
    except ValueError:
        return None
    preview = Preview(Target(site, environment), pins, expires)
    return preview if preview.target == target and now < preview.expires else None


def _sign(key: Secret, text: bytes) -> bytes:
    value = key.reveal().encode()
    if len(value) < _MIN_KEY:
        raise SetupError(f"the key of previews, {key.reference}, is too short; give {_MIN_KEY} characters or more")
    return hmac.new(value, b"remit-cms preview\0" + text, sha256).digest()


def _encode(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return urlsafe_b64decode(text.encode("ascii", "replace") + b"=" * (-len(text) % 4))
