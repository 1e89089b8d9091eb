"""The content of a result: text, what has a structure, and files, which become artifacts."""

from __future__ import annotations

import base64
import binascii
import mimetypes
from typing import Any, Final

from remit.errors import ToolFailed
from remit.mcp.upstream.incoming import as_list, as_object, as_text
from remit.mcp.wire import Result
from remit.record.artifact import OCTETS, Artifact
from remit.record.run_artifacts import RunArtifacts

_MOST_BLOCKS: Final = 1000


async def read_result(result: Result, *, has_schema: bool) -> Any:
    """The value of a result: what has a structure, or text alone, or a list of parts.

    Args:
        result: the result of a call.
        has_schema: whether the tool declares the schema of its results.

    Raises:
        ToolFailed: the server says that the call has failed.
    """
    structured = result.get("structuredContent")
    if result.get("isError") is True:
        parts = [each if isinstance(each, str) else str(each) for each in await _read_parts(result)]
        raise ToolFailed("\n".join(parts) or "the tool failed, and does not say why")
    if structured is not None and (has_schema or not _has_files(result)):
        return structured
    parts = await _read_parts(result)
    if all(isinstance(each, str) for each in parts):
        return "\n".join(map(str, parts))
    return parts if structured is None else {"result": structured, "content": parts}


def _has_files(result: Result) -> bool:
    return any(as_object(each).get("type") != "text" for each in as_list(result.get("content")))


async def _read_parts(result: Result) -> list[Any]:
    blocks = as_list(result.get("content"))[:_MOST_BLOCKS]
    return [await _read_block(as_object(each)) for each in blocks]


async def _read_block(block: dict[str, Any]) -> Any:
    """A text, a file as the reference to its artifact, or the address of a resource."""
    kind = as_text(block.get("type"))
    if kind == "text":
        return as_text(block.get("text"))
    if kind in ("image", "audio"):
        return await _store(as_text(block.get("data")), as_text(block.get("mimeType")), kind)
    resource = as_object(block.get("resource")) if kind == "resource" else block
    address = {"uri": as_text(resource.get("uri")), "name": as_text(resource.get("name"))}
    if kind == "resource" and "blob" in resource:
        return await _store(as_text(resource["blob"]), as_text(resource.get("mimeType")), address["uri"])
    if kind == "resource":
        return as_text(resource.get("text"))
    if kind == "resource_link":
        described = address | {"description": as_text(resource.get("description"))}
        return {name: value for name, value in described.items() if value}
    return f"a block of type {kind[:100]!r}, which is not read"


async def _store(data: str, media_type: str, name: str) -> dict[str, Any] | str:
    """The reference to a file that was sent with a result."""
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "a file that cannot be read"
    kind = media_type.partition(";")[0].strip().lower()
    stored = await RunArtifacts().add(content, name=_name_file(name, kind), media_type=_check_type(kind))
    return stored.model_dump()


def _check_type(kind: str) -> str:
    try:
        return Artifact(digest="sha256:" + "0" * 64, size=0, media_type=kind).media_type
    except ValueError:
        return OCTETS


def _name_file(name: str, kind: str) -> str:
    """A file name from the last part of an address, or from the kind of content."""
    last = "".join(each for each in name.rpartition("/")[2] if each.isalnum() or each in "._- ")[:100].strip(" .")
    suffix = "" if "." in last else mimetypes.guess_extension(kind) or ""
    return f"{last or 'file'}{suffix}"
