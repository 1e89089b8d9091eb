"""What `remit` offers, and what importing it does not load."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import remit

VENDORS = (
    "aiosqlite",
    "alembic",
    "dbos",
    "jinja2",
    "openai",
    "opentelemetry",
    "pydantic_ai",
    "rich",
    "sqlalchemy",
    "typer",
    "xllamacpp",
    "yaml",
)

PUBLIC = [
    "DEFAULT_POLICY",
    "DID_NOT_HAPPEN",
    "UNKNOWN",
    "Accumulate",
    "Agent",
    "AgentLoop",
    "AgentRun",
    "AgentStep",
    "Allow",
    "Anchor",
    "AnyLayer",
    "App",
    "Approve",
    "Approver",
    "Arguments",
    "Ask",
    "Audit",
    "AuditFault",
    "AuditReport",
    "Authorize",
    "Block",
    "Breaker",
    "Budget",
    "Call",
    "CallLayer",
    "CallService",
    "Callee",
    "Caller",
    "ChatRequest",
    "Completion",
    "Concurrency",
    "Context",
    "Decision",
    "Effect",
    "Engine",
    "Env",
    "EnvSecrets",
    "Facts",
    "FileAnchor",
    "FileSecrets",
    "Grant",
    "Happened",
    "HasApprover",
    "HighRisk",
    "InMemoryStore",
    "InboxApprover",
    "LeafContext",
    "Limits",
    "LocalEngine",
    "LogHead",
    "Model",
    "ModelLayer",
    "Place",
    "Policy",
    "Principal",
    "Question",
    "Rate",
    "RateLimit",
    "RemitError",
    "ReplayReport",
    "Reply",
    "Retry",
    "Risk",
    "Rule",
    "RunResult",
    "Runtime",
    "Secret",
    "SecretRef",
    "Secrets",
    "Service",
    "Stack",
    "StepLayer",
    "StepOutcome",
    "StepRequest",
    "Suspended",
    "Timeout",
    "Tool",
    "Transform",
    "UnsafeEgress",
    "Validate",
    "When",
    "layer_fn",
    "preset",
    "tool",
    "tool_name",
    "with_recommended_layers",
]


def test_the_public_names_are_these() -> None:
    assert remit.__all__ == PUBLIC


def test_each_public_name_is_there() -> None:
    assert [name for name in remit.__all__ if name not in vars(remit)] == []


def test_nothing_else_is_there_but_the_rooms_themselves() -> None:
    others = {name for name in vars(remit) if not name.startswith("_")} - set(remit.__all__)
    assert [name for name in others if not isinstance(vars(remit)[name], ModuleType)] == []


def test_the_names_are_sorted_constants_before_classes_before_functions() -> None:
    def rank(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert sorted(remit.__all__, key=rank) == remit.__all__


def test_importing_it_loads_no_vendor() -> None:
    program = f"import remit, sys; print([name for name in {VENDORS!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
