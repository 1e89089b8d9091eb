"""Sends the requests of operations to one server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from remit.errors import ExternalError
from remit.http.guarded import GuardedHttp
from remit.openapi.operations import Operation
from remit.openapi.requests import make_request, read_reply
from remit.openapi.security import Credential, resolve
from remit.record.secret import Secrets

_SHOWN: Final = 2_000


class Sender:
    """Sends requests to one server, each with credentials that are resolved for it.

    Args:
        server: the URL that the paths follow.
        secrets: where references are resolved.
        http: sends the requests; by default a client for this server alone.
    """

    def __init__(self, server: str, secrets: Secrets | None, http: GuardedHttp | None) -> None:
        self._server, self._secrets = server, secrets
        self._http = http or GuardedHttp.for_server(server)

    async def send(self, operation: Operation, credentials: Sequence[Credential], arguments: Mapping[str, Any]) -> Any:
        """The result of a call; for its errors see `read_reply`."""
        request = make_request(operation, self._server, arguments)
        request = request.with_credentials(await resolve(credentials, self._secrets))
        reply = await self._http.request(request.method, request.url, request.body, request.headers)
        return read_reply(operation, reply)

    def describe(self, operation: Operation, arguments: Mapping[str, Any]) -> str:
        """The request of a call as a person is asked about it: the method and the URL, without credentials.

        Raises:
            CallError: it cannot be sent.
        """
        request = make_request(operation, self._server, arguments)
        self._http.check(request.url, request.headers)
        return f"{request.method} {request.url}"[:_SHOWN]

    async def get_text(self, url: str) -> str:
        """What is at a URL.

        Raises:
            ExternalError: it cannot be had.
        """
        reply = await self._http.get(url)
        if reply.status != 200 or reply.is_cut:
            why = "it is too long" if reply.is_cut else f"the server answers {reply.status}"
            raise ExternalError(f"{url} cannot be read: {why}")
        return reply.text
