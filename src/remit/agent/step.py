"""One step of an agent: a model request and the calls it asked for, with bounded parallelism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct, field, structs

from remit.agent.answer_end import told_text
from remit.agent.call_by_name import read_named_call
from remit.agent.handoff import HANDOFF_PREFIX, Handoffs
from remit.agent.limits import AgentLimits
from remit.agent.recorded_answer import HELD_BACK, is_held_back, requested_calls
from remit.agent.typed_result import (
    ACCEPTED,
    CALL_REQUIRED,
    NOT_USED,
    InvalidResult,
    Judge,
    TypedResults,
    correction_message,
    error_content,
    record_reply,
)
from remit.call.call import ModelService
from remit.call.parallel import run_parallel
from remit.call.reply import Reply
from remit.call.step import Done, Next, PreparedCall, StepOutcome, StepRequest, StepUsage
from remit.chat.chat import Completion, ToolCallRequest
from remit.chat.finish import GOOD_FINISHES
from remit.chat.wire import MAY_REFUSE
from remit.errors import SetupError
from remit.journal.codec import RESULT_TOOL, tool_message_text


class Answer(Struct, frozen=True):
    """A model's answer to the request of a step: the calls to make, and the calls that give its result."""

    completion: Completion
    calls: tuple[ToolCallRequest, ...]
    result_calls: tuple[ToolCallRequest, ...]
    usage: StepUsage


class AgentStep(Struct, frozen=True, kw_only=True):
    """One step of an agent: asks the model and makes the calls of its answer.

    At most ``parallel`` calls run at once; 1 means one after the other.

    ``handoffs`` are made after all other calls of the answer; the first that succeeds wins.
    ``results`` validates results of a type other than text. ``limits`` are those of the whole agent. ``continue_text``
    is the message to a model that called no tool, if the agent's stop policy is not met. ``calls_by_name``: found tools
    are called by `CALL_TOOL`.

    A driver with its own loop uses the parts of the step: `ask`, `make_calls` and `end`.
    """

    model: ModelService
    parallel: int = 8
    handoffs: Handoffs = field(default_factory=Handoffs)
    results: TypedResults | None = None
    limits: AgentLimits | None = None
    continue_text: str = ""
    calls_by_name: bool = False

    def __post_init__(self) -> None:
        if self.parallel < 1:
            raise SetupError(f"parallel={self.parallel}: a step needs at least one")

    async def __call__(self, request: StepRequest, /) -> StepOutcome:
        """Ask the model once, make the calls of its answer, and return the new messages in call order.

        Raises:
            InvalidOutputError: the model gave too many invalid results.
            BudgetError: a limit of the agent is used up.
        """
        answer = await self.ask(request)
        replies, target = await self.make_calls(request, answer)
        return await self.end(request, answer, replies, target)

    async def ask(self, request: StepRequest) -> Answer:
        """Ask the model once."""
        completion = await self.model(request.chat)
        calls, result_calls = completion.tool_calls, tuple[ToolCallRequest, ...]()
        if calls[1:] or (
            calls and (completion.finish_reason not in GOOD_FINISHES or MAY_REFUSE.search(completion.message))
        ):
            calls = requested_calls(completion)  # skipped for one complete call, which it would return unchanged
        if self.calls_by_name:
            calls = tuple(map(read_named_call, calls))
        if self.results is not None and not self.results.is_native:
            result_calls = tuple(call for call in calls if call.name == RESULT_TOOL)
            calls = tuple(call for call in calls if call.name != RESULT_TOOL)
        answer = Answer(
            completion,
            calls,
            result_calls,
            StepUsage(completion.prompt_tokens, completion.completion_tokens, len(calls)),
        )
        limits = self.limits
        if limits is not None and (limits.tokens is not None or limits.tool_calls is not None):
            limits.check_usage(self.handoffs.source, request.used.add(answer.usage))
        return answer

    async def read_result(self, answer: Answer, text: str) -> Reply | InvalidResult:
        """Read the typed result that an answer gives as ``text``. An answer that was held back in part gives none."""
        assert self.results is not None  # noqa: S101 - of an agent whose result is text, none is read
        return self.results.refuse(HELD_BACK) if is_held_back(answer.completion) else await self.results.validate(text)

    async def end(
        self,
        request: StepRequest,
        answer: Answer,
        replies: Mapping[str, Reply],
        target: str,
        judge: Judge | None = None,
    ) -> StepOutcome:
        """End the step after the calls of the answer, given their replies by id and the agent that takes over.

        ``judge`` replaces the step's own validation of results.
        """
        completion, usage, judge = answer.completion, answer.usage, judge or partial(self.read_result, answer)
        if not completion.tool_calls:
            return await self._finish_with_text(request, completion, usage, judge)
        final, result, texts = None, None, dict[str, str]()
        for call_id, reply in replies.items():
            texts[call_id] = tool_message_text(call_id, reply.content)
            if final is None and reply.is_final:
                final = reply
        if self.results is not None and answer.result_calls:
            result, given = await self._take_results(self.results, request, answer.result_calls, judge)
            texts |= given
            usage = usage if result is not None else structs.replace(usage, invalid_results=1)
        messages = (completion.message, *[texts[call.id] for call in completion.tool_calls])
        if final is None and not target and result is None:
            text = told_text(completion, request.chat.max_tokens) if completion.content else ""
            result = request.end_turn and request.end_turn(request.chat.turn, text)
            if result is None:
                return Next(messages=messages, usage=usage)
        return Done(messages=messages, usage=usage, result=result, final_reply=final, handoff_to=target)

    async def _finish_with_text(
        self, request: StepRequest, completion: Completion, usage: StepUsage, judge: Judge
    ) -> StepOutcome:
        """End the agent with a text, unless its result has another type."""
        end_turn, text, turn = request.end_turn, completion.content or "", request.chat.turn
        if self.results is None:
            told = told_text(completion, request.chat.max_tokens)
            if end_turn is None:
                result = None if told == text else Reply.from_value(told)
                return Done(messages=(completion.message,), usage=usage, result=result)
            result = end_turn(turn, told)
            if result is not None:
                return Done(messages=(completion.message,), usage=usage, result=result)
            more = record_reply(request.chat, correction_message(self.continue_text))
            return Next(messages=(completion.message, more), usage=usage)
        found: Reply | str = CALL_REQUIRED
        if self.results.is_native:
            found = await judge(text)
            if isinstance(found, Reply):
                return Done(messages=(completion.message,), usage=usage, result=found)
        self.results.check_retries(request.used.invalid_results + 1, found)
        reason = record_reply(request.chat, correction_message(found))
        if end_turn is not None:
            end_turn(turn, text)
        return Next(messages=(completion.message, reason), usage=structs.replace(usage, invalid_results=1))

    async def _take_results(
        self,
        results: TypedResults,
        request: StepRequest,
        result_calls: Sequence[ToolCallRequest],
        judge: Judge,
    ) -> tuple[Reply | None, dict[str, str]]:
        """Find the first valid result of an answer. Returns it with the wire texts of the replies to the calls."""
        valid: Reply | None = None
        contents: dict[str, str] = {}
        reasons: list[str] = []
        for call in result_calls:
            if valid is not None:
                contents[call.id] = NOT_USED
                continue
            found = await judge(call.arguments)
            if isinstance(found, Reply):
                valid, contents[call.id] = found, ACCEPTED
            else:
                contents[call.id] = error_content(found)
                reasons.append(found)
        if valid is None:
            results.check_retries(request.used.invalid_results + 1, reasons[0])
        texts = {call_id: tool_message_text(call_id, content) for call_id, content in contents.items()}
        return valid, {call_id: record_reply(request.chat, text) for call_id, text in texts.items()}

    async def make_calls(self, request: StepRequest, answer: Answer) -> tuple[dict[str, Reply], str]:
        """Make the calls of an answer. Returns the replies by call id, and the agent that takes over, if any.

        Raises:
            Suspended: calls wait for decisions; it holds all their questions.
            DivergedError: the journal holds a handoff that the agent no longer makes.
        """
        calls, chat, handoff_target, tool_calls = request.calls, request.chat, "", answer.calls
        if not tool_calls:
            return {}, ""
        prepared = dict[str, PreparedCall]()
        for each in tool_calls:
            if each.name.startswith(HANDOFF_PREFIX):
                self.handoffs.check_recorded(chat.ledger, chat.agent_call_id, each)
            prepared[each.id] = calls.prepare(each.name, each.arguments, each.id)
        if len(tool_calls) == 1 and not self.handoffs.targets:
            only = tool_calls[0].id
            return {only: await prepared[only].make()}, handoff_target
        stopping = calls.ledger.execution.is_stopping  # a stopping run ends all calls, not only the first
        handoffs = [each for each in tool_calls if not stopping and each.name in self.handoffs.targets]
        regular = [each.id for each in tool_calls if each not in handoffs]
        limit = len(regular) if stopping else self.parallel
        replies = dict(zip(regular, await run_parallel([prepared[each].make for each in regular], limit), strict=True))
        for each in handoffs:
            replies[each.id] = await prepared[each.id].make()
            if not handoff_target and replies[each.id].outcome == "ok":
                handoff_target = self.handoffs.follow(chat.ledger, chat.agent_call_id, each, prepared[each.id].id)
        return {each.id: replies[each.id] for each in tool_calls}, handoff_target
