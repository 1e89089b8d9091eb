"""The official client, pointed at the fake. It blocks: what it is asked runs in a thread."""

# The official client ships without types, and makes its methods of the documents while it runs.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from typing import Any

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload, MediaIoBaseDownload

from apps.casefile.tests.google.fake.discovery import text_of
from apps.casefile.tests.google.fake.server import FakeGoogle

__all__ = ["HttpError", "MediaInMemoryUpload", "MediaIoBaseDownload", "Official", "execute"]


class Official(ExitStack):
    """The official clients, each built from its document with only the address changed."""

    def __init__(self, google: FakeGoogle) -> None:
        super().__init__()
        self.gmail = self._build(google, "gmail", "v1").users()
        self.drive = self._build(google, "drive", "v3")
        self.sheets = self._build(google, "sheets", "v4").spreadsheets().values()

    def _build(self, google: FakeGoogle, name: str, version: str) -> Any:
        document = json.loads(text_of(name, version))
        document["rootUrl"] = document["mtlsRootUrl"] = f"{google.url}/"
        document["baseUrl"] = f"{google.url}/{document['servicePath']}"
        service: Any = build_from_document(document, credentials=Credentials(min(google.tokens)))
        return self.enter_context(service)


async def execute(request: Any) -> Any:
    """What the official client makes of the answer."""
    return await asyncio.to_thread(request.execute)
