"""The turns of one task of an agent: notices calls that only repeat earlier ones, and asks the stop policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from msgspec import Struct

from remit.agent.carried_call import repeats_carried_call
from remit.agent.compaction import compaction_id
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentTools
from remit.agent.stop import StopPolicy, Turn, TurnCall
from remit.approvals.from_journal import read_questions
from remit.call.callee import Frame
from remit.call.facts import Effect, Facts, lacks_flag
from remit.call.reply import Reply
from remit.call.step import PreparedCall
from remit.errors import (
    BudgetError,
    CallError,
    InternalError,
    InvalidArgumentsError,
    InvalidOutputError,
    RepeatedCallError,
)
from remit.record.current_run import CURRENT_RUN
from remit.record.items import HistoryCompacted, Note, TurnEnded
from remit.record.ledger import Ledger
from remit.shown import show_value

REMEMBERED_CALLS: Final = 16
"""How many different calls an agent remembers."""

_TOO_MANY: Final = (
    "this call was not made, and those after it were dropped: one answer has at most {:,} calls. Make in your "
    "next answer the ones that you still need"
)

_REPEATED: Final = (
    "do not make this call again: you made it before, and nothing has changed since. Tell the user the result in one "
    "sentence, unless another call is needed"
)

_ANNOUNCED_BEFORE: Final = (
    "do not make this call again: the user is asked whether it may be made, and nothing is done before that. Tell the "
    "user in one sentence what it would do, unless another call is needed"
)

_WAITS: Final = "This waits for your answer. Nothing is done before that."
"""The answer of an agent whose model only repeats calls that it has announced."""


class _MadeCall(Struct):
    """A call of the present turn, and its reply once it has ended."""

    name: str
    arguments: str
    facts: Facts | None
    id: str
    is_refused: bool = False
    reply: Reply | None = None


class _SeenCall(NamedTuple):
    """The last reply to a call, its turn, and whether the same call is refused from now on.

    ``is_done``: it would change something again, was denied, or was announced. ``is_same``: its last two replies were
    the same. ``is_announced``: it only announced a call, about which a person is asked. ``error``: why it failed.
    """

    content: str
    turn: int
    is_done: bool
    is_same: bool
    is_announced: bool
    error: str


class AgentTurns:
    """The calls of one task of an agent, as both drivers make them, and the ends of its turns.

    A call is refused if it repeats an earlier one and nothing has changed since: if it was denied, if it announced a
    call about which a person is asked, if it changed something and succeeded, if it was one of an agent whose model was
    asked again in vain, or if its last two replies are the same. A tool that is declared as repeatable is called again,
    unless it refuses the arguments. The state is a fold over the replies, so a resumed or replayed run refuses the same
    calls.
    """

    def __init__(self, definition: AgentDefinition, tools: AgentTools, frame: Frame) -> None:
        self._definition = definition
        self._tools = tools
        self._frame = frame
        self._first_turn = self._turn = 0
        self._started_at = frame.ledger.now() if definition.stop is not None else 0.0
        self._turn_calls: list[_MadeCall] = []
        self._seen: dict[tuple[str, str], _SeenCall] = {}
        self._repeated_turns = 0

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        return self._frame.ledger

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        """Prepare a call of the model. One that only repeats an earlier call is answered with a notice.

        A call beyond the limit of its answer is answered with a notice too.
        """
        limit = CURRENT_RUN.get().limits.answer_calls
        prepared = self._frame.prepare(name, arguments, wire_id)
        if len(self._turn_calls) >= limit:
            return PreparedCall(prepared.id, lambda _=None, /: prepared.make(BudgetError(_TOO_MANY.format(limit))))
        made = _MadeCall(name, prepared.arguments, self._tools.facts.get(name), prepared.id)
        self._turn_calls.append(made)
        seen = self._seen.get((name, made.arguments))
        if seen is not None and (seen.is_done or (seen.is_same and not self._was_compacted_since(seen.turn))):
            made.is_refused = True
        elif made.facts is not None and made.facts.confirm is not None and lacks_flag(made.facts, made.arguments):
            made.is_refused = repeats_carried_call(self._frame, name, made.arguments, made.facts.confirm)
        notice = _ANNOUNCED_BEFORE if seen is not None and seen.is_announced else _REPEATED

        async def make(refusal: CallError | None = None, /) -> Reply:
            made.reply = await prepared.make(RepeatedCallError(notice) if made.is_refused else refusal)
            return made.reply

        return PreparedCall(prepared.id, make, prepared.arguments)

    def end_turn(self, number: int, text: str) -> Reply | None:
        """End turn ``number``, whose answer has ``text``. Returns the result if the agent is done.

        Raises:
            RepeatedCallError: the model only repeats its calls.
            InvalidOutputError: the agent stopped without a result, or with a text that is not of the result's type.
        """
        calls, self._turn_calls = self._turn_calls, []
        self._first_turn = self._first_turn or number
        self._turn = number
        definition = self._definition
        if calls and definition.limits.repeats is not None and self._note_replies(calls, definition.limits.repeats):
            return Reply.from_value(text or _WAITS)
        policy = definition.stop
        if policy is None:
            return Reply.from_value(text) if not calls and definition.returns_text else None
        if not self._is_stopped(policy, number, text, calls):
            return None
        if not definition.returns_text:
            raise InvalidOutputError(f"agent {definition.name} was stopped by {policy!r} before it gave a result")
        contents = [each.reply.content for each in calls if each.reply is not None and each.reply.outcome == "ok"]
        if not text and not contents:
            raise InvalidOutputError(
                f"agent {definition.name} was stopped by {policy!r} before it gave an answer: its calls have failed"
            )
        return Reply.from_value(text or contents[-1])

    def _note_replies(self, calls: Sequence[_MadeCall], limit: int) -> bool:
        """Remember the replies of a turn, and count the turns in a row whose calls are all refused as repeated.

        Returns whether the agent is done, because its model only repeats calls about which a person is asked.

        A call of an agent that ended for repeats or invalid results counts too: this agent then has one more such turn
        to try something else, or none if that agent already had such a turn for an agent below it.
        """
        has_new = has_ended_below = False
        for made in calls:
            if made.reply is None or made.is_refused:
                continue
            ended_below = made.reply.error is not None and self._has_ended_below(made.name, made.reply.error)
            has_ended_below = has_ended_below or ended_below
            has_new = has_new or not ended_below
            self._remember(made, made.reply, ended_below=ended_below)
        counted = self._repeated_turns + 1
        if has_ended_below:
            counted = max(counted, limit if any(self._has_tried_again(made.id) for made in calls) else limit - 1)
        self._repeated_turns = 0 if has_new else counted
        if self._repeated_turns < limit:
            return False
        seen = [self._seen.get((each.name, each.arguments)) for each in calls]
        if self._definition.returns_text and all(each is not None and each.is_announced for each in seen):
            return True
        if has_ended_below:
            self._record_below()
        cause = "" if seen[-1] is None else seen[-1].error
        raise self._definition.limits.repeats_error(self._definition.name, calls[-1].name, cause)

    def _has_ended_below(self, name: str, error: CallError) -> bool:
        """Whether an error comes from an agent that made no progress, or from an agent below it.

        It only repeated its calls, or returned no valid result.
        """
        return isinstance(error, RepeatedCallError) or (
            isinstance(error, InvalidOutputError) and name in self._tools.agents
        )

    def _has_tried_again(self, call: str) -> bool:
        """Whether the agent of a call was ended because of an agent below it."""
        return any(isinstance(item, Note) and item.name == _BELOW for item in self._frame.ledger.items_for(call))

    def _record_below(self) -> None:
        """Record, for the agents above, that this agent ends because of an agent below it."""
        ledger, call = self._frame.ledger, self._frame.id
        if ledger.execution.is_replaying or not self._has_tried_again(call):
            ledger.add(Note(call=call, name=_BELOW, data=""))

    def _remember(self, made: _MadeCall, reply: Reply, *, ended_below: bool) -> None:
        """Remember a reply. ``ended_below``: see `_has_ended_below`."""
        key, facts = (made.name, made.arguments), made.facts
        last = self._seen.pop(key, None)
        is_same = last is not None and last.content == reply.content
        has_no_flag = facts is not None and lacks_flag(facts, made.arguments)
        effect = Effect.PURE if facts is None or has_no_flag else facts.effect
        is_announced = has_no_flag and reply.outcome == "ok" and self._is_asked_about(made.id)
        has_changed = reply.outcome == "ok" and effect is not Effect.PURE
        if has_changed and not is_same:
            self._seen.clear()  # what was read before may be different now
        is_refused = isinstance(reply.error, InvalidArgumentsError)
        if facts is None or not facts.repeatable or is_refused:
            is_done = ended_below or is_announced or reply.outcome == "denied" or (has_changed and effect in _NOT_AGAIN)
            error = "" if ended_below or reply.error is None else reply.error.message
            self._seen[key] = _SeenCall(reply.content, self._turn, is_done, is_same, is_announced, error)
        if len(self._seen) > REMEMBERED_CALLS:
            del self._seen[next(iter(self._seen))]

    def _is_asked_about(self, call: str) -> bool:
        """Whether a person is asked about what a call has announced.

        A note says so to replays, which open no question.
        """
        ledger, note = self._frame.ledger, Note(call=self._frame.id, name=_ASKED, data=call)
        is_noted = note in ledger.items_for(note.call)
        if is_noted and not ledger.execution.is_replaying:
            return True
        asked = read_questions(ledger.recorded_items())
        is_asked = is_noted or any(each.question.call == call and not each.question.waits for each in asked)
        if is_asked:
            ledger.add(note)
        return is_asked

    def _was_compacted_since(self, turn: int) -> bool:
        """Whether the model may have lost a reply: the history was compacted for a request after that turn."""
        items = self._frame.ledger.items_for(compaction_id(self._frame.id))
        shortened = (item for item in items if isinstance(item, HistoryCompacted) and (item.notes or item.head))
        return any(turn < item.turn <= self._turn + 1 for item in shortened)

    def _is_stopped(self, policy: StopPolicy, number: int, text: str, calls: Sequence[_MadeCall]) -> bool:
        """Ask the policy once, with the recorded values. A resumed run follows the recorded answer."""
        ledger, agent = self._frame.ledger, self._frame.id
        call = f"{agent}:{number}"
        recorded = next((item for item in ledger.items_for(call) if isinstance(item, TurnEnded)), None)
        if recorded is not None and not ledger.execution.is_replaying:
            return recorded.stopped
        measured = recorded or self._measure(call)
        turn = Turn(
            number=number - self._first_turn + 1,
            text=text,
            calls=tuple(TurnCall(each.name, each.reply.outcome) for each in calls if each.reply is not None),
            tokens=measured.tokens,
            cost=measured.cost,
            seconds=measured.seconds,
        )
        stopped = cast("object", policy.is_met(turn))
        if not isinstance(stopped, bool):
            raise InternalError(f"the stop policy {policy!r} returned {show_value(stopped)}; return True or False")
        ledger.add(TurnEnded(call=call, tokens=turn.tokens, cost=turn.cost, seconds=turn.seconds, stopped=stopped))
        return stopped

    def _measure(self, call: str) -> TurnEnded:
        """The usage of the agent so far."""
        ledger, agent = self._frame.ledger, self._frame.id
        used = ledger.meter.totals(agent)
        seconds = ledger.meter.seconds_before(agent) + max(0.0, ledger.now() - self._started_at)
        return TurnEnded(call=call, tokens=used.tokens, cost=used.cost, seconds=seconds)


_ASKED: Final = "a person is asked about the call that this one announced"
_BELOW: Final = "ended for the repeats of an agent below"
_NOT_AGAIN: Final = (Effect.UNSAFE, Effect.KEYED)
"""Effects of calls that would change something a second time."""
