"""An OpenAPI document as the other side of a source, whose operations are pinned and quarantined like MCP tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from remit.call.callee import LeafContext
from remit.core.call_checks import check_arguments
from remit.core.checks import check_text
from remit.errors import ContractError, ExternalError, NotFoundError
from remit.http.guarded import GuardedHttp
from remit.openapi.operations import Operation
from remit.openapi.sender import Sender
from remit.openapi.tools import OpenApi
from remit.record.arguments import content_digest
from remit.record.secret import Secrets
from remit.sources.offer import Offer, Snapshot
from remit.sources.source import NewConnectionError


@check_arguments()
class OpenApiOrigin:
    """The operations of a document that may change, for a `Source`.

    What decides about a request is a part of an offer, so an operation with another path is in quarantine like one with
    another description.

    Args:
        document: the path of the document, or its URL, which must be on ``server``.
        server: the URL that the paths of operations follow. Requests, with their credentials, go nowhere else.
        credentials: for each security scheme of the document, the reference to its secret.
        secrets: where the references are resolved, for each request anew.
        http: sends the requests; by default a client for this server alone.
    """

    def __init__(
        self,
        document: str | Path,
        server: str,
        *,
        credentials: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        http: GuardedHttp | None = None,
    ) -> None:
        check_text("OpenApiOrigin: server", server)
        self._document, self._server, self._credentials = document, server, dict(credentials or {})
        self._sender = Sender(server, secrets, http)
        self._api: OpenApi | None = None
        self._version: str | None = None

    @property
    def version(self) -> object:
        """The digest of the document; None before it was read."""
        return self._version

    async def open(self, on_change: Callable[[], None]) -> None:
        """Do nothing: there is no connection, and a document does not say that it changes."""
        del on_change

    async def close(self) -> None:
        """Do nothing."""

    async def read(self) -> Snapshot:
        """What the document describes now: the operations that can be called.

        Raises:
            ExternalError: it cannot be read, or is no such document.
        """
        try:
            content, name = await self._read_content()
            api = await asyncio.to_thread(OpenApi, content, name)
        except (ContractError, OSError, UnicodeDecodeError) as error:
            raise ExternalError(f"the document {self._document} cannot be read: {error}") from error
        self._api, self._version = api, content_digest("openapi", content)
        offers = (_make_offer(each) for each in api.operations.values() if self._can_call(api, each))
        return Snapshot(address=self._server, offers=tuple(offers))

    async def call(self, name: str, arguments: Mapping[str, Any], ctx: LeafContext, version: object, /) -> Any:
        """Send the request of an operation, as the document of this version describes it.

        Raises:
            NewConnectionError: the document was read again. CallError: the call failed.
        """
        del ctx  # the request goes on alone
        if version != self._version or self._api is None:
            raise NewConnectionError
        operation = self._api.operations.get(name)
        if operation is None:
            raise NotFoundError(f"the document has no operation {name!r:.100}")
        chosen = self._api.choose_credentials(operation, self._server, self._credentials)
        return await self._sender.send(operation, chosen, arguments)

    async def _read_content(self) -> tuple[str, str]:
        """The text of the document, and its name."""
        if isinstance(self._document, str) and "://" in self._document:
            return await self._sender.get_text(self._document), self._document.rpartition("/")[2] or "openapi"
        path = Path(self._document)
        return await asyncio.to_thread(path.read_text, encoding="utf-8"), path.name

    def _can_call(self, api: OpenApi, operation: Operation) -> bool:
        try:
            api.choose_credentials(operation, self._server, self._credentials)
        except ContractError:
            return False
        return True


def _make_offer(operation: Operation) -> Offer:
    """The offer of an operation, with all that decides about its requests."""
    annotations = {"openWorldHint": True}
    if operation.method == "DELETE":
        annotations["destructiveHint"] = True
    return Offer(
        name=operation.name,
        title=operation.title,
        description=operation.description,
        input_schema=operation.schema,
        annotations=annotations,
        meta={
            "method": operation.method,
            "path": operation.path,
            "parameters": [structs.asdict(each) for each in operation.parameters],
            "body": None if operation.body is None else [*operation.body],
            "media_type": operation.media_type,
            "security": [[*each] for each in operation.security],
        },
    )
