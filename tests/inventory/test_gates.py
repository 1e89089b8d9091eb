"""The gates: each refuses what it is for, with its own error, and lets everything else pass untouched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from figures.notebook import Env, MemorySessions
from remit import Effect, LeafContext, Principal, Risk, Stack, Timeout, tool
from remit.call.classification import Deprecation
from remit.call.gate import Gate, with_gates_first
from remit.errors import BlockedError, CallError, DeniedError, MissingCapabilityError
from remit.inventory.gates import (
    AuthenticationGate,
    DeprecationGate,
    EnabledGate,
    SessionGate,
    SessionState,
)
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger
from remit.layers import Authorize, Budget, Call, CallLayer, Reply, Validate
from remit.record.items import AttemptEnded, AttemptStarted, Note
from remit.testing import Scripted, call_through, calls, make_call, memory_ledger, superuser
from tests.runtime.kit import runtime_of


@tool(effect=Effect.PURE, risk=Risk.SAFE)
async def look() -> str:
    """Look."""
    return "seen"


GOING = Deprecation(since="1.0", removal="2.0", replacement="see")


async def nested() -> Call:
    return await make_call(look)


async def by_nobody() -> Call:
    return await make_call(look, by=Principal("anonymous", permissions=frozenset({"*"})))


Made = Callable[[], Awaitable[Call]]


@pytest.mark.parametrize(
    ("gate", "made"),
    [
        (EnabledGate(), nested),
        (AuthenticationGate(), nested),
        (DeprecationGate(deprecation=GOING, version="1.9"), nested),
        (SessionGate(Env()), nested),
        (SessionGate(Env(sessions=MemorySessions(SessionState.ABSENT)), required=False), nested),
        (SessionGate(Env(sessions=MemorySessions(SessionState.ABSENT)), open=True), nested),
        (SessionGate(Env(sessions=MemorySessions(SessionState.IDLE))), nested),
    ],
)
async def test_what_is_allowed_passes_untouched(gate: Gate, made: Made) -> None:
    call = await made()
    seen: list[Call] = []

    async def inner(call: Call, /) -> Reply:
        seen.append(call)
        return Reply.from_value("inner")

    assert (await call_through(gate, call, inner)).content == "inner"
    assert seen == [call]


@pytest.mark.parametrize(
    ("gate", "made", "error", "said"),
    [
        (EnabledGate(enabled=False), nested, BlockedError, "look is disabled"),
        (AuthenticationGate(), by_nobody, DeniedError, "look requires authentication"),
        (DeprecationGate(deprecation=GOING, version="2.0"), nested, BlockedError, "removed in version 2.0; call see"),
        (
            DeprecationGate(deprecation=Deprecation(since="1", removal="1"), version="1"),
            nested,
            BlockedError,
            "removed in version 1$",
        ),
        (SessionGate(Env(sessions=None)), nested, MissingCapabilityError, "the environment has no sessions"),
        (
            SessionGate(Env(sessions=MemorySessions(SessionState.ABSENT))),
            nested,
            DeniedError,
            "needs an active session",
        ),
        (
            SessionGate(Env(sessions=MemorySessions(SessionState.CLOSED)), required=False),
            nested,
            DeniedError,
            "session is closed",
        ),
        (
            SessionGate(Env(sessions=MemorySessions(SessionState.IDLE)), resume=False),
            nested,
            DeniedError,
            "may not resume it",
        ),
    ],
)
async def test_what_is_not_allowed_is_refused_with_why(
    gate: Gate, made: Made, error: type[CallError], said: str
) -> None:
    with pytest.raises(error, match=said):
        await call_through(gate, await made())


async def test_a_replay_asks_no_gate_because_what_it_drives_again_has_passed() -> None:
    call = await make_call(look)
    again = call.replace(ledger=ReplayLedger("run", ()))
    closed = EnabledGate(enabled=False)
    assert (await call_through(closed, again)).content == "inner"
    with pytest.raises(BlockedError):
        await call_through(closed, call)


BEGUN = AttemptStarted(call="call", parent="", callee="save", attempt=1)
NEVER = AttemptEnded(call="call", attempt=1, outcome="error", content="", void=True)
AGAIN = AttemptStarted(call="call", parent="", callee="save", attempt=2)


@pytest.mark.parametrize(
    ("effect", "known", "asked"),
    [
        (Effect.KEYED, (), True),
        (Effect.KEYED, (BEGUN,), False),
        (Effect.IDEMPOTENT, (BEGUN,), False),
        (Effect.UNSAFE, (BEGUN,), False),
        (Effect.UNSAFE, (BEGUN, NEVER), True),
        (Effect.UNSAFE, (BEGUN, NEVER, AGAIN), False),
        (Effect.PURE, (BEGUN,), True),
        (Effect.COMPOSED, (BEGUN,), True),
    ],
)
async def test_no_gate_is_asked_about_a_call_that_may_have_written_before_a_crash(
    effect: Effect, known: tuple[AttemptStarted | AttemptEnded, ...], *, asked: bool
) -> None:
    @tool(effect=effect)
    async def act(_ctx: LeafContext) -> str:
        """Act."""
        return "done"

    call = await make_call(act, recorded_items=known)
    closed = EnabledGate(enabled=False)
    if asked:
        with pytest.raises(BlockedError):
            await call_through(closed, call)
    else:
        assert (await call_through(closed, call)).content == "inner"


async def test_a_new_session_is_opened_and_an_idle_one_taken_up() -> None:
    for state in (SessionState.ABSENT, SessionState.IDLE):
        known = MemorySessions(state)
        await call_through(SessionGate(Env(sessions=known), open=True), await nested())
        assert (known.current, known.opened) == (SessionState.ACTIVE, state is SessionState.ABSENT)


async def test_the_use_of_what_goes_is_noted_once_however_often_it_is_driven() -> None:
    ledger = await memory_ledger()
    call = await make_call(look, ledger=ledger)
    for _ in range(2):
        await call_through(DeprecationGate(deprecation=GOING, version="1.0"), call)
    notes = [item for item in ledger.items_for(call.id) if isinstance(item, Note)]
    assert [(note.name, note.data) for note in notes] == [("deprecated", '{"tool":"look","since":"1.0","call":"see"}')]


async def test_a_call_that_is_cancelled_is_cancelled_within() -> None:
    cancelled = asyncio.Event()

    async def inner(_call: Call, /) -> Reply:
        try:
            return await asyncio.Future[Reply]()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    going = asyncio.ensure_future(call_through(EnabledGate(), await nested(), inner))
    await asyncio.sleep(0)
    going.cancel()
    await asyncio.wait([going])
    assert cancelled.is_set()


async def test_gates_run_before_a_person_is_asked_and_again_around_the_tool(store: Store) -> None:
    checked = list[str]()

    class Counted(Gate):
        async def check(self, call: Call, /) -> None:
            checked.append(call.canonical_arguments)
            if "shut" in call.canonical_arguments:
                raise BlockedError("it is shut")

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def act(_ctx: LeafContext, door: str) -> str:
        """Act."""
        return door

    model = Scripted([calls(("act", {"door": "shut"}), ("act", {"door": "open"})), "done"])
    runtime = runtime_of(model, act.layer(Counted()), store=store, parallel=1)
    waiting = await runtime.run("go", by=superuser())
    (row,) = await store.list_questions()
    assert (row.question.arguments, checked) == ('{"door":"open"}', ['{"door":"shut"}', '{"door":"open"}'])
    await runtime.decide(row.question.id, approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).status == "done"
    assert checked[2:] == ['{"door":"open"}'] * 2


def test_gates_are_checked_once_a_call_is_permitted_and_valid_and_before_anything_else() -> None:
    gates = Stack[CallLayer](EnabledGate(), Timeout(5).calls)
    assert [repr(each) for each in with_gates_first(Stack(Authorize(), Validate(), Budget()), gates)][2:] == [
        "CheckGates(EnabledGate)",
        repr(Budget()),
    ]
    assert repr(with_gates_first(Stack[CallLayer](), gates)) == "CheckGates(EnabledGate)"
    assert len(with_gates_first(Stack[CallLayer](), Stack[CallLayer](Timeout(5).calls))) == 0
