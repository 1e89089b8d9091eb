"""The addresses of resources: files and the objects of the application's views."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from pydantic import ValidationError

from remit.mcp.wire import INVALID_PARAMS, ProtocolError, Result
from remit.record.artifact import Artifact

FILE_TEMPLATE: Final = "remit://files/{digest}{?size,type,name}"
OBJECT_TEMPLATE: Final = "remit://objects/{kind}/{id}"

_MOST_CHARS: Final = 4000


def object_address(kind: str, ident: str) -> str:
    """The address of an object."""
    return f"remit://objects/{quote(kind, safe='')}/{quote(ident, safe='')}"


def file_address(artifact: Artifact) -> str:
    """The address of a file, which has all of its reference."""
    query = urlencode({"size": artifact.size, "type": artifact.media_type, "name": artifact.name})
    return f"remit://files/{quote(artifact.digest, safe='')}?{query}"


def read_address(uri: str) -> Artifact | tuple[str, str]:
    """The file, or the kind and id of the object, with an address.

    Raises:
        ProtocolError: it is no address of this server.
    """
    try:
        parts = urlsplit(uri if len(uri) <= _MOST_CHARS else "")
        segments = [unquote(each) for each in parts.path.split("/")[1:]]
        if (parts.scheme, parts.netloc, len(segments)) == ("remit", "objects", 2):
            return segments[0], segments[1]
        if (parts.scheme, parts.netloc, len(segments)) == ("remit", "files", 1):
            query = dict(parse_qsl(parts.query))
            reference = {"digest": segments[0], "size": query.get("size", ""), "name": query.get("name", "")}
            if kind := query.get("type", ""):
                reference["media_type"] = kind
            return Artifact.model_validate(reference)
    except (ValueError, ValidationError):
        pass
    raise no_resource(uri)


def no_resource(uri: str) -> ProtocolError:
    """The refusal of an address under which nothing is, or nothing for this principal."""
    return ProtocolError(INVALID_PARAMS, "there is no such resource", {"uri": uri[:_MOST_CHARS]})


def link_file(artifact: Artifact) -> Result:
    """The link to a file in the result of a call."""
    return {
        "type": "resource_link",
        "uri": file_address(artifact),
        "name": artifact.name or "file",
        "mimeType": artifact.media_type,
        "size": artifact.size,
    }
