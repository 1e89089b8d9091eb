"""Clients keep principals apart: a method that is given the ids of others tells and changes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, cast, get_args, get_type_hints

from figures.figure import Figure, no_violations
from remit import Agent, App, Client, Effect, Principal, Risk, Runtime, tool
from remit.artifacts import Artifact
from remit.errors import IdempotencyError, RemitError
from remit.policies import Policy
from remit.runtime import OpenRun
from remit.stores import ConversationKey, InMemoryStore, SqlStore, Store
from remit.testing import Scripted, calls

CANARY: Final = "canary-7f3"
"""In everything that only the victim and their approver may read."""

VICTIM: Final = Principal("ada", "bakery", frozenset({"approvals:decide"}))
_OTHER: Final = (
    "runs:read",
    "runs:cancel",
    "runs:loosen",
    "approvals:decide",
    "conversations:join",
    "conversations:manage",
)
STRANGERS: Final = {
    "another tenant": Principal("ada", "elsewhere", frozenset({"*"})),
    "another principal": Principal("eve", "bakery"),
    "another target": Principal("tom", "bakery", frozenset(f"{each}@{CANARY}/other" for each in _OTHER)),
}
READER: Final = Principal("rob", "bakery")
"""Whom the victim lets read the conversation, and no more."""
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
ID_PARAMETERS: Final = ("run", "run_id", "before", "question", "after", "grant", "artifact", "conversation")
"""Parameters for which the id of somebody else is answered like an unknown one."""


class _Secrets(NamedTuple):
    """The ids of the victim, by the parameter that takes them."""

    run: str
    question: str
    grant: str
    artifact: Artifact
    conversation: str

    def value(self, method: str, parameter: str) -> object:
        if parameter == "after":
            return {"questions": self.question, "grants": self.grant}.get(method)
        return self.run if parameter == "before" else getattr(self, parameter)


def figures(*, short: bool) -> Iterator[Figure]:
    """Answers and effects of a client on what its principal may not see."""
    leaks, attempts = asyncio.run(_count_leaks(on_disk=not short))
    how = (
        "each method of the client, found by introspection, with each id of another principal's run, page, question, "
        "grant, file and conversation, and with idempotency keys in use, for another tenant, principal and target: "
        "answered like an unknown id, nothing told or changed"
    )
    yield no_violations("tenants.client.leaks", len(leaks), attempts, "; ".join([how, *leaks[:5]]))


async def _count_leaks(*, on_disk: bool) -> tuple[list[str], int]:
    leaks, attempts = list[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        stores = [InMemoryStore(), *([SqlStore(f"sqlite:///{Path(folder)}/runs.db")] if on_disk else [])]
        for store in stores:
            for kind, stranger in STRANGERS.items():
                found, count = await _attack(store, kind, stranger)
                leaks, attempts = leaks + found, attempts + count
            await store.close()
    return leaks, attempts


def _runtime(store: Store) -> Runtime:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def pay(amount: str) -> str:
        """Pay."""
        return amount

    model = Scripted(["done", calls(("pay", {"amount": CANARY})), *["done"] * 500])
    return Runtime(
        App(name="shop", agents=(Agent("clerk", instructions="Sell.", tools=(pay,)),)), model=model, store=store
    )


async def _attack(store: Store, kind: str, stranger: Principal) -> tuple[list[str], int]:
    """Give every method of the stranger's client the ids of the victim: the leaks, and the number of attempts."""
    runtime = _runtime(store)
    victim, talk = runtime.client(VICTIM), f"talk with {kind}"
    await runtime.client(stranger).submit("before the victim")
    await victim.run(CANARY, conversation=talk, target=f"{CANARY}/main")
    waiting = await victim.run(CANARY, conversation=talk)
    grant = await victim.create_grant("pay", principal="ada", count=1, expires_in=60, reason=CANARY)
    artifact = await victim.add_artifact(CANARY.encode() + kind.encode())
    await victim.run(CANARY, idempotency_key="key of run")
    await victim.call("pay", {"amount": CANARY}, idempotency_key="key of call")
    await victim.schedule("pay", {"amount": CANARY}, at=LATER, idempotency_key="key of schedule")
    await victim.run(CANARY, conversation=f"{talk} alone", target=f"{CANARY}/main")
    await victim.share_conversation(f"{talk} alone", READER.name)
    secrets = _Secrets(waiting.run, waiting.questions[0], grant.id, artifact, f"{talk} alone")
    before = await _state(store, secrets)
    client, leaks, attempts = runtime.client(stranger), await _read_only(runtime, f"{talk} alone"), 5
    for _ in range(2):  # again, because an attempt may have left something that a list then tells
        for method, values in _calls(secrets, talk):
            answer = await _answer(client, method, values)
            told = [CANARY] if CANARY in answer else []
            for parameter in ID_PARAMETERS:
                if values.get(parameter) is not None and not isinstance(values[parameter], int):
                    if parameter == "conversation" and parameter not in method:
                        continue  # a name in use is refused to others
                    known, unknown = values[parameter], _unknown(values[parameter])
                    other = await _answer(client, method, {**values, parameter: unknown})
                    told += [parameter] if _neutral(answer, known) != _neutral(other, unknown) else []
            told += ["idempotency_key"] if answer.startswith(IdempotencyError.code) else []
            attempts += 1
            leaks += [f"{kind}: {method}({', '.join(values)}) tells {each}: {answer[:200]}" for each in told]
    if await _state(store, secrets) != before:
        leaks.append(f"{kind}: something of the victim was changed")
    return leaks, attempts


def _calls(secrets: _Secrets, talk: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Every public method, with required arguments alone and with each of the others that can name what is secret."""
    required: Mapping[str, object] = {
        "prompt": "hello", "tool": "pay", "arguments": {"amount": "1"}, "approved": True, "content": b"mine",
        "principal": "ada", "count": 1, "expires_in": 60.0, "since": 0.0, "until": 1e12, "title": "mine",
        "at": LATER, "policy": Policy(), "without": ("a rule",), "reason": "mine", "seconds": 0.01, "name": "pay",
    }  # fmt: skip
    optional: dict[str, object] = {"conversation": talk, "run": secrets.run, "before": secrets.run}
    optional["files"], optional["run_id"] = (secrets.artifact,), secrets.run
    for method, function in inspect.getmembers(Client, inspect.isroutine):
        if method.startswith("_") or method in ("decision_kind", "usage_of"):  # they are given what they tell of
            continue
        values, choices = dict[str, object](), list[tuple[str, object]]()
        optional["idempotency_key"] = f"key of {method}"
        for parameter in list(inspect.signature(function).parameters.values())[1:]:
            if parameter.kind is parameter.VAR_KEYWORD:
                options = get_args(get_type_hints(function, include_extras=True)[parameter.name])[0]
                choices += [(name, optional[name]) for name in get_type_hints(options) if name in optional]
            elif parameter.default is parameter.empty:
                known = parameter.name in required
                values[parameter.name] = required[parameter.name] if known else secrets.value(method, parameter.name)
            elif parameter.name == "after" and method in ("questions", "grants"):
                choices.append(("after", secrets.value(method, "after")))
            elif parameter.name in optional:
                choices.append((parameter.name, optional[parameter.name]))
        yield method, values
        yield from ((method, {**values, name: value}) for name, value in choices)


async def _answer(client: Client, method: str, values: Mapping[str, object]) -> str:
    """What a method answers, as text: its result or its error."""
    function = cast("Callable[..., Awaitable[Any] | AsyncIterator[Any]]", getattr(client, method))
    try:
        answer = function(**values)
        if isinstance(answer, AsyncIterator):
            return repr([await anext(answer)])
        if isinstance(answer, OpenRun):
            async with answer:
                return "opened"
        return repr(await answer if inspect.isawaitable(answer) else answer)
    except RemitError as error:
        return f"{error.code}: {error.message}"


def _unknown(known: object) -> object:
    if isinstance(known, Artifact):
        return known.model_copy(update={"digest": f"sha256:{known.digest[:6:-1]}"})
    return str(known)[::-1]


def _neutral(answer: str, identity: object) -> str:
    if isinstance(identity, Artifact):  # which a message shortens
        return re.sub(f"{identity.digest}|sha256:[0-9a-f]+…", "ID", answer)
    return answer.replace(str(identity), "ID")


async def _state(store: Store, secrets: _Secrets) -> object:
    """What of the victim an attempt could change."""
    grants = await store.list_grants(tenant=VICTIM.tenant)
    return (
        await store.read(secrets.run),
        await store.find_question(secrets.question),
        await store.cancel_requested_by(secrets.run),
        [row for row in grants if row.grant.id == secrets.grant],
        await store.find_conversation(ConversationKey(VICTIM.tenant, "shop", secrets.conversation)),
    )


async def _read_only(runtime: Runtime, talk: str) -> list[str]:
    """What a principal who may only read a conversation could do with it."""
    reader = runtime.client(READER)
    attempts: dict[str, Callable[[], Awaitable[object]]] = {
        "continue": lambda: reader.run("hello", conversation=talk),
        "rename": lambda: reader.rename_conversation(talk, "mine"),
        "share": lambda: reader.share_conversation(talk, "eve"),
        "unshare": lambda: reader.unshare_conversation(talk, READER.name),
        "delete": lambda: reader.delete_conversation(talk),
    }
    done = list[str]()
    for name, attempt in attempts.items():
        with contextlib.suppress(RemitError):
            await attempt()
            done.append(f"who reads a conversation may {name} it")
    return done
