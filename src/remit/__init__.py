"""Remit, the governed tool runtime for LLM agents.

Every tool call takes one path: a typed contract, layers of policy in a fixed order, a person's approval where the
policy asks for one, and a journal from which a run is resumed or replayed.

This module holds what a first program needs. The public modules hold the rest: `remit.tools`, `remit.layers`,
`remit.policies`, `remit.stores`, `remit.models`, `remit.engines` and others, listed in the reference. Each name is
imported when first used, so `import remit` alone loads neither a store nor a model.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.agent import Agent
    from remit.app import App
    from remit.approvals.policy import Allow, Ask, Block, Policy, When
    from remit.call.callee import Context, LeafContext
    from remit.call.facts import Effect, Risk
    from remit.call.tool import Tool, tool
    from remit.client.client import Client
    from remit.core import Stack
    from remit.dispatch.preset import preset
    from remit.errors import RemitError
    from remit.journal.sql.store import SqlStore
    from remit.layers.retry import Retry
    from remit.layers.timeout import Timeout
    from remit.record.principal import Principal
    from remit.runtime import Runtime

__all__ = [
    "Agent",
    "Allow",
    "App",
    "Ask",
    "Block",
    "Client",
    "Context",
    "Effect",
    "LeafContext",
    "Policy",
    "Principal",
    "RemitError",
    "Retry",
    "Risk",
    "Runtime",
    "SqlStore",
    "Stack",
    "Timeout",
    "Tool",
    "When",
    "preset",
    "tool",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.agent": ("Agent",),
            "remit.app": ("App",),
            "remit.approvals.policy": ("Allow", "Ask", "Block", "Policy", "When"),
            "remit.call.callee": ("Context", "LeafContext"),
            "remit.call.facts": ("Effect", "Risk"),
            "remit.record.principal": ("Principal",),
            "remit.call.tool": ("Tool", "tool"),
            "remit.core": ("Stack",),
            "remit.dispatch.preset": ("preset",),
            "remit.client.client": ("Client",),
            "remit.errors": ("RemitError",),
            "remit.journal.sql.store": ("SqlStore",),
            "remit.layers.retry": ("Retry",),
            "remit.layers.timeout": ("Timeout",),
            "remit.runtime": ("Runtime",),
        },
        extras={"remit.journal.sql.store": "sql"},
    )
