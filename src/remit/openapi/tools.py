"""Tools that send the requests of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

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
from remit.openapi.security import Credential, check_credentials, choose, read_schemes
from remit.openapi.sender import Sender
from remit.record.question import Preview
from remit.record.secret import Secrets


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
        self.schemes = read_schemes(document)
        """The security schemes that can be sent, by name."""

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

    def choose_credentials(
        self, operation: Operation, server: str, credentials: Mapping[str, str]
    ) -> tuple[Credential, ...]:
        """The credentials with which an operation of a server is sent.

        Raises:
            ContractError: the document puts it on another server, or there are no credentials for it.
        """
        if operation.server and operation.server.rstrip("/") != server.rstrip("/"):
            told = f"{operation.name} is at {operation.server[:200]}, not at {server}; make it a tool of that server"
            raise ContractError(f"{operation.where}: {told}")
        return choose(operation, self.schemes, credentials)

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
        check_credentials(self.schemes, credentials or {}, secrets)
        for name in (*(only or ()), *(facts or {})):
            if name in self.refused:
                raise ContractError(self.refused[name])
            if name not in self.operations:
                raise SetupError(f"the document has no operation {name!r:.100}")
        sender = Sender(server, secrets, http)
        made = list[Tool[..., Any]]()
        for operation in self.operations.values():
            if only is not None and operation.name not in only:
                continue
            try:
                chosen = self.choose_credentials(operation, server, credentials or {})
                made.append(_make_tool(operation, chosen, sender, (facts or {}).get(operation.name, {})))
            except ContractError:
                if only is not None:
                    raise
        return made


def _make_tool(
    operation: Operation, credentials: Sequence[Credential], sender: Sender, facts: FactOptions
) -> Tool[..., Any]:
    """The tool of an operation."""

    async def send(_ctx: LeafContext, arguments: dict[str, Any]) -> Any:
        return await sender.send(operation, credentials, arguments)

    async def preview(_ctx: LeafContext, payload: Any) -> Preview:
        return Preview(sender.describe(operation, payload.to_dict()))

    known: FactOptions = {"egress": True, **facts}
    if operation.method == "DELETE":
        known.setdefault("risk", Risk.HIGH)
    tool = Tool.from_schema(operation.name, operation.description, operation.schema, send, **known)
    return tool if tool.facts.effect is Effect.PURE else tool.with_preview(preview)
