"""Uploads to Drive: small content in one request, large content in resumable chunks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from remit.errors import CallError, SetupError
from remit_casefile.google.errors import BusyError, UnexpectedResponseError
from remit_casefile.google.transport import HttpResponse, Transport, add_query
from remit_casefile.google.write_confirmation import WaitSchedule

CHUNK_MULTIPLE: Final = 256 * 2**10
"""Google takes pieces of a multiple of this many bytes."""

_RECEIVED_RANGE: Final = re.compile(r"bytes=0-([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSettings:
    """Content above ``single_request_limit`` bytes is sent in chunks of ``chunk_size`` bytes.

    The default requests stay within 1 MiB, because aiohttp blocks the event loop while it sends larger ones.
    """

    single_request_limit: int = 512 * 2**10
    chunk_size: int = 2**20

    def __post_init__(self) -> None:
        if self.single_request_limit < 0 or self.chunk_size < CHUNK_MULTIPLE or self.chunk_size % CHUNK_MULTIPLE:
            raise SetupError(
                f"{self!r}: give a piece of a multiple of {CHUNK_MULTIPLE} bytes, and a limit of at least 0"
            )


async def upload_multipart(
    transport: Transport, url: str, fields: str, metadata: Mapping[str, object], content: bytes, mime_type: str
) -> HttpResponse:
    """Upload metadata and content in one request. If the response is lost, the file may exist."""
    metadata_json = json.dumps(metadata).encode()
    boundary = sha256(metadata_json + content).hexdigest().encode()
    body = b"".join(
        (
            b"--%s\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n%s\r\n" % (boundary, metadata_json),
            b"--%s\r\ncontent-type: %s\r\n\r\n%s\r\n--%s--" % (boundary, mime_type.encode(), content, boundary),
        )
    )
    target = add_query(url, {"uploadType": "multipart", "fields": fields, "supportsAllDrives": True})
    headers = {"content-type": f"multipart/related; boundary={boundary.decode()}"}
    return await transport.send_checked("POST", target, body=body, headers=headers)


async def upload_resumable(
    transport: Transport, url: str, fields: str, metadata: Mapping[str, object], upload: ResumableUpload
) -> HttpResponse:
    """Announce a file, then send it in chunks. Chunks that arrived before a cut are not sent again."""
    target = add_query(url, {"uploadType": "resumable", "fields": fields, "supportsAllDrives": True})
    headers = {
        "content-type": "application/json; charset=UTF-8",
        "x-upload-content-type": upload.mime_type,
        "x-upload-content-length": str(len(upload.content)),
    }
    answer = await transport.send_checked("POST", target, body=json.dumps(metadata).encode(), headers=headers)
    session = answer.headers.get("location", "")
    if urlsplit(session)[:2] != urlsplit(url)[:2]:
        raise UnexpectedResponseError(f"Google wants the content at {session!r}, which is not an address of Drive")
    return await upload.send(transport, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumableUpload:
    """Content sent in chunks. After a cut, it asks how much arrived and sends the rest."""

    content: bytes
    mime_type: str
    chunk_size: int
    schedule: WaitSchedule

    async def send(self, transport: Transport, session: str) -> HttpResponse:
        """Send all chunks to an upload session; the response to the last one.

        Raises:
            CallError: the upload was rejected, or made no progress despite all waits.
        """
        offset, is_interrupted, waits = 0, False, list(self.schedule.waits)
        while True:
            try:
                answer = await self._send_chunk(transport, session, None if is_interrupted else offset)
                if answer.status != 308:
                    return answer
                arrived = _received_bytes(answer)
                if arrived <= offset and not is_interrupted:
                    raise UnexpectedResponseError(f"Google took none of the bytes from {offset} on")
                if arrived > offset:
                    waits = list(self.schedule.waits)
                offset, is_interrupted = arrived, False
            except CallError as error:
                if not waits or not (error.retryable or isinstance(error, UnexpectedResponseError)):
                    raise
                requested_wait = (error.retry_after or 0.0) if isinstance(error, BusyError) else 0.0
                await self.schedule.sleep(max(waits.pop(0), requested_wait))
                is_interrupted = True

    async def _send_chunk(self, transport: Transport, session: str, offset: int | None) -> HttpResponse:
        """Send the chunk at ``offset``; with None, ask how much has arrived."""
        size = len(self.content)
        piece = b"" if offset is None else self.content[offset : offset + self.chunk_size]
        span = f"bytes {offset}-{offset + len(piece) - 1}/{size}" if offset is not None and piece else f"bytes */{size}"
        answer = await transport.send("PUT", session, body=piece, headers={"content-range": span})
        if answer.status != 308 and not 200 <= answer.status < 300:
            raise transport.error_for("PUT", session, answer)
        return answer


def _received_bytes(answer: HttpResponse) -> int:
    """The number of bytes that arrived, from the Range header."""
    span = _RECEIVED_RANGE.fullmatch(answer.headers.get("range", ""))
    return int(span[1]) + 1 if span else 0
