"""Questions about calls, as people decide them."""

from __future__ import annotations

from msgspec import field

from remit.call.contract import Contract
from remit.client.client import Client
from remit.client.reader import QuestionSelection
from remit.journal.question_row import QuestionRow
from remit.record.question import (
    Decision,
    DecisionKind,
    PlannedCall,
    Question,
    QuestionKind,
    QuestionStatus,
    RepeatKind,
    RepeatReason,
    ShownObject,
)
from remit.server.documents.document import Asked, ChangeDocument, Document, JsonObject, PageSize, Problem, no_json
from remit.server.documents.sentence import SentenceDocument
from remit.views.sentences import sentence_of_arguments, sentence_of_question


class PlannedCallDocument(Document):
    """A call that is approved together with the call of a question."""

    call: str
    tool: str
    sentence: SentenceDocument
    summary: str
    rows: tuple[ChangeDocument, ...]
    arguments: str

    @staticmethod
    def of(planned: PlannedCall, contract: Contract | None) -> PlannedCallDocument:
        """The document of a planned call of the tool with a contract."""
        return PlannedCallDocument(
            call=planned.call,
            tool=planned.tool,
            sentence=SentenceDocument.of(sentence_of_arguments(planned.tool, contract, planned.arguments)),
            summary=planned.preview.summary,
            rows=ChangeDocument.of(planned.preview.changes),
            arguments=planned.arguments,
        )


class DecisionDocument(Document):
    """A decision on a question. ``arguments`` are edited ones, and ``grant`` the grant that answered."""

    approved: bool
    by: str
    kind: DecisionKind
    at: float
    reason: str
    arguments: str
    grant: str

    @staticmethod
    def of(decision: Decision) -> DecisionDocument:
        """The document of a decision."""
        return DecisionDocument(
            approved=decision.approved,
            by=decision.by,
            kind=decision.kind,
            at=decision.at,
            reason=decision.reason,
            arguments=decision.arguments,
            grant=decision.grant,
        )


class RepeatReasonDocument(Document):
    """Why the same call is asked about again. ``reason`` completes the sentence "asked again, because"."""

    kind: RepeatKind
    reason: str

    @staticmethod
    def of(again: RepeatReason | None) -> RepeatReasonDocument | None:
        """The document of the reason, if there is one."""
        return None if again is None else RepeatReasonDocument(kind=again.kind, reason=again.reason)


class MayDecide(Document):
    """The decisions that the reader can make on a question now. ``kind`` is the kind of such a decision."""

    approve: bool
    deny: bool
    edit: bool
    kind: DecisionKind

    @staticmethod
    def of(question: Question, *, is_open: bool, client: Client) -> MayDecide:
        """The decisions that the principal of a client can make."""
        kind = client.decision_kind(question)
        approve = is_open and client.may_decide(question, approved=True)
        return MayDecide(
            approve=approve,
            deny=is_open and client.may_decide(question, approved=False),
            edit=approve and kind == "approve" and question.kind == "approval" and not question.is_about_run,
            kind=kind,
        )


class ShownObjectDocument(Document):
    """An object that a view of the application shows, and that `/api/views/{kind}/{id}` opens."""

    kind: str
    id: str

    @staticmethod
    def of(shown: ShownObject | None) -> ShownObjectDocument | None:
        """The document of an object, if there is one."""
        return None if shown is None else ShownObjectDocument(kind=shown.kind, id=shown.id)


class QuestionDocument(Document):
    """A question about one call, and what the reader may do with it.

    ``about``: whether to make a call, or whether an interrupted call happened. ``sentence`` and ``consequence`` say
    what would happen and what follows, as the person was asked. ``needs`` is the kind of decision that the call
    requires, ``why`` the reason that the policy gives, ``again`` why an earlier answer does not count, and
    ``permissions`` what a decision needs; ``fourEyes``: another person must decide. ``link`` and ``shows`` show the
    effect: an address for everybody who has it, and an object. ``quote`` is the message that led to the call, and
    ``news`` are the arguments that differ from the asker's last approved call of this kind. ``arguments`` are the exact
    ones, as canonical JSON, and ``digest`` is that of the call.
    """

    id: str
    status: QuestionStatus
    about: QuestionKind
    needs: DecisionKind
    sentence: SentenceDocument
    consequence: str
    summary: str
    why: str
    rule: str
    risk: str
    quote: str
    rows: tuple[ChangeDocument, ...]
    news: tuple[ChangeDocument, ...]
    link: str
    shows: ShownObjectDocument | None
    tool: str
    arguments: str
    at_default: tuple[str, ...]
    digest: str
    plan: tuple[PlannedCallDocument, ...]
    asker: str
    agent: str
    run: str
    call: str
    conversation: str
    target: str
    asked: float
    expires: float
    permissions: tuple[str, ...]
    four_eyes: bool
    waits: bool
    edits: str
    replaces: str
    may: MayDecide
    decision: DecisionDocument | None = None
    again: RepeatReasonDocument | None = None

    @staticmethod
    def of(row: QuestionRow, client: Client) -> QuestionDocument:
        """The document of a question for the principal of a client."""
        question = row.question
        return QuestionDocument(
            id=question.id,
            status=row.status,
            about=question.kind,
            needs=question.needs,
            sentence=SentenceDocument.of(sentence_of_question(question, client.contract(question.tool))),
            consequence=question.consequence,
            summary=question.shown,
            why=question.reason,
            rule=question.rule,
            risk=question.risk,
            quote=question.message,
            rows=ChangeDocument.of(question.changes),
            news=ChangeDocument.of(question.news),
            link=question.link,
            shows=ShownObjectDocument.of(question.shows),
            tool=question.tool,
            arguments=question.arguments,
            at_default=question.at_default,
            digest=question.match,
            plan=tuple(PlannedCallDocument.of(each, client.contract(each.tool)) for each in question.plan),
            asker=question.asker,
            agent=question.agent,
            run=question.run,
            call=question.call,
            conversation=question.conversation,
            target=question.target,
            asked=question.asked,
            expires=question.expires,
            permissions=(question.who, *question.further_permissions),
            four_eyes=question.four_eyes,
            waits=question.waits,
            edits=question.edits,
            replaces=question.replaces,
            may=MayDecide.of(question, is_open=row.status == "open", client=client),
            decision=None if row.decision is None else DecisionDocument.of(row.decision),
            again=RepeatReasonDocument.of(question.again),
        )


class QuestionsQuery(Asked):
    """Which questions to list, oldest first; ``settled`` ones newest first."""

    status: QuestionSelection = "open"
    run: str = ""
    conversation: str = ""
    after: str = ""
    limit: PageSize = 50


class NewDecision(Asked):
    """A decision. Only ``true`` approves.

    ``arguments`` replace those of the call. ``result`` is that of a call of which a person says that it has happened.
    ``kind`` is by default the one of `MayDecide`.
    """

    approved: bool
    kind: DecisionKind | None = None
    reason: str = ""
    arguments: JsonObject = field(default_factory=no_json)
    result: str = ""


class DecidedDocument(Document):
    """The question after the decision, and the run that goes on: its own, or one that the decision opened."""

    question: QuestionDocument
    run: str


class SettledProblem(Problem):
    """Why a decision came too late, and the question as it is."""

    question: QuestionDocument
