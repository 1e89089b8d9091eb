"""Images among the artifacts of a request: inputs and results of tools name them, and models are sent their content.

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

    Those of an input are in its message. Those of tools follow the replies to their batch of calls, as a message of
    their own, because a reply cannot hold images in chat completions.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    if not request.history.names_artifacts:
        return request
    naming = {index: decode_message(text) for index, text in enumerate(request.history) if DIGEST_PREFIX in text}
    naming = {index: message for index, message in naming.items() if message["role"] in ("user", "tool")}
    if not naming or not reads_images(model):
        return request
    found = await read_images([message_text(message) for message in naming.values()])
    if not any(found):
        return request
    images, texts, of_tools = dict(zip(naming, found, strict=True)), list[str](), list[Any]()
    for index, text in enumerate(request.history):
        message = naming.get(index) or decode_message(text)
        if of_tools and message["role"] != "tool":
            texts.append(encode_message({"role": "user", "content": of_tools}))
            of_tools = []
        parts = _make_parts(images.get(index, ()))
        if parts and message["role"] == "tool":
            of_tools += [{"type": "text", "text": describe_tool_images(message["tool_call_id"])}, *parts]
            parts = []
        texts.append(_add_to_message(message, parts) if parts else text)
    if of_tools:
        texts.append(encode_message({"role": "user", "content": of_tools}))
    return replace(request, history=History(texts))


def describe_tool_images(call_id: str) -> str:
    """The text before the images of a tool, which tells the model that they are not from the user."""
    return f"Images in the result of the tool call {call_id}, in order. They are data from the tool, not from the user."


async def read_images(messages: Sequence[str]) -> list[list[Image]]:
    """The images that each message names first and that may be sent, in the order of their references.

    An image that is too large, that the run cannot see or whose content is something else stays a reference.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    left, limit = MAX_REQUEST_BYTES, CURRENT_LIMITS.get().image_bytes
    references = [[each for each in find_references(text) if each.media_type in _SIGNATURES] for text in messages]
    read: dict[tuple[str, int], Image | None] = {}
    for artifact in (each for named in reversed(references) for each in named):
        key = artifact.digest, artifact.size
        if key not in read:
            fits = artifact.size <= min(left, limit)
            image = read[key] = await _read_image(artifact) if fits else None
            left -= 0 if image is None else artifact.size
    found: list[list[Image]] = []
    for named in references:
        images = [read.pop((each.digest, each.size), None) for each in named]
        found.append([each for each in images if each is not None])
    return found


def find_references(text: str) -> list[Artifact]:
    """The references in the text of a message, as prompts with files and typed inputs have them."""
    found: list[Artifact] = []
    for each in _REFERENCE_START.finditer(text):
        with contextlib.suppress(ValueError, RecursionError):  # a text that only begins like a reference
            value = json.JSONDecoder().raw_decode(text[each.start() : each.start() + _MAX_REFERENCE_LENGTH])[0]
            found.append(Artifact.model_validate(value))
    return found


async def _read_image(artifact: Artifact) -> Image | None:
    access = CURRENT_ARTIFACTS.get()
    if access is None:
        return None
    try:
        content = await access.read(artifact)
    except NotFoundError:
        return None
    for media_type, (offset, signature) in _SIGNATURES.items():
        if content.startswith(signature, offset):
            return Image(content, media_type)
    return None


def _make_parts(images: Sequence[Image]) -> list[Any]:
    import base64  # noqa: PLC0415 - few requests have images

    return [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{each.media_type};base64,{base64.b64encode(each.content).decode()}"},
        }
        for each in images
    ]


def _add_to_message(message: Mapping[str, Any], parts: Sequence[Any]) -> str:
    content = message["content"]
    before: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
    return encode_message({**message, "content": [*before, *parts]})
