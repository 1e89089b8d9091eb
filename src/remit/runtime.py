"""Start here: a runtime runs agents and tools, records decisions, resumes interrupted runs and replays ended ones."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, ParamSpec, Self, TypeVar, Unpack

from remit.agent.agent import ADDED_TOOLS, Agent
from remit.agent.linking import UsedModels, link_agents
from remit.agent.model import Model, ResolveModel
from remit.agent.run_terms import RunTerms
from remit.app import App
from remit.approvals.service import DecisionOptions, GrantService
from remit.call.call import CallLayer, ToolLayer, to_call_layers
from remit.call.callee import Callee
from remit.client.client import Client
from remit.client.following import RunEvent
from remit.client.listed_run import ListedRun
from remit.client.open_run import OpenRun
from remit.client.opening import RunOpener
from remit.client.reader import Page, RunDetails
from remit.client.run_service import RunService
from remit.client.tools import ToolInfo
from remit.client.updates import ConversationUpdate, QuestionUpdate, RunUpdate, WatchEvent, WatchStart
from remit.core import Stack
from remit.core.call_checks import check_arguments, check_calls
from remit.core.checks import as_clock, check_instance, check_instances
from remit.dispatch.attempts import LateAttempt
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee, Registry
from remit.engine.artifacts import ArtifactService
from remit.engine.callees import ListedCallees
from remit.engine.checks import as_default_model, check_parts
from remit.engine.conversations import Conversations
from remit.engine.executor import RunExecutor
from remit.engine.principals import PrincipalDirectory, PrincipalLookup
from remit.engine.request import CallOptions, MessageOptions, Prompt, RunOptions, new_id
from remit.engine.resources import OpenResources
from remit.engine.result import CallResult, ReplayReport, RunResult
from remit.engine.root import RootCaller, RootExecutor
from remit.engine.schedule import Schedule
from remit.engine.watching import ItemCallback, wake_streams_and
from remit.errors import SetupError
from remit.journal.memory import InMemoryStore
from remit.journal.ports import Store
from remit.models.prices import with_default_prices
from remit.models.resolve import ModelResolver
from remit.record.arguments import Arguments, Limits
from remit.record.principal import Principal
from remit.record.question import DecisionKind
from remit.record.usage import Prices
from remit.views.receipt import Receipt, ReceiptCall, make_receipt

__all__ = [
    "CallResult",
    "Client",
    "ConversationUpdate",
    "ListedRun",
    "OpenRun",
    "Page",
    "PrincipalDirectory",
    "QuestionUpdate",
    "Receipt",
    "ReceiptCall",
    "ReplayReport",
    "RunDetails",
    "RunResult",
    "RunUpdate",
    "Runtime",
    "ToolInfo",
    "WatchEvent",
    "WatchStart",
    "make_receipt",
]

P = ParamSpec("P")
Out = TypeVar("Out")
LEASE_SECONDS: Final = 30.0
"""The seconds for which an executor holds a run after its last sign of life."""


@check_calls
@check_arguments(policy="give it to the application: App(policy=…)", budget="give it to the application: App(budget=…)")
class Runtime:
    """Runs an application. Its layers are immutable: `layer` returns a new runtime.

    A runtime is for trusted code: its methods take runs of any tenant. Code that serves people uses `client`.
    If the application has resources, ``async with Runtime(app) as runtime`` opens and closes them.

    Args:
        app: agents, tools and environment. store: the journal; in memory by default. limits: the app's by default.
        model: the model of agents without their own, or its name, like ``openai:gpt-5``.
        layers: the run layers instead of the application's, for tests; they must have what the application declares.
        directory: looks up current permissions on resume; by default among the principals passed to this runtime.
        clock: seconds since the epoch. make_run_id: makes run ids. on_item: called with each item after it is stored.
        model_resolver: finds the model for a name; see `remit.models.resolve`. prices: replace those of `remit.models`.

    Raises:
        SetupError: the arguments do not fit together, or the application differs from its inventory.
    """

    open_resources: OpenResources | None = None

    def __init__(
        self,
        app: App,
        *,
        store: Store | None = None,
        model: Model | str | None = None,
        layers: Stack[ToolLayer] | Stack[CallLayer] | None = None,
        limits: Limits | None = None,
        directory: PrincipalDirectory | None = None,
        clock: Callable[[], float] = time.time,
        make_run_id: Callable[[], str] | None = None,
        on_item: ItemCallback | None = None,
        lease_seconds: float = LEASE_SECONDS,
        model_resolver: ResolveModel | None = None,
        prices: Prices | None = None,
    ) -> None:
        check_parts(store, model, lease_seconds, clock, directory, make_run_id, on_item, model_resolver)
        clock = as_clock("Runtime", clock)
        self.store: Store = store or InMemoryStore(clock)
        self._resolve_model = model_resolver or ModelResolver()
        self._given_layers, self._given_limits = None if layers is None else to_call_layers(layers), limits
        self._clock, self._make_run_id, self._principals = clock, make_run_id or new_id, PrincipalLookup(directory)
        self._on_item, on_stored = on_item, wake_streams_and(on_item)
        name, table = f"{os.getpid()}-{new_id()}", with_default_prices(prices)
        self._executor = RunExecutor(
            store=self.store, clock=clock, on_stored=on_stored, name=name, lease_seconds=lease_seconds, prices=table
        )
        self._serve(app, as_default_model(model, self._resolve_model), {})

    def _serve(self, app: App, model: Model | None, late_attempts: dict[tuple[str, str], LateAttempt]) -> None:
        """Compose the services that execute runs of ``app``, and use them from now on if ``app`` is valid."""
        layers = app.build_layers() if self._given_layers is None else self._given_layers
        limits = self._given_limits or app.limits
        linked = link_agents([*app.agents, *app.tools], model, limits.handoffs, self._resolve_model)
        registry, terms = Registry(linked, app.methods), RunTerms(layers, limits, linked)
        default_agent = app.agents[0].name if app.agents else ""
        conversations, artifacts = Conversations(self.store, app.name), ArtifactService(self.store, limits)
        callees = ListedCallees(app.name, registry, conversations, Agent, default_agent)
        dispatcher = Dispatcher(layers, registry, limits, default_agent)
        dispatcher.late_attempts = late_attempts
        models = UsedModels(registry, dispatcher.layers, default_agent, self._executor.prices)
        call_root = RootCaller(dispatcher, self.store, limits, app.references, self._principals)
        opener = RunOpener(
            *(callees, conversations, self._executor, artifacts, limits, self._make_run_id, self._principals),
            app.check_target,
            terms,
        )
        execute = RootExecutor(self._executor, conversations, call_root, terms)
        runs = RunService(opener, execute, callees, conversations, self._principals, models, self.store, limits)
        app.check_runtime(registry, layers)
        self.app, self.runs, self.dispatcher, self.artifacts = app, runs, dispatcher, artifacts
        self.tools: Sequence[AnyCallee] = [each for each in registry if not isinstance(each, (Agent, *ADDED_TOOLS))]
        self._layers, self._limits, self._model, versions = layers, limits, model, dispatcher.policy_versions
        directory = self._principals.directory
        self.grants = GrantService(self.store, self._clock, callees.find, versions, new_id, limits, directory)

    def update(self, app: App, *, model: Model | str | None = None) -> None:
        """Serve another version of the application from now on, such as one with other tools, or with another model.

        Executions in progress, and open runs, keep the version with which they began. A resting run, and an open run
        that a new block calls in, continues with the current version: changed tools are asked about again, and removed
        tools are unknown. Clients and engines of this runtime remain valid. The first version's resources stay open.
        Without a ``model``, agents without their own keep the one that they have.

        Raises:
            SetupError: the application's name or resources differ, or it cannot be served. Nothing has changed.
        """
        check_instance("Runtime.update: app", app, App, "give an App")
        if app.name != self.app.name:
            raise SetupError(f"update: the runtime serves application {self.app.name}, not {app.name}")
        if app.resources != self.app.resources:
            raise SetupError(f"update: application {app.name} has other resources; open what comes where it is made")
        default = as_default_model(model, self._resolve_model) or self._model
        self._serve(app, default, self.dispatcher.late_attempts)

    async def __aenter__(self) -> Self:
        """Open the resources of the application.

        Raises:
            SetupError: a resource could not be opened, or the runtime is open already.
        """
        if self.open_resources is not None:
            raise SetupError(f"the runtime of application {self.app.name} is open already; enter it once")
        self.open_resources = OpenResources(f"application {self.app.name}", self.app.resources)
        try:
            await self.open_resources.open()
        except BaseException:
            self.open_resources = None
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the resources of the application.

        Raises:
            SetupError: a resource could not be closed. The others are closed.
        """
        resources, self.open_resources = self.open_resources, None
        if resources is not None:
            await resources.close()

    def client(self, principal: Principal) -> Client:
        """A client for ``principal``, limited to its permissions. The principal's runs can be resumed here.

        Raises:
            RequestError: the principal is anonymous.
        """
        client = Client(self, principal, application=self.app.name, prices=self._executor.prices)
        self.add_principals(principal)
        return client

    def layer(self, layer: ToolLayer | Stack[ToolLayer] | Stack[CallLayer]) -> Runtime:
        """Return a new runtime over the same store with ``layer`` around its calls; see `Stack.layer`."""
        layered = Runtime(
            self.app,
            store=self.store,
            model=self._model,
            layers=self._layers.layer(to_call_layers(layer)),
            limits=self._limits,
            directory=self._principals.directory,
            clock=self._clock,
            make_run_id=self._make_run_id,
            on_item=self._on_item,
            lease_seconds=self._executor.lease_seconds,
            model_resolver=self._resolve_model,
            prices=self._executor.prices,
        )
        layered._principals.take_over(self._principals)
        return layered

    def add_principals(self, *principals: Principal) -> None:
        """Add principals whose runs this runtime may resume; for programs without a directory."""
        self._principals.add(*principals)

    async def run(
        self,
        prompt: Prompt = None,
        *,
        by: Principal,
        agent: str | Agent = "",
        **options: Unpack[MessageOptions],
    ) -> RunResult[Any]:
        """Run an agent in a new run, the next one of ``conversation`` if given. ``files``: see `artifacts`.

        Without ``agent``, the conversation's current agent runs: the app's default until a handoff. An agent passed
        with another model (`using`) runs with that model; a resume uses the registered agent. Repeating a request with
        the same ``idempotency_key`` returns the outcome of the first one, even a failure. ``target`` names the object
        of the run, such as ``bakery/main``; all runs of a conversation share the first run's target.

        With ``when_busy="queue"`` a message to a busy conversation is stored and waits for its turn. If a run before it
        waits for a decision, the result is ``queued``, and an engine or `resume` continues it later. ``confirms`` is a
        question about an announced call that the message confirms; see `decide`.

        ``messages`` is a history to start from: chat messages as dicts, or as the texts that `history` returns. Without
        a prompt the agent is asked the last of them. They are journaled in the run; their calls are not made.
        ``metadata`` is kept in the run's header.

        Raises:
            RequestError: the agent is unknown or not the registered one, the conversation's last run has not ended, or
                the conversation has another target; or no provider would take the history.
            IdempotencyError: the key was used for another request. LeaseError: another executor holds the run.
        """
        return await self.runs.run(prompt, by, agent, RunOptions(**options))

    async def stream(
        self, prompt: Prompt = None, *, by: Principal, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[RunEvent]:
        """Like `run`, and yield the events of the run while it executes here, and its result as the last one.

        The events are those of `Client.stream`. Leaving the loop ends the stream only: the run continues in a task of
        this event loop, and ends as cancelled if the loop ends first. `cancel` ends it. Errors are those of `run`.
        """
        async for event in self.runs.stream(prompt, by, options):
            yield event

    async def submit(
        self,
        prompt: Prompt = None,
        *,
        by: Principal,
        agent: str | Agent = "",
        **options: Unpack[MessageOptions],
    ) -> str:
        """Open a run for an engine to execute; return its id. Otherwise like `run`.

        Raises:
            RequestError: as `run` says, or the agent has another model. NoModelError: a model that it may ask cannot
                take a setting, or the value of a header is missing here.
        """
        return await self.runs.submit(prompt, by, agent, RunOptions(**options))

    async def call(self, callee: Callee[P, Out], by: Principal, /, *args: P.args, **kwargs: P.kwargs) -> RunResult[Out]:
        """Call one listed tool from Python: a run of one call, made as the app's default agent."""
        return await self.runs.call(callee, by, args, kwargs)

    async def call_at(
        self, target: str, callee: Callee[P, Out], by: Principal, /, *args: P.args, **kwargs: P.kwargs
    ) -> RunResult[Out]:
        """Like `call`, for a target; see `run`."""
        return await self.runs.call(callee, by, args, kwargs, target=target)

    async def call_in_conversation(
        self, conversation: str, callee: Callee[P, Out], by: Principal, /, *args: P.args, **kwargs: P.kwargs
    ) -> RunResult[Out]:
        """Like `call`, but in a conversation, which may be busy. The call is not part of the conversation's history."""
        return await self.runs.call(callee, by, args, kwargs, conversation=conversation)

    async def call_by_name(
        self,
        name: str,
        arguments: Arguments | Mapping[str, object] | str,
        *,
        by: Principal,
        schedule: Schedule | None = None,
        **options: Unpack[CallOptions],
    ) -> RunResult[Any]:
        """Call a tool by its name, or a method by its key, with arguments as a mapping or JSON, or parsed already.

        ``conversation``: see `call_in_conversation`; ``idempotency_key`` and ``target``: see `run`. With a
        ``schedule``, the call is checked and asked about now, and an executor makes it later, with its principal's
        permissions at that time. ``metadata`` is kept in the run's header.

        Raises:
            RequestError: the application has no such tool, or the arguments are not JSON.
        """
        return await self.runs.call_by_name(name, arguments, by, options, schedule)

    async def decide(
        self,
        question: str,
        *,
        approved: bool,
        by: Principal,
        kind: DecisionKind = "approve",
        **options: Unpack[DecisionOptions],
    ) -> str | None:
        """Decide a question as a signed-in principal; `resume` then executes the run. See `Ask` for the ``kind``.

        Approving an announced call opens the next run of its conversation, for the principal of the announcing run.
        The run makes the call before the model is asked. Returns the run's id; None if the decision opens none.

        ``arguments`` (JSON) replace those of an approved call. They are validated now; on resume the policy checks them
        and may ask again. For the question whether an interrupted call happened, approved means yes, and ``result`` is
        its result as a model would read it.

        Raises:
            RequestError: the question is unknown or settled, ``by`` may not decide it, or a value is invalid.
        """
        return await self.runs.decide(question, approved=approved, by=by, kind=kind, details=options)

    async def earliest_expiry(self, run: str) -> float | None:
        """Earliest expiry of the run's open questions; resuming after it denies them. None if there are none."""
        return await self.runs.earliest_expiry(run)

    async def resume(self, run: str, release_requested: asyncio.Event | None = None) -> RunResult[Any]:
        """Resume a run after its questions were decided or its process died. An ended run returns its result.

        Raises:
            RequestError: the run does not exist, or its principal or callee is no longer known.
            LeaseError: another executor holds the run, or it was released by setting ``release_requested``.
        """
        check_instances("resume", release_requested=(release_requested, asyncio.Event | None))
        return await self.runs.resume(run, release_requested)

    async def loosen(self, run: str, *, without: Iterable[str], by: Principal, reason: str) -> None:
        """Let a stalled run continue without the terms that this process lacks. ``without`` must name all of them.

        Raises:
            RequestError: the run is unknown or has ended, ``by`` lacks ``runs:loosen``, or a value is invalid.
        """
        await self.runs.loosen(run, without=without, by=by, reason=reason)

    async def cancel(self, run: str, *, by: Principal) -> RunResult[Any] | None:
        """Cancel a run and end its open calls. None if another executor holds the run and will end it.

        Raises:
            RequestError: the run is unknown, or belongs to another principal and ``by`` lacks ``runs:cancel``.
        """
        return await self.runs.cancel(run, by)

    async def replay(self, run: str) -> ReplayReport:
        """Execute a run again with all answers from its journal, and compare. Nothing is written and no tool runs."""
        return await self.runs.replay(run)

    async def history(self, run: str) -> list[str]:
        """The chat history up to the end of a run, without the system message: wire texts, always valid."""
        return await self.runs.history(run)

    def __repr__(self) -> str:
        """Draw the layers around the calls of the default agent."""
        tools = self.app.agents[0].tools if self.app.agents else self.app.tools
        agent = self.app.agents[0].name if self.app.agents else ""
        drawing = self.dispatcher.draw_layers(agent, tools[0]) if tools else ""
        return f"Runtime {self.app.name}\n{drawing}"
