"""Maps the events of a run to AG-UI events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, cast

from remit.call.changed import Changed
from remit.call.log import LogLine
from remit.client.following import DeltaEvent, DropEvent, ItemEvent, StreamEvent
from remit.record.items import (
    CallItem,
    DecisionItem,
    Item,
    Message,
    Note,
    Position,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunStalled,
    ToolOutput,
)
from remit.server.agui.answers import ToldAnswer, tool_call_id
from remit.server.agui.events import (
    CallValue,
    ChangedValue,
    Custom,
    Event,
    LogValue,
    MessagesSnapshot,
    NoteValue,
    RestValue,
    SnapshotMessage,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallResult,
)
from remit.server.agui.messages import assistant_message, message_id_of, reasoning_events
from remit.server.agui.place import StreamPlace
from remit.server.documents.questions import QuestionDocument
from remit.server.documents.run import ReceiptDocument
from remit.server.documents.sentence import SentenceDocument
from remit.views.parts import CallView, QuestionView
from remit.views.receipt import FindContract
from remit.views.run_view import RunView
from remit.views.sentences import sentence_of

DescribeQuestion = Callable[[QuestionView], QuestionDocument]


class PlacedEvent(NamedTuple):
    """An event, and the place after it."""

    place: StreamPlace
    event: Event


class RunMapper:
    """Maps the events of one run, for one reader.

    The messages and calls of the run's own agent are those of AG-UI. Those of agents that it calls are told as calls.

    Args:
        run: the run.
        find_contract: finds tools by name, for sentences.
        describe: the document of a question.
        tells_prompt: whether the person's message is told; a client that has just sent it knows it.
    """

    def __init__(
        self, run: str, find_contract: FindContract, describe: DescribeQuestion, *, tells_prompt: bool
    ) -> None:
        self.view = RunView()
        self._run, self._find_contract, self._describe = run, find_contract, describe
        self._tells_prompt = tells_prompt
        self._answers = dict[str, ToldAnswer]()
        self._messages = list[SnapshotMessage]()
        self._wires = dict[tuple[str, str], str]()
        self._tool_calls = dict[str, str]()
        self._states = dict[str, tuple[str, int]]()
        self._place = StreamPlace(run)

    @property
    def place(self) -> StreamPlace:
        """The place of the reader."""
        return self._place

    def tool_call_of(self, call: str) -> str | None:
        """The id under which the model's call ``call`` was told; None if it was not."""
        return self._tool_calls.get(call)

    def restore(self, positions: Iterable[Position], place: StreamPlace) -> None:
        """Begin at a place, which the items up to it precede."""
        for position in positions:
            for _ in self._map_item(position):
                pass
        self._answers = {each.request: each.copy() for each in place.told}
        self._place = place

    def map(self, event: StreamEvent, further: Iterable[Event] = ()) -> Iterator[PlacedEvent]:
        """The events of an event of the run, and ``further`` ones, without those that the reader was told before."""
        if isinstance(event, ItemEvent):
            made = list(self._map_item(event.position))
            if event.receipt is not None:
                receipt = ReceiptDocument.of(event.receipt)
                made.append(Custom(name="remit.receipt", value=receipt))
            yield from self._number(event.after, [*made, *further])
            return
        made = self._map_piece(event) if isinstance(event, DeltaEvent) else self._map_drop(event)
        before = None
        for each in made:  # a piece is told in at most two events: that it begins, and its text
            if before is not None:
                yield before
            self._place = StreamPlace(self._run, self._place.after, 0, self._copy_answers())
            before = PlacedEvent(self._place, each)
        self._place = StreamPlace(self._run, event.after, 0, self._copy_answers())
        if before is not None:
            yield PlacedEvent(self._place, before.event)

    def _number(self, after: str, events: list[Event]) -> Iterator[PlacedEvent]:
        """The events of an item, each with its place. A place within them counts those that were told."""
        start = self._place
        end = StreamPlace(self._run, after, 0, self._copy_answers())
        for count, event in enumerate(events, 1):
            if count > start.skip:
                self._place = end if count == len(events) else start._replace(skip=count)
                yield PlacedEvent(self._place, event)
        self._place = end

    def _copy_answers(self) -> tuple[ToldAnswer, ...]:
        return tuple(each.copy() for each in self._answers.values())

    def _is_own(self, call: str) -> bool:
        """Whether a call id, or the id of a request or agent made from one, is of the run's own agent."""
        return self.view.root is not None and call.partition(":")[0] == self.view.root.id

    def _map_piece(self, piece: DeltaEvent) -> Iterator[Event]:
        self.view.write(piece.call, piece.text, piece.kind, piece.index, piece.name)
        if self._is_own(piece.call):
            answer = self._answers.setdefault(piece.call, ToldAnswer(piece.call))
            yield from answer.tell_piece(piece)

    def _map_drop(self, event: DropEvent) -> Iterator[Event]:
        self.view.drop(event.call)
        answer = self._answers.get(event.call)
        if answer is not None:
            yield from answer.withdraw()
            del self._answers[event.call]
            yield MessagesSnapshot(messages=tuple(self._messages))

    def _map_item(self, position: Position) -> Iterator[Event]:
        item, at = position.item, position.at
        writing = self.view.writing.get(item.call) if isinstance(item, Message) else None
        self.view.add(item, at)
        for event in self._events_of(item, at, "" if writing is None else writing.text):
            event.timestamp = int(at * 1000)
            yield event

    def _events_of(self, item: Item, at: float, written: str) -> Iterator[Event]:
        match item:
            case Message():
                if self._is_own(item.agent):
                    yield from self._tell_message(item, written)
            case Note():
                yield _note_event(item, at)
            case QuestionItem():
                self._find_tool_call(item)
                yield from self._tell_call(self.view.call_of(item))
                yield self._question_event(item.question)
            case DecisionItem():
                yield self._question_event(item.question)
            case RunStalled():
                yield Custom(name="remit.rest", value=RestValue(reason=item.reason, retry_at=item.retry_at))
            case RunFinished():
                for call in list(self.view.calls.values()):
                    yield from self._tell_call(call)
            case _:
                if isinstance(item, CallItem):
                    yield from self._tell_output(item)
                yield from self._tell_call(self.view.root if isinstance(item, RunOpened) else self.view.call_of(item))

    def _tell_message(self, item: Message, written: str) -> Iterator[Event]:
        message = self.view.messages[-1]
        if message.role == "user" and item.by == "person":
            prompt = message_id_of(self._run, self.view.header)
            self._messages.append(SnapshotMessage(id=prompt, role="user", content=message.text))
            if self._tells_prompt:
                yield TextMessageStart(message_id=prompt, role="user")
                if message.text:
                    yield TextMessageContent(message_id=prompt, delta=message.text)
                yield TextMessageEnd(message_id=prompt)
        elif message.role == "assistant":
            for index, call in enumerate(message.calls):
                self._wires[item.agent, call.wire] = tool_call_id(item.call, index)
            answer = self._answers.pop(item.call, None) or ToldAnswer(item.call)
            yield from answer.tell_rest(message.text, [(each.tool, each.arguments) for each in message.calls])
            yield from reasoning_events(item)
            self._messages.append(assistant_message(item.call, message))
            if written not in message.text:
                yield MessagesSnapshot(messages=tuple(self._messages))

    def _find_tool_call(self, item: CallItem) -> str:
        """The id under which the model's call of an item was told; empty if it was not."""
        shown = self._wires.get((item.parent, item.wire), "") if item.wire else ""
        if shown:
            self._tool_calls[item.call] = shown
        return shown

    def _tell_output(self, item: CallItem) -> Iterator[Event]:
        """Tell the reply to a call of the model."""
        shown = self._find_tool_call(item)
        if shown and isinstance(item, ToolOutput):
            content = self.view.calls[item.call].content
            message = SnapshotMessage(id=f"{shown}/result", role="tool", content=content, tool_call_id=shown)
            self._messages.append(message)
            yield ToolCallResult(message_id=message.id, tool_call_id=shown, content=content)

    def _tell_call(self, call: CallView | None) -> Iterator[Event]:
        """Tell the state of a call, if it has changed."""
        if call is None or not call.id or not call.tool:
            return
        state = (call.state, len(call.attempts))
        if self._states.get(call.id) == state:
            return
        self._states[call.id] = state
        parent = self.view.calls.get(call.parent)
        value = CallValue(
            tool_call_id=self._tool_calls.get(call.id, ""),
            call=call.id,
            parent=call.parent,
            tool=call.tool,
            sentence=SentenceDocument.of(sentence_of(call, self._find_contract(call.tool))),
            state=call.state,
            started_at=call.started_at or 0.0,
            ended_at=call.ended_at or 0.0,
            attempt=len(call.attempts),
            by=parent.tool if parent is not None else "",
        )
        yield Custom(name="remit.call", value=value)

    def _question_event(self, question: str) -> Event:
        return Custom(name="remit.question", value=self._describe(self.view.questions[question]))


def _note_event(item: Note, at: float) -> Event:
    changed = Changed.from_item(item)
    if changed is not None:
        value = ChangedValue(
            call=item.call,
            kind=changed.kind,
            id=changed.id,
            name=changed.name,
            fields=changed.fields,
            revision=changed.revision,
        )
        return Custom(name="remit.changed", value=value)
    line = LogLine.from_note(item)
    if line is not None:
        return Custom(name="remit.log", value=LogValue(call=item.call, level=line.level, text=line.message, at=at))
    data = _read_json(item.data)
    return Custom(name="remit.note", value=NoteValue(call=item.call, name=item.name, data=data))


def _read_json(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return text
