"""One step of an agent: a model request and the calls it asked for, with bounded parallelism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from remit.agent.handoff import Handoffs
from remit.agent.limits import AgentLimits
from remit.agent.model_recorder import check_complete
from remit.agent.typed_result import (
    ACCEPTED,
    CALL_REQUIRED,
    InvalidResult,
    TypedResults,
    correction_message,
    error_content,
    record_reply,
)
from remit.contracts.call import ModelService
from remit.contracts.chat import Completion, ToolCallRequest
from remit.contracts.parallel import run_parallel
from remit.contracts.reply import Reply
from remit.contracts.step import Done, Next, StepOutcome, StepRequest, StepUsage
from remit.errors import SetupError
from remit.journal.codec import RESULT_TOOL, tool_message_text


class AgentStep(Struct, frozen=True, kw_only=True):
    """One step of an agent: asks the model and makes the calls of its answer.

    At most ``parallel`` calls run at once; 1 means one after the other.

    ``handoffs`` are made after all other calls of the answer; the first that succeeds wins.
    ``results`` validates results of a type other than text. ``limits`` are those of the whole agent. ``continue_text``
    is the message to a model that called no tool, where the agent's stop policy wants more.
    """

    model: ModelService
    parallel: int = 8
    handoffs: Handoffs = field(default_factory=Handoffs)
    results: TypedResults | None = None
    limits: AgentLimits | None = None
    continue_text: str = ""

    def __post_init__(self) -> None:
        if self.parallel < 1:
            raise SetupError(f"parallel={self.parallel}: a step needs at least one")

    async def __call__(self, request: StepRequest, /) -> StepOutcome:
        """Ask the model once, make the calls of its answer, and return the new messages in call order.

        Raises:
            CompletionError: the answer is cut, empty or filtered.
            InvalidOutputError: the model gave too many invalid results.
            BudgetError: a limit of the agent is used up.
        """
        completion = await self.model(request.chat)
        if not completion.tool_calls:
            has_content = completion.content is not None and bool(completion.content.strip())
            check_complete(completion.finish_reason, has_content=has_content, max_tokens=request.chat.max_tokens)
        tool_calls = _mark_truncated_call(completion)
        result_calls = () if self.results is None else [each for each in tool_calls if each.name == RESULT_TOOL]
        usage = StepUsage(completion.prompt_tokens, completion.completion_tokens, len(tool_calls) - len(result_calls))
        self._check_usage(request.used.add(usage))
        if not tool_calls:
            return await self._finish_with_text(request, completion, usage)
        others = [each for each in tool_calls if each not in result_calls] if result_calls else tool_calls
        replies, target = await self._make_calls(request, others)
        final = next((reply for reply in replies.values() if reply.is_final), None)
        texts = {call_id: tool_message_text(call_id, reply.content) for call_id, reply in replies.items()}
        result = None
        if self.results is not None and result_calls:
            result, results = await self._take_results(self.results, request, result_calls)
            texts |= results
            usage = usage if result is not None else usage._replace(invalid_results=1)
        messages = (completion.message, *(texts[each.id] for each in tool_calls))
        if final is None and not target and result is None:
            result = request.end_turn and request.end_turn(request.chat.turn, completion.content or "")
            if result is None:
                return Next(messages=messages, usage=usage)
        return Done(messages=messages, usage=usage, result=result, final_reply=final, handoff_to=target)

    def _check_usage(self, used: StepUsage) -> None:
        if self.limits is not None:
            tokens = used.prompt_tokens + used.completion_tokens
            self.limits.check_usage(self.handoffs.source, tool_calls=used.tool_calls, tokens=tokens)

    async def _finish_with_text(self, request: StepRequest, completion: Completion, usage: StepUsage) -> StepOutcome:
        """End the agent with a text, unless its result has another type."""
        end_turn, text, turn = request.end_turn, completion.content or "", request.chat.turn
        if self.results is None:
            if end_turn is None or end_turn(turn, text) is not None:
                return Done(messages=(completion.message,), usage=usage)
            more = record_reply(request.chat, correction_message(self.continue_text))
            return Next(messages=(completion.message, more), usage=usage)
        found: Reply | str = CALL_REQUIRED
        if self.results.is_native:
            found = await self.results.validate(text)
            if isinstance(found, Reply):
                return Done(messages=(completion.message,), usage=usage, result=found)
        self.results.check_retries(request.used.invalid_results + 1, found)
        reason = record_reply(request.chat, correction_message(found))
        if end_turn is not None:
            end_turn(turn, text)
        return Next(messages=(completion.message, reason), usage=usage._replace(invalid_results=1))

    async def _take_results(
        self, results: TypedResults, request: StepRequest, result_calls: Sequence[ToolCallRequest]
    ) -> tuple[Reply | None, dict[str, str]]:
        """Find the first valid result of an answer. Returns it with the wire texts of the replies to the calls."""
        outcomes = {each.id: await results.validate(each.arguments) for each in result_calls}
        valid = next((each for each in outcomes.values() if isinstance(each, Reply)), None)
        if valid is None:
            reason = next(each for each in outcomes.values() if isinstance(each, InvalidResult))
            results.check_retries(request.used.invalid_results + 1, reason)
        contents = {
            call_id: ACCEPTED if isinstance(each, Reply) else error_content(each) for call_id, each in outcomes.items()
        }
        texts = {call_id: tool_message_text(call_id, content) for call_id, content in contents.items()}
        return valid, {call_id: record_reply(request.chat, text) for call_id, text in texts.items()}

    async def _make_calls(
        self, request: StepRequest, tool_calls: Sequence[ToolCallRequest]
    ) -> tuple[dict[str, Reply], str]:
        """Make the calls. Returns the replies by call id, and the agent that takes over, if any."""
        calls, chat, handoff_target = request.calls, request.chat, ""
        self.handoffs.check_recorded(chat.ledger, chat.agent_call_id, tool_calls)
        prepared = {each.id: calls.prepare(each.name, each.arguments, each.id) for each in tool_calls}
        if len(prepared) == 1 and not self.handoffs.targets:
            return {each.id: await prepared[each.id]() for each in tool_calls}, handoff_target
        stopping = calls.ledger.is_stopping  # then all calls end, not the first alone
        handoffs = [each for each in tool_calls if not stopping and each.name in self.handoffs.targets]
        regular = [each.id for each in tool_calls if each not in handoffs]
        limit = len(regular) if stopping else self.parallel
        replies = dict(zip(regular, await run_parallel([prepared[each] for each in regular], limit), strict=True))
        for each in handoffs:
            replies[each.id] = await prepared[each.id]()
            if not handoff_target and replies[each.id].outcome == "ok":
                handoff_target = self.handoffs.follow(chat.ledger, chat.agent_call_id, each, prepared[each.id].id)
        return {each.id: replies[each.id] for each in tool_calls}, handoff_target


def _mark_truncated_call(completion: Completion) -> tuple[ToolCallRequest, ...]:
    """The calls of an answer. If it was cut before the last one's arguments, these become invalid JSON."""
    if completion.finish_reason != "length" or not completion.tool_calls or completion.tool_calls[-1].arguments:
        return completion.tool_calls
    *others, last = completion.tool_calls
    return (*others, last._replace(arguments=_TRUNCATED_ARGUMENTS))


_TRUNCATED_ARGUMENTS: Final = " "
"""No text at all would mean no arguments."""
