"""Views of runs: at every point of a run its view says what its items say, and each call has its place.

The expectations are read from the items one by one, without the fold.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from figures.figure import Figure, no_violations
from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import ExternalError
from remit.items import AttemptEnded, AttemptStarted, DecisionItem, Message, Position, QuestionItem, ToolOutput
from remit.layers import Retry
from remit.testing import Scripted, calls
from remit.views import CallView, RunView

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
TURNS: Final = 4


@tool(effect=Effect.PURE)
async def look(where: str) -> str:
    """Look."""
    if where == "away":
        raise ExternalError(where)
    return where


RETRIED: Final = look.layer(Retry(attempts=2, base_delay=0.0))


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def send(text: str) -> str:
    """Send."""
    return text


@tool(effect=Effect.KEYED)
async def book(ctx: LeafContext, amount: int) -> str:
    """Book."""
    ctx.log(f"booked {amount} as {ctx.key}")
    return str(amount)


@tool(effect=Effect.COMPOSED)
async def both(ctx: Context, text: str) -> str:
    """Look and send."""
    await asyncio.gather(ctx.call(RETRIED, where=text), ctx.call(book, amount=1))
    return str(await ctx.call(send, text=text))


_CHOICES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("look", {"where": "here"}), ("look", {"where": "away"}), ("send", {"text": "a"}), ("book", {"amount": 3}),
    ("both", {"text": "b"}), ("helper", {"prompt": "go"}), ("nothing", {}), ("look", {}),
)  # fmt: skip


def figures(*, short: bool) -> Iterator[Figure]:
    """Points of runs at which a view differs from the items."""
    seeds = 12 if short else 400
    differs = points = 0
    for seed in range(seeds):
        more, wrong = asyncio.run(_measure(random.Random(seed)))
        points, differs = points + more, differs + wrong
    how = (
        f"{seeds} runs of agents within agents that make random calls, wait, are decided and resumed: at each item the "
        "view of all so far, and that of some with the others added, against the items read one by one"
    )
    yield no_violations("view.fold_differs", differs, points, how)


async def _measure(dice: random.Random) -> tuple[int, int]:
    """The points of a run, and those at which its view differs."""
    positions = await _make_run(dice)
    whole, wrong = RunView.of(positions), 0
    growing = RunView()
    for count, position in enumerate(positions, 1):
        growing.add(position.item, position.at)
        wrong += _summarize(growing) != _read(positions[:count])
    cut = RunView.of(positions[: dice.randrange(len(positions))])
    for position in positions[cut.count :]:
        cut.add(position.item, position.at)
    return len(positions) + 1, wrong + (vars(cut) != vars(whole))


async def _make_run(dice: random.Random) -> Sequence[Position]:
    """The items of a run that has ended, or waits for the last questions that no one has decided."""

    def script() -> Scripted:
        turns = [calls(*dice.choices(_CHOICES, k=dice.randint(1, 3))) for _ in range(dice.randint(0, TURNS))]
        return Scripted([*turns, "done"] * 20)

    tools = [RETRIED, send, book, both]
    helper = Agent("helper", instructions="Help.", tools=tools, model=script())
    clerk = Agent("clerk", instructions="Work.", tools=[*tools, helper], model=script())
    runtime = Runtime(App(name="office", agents=(clerk,), tools=(*tools,)), directory=lambda _name, _tenant: PERSON)
    result = await runtime.run("go", by=PERSON)
    for _ in range(6):
        if result.status != "waiting":
            break
        for question in result.questions:
            await runtime.decide(question, approved=dice.random() < 0.6, by=PERSON)
        result = await runtime.resume(result.run)
    return await runtime.store.read(result.run)


def _summarize(view: RunView) -> dict[str, Any]:
    """What a view says, as the items can be read one by one."""
    placed = [] if view.root is None else [*view.root.walk()]
    known = {id(each) for each in placed}
    return {
        "lost": [each.tool for each in view.calls.values() if id(each) not in known],
        "twice": len(placed) - len(known),
        "ends": Counter((each.id, each.parent, each.tool, each.output.outcome) for each in placed if each.output),
        "wanted": Counter((each.parent, each.tool, each.wire) for each in placed if each.wire),
        "attempts": Counter((each.id, one.number, one.outcome) for each in placed for one in each.attempts),
        "asked": Counter((each.id, one.question.id) for each in placed for one in each.questions),
        "decided": {name for name, each in view.questions.items() if each.decision is not None},
        "said": [(each.agent, each.role, each.text) for each in view.messages],
        "under": [each.agent for each in view.messages if view.calls[each.agent].parent or each.agent == _root(placed)],
    }


def _root(placed: Sequence[CallView]) -> str:
    return placed[0].id if placed else ""


def _read(positions: Sequence[Position]) -> dict[str, Any]:
    items = [each.item for each in positions]
    messages = [(each.agent, _decode(each)) for each in items if isinstance(each, Message)]
    wanted = [
        (agent, call["function"]["name"], call["id"])
        for agent, message in messages
        for call in message.get("tool_calls", ())
    ]
    started = [(each.call, each.attempt) for each in items if isinstance(each, AttemptStarted)]
    ends = {(each.call, each.attempt): each.outcome for each in items if isinstance(each, AttemptEnded)}
    return {
        "lost": [],
        "twice": 0,
        "ends": Counter((e.call, e.parent, e.callee, e.outcome) for e in items if isinstance(e, ToolOutput)),
        "wanted": Counter(wanted),
        "attempts": Counter((*each, ends.get(each)) for each in started),
        "asked": Counter((each.call, each.question) for each in items if isinstance(each, QuestionItem)),
        "decided": {each.question for each in items if isinstance(each, DecisionItem)},
        "said": [(agent, message["role"], message.get("content") or "") for agent, message in messages],
        "under": [agent for agent, _ in messages],
    }


def _decode(item: Message) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(item.text)
    return decoded
