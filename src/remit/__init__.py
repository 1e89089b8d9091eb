"""Remit, the governed tool runtime for LLM agents.

Every call of every tool takes one path: a typed contract, layers of policy in a known order, a person's approval where
the policy asks for one, and a journal from which a run is resumed or replayed.
"""

from remit.agent.agent import Agent
from remit.agent.loop import AgentLoop, AgentRun
from remit.agent.model import Model
from remit.agent.step import AgentStep
from remit.app import App, Env
from remit.approvals.approver import Approver, HasApprover, InboxApprover
from remit.approvals.policy import DEFAULT_POLICY, Allow, Ask, Block, HighRisk, Policy, Rule, UnsafeEgress, When
from remit.audit.anchor import Anchor, FileAnchor, LogHead
from remit.audit.audit import Audit
from remit.audit.report import AuditFault, AuditReport
from remit.contracts.arguments import Arguments, Limits
from remit.contracts.call import AnyLayer, Call, CallLayer, CallService, ModelLayer, StepLayer
from remit.contracts.callee import DID_NOT_HAPPEN, UNKNOWN, Callee, Context, Happened, LeafContext
from remit.contracts.chat import ChatRequest, Completion
from remit.contracts.facts import Effect, Facts, Rate, Risk
from remit.contracts.grant import Grant
from remit.contracts.layers import layer_fn
from remit.contracts.naming import tool_name
from remit.contracts.principal import Caller, Principal
from remit.contracts.question import Decision, Question
from remit.contracts.reply import Reply
from remit.contracts.secret import Secret, SecretRef, Secrets
from remit.contracts.step import StepOutcome, StepRequest
from remit.contracts.tool import Tool, tool
from remit.core import Place, Service, Stack
from remit.dispatch.preset import preset, with_recommended_layers
from remit.engine.local import LocalEngine
from remit.engine.port import Engine
from remit.errors import RemitError, Suspended
from remit.journal.memory import InMemoryStore
from remit.layers.accumulate import Accumulate
from remit.layers.approve import Approve
from remit.layers.authorize import Authorize
from remit.layers.breaker import Breaker
from remit.layers.budget import Budget
from remit.layers.limit import Concurrency, RateLimit
from remit.layers.retry import Retry
from remit.layers.timeout import Timeout
from remit.layers.transform import Transform
from remit.layers.validate import Validate
from remit.runtime import ReplayReport, RunResult, Runtime
from remit.secrets import EnvSecrets, FileSecrets

__all__ = [
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
