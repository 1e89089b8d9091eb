"""Content on its way to Drive: small in one request, large in pieces that survive a cut."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from remit.errors import CallError, SetupError
from remit_casefile.google.failures import AnswerError, BusyError
from remit_casefile.google.settling import Patience
from remit_casefile.google.transport import Answer, Transport, with_params

PIECE: Final = 256 * 2**10
"""Google takes pieces of a multiple of this many bytes."""

_RECEIVED: Final = re.compile(r"bytes=0-([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploading:
    """How content travels. Content above ``whole`` bytes goes in pieces of ``piece`` bytes."""

    whole: int = 5 * 2**20
    piece: int = 8 * 2**20

    def __post_init__(self) -> None:
        if self.whole < 0 or self.piece < PIECE or self.piece % PIECE:
            raise SetupError(f"{self!r}: give a piece of a multiple of {PIECE} bytes, and a limit of at least 0")


async def upload_whole(
    transport: Transport, url: str, fields: str, metadata: Mapping[str, object], content: bytes, mime_type: str
) -> Answer:
    """Metadata and content in one request. An answer that is lost may stand for a file that is there."""
    said = json.dumps(metadata).encode()
    boundary = sha256(said + content).hexdigest().encode()
    body = b"".join(
        (
            b"--%s\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n%s\r\n" % (boundary, said),
            b"--%s\r\ncontent-type: %s\r\n\r\n%s\r\n--%s--" % (boundary, mime_type.encode(), content, boundary),
        )
    )
    target = with_params(url, {"uploadType": "multipart", "fields": fields, "supportsAllDrives": True})
    headers = {"content-type": f"multipart/related; boundary={boundary.decode()}"}
    return await transport.accepted("POST", target, body=body, headers=headers)


async def upload_in_pieces(
    transport: Transport, url: str, fields: str, metadata: Mapping[str, object], upload: Pieces
) -> Answer:
    """Announce a file, then send it piece by piece. What arrived before a cut is not sent again."""
    target = with_params(url, {"uploadType": "resumable", "fields": fields, "supportsAllDrives": True})
    headers = {
        "content-type": "application/json; charset=UTF-8",
        "x-upload-content-type": upload.mime_type,
        "x-upload-content-length": str(len(upload.content)),
    }
    answer = await transport.accepted("POST", target, body=json.dumps(metadata).encode(), headers=headers)
    session = answer.headers.get("location", "")
    if urlsplit(session)[:2] != urlsplit(url)[:2]:
        raise AnswerError(f"Google wants the content at {session!r}, which is no address of Drive")
    return await upload.send(transport, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Content that goes in pieces. After a cut it is asked how much has arrived, and the rest is sent."""

    content: bytes
    mime_type: str
    piece: int
    patience: Patience

    async def send(self, transport: Transport, session: str) -> Answer:
        """Send everything to an upload session; the answer is the one to the last piece.

        Raises:
            CallError: it was refused, or nothing arrived any more in spite of all waits.
        """
        at, lost, waits = 0, False, list(self.patience.waits)
        while True:
            try:
                answer = await self._exchange(transport, session, None if lost else at)
                if answer.status != 308:
                    return answer
                arrived = _arrived(answer)
                if arrived <= at and not lost:
                    raise AnswerError(f"Google took none of the bytes from {at} on")
                if arrived > at:
                    waits = list(self.patience.waits)
                at, lost = arrived, False
            except CallError as error:
                if not waits or not (error.retryable or isinstance(error, AnswerError)):
                    raise
                asked = (error.retry_after or 0.0) if isinstance(error, BusyError) else 0.0
                await self.patience.sleep(max(waits.pop(0), asked))
                lost = True

    async def _exchange(self, transport: Transport, session: str, at: int | None) -> Answer:
        """Send the piece that begins at ``at``, or with None ask how much has arrived."""
        size = len(self.content)
        piece = b"" if at is None else self.content[at : at + self.piece]
        span = f"bytes {at}-{at + len(piece) - 1}/{size}" if at is not None and piece else f"bytes */{size}"
        answer = await transport.send("PUT", session, body=piece, headers={"content-range": span})
        if answer.status != 308 and not 200 <= answer.status < 300:
            raise transport.refused("PUT", session, answer)
        return answer


def _arrived(answer: Answer) -> int:
    """How many bytes have arrived: a Range of what is there, and none where nothing is."""
    span = _RECEIVED.fullmatch(answer.headers.get("range", ""))
    return int(span[1]) + 1 if span else 0
