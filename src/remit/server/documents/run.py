"""One run: its calls with sentences, its messages, its questions and its receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Raw

from remit.call.changed import Changed
from remit.call.log import LogLine
from remit.client.reader import RunDetails
from remit.record.items import Author
from remit.schemas.jsontext import compact_json
from remit.server.documents.document import Document, JsonObject
from remit.server.documents.questions import QuestionDocument
from remit.server.documents.runs import FailureDocument, RunFields, row_fields
from remit.server.documents.sentence import SentenceDocument
from remit.server.documents.usage import UsageDocument
from remit.views.parts import CallState, CallView, MessageView, NoteView
from remit.views.receipt import FindContract, Receipt, ReceiptCall
from remit.views.sentences import UndoCall, sentence_of


class NoteDocument(Document):
    """A note that a tool wrote, with its data as JSON."""

    name: str
    data: str
    at: float

    @staticmethod
    def of(note: NoteView) -> NoteDocument:
        """The document of a note. A message of the log is named ``log`` and has its level among its data."""
        line = LogLine.from_note(note.note)
        if line is None:
            return NoteDocument(name=note.note.name, data=note.note.data, at=note.at)
        data = compact_json({**line.fields, "level": line.level, "message": line.message})
        return NoteDocument(name="log", data=data, at=note.at)


class ChangedDocument(Document):
    """An object that a call changed. Empty ``fields`` are all of them."""

    kind: str
    id: str
    name: str
    fields: tuple[str, ...]
    revision: str

    @staticmethod
    def of(changed: Changed) -> ChangedDocument:
        """The document of a change."""
        return ChangedDocument(
            kind=changed.kind, id=changed.id, name=changed.name, fields=changed.fields, revision=changed.revision
        )


class CallDocument(Document):
    """A call and the calls below it. ``call`` is empty until the call is recorded.

    ``by`` is the agent or tool that makes it, empty for the run's own call. ``attempt`` is the number of its attempts,
    and ``content`` the reply to its caller.
    """

    call: str
    parent: str
    tool: str
    sentence: SentenceDocument
    state: CallState
    by: str
    arguments: str
    content: str
    error: str
    asked_at: float
    started_at: float
    ended_at: float
    attempt: int
    rules: tuple[str, ...]
    questions: tuple[str, ...]
    notes: tuple[NoteDocument, ...]
    changed: tuple[ChangedDocument, ...]
    calls: tuple[CallDocument, ...]

    @staticmethod
    def of(call: CallView, find_contract: FindContract, by: str = "") -> CallDocument:
        """The document of a call, which the tool or agent ``by`` makes."""
        error = call.error
        return CallDocument(
            call=call.id,
            parent=call.parent,
            tool=call.tool,
            sentence=SentenceDocument.of(sentence_of(call, find_contract(call.tool))),
            state=call.state,
            by=by,
            arguments=call.arguments,
            content=call.content,
            error="" if error is None else error.message,
            asked_at=call.asked_at or 0.0,
            started_at=call.started_at or 0.0,
            ended_at=call.ended_at or 0.0,
            attempt=len(call.attempts),
            rules=tuple(call.rules),
            questions=tuple(dict.fromkeys(each.question.id for each in call.questions)),
            notes=tuple(map(NoteDocument.of, call.notes)),
            changed=tuple(map(ChangedDocument.of, call.changes)),
            calls=tuple(CallDocument.of(each, find_contract, call.tool) for each in call.calls),
        )


class MessageDocument(Document):
    """A message of an agent; ``agent`` is the id of the agent's call, and ``calls`` are those that it requests."""

    agent: str
    role: str
    by: Author
    text: str
    at: float
    given: bool
    calls: tuple[str, ...]

    @staticmethod
    def of(message: MessageView) -> MessageDocument:
        """The document of a message."""
        return MessageDocument(
            agent=message.agent,
            role=message.role,
            by=message.by,
            text=message.text,
            at=message.at,
            given=message.given,
            calls=tuple(each.id for each in message.calls if each.id),
        )


class UndoDocument(Document):
    """The call that undoes a call: a tool and its arguments."""

    tool: str
    arguments: JsonObject

    @staticmethod
    def of(undo: UndoCall) -> UndoDocument:
        """The document of an undo."""
        return UndoDocument(tool=undo.tool, arguments=Raw(undo.arguments.encode()))


class ReceiptLine(Document):
    """A call on a receipt, with the objects that it changed, and why it failed or was not made.

    ``undo`` is the call that undoes it, if its tool declares one.
    """

    call: str
    tool: str
    sentence: SentenceDocument
    objects: tuple[ChangedDocument, ...]
    described: tuple[str, ...]
    error: str
    undo: UndoDocument | None = None

    @staticmethod
    def of(call: ReceiptCall) -> ReceiptLine:
        """The line of a call."""
        return ReceiptLine(
            call=call.id,
            tool=call.tool,
            sentence=SentenceDocument.of(call.sentence),
            objects=tuple(map(ChangedDocument.of, call.objects)),
            described=call.changed_objects,
            error="" if call.error is None else call.error.message,
            undo=None if call.undo is None else UndoDocument.of(call.undo),
        )


class ReceiptDocument(Document):
    """What a run has changed, according to the journal."""

    changed: tuple[ReceiptLine, ...]
    failed: tuple[ReceiptLine, ...]
    unknown: tuple[ReceiptLine, ...]
    not_made: tuple[ReceiptLine, ...]
    erased: tuple[ReceiptLine, ...]

    @staticmethod
    def of(receipt: Receipt) -> ReceiptDocument:
        """The document of the receipt of a run."""
        parts: Mapping[str, Sequence[ReceiptCall]] = {
            name: getattr(receipt, name) for name in ReceiptDocument.__struct_fields__
        }
        return ReceiptDocument(**{name: tuple(map(ReceiptLine.of, calls)) for name, calls in parts.items()})


class RunDocument(RunFields):
    """A run. ``text`` is the result of an ended run, ``reason`` why it rests, ``retryAt`` when it continues.

    ``continuedAt`` is when it was last continued after its process had ended in the middle of it; 0 for never.
    """

    title: str
    text: str
    error: str
    reason: str
    retry_at: float
    continued_at: float
    root: CallDocument | None
    messages: tuple[MessageDocument, ...]
    questions: tuple[QuestionDocument, ...]
    receipt: ReceiptDocument
    usage: UsageDocument
    failure: FailureDocument | None

    @staticmethod
    def of(details: RunDetails, questions: Sequence[QuestionDocument], find_contract: FindContract) -> RunDocument:
        """The document of a run."""
        view = details.view
        return RunDocument(
            **row_fields(details.row),
            title=view.totals.title,
            text=details.text,
            error=details.error,
            reason=details.reason,
            retry_at=details.retry_at,
            continued_at=view.continued_at,
            root=None if view.root is None else CallDocument.of(view.root, find_contract),
            messages=tuple(map(MessageDocument.of, view.messages)),
            questions=tuple(questions),
            receipt=ReceiptDocument.of(details.receipt),
            usage=UsageDocument.of(details.usage),
            failure=FailureDocument.of(view.first_failure),
        )
