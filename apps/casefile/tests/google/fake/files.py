"""A Drive in memory."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import Final

from apps.casefile.tests.google.fake.discovery import Json
from apps.casefile.tests.google.fake.requests import GoogleResponseError, Media, Operation, Request, page
from apps.casefile.tests.google.fake.shapes import selected

DOCUMENT = "application/vnd.google-apps.document"
_PAGE = 3
_FILE = "kind,id,name,mimeType"
_BRIEF = {
    "drive.files.get": _FILE,
    "drive.files.create": _FILE,
    "drive.files.list": f"kind,incompleteSearch,nextPageToken,files({_FILE})",
    "drive.changes.list": f"kind,nextPageToken,newStartPageToken,changes(kind,removed,changeType,fileId,file({_FILE}))",
}
"""What Drive says unless it is asked for other fields."""


class Drive:
    """Files, and what happened to them."""

    def __init__(self) -> None:
        self.files: dict[str, Json] = {}
        self.contents: dict[str, bytes] = {}
        self.incomplete = False
        self._changed: list[str] = []
        self._oldest = 1
        self._numbers = itertools.count(1)

    @property
    def operations(self) -> dict[str, Operation]:
        """What is done here, by the id of its method."""
        return {
            "drive.files.list": self._list,
            "drive.files.get": self._get,
            "drive.files.export": self._export,
            "drive.files.create": self._create,
            "drive.changes.getStartPageToken": self._start,
            "drive.changes.list": self._changes,
        }

    def put(self, name: str, content: bytes, mime_type: str = "text/plain", **fields: object) -> str:
        """Put a file in; its id."""
        number = next(self._numbers)
        key = f"file-{number}"
        file: Json = {
            "kind": "drive#file",
            "id": key,
            "name": name,
            "mimeType": mime_type,
            "parents": ["root"],
            "trashed": False,
            "modifiedTime": f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
            "webViewLink": f"https://drive.example.com/{key}",
            **fields,
        }
        if mime_type != DOCUMENT:
            file |= {"size": str(len(content)), "md5Checksum": hashlib.md5(content).hexdigest()}  # noqa: S324
        self.files[key], self.contents[key] = file, content
        self._changed.append(key)
        return key

    def change(self, key: str, **fields: object) -> None:
        """Change what is said of a file."""
        self.files[key] |= fields
        self._changed.append(key)

    def delete(self, key: str) -> None:
        """Delete a file for good."""
        del self.files[key], self.contents[key]
        self._changed.append(key)

    def forget(self) -> None:
        """Take no token any more that was given so far."""
        self._oldest = len(self._changed) + 2
        self._changed.append("")

    def _start(self, request: Request) -> Json:
        return {"kind": "drive#startPageToken", "startPageToken": str(len(self._changed) + 1)}

    def _list(self, request: Request) -> Json:
        conditions = _conditions(str(request.params.get("q", "")))
        found = [file for file in self.files.values() if all(fits(file) for fits in conditions)]
        some, following = page(found, request.params.get("pageToken"), min(_PAGE, request.params["pageSize"]))
        answer: Json = {"kind": "drive#fileList", "incompleteSearch": self.incomplete, "files": some}
        return _shown(request, answer | ({"nextPageToken": following} if following else {}))

    def _get(self, request: Request) -> Json | Media:
        file = self._file(request)
        if request.params["alt"] != "media":
            return _shown(request, file)
        if file["mimeType"] == DOCUMENT:
            raise GoogleResponseError(403, "Only files with binary content can be downloaded.", "fileNotDownloadable")
        return Media(content=self.contents[file["id"]], mime_type=file["mimeType"])

    def _export(self, request: Request) -> Json | Media:
        file = self._file(request)
        if file["mimeType"] != DOCUMENT:
            raise GoogleResponseError(403, "Export only supports Docs Editors files.", "fileNotExportable")
        return Media(content=self.contents[file["id"]], mime_type=request.params["mimeType"])

    def _create(self, request: Request) -> Json:
        kind = request.body.get("mimeType") or request.media_type or "application/octet-stream"
        fields = {name: value for name, value in request.body.items() if name not in ("name", "mimeType")}
        key = self.put(request.body.get("name", "Untitled"), request.media or b"", kind, **fields)
        return _shown(request, self.files[key])

    def _changes(self, request: Request) -> Json:
        token = request.params["pageToken"]
        if not token.isdigit() or not self._oldest <= int(token) <= len(self._changed) + 1:
            raise GoogleResponseError(400, "Invalid Value", "invalid")
        start, size = int(token) - 1, min(_PAGE, request.params["pageSize"])
        some = self._changed[start : start + size]
        following = start + size + 1
        answer: Json = {"kind": "drive#changeList", "changes": [self._change(key) for key in some if key]}
        more = following <= len(self._changed)
        return _shown(
            request,
            answer
            | ({"nextPageToken": str(following)} if more else {"newStartPageToken": str(len(self._changed) + 1)}),
        )

    def _change(self, key: str) -> Json:
        change: Json = {"kind": "drive#change", "changeType": "file", "fileId": key, "removed": key not in self.files}
        return change | ({"file": self.files[key]} if key in self.files else {})

    def _file(self, request: Request) -> Json:
        file = self.files.get(request.params["fileId"])
        if file is None:
            raise GoogleResponseError(404, f"File not found: {request.params['fileId']}.", "notFound")
        return file


def _shown(request: Request, answer: Json) -> Json:
    return answer if "fields" in request.params else selected(answer, _BRIEF[request.method])


def _conditions(query: str) -> list[Callable[[Json], bool]]:
    """What a query asks of a file."""
    said = filter(None, re.split(r"\s+and\s+(?![^{]*\})", query))
    return [_condition(each.strip().removeprefix("(").removesuffix(")")) for each in said]


def _condition(text: str) -> Callable[[Json], bool]:
    for pattern, fits in _CONDITIONS.items():
        found = re.fullmatch(pattern, text)
        if found is not None:
            return partial(fits, found.groups())
    raise GoogleResponseError(400, "Invalid Value", "invalid")


_CONDITIONS: Final[dict[str, Callable[[tuple[str, ...], Json], bool]]] = {
    r"name contains '(.*)'": lambda said, file: said[0].lower() in file["name"].lower(),
    r"mimeType = '(.*)'": lambda said, file: said[0] == file["mimeType"],
    r"'(.*)' in parents": lambda said, file: said[0] in file["parents"],
    r"trashed = (true|false)": lambda said, file: file["trashed"] is (said[0] == "true"),
    r"appProperties has \{ key='(.*)' and value='(.*)' \}": lambda said, file: (
        file.get("appProperties", {}).get(said[0]) == said[1]
    ),
}
