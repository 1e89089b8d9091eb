"""Every combination of layers, over every scope, keeps what each of them promises, over waits, a kill and a replay."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from figures.combinations_layers import CARD, CHANGING, MAKERS, SHIPPED
from figures.combinations_world import (
    DONE,
    INVOICE,
    TARGET,
    Bank,
    BankStore,
    Placed,
    World,
)
from figures.figure import Figure, no_violations
from remit import Effect
from remit.errors import LayerOrderError
from remit.layers import ModelLayer
from remit.record.artifact import digest_of
from remit.record.items import HistoryCompacted, Item, Message, QuestionItem, ToolOutput, output_content
from remit.record.question import Question
from remit.runtime import LEASE_SECONDS
from remit.testing import superuser
from tests.runtime.kit import Clock, Crash

_SCOPES: Final = ("run", "agent", "tool")
_MAX_ROUNDS: Final = 30


def figures(*, short: bool) -> Iterator[Figure]:
    """Combinations after which a value differs, an effect is doubled, or a call runs that was not approved."""
    pairs, triples = list(dict.fromkeys(_pairs())), list(_triples())
    if short:
        pairs, triples = pairs[::59], triples[::197]
    how = f"{len(pairs)} pairs and {len(triples)} triples of {len(SHIPPED)} shipped and {len(CHANGING)} other layers"
    yield _measure([*pairs, *triples], how)


def measure_pairs_with(layer: str) -> Iterator[Figure]:
    """The figure over the pairs of one layer with four others, around an unsafe and around a keyed call."""
    others = ("Approve", "delaying", "Timeout", "Transform")
    placed = [_place((layer, other), scopes) for other in others for scopes in (("run", "tool"), ("agent", "agent"))]
    yield _measure([each for each in placed for _ in range(3)], f"pairs with {layer}")


def _measure(combinations: Sequence[tuple[Placed, ...]], how: str) -> Figure:
    broken, refused = asyncio.run(_count_broken(combinations))
    how += f", {refused} refused by an order rule"
    how += f"; {len(broken)} are broken: {broken[:5]}" if broken else ""
    return no_violations("layers.combinations.broken", len(broken), len(combinations), how)


def _pairs() -> Iterator[tuple[Placed, ...]]:
    """Each ordered pair over each pair of scopes, the same layer twice included."""
    for names in itertools.product(MAKERS, repeat=2):
        for scopes in itertools.combinations_with_replacement(_SCOPES, 2):
            yield _place(names, scopes)


def _triples() -> Iterator[tuple[Placed, ...]]:
    """Each set of three layers. Their order and scopes take turns, so that each layer meets others at each scope."""
    orders = list(itertools.permutations(range(3)))
    scopes = list(itertools.combinations_with_replacement(_SCOPES, 3))
    for number, names in enumerate(itertools.combinations(MAKERS, 3)):
        order = orders[number % len(orders)]
        yield _place([names[i] for i in order], scopes[number % len(scopes)])


def _place(names: Sequence[str], scopes: Sequence[str]) -> tuple[Placed, ...]:
    """Each layer with its scope. Layers around the model have one scope, the agent."""
    pairs = zip(names, scopes, strict=True)
    return tuple((name, "agent" if isinstance(MAKERS[name](), ModelLayer) else scope) for name, scope in pairs)


async def _count_broken(combinations: Sequence[tuple[Placed, ...]]) -> tuple[list[str], int]:
    asyncio.get_running_loop().set_exception_handler(_ignore_kills)
    broken: list[str] = []
    refused = 0
    for number, placed in enumerate(combinations):
        effect = (Effect.KEYED, Effect.UNSAFE)[number % 2]
        try:
            violation = await find_violation(
                placed, effect, dies_at=1 + number % 7, after=bool(number % 3), is_long=number % 4 > 1
            )
        except LayerOrderError:
            refused += 1
            continue
        if violation:
            broken.append(f"{' · '.join(f'{name}@{scope}' for name, scope in placed)} ({effect.value}): {violation}")
    return broken, refused


def _ignore_kills(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report errors of callbacks, except that a killed process cannot store what its timers would have stored."""
    if not isinstance(context.get("exception"), Crash):
        loop.default_exception_handler(context)


async def find_violation(
    placed: Sequence[Placed], effect: Effect, *, dies_at: int, after: bool, is_long: bool = False
) -> str:
    """What is broken about a combination: run, suspend, decide, kill, resume, replay. Empty if nothing is.

    ``is_long``: with compaction, memory, tool search and a stream in use.

    Raises:
        LayerOrderError: an order rule refuses the combination.
    """
    clock, world = Clock(), World(is_long=is_long)
    store = BankStore(clock)
    bank = Bank(placed, effect, store, clock, world)
    try:
        result = await bank.start()
        for number in range(_MAX_ROUNDS):
            if not result.questions:
                break
            for question in result.questions:
                await _decide(bank, question)
            bank = Bank(placed, effect, store, clock, world)
            if number == 0:
                store.die_at(dies_at, after=after)
                await _resume_until_killed(bank)
                store.revive()
                clock.now += LEASE_SECONDS + 1
                bank = Bank(placed, effect, store, clock, world)
            result = await bank.resume()
        if result.questions:
            return "it asks for ever"
        if result.value() != DONE:
            return f"it ended with {result.text[:80]}"
        items = [position.item for position in await store.read(result.run)]
        judge = World(paid=dict(world.paid), is_long=is_long)
        report = await Bank(placed, effect, store, clock, judge).runtime.replay(result.run)
    except (Crash, Exception) as error:  # noqa: BLE001 - whatever a combination does wrong is counted
        return f"{type(error).__name__}: {str(error)[:120]}"
    if not report.is_identical:
        return f"the replay differs: {report.difference[:120]}"
    return _find_difference(placed, effect, world, items, store.contents)


async def _resume_until_killed(bank: Bank) -> None:
    try:
        await bank.resume()
    except Crash:
        return
    except BaseExceptionGroup as group:
        if group.subgroup(Crash) is None:
            raise


async def _decide(bank: Bank, question: str) -> None:
    found = await bank.runtime.store.find_question(question)
    assert found is not None  # noqa: S101 - it is open
    asked = found.question
    happened = True
    if asked.kind == "outcome":
        arguments = json.loads(asked.arguments)
        happened = (
            arguments["to"] in bank.world.shipped if asked.tool == "ship" else bool(bank.world.paid.get(asked.call))
        )
    result = "" if asked.kind == "approval" or not happened else _result_of(asked)
    await bank.runtime.decide(question, approved=happened, by=superuser(name="bob"), result=result)


def _result_of(asked: Question) -> str:
    """What the person who looked it up says that an interrupted call gave."""
    return f"shipped to {json.loads(asked.arguments)['to']}" if asked.tool == "ship" else '{"card":"looked up"}'


def _has(items: Sequence[Item], kind: type[Item]) -> bool:
    return any(isinstance(item, kind) for item in items)


def _find_difference(
    placed: Sequence[Placed], effect: Effect, world: World, items: Sequence[Item], contents: Mapping[str, bytes]
) -> str:
    """The first promise that the finished run breaks; empty if it keeps all."""
    names, reader = [name for name, _ in placed], world.reader
    reader.lost += len(reader.open)
    outputs = [item for item in items if isinstance(item, ToolOutput)]
    recorded = json.loads(next(output_content(item) for item in outputs if item.callee == "pay" and not item.wire))
    if "remit_artifact" in recorded:
        recorded = json.loads(contents[recorded["remit_artifact"]["digest"]])
    by_model = json.loads(next(output_content(item) for item in outputs if item.callee == "pay" and item.wire))
    slip = {by_model["artifact"]["digest"]} if "artifact" in by_model else set[str]()
    stored = "".join(content.decode() for content in contents.values())
    result = {"card": recorded["errorCode"]} if "errorCode" in recorded else recorded
    asked = [item.call for item in items if isinstance(item, QuestionItem) and item.about == "approval"]
    texts = "".join(item.text for item in outputs if item.callee != "settle")
    texts += "".join(content.decode() for digest, content in contents.items() if digest in texts)
    corrections = [item for item in items if isinstance(item, Message) and "the result is not valid" in item.text]
    broken = {
        f"Python code saw {sorted(set(world.seen))}"[:160]: any(json.loads(each) != result for each in world.seen),
        "an unsafe body ran twice": effect is Effect.UNSAFE and max([0, *world.runs.values()]) > 1,
        "it shipped twice": len(world.shipped) > 1,
        "it shipped to another than the result names": world.shipped not in ([], [result["card"]]),
        "it shipped unasked": bool(world.shipped) and world.shipped_calls[0] not in asked,
        "arguments ran that were not validated": 9_999 in world.paid.values(),
        "a call ran unasked": any(asked.count(call) < names.count("Approve") for call in world.runs),
        "the journal shows what a layer hides": "hiding" in names and CARD in texts,
        "the journal shows what Redact removes": "Redact" in names and CARD in repr(items) + stored,
        "a large result is no artifact": "slip" in by_model or ("truncated" in by_model and not slip),
        f"files were kept: {world.kept}": world.kept != {digest_of(INVOICE), *slip},
        f"calls saw the targets {world.targets}": world.targets != {TARGET},
        "the correction of the result is not on record once": len(corrections) != 1,
        "nothing was compacted, or remembered": world.is_long
        and not (_has(items, HistoryCompacted) and any("Bakery" in repr(item) for item in items)),
        "no tools were found": world.is_long and not any(item.callee == "search_tools" for item in outputs),
        f"the stream lost {reader.lost} and doubled {reader.doubled}": bool(reader.lost or reader.doubled),
        "nothing was streamed": world.is_long and (reader.pieces == 0) is not ("Guardrail" in names),
    }
    return next((text for text, is_broken in broken.items() if is_broken), "")
