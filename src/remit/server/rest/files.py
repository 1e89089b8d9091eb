"""Files: store one, read one."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote

from msgspec import Meta
from starlette.responses import Response

from remit.record.artifact import OCTETS
from remit.server.documents.document import Asked
from remit.server.documents.files import FileDocument
from remit.server.rest.operation import Operation, Sent

_IMAGES: Final = frozenset({"image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"})
"""The types that pages may show. Everything else is a download of no type."""


class NewFileQuery(Asked):
    """The name and the media type of a file; by default the type of the name's suffix."""

    name: str = ""
    media_type: str = ""


class FileQuery(Asked):
    """The reference of a file, as it was given, and the conversation whose file it is, if it is not one's own."""

    size: Annotated[int, Meta(ge=0)]
    name: str = ""
    media_type: str = OCTETS
    conversation: str = ""


async def add_file(sent: Sent[NewFileQuery, None]) -> FileDocument:
    """Store a file for runs. The body is its content."""
    content = await sent.serving.read_body(sent.request, sent.serving.settings.file_bytes)
    asked = sent.query
    return FileDocument.of(await sent.client.add_artifact(content, name=asked.name, media_type=asked.media_type))


async def read_file(sent: Sent[FileQuery, None]) -> Response:
    """Download a file that one stored, that a run of one's own has, or of a conversation that one may read."""
    asked = sent.query
    reference = FileDocument(digest=sent.path["digest"], size=asked.size, name=asked.name, media_type=asked.media_type)
    artifact = reference.to_artifact()
    content = await sent.client.read_artifact(artifact, conversation=asked.conversation)
    headers = {
        "cache-control": "private, no-store",
        "content-disposition": f"attachment; filename*=UTF-8''{quote(artifact.name or 'file', safe='')}",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    return Response(content, media_type=asked.media_type if asked.media_type in _IMAGES else OCTETS, headers=headers)


OPERATIONS: Final = (
    Operation(
        method="POST",
        path="/api/files",
        handle=add_file,
        answer=FileDocument,
        query=NewFileQuery,
        status=201,
        takes_content=True,
    ),
    Operation(
        method="GET",
        path="/api/files/{digest}",
        handle=read_file,
        answer=None,
        media_type=OCTETS,
        query=FileQuery,
    ),
)
