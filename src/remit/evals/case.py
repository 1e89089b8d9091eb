"""Cases: tasks made of recorded runs, whose tools answer from the record.

How the calls of a run must match the recorded ones:

- ``strict``: the same tools with the same arguments, in the same order;
- ``in-order``: the same tools in the same order, whatever their arguments;
- ``by-tool``: each tool as often as recorded, whatever the order and the arguments.

A call without a recorded answer fails the case, as does a recorded answer that no call requested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from remit.agent.agent import Agent
from remit.call.call import Call, CallLayer, CallService
from remit.call.reply import Reply
from remit.chat.wire import plain_message
from remit.engine.conversations import is_unbegun
from remit.errors import SetupError, UnknownToolError
from remit.evals.recording import Answer, RecordedCall, Recording, digest
from remit.evals.task import Matching
from remit.record.arguments import given_arguments
from remit.record.items import (
    GivenMessage,
    Item,
    Message,
    ModelUsage,
    Outcome,
    RunOpened,
)
from remit.views import RunView


@dataclass(frozen=True, eq=False)
class AnswerCalls(CallLayer):
    """Answers the calls of tools from a record, outside all other layers. Calls of agents pass through."""

    calls: Sequence[RecordedCall] = field(repr=False)
    matching: Matching
    _left: list[RecordedCall] = field(init=False, repr=False)
    _problems: list[str] = field(default_factory=list[str], init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_left", list(self.calls))

    def __call__(self, inner: CallService, /) -> CallService:
        """Answer instead of ``inner``."""

        async def answer(call: Call, /) -> Reply:
            if isinstance(call.callee, Agent):
                return await inner(call)
            found = self._take(call.callee.name, call.arguments.raw)
            return Reply.from_journal(found.content, cast("Outcome", found.outcome), is_final=False)

        return answer

    def problems(self) -> list[str]:
        """Why the case has failed so far: unmatched calls, and recorded answers that no call requested."""
        unconsumed = ", ".join(each.tool for each in self._left)
        return [*self._problems, *([f"no call asked for the answers of {unconsumed}"] if unconsumed else [])]

    def _take(self, tool: str, arguments: str) -> RecordedCall:
        candidates = self._left if self.matching == "by-tool" else self._left[:1]
        for each in candidates:
            same = self.matching != "strict" or _same_arguments(each.arguments, arguments)
            if each.tool == tool and same:
                self._left.remove(each)
                return each
        following = f"{self._left[0].tool} {self._left[0].arguments}" if self._left else "no call"
        problem = f"the run calls {tool} {arguments}, but the record continues with {following} ({self.matching})"
        self._problems.append(problem)
        raise UnknownToolError(problem)


class RecordedConversation(NamedTuple):
    """The data of a case: the history that a conversation started from, its prompts, and the recorded answers."""

    messages: list[dict[str, Any]]
    prompts: list[str]
    recording: Recording


def read_conversation(runs: Sequence[Sequence[Item]], date: str) -> RecordedConversation:
    """Read the runs of a conversation, oldest first, without messages that were withdrawn before their run started.

    Raises:
        SetupError: a run is not one of an agent with a prompt, or no model answered.
    """
    runs = [items for items in runs if not is_unbegun(items)]
    prompts = [_prompt(items) for items in runs]
    items = [each for run in runs for each in run]
    messages = [each for each in items if isinstance(each, Message)]
    usage = {each.call: each for each in items if isinstance(each, ModelUsage)}
    answers = [_answer(each, usage.get(each.call)) for each in messages if _has_role(each, "assistant")]
    if not answers:
        raise SetupError("no model answered in this run; add one with answers")
    recording = Recording(
        model=", ".join(dict.fromkeys(each.model for each in usage.values())) or "unknown",
        recorded=date,
        instructions=tuple(dict.fromkeys(digest(each.text) for each in messages if _has_role(each, "system"))),
        answers=tuple(answers),
        calls=tuple(call for run in runs for call in _recorded_calls(run)),
    )
    given = [each for each in items if isinstance(each, GivenMessage)]
    return RecordedConversation([_given_message(each) for each in given], prompts, recording)


def _given_message(item: GivenMessage) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(item.text)
    return plain_message(message) if item.origin else message


def _prompt(items: Sequence[Item]) -> str:
    header = items[0]
    if isinstance(header, RunOpened):
        arguments = cast("dict[str, Any]", json.loads(header.arguments))
        if isinstance(arguments.get("prompt"), str):
            return str(arguments["prompt"])
    raise SetupError(f"run {header.call} is not an agent's answer to a prompt; add one that is")


def _has_role(item: Message, role: str) -> bool:
    return item.text.startswith(f'{{"role":"{role}"')


def _answer(item: Message, usage: ModelUsage | None) -> Answer:
    message = plain_message(json.loads(item.text))
    if usage is None:
        return Answer(message=message)
    return Answer(message=message, finish_reason=usage.finish, tokens=(usage.prompt_tokens, usage.completion_tokens))


def _recorded_calls(items: Sequence[Item]) -> Iterator[RecordedCall]:
    """The calls that the models of a run requested, in order, without calls of agents."""
    view = RunView()
    for item in items:
        view.add(item)
    for call in (each for message in view.messages for each in message.calls):
        if call.output is not None and not call.messages:
            outcome, content = call.output.outcome, call.content
            yield RecordedCall(tool=call.tool, arguments=call.arguments, outcome=outcome, content=content)


def _same_arguments(one: str, other: str) -> bool:
    try:
        return bool(json.loads(given_arguments(one)) == json.loads(given_arguments(other)))
    except ValueError:
        return one == other
