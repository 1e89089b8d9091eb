"""Start here: a runtime runs agents and tools, takes decisions, resumes what was cut off, and replays what was done.

It receives its ports; applications wire them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from remit.agent.agent import Agent
from remit.agent.model import Model
from remit.agent.roster import asked_by, joined
from remit.app import App
from remit.approvals.deciding import DRIVEN, Deciding, Granting
from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.call import Call, CallLayer
from remit.contracts.callee import Callee
from remit.contracts.items import Finished, Opened, Position
from remit.contracts.ledger import Ledger
from remit.contracts.principal import Caller, Principal
from remit.contracts.question import digest
from remit.contracts.reply import Reply
from remit.core import Stack
from remit.dispatch.door import Door
from remit.dispatch.preset import preset
from remit.dispatch.registry import AnyCallee, Registry
from remit.engine.drive import Driver, Outcome
from remit.engine.headers import Headers
from remit.engine.request import Wanted, check_same, new_id
from remit.engine.result import ReplayReport, RunResult
from remit.errors import DivergedError, LeaseError, RequestError, SetupError, Suspended
from remit.journal.in_process import InProcessStore
from remit.journal.ledger import Watch
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger
from remit.layers.approve import Approve

if TYPE_CHECKING:
    from remit.inventory.envelope import ToolRequest, ToolResponse

P = ParamSpec("P")
LEASE: Final = 30.0
"""Seconds for which a driver holds a run after it was last heard of."""

Out = TypeVar("Out")

Directory = Callable[[str, str], Principal | None]
"""From a name and a tenant to a principal with today's permissions."""


class Runtime:
    """Runs an application. Immutable in its layers: `layer` gives a new runtime.

    Args:
        app: agents, tools, environment.
        store: the journal; in memory by default.
        model: for agents that name none.
        layers: the run layers, outermost first; the preset built from the app's environment by default.
        directory: permissions are resolved anew on resume, never read from the journal; by default from the principals
            that this runtime was given.
        clock: seconds since the epoch. ids: makes run ids. watch: sees each item once it is stored.

    Raises:
        SetupError: the parts do not fit; nothing has run.
    """

    def __init__(
        self,
        app: App,
        *,
        store: Store | None = None,
        model: Model | None = None,
        layers: Stack[CallLayer] | None = None,
        limits: Limits | None = None,
        directory: Directory | None = None,
        clock: Callable[[], float] = time.time,
        ids: Callable[[], str] | None = None,
        watch: Watch | None = None,
        lease: float = LEASE,
    ) -> None:
        self.app = app
        self.store: Store = store or InProcessStore(clock)
        self._headers = Headers(self.store, app.name)
        self._model = model
        self._layers = layers if layers is not None else app.layers() if app.layers else preset(app.env)
        self._limits = limits or Limits()
        self._given: dict[tuple[str, str], Principal] = {}
        self._directory = directory
        self._clock = clock
        self._ids = ids or new_id
        self._watch = watch or _nobody
        name = f"{os.getpid()}-{new_id()}"
        self._driver = Driver(store=self.store, clock=clock, watch=self._watch, name=name, seconds=lease)
        self._callees = Registry(joined([*app.agents, *app.tools], model, self._limits.handoffs))
        self._agents = {each.name: each for each in self._callees if isinstance(each, Agent)}
        if len({agent.name for agent in app.agents}) != len(app.agents):
            raise SetupError(f"application {app.name}: two agents have one name")
        self.door = Door(self._layers, self._callees, self._limits, self._default())
        self._deciding = Deciding(self.store, clock, self._named, self._limits)
        self.grants = Granting(self.store, clock, self._named, self._policies, new_id, self._limits)

    def layer(self, layer: CallLayer | Stack[CallLayer]) -> Runtime:
        """A new runtime, over the same store, with ``layer`` around its run layers: outermost of all but the door."""
        more = Runtime(
            self.app,
            store=self.store,
            model=self._model,
            layers=Stack[CallLayer](layer, self._layers),
            limits=self._limits,
            directory=self._directory,
            clock=self._clock,
            ids=self._ids,
            watch=self._watch,
            lease=self._driver.seconds,
        )
        more.remember(*self._given.values())
        return more

    def remember(self, *principals: Principal) -> None:
        """Know these principals when a run of theirs is resumed; for programs without a directory."""
        self._given.update({(each.name, each.tenant): each for each in principals})

    async def run(
        self,
        prompt: str,
        *,
        by: Principal,
        agent: str | Agent = "",
        conversation: str = "",
        request: str = "",
    ) -> RunResult[str]:
        """Ask an agent to do something; a new run, the next of its conversation if one is named.

        With no agent named the one that has the conversation is asked: the app's default, until it hands over.
        One that is given with another model (`using`) asks that; the run is resumed with the listed one.
        ``request`` is an idempotency key: sent again, it gives what came of it the first time, a failure too.

        Raises:
            RequestError: no such agent, or another of its name; or the conversation's last run has not ended.
            IdempotencyError: the same key was sent with something else. LeaseError: it is being driven now.
        """
        callee = await self._addressed(agent, by, conversation, request)
        asked = callee.arguments(prompt)
        return await self._begin(Wanted(callee, asked, by, conversation=conversation, request=request))

    async def open(self, prompt: str, *, by: Principal, agent: str | Agent = "", conversation: str = "") -> str:
        """Open a run and leave it to an engine to drive; the run's id. As `run` but for that.

        Raises:
            RequestError: no such agent, one with another model, or the conversation's last run has not ended.
        """
        callee = await self._addressed(agent, by, conversation)
        if callee is not self._agents[callee.name]:
            raise RequestError(
                f"whoever drives the run asks the model of the agent {callee.name!r} that is listed; give that one"
            )
        header = await self._opened(Wanted(callee, callee.arguments(prompt), by, conversation=conversation))
        await self._driver.open(header.call, header)
        return header.call

    async def call(self, callee: Callee[P, Out], by: Principal, /, *args: P.args, **kwargs: P.kwargs) -> RunResult[Out]:
        """Call one tool from Python: a run of one call, made as the app's default agent."""
        return await self._begin(Wanted(callee, callee.arguments(*args, **kwargs), by, self._default(), beside=True))

    async def call_in(
        self, conversation: str, callee: Callee[P, Out], by: Principal, /, *args: P.args, **kwargs: P.kwargs
    ) -> RunResult[Out]:
        """As `call`, in a conversation: beside its runs, whether one of them is under way or waits.

        Nothing of the call enters what was said there, and nothing that was said reaches the call.
        """
        arguments = callee.arguments(*args, **kwargs)
        return await self._begin(Wanted(callee, arguments, by, self._default(), conversation, beside=True))

    async def call_named(
        self, name: str, arguments: Arguments, *, by: Principal, conversation: str = "", request: str = ""
    ) -> RunResult[Any]:
        """Call a tool by its name with raw arguments, as the command line does.

        ``conversation``: see `call_in`; ``request``: see `run`.

        Raises:
            RequestError: the application has no such tool.
        """
        callee = self._named(name)
        return await self._begin(Wanted(callee, arguments, by, self._default(), conversation, request, beside=True))

    async def answer(self, request: ToolRequest, *, by: Principal) -> ToolResponse:
        """Take a tool request from outside and give its response, which is PENDING while a person is asked.

        Its session is the conversation of the call, its id the idempotency key: sent again once everything is decided,
        it gives what came of it.

        Raises:
            RequestError: it says that somebody else asks, or the application has no such tool.
        """
        if request.user_id != by.name:
            raise RequestError(f"request {request.request_id} says that {request.user_id!r} asks, and {by.name!r} does")
        result = await self.call_named(
            request.payload.tool_name,
            request.arguments(),
            by=by,
            conversation=request.session_id or "",
            request=str(request.request_id),
        )
        return request.response(result.reply, questions=result.questions)

    async def decide(
        self,
        question: str,
        *,
        approved: bool,
        by: Principal,
        reason: str = "",
        result: str = "",
        arguments: str = "",
    ) -> None:
        """Decide a question as an authenticated person. Drives nothing: `resume` does.

        ``arguments``, as JSON, are what an approved call is to run with instead. They are validated now and put to the
        policy when the run goes on, which may ask anew. To the question whether a call that was cut off has happened,
        approved says yes, and ``result`` what it gave, as a model would read it.

        Raises:
            RequestError: no such question, decided or expired already, not for this person to decide, made from within
                a run, or result or arguments are not what the tool's contract says.
        """
        await self._deciding.decide(
            question, approved=approved, by=by, reason=reason, result=result, arguments=arguments
        )

    async def earliest_expiry(self, run: str) -> float | None:
        """When a waiting run goes on without a person, if resumed then: the first of its questions is over."""
        return await self._deciding.earliest_expiry(run)

    async def resume(self, run: str, leave: asyncio.Event | None = None) -> RunResult[Any]:
        """Drive a run on: after its questions were decided, or after its process died. An ended one tells its end.

        Once ``leave`` is set the run is let go, as it stands.

        Raises:
            RequestError: no such run, or its principal or callee is unknown today.
            LeaseError: somebody else drives it, or it was let go.
        """
        header, known = await self._headers.read(run)
        callee = self._named(header.callee)
        principal = self._principal(header.principal, header.tenant)
        if principal is None:
            raise RequestError(
                f"run {run} is of {header.principal!r}, whom nobody knows today; add them and resume again"
            )
        return await self._drive(run, callee, header, principal, known=known, leave=leave)

    async def cancel(self, run: str, *, by: Principal) -> RunResult[Any] | None:
        """End a run: every call that is open gets its one end, and the run is over. None if it ends elsewhere.

        Raises:
            RequestError: no such run, or it is another's and ``by`` does not hold ``runs:cancel``.
        """
        header, known = await self._headers.read(run)
        if header.tenant != by.tenant:
            raise RequestError(f"there is no run {run}")
        if header.principal != by.name and not by.may(CANCEL):
            raise RequestError(f"{by.name} may not cancel run {run} of {header.principal}: it needs {CANCEL}")
        await self.store.cancel(run, by.name)
        with contextlib.suppress(LeaseError):
            return await self._drive(run, self._named(header.callee), header, by, known=known, stopping=True)
        return None

    async def replay(self, run: str) -> ReplayReport:
        """Drive a run again with model and world answered by its journal, and compare. Nothing is written or done."""
        header, known = await self._headers.read(run)
        prior = await self._headers.said(header.after)
        ledger = ReplayLedger(run, known, prior)
        callee = self._named(header.callee)
        principal = Principal(header.principal, header.tenant, permissions=frozenset({"*"}))
        try:
            await self._root(ledger, callee, header, principal)
        except DivergedError as error:
            return ReplayReport(run=run, compared=ledger.compared, difference=error.message)
        except Suspended:
            pass
        over = any(isinstance(p.item, Finished) for p in known) and not ledger.cancelled
        left = ledger.unclaimed() if over else []
        difference = f"the journal goes on where today's code ends: {left[0]!r}"[:400] if left else ""
        return ReplayReport(run=run, compared=ledger.compared, difference=difference)

    async def history(self, run: str) -> list[str]:
        """The chat history up to the end of a run, without the system message: wire texts, always valid."""
        return await self._headers.said(run)

    async def _begin(self, wanted: Wanted) -> RunResult[Any]:
        header = await self._opened(wanted)
        try:
            return await self._drive(header.call, wanted.callee, header, wanted.by)
        except RequestError:
            if not wanted.request or await self.store.find_run(header.call) is None:
                raise
        check_same(wanted.request, (await self._headers.read(header.call))[0], header, self._limits)
        return await self.resume(header.call)

    async def _opened(self, wanted: Wanted) -> Opened:
        self.remember(wanted.by)
        return await self._headers.new(wanted, self._ids)

    async def _drive(
        self,
        run: str,
        callee: AnyCallee,
        header: Opened,
        principal: Principal,
        *,
        known: Sequence[Position] = (),
        stopping: bool = False,
        leave: asyncio.Event | None = None,
    ) -> RunResult[Any]:
        """Drive a run: again, where items of it are ``known``, else from its beginning."""
        outcome: Outcome = await self._driver.drive(
            run,
            lambda ledger: self._root(ledger, callee, header, principal),
            header=None if known else header,
            known=known,
            conversation=header.conversation,
            prior=await self._headers.said(header.after),
            stopping=stopping,
            leave=leave,
        )
        return RunResult(
            run=run, status=outcome.status, callee=callee, reply=outcome.reply, questions=outcome.questions
        )

    async def _root(self, ledger: Ledger, callee: AnyCallee, header: Opened, principal: Principal) -> Reply:
        """The call at the root of a run: through the door, like every other."""
        call = Call(
            id=digest(ledger.run, callee.name, header.arguments),
            callee=callee,
            arguments=parse(header.arguments, self._limits),
            caller=Caller(ledger.run, header.agent, "", 0, principal, header.conversation, header.application),
            ledger=ledger,
        )
        before = DRIVEN.set(ledger.run)
        try:
            return await self.door.service(header.agent, callee)(call)
        finally:
            DRIVEN.reset(before)

    def _principal(self, name: str, tenant: str) -> Principal | None:
        return self._directory(name, tenant) if self._directory else self._given.get((name, tenant))

    async def _addressed(self, agent: str | Agent, by: Principal, conversation: str, request: str = "") -> Agent:
        """The agent that a message is for. One that has the conversation and is gone today leaves it to the default."""
        if agent or not conversation:
            return self._agent(agent)
        holder = await self._headers.holder(conversation, by.tenant, request)
        return self._agents.get(holder) or self._agent("")

    def _agent(self, agent: str | Agent) -> Agent:
        name = agent.name if isinstance(agent, Agent) else agent or self._default()
        if name not in self._agents:
            known = ", ".join(self._agents) or "none"
            raise RequestError(f"application {self.app.name} has no agent {name!r}; it has: {known}")
        return asked_by(agent, self._agents[name]) if isinstance(agent, Agent) else self._agents[name]

    def _default(self) -> str:
        return self.app.agents[0].name if self.app.agents else ""

    def _named(self, name: str) -> AnyCallee:
        callee = self._callees.find(name)
        if callee is None:
            raise RequestError(f"application {self.app.name} has no tool or agent {name!r}")
        return callee

    def _policies(self, tool: str) -> set[str]:
        """The versions of the policies that may ask about a tool, whoever calls it."""
        onions = [self.door.layers(agent, self._named(tool)) for agent in (*self.door.actors, "")]
        return {layer.policy.version for onion in onions for layer in onion if isinstance(layer, Approve)}

    def __repr__(self) -> str:
        """The onion around the calls that the default agent makes."""
        tools = self.app.agents[0].tools if self.app.agents else self.app.tools
        return f"Runtime {self.app.name}\n" + (self.door.onion(self._default(), tools[0]) if tools else "")


CANCEL: Final = "runs:cancel"
"""The permission to end a run of somebody else."""


def _nobody(_position: Position) -> None:
    """Nobody watches."""
