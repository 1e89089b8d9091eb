"""Right arguments of the public callables, and what an application does with the parts that they build."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import MetaData

from figures.notebook import VOCABULARY, Env, Notebook, Notes, table
from remit import Agent, Allow, App, Effect, Runtime, Stack, Timeout, tool
from remit.agent import (
    NoCalls,
)
from remit.app import Env as PlainEnv
from remit.audit import FileAnchor
from remit.database import Database, Schema
from remit.errors import NotFoundError
from remit.inventory import (
    AuditEvents,
    Capability,
    Deprecation,
    EnabledGate,
    Operations,
    PolicyModel,
    ToolRequest,
    ToolRequestPayload,
)
from remit.items import Note
from remit.layers import Call, Place, Reply, Retry
from remit.models import ModelSettings, load_examples
from remit.object_views import Viewer
from remit.pipeline import Pipeline, Step
from remit.policies import Grant, HighRisk, Question
from remit.runtime import OpenRun
from remit.stores import InMemoryStore, RunTotals
from remit.testing import HistoryErrorKind, Scripted, make_call, superuser
from remit.tools import Facts, Limits, Preview, parse_arguments
from remit.views import CallView
from remit.workers import read_worker

ADA: Final = superuser()


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool(effect=Effect.PURE)
async def write_number(number: int) -> str:
    """Write a number."""
    return str(number)


@tool(effect=Effect.UNSAFE, risk="high")
async def pay(euros: int) -> int:
    """Pay."""
    return euros


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="remit-untyped-")


OPEN_API: Final = 'openapi: "3.1.0"\npaths: {/hours: {get: {operationId: hours}}}\n'


@cache
def folder() -> Path:
    """A folder of its own, with a worker, a secret and a script; it exists while the process does."""
    place = Path(_temporary().name)
    (place / "workers").mkdir()
    (place / "key").write_text("12345678")
    (place / "script.json").write_text('{"script": ["done"]}')
    (place / "policy.yaml").write_text("rules: []\n")
    (place / "examples.json").write_text('{"examples": [{"prompt": "go", "script": ["done"]}]}')
    (place / "workers" / "clerk.worker").write_text("---\nname: clerk\n---\nWork.\n", encoding="utf-8")
    (place / "openapi.yaml").write_text(OPEN_API, encoding="utf-8")
    return place


@cache
def notebook() -> Notebook:
    """A small application with an inventory."""
    return Notebook(folder() / "inventory").write()


@cache
def operations() -> Operations:
    """Its operations."""
    return notebook().operations()


@cache
def agent() -> Agent:
    """An agent with a tool."""
    return Agent("clerk", instructions="Work.", tools=[double])


DATABASES: Final[list[Database]] = []
"""Those that are open."""


def database() -> Database:
    """A database with a table of effects."""
    DATABASES.append(Database(folder() / "notes.db", Schema(name="notes", metadata=MetaData())))
    return DATABASES[-1]


def application() -> App:
    """An application."""
    return App(name="shop", agents=[agent()], tools=[double, pay])


@cache
def runtime() -> Runtime:
    """A runtime in memory."""
    return Runtime(application(), model=Scripted(["done"] * 100))


def opened_run() -> OpenRun:
    """An open run in memory, whose store answers at once."""
    run = runtime().client(ADA).open_run()
    with contextlib.suppress(StopIteration):
        run.__aenter__().send(None)
    return run


@cache
def pipeline() -> Pipeline[Any]:
    """A pipeline of one step."""
    model: Any = double.schema_in.model
    return Pipeline("twice", model, [Step(name="one", callee=double, takes={"number": 1})], description="Twice.")


def question() -> Question:
    """A question."""
    texts = ("id", "match", "tenant", "conversation", "run", "call", "agent", "asker", "tool", "definition", "risk")
    fields: dict[str, Any] = dict.fromkeys(texts, "x") | {"rule": "x", "reason": "x", "who": "x"}
    return Question(**fields, arguments="{}", kind="approval", asked=1.0, expires=2.0)


def grant() -> Grant:
    """A grant."""
    names = ("id", "tenant", "tool", "arguments", "principal", "definition", "policy", "who", "by")
    fields: dict[str, Any] = dict.fromkeys(names, "x")
    return Grant(**fields, given=1.0, expires=2.0, count=1)


async def answer(*_arguments: Any, **_keywords: Any) -> Any:
    """Answer anything."""
    return None


def identity(value: Any = None, *_others: Any) -> Any:
    """Return the first argument."""
    return value


async def call() -> Call:
    """A call of the tool."""
    return await make_call(write_number, '{"number": 1}')


async def one() -> int:
    """The number one."""
    return 1


async def one_in(_session: object) -> int:
    """The number one, as the result of a write."""
    return 1


def list_no_layers(*_arguments: Any) -> tuple[()]:
    """No layers."""
    return ()


async def list_nothing(_viewer: Viewer, _search: str, _limit: int) -> tuple[()]:
    """No objects."""
    return ()


def tool_request() -> ToolRequest:
    """A request to double 1."""
    return ToolRequest(user_id="ada", payload=ToolRequestPayload(tool_name="double", parameters={"number": 1}))


async def pass_on(call: Call, inner: Any) -> Reply:
    """Pass a call on."""
    return await inner(call)


def echo(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments."""
    return arguments


BY_ANNOTATION: Final[Mapping[str, Callable[[], Any]]] = {
    "str": lambda: "x",
    "bytes": lambda: b"x",
    "int": lambda: 1,
    "float": lambda: 1.0,
    "bool": lambda: True,
    "object": lambda: "x",
    "Any": lambda: "x",
    "S": lambda: 0,
    "tuple": lambda: ("x",),
    "dict[str, Any] | None": dict,
    "dict[str, typing.Any] | None": dict,
    "float | None": lambda: 1.0,
    "int | None": lambda: 100_000,
    "Path | str | Callable[[], Path | str]": lambda: folder() / "notes.db",
    "type[Rule]": lambda: HighRisk,
    "str | None": lambda: "1.0",
    "str | int": lambda: "x",
    "frozenset[str]": frozenset,
    "tuple[str, ...]": lambda: ("x",),
    "tuple[str, str] | None": lambda: None,
    "tuple[AuditFault, ...]": tuple,
    "tuple[Finding, ...]": tuple,
    "Collection[str]": lambda: ["x"],
    "Iterable[str]": list,
    "Sequence[str]": lambda: ["x"],
    "Iterable[Position]": list,
    "Sequence[NamesCallees]": list,
    "Mapping[str, Collection[str]]": lambda: {"office": ["notes"]},
    "Mapping[str, Any]": lambda: {"type": "object", "properties": {}},
    "Mapping[str, str]": dict,
    "Mapping[str, object]": dict,
    "Mapping[str, object] | str": lambda: {"number": 1},
    "Mapping[str, Enforcer]": dict,
    "Path": lambda: folder() / "file",
    "Principal": lambda: ADA,
    "App": application,
    "Callee[..., Any]": lambda: double,
    "Callee[P, Out]": lambda: double,
    "Tool[P, Out]": lambda: double,
    "Call": call,
    "CallLayer": Retry,
    "CallLayer | Stack[CallLayer]": lambda: EnabledGate(enabled=True),
    "ToolLayer | Stack[ToolLayer]": lambda: EnabledGate(enabled=True),
    "Stack[CallLayer]": Stack,
    "Facts": Facts,
    "Limits": Limits,
    "Arguments | Mapping[str, object] | str": lambda: {"number": 1},
    "Arguments": lambda: parse_arguments('{"number": 1}', Limits()),
    "CallError": lambda: NotFoundError("x"),
    "Decision | None": lambda: None,
    "Question": question,
    "Preview": lambda: Preview("pays 1"),
    "Grant": grant,
    "Deprecation": lambda: Deprecation(since="1"),
    "HasApprover": PlainEnv,
    "HasSessions": Env,
    "HistoryErrorKind": lambda: next(iter(HistoryErrorKind)),
    "Place": lambda: Place.RETRY,
    "Store": InMemoryStore,
    "Anchor": lambda: FileAnchor(folder() / "anchor"),
    "Verdict": Allow,
    "Operations": operations,
    "Vocabulary": lambda: VOCABULARY,
    "PolicyTable": lambda: table(Env(), Notes()),
    "RunStatus": lambda: "done",
    "QuestionStatus": lambda: "open",
    "QuestionKind": lambda: "approval",
    "RepeatKind": lambda: "state",
    "Capability": lambda: Capability.READ,
    "Model": lambda: Scripted(["done"]),
    "AnyModel": lambda: Scripted(["done"]),
    "Embed": lambda: answer,
    "Sequence[Sequence[str]]": lambda: [["a"]],
    "ExecuteFunction": lambda: answer,
    "ErrorHandler": lambda: identity,
    "PreviewFunction": lambda: answer,
    "ReconcileFunction": lambda: answer,
    "tuple[StopPolicy, ...]": lambda: (NoCalls(),),
    "StopPolicy": NoCalls,
    "FindContract": lambda: identity,
    "Iterable[Item]": tuple,
    "Item": lambda: Note(call="c", name="log", data="{}"),
    "CallView | None": lambda: None,
    "CallView": lambda: CallView(id="c", parent="", tool="double"),
    "KnownContract | None": lambda: double,
    "Note": lambda: Note(call="c", name="log", data="{}"),
    "LogLevel": lambda: "info",
    "Tense": lambda: "asked",
    "WriteNote": lambda: identity,
    "RunTotals": RunTotals,
    "Runtime": runtime,
    "Sequence[ScriptLine]": lambda: ["done"],
    "Sequence[Example]": lambda: load_examples(folder() / "examples.json"),
    "MetaData": MetaData,
    "Path | str": lambda: folder() / "notes.db",
    "bytes | Path": lambda: b"x",
    "datetime": lambda: datetime(2026, 11, 23, tzinfo=UTC),
    "Mapping[str, float]": lambda: {"title": 1.0},
    "Mapping[str, SqlFunction]": dict,
    "str | Callable[[], str]": lambda: "$1",
    "ChatMessage": lambda: {"role": "user", "content": "x"},
    "ChatMessage | Mapping[str, Any]": lambda: {"role": "user", "content": "x"},
    "NonEmptyText": lambda: "Work.",
    "WorkerDefinition": lambda: read_worker(folder() / "workers" / "clerk.worker"),
    "type[P]": lambda: double.schema_in.model,
    "type[M_co]": lambda: PolicyModel,
    "type[CallLayer | AnyLayer]": lambda: Timeout,
    "Iterable[Step]": lambda: [Step(name="one", callee=double, takes={"number": 1})],
    "Schema": lambda: Schema(name="notes", migrations=folder() / "migrations", head="1"),
    "Request[Any] | Mapping[str, object]": tool_request,
    "str | InstructionsTemplate": lambda: "Work.",
    "AgentLayer | Stack[AgentLayer]": Retry,
    "ToolLayer | Stack[ToolLayer] | Stack[CallLayer]": Retry,
    "URL | str": lambda: "sqlite+aiosqlite://",
    "Container[Place]": lambda: {Place.RETRY},
    "M": lambda: Timeout(1),
    "M | Stack[M]": lambda: Timeout(1),
    "L_co | Stack[L_co]": lambda: Timeout(1),
    "ModelSettings": ModelSettings,
    "Callable": lambda: tuple,
    "Callable[..., Any]": lambda: answer,
    "Callable[[Call], bool]": lambda: identity,
    "Callable[[S, Call, Reply], S]": lambda: identity,
    "Callable[[Completion], bool]": lambda: bool,
    "Callable[[Reply], Reply]": lambda: identity,
    "Callable[[AnyTool], AnyTool]": lambda: identity,
    "Callable[[Any, ToolGovernance], Iterable[ToolLayer]]": lambda: list_no_layers,
    "Model | str": lambda: "test",
    "CallsByName": runtime,
    "Visibility": lambda: "public",
    "Literal": lambda: "ok",
    "P": AuditEvents,
}
"""A right value for the annotation of a parameter."""
