"""Opens the runs of a runtime: makes their requests and headers, and stores their files once they are accepted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Unpack

from pydantic import BaseModel

from remit.agent.agent import Agent
from remit.agent.attachments import Refer, store_attachments
from remit.approvals.carried import describe_act, open_with
from remit.approvals.from_journal import RecordedQuestion
from remit.approvals.service import DecisionOptions, DecisionService
from remit.call.observing import await_callback
from remit.call.resolution import CheckTarget
from remit.client.queueing import store_run
from remit.core.checks import check_instance
from remit.dispatch.context import caller_of_runs
from remit.dispatch.registry import AnyCallee
from remit.engine.artifacts import ArtifactService
from remit.engine.callees import ListedCallees
from remit.engine.conversations import Conversations
from remit.engine.executor import RunExecutor
from remit.engine.given_history import GivenHistory, make_given_items, read_history, take_prompt
from remit.engine.loosening import FindTerms, pin_terms
from remit.engine.principals import PrincipalLookup
from remit.engine.request import Prompt, RunOptions, RunRequest, check_same_request
from remit.engine.started_runs import check_started_by, with_cage, with_cage_of, with_limits
from remit.errors import LeaseError, RequestConflictError, RequestError, SetupError
from remit.record.arguments import Arguments, Limits, content_digest, parse_arguments
from remit.record.items import DETACHED, OPEN_RUN, Item, RunOpened, RunSuspended
from remit.record.principal import Caller, Principal
from remit.record.question import Decision, DecisionKind, Question
from remit.shown import show_value


class RunOpener:
    """Opens runs. ``make_run_id`` makes their ids, and ``principals`` lets the runtime resume them."""

    def __init__(
        self,
        callees: ListedCallees[Agent],
        conversations: Conversations,
        executor: RunExecutor,
        artifacts: ArtifactService,
        limits: Limits,
        make_run_id: Callable[[], str],
        principals: PrincipalLookup,
        check_target: CheckTarget | None,
        find_terms: FindTerms,
    ) -> None:
        self._callees = callees
        self._conversations = conversations
        self._executor = executor
        self._artifacts = artifacts
        self._limits = limits
        self._make_run_id = make_run_id
        self._principals = principals
        self._check_target = check_target
        self.decisions = DecisionService(executor.store, executor.clock, callees.find, limits)
        self._find_terms = find_terms

    async def request_run(
        self,
        prompt: Prompt,
        by: Principal,
        agent: str | Agent,
        options: RunOptions,
        *,
        is_stored: bool = False,
    ) -> RunRequest:
        """The request for a run of an agent. If it is stored, the agent must have the listed one's model.

        Without a prompt the agent is asked the last of the given messages.

        Raises:
            RequestError: as `Runtime.run` says.
        """
        conversation, key = options.get("conversation", ""), options.get("idempotency_key", "")
        carried = await self._confirm(options, by) if options.get("confirms") else None
        announced_by = carried.question.agent if carried is not None else ""
        callee, passed_over = await self._callees.select_agent(agent or announced_by, by, conversation, key)
        if carried is not None and callee.name != announced_by:
            raise RequestConflictError(f"the agent {announced_by!r} announced the call; leave out agent=")
        if carried is not None:
            _check_has_tool(callee, carried.question)
        if is_stored or options.get("when_busy") == "queue":
            self._callees.check_listed_model(callee)
        history = GivenHistory()
        if "messages" in options:
            history = await asyncio.to_thread(read_history, options["messages"], self._limits)
        if prompt is None and history.texts:
            prompt, history = take_prompt(history)
        check_instance("prompt", prompt, (str, BaseModel), "give a string, or an object of the agent's input")
        arguments = callee.build_arguments(prompt, **callee.file_fields(options.get("files", ())))
        request = RunRequest.of_agent(callee, arguments, by, options)
        return request._replace(carries=carried, history=history, passed_over=passed_over).check(self._limits)

    def request_call(self, callee: AnyCallee, arguments: Arguments, by: Principal, **options: Any) -> RunRequest:
        """The request for a direct call, which is made as the default agent.

        Raises:
            SetupError, RequestError: as `RunRequest.check` says.
        """
        request = RunRequest(callee, arguments, by, agent=self._callees.default_agent, is_direct_call=True, **options)
        return request.check(self._limits)

    async def _confirm(self, options: RunOptions, by: Principal) -> RecordedQuestion:
        """The question that a message confirms, with this decision; without one if the request is repeated.

        Raises:
            RequestError: the question may not be confirmed by this message.
        """
        question = options.get("confirms", "")
        if options.get("files"):
            raise RequestError("a message that confirms a call cannot have files; send them with another message")
        if await self._conversations.find_repeated(options.get("idempotency_key", ""), by) is not None:
            row = await self._executor.store.find_question(question)
            if row is not None:
                return RecordedQuestion(row.question)
        asked, decision = await self.decisions.make_decision(question, approved=True, by=by, kind="confirm")
        is_elsewhere = asked.conversation != options.get("conversation", "") or not asked.agent
        if is_elsewhere or await self._conversations.find_announcing_run(asked) is None:
            raise RequestConflictError(
                f"no agent has announced the call of question {question} in this conversation, or a run waits for the "
                "answer; decide it without a message"
            )
        return RecordedQuestion(asked, decision)

    async def decide(
        self, question: str, *, approved: bool, by: Principal, kind: DecisionKind, **details: Unpack[DecisionOptions]
    ) -> str | None:
        """Store a decision. Returns the id of the run that it opens, or None; see `Runtime.decide`.

        Raises:
            RequestError: ``by`` may not decide, or the announced call can no longer be made.
        """
        asked, decision = await self.decisions.make_decision(question, approved=approved, by=by, kind=kind, **details)
        self._principals.note(by)
        if not await self.decisions.is_repeated(decision):
            try:
                return await self._store_decision(asked, decision, by)
            except (RequestError, LeaseError):  # the same request, made at the same time, may have decided
                if not await self.decisions.is_repeated(decision):
                    raise
        opened = await self._executor.store.find_run(_opened_by(decision))
        return opened.run if opened is not None else None

    async def _store_decision(self, asked: Question, decision: Decision, by: Principal) -> str | None:
        announcing = await self._conversations.find_announcing_run(asked) if decision.approved else None
        if announcing is None:
            await self._executor.store.decide(decision)
            return None
        is_own = (by.name, by.tenant) == (asked.asker, asked.tenant)
        asker = by if is_own else self._principals.find(asked.asker, asked.tenant, f"question {asked.id}")
        callee = self._callees.resolve_agent(asked.agent) if asked.agent else self._callees.find(asked.tool)
        arguments, about = parse_arguments(asked.arguments, self._limits), ""
        if isinstance(callee, Agent):
            _check_has_tool(callee, asked)
            arguments = callee.build_arguments(describe_act(asked, decision))
            about = asked.sentence.text or asked.tool
        request = RunRequest(callee, arguments, asker, conversation=asked.conversation, target=announcing.target)
        if announcing.after == DETACHED:
            request = request._replace(agent=self._callees.default_agent, is_direct_call=True)
        request = request._replace(when_busy="queue", carries=RecordedQuestion(asked, decision), about=about)
        return (await self.store_run(request, _opened_by(decision))).call

    async def create_header(self, request: RunRequest, run: str = "") -> RunOpened:
        """The header of the run for a request, with the id ``run`` or a new one. Nothing is stored yet.

        A run opened by the body of a call has the principal, the target and the cage of that call, and the limits of
        the given principal.
        """
        caller, by = caller_of_runs(), request.principal
        if caller is None:
            self._principals.add(request.principal)
        else:
            check_started_by(caller, request.principal, request.target)
            request = request._replace(principal=caller.principal, target=caller.target)
        arguments = await _refer_to_files(request.callee, request.arguments, request.principal, self._artifacts.refer)
        make_run_id = (lambda: run) if run else self._make_run_id
        header = await self._conversations.create_header(request._replace(arguments=arguments), make_run_id)
        await self._refuse_target(request, header)
        cause = await self._find_cause(request, caller)
        header = with_limits(header if caller is None else with_cage(header, caller), by)
        header = pin_terms(header, self._find_terms, cause=cause)
        if request.carries is None or cause is None:
            return header
        return open_with(with_cage_of(header, cause), request.carries, self._limits)[0]

    async def _find_cause(self, request: RunRequest, caller: Caller | None) -> RunOpened | None:
        """The header of the run that announced the carried call, or whose body opens this one; None for neither."""
        if request.carries is not None:
            return (await self._conversations.read_run(request.carries.question.run))[0]
        if caller is not None:
            with contextlib.suppress(RequestError):  # the run belongs to another application
                return (await self._conversations.read_run(caller.run))[0]
        return None

    async def _refuse_target(self, request: RunRequest, header: RunOpened) -> None:
        """Refuse a target that the application does not have. A tool that is called directly reports this itself."""
        is_of_tool = request.is_direct_call and request.callee.name != OPEN_RUN
        if self._check_target is None or not request.target or is_of_tool:
            return
        if request.idempotency_key and await self._executor.store.find_run(header.call) is not None:
            return  # the run exists: its outcome is returned
        checking, seconds = self._check_target(request.target, request.principal), self._limits.callback_seconds
        what = f"the check of the target {request.target!r}"
        answer: object = await await_callback(what, checking, seconds=seconds)
        if answer is not None:
            raise SetupError(f"{what} returned {show_value(answer)}; return nothing, or raise RequestNotFoundError(…)")

    async def store_files(self, request: RunRequest) -> None:
        """Store the files of the history, and the attachments among the arguments, if they have bytes."""
        for each in request.history.files:
            await self._artifacts.add(each.content, by=request.principal, name=each.name, media_type=each.media_type)
        await _refer_to_files(request.callee, request.arguments, request.principal, self._artifacts.add)

    async def store_run(self, request: RunRequest, run: str = "") -> RunOpened:
        """Store a new run. If it may queue, it queues after the run that is then the newest of its conversation."""

        async def create_items() -> tuple[RunOpened, Sequence[Item]]:
            header = await self.create_header(request, run)
            await self.store_files(request)  # nothing of a refused request is stored
            given: Sequence[Item] = make_given_items(header, request.history.texts)
            if header.callee == OPEN_RUN:
                given = (RunSuspended(call=header.call, questions=()),)  # until its first call
            return (header, given) if request.carries is None else open_with(header, request.carries, self._limits)

        if request.when_busy == "queue":
            return await store_run(create_items, self._conversations, self._executor)
        header, following = await create_items()
        await self._executor.create_run(header.call, header, *following)
        return header

    async def is_repeated(self, request: RunRequest) -> bool:
        """Whether a request with the same idempotency key has opened a run before."""
        return await self._conversations.find_repeated(request.idempotency_key, request.principal) is not None

    async def store_once(self, request: RunRequest, check: Callable[[], Awaitable[None]] | None = None) -> RunOpened:
        """Store a new run, unless the same request has already opened it; return the run's header in either case.

        A new run is refused if ``check`` raises.

        Raises:
            IdempotencyError: its key was used for another request.
        """
        if not await self.is_repeated(request):
            if check is not None:
                await check()
            try:
                return await self.store_run(request)
            except (RequestError, LeaseError):  # the same request, made at the same time, may have opened the run
                if not await self.is_repeated(request):
                    raise
        header = await self.create_header(request)
        await self.check_repeated(request, header)
        return header

    async def check_repeated(self, request: RunRequest, header: RunOpened) -> None:
        """Compare a request with the recorded one of the same idempotency key.

        Raises:
            IdempotencyError: it is another request.
        """
        recorded, _ = await self._conversations.read_run(header.call)
        check_same_request(request, recorded, header, self._limits)


def _opened_by(decision: Decision) -> str:
    """The id of the run that a decision with an idempotency key opens; empty without one."""
    return content_digest("decided", decision.question, decision.request_key) if decision.request_key else ""


def _check_has_tool(agent: Agent, announced: Question) -> None:
    """Refuse to approve a call that can no longer be made, because the approval would run nothing.

    Raises:
        RequestConflictError: the agent no longer has the tool.
    """
    if announced.tool not in {each.name for each in agent.tools}:
        raise RequestConflictError(
            f"agent {agent.name} no longer has the tool {announced.tool!r}, so the announced call of question "
            f"{announced.id} cannot be made; deny the question"
        )


def may_have_files(request: RunRequest) -> bool:
    """Whether there may be files to store before a run for a request."""
    return bool(request.history.files) or _takes_files(request.callee)


async def _refer_to_files(callee: AnyCallee, arguments: Arguments, by: Principal, refer: Refer) -> Arguments:
    """The arguments with references instead of the bytes of attachments; ``refer`` makes them."""
    return await store_attachments(arguments, refer, by=by) if _takes_files(callee) else arguments


def _takes_files(callee: AnyCallee) -> bool:
    return isinstance(callee, Agent) and bool(callee.attachments)
