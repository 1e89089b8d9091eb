"""One step of an agent: a model request, and the calls it asked for, in parallel with a bound."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from remit.contracts.call import ModelService
from remit.contracts.chat import Completion, Wanted
from remit.contracts.reply import Reply
from remit.contracts.step import Aux, Calls, Done, Next, Prepared, StepOutcome, StepRequest
from remit.errors import CompletionError, SetupError, Suspended
from remit.journal.codec import tool_text


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """The service inside the loop. ``parallel`` calls run at once at most; 1 means one after the other."""

    model: ModelService
    parallel: int = 8

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
        replies = await self._calls(request.calls, _wanted(completion))
        texts = [tool_text(w.id, reply.content) for w, reply in zip(completion.wanted, replies, strict=True)]
        messages = (completion.message, *texts)
        final = next((reply for reply in replies if reply.ends), None)
        return Next(messages=messages, aux=aux) if final is None else Done(messages=messages, aux=aux, final=final)

    async def _calls(self, calls: Calls, wanted: tuple[Wanted, ...]) -> list[Reply]:
        prepared = [calls.prepare(each.name, each.arguments, each.id) for each in wanted]
        if len(wanted) == 1 or (self.parallel == 1 and not calls.ledger.stopping):  # which ends them all, not the first
            outcomes = [await _settled(each) for each in prepared]
        else:
            outcomes = await self._together(prepared)
        waiting = [outcome for outcome in outcomes if isinstance(outcome, Suspended)]
        if waiting:
            raise Suspended(*(question for each in waiting for question in each.questions))
        return [outcome for outcome in outcomes if isinstance(outcome, Reply)]

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
