"""The tool with which models read artifacts."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, Field

from remit.call.facts import Effect
from remit.call.tool import tool
from remit.record.artifact import Artifact
from remit.record.run_artifacts import RunArtifacts

_ARTIFACTS: Final = RunArtifacts()
_HEAD_BYTES: Final = 1024


class ArtifactPart(BaseModel):
    """A part of an artifact as text. Of content that is not text, it says the type and the size instead."""

    text: str
    next_offset: int | None = Field(description="Where the next part begins; null at the end")
    size: int


@tool(effect=Effect.PURE)
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
    if _is_binary(content[:_HEAD_BYTES]):
        what = f"{artifact.media_type}, {len(content):,} bytes"
        return ArtifactPart(text=f"[no text: {what}]", next_offset=None, size=artifact.size)
    data = content[offset : offset + length]
    end = offset + len(data)
    if end < artifact.size:
        data = _without_cut_character(data)
        end = offset + len(data)
    return ArtifactPart(
        text=data.decode(errors="replace"), next_offset=end if end < artifact.size else None, size=artifact.size
    )


def _is_binary(head: bytes) -> bool:
    """Whether content with this beginning is binary. A text that is not UTF-8 decodes with few odd characters."""
    odd = head.decode(errors="replace").count("\ufffd")
    return b"\0" in head or head.startswith(b"%PDF-") or odd * 3 > len(head)


def _without_cut_character(data: bytes) -> bytes:
    """The bytes without an incomplete character at their end."""
    for length in range(1, 4):
        lead = data[-length]
        if lead >= 0xC0:
            return data[:-length] if length < (2 if lead < 0xE0 else 3 if lead < 0xF0 else 4) else data
        if lead < 0x80:
            break
    return data
