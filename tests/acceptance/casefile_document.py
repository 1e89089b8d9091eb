"""The casefile of document 5: its payloads, envelopes, service and inventory entry."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from remit.inventory import (
    Operations,
    PolicyTable,
    Request,
    Response,
    Vocabulary,
    business_rules_section,
    read_inventory,
)


class CreateCasefilePayload(BaseModel):
    """Layer 1: business data."""

    title: str
    description: str | None = None
    tags: list[str] = []


class CasefilePayload(BaseModel):
    """Layer 1: response data."""

    casefile_id: str
    title: str
    created_at: str


class CreateCasefileRequest(Request[CreateCasefilePayload], operation="create_casefile"):
    """Layer 2: method contract."""


class CreateCasefileResponse(Response[CasefilePayload]):
    """Layer 2: method response."""


class Service:
    """The service, with envelopes in its signature."""

    async def create_casefile(self, request: CreateCasefileRequest) -> CreateCasefileResponse:
        """Creates new casefile."""
        made = CasefilePayload(casefile_id="cf1", title=request.payload.title, created_at="now")
        return CreateCasefileResponse.completed(request, made)


class PlainService:
    """The service, whose envelopes are derived."""

    async def create_casefile(self, payload: CreateCasefilePayload) -> CasefilePayload:
        """Creates new casefile."""
        return CasefilePayload(casefile_id="cf1", title=payload.title, created_at="now")


ENTRY = """\
domain: workspace
subdomain: casefile
methods:
  create_casefile:
    classification: {capability: create}
    effect: unsafe
    models: {request: CreateCasefileRequest, response: CreateCasefileResponse}
    business_rules: {template: authenticated_access, required_permissions: [casefiles:write]}
    tools:
      create_casefile_tool: {}
"""


def casefile_operations(folder: Path, entry: str = ENTRY, service: object | None = None) -> Operations:
    """The operations of an entry."""
    (folder / "casefile.yaml").write_text(entry, encoding="utf-8")
    words = Vocabulary(domains={"workspace": {"casefile"}}, permissions={"casefiles:write"})
    inventory = read_inventory(folder, PolicyTable(business_rules_section(version="1.0")), words)
    return Operations(inventory, [service or Service()])
