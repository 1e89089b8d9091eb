"""An object of each class whose methods are tried with wrong values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from figures.notebook import Env, Notes, table
from figures.untyped_samples import (
    ADA,
    OPEN_API,
    agent,
    answer,
    database,
    double,
    folder,
    grant,
    identity,
    list_nothing,
    opened_run,
    operations,
    pipeline,
    question,
    runtime,
    tool_request,
)
from remit import Agent, Client, Principal, Runtime, Stack, Timeout, Tool
from remit.agent import (
    AgentLimits,
    AttachmentPolicy,
    Compaction,
    ProviderTool,
    StepUsage,
    ToolSearch,
    WorkingMemory,
)
from remit.audit import Audit, FileAnchor
from remit.database import Database
from remit.embeddings import Embeddings
from remit.engines import Schedule
from remit.http import GuardedHttp
from remit.inventory import (
    AuditEvents,
    Deprecation,
    Operations,
    PolicySection,
    PolicyTable,
    ToolRequest,
)
from remit.layers import Reply, Retry
from remit.mcp import mcp_process
from remit.messages import Completion, History
from remit.models import ModelSettings, ResolvedModel
from remit.object_views import ObjectView
from remit.openapi import OpenApi
from remit.pipeline import From, Given, Pipeline
from remit.policies import GrantRow, Policy, Question
from remit.runtime import OpenRun
from remit.secrets import EnvSecrets, FileSecrets
from remit.sources import PinFolder, Source
from remit.stores import InMemoryStore
from remit.tools import Log, Seen, Sentences
from remit.views import RunView
from remit.workers import WorkerDefinition, read_worker

OBJECTS: Final[Mapping[type, Callable[[], Any]]] = {
    Agent: agent,
    AgentLimits: AgentLimits,
    Compaction: Compaction,
    WorkingMemory: WorkingMemory,
    ModelSettings: ModelSettings,
    AttachmentPolicy: lambda: AttachmentPolicy(suffixes=(".txt",)),
    ToolSearch: lambda: ToolSearch(above=9, limit=3, always=["a"], phrases={"a": ["b"]}),
    ProviderTool: lambda: ProviderTool(name="web_search", max_uses=2, allowed_domains=["example.com"]),
    Audit: lambda: Audit(InMemoryStore(), logs=folder() / "logs", anchor=FileAnchor(folder() / "anchor")),
    Client: lambda: runtime().client(ADA),
    OpenRun: opened_run,
    RunView: RunView,
    Completion: lambda: Completion(message='{"role":"assistant","content":"x"}', content="x"),
    Database: database,
    Deprecation: lambda: Deprecation(since="1"),
    Embeddings: lambda: Embeddings("topics", answer),
    ToolRequest: tool_request,
    EnvSecrets: lambda: EnvSecrets("KEY", environ={"KEY": "12345678"}),
    FileAnchor: lambda: FileAnchor(folder() / "anchor"),
    FileSecrets: lambda: FileSecrets(folder()),
    From: lambda: From("one"),
    Given: Given,
    GuardedHttp: GuardedHttp,
    GrantRow: lambda: GrantRow(grant(), 0, ""),
    History: History,
    OpenApi: lambda: OpenApi(OPEN_API),
    Operations: operations,
    PinFolder: lambda: PinFolder(folder()),
    Source: lambda: mcp_process("files", ["files"], PinFolder(folder())),
    Pipeline: pipeline,
    PolicySection: lambda: PolicySection(
        name="x", model=AuditEvents, enforcers={}, make_layers=lambda _policies, _governed: ()
    ),
    Policy: Policy,
    PolicyTable: lambda: table(Env(), Notes()),
    Principal: lambda: ADA,
    Question: question,
    Reply: lambda: Reply.from_value("done"),
    ResolvedModel: lambda: ResolvedModel("openai:x", {}),
    Retry: Retry,
    Runtime: runtime,
    Schedule: lambda: Schedule(datetime(2026, 11, 23, tzinfo=UTC)),
    Stack: Stack,
    StepUsage: StepUsage,
    Timeout: lambda: Timeout(1),
    Tool: lambda: double,
    WorkerDefinition: lambda: read_worker(folder() / "workers" / "clerk.worker"),
    Seen: lambda: Seen("page", "1", "1"),
    Log: lambda: Log(identity),
    Sentences: lambda: Sentences("Delete the page"),
    ObjectView: lambda: ObjectView(kind="page", title="Pages", open=answer, list=list_nothing),
}
"""An object for the methods of a class."""
