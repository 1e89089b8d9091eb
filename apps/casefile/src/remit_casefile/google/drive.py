"""Drive: list, read, download, export and upload files as the configured account."""

from __future__ import annotations

import asyncio
import base64
import re
from typing import Final

from remit import LeafContext
from remit.artifacts import Artifacts, RunArtifacts
from remit.tools import UNKNOWN, Happened, check_approved_state
from remit_casefile.google.payloads.drive import (
    FILE_FIELDS,
    MEDIA_TYPE,
    DownloadFile,
    ExportFile,
    FileContent,
    FileList,
    FileView,
    GetFile,
    ListFiles,
    UploadFile,
)
from remit_casefile.google.transport import HttpResponse, Transport, add_query, parse_response, quote_segment
from remit_casefile.google.uploads import ResumableUpload, UploadSettings, upload_multipart, upload_resumable
from remit_casefile.google.wire import ChangePage, StartPageToken
from remit_casefile.google.write_confirmation import WaitSchedule, make_trace

_LIST_FIELDS: Final = f"nextPageToken,incompleteSearch,files({FILE_FIELDS})"
_CHANGE_FIELDS: Final = f"nextPageToken,newStartPageToken,changes(fileId,removed,file({FILE_FIELDS}))"
_ALL_DRIVES: Final = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
_TRACE_PROPERTY: Final = "remitTrace"
_OCTETS: Final = "application/octet-stream"
_MAX_ARTIFACT_BYTES: Final = 64 * 2**20


class DriveChanges:
    """What a sync reads of a drive. A base class of its own, because these functions are no operations."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._base_url = f"{transport.hosts.drive}/drive/v3"

    async def get_start_page_token(self) -> StartPageToken:
        """The token for listing changes from now on."""
        url = f"{self._base_url}/changes/startPageToken"
        return await self._transport.call_json("GET", url, StartPageToken, params={"supportsAllDrives": True})

    async def list_changes(self, page_token: str) -> ChangePage:
        """A page of changes, starting at a token.

        Raises:
            InvalidArgumentsError: Drive no longer accepts the token.
        """
        params = {**_ALL_DRIVES, "pageToken": page_token, "pageSize": 1000, "fields": _CHANGE_FIELDS}
        return await self._transport.call_json("GET", f"{self._base_url}/changes", ChangePage, params=params)


class DriveClient(DriveChanges):
    """The files visible to one account.

    Args:
        transport: the account.
        schedule: how long to look for a file after an unconfirmed upload, and to continue an interrupted one.
        upload_settings: how content is transferred.
        artifacts: where the content of files is read and stored that are passed by reference.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        schedule: WaitSchedule | None = None,
        upload_settings: UploadSettings | None = None,
        artifacts: Artifacts | None = None,
    ) -> None:
        super().__init__(transport)
        self._schedule = schedule or WaitSchedule(sleep=asyncio.sleep)
        self._upload_settings = upload_settings or UploadSettings()
        self._artifacts = artifacts or RunArtifacts()

    async def list_files(self, payload: ListFiles) -> FileList:
        """List the files of one folder, or all: name, type, size and time of change. Files in the trash are omitted."""
        conditions = [f"({payload.query})"] if payload.query is not None else []
        if payload.folder_id is not None:
            conditions.append(f"'{payload.folder_id}' in parents")
        params = {
            **_ALL_DRIVES,
            "q": " and ".join([*conditions, "trashed = false"]),
            "pageSize": payload.page_size,
            "pageToken": payload.page_token,
            "fields": _LIST_FIELDS,
        }
        return await self._transport.call_json("GET", f"{self._base_url}/files", FileList, params=params)

    async def get_file(self, payload: GetFile) -> FileView:
        """Read the metadata of a file: name, type, size, time of change and folder. The content is not included."""
        params = {"fields": FILE_FIELDS, "supportsAllDrives": True}
        return await self._transport.call_json("GET", self._file_url(payload.file_id), FileView, params=params)

    async def download_file(self, payload: DownloadFile) -> FileContent:
        """Download the content of a file. Google documents must be exported instead."""
        url = add_query(self._file_url(payload.file_id), {"alt": "media", "supportsAllDrives": True})
        return await self._read_content(url, payload)

    async def export_file(self, payload: ExportFile) -> FileContent:
        """Export a Google document, spreadsheet or presentation as another type."""
        url = add_query(f"{self._file_url(payload.file_id)}/export", {"mimeType": payload.mime_type})
        return await self._read_content(url, payload)

    async def upload_file(self, ctx: LeafContext, payload: UploadFile) -> FileView:
        """Upload a new file. An existing file of the same name is kept beside it."""
        content = payload.inline_content if payload.file is None else await self._artifacts.read(payload.file)
        trace = make_trace(ctx.key)
        metadata: dict[str, object] = {
            "name": payload.name,
            "mimeType": payload.media_type,
            "appProperties": {_TRACE_PROPERTY: trace},
        }
        if payload.folder_id is not None:
            metadata["parents"] = [payload.folder_id]
        url = f"{self._transport.hosts.drive}/upload/drive/v3/files"

        async def write() -> FileView:
            if len(content) <= self._upload_settings.single_request_limit:
                kind = payload.media_type
                answer = await upload_multipart(self._transport, url, FILE_FIELDS, metadata, content, kind)
            else:
                pieces = ResumableUpload(
                    content=content,
                    mime_type=payload.media_type,
                    chunk_size=self._upload_settings.chunk_size,
                    schedule=self._schedule,
                )
                answer = await upload_resumable(self._transport, url, FILE_FIELDS, metadata, pieces)
            return parse_response(answer, FileView, "POST /upload/drive/v3/files")

        await check_approved_state()
        what = f"The file '{payload.name}' was uploaded"
        return await self._schedule.confirm_write(write, lambda: self._find_upload(trace), what)

    async def reconcile_upload(self, ctx: LeafContext, payload: UploadFile):
        """Whether the file of an interrupted upload exists. If none is found, a person is asked."""
        trace = make_trace(ctx.key)
        found = await self._schedule.poll(lambda: self._find_upload(trace))
        return UNKNOWN if found is None else Happened(found)

    async def _read_content(self, url: str, payload: DownloadFile | ExportFile) -> FileContent:
        """The content at an address: itself, or the reference to an artifact with the name of the file."""
        limit = _MAX_ARTIFACT_BYTES if payload.as_artifact else payload.max_bytes
        answer = await self._transport.send_checked("GET", url, headers={}, max_bytes=limit)
        if not payload.as_artifact:
            return _to_content(payload.file_id, answer)
        named = await self.get_file(GetFile(file_id=payload.file_id))
        kind = _media_type(answer)
        file = await self._artifacts.add(
            answer.body,
            name=re.sub(r"[/\\\x00-\x1f]", "_", named.name)[:255],
            media_type=kind if len(kind) <= 127 and re.fullmatch(MEDIA_TYPE, kind) else _OCTETS,
        )
        return FileContent(file_id=payload.file_id, mime_type=kind, size=file.size, encoding="artifact", file=file)

    def _file_url(self, file_id: str) -> str:
        return f"{self._base_url}/files/{quote_segment(file_id)}"

    async def _find_upload(self, trace: str) -> FileView | None:
        condition = f"appProperties has {{ key='{_TRACE_PROPERTY}' and value='{trace}' }}"
        found = await self.list_files(ListFiles(query=condition, page_size=1))
        return found.files[0] if found.files else None


def _media_type(answer: HttpResponse) -> str:
    return answer.headers.get("content-type", _OCTETS).partition(";")[0].strip()


def _to_content(file_id: str, answer: HttpResponse) -> FileContent:
    """The content as text if it is text, else as base64."""
    kind = _media_type(answer)
    size = len(answer.body)
    try:
        text = answer.body.decode()
    except UnicodeDecodeError:
        text = None
    if text is not None and "\x00" not in text:
        return FileContent(file_id=file_id, mime_type=kind, size=size, encoding="utf-8", content=text)
    coded = base64.b64encode(answer.body).decode()
    return FileContent(file_id=file_id, mime_type=kind, size=size, encoding="base64", content=coded)
