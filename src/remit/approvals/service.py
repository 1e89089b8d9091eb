"""Decisions and grants of authenticated principals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypedDict, Unpack, get_args

from remit.approvals.editing import canonicalize_edit
from remit.approvals.grants import parse_pattern
from remit.approvals.lifetime import check_lifetime
from remit.approvals.policy import DECIDE_PERMISSION
from remit.call.contract import Contract, definition_digest
from remit.call.schema import shorten_text
from remit.core.call_checks import check_calls
from remit.core.checks import check_text
from remit.core.names import as_person_name
from remit.errors import (
    IdempotencyError,
    InvalidArgumentsError,
    RequestConflictError,
    RequestDeniedError,
    RequestError,
    RequestNotFoundError,
    SetupError,
)
from remit.journal.index import check_open
from remit.journal.ports import Store
from remit.journal.question_row import QuestionRow
from remit.record.arguments import Limits, content_digest
from remit.record.current_run import CURRENT_RUN
from remit.record.grant import Grant, GrantRow
from remit.record.items import RunOpened, RunSuspended
from remit.record.principal import Principal, check_principal, may_act_in
from remit.record.question import Decision, DecisionKind, Question
from remit.record.secret import redact_secrets, redact_secrets_in_content
from remit.record.target import as_target
from remit.shown import show_id, show_value

CalleeLookup = Callable[[str], Contract]
"""Looks up a callee by name; raises a `RequestError` for an unknown name."""


MAX_KEY_BYTES: Final = 4000
_SAME_SECONDS: Final = 0.001


class DecisionOptions(TypedDict, total=False):
    """Details of a decision: see `Runtime.decide`."""

    reason: str
    result: str
    arguments: str
    idempotency_key: str


class DecisionService:
    """Makes decisions on questions. ``find_callee`` looks up the callee of a question."""

    def __init__(self, store: Store, clock: Callable[[], float], find_callee: CalleeLookup, limits: Limits) -> None:
        self._store = store
        self._clock = clock
        self._find_callee = find_callee
        self._limits = limits

    async def is_repeated(self, decision: Decision) -> bool:
        """Whether a request with the same idempotency key has already made this decision.

        Raises:
            IdempotencyError: the key was used for another decision on the question.
        """
        row = await self._store.find_question(decision.question) if decision.request_key else None
        recorded = row.decision if row is not None else None
        if recorded is None or recorded.request_key != decision.request_key:
            return False
        if replace(recorded, at=decision.at) != decision:
            raise IdempotencyError(
                f"the idempotency key was used for another decision on question {decision.question}; use a new key"
            )
        return True

    async def check_decision(
        self, question: str, *, approved: bool, by: Principal, kind: DecisionKind, **details: Unpack[DecisionOptions]
    ) -> None:
        """Refuse a decision that could not be made now; see `make_decision`. A repeated one is not refused."""
        _, decision = await self.make_decision(question, approved=approved, by=by, kind=kind, **details)
        if not await self.is_repeated(decision):
            check_open(await self._store.find_question(question), question, self._clock())

    async def make_decision(
        self,
        question: str,
        *,
        approved: bool,
        by: Principal,
        kind: DecisionKind,
        **details: Unpack[DecisionOptions],
    ) -> tuple[Question, Decision]:
        """Return a question with the decision of ``by``, without storing it; see `Runtime.decide`."""
        reason, result, arguments = (details.get(each, "") for each in ("reason", "result", "arguments"))
        key = details.get("idempotency_key", "")
        _refuse_inside_run()
        check_principal("by", by)
        if isinstance(question, (QuestionRow, Question)):
            ident = question.question.id if isinstance(question, QuestionRow) else question.id
            raise RequestError(f"question is the object of question {ident}; give its id")
        _check_texts(question=question, reason=reason, result=result, arguments=arguments, idempotency_key=key)
        _check_size("idempotency_key", key, MAX_KEY_BYTES)
        _check_size("the reason", reason, self._limits.reason_bytes)
        _check_size("the result", result, self._limits.output_bytes)
        row = await self._store.find_question(question)
        if row is None or row.question.tenant != by.tenant:
            raise RequestNotFoundError(f"question {show_id(question)} does not exist")
        if type(approved) is not bool:
            raise RequestError(f"approved is {show_value(approved)}; it must be True or False")
        if kind not in get_args(DecisionKind):
            raise RequestError(f"kind is {show_value(kind)}; it must be 'confirm' or 'approve'")
        check_may_decide(row.question, by, kind, approved=approved)
        if kind == "confirm" and approved:
            await self._refuse_beyond_limits(row.question, by)
        if row.question.kind == "outcome" and approved:
            self._check_result(row.question.tool, result)
        decision = Decision(
            question=question,
            approved=approved,
            by=by.name,
            kind=kind,
            reason=redact_secrets(reason),
            result=redact_secrets_in_content(result),
            at=self._clock(),
            arguments=self._validate_edit(row.question, arguments, kind, approved=approved) if arguments else "",
            request_key=await self._digest_key(key, by, row.question) if key else "",
        )
        return row.question, decision

    async def _refuse_beyond_limits(self, question: Question, by: Principal) -> None:
        """Refuse that a token confirms what another run wants to do with permissions that the token does not have.

        Raises:
            RequestDeniedError: the run of the question has fewer limits than ``by``.
        """
        if by.allowed is None:
            return
        asking = [each.item for each in await self._store.read(question.run)]
        opened = asking[0] if asking and isinstance(asking[0], RunOpened) else None
        if not may_act_in(by, None if opened is None else opened.permissions, question.target):
            raise RequestDeniedError(
                f"an API token may not confirm question {question.id}, because run {question.run} may do more than the "
                "token; sign in"
            )

    async def _digest_key(self, key: str, by: Principal, question: Question) -> str:
        """Digest an idempotency key, scoped to a principal and an application."""
        run = await self._store.find_run(question.run)
        return content_digest("decision", by.tenant, run.application if run else "", by.name, key)

    async def earliest_expiry(self, run: str) -> float | None:
        """The earliest expiry of the run's open questions, in seconds since the epoch; None if it waits for none.

        Resuming the run after an expiry denies the expired questions.
        """
        _check_texts(run=run)
        items = [position.item for position in await self._store.read(run)]
        row = await self._store.find_run(run)
        waiting = next((item for item in reversed(items) if isinstance(item, RunSuspended)), None)
        if row is None or row.status != "waiting" or waiting is None:
            return None
        rows = [await self._store.find_question(question) for question in waiting.questions]
        undecided = (each for each in rows if each is not None and each.decision is None and each.status != "closed")
        return min((each.question.expires for each in undecided), default=None)

    def _validate_edit(self, question: Question, arguments: str, kind: DecisionKind, *, approved: bool) -> str:
        if question.kind != "approval" or question.is_about_run or not approved:
            raise RequestError("arguments can be edited only when approving a call")
        if kind == "confirm":
            raise RequestError(
                f"a confirmation takes no arguments: it approves the call of {question.tool} as shown; "
                "deny it, or let an approver edit it with kind='approve'"
            )
        callee = self._find_callee(question.tool)
        if definition_digest(callee) != question.definition:
            raise RequestConflictError(
                f"{question.tool} has changed since question {question.id} was opened; resume run {question.run} first"
            )
        try:
            return canonicalize_edit(callee, arguments, question, self._limits)
        except InvalidArgumentsError as error:
            raise RequestError(f"these arguments are not valid for {question.tool}: {error.message}") from error

    def _check_result(self, tool: str, result: str) -> None:
        callee = self._find_callee(tool)
        try:
            callee.schema_out.load(result, strict=True)
        except ValueError as error:
            raise RequestError(f"this is not a valid result of {tool}: {callee.schema_out.explain(error)}") from error


@check_calls
class GrantService:
    """Creates, lists and revokes grants.

    ``policy_versions`` returns the versions of the policies that apply to a tool. ``find_principal`` looks up
    principals that can receive grants by name and tenant; without it, any principal can.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        find_callee: CalleeLookup,
        policy_versions: Callable[[str], Iterable[str]],
        new_id: Callable[[], str],
        limits: Limits,
        find_principal: Callable[[str, str], Principal | None] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._find_callee = find_callee
        self._find_principal = find_principal
        self._policy_versions = policy_versions
        self._new_id = new_id
        self._limits = limits

    async def create(
        self,
        tool: str,
        *,
        by: Principal,
        principal: str,
        count: int,
        expires_in: float,
        arguments: str = "{}",
        who: str = DECIDE_PERMISSION,
        reason: str = "",
        target: str = "",
        idempotency_key: str = "",
    ) -> Grant:
        """Approve ``count`` calls of a tool in advance, in runs of ``principal``, for ``expires_in`` seconds.

        The runs must have exactly this ``target``, or no target if it is empty. ``arguments`` is the pattern that the
        calls must match. ``who`` is the permission that the asking rule requires; the grantor must hold it. The grant
        is void once the tool's definition or the policy changes. Repeated with its ``idempotency_key``, it is the same.

        Raises:
            IdempotencyError: the key was used for another grant.
            RequestError: the tool is unknown, the number of policies that apply to it is not one, the pattern, count or
                time is invalid, the principal is unknown, or the grantor lacks the permission or is an API token.
        """
        _refuse_inside_run()
        check_principal("by", by)
        texts = {"tool": tool, "principal": principal, "arguments": arguments, "who": who, "reason": reason}
        _check_texts(**texts, idempotency_key=idempotency_key)
        _check_size("idempotency_key", idempotency_key, MAX_KEY_BYTES)
        _check_size("the reason", reason, self._limits.reason_bytes)
        callee = self._find_callee(tool)
        target = as_target("target", target, RequestError)
        _check_grantor(by, who, target)
        policy = self._find_policy_version(tool)
        _check_use(count, principal)
        try:
            check_lifetime(expires_in, "expires_in")
            pattern, grantee = parse_pattern(callee, arguments, self._limits), self._check_grantee(principal, by.tenant)
        except (InvalidArgumentsError, SetupError) as error:
            raise RequestError(f"the grant is not valid: {error.message}") from error
        now = self._clock()
        grant = Grant(
            id=content_digest("grant", by.tenant, by.name, idempotency_key) if idempotency_key else self._new_id(),
            tenant=by.tenant,
            tool=tool,
            arguments=pattern,
            principal=grantee,
            definition=definition_digest(callee),
            policy=policy,
            who=who,
            by=by.name,
            given=now,
            expires=now + expires_in,
            count=count,
            reason=redact_secrets(reason),
            target=target,
        )
        await self._store.add_grant(grant)
        return await self._find_made(grant) if idempotency_key else grant

    async def _find_made(self, grant: Grant) -> Grant:
        """The grant that the first request with its key made.

        Raises:
            IdempotencyError: it is another one.
        """
        row = await self._store.find_grant(grant.id)
        made = grant if row is None else row.grant
        same = replace(grant, given=made.given, expires=made.expires, definition=made.definition, policy=made.policy)
        is_as_long = abs((grant.expires - grant.given) - (made.expires - made.given)) < _SAME_SECONDS
        if same != made or not is_as_long:
            raise IdempotencyError(f"the idempotency key was used for another grant of {made.tool}; use a new key")
        return made

    def _find_policy_version(self, tool: str) -> str:
        """The version of the policy that applies to a tool.

        Raises:
            RequestError: there is not one.
        """
        versions = set(self._policy_versions(tool))
        if len(versions) != 1:
            raise RequestError(f"a grant is bound to one policy, but {len(versions)} policies apply to {tool}")
        return versions.pop()

    def _check_grantee(self, principal: str, tenant: str) -> str:
        name = as_person_name("principal", principal)
        if not self.is_grantee(name, tenant):
            raise SetupError(f"there is no user {name!r} of tenant {tenant!r}")
        return name

    def is_grantee(self, name: str, tenant: str) -> bool:
        """Whether there is a principal of that name and tenant, or no directory says who there is."""
        return self._find_principal is None or self._find_principal(name, tenant) is not None

    async def list_grants(self, by: Principal) -> list[GrantRow]:
        """List the grants of the principal's tenant, oldest first, with their use and revocation."""
        check_principal("by", by)
        return await self._store.list_grants(tenant=by.tenant)

    async def revoke(self, grant: str, *, by: Principal) -> None:
        """Revoke a grant. Calls that have started continue; others do not start.

        Raises:
            RequestError: the grant does not exist or is already revoked, or the principal may not revoke it.
        """
        _refuse_inside_run()
        check_principal("by", by)
        _check_texts(grant=grant)
        row = await self._store.find_grant(grant)
        if row is None or row.grant.tenant != by.tenant:
            raise RequestNotFoundError(f"grant {show_id(grant)} does not exist")
        if not by.at(row.grant.target).may(row.grant.who):
            raise RequestDeniedError(f"{by.name} may not revoke grant {grant}: missing permission {row.grant.who}")
        await self._store.revoke_grant(grant, by.name)


def _refuse_inside_run() -> None:
    run = CURRENT_RUN.get().run
    if run:
        raise RequestDeniedError(
            f"run {run} may not decide; decisions and grants are made by a person, outside of runs"
        )


def _check_grantor(by: Principal, who: str, target: str) -> None:
    if by.allowed is not None:
        raise RequestDeniedError("an API token may not make a grant, which would outlive its revocation; sign in")
    if not by.at(target).may(who):
        raise RequestDeniedError(f"{by.name} may not create a grant: missing permission {who}")


def _check_use(count: object, principal: str) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise RequestError(f"count is {show_value(count)}; give a whole number of at least 1")
    if not principal:
        raise RequestError("principal is empty; give the name of the principal whose calls the grant approves")


def _check_texts(**values: object) -> None:
    """Refuse values that could be stored but not loaded again."""
    for name, value in values.items():
        check_text(name, value, RequestError)


def _check_size(what: str, text: str, max_bytes: int) -> None:
    if shorten_text(text, max_bytes) != text:
        raise RequestError(f"{what} is {len(text.encode()):,} bytes long; at most {max_bytes:,}")


def check_may_decide(question: Question, by: Principal, kind: DecisionKind, *, approved: bool) -> None:
    """Refuse a decision of this kind that a principal may not make, whatever the state of the question.

    Raises:
        RequestDeniedError: the principal lacks a permission, or another person must decide.
    """
    if kind == "confirm":
        if by.name != question.asker:
            raise RequestDeniedError(f"{by.name} may not confirm question {question.id}; only {question.asker} may")
        if question.needs == "approve" and (approved or question.kind == "outcome"):
            raise RequestDeniedError(
                f"question {question.id} needs an approval; a confirmation of the acting user is not one"
            )
        return
    missing = question.missing_permission(by)
    if missing:
        raise RequestDeniedError(f"{by.name} may not decide question {question.id}: missing permission {missing}")
    if question.four_eyes and by.name in question.requesters:
        raise RequestDeniedError(
            f"{by.name} requested the call and may not decide question {question.id}; another approver must"
        )
