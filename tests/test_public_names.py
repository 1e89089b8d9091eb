"""The public modules and their names, and what importing them does not load."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

import remit
import remit.stores

ROOT: Final = Path(__file__).parent.parent

HEAVY: Final = (
    "aiosqlite",
    "alembic",
    "dbos",
    "jinja2",
    "openai",
    "opentelemetry",
    "pydantic_ai",
    "remit.inventory",
    "remit_local",
    "rich",
    "sqlalchemy",
    "starlette",
    "typer",
    "uvicorn",
    "xllamacpp",
    "yaml",
)

PUBLIC: Final = {
    "remit": """
        Agent Allow App Ask Block Client Context Effect LeafContext Policy Principal RemitError Retry Risk Runtime
        SqlStore Stack Timeout Tool When preset tool
    """,
    "remit.agent": """
        Agent AgentDriver AgentGroup AgentLimits AgentLoop AgentRun AgentService AgentStep AgentTask AgentTools
        AllOf AnyOf Attachment AttachmentPolicy CalledTool Compaction CostUsed Done EmbeddingRanker HasText LazyTools
        Loop LoopService NativeDriver Next NoCalls Prompt PromptWithAttachments ProviderTool RunInfo RunInstructions
        SecondsUsed StepOutcome StepRequest StepUsage StopPolicy TokensUsed ToolRanker ToolSearch ToolText Turn
        TurnCall TurnsUsed WordRanker WorkingMemory fuse_rankings
    """,
    "remit.adapters.agent_framework": "GovernMiddleware adopt_tool offer_tool",
    "remit.adapters.langchain": "GovernMiddleware adopt_tool offer_tool",
    "remit.adapters.openai_agents": "GovernedTools adopt_tool",
    "remit.adapters.pydantic_ai": "GovernedToolset adopt_tool",
    "remit.app": "App Env",
    "remit.artifacts": "Artifact ArtifactPart Artifacts PromptWithFiles RunArtifacts read_artifact",
    "remit.audit": "Anchor Audit AuditFault AuditReport FileAnchor LogHead",
    "remit.charsets": "MULTIBYTE decode find_charset find_label find_mark",
    "remit.database": "CASEFOLD Database FullText Schema SqlFunction UtcDateTime",
    "remit.effects": "effects_table once",
    "remit.embeddings": "Embed Embeddings local_embeddings",
    "remit.engines": "DbosEngine Engine ErrorHandler ExecuteFunction ExecutionReport LocalEngine RunSchedules Schedule",
    "remit.errors": """
        AlreadyExistsError ApprovalDeniedError ApprovalUsedError AuditError BlockedError BreakerOpenError
        BrokenJournalError BudgetError CallCancelledError CallError CompletionError ConflictError
        ContextLengthError ContractError DeadlineError DeniedError DivergedError ExternalError IdempotencyError
        InternalError InvalidArgumentsError InvalidOutputError JournalError JournalFormatError LayerOrderError
        LeaseError LostAnswerError MaxTurnsError MissingCapabilityError ModelAccessError ModelBusyError ModelError
        ModelRefusedError ModelUnavailableError NameTakenError NoModelError NotFoundError PolicyError RateLimitedError
        RemitError RepeatedCallError RequestConflictError RequestDeniedError RequestError RequestNotFoundError SealError
        SetupError StillRunningError Suspended ToolFailed UnknownToolError error_from_reply
    """,
    "remit.home": "data_folder data_location",
    "remit.http": "PUBLIC_ONLY GuardedHttp HttpLimits HttpReply",
    "remit.inventory": """
        CHECKLIST EXPERIMENT_PERMISSION SECRET_FIELDS AuditEvents AuthenticationGate BreakingRule BusinessRules
        Capability CheckResult Classification Complexity DeclaresCalls Deprecation DeprecationGate EnabledGate
        Enforcer Failure Finding GovernanceChange HasSessions Inventory InventoryError Maturity MethodDefinition
        Operations PolicyModel PolicySection PolicyTable Request Response SessionGate SessionPolicies SessionState
        Sessions Status Tier ToolDefinition ToolGovernance ToolRequest ToolRequestPayload ToolResponse
        ToolResponsePayload VersionBump Visibility Vocabulary audit_events_section breaks_if_disabled
        breaks_if_earlier breaks_if_enabled breaks_if_lower breaks_if_rank_rises breaks_if_removed build_lock
        business_rules_section handle_request lock_path read_inventory run_checklist session_policies_section
    """,
    "remit.items": """
        ITEM_TYPES ArgumentsBound AttemptEnded AttemptStarted CallAllowed CallEntered CallItem CallReceived DecisionItem
        DeltaEvent DropEvent ErasedItem GivenMessage Handoff HistoryCompacted Item ItemEvent Message Mismatch
        ModelExchange ModelFailure ModelUsage Note Outcome Position QuestionClosed QuestionItem RuleRead RunFinished
        RunLoosened RunOpened RunResumed RunScheduled RunStalled RunSuspended StreamEvent ToolOutput TraceStarted
        TurnEnded UsesReserved read_jsonl
    """,
    "remit.layers": """
        Accumulate AddMessage AgentLayer AnyLayer Approve Authorize Breaker Budget Call CallLayer CallService
        Concurrency Fallback Gate Guardrail HasPlace Layer ModelLayer ModelService OrderRule Place
        RateLimit RecordEvents Redact Reply Retry RetryModel Service Stack StepLayer StepService Timeout ToolLayer
        Transform Validate Window ask_model compose has_passed_gates layer_fn redact_fields write_note
    """,
    "remit.markup": "HtmlText read_html",
    "remit.mcp": "mcp_address mcp_process",
    "remit.messages": """
        AssistantMessage ChatMessage ChatRequest Completion FunctionCall History ImagePart ImageUrl SystemMessage
        TextPart ToolCall ToolCallRequest ToolDefinitions ToolMessage UserMessage completion_from_message
        decode_message encode_message message_text
    """,
    "remit.object_views": """
        ListEvents ListObjects ObjectAction ObjectDetail ObjectEvent ObjectPage ObjectRow ObjectSection ObjectView
        OpenObject Viewer
    """,
    "remit.models": """
        ChecksModel Delta Example LocalModel LocalModels Model ModelResolver ModelSettings NamedModel OpenAI Price
        PydanticAIModel Rehearsal ResolvedModel StreamsAnswers load_examples read_response resolve_model
    """,
    "remit.openapi": "OpenApi OpenApiOrigin",
    "remit.pipeline": "From Given Item Pipeline PipelineResult Reference Step StepFailure Text Then",
    "remit.policies": """
        DECIDE_PERMISSION DEFAULT_POLICY After AllOf Allow ApprovalHealth Approver Ask Block ChangedCall ChangedGroup
        ConfirmationFlag Decision Egress Grant GrantRow HasApprover HighRisk InboxApprover Judgement NotAfter
        PlannedCall Policy PolicyTrial Principal Question RepeatReason Rule Undeclared Verdict When
    """,
    "remit.rules": "Expression PolicyFile PolicyTestResult run_tests",
    "remit.runtime": """
        CallResult Client ConversationUpdate ListedRun OpenRun Page PrincipalDirectory QuestionUpdate Receipt
        ReceiptCall ReplayReport RunDetails RunResult RunUpdate Runtime ToolInfo WatchEvent WatchStart make_receipt
    """,
    "remit.server": "Authenticate Identity McpSettings ServerSettings build_server",
    "remit.server.people": """
        Access Account Administration Attempts Credential Directory GuardSettings InMemoryDirectory Lifetimes Passwords
        People Person Provider ProviderClient Role SignIn SignedIn SqlDirectory build_access
    """,
    "remit.secrets": "EnvSecrets FileSecrets Secret SecretRef Secrets",
    "remit.sources": """
        ACCEPT Act Offer OfferState Origin PinFolder Review Snapshot Source Trust find_sources
    """,
    "remit.stores": """
        AcquiredLease AnswerPiece AnswerPieces AppendFuture ArtifactScope ArtifactStore AttachedCalls Consumption
        ConversationAccess ConversationChange ConversationFilter ConversationKey ConversationRow ConversationStore
        GrantStore InMemoryStore Journal Leases ModelName QuestionFilter QuestionRow RateCounter RunFilter RunInbox
        RunIndex RunRow RunStatus RunSummaries RunSummary RunTotals SqlStore Store TokenCounts TurnRequest UsageRow
        UseCounter UseRefusal UseRequest decode_item encode_item
    """,
    "remit.testing": """
        HistoryError HistoryErrorKind RecordingModel Scripted call_through calls crash_at history_errors kill_process
        make_call memory_ledger read_only_ledger record_crash_points record_script superuser
    """,
    "remit.users": "UserDirectory os_user read_users",
    "remit.tools": """
        DID_NOT_HAPPEN UNKNOWN Arguments Callee Caller Candidate Change Changed Context Effect Entity Facts Happened
        LastCall LeafContext Limits Log LogLevel LogLine Preview Rate ReconcileResult Reference Referent Resolver Risk
        Seen Sentences ShownObject Tool Undo check_approved_state contracts_are_checked entities_of entity
        find_approvers parse_arguments tool tool_name with_recommended_layers
    """,
    "remit.workers": """
        PROVIDER_TOOLS AnyModel Attachment AttachmentPolicy ModelResolver PromptWithAttachments PydanticAIDriver
        WorkerDefinition WorkerFileError build_agent check_names definition_of load_workers read_worker
        read_workers resolve_model
    """,
    "remit.views": """
        AttemptView CallState CallView FailureView MessageView NoteView QuestionView RunView Sentence UndoCall
        WritingView consequence_of sentence_of sentence_of_arguments sentence_of_question undo_of
    """,
}


def names_of(module: str) -> list[str]:
    """What a public module exports."""
    return getattr(import_module(module), "__all__")  # noqa: B009 - a lazy module makes it when it is asked


LAZY: Final = [name for name in PUBLIC if "__getattr__" in vars(import_module(name))]


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_module_exports_these_names(module: str) -> None:
    exported, pinned = names_of(module), PUBLIC[module].split()
    differing = ", ".join(sorted({*exported} ^ {*pinned})) or "their order"
    assert exported == pinned, f"{module}.__all__ and PUBLIC in tests/test_public_names.py differ: {differing}"


@pytest.mark.process
@pytest.mark.parametrize("module", PUBLIC)
def test_each_exported_name_can_be_imported(module: str) -> None:
    loaded = import_module(module)
    assert [name for name in names_of(module) if not hasattr(loaded, name)] == []


@pytest.mark.parametrize("module", PUBLIC)
def test_the_names_are_sorted_constants_before_classes_before_functions(module: str) -> None:
    def rank(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    names: list[str] = names_of(module)
    assert sorted(names, key=rank) == names


@pytest.mark.parametrize("module", LAZY)
def test_a_lazy_module_says_nothing_of_a_name_but_where_it_comes_from(module: str) -> None:
    path = import_module(module).__file__
    assert path is not None
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    texts = {each.value for node in tree.body[1:] for each in ast.walk(node) if isinstance(each, ast.Constant)}
    assert not texts & {*PUBLIC[module].split()} - {"Record", "Trace"}
    imported = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname in {None, alias.name} for alias in imported)


def test_a_shortcut_is_the_object_of_its_home() -> None:
    others = [import_module(module) for module in PUBLIC if module != "remit"]
    for name in {*names_of("remit")} - {"preset"}:
        homes = [home for home in others if name in names_of(home.__name__)]
        assert homes, f"{name} has no home besides remit"
        assert all(getattr(home, name) is getattr(remit, name) for home in homes), name


def test_nothing_else_is_in_the_top_level_but_its_modules() -> None:
    others = {name for name in vars(remit) if not name.startswith("_")} - {*names_of("remit"), "lazy_exports"}
    assert [name for name in others if name != "TYPE_CHECKING" and not isinstance(vars(remit)[name], ModuleType)] == []


def test_applications_may_import_every_public_module_but_the_test_kit() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in config["tool"]["importlinter"]["contracts"] if each["id"] == "apps")
    allowed = {f"{app}.** -> {name}" for app in contract["source_modules"] for name in PUBLIC}
    private = {f"{app}.** -> {name}" for app in contract["source_modules"] for name in ("remit", "remit.testing")}
    assert set(contract["ignore_imports"]) == allowed - private


@pytest.mark.process
def test_importing_the_first_names_loads_no_store_no_inventory_and_no_vendor() -> None:
    names = ", ".join(name for name in names_of("remit") if name != "SqlStore")
    program = f"import sys; from remit import {names}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


UNUSED: Final = (
    "csv",
    "email.message",
    "html",
    "importlib.metadata",
    "pydantic.plugin._loader",
    "remit.export.page",
    "zipfile",
)
"""What takes a fifth of the import, and is loaded by the first schema, export or secret."""


@pytest.mark.process
def test_importing_what_a_first_program_needs_builds_no_schema_and_loads_nothing_for_exports() -> None:
    names = "Agent, App, Effect, Principal, Risk, Runtime, tool"
    program = f"import sys; from remit import {names}; print([name for name in {UNUSED!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.process
def test_importing_the_public_modules_loads_no_vendor() -> None:
    others = {"remit.database", "remit.effects", "remit.workers"}
    modules = ", ".join(name for name in PUBLIC if name not in others and not name.startswith("remit.adapters."))
    program = f"import sys, {modules}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['remit.inventory']\n"


@pytest.mark.process
def test_importing_the_store_loads_no_dialect_of_postgres_and_no_migration() -> None:
    slow = ("sqlalchemy.dialects.postgresql", "alembic")
    program = f"import sys, remit.journal.sql.store; print([name for name in {slow!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_a_lazy_module_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'remit\.stores' has no attribute 'RedisStore'"):
        _ = remit.stores.RedisStore  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]


@pytest.fixture
def make_facade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """Makes a public module of a program whose names come from a module that is not installed."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    invalidate_caches()

    def make(arguments: str = "") -> ModuleType:
        listed = "if TYPE_CHECKING:\n    from no_such_vendor import Store as Store\n    from os import sep as sep\n"
        lazy = f"else:\n    __getattr__ = lazy_exports(__name__{arguments})\n"
        imports = "from typing import TYPE_CHECKING\nfrom remit.lazy_exports import lazy_exports\n"
        (tmp_path / "public_facade.py").write_text(imports + listed + lazy, encoding="utf-8")
        return import_module("public_facade")

    yield make
    sys.modules.pop("public_facade", None)


def test_a_lazy_module_has_the_names_that_it_lists_and_says_so(make_facade: Callable[..., ModuleType]) -> None:
    facade = make_facade()
    assert "sep" not in vars(facade)
    assert names_of(facade.__name__) == ["Store", "sep"]
    assert facade.sep == os.sep
    assert "sep" in vars(facade)
    assert not hasattr(facade, "__wrapped__")


def test_a_name_whose_extra_is_missing_says_what_to_install(make_facade: Callable[..., ModuleType]) -> None:
    facade = make_facade(', extras={"no_such_vendor": "sql"}')
    with pytest.raises(ImportError, match=r"public_facade\.Store needs .* not installed; .* pip install '\.\[sql\]'"):
        _ = facade.Store


def test_a_name_whose_home_is_missing_and_in_no_extra_is_named(make_facade: Callable[..., ModuleType]) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'no_such_vendor'"):
        _ = make_facade().Store


def test_an_absent_name_says_what_to_use_instead(make_facade: Callable[..., ModuleType]) -> None:
    facade = make_facade(', absent={"Shop": "use Store"}')
    with pytest.raises(AttributeError, match=r"module 'public_facade' has no attribute 'Shop'; use Store"):
        _ = facade.Shop


def test_a_lazy_module_without_its_source_says_what_to_install(
    make_facade: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    facade = make_facade()
    monkeypatch.setattr(facade.__spec__, "loader", None)
    with pytest.raises(ImportError, match=r"the source of public_facade lists its names and is not installed"):
        _ = facade.sep
