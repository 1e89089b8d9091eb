"""Responses with documents."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from remit.chat.encoded_json import encode_json

JSON: Final = "application/json"


def write_document(document: object, status: int = 200) -> Response:
    """A response with a document as JSON, which nothing may keep."""
    return Response(encode_json(document), status, media_type=JSON, headers={"cache-control": "no-store"})
