"""A small application with an inventory: notes in notebooks, the weather of somebody else, and sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from remit import App, LeafContext, Runtime, Stack
from remit.call.call import ToolLayer
from remit.errors import BlockedError, NotFoundError
from remit.inventory import (
    Enforcer,
    Operations,
    PolicyModel,
    PolicySection,
    PolicyTable,
    Request,
    Response,
    SessionState,
    Status,
    ToolGovernance,
    Vocabulary,
    audit_events_section,
    business_rules_section,
    read_inventory,
    session_policies_section,
)
from remit.layers import Call, Gate, Validate
from remit.policies import Approver, InboxApprover
from remit.tools import entity


class CreateNotePayload(BaseModel):
    """A note to be written."""

    title: str = Field(min_length=1, max_length=80, description="What it is called.")
    text: str = ""
    tags: list[str] = Field(default_factory=list[str])
    secret: str = ""


@entity("note", id="number", name="title")
class NotePayload(BaseModel):
    """A note."""

    number: int
    title: str
    tags: list[str]
    secret: str = ""


class CreateNoteRequest(Request[CreateNotePayload], operation="create_note"):
    """Asks to write a note."""


class CreateNoteResponse(Response[NotePayload]):
    """Says which note was written."""


class ReadNotePayload(BaseModel):
    """Which note."""

    number: int = Field(ge=1)


class ReadNoteRequest(Request[ReadNotePayload], operation="read_note"):
    """Asks for a note."""


class ReadNoteResponse(Response[NotePayload]):
    """Has the note."""


class Notes:
    """The notes."""

    def __init__(self) -> None:
        self.written: list[NotePayload] = []
        self.requests: list[CreateNoteRequest] = []
        self.state = "open"
        self.delay = 0.0

    async def create_note(self, request: CreateNoteRequest) -> CreateNoteResponse:
        """Write a note. Call it when somebody wants to remember something."""
        self.requests.append(request)
        await asyncio.sleep(self.delay)
        asked = request.payload
        note = NotePayload(number=len(self.written) + 1, title=asked.title, tags=asked.tags, secret=asked.secret)
        self.written.append(note)
        return CreateNoteResponse.completed(request, note)

    async def read_note(self, request: ReadNoteRequest) -> ReadNoteResponse:
        """Read a note."""
        number = request.payload.number
        if number == 99:
            return ReadNoteResponse(request_id=request.request_id, status=Status.PENDING)
        if number > len(self.written):
            return ReadNoteResponse.failed(request, NotFoundError(f"there is no note {number}"))
        return ReadNoteResponse.completed(request, self.written[number - 1])

    async def count_notes(self, ctx: LeafContext) -> int:
        """Count the notes."""
        return len(self.written)


class Forecast(BaseModel):
    """The weather of tomorrow."""

    place: str
    degrees: float


class Weather:
    """Somebody else's weather."""

    async def forecast(self, place: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> Forecast:
        """Say tomorrow's weather.

        Args:
            place: Where.
            unit: In which degrees.
        """
        return Forecast(place=place, degrees=20 if unit == "celsius" else 68)


@dataclass
class MemorySessions:
    """Sessions in memory, by what they are: one for all."""

    current: SessionState = SessionState.ACTIVE
    opened: int = 0

    async def state(self, call: Call, /) -> SessionState:
        """How it stands."""
        return self.current

    async def open(self, call: Call, /) -> None:
        """Open it."""
        self.opened += 1
        self.current = SessionState.ACTIVE

    async def resume(self, call: Call, /) -> None:
        """Take it up."""
        self.current = SessionState.ACTIVE


@dataclass
class Env:
    """What the layers need."""

    approver: Approver | None = field(default_factory=InboxApprover)
    sessions: MemorySessions | None = field(default_factory=MemorySessions)


class NotebookPolicies(PolicyModel):
    """A section of the application's own."""

    allowed_states: tuple[str, ...] = ("open",)


@dataclass(frozen=True, slots=True)
class InState(Gate):
    """Refuses calls while the notebook is in another state."""

    notes: Notes = field(repr=False)
    states: tuple[str, ...]

    async def check(self, call: Call, /) -> None:
        """Refuse, in another state."""
        if self.notes.state not in self.states:
            raise BlockedError(f"the notebook is {self.notes.state}; it must be {' or '.join(self.states)}")


def notebook_policies(notes: Notes) -> PolicySection[NotebookPolicies]:
    """The application's own section: which layer enforces it, and how that is made."""

    def around(policies: NotebookPolicies, _governed: ToolGovernance) -> Iterable[InState]:
        yield InState(notes, policies.allowed_states)

    does = "calls in another state are refused"
    enforced = {"allowed_states": Enforcer(layer=InState, description=does)}
    return PolicySection(name="notebook_policies", model=NotebookPolicies, enforcers=enforced, make_layers=around)


VOCABULARY = Vocabulary(
    domains={"office": {"notes", "weather"}}, permissions={"notes:read", "notes:write", "weather:read"}
)
NOTES = """\
domain: office
subdomain: notes
methods:
  create_note:
    classification: {capability: create}
    models: {request: CreateNoteRequest, response: CreateNoteResponse}
    effect: keyed
    business_rules: {template: authenticated_access, required_permissions: [notes:write]}
    session_policies: session_required
    audit_events: {template: standard, log_response_fields: [number, secret]}
    tools:
      create_note: {tags: [note, create]}
      quick_note:
        description: Write down a title and nothing else.
        fix: {tags: [quick]}
        hide: [text, secret]
  read_note:
    classification: {capability: read}
    effect: pure
    business_rules: {required_permissions: [notes:read]}
    tools:
      read_note: {}
  count_notes:
    classification: {capability: read}
    effect: pure
    business_rules: {required_permissions: [notes:read]}
"""
WEATHER = """\
domain: office
subdomain: weather
methods:
  forecast:
    classification: {capability: read, integration_tier: external, maturity: beta}
    effect: pure
    egress: true
    business_rules:
      template: external_api_integration
      required_permissions: [weather:read]
    tools: {}
tools:
  weather:
    method: office.weather.forecast
    fix: {unit: celsius}
"""


def table(env: Env, notes: Notes, *, version: str = "1.0") -> PolicyTable:
    """The sections that this application enforces."""
    sections = (session_policies_section(env), audit_events_section(), notebook_policies(notes))
    return PolicyTable(business_rules_section(version=version), *sections)


def _no_layers(_policies: PolicyModel, _governed: ToolGovernance) -> tuple[ToolLayer, ...]:
    """No layer."""
    return ()


@dataclass
class Notebook:
    """The application in a folder, in parts.

    One that does not enforce has no layers of policy: what a trial is worth is seen there.
    """

    folder: Path
    env: Env = field(default_factory=Env)
    notes: Notes = field(default_factory=Notes)
    version: str = "1.0"
    enforces: bool = True

    def write(self, notes: str = NOTES, weather: str = WEATHER) -> Notebook:
        """Write the inventory."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "notes.yaml").write_text(notes, encoding="utf-8")
        (self.folder / "weather.yaml").write_text(weather, encoding="utf-8")
        return self

    def operations(self, *domains: object) -> Operations:
        """Code and inventory, put together."""
        sections = table(self.env, self.notes, version=self.version)
        if not self.enforces:
            sections = PolicyTable(*(replace(each, make_layers=_no_layers) for each in sections.sections.values()))
        inventory = read_inventory(self.folder, sections, VOCABULARY)
        return Operations(inventory, domains or (self.notes, Weather()))

    def app(self, *domains: object) -> App:
        """The application."""
        operations = self.operations(*domains)
        return App(
            name="notebook",
            tools=operations.callees,
            env=self.env,
            operations=operations if self.enforces else None,
        )

    def runtime(self) -> Runtime:
        """A runtime of the application."""
        return Runtime(self.app(), layers=None if self.enforces else Stack(Validate()))
