"""Questions about calls, and the decisions on them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final, Literal, TypeVar

from pydantic import TypeAdapter
from pydantic_core import CoreConfig, SchemaValidator

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.core.names import as_normalized
from remit.errors import SetupError
from remit.record.principal import Principal
from remit.record.sentence import NO_SENTENCE, Sentence

T = TypeVar("T")

QuestionKind = Literal["approval", "outcome"]
DecisionKind = Literal["confirm", "approve"]
"""*Confirm*: by the acting user, possibly in conversation. *Approve*: by a signed-in principal with the permission."""

QuestionStatus = Literal["open", "approved", "denied", "taken", "expired", "closed", "cancelled", "erased"]
"""*Expired*: the deadline passed. *Closed*: the call's end was recorded later. *Cancelled*: the run was cancelled."""


RepeatKind = Literal["state", "arguments", "risk", "definition", "policy", "used", "authority", "did_not_happen"]
"""What has changed since an earlier question about the same call.

*State*: what the question shows. *Used*: another call has used the approval. *Authority*: the author of the answer is
gone or has lost the permission. *Did not happen*: the approved call was started and did not happen.
"""


@check_arguments()
@dataclass(frozen=True, slots=True)
class RepeatReason:
    """Why the same call is asked about again. ``reason`` completes the sentence "asked again, because"."""

    kind: RepeatKind
    reason: str


@check_arguments()
@dataclass(frozen=True, slots=True)
class Change:
    """A single change that a call would make: its location, and the value before and after."""

    where: str
    before: str
    after: str


@check_arguments()
@dataclass(frozen=True, slots=True)
class ShownObject:
    """An object that a view of the application shows: its kind, and the id by which the view opens it."""

    kind: Name
    id: Name


@check_arguments()
@dataclass(frozen=True, slots=True)
class Preview:
    """Describes the effect of a call to the person who decides.

    Args:
        summary: a few lines that name the object.
        changes: the changes that the call would make, the weightiest first: all of them, with whole texts. The question
            shows of long texts what changes, and a preview that nobody can read at once is refused.
        link: an address at which the approver can look at the effect. It needs no session, so let it expire.
        state: identifies the state that the preview describes, such as a revision. The approval is void if a new
            preview, taken just before the call runs or within its write, has a different state.
        names: pairs of an argument that holds an id, and the name of its object, which the question's sentence shows.
        shows: the object by which a view of the application shows the effect, such as the pages before and after.
    """

    summary: str
    changes: tuple[Change, ...] = ()
    link: str = ""
    state: str = ""
    names: tuple[tuple[str, str], ...] = ()
    shows: ShownObject | None = None


NO_PREVIEW: Final = Preview("")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call that the call in question will make, and that the answer also approves.

    ``call`` is its id. ``match`` is the digest that it must have when it is made, and ``rule`` the rule that would ask
    about it.
    """

    call: str
    match: str
    tool: str
    arguments: str
    rule: str
    reason: str
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request to decide about one call, bound to everything that the decision depends on.

    Args:
        id: digest of everything that the question is bound to.
        match: digest of the properties that another call must share to use the same approval: all of the call, or only
            its conversation if the tool has a confirmation flag.
        kind: approval, or the outcome of a call that was found started without an end.
        call: the id of the call.
        agent: the agent that made the call; empty if a person did.
        arguments: the canonical arguments, which run unchanged if approved.
        definition: digest of the tool's definition.
        rule: the policy rule that requires the approval.
        reason: the reason that the rule gives.
        who: the permission needed to decide.
        asked: seconds since the epoch.
        expires: seconds since the epoch; without a decision by then, the call is denied.
        waits: whether the run waits for the decision.
        four_eyes: whether the approver must be neither the person who started the run nor the last editor of the call.
        shown: the summary of the tool's preview of the call, at the time of the question.
        edits: the question whose decision edited the arguments; this question is about the edited arguments.
        editor: who edited them.
        layer: how many `Approve` layers are outside the one that asks.
        replaces: the question that this one replaces, because its subject has changed.
        changes: the changes in the preview.
        link: the link in the preview.
        state: a digest of the state that the preview describes; the approval is void if the state differs.
        message: the user's message that led to the call, shortened.
        news: the arguments that differ from the principal's last approved call with this tool, rule and target, in any
            run of the application.
        further_permissions: further permissions needed to decide, if several rules required approval of one call.
        needs: the kind of decision that the call requires. An approval also counts as a confirmation.
        plan: the planned calls of the call, which are approved with it.
        within: the caller's question whose answer also approved this call, without another question to a person.
        target: the target of the run, for which the decider needs the permission.
        at_default: the arguments that are at their defaults.
        sentence: what the call would do, as the person was asked.
        consequence: what follows from it, such as whether it can be undone.
        shows: the object in the preview by which a view of the application shows the effect.
        again: why an earlier answer to the same call does not count; None for the first question about it.
    """

    id: str
    match: str
    kind: QuestionKind
    tenant: str
    conversation: str
    run: str
    call: str
    agent: str
    asker: str
    tool: str
    arguments: str
    definition: str
    risk: str
    rule: str
    reason: str
    who: str
    asked: float
    expires: float
    waits: bool = True
    four_eyes: bool = False
    shown: str = ""
    edits: str = ""
    editor: str = ""
    layer: int = 0
    replaces: str = ""
    changes: tuple[Change, ...] = ()
    link: str = ""
    state: str = ""
    message: str = ""
    news: tuple[Change, ...] = ()
    needs: DecisionKind = "approve"
    plan: tuple[PlannedCall, ...] = ()
    within: str = ""
    further_permissions: tuple[str, ...] = ()
    target: str = ""
    at_default: tuple[str, ...] = ()
    sentence: Sentence = NO_SENTENCE
    consequence: str = ""
    shows: ShownObject | None = None
    again: RepeatReason | None = None

    @property
    def why(self) -> str:
        """In one line, the reason, and why the same call is asked about again."""
        return self.reason if self.again is None else f"{self.reason}; asked again, because {self.again.reason}"

    @property
    def is_about_run(self) -> bool:
        """Whether it asks if the run may keep asking. ``tool`` and ``arguments`` then describe the next call."""
        return self.call == self.run

    def missing_permission(self, by: Principal) -> str:
        """The first permission to decide that ``by`` lacks for the target; empty if ``by`` has all."""
        decider = by.at(self.target)
        return next((each for each in (self.who, *self.further_permissions) if not decider.may(each)), "")

    def accepts(self, decision: Decision) -> bool:
        """Whether a decision of this kind permits the call."""
        return decision.kind == "approve" or (self.needs == "confirm" and decision.by == self.asker)

    @property
    def requesters(self) -> tuple[str, ...]:
        """Everyone who requested the call: the principal of the run, and the editor if there is one."""
        return (self.asker, self.editor) if self.editor else (self.asker,)

    def to_json(self) -> str:
        """Serialise the question for the journal, without empty fields that few questions have."""
        rare = ("target", "at_default", "sentence", "consequence", "shows", "again")
        empty = {name for name in rare if not getattr(self, name)}
        return _type_adapter(Question).dump_json(self, exclude=empty).decode()

    @staticmethod
    def from_json(text: str) -> Question:
        """Load a question from the text of `to_json`."""
        return _json_validator(Question).validate_json(text, strict=True)


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An approver's decision. ``approved`` must be True or False, not a truthy value.

    For a question about an outcome, approved means that the call happened, and ``result`` is its content. ``arguments``
    are the edited canonical arguments, empty if unedited. ``grant`` is the grant that answered the question; then
    ``by`` is its grantor. ``kind`` says whether ``by`` confirmed their own call or approved it as a signed-in
    principal. A confirmation cannot edit the call. ``request_key`` is a digest of the idempotency key of the request,
    if it had one.
    """

    question: str
    approved: bool
    by: Name
    result: str = ""
    reason: str = ""
    at: float = 0.0
    arguments: str = ""
    grant: str = ""
    kind: DecisionKind = "approve"
    request_key: str = ""

    def __post_init__(self) -> None:
        if self.kind == "confirm" and self.arguments:
            raise SetupError("Decision: a confirmation takes no arguments: it approves the call as shown")
        object.__setattr__(self, "by", as_normalized("Decision: by", self.by))

    def to_json(self) -> str:
        """Serialise the decision for the inbox and the journal, without an empty key."""
        empty = set[str]() if self.request_key else {"request_key"}
        return _type_adapter(Decision).dump_json(self, exclude=empty).decode()

    @staticmethod
    def from_json(text: str) -> Decision:
        """Load a decision from the text of `to_json`."""
        return _json_validator(Decision).validate_json(text, strict=True)


@cache
def _type_adapter(kind: type[T]) -> TypeAdapter[T]:
    """Build the adapter on first use: most processes ask no questions."""
    return TypeAdapter(kind)


@cache
def _json_validator(kind: type[Any]) -> SchemaValidator:
    """Build a validator without pydantic's cache of 16,000 strings: these strings are read once."""
    return SchemaValidator(_type_adapter(kind).core_schema, CoreConfig(cache_strings="keys"))


def as_dict(value: Question | Decision) -> dict[str, object]:
    """The fields by name, for screens and ``--json``."""
    return asdict(value)
