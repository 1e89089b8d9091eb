"""What is declared is enforced: each field of policy is broken once, through a runtime, and must hold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest import mock

import looptime

from figures.figure import Figure, no_violations
from figures.notebook import NOTES, MemorySessions, Notebook, table
from remit import Principal, Runtime, Stack
from remit.dispatch import scopes
from remit.inventory import SessionState
from remit.layers import Call, CallLayer, RateLimit
from remit.record.items import Note
from remit.tools import Arguments, Facts

ADA: Final = Principal("ada", permissions=frozenset({"*"}))
WRITE: Final = ("create_note", {"title": "one", "secret": "hush"})


@dataclass(frozen=True, slots=True)
class CallResult:
    """How a call came out, and the events that were filed about it."""

    reply: Mapping[str, Any]
    notes: Mapping[str, Any]

    @property
    def code(self) -> str:
        """The code of its error."""
        return str(self.reply.get("errorCode", ""))


class Trial:
    """A notebook in which one policy of create_note is declared otherwise."""

    def __init__(self, folder: Path) -> None:
        self.notebook = Notebook(folder / "inventory")
        self._runtime: Runtime | None = None

    def declare(self, section: str, declaration: str) -> None:
        """Declare a section of create_note as ``declaration``, in the place of what is said there."""
        lines = [line for line in NOTES.splitlines() if not line.startswith(f"    {section}:")]
        at = lines.index("    effect: keyed")
        self.notebook.write("\n".join([*lines[:at], f"    {section}: {declaration}", *lines[at:]]))
        self._runtime = None

    async def call(
        self, name: str = WRITE[0], arguments: Mapping[str, Any] = WRITE[1], by: Principal = ADA
    ) -> CallResult:
        """Call a tool as the application would be called."""
        self._runtime = self._runtime or self.notebook.runtime()
        result = await self._runtime.call_by_name(name, Arguments(json.dumps(arguments), dict(arguments)), by=by)
        items = [position.item for position in await self._runtime.store.read(result.run)]
        notes = {str(item.name): json.loads(item.data) for item in items if isinstance(item, Note)}
        return CallResult(json.loads(result.text), notes)


Case = Callable[[Trial], Awaitable[bool]]
"""Breaks one policy; whether it held."""
CASES: Final[dict[str, Case]] = {}


def case(field: str) -> Callable[[Case], Case]:
    """The case that breaks a field."""

    def enter(function: Case) -> Case:
        CASES[field] = function
        return function

    return enter


def _expect_refusal(section: str, declaration: str, code: str) -> Case:
    """A declaration under which the call is refused, with what its error says."""

    async def tried(trial: Trial) -> bool:
        trial.declare(section, declaration)
        return (await trial.call()).code == code and trial.notebook.notes.written == []

    return tried


CASES["business_rules.enabled"] = _expect_refusal("business_rules", "{enabled: false}", "BLOCKED")
CASES["business_rules.visibility"] = _expect_refusal("business_rules", "{visibility: internal}", "BLOCKED")
CASES["business_rules.removal_version"] = _expect_refusal(
    "business_rules", '{deprecated_since: "0.9", removal_version: "1.0"}', "BLOCKED"
)


@case("business_rules.requires_auth")
async def _nobody(trial: Trial) -> bool:
    trial.declare("business_rules", "{requires_auth: true}")
    return (await trial.call(by=Principal("anonymous", permissions=frozenset({"*"})))).code == "PERMISSION_DENIED"


@case("business_rules.required_permissions")
async def _reader(trial: Trial) -> bool:
    trial.declare("business_rules", "{required_permissions: [notes:write]}")
    return (await trial.call(by=Principal("bob", permissions=frozenset({"notes:read"})))).code == "PERMISSION_DENIED"


@case("business_rules.timeout_seconds")
async def _slow(trial: Trial) -> bool:
    trial.declare("business_rules", "{timeout_seconds: 2}")
    trial.notebook.notes.delay = 60.0
    return (await trial.call()).code == "TIMEOUT"


@case("business_rules.rate_limit_per_minute")
async def _often(trial: Trial) -> bool:
    trial.declare("business_rules", "{rate_limit_per_minute: 2}")
    codes = [(await trial.call()).code for _ in range(3)]
    return codes == ["", "", "RATE_LIMITED"]


@case("business_rules.deprecated_since")
async def _deprecated(trial: Trial) -> bool:
    trial.declare("business_rules", '{deprecated_since: "0.9"}')
    return (await trial.call()).notes.get("deprecated") == {"tool": "create_note", "since": "0.9", "call": ""}


@case("business_rules.replacement_method")
async def _replaced(trial: Trial) -> bool:
    trial.declare("business_rules", '{removal_version: "1.0", replacement_method: office.notes.create_note}')
    came = await trial.call()
    return came.code == "BLOCKED" and "call office.notes.create_note" in came.reply["error"]


@case("session_policies.requires_active_session")
async def _no_session(trial: Trial) -> bool:
    _use_sessions(trial, SessionState.ABSENT)
    return await _expect_refusal("session_policies", "session_required", "PERMISSION_DENIED")(trial)


@case("session_policies.allow_new_session")
async def _no_new_session(trial: Trial) -> bool:
    known = _use_sessions(trial, SessionState.ABSENT)
    refused = await _expect_refusal("session_policies", "{allow_new_session: false}", "PERMISSION_DENIED")(trial)
    trial.declare("session_policies", "{allow_new_session: true}")
    return refused and (await trial.call()).code == "" and known.opened == 1


@case("session_policies.allow_session_resume")
async def _idle(trial: Trial) -> bool:
    known = _use_sessions(trial, SessionState.IDLE)
    refused = await _expect_refusal("session_policies", "{allow_session_resume: false}", "PERMISSION_DENIED")(trial)
    trial.declare("session_policies", "{allow_session_resume: true}")
    return refused and (await trial.call()).code == "" and known.current is SessionState.ACTIVE


@case("session_policies.session_event_type")
async def _event_type(trial: Trial) -> bool:
    trial.declare("session_policies", "{session_event_type: system}")
    return "session.system" in (await trial.call()).notes


@case("session_policies.log_request_payload")
async def _no_request(trial: Trial) -> bool:
    trial.declare("session_policies", "{log_request_payload: false}")
    return set((await trial.call()).notes["session.request"]) == {"tool", "by", "outcome", "response"}


@case("session_policies.log_full_response")
async def _no_response(trial: Trial) -> bool:
    trial.declare("session_policies", "{log_full_response: false}")
    return set((await trial.call()).notes["session.request"]) == {"tool", "by", "outcome", "request"}


@case("audit_events.success_event")
async def _success(trial: Trial) -> bool:
    trial.declare("audit_events", "{success_event: note.written}")
    return (await trial.call()).notes["note.written"] == {"tool": "create_note", "by": "ada", "outcome": "ok"}


@case("audit_events.failure_event")
async def _failure(trial: Trial) -> bool:
    trial.declare("audit_events", "{failure_event: note.lost}")
    trial.notebook.env.sessions = ClosingSession()
    return (await trial.call()).notes["note.lost"]["error"] == "PERMISSION_DENIED"


class ClosingSession(MemorySessions):
    """A session that is closed after its state was asked for once, as during a wait for approval."""

    async def state(self, call: Call, /) -> SessionState:
        """The state, which is another one the next time."""
        state, self.current = self.current, SessionState.CLOSED
        return state


@case("audit_events.log_response_fields")
async def _some_fields(trial: Trial) -> bool:
    trial.declare("audit_events", "{success_event: note.written, log_response_fields: [number]}")
    return (await trial.call()).notes["note.written"]["response"] == {"number": 1}


@case("audit_events.redact_fields")
async def _redacted(trial: Trial) -> bool:
    trial.declare("audit_events", "{success_event: note.written, log_response_fields: [title], redact_fields: [title]}")
    notes = (await trial.call()).notes
    return "one" not in json.dumps(notes) and "hush" not in json.dumps(notes) and "[redacted]" in json.dumps(notes)


@case("notebook_policies.allowed_states")
async def _closed(trial: Trial) -> bool:
    trial.notebook.notes.state = "archived"
    return await _expect_refusal("notebook_policies", "{allowed_states: [open]}", "BLOCKED")(trial)


def _use_sessions(trial: Trial, state: SessionState) -> MemorySessions:
    known = MemorySessions(state)
    trial.notebook.env.sessions = known
    return known


def fields() -> list[str]:
    """Every field of policy that an inventory of the notebook may declare."""
    sections = table(Notebook(Path()).env, Notebook(Path()).notes).sections.values()
    return [f"{section.name}.{field}" for section in sections for field in section.enforcers]


def is_enforced(field: str, *, enforces: bool = True) -> bool:
    """Whether a field holds when it is broken; one without a case does not, and none where nothing ``enforces`` it."""
    if field not in CASES:
        return False
    with TemporaryDirectory() as folder, asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        trial = Trial(Path(folder))
        trial.notebook.write().enforces = enforces
        with nullcontext() if enforces else mock.patch.object(scopes, "with_declared_limits", _without_limits):
            return runner.run(_run_case(CASES[field], trial))


def _without_limits(_facts: Facts, layers: Stack[CallLayer], _rate: RateLimit | None) -> Stack[CallLayer]:
    """The layers of a tool, without the limits that its facts declare."""
    return layers


async def _run_case(case: Case, trial: Trial) -> bool:
    try:
        return await case(trial)
    except KeyError:  # an event that was not filed
        return False


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - a part of the figures takes it
    """Fields of policy that may be declared and do not hold; ``short`` looks at all of them, too."""
    found = fields()
    how = f"{len(found)} fields of policy, each broken once by a call through a runtime"
    yield no_violations("policy.unenforced", sum(not is_enforced(field) for field in found), len(found), how)
