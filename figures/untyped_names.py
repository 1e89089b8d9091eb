"""The public callables, as their modules export them: functions, constructors and the methods of public classes."""

from __future__ import annotations

import enum
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from inspect import Parameter
from typing import Any, Final, cast

from pydantic import BaseModel

import remit

NOT_SWEPT: Final = {
    "a pydantic model of data, whose users expect the errors of pydantic": """
        Artifact Artifact.* ArtifactPart PromptWithFiles
        Attachment AuditEvents BusinessRules Failure PipelineResult Prompt PromptWithAttachments Request
        Response *Response.* SessionPolicies StepFailure ToolRequest ToolRequestPayload
        ToolResponse ToolResponsePayload
    """,
    "the runtime and its dispatcher call it": """
        Agent.check_* Agent.file_fields Agent.get_attachments Agent.reconcile Agent.render_* Agent.run Agent.with_peers
        AgentLimits.* AttachmentPolicy.check Call
        Call.* Caller* GrantRow.* Pipeline.plan Pipeline.reconcile Pipeline.run* Policy.verdict
        Policy.reads_call
        Principal.missing_permissions Question.accepts Question.missing_permission *.render_prefix Reply.check
        Reply.from_journal Reply.load Retry.delay_after RunResult StepUsage.* Tool.preview Tool.reconcile Tool.run
        RetryModel.repeat App.check_runtime run_checklist Price.cost
        *Gate.check *Gate.why_closed InboxApprover.decide Arguments.limit ArtifactScope.*
        *After.subjects Window.covers Window.make_error Window.request
        Page RunDetails CallResult OpenRun Client Receipt ReceiptCall ToolInfo *Update WatchStart *View
        ModelSettings.* FailureView.* ListedRun* check_order compose error_from_reply FileAnchor.append
    """,
    "a trial of a policy makes it": "ApprovalHealth ChangedCall ChangedGroup Judgement PolicyTrial",
    "a source compares them": "Snapshot.find Review*",
    "it refuses every call outside of a run": "RunArtifacts.* RunSchedules.*",
    "it sends requests, or a server has sent it": """
        GuardedHttp.[gpr]* HttpReply* OpenApi.choose_credentials OpenApiOrigin.*
        Source.accept Source.follow PinFolder.write
    """,
    "an agent or its driver calls it": """
        *Driver.* RunInfo ToolText AgentRun* AgentStep* AgentTask AgentTools* ChatRequest* Done Next
        ResolvedModel.* StepRequest* Turn TurnCall *.is_met ask_model *.list_unsupported
        *.unsupported_tools
        OpenAI.embed_texts OpenAI.stream Rehearsal.stream Scripted.stream WorkingMemory.recall
    """,
    "the runtime calls its store, and a store loads what it stored": """
        ConversationRow InMemoryStore.* ItemEvent Position SqlStore.[b-z]* SqlStore.a[!t]* SqlStore.attach_call
        *.from_json decode_item encode_item RunTotals.* TokenCounts.* UsageRow UseRe*
    """,
    "an executor calls its engine, SQLAlchemy a column type, and a transaction a database": """
        *Engine.* Schema.* UtcDateTime* FullText.* SqlFunction.*
    """,
    "`tool`, `read_inventory`, `read_users`, `read_worker` and `Operations` make it or call it": """
        Inventory* MethodDefinition PolicySection.* PolicyTable.* Tool Tool.with_facts ToolDefinition ToolGovernance
        UserDirectory* WorkerDefinition.* breaks_if_*
    """,
}
"""Public callables that the sweep leaves out, as patterns by the reason."""


@dataclass(frozen=True)
class PublicCallable:
    """A function, a constructor or a method that a public module exports, and that takes arguments."""

    name: str
    function: Callable[..., Any]
    owner: type | None
    """The class of a method that needs an object."""
    parameters: Mapping[str, Parameter]
    """Those of ``**options: Unpack[…]`` are parameters of their own."""


def public_callables() -> Iterator[PublicCallable]:
    """Every public callable that users call, once, with the methods that its class inherits from Remit."""
    done = set[int]()
    patterns = " ".join(NOT_SWEPT.values()).split()
    for module in ["remit", *sorted(f"remit.{each.name}" for each in pkgutil.iter_modules(remit.__path__))]:
        loaded = import_module(module)
        for name in getattr(loaded, "__all__", ()):
            for each in _callables_of(name, getattr(loaded, name)):
                skipped = any(fnmatchcase(each.name, pattern) for pattern in patterns)
                identity = id(getattr(each.function, "__func__", each.function))
                if identity not in done and each.parameters and not skipped:
                    done.add(identity)
                    yield each


def _callables_of(name: str, exported: Any) -> Iterator[PublicCallable]:
    if inspect.isfunction(exported):
        yield PublicCallable(name, exported, None, _parameters(exported))
    if not inspect.isclass(exported) or getattr(exported, "_is_protocol", False):
        return
    if issubclass(exported, (enum.Enum, dict, str, BaseException)):
        return
    yield PublicCallable(name, cast("Any", exported), None, _parameters(exported))
    for method in dir(exported):
        raw = inspect.getattr_static(exported, method)
        is_bound = isinstance(raw, (classmethod, staticmethod))
        function: Any = getattr(exported, method) if is_bound else raw
        if method.startswith("_") or not inspect.isroutine(function):
            continue
        if str(getattr(function, "__module__", "")).startswith("remit"):
            parameters = _parameters(function)
            first = 0 if is_bound else 1
            named = dict(list(parameters.items())[first:])
            yield PublicCallable(f"{name}.{method}", function, None if is_bound else exported, named)


def _parameters(function: Any) -> dict[str, Parameter]:
    if not (isinstance(function, type) and issubclass(function, BaseModel)):
        parameters = inspect.signature(cast("Any", function)).parameters.values()
        return {each.name: each for parameter in parameters for each in _unpacked(parameter, function)}
    return {
        name: Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.is_required() else field.default,
            annotation=field.annotation,
        )
        for name, field in function.model_fields.items()
    }


def _unpacked(parameter: Parameter, function: Any) -> Iterator[Parameter]:
    """The keywords that ``**options: Unpack[Options]`` stands for; any other parameter itself."""
    kind, _, options = str(parameter.annotation).partition("[")
    if kind != "Unpack":
        yield parameter
        return
    for name in inspect.unwrap(function).__globals__[options.removesuffix("]")].__annotations__:
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=None)
