"""Makes the call at the root of a run: in an execution, or in a replay that compares it with the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from remit.contracts.arguments import Limits, parse_arguments
from remit.contracts.call import Call
from remit.contracts.items import RunOpened
from remit.contracts.ledger import Ledger
from remit.contracts.principal import Caller, Principal
from remit.contracts.question import content_digest
from remit.contracts.reply import Reply
from remit.contracts.resolution import Resolver
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee
from remit.engine.artifacts import enter_run
from remit.engine.callees import ListedCallees
from remit.engine.conversations import Conversations
from remit.engine.result import ReplayReport, report_replay
from remit.errors import DivergedError, Suspended
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger


class RootCaller(Struct, frozen=True):
    """Makes root calls through the dispatcher, like every call."""

    dispatcher: Dispatcher
    store: Store
    limits: Limits
    resolvers: Mapping[str, Resolver]

    async def __call__(self, ledger: Ledger, callee: AnyCallee, header: RunOpened, principal: Principal) -> Reply:
        """Make the call of ``header``."""
        call = Call(
            id=content_digest(ledger.run, callee.name, header.arguments),
            callee=callee,
            arguments=parse_arguments(header.arguments, self.limits),
            caller=Caller(
                ledger.run,
                header.agent,
                "",
                0,
                principal.at(header.target),
                header.conversation,
                header.application,
                target=header.target,
            ),
            ledger=ledger,
        )
        with enter_run(ledger, header, self.store, self.limits, self.resolvers):
            return await self.dispatcher.service(header.agent, callee)(call)


async def replay_run(
    run: str, conversations: Conversations, callees: ListedCallees[Any], call_root: RootCaller
) -> ReplayReport:
    """Execute a run again with all answers from its journal, and compare; see `Runtime.replay`."""
    header, items = await conversations.read_run(run)
    ledger = ReplayLedger(run, items, await conversations.messages(header.after))
    principal = Principal(header.principal, header.tenant, permissions=frozenset({"*"}))
    try:
        await call_root(ledger, callees.find(header.callee), header, principal)
    except DivergedError as error:
        return ReplayReport(run=run, compared_count=ledger.compared_count, difference=error.message)
    except Suspended:
        pass
    return report_replay(run, ledger, items)
