"""One step of an agent: a model request, and the calls it asked for, in parallel with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from remit.agent.handoff import Handoffs
from remit.contracts.call import ModelService
from remit.contracts.chat import Completion, Wanted
from remit.contracts.reply import Reply
from remit.contracts.step import Aux, Done, Next, Prepared, StepOutcome, StepRequest
from remit.core.frozen import frozen
from remit.errors import CompletionError, SetupError, Suspended
from remit.journal.codec import tool_text


@frozen
class AgentStep:
    """The service inside the loop. ``parallel`` calls run at once at most; 1 means one after the other.

    ``handoffs`` are made when all other calls of the answer have ended, and the first that goes well is followed.
    """

    model: ModelService
    parallel: int = 8
    handoffs: Handoffs = field(default_factory=Handoffs)

    def __post_init__(self) -> None:
        if self.parallel < 1:
            raise SetupError(f"parallel={self.parallel}: a step makes at least one call at a time")

    async def __call__(self, request: StepRequest, /) -> StepOutcome:
        """Ask the model once, make the calls it wants, and give the new messages in call order."""
        completion = await self.model(request.chat)
        aux = Aux(completion.prompt_tokens, completion.completion_tokens, len(completion.wanted))
        if not completion.wanted:
            _refuse_partial(completion, request.chat.max_tokens)
            return Done(messages=(completion.message,), aux=aux)
        replies, to = await self._calls(request, _wanted(completion))
        texts = [tool_text(w.id, reply.content) for w, reply in zip(completion.wanted, replies, strict=True)]
        messages = (completion.message, *texts)
        final = next((reply for reply in replies if reply.ends), None)
        if final is None and not to:
            return Next(messages=messages, aux=aux)
        return Done(messages=messages, aux=aux, final=final, to=to)

    async def _calls(self, request: StepRequest, wanted: tuple[Wanted, ...]) -> tuple[list[Reply], str]:
        """The replies in call order, and the agent that takes over, if one does."""
        calls, to = request.calls, ""
        self.handoffs.check(request.chat, wanted)
        prepared = [calls.prepare(each.name, each.arguments, each.id) for each in wanted]
        if len(prepared) == 1 and not self.handoffs.targets:
            return [await prepared[0]()], to
        stopping = calls.ledger.stopping  # which ends them all, not the first
        last = [i for i, each in enumerate(wanted) if not stopping and each.name in self.handoffs.targets]
        first = [i for i in range(len(wanted)) if i not in last]
        if len(first) <= 1 or (self.parallel == 1 and not stopping):
            outcomes = [await _settled(prepared[i]) for i in first]
        else:
            outcomes = await self._together([prepared[i] for i in first])
        replies = dict(zip(first, _unless_waiting(outcomes), strict=True))
        for i in last:
            replies[i] = await prepared[i]()
            if not to and replies[i].outcome == "ok":
                to = self.handoffs.follow(request.chat, wanted[i])
        return [replies[i] for i in range(len(wanted))], to

    async def _together(self, prepared: list[Prepared]) -> list[Reply | Suspended]:
        gate = asyncio.Semaphore(self.parallel)

        async def one(each: Prepared) -> Reply | Suspended:
            async with gate:
                return await _settled(each)

        tasks = [asyncio.create_task(one(each)) for each in prepared]
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            raise
        failed = [error for task in tasks if not task.cancelled() and (error := task.exception())]
        if failed:
            raise failed[0]
        return [task.result() for task in tasks]


def _unless_waiting(outcomes: Iterable[Reply | Suspended]) -> list[Reply]:
    """The replies.

    Raises:
        Suspended: some of the calls wait, for all that they wait for.
    """
    outcomes = list(outcomes)
    waiting = [outcome for outcome in outcomes if isinstance(outcome, Suspended)]
    if waiting:
        raise Suspended(*(question for each in waiting for question in each.questions))
    return [outcome for outcome in outcomes if isinstance(outcome, Reply)]


def _wanted(completion: Completion) -> tuple[Wanted, ...]:
    """The calls; where the answer was cut before the arguments of the last one began, they are no JSON either."""
    *others, last = completion.wanted
    if completion.finish != "length" or last.arguments:
        return completion.wanted
    return (*others, last._replace(arguments=_CUT))


_CUT: Final = " "
"""No text at all would mean no arguments."""


def _refuse_partial(completion: Completion, max_tokens: int | None) -> None:
    """Refuse what is no answer, or only the beginning of one; the journal keeps what there is.

    Raises:
        CompletionError: saying which.
    """
    if completion.finish == "length":
        limit = "the limit of its endpoint" if max_tokens is None else f"max_tokens={max_tokens}"
        raise CompletionError(f"the model's answer was cut at {limit}; allow more tokens, or ask for less")
    if completion.content is not None and completion.content.strip():
        return
    if completion.finish == "content_filter":
        raise CompletionError("the model's answer was held back by a content filter; ask in other words")
    raise CompletionError(f"the model's answer is empty: no text and no calls (it stopped for {completion.finish!r})")


async def _settled(prepared: Prepared) -> Reply | Suspended:
    """The reply, or the signal that the call waits for a person: its siblings go on and end."""
    try:
        return await prepared()
    except Suspended as signal:
        return signal
