"""One step of an agent: a model request, and the calls it asked for, in parallel with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from remit.agent.chat_recorder import summarize_completion
from remit.agent.handoff import Handoffs
from remit.agent.model_recorder import check_complete
from remit.contracts.call import ModelService
from remit.contracts.chat import Completion, ToolCallRequest
from remit.contracts.reply import Reply
from remit.contracts.step import Done, Next, PreparedCall, StepOutcome, StepRequest, StepUsage
from remit.errors import SetupError, Suspended
from remit.journal.codec import tool_message_text


@dataclass(frozen=True, slots=True, kw_only=True)
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
        aux = StepUsage(completion.prompt_tokens, completion.completion_tokens, len(completion.tool_calls))
        check_complete(summarize_completion(completion), request.chat.max_tokens)
        if not completion.tool_calls:
            return Done(messages=(completion.message,), usage=aux)
        replies, to = await self._make_calls(request, _mark_truncated_call(completion))
        texts = [
            tool_message_text(w.id, reply.content) for w, reply in zip(completion.tool_calls, replies, strict=True)
        ]
        messages = (completion.message, *texts)
        final = next((reply for reply in replies if reply.is_final), None)
        if final is None and not to:
            return Next(messages=messages, usage=aux)
        return Done(messages=messages, usage=aux, final_reply=final, handoff_to=to)

    async def _make_calls(
        self, request: StepRequest, tool_calls: tuple[ToolCallRequest, ...]
    ) -> tuple[list[Reply], str]:
        """The replies in call order, and the agent that takes over, if one does."""
        calls, handoff_target = request.calls, ""
        self.handoffs.check_recorded(request.chat, tool_calls)
        prepared = [calls.prepare(each.name, each.arguments, each.id) for each in tool_calls]
        if len(prepared) == 1 and not self.handoffs.targets:
            return [await prepared[0]()], handoff_target
        stopping = calls.ledger.is_stopping  # which ends them all, not the first
        handoff_indexes = [
            i for i, each in enumerate(tool_calls) if not stopping and each.name in self.handoffs.targets
        ]
        regular_indexes = [i for i in range(len(tool_calls)) if i not in handoff_indexes]
        if len(regular_indexes) <= 1 or (self.parallel == 1 and not stopping):
            outcomes = [await _await_reply(prepared[i]) for i in regular_indexes]
        else:
            outcomes = await self._run_in_parallel([prepared[i] for i in regular_indexes])
        replies = dict(zip(regular_indexes, _collect_replies(outcomes), strict=True))
        for i in handoff_indexes:
            replies[i] = await prepared[i]()
            if not handoff_target and replies[i].outcome == "ok":
                handoff_target = self.handoffs.follow(request.chat, tool_calls[i])
        return [replies[i] for i in range(len(tool_calls))], handoff_target

    async def _run_in_parallel(self, prepared: list[PreparedCall]) -> list[Reply | Suspended]:
        semaphore = asyncio.Semaphore(self.parallel)

        async def one(each: PreparedCall) -> Reply | Suspended:
            async with semaphore:
                return await _await_reply(each)

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


def _collect_replies(outcomes: Iterable[Reply | Suspended]) -> list[Reply]:
    """The replies.

    Raises:
        Suspended: some of the calls wait, for all that they wait for.
    """
    outcomes = list(outcomes)
    waiting = [outcome for outcome in outcomes if isinstance(outcome, Suspended)]
    if waiting:
        raise Suspended(*(question for each in waiting for question in each.questions))
    return [outcome for outcome in outcomes if isinstance(outcome, Reply)]


def _mark_truncated_call(completion: Completion) -> tuple[ToolCallRequest, ...]:
    """The calls; where the answer was cut before the arguments of the last one began, they are no JSON either."""
    *others, last = completion.tool_calls
    if completion.finish_reason != "length" or last.arguments:
        return completion.tool_calls
    return (*others, last._replace(arguments=_TRUNCATED_ARGUMENTS))


_TRUNCATED_ARGUMENTS: Final = " "
"""No text at all would mean no arguments."""


async def _await_reply(prepared: PreparedCall) -> Reply | Suspended:
    """The reply, or the signal that the call waits for a person: its siblings go on and end."""
    try:
        return await prepared()
    except Suspended as signal:
        return signal
