"""Images among the artifacts of a request: messages name them, and models that read images are sent their content.

The content is read when a request is sent. The history, its digest and the journal hold references only.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from remit.contracts.artifact import CURRENT_ARTIFACTS, DIGEST_PREFIX, Artifact
from remit.contracts.chat import ChatRequest, History, decode_message, encode_message, message_text
from remit.contracts.current_run import CURRENT_LIMITS
from remit.errors import NotFoundError

MAX_REQUEST_BYTES: Final = 16 << 20
"""The images of one request; those of earlier messages are left out first."""
_REFERENCE_START: Final = re.compile(rf'{{"digest":"{DIGEST_PREFIX}[0-9a-f]{{64}}"')
_MAX_REFERENCE_LENGTH: Final = 4096
_SIGNATURES: Final = {
    "image/png": (0, b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": (0, b"\xff\xd8\xff"),
    "image/gif": (0, b"GIF8"),
    "image/webp": (8, b"WEBP"),
}
"""The images that providers read, with the bytes that they have at an offset."""


def reads_images(model: object) -> bool:
    """Whether a model is not known to refuse images, by its attribute ``reads_images``."""
    known: bool = getattr(model, "reads_images", True)  # see `origin_of` for why this is read by name
    return known


class Image(NamedTuple):
    """The content of an image, and its media type as the content has it."""

    content: bytes
    media_type: str


async def with_images(request: ChatRequest, model: object) -> ChatRequest:
    """The request with the images that its messages name, if ``model`` is not known to read none.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    texts = list(request.history)
    users = {index: decode_message(text) for index, text in enumerate(texts) if DIGEST_PREFIX in text}
    users = {index: message for index, message in users.items() if message["role"] == "user"}
    if not users or not reads_images(model):
        return request
    found = await read_images([message_text(message) for message in users.values()])
    for (index, message), images in zip(users.items(), found, strict=True):
        if images:
            texts[index] = _add_to_message(message, images)
    return replace(request, history=History(texts)) if any(found) else request


async def read_images(messages: Sequence[str]) -> list[list[Image]]:
    """The images that each message names and that may be sent, in the order of their references.

    An image that is too large, that the run cannot see or whose content is something else stays a reference.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    left = MAX_REQUEST_BYTES
    found: list[list[Image]] = []
    for text in reversed(messages):
        images: list[Image] = []
        for artifact in dict.fromkeys(_find_references(text)):
            image = await _read_image(artifact) if artifact.size <= left else None
            if image is not None:
                left -= artifact.size
                images.append(image)
        found.insert(0, images)
    return found


def _find_references(text: str) -> list[Artifact]:
    """The references in the text of a message, as prompts with files and typed inputs have them."""
    found: list[Artifact] = []
    for each in _REFERENCE_START.finditer(text):
        with contextlib.suppress(ValueError, RecursionError):  # a text that only begins like a reference
            value = json.JSONDecoder().raw_decode(text[each.start() : each.start() + _MAX_REFERENCE_LENGTH])[0]
            found.append(Artifact.model_validate(value))
    return found


async def _read_image(artifact: Artifact) -> Image | None:
    access = CURRENT_ARTIFACTS.get()
    if access is None or artifact.media_type not in _SIGNATURES or artifact.size > CURRENT_LIMITS.get().image_bytes:
        return None
    try:
        content = await access.read(artifact)
    except NotFoundError:
        return None
    for media_type, (offset, signature) in _SIGNATURES.items():
        if content.startswith(signature, offset):
            return Image(content, media_type)
    return None


def _add_to_message(message: Mapping[str, Any], images: Sequence[Image]) -> str:
    import base64  # noqa: PLC0415 - few requests have images

    content = message["content"]
    parts: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
    for image in images:
        url = f"data:{image.media_type};base64,{base64.b64encode(image.content).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return encode_message({**message, "content": parts})
