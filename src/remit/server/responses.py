"""Responses with documents."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

JSON = "application/json"


def write_document(document: object, status: int = 200) -> Response:
    """A response with a document as JSON, which nothing may keep."""
    return Response(msgspec.json.encode(document), status, media_type=JSON, headers={"cache-control": "no-store"})
