"""The tool with which models read artifacts."""

from __future__ import annotations

import codecs
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field

from remit.call.facts import Effect
from remit.call.tool import tool
from remit.charsets import find_mark
from remit.record.artifact import Artifact
from remit.record.run_artifacts import RunArtifacts

_ARTIFACTS: Final = RunArtifacts()
_HEAD_BYTES: Final = 1024
_FALLBACK: Final = "cp1252"


class ArtifactPart(BaseModel):
    """A part of an artifact as text. Of content that is not text, it says the type and the size instead."""

    text: str
    next_offset: int | None = Field(description="Where the next part begins; null at the end")
    size: int
    charset: str | None = Field(default=None, description="The charset of content that is not UTF-8; cp1252 is a guess")


@tool(effect=Effect.PURE, says="Read the file {artifact}")
async def read_artifact(
    artifact: Artifact,
    offset: Annotated[int, Field(ge=0)] = 0,
    length: Annotated[int, Field(ge=4, le=64 << 10)] = 16 << 10,
) -> ArtifactPart:
    """Read a part of an artifact as text.

    Args:
        artifact: the reference, exactly as it was given
        offset: the byte at which the part begins
        length: how many bytes to read at most
    """
    content = await _ARTIFACTS.read(artifact)  # the whole content is read to verify it
    form = _find_form(content)
    if form is None:
        what = f"{artifact.media_type}, {len(content):,} bytes"
        return ArtifactPart(text=f"[no text: {what}]", next_offset=None, size=artifact.size)
    start = max(offset - offset % form.unit, form.mark)
    data = content[start : start + length]
    end = start + len(data)
    is_last = end >= artifact.size
    decoder = codecs.getincrementaldecoder(form.charset)("replace")
    text = decoder.decode(data, final=is_last)
    cut = len(decoder.getstate()[0])  # bytes of a character that goes on in the next part
    return ArtifactPart(
        text=text,
        next_offset=None if is_last else end - cut,
        size=artifact.size,
        charset=None if form.charset == "utf-8" else form.charset,
    )


class _Form(NamedTuple):
    """How to read a text: its charset, the bytes of its smallest character, and those of the mark at its beginning."""

    charset: str
    unit: int = 1
    mark: int = 0


def _find_form(content: bytes) -> _Form | None:
    """The form of a text: that of its mark, else UTF-8, else Windows-1252; None for binary content.

    A text that is not in UTF-8 without letters beyond ASCII that are is read as Windows-1252.
    """
    head = content[:_HEAD_BYTES]
    if (found := find_mark(content)) is not None:
        charset, mark = found
        form = _Form(charset, 1 if charset == "utf-8" else mark, mark)
        shown = head[mark:].decode(charset, "replace")
    else:
        form, shown = _Form("utf-8" if _is_utf8(content) else _FALLBACK), head.decode(errors="replace")
    is_binary = "\0" in shown or shown.startswith("%PDF-") or shown.count("\ufffd") * 3 > len(head)
    return None if is_binary else form


def _is_utf8(content: bytes) -> bool:
    """Whether content is UTF-8, if with broken characters: its letters beyond ASCII would be odd in another charset."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return any(letter > "\x7f" for letter in content.decode(errors="ignore"))
    return True
