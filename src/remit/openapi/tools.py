"""Tools that send the requests of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, cast

from remit.call.callee import LeafContext
from remit.call.facts import Effect, FactOptions, Risk
from remit.call.tool import Tool
from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments, check_call
from remit.core.checks import check_instances, check_text
from remit.errors import ContractError, SetupError
from remit.http.guarded import GuardedHttp
from remit.openapi.document import Document
from remit.openapi.operations import Operation, read_operations
from remit.openapi.requests import make_request, read_reply
from remit.openapi.security import Credential, check_credentials, choose, read_schemes, resolve
from remit.record.question import Preview
from remit.record.secret import Secrets

_SHOWN: Final = 2_000


@check_arguments()
class OpenApi:
    """The operations of an OpenAPI document of version 3.0 or 3.1.

    Args:
        content: the document, as JSON or YAML, or as read from JSON.
        file: the name by which errors call it.

    Raises:
        ContractError: it is no such document.
        SetupError: the extra ``openapi`` is not installed.
    """

    def __init__(self, content: Annotated[str | Mapping[str, Any], UNCHECKED], file: str = "openapi") -> None:
        if not isinstance(cast("object", content), (str, Mapping)):
            raise SetupError(f"OpenApi: content is {type(content).__name__}; give the text of a document, or a mapping")
        document = Document(content, file)
        self.operations, self.refused = read_operations(document)
        """The operations by the names of their tools, and by name those that cannot be called, with the reason."""
        self._schemes = read_schemes(document)

    @classmethod
    @check_call
    def load(cls, path: Path) -> OpenApi:
        """Read a document from a file.

        Raises:
            ContractError: it cannot be read, or is no such document.
        """
        try:
            content = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError, TypeError) as error:
            raise ContractError(f"{path}: it cannot be read: {error}") from error
        return cls(content, Path(path).name)

    @check_call
    def tools(
        self,
        server: str,
        *,
        only: Sequence[str] | None = None,
        facts: Mapping[str, FactOptions] | None = None,
        credentials: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        http: GuardedHttp | None = None,
    ) -> list[Tool[..., Any]]:
        """Make a tool of each operation, or of some.

        A tool is unsafe and a person is asked about its calls unless ``facts`` say more: the method of a request does
        not prove what it does. ``DELETE`` is high-risk.

        Args:
            server: the URL that the paths follow. Requests, with their credentials, go nowhere else.
            only: the names of the operations; None for all that can be called.
            facts: what the tools do, by name, as `tool` takes it.
            credentials: for each security scheme of the document, the reference to its secret.
            secrets: where the references are resolved, for each request anew.
            http: sends the requests; by default a client for this server alone.

        Raises:
            ContractError: an operation of ``only`` cannot be called, or has no credentials.
            SetupError: an argument names what the document does not have.
        """
        check_text("OpenApi.tools: server", server)
        mappings = {"facts": facts or {}, "credentials": credentials or {}}
        check_instances("OpenApi.tools", only=(() if only is None else only, list | tuple))
        check_instances("OpenApi.tools", **{name: (each, Mapping) for name, each in mappings.items()})
        check_credentials(self._schemes, credentials or {}, secrets)
        for name in (*(only or ()), *(facts or {})):
            if name in self.refused:
                raise ContractError(self.refused[name])
            if name not in self.operations:
                raise SetupError(f"the document has no operation {name!r:.100}")
        sender = _Sender(server, http or GuardedHttp.for_server(server), secrets)
        made = list[Tool[..., Any]]()
        for operation in self.operations.values():
            if only is not None and operation.name not in only:
                continue
            try:
                _check_server(operation, server)
                chosen = choose(operation, self._schemes, credentials or {})
                made.append(sender.make(operation, chosen, (facts or {}).get(operation.name, {})))
            except ContractError:
                if only is not None:
                    raise
        return made


class _Sender:
    def __init__(self, server: str, http: GuardedHttp, secrets: Secrets | None) -> None:
        self._server, self._http, self._secrets = server, http, secrets

    def make(self, operation: Operation, credentials: Sequence[Credential], facts: FactOptions) -> Tool[..., Any]:
        """The tool of an operation."""

        async def send(_ctx: LeafContext, arguments: dict[str, Any]) -> Any:
            request = make_request(operation, self._server, arguments)
            request = request.with_credentials(await resolve(credentials, self._secrets))
            reply = await self._http.request(request.method, request.url, request.body, request.headers)
            return read_reply(operation, reply)

        async def preview(_ctx: LeafContext, payload: Any) -> Preview:
            request = make_request(operation, self._server, payload.to_dict())
            self._http.check(request.url, request.headers)
            return Preview(f"{request.method} {request.url}"[:_SHOWN])

        known: FactOptions = {"egress": True, **facts}
        if operation.method == "DELETE":
            known.setdefault("risk", Risk.HIGH)
        tool = Tool.from_schema(operation.name, operation.description, operation.schema, send, **known)
        return tool if tool.facts.effect is Effect.PURE else tool.with_preview(preview)


def _check_server(operation: Operation, server: str) -> None:
    """Refuse an operation that another server has: credentials are for the server that the owner named.

    Raises:
        ContractError: names both servers.
    """
    if operation.server and operation.server.rstrip("/") != server.rstrip("/"):
        own = operation.server[:200]
        told = f"{operation.name} is at {own}, not at {server}; make it a tool of that server"
        raise ContractError(f"{operation.where}: {told}")
