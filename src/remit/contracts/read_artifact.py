"""The tool by which models read artifacts."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, Field

from remit.contracts.artifact import Artifact, RunArtifacts
from remit.contracts.facts import Effect
from remit.contracts.tool import tool

_ARTIFACTS: Final = RunArtifacts()


class ArtifactPart(BaseModel):
    """A part of an artifact as text. Bytes that are not UTF-8 are replaced."""

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
    data = await _ARTIFACTS.read(artifact, offset, length)
    end = offset + len(data)
    if end < artifact.size:
        data = _without_cut_character(data)
        end = offset + len(data)
    return ArtifactPart(
        text=data.decode(errors="replace"), next_offset=end if end < artifact.size else None, size=artifact.size
    )


def _without_cut_character(data: bytes) -> bytes:
    """The bytes without the beginning of a character that continues after them."""
    for length in range(1, 4):
        lead = data[-length]
        if lead >= 0xC0:
            return data[:-length] if length < (2 if lead < 0xE0 else 3 if lead < 0xF0 else 4) else data
        if lead < 0x80:
            break
    return data
