"""Resources: the files of one's runs, and the objects that the application's views show."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Final

from remit.client.client import Client
from remit.errors import NotFoundError, RequestError
from remit.mcp.addresses import (
    FILE_TEMPLATE,
    OBJECT_TEMPLATE,
    file_address,
    no_resource,
    object_address,
    read_address,
)
from remit.mcp.wire import Result
from remit.object_views import ObjectDetail, ObjectView, Viewer
from remit.record.artifact import Artifact
from remit.record.target import as_target

_MARKDOWN: Final = "text/markdown"
_LISTED: Final = 50
"""The most objects of one kind that are listed."""

_MOST_BYTES: Final = 10_000_000
"""The largest file that is sent in a message."""

_TEXTS: Final = ("text/", "application/json", "application/xml")
TEMPLATES: Final[list[Result]] = [
    {"uriTemplate": OBJECT_TEMPLATE, "name": "object", "mimeType": _MARKDOWN},
    {"uriTemplate": FILE_TEMPLATE, "name": "file"},
]


class Resources:
    """The resources that one principal sees, for one target."""

    def __init__(self, client: Client, views: Sequence[ObjectView], target: str) -> None:
        self._client, self._views = client, views
        self._viewer = Viewer(principal=client.principal, target=as_target("target", target, RequestError))

    async def describe(self) -> list[Result]:
        """The objects that views list, the first ones of each kind. Files are reached from results."""
        found = list[Result]()
        for view in self._views:
            for row in await view.rows(self._viewer, limit=_LISTED):
                address = object_address(view.kind, row.id)
                told = {"uri": address, "name": row.name or row.id, "mimeType": _MARKDOWN}
                note = ", ".join(each for each in (view.title, row.group, row.note) if each)
                found.append({**told, "description": note})
        return found

    async def read(self, uri: str) -> list[Result]:
        """The content of a resource.

        Raises:
            ProtocolError: there is none under this address that the principal may read.
        """
        named = read_address(uri)
        if isinstance(named, Artifact):
            return [await self._read_file(named, uri)]
        kind, ident = named
        view = next((each for each in self._views if each.kind == kind), None)
        detail = None if view is None else await view.detail(self._viewer, ident)
        if detail is None:
            raise no_resource(uri)
        return [{"uri": uri, "mimeType": _MARKDOWN, "text": "\n".join(_write_object(detail))}]

    async def _read_file(self, artifact: Artifact, uri: str) -> Result:
        if artifact.size > _MOST_BYTES:
            raise RequestError(f"the file is larger than {_MOST_BYTES:,} bytes; a server has it at /api/files")
        try:
            content = await self._client.read_artifact(artifact)
        except NotFoundError as error:
            raise no_resource(uri) from error
        told: Result = {"uri": uri, "mimeType": artifact.media_type}
        if artifact.media_type.startswith(_TEXTS):
            try:
                return {**told, "text": content.decode()}
            except UnicodeDecodeError:
                pass
        return {**told, "blob": b64encode(content).decode()}


def _write_object(detail: ObjectDetail) -> Iterator[str]:
    """An object as Markdown: what its view shows, without its pages."""
    yield f"# {detail.name}"
    yield from (f"\n{each}" for each in (detail.note, detail.blocked) if each)
    for section in detail.sections:
        yield f"\n## {section.title}"
        if section.text:
            yield f"\n{section.text}"
        if section.columns:
            yield f"\n{_row(section.columns)}\n{_row(['---'] * len(section.columns))}"
            yield from (_row(each) for each in section.rows)
    if detail.changes:
        yield f"\n## {'What has changed' if detail.is_past else 'What changes'}\n"
        yield from (
            f"- {each.where}: {each.before or '(nothing)'} → {each.after or '(nothing)'}" for each in detail.changes
        )
    if detail.files:
        yield "\n## Files\n"
        yield from (f"- {each.name or 'file'}: {file_address(each)}" for each in detail.files)


def _row(cells: Sequence[str]) -> str:
    """A row of a table."""
    cleaned = (" ".join(each.replace("|", "\\|").split()) for each in cells)
    return f"| {' | '.join(cleaned)} |"
