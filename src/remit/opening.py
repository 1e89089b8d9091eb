"""Opens the runs of a runtime: makes their requests and headers, and stores their files once they are accepted."""

from __future__ import annotations

from collections.abc import Callable

from remit.agent.agent import Agent
from remit.agent.attachments import Refer, store_attachments
from remit.contracts.arguments import Arguments, Limits
from remit.contracts.items import RunOpened
from remit.contracts.principal import Principal
from remit.contracts.resolution import CheckTarget
from remit.dispatch.registry import AnyCallee
from remit.engine.artifacts import ArtifactService
from remit.engine.callees import ListedCallees
from remit.engine.conversations import Conversations
from remit.engine.executor import RunExecutor
from remit.engine.queueing import store_run
from remit.engine.request import RunOptions, RunRequest, check_same_request


class RunOpener:
    """Opens runs. ``make_run_id`` makes their ids, and ``add_principals`` lets the runtime resume them."""

    def __init__(
        self,
        callees: ListedCallees[Agent],
        conversations: Conversations,
        executor: RunExecutor,
        artifacts: ArtifactService,
        limits: Limits,
        make_run_id: Callable[[], str],
        add_principals: Callable[[Principal], None],
        check_target: CheckTarget | None,
    ) -> None:
        self._callees = callees
        self._conversations = conversations
        self._executor = executor
        self._artifacts = artifacts
        self._limits = limits
        self._make_run_id = make_run_id
        self._add_principals = add_principals
        self._check_target = check_target

    async def request_run(
        self, prompt: str, by: Principal, agent: str | Agent, options: RunOptions, *, is_stored: bool = False
    ) -> RunRequest:
        """The request for a run of an agent. If it is stored, the agent must have the listed one's model.

        Raises:
            RequestError: as `Runtime.run` says.
        """
        conversation, key = options.get("conversation", ""), options.get("idempotency_key", "")
        callee = await self._callees.select_agent(agent, by, conversation, key)
        if is_stored or options.get("when_busy") == "queue":
            self._callees.check_listed_model(callee)
        arguments = callee.build_arguments(prompt, **callee.definition.file_fields(options.get("files", ())))
        return RunRequest.of_agent(callee, arguments, by, options)

    async def create_header(self, request: RunRequest, run: str = "") -> RunOpened:
        """The header of the run for a request, with the id ``run`` or a new one. Nothing is stored yet."""
        if request.is_direct_call:
            request = request._replace(agent=self._callees.default_agent)
        request = request.check(self._limits)
        self._add_principals(request.principal)
        arguments = await _refer_to_files(request.callee, request.arguments, request.principal, self._artifacts.refer)
        make_run_id = (lambda: run) if run else self._make_run_id
        header = await self._conversations.create_header(request._replace(arguments=arguments), make_run_id)
        await self._refuse_target(request, header)
        return header

    async def _refuse_target(self, request: RunRequest, header: RunOpened) -> None:
        """Refuse a target that the application does not have. A tool that is called directly says so itself."""
        if self._check_target is None or not request.target or request.is_direct_call:
            return
        if request.idempotency_key and await self._executor.store.find_run(header.call) is not None:
            return  # the run exists: its outcome is returned
        await self._check_target(request.target, request.principal)

    async def store_files(self, request: RunRequest) -> None:
        """Store the attachments among the arguments. Only those of a call by name can have bytes."""
        await _refer_to_files(request.callee, request.arguments, request.principal, self._artifacts.add)

    async def store_run(self, request: RunRequest, run: str = "") -> RunOpened:
        """Store a new run; one that may queue after whichever run is the newest of its conversation by then."""
        if request.when_busy == "queue":
            return await store_run(lambda: self.create_header(request, run), self._conversations, self._executor)
        header = await self.create_header(request, run)
        await self._executor.create_run(header.call, header)
        return header

    async def check_repeated(self, request: RunRequest, header: RunOpened) -> None:
        """Compare a request with the recorded one of the same idempotency key.

        Raises:
            IdempotencyError: it is another request.
        """
        recorded, _ = await self._conversations.read_run(header.call)
        check_same_request(request.idempotency_key, recorded, header, self._limits)


async def _refer_to_files(callee: AnyCallee, arguments: Arguments, by: Principal, refer: Refer) -> Arguments:
    """The arguments with references in place of the bytes of attachments; ``refer`` makes them."""
    takes_files = isinstance(callee, Agent) and callee.definition.attachments
    return await store_attachments(arguments, refer, by=by) if takes_files else arguments
