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
    from remit.agent.agent import Agent as Agent
    from remit.app import App as App
    from remit.approvals.policy import Allow as Allow
    from remit.approvals.policy import Ask as Ask
    from remit.approvals.policy import Block as Block
    from remit.approvals.policy import Policy as Policy
    from remit.approvals.policy import When as When
    from remit.call.callee import Context as Context
    from remit.call.callee import LeafContext as LeafContext
    from remit.call.facts import Effect as Effect
    from remit.call.facts import Risk as Risk
    from remit.call.tool import Tool as Tool
    from remit.call.tool import tool as tool
    from remit.client.client import Client as Client
    from remit.core import Stack as Stack
    from remit.dispatch.preset import preset as preset
    from remit.errors import RemitError as RemitError
    from remit.journal.sql.store import SqlStore as SqlStore
    from remit.layers.retry import Retry as Retry
    from remit.layers.timeout import Timeout as Timeout
    from remit.record.principal import Principal as Principal
    from remit.runtime import Runtime as Runtime
else:
    __getattr__ = lazy_exports(__name__, extras={"remit.journal.sql.store": "sql"})
