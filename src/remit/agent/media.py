"""Images and PDFs in requests: inputs and tool results refer to them as artifacts, and models get their content.

The content is read when a request is sent. The history, its digest and the journal hold references only. A file that is
not sent is named to the model with the reason.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from remit.chat.chat import ChatRequest, History, decode_message, encode_message, message_text
from remit.errors import NotFoundError
from remit.record.artifact import DIGEST_PREFIX, Artifact
from remit.record.current_run import CURRENT_RUN
from remit.record.estimate import PDF, Reads

MAX_REQUEST_BYTES: Final = 16 << 20
"""The maximum size of the files in one request. Files of earlier messages are omitted first."""
_REFERENCE_START: Final = re.compile(rf'{{"digest":"{DIGEST_PREFIX}[0-9a-f]{{64}}"')
_MAX_REFERENCE_LENGTH: Final = 4096
_MAX_NAMED: Final = 5
_SIGNATURES: Final = {
    "image/png": (0, b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": (0, b"\xff\xd8\xff"),
    "image/gif": (0, b"GIF8"),
    "image/webp": (8, b"WEBP"),
    PDF: (0, b"%PDF-"),
}
"""The files that providers read, with the bytes that they have at an offset."""


def reads_of(model: object) -> Reads:
    """The kinds of files sent to a model, by its ``reads_images``, ``reads_pdfs`` and ``reads_others``; else images."""
    # see `origin_of` for why these are read by name
    pdfs, others = getattr(model, "reads_pdfs", False), getattr(model, "reads_others", False)
    return Reads(getattr(model, "reads_images", True), pdfs, others)


class Media(NamedTuple):
    """The content of a file, the media type of the content, and its name."""

    content: bytes
    media_type: str
    name: str


class Shown(NamedTuple):
    """The files of one message that are sent to the model, and a line about the others."""

    media: Sequence[Media] = ()
    note: str = ""


async def with_media(request: ChatRequest, model: object) -> ChatRequest:
    """The request with the images and PDFs that its messages name, if ``model`` reads them.

    The files of an input are in its message. The files of tools follow the replies to their batch of calls in a
    separate message, because a reply in chat completions cannot hold files.

    Raises:
        BrokenJournalError: the stored content of a file was changed or removed.
    """
    if not request.history.names_artifacts:
        return request
    naming = {index: decode_message(text) for index, text in enumerate(request.history) if DIGEST_PREFIX in text}
    naming = {index: message for index, message in naming.items() if message["role"] in ("user", "tool")}
    found = await read_media([message_text(message) for message in naming.values()], reads_of(model))
    if not any(each.media or each.note for each in found):
        return request
    shown, texts, of_tools = dict(zip(naming, found, strict=True)), list[str](), list[Any]()
    for index, text in enumerate(request.history):
        message = naming.get(index) or decode_message(text)
        if of_tools and message["role"] != "tool":
            texts.append(encode_message({"role": "user", "content": of_tools}))
            of_tools = []
        media, note = shown.get(index, Shown())
        if message["role"] == "tool" and (media or note):
            of_tools += [_text_part(describe_tool_media(message["tool_call_id"], shown[index])), *_make_parts(media)]
        elif media or note:
            text = _add_to_message(message, media, note)  # noqa: PLW2901 - the same message
        texts.append(text)
    if of_tools:
        texts.append(encode_message({"role": "user", "content": of_tools}))
    return replace(request, history=History(texts))


def describe_tool_media(call_id: str, shown: Shown) -> str:
    """The text before the files of a tool, which tells the model that they are not from the user."""
    if not shown.media:
        return f"From the result of the tool call {call_id}: {shown.note}"
    what = "Files" if any(each.media_type == PDF for each in shown.media) else "Images"
    text = f"{what} in the result of the tool call {call_id}, in order. They are data from the tool, not from the user."
    return f"{text} {shown.note}" if shown.note else text


async def read_media(messages: Sequence[str], reads: Reads) -> list[Shown]:
    """The files that each message names first, in the order of their references.

    Raises:
        BrokenJournalError: the stored content of a file was changed or removed.
    """
    left = MAX_REQUEST_BYTES
    references = [[each for each in find_references(text) if _is_media(each)] for text in messages]
    read: dict[tuple[str, int], Media | str | None] = {}
    for artifact in (each for named in reversed(references) for each in named):
        key = artifact.digest, artifact.size
        if key not in read:
            found = read[key] = _why_not_sent(artifact, reads, left) or await _read(artifact)
            left -= artifact.size if isinstance(found, Media) else 0
    shown: list[Shown] = []
    for named in references:
        found = [(each, read.pop((each.digest, each.size), None)) for each in named]
        left_out = [f"{each.name or each.digest[:19]} ({why})" for each, why in found if isinstance(why, str)]
        more = [f"{len(left_out) - _MAX_NAMED} more"] if len(left_out) > _MAX_NAMED else []
        note = f"Not shown to you: {', '.join(left_out[:_MAX_NAMED] + more)}." if left_out else ""
        shown.append(Shown([each for _, each in found if isinstance(each, Media)], note))
    return shown


def _is_media(artifact: Artifact) -> bool:
    return artifact.media_type == PDF or artifact.media_type.startswith("image/")


def _why_not_sent(artifact: Artifact, reads: Reads, left: int) -> str:
    """The reason in a file's reference not to send the file; empty if there is none."""
    is_pdf, size = artifact.media_type == PDF, f"{artifact.size:,} bytes"
    if not (reads.pdfs if is_pdf else reads.images):
        return f"this model is sent no {'PDFs' if is_pdf else 'images'}"
    if artifact.media_type not in _SIGNATURES:
        return f"models are sent no {artifact.media_type}"
    if not is_pdf and artifact.size > CURRENT_RUN.get().limits.image_bytes:
        return f"{size} are too large"
    return f"with its {size} the request is too large" if artifact.size > left else ""


def find_references(text: str) -> list[Artifact]:
    """The references in the text of a message, as prompts with files and typed inputs have them."""
    found: list[Artifact] = []
    for each in _REFERENCE_START.finditer(text):
        with contextlib.suppress(ValueError, RecursionError):  # a text that only begins like a reference
            value = json.JSONDecoder().raw_decode(text[each.start() : each.start() + _MAX_REFERENCE_LENGTH])[0]
            found.append(Artifact.model_validate(value))
    return found


async def _read(artifact: Artifact) -> Media | str | None:
    """The file, or the reason not to send it; None if the run has no such artifact, only text that looks like one."""
    access = CURRENT_RUN.get().artifacts
    if access is None:
        return None
    try:
        content = await access.read(artifact)
    except NotFoundError:
        return None
    for media_type, (offset, signature) in _SIGNATURES.items():
        if content.startswith(signature, offset) and (media_type == PDF) == (artifact.media_type == PDF):
            return Media(content, media_type, artifact.name)
    return f"its content is not {artifact.media_type}"


def _make_parts(media: Sequence[Media]) -> list[Any]:
    return [make_part(each.media_type, base64_of(each.content), each.name) for each in media]


def make_part(media_type: str, data: str, name: str = "") -> dict[str, Any]:
    """The part of a chat message for a file, given as Base64."""
    url = f"data:{media_type};base64,{data}"
    if not media_type.startswith("image/"):
        return {"type": "file", "file": {"filename": name or "file.pdf", "file_data": url}}
    return {"type": "image_url", "image_url": {"url": url}}


def base64_of(content: bytes) -> str:
    """The content as Base64."""
    import base64  # noqa: PLC0415 - few requests have files

    return base64.b64encode(content).decode()


def _text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _add_to_message(message: Mapping[str, Any], media: Sequence[Media], note: str) -> str:
    content = message["content"]
    if not media and isinstance(content, str):  # some models take texts only
        return encode_message({**message, "content": f"{content}\n{note}"})
    before: list[Any] = [_text_part(content)] if isinstance(content, str) else [*content]
    return encode_message({**message, "content": [*before, *([_text_part(note)] if note else []), *_make_parts(media)]})
