"""The items of a journal. The state of a run is a fold over them.

Every item is stored under a ``call``: the id of the call or model request that it belongs to.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, Literal, cast

from msgspec import Struct

from remit.record.item import CallItem, Item
from remit.record.model_items import HistoryCompacted, ModelExchange, ModelFailure, ModelUsage, TurnEnded

Outcome = Literal["ok", "error", "denied"]

Author = Literal["model", "person", "caller", "instructions", "run_instructions", "memory", "found_tools", "loop"]
"""The author of a message: ``caller`` is the call that the agent answers, and ``loop`` is Remit itself."""

DETACHED: Final = "-"
"""The ``after`` of a direct call: no run of a conversation precedes or follows it."""

OPEN_RUN: Final = "open run"
"""The callee of a run whose calls come from outside. No tool has a name with a space."""

MODEL_ITEMS: Final = (ModelUsage, ModelExchange, ModelFailure, HistoryCompacted, TurnEnded)
"""The items of model requests."""


class RunOpened(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The header of a run: principal, callee, application, input, and the target; see `remit.Caller`.

    A scheduled call starts at ``starts_at`` and before ``starts_before`` (seconds since the epoch; 0 for any time).
    ``schedule`` is its recurrence rule as JSON. A ``queued`` run starts when all earlier runs of its conversation have
    ended. If a person's decision opened the run, ``carries`` is the id of the call that the runtime makes first; its
    question and the decision follow the header. ``about`` says what such a run is about if the decision came without a
    message: the first message of its agent is then by Remit, not by a person. ``terms`` govern the run, as JSON: names
    of rules and layers, values of limits, and scopes. ``started_by`` is the run whose call started this one; the new
    run is limited to that call's ``tool_scope`` and ``permissions`` (None for no restriction). ``metadata`` is the
    request's, as JSON. ``history`` is the digest of the messages that the run starts from, which follow the header.
    ``passed_over`` says why agents that held the conversation do not continue it. ``held`` are the principal's
    permissions when the run was opened; its calls are judged by the current permissions.
    """

    kind: ClassVar[str] = "opened"
    format: int
    tenant: str
    principal: str
    application: str
    agent: str
    callee: str
    arguments: str
    conversation: str
    after: str
    target: str = ""
    starts_at: float = 0.0
    starts_before: float = 0.0
    schedule: str = ""
    queued: bool = False
    carries: str = ""
    about: str = ""
    terms: str = ""
    started_by: str = ""
    tool_scope: tuple[str, ...] | None = None
    permissions: tuple[str, ...] | None = None
    metadata: str = ""
    history: str = ""
    passed_over: str = ""
    held: tuple[str, ...] = ()


class GivenMessage(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A message of the history that a run starts from, of the agent with call id ``agent``, as wire text.

    The calls in it were made elsewhere or never. For ``origin`` see `Message`.
    """

    kind: ClassVar[str] = "given"
    agent: str
    text: str
    origin: str = ""


class Message(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A system, user or assistant message of the agent with call id ``agent``, as wire text, and who wrote it.

    ``origin`` is the model that wrote it, if the text has vendor-specific fields.
    """

    kind: ClassVar[str] = "message"
    agent: str
    text: str
    by: Author = "model"
    request: str = ""
    origin: str = ""


class ToolOutput(CallItem, frozen=True, kw_only=True, gc=False):
    """The only terminal record of a call. ``text`` is the wire text of a tool message, or the content for Python."""

    kind: ClassVar[str] = "tool_output"
    text: str
    outcome: Outcome
    final: bool = False


def output_content(output: ToolOutput) -> str:
    """The content of a terminal record, for any caller."""
    return cast("str", json.loads(output.text)["content"]) if output.wire else output.text


class Handoff(Item, frozen=True, kw_only=True, gc=False):
    """One agent hands the conversation over to another. It is not a chat message.

    It is stored under the call that both agents answer. ``wire`` is the model's id of the tool call that handed over.
    """

    kind: ClassVar[str] = "handoff"
    source: str
    target: str
    reason: str = ""
    wire: str = ""


class QuestionItem(CallItem, frozen=True, kw_only=True, gc=False):
    """A question about a call was opened. ``question`` is its id, ``body`` the whole `Question` as JSON.

    A question about a future call is stored under its ``match``, without a parent.
    """

    kind: ClassVar[str] = "question"
    about: Literal["approval", "outcome"] = "approval"
    question: str
    body: str


class DecisionItem(Item, frozen=True, kw_only=True, gc=False):
    """An approver's decision, copied from the run's inbox. ``body`` is the whole `Decision` as JSON."""

    kind: ClassVar[str] = "decision"
    question: str
    body: str


class CallAllowed(Item, frozen=True, kw_only=True, gc=False):
    """A rule of the policy matched a call and allowed it. A call that no rule matches is allowed without a record."""

    kind: ClassVar[str] = "allowed"
    rule: str


class RuleRead(Item, frozen=True, kw_only=True, gc=False):
    """A rule read the calls before this one: whether its test ``test`` held. It is written when that is new.

    Once the call has begun, the rule keeps this answer. Without an item the test did not hold.
    """

    kind: ClassVar[str] = "read"
    test: str
    holds: bool


class UsesReserved(Item, frozen=True, kw_only=True, gc=False):
    """What a call uses of the windows of a budget: the name, subject and amount of each; see `UseRequest`.

    The last item of a call counts, unless the call ended without having begun.
    """

    kind: ClassVar[str] = "uses"
    uses: tuple[tuple[str, str, float], ...]


class ArgumentsBound(Item, frozen=True, kw_only=True, gc=False):
    """The canonical arguments of a call with computed defaults, such as an id or the time.

    The call reuses them whenever it is executed again.
    """

    kind: ClassVar[str] = "bound"
    arguments: str


class QuestionClosed(Item, frozen=True, kw_only=True, gc=False):
    """Closes an outcome question after the attempt's end was recorded."""

    kind: ClassVar[str] = "closed"
    question: str


class CallReceived(CallItem, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An open run received an external call with these arguments (JSON). Its ``parent`` is the run's root call.

    ``key`` is the caller's key; the same key means the same call.
    """

    kind: ClassVar[str] = "received"
    arguments: str
    key: str = ""


class CallEntered(CallItem, frozen=True, kw_only=True, gc=False):
    """The body of a composed call starts. Its messages and calls follow, so that they can be shown while it runs."""

    kind: ClassVar[str] = "entered"


class AttemptStarted(CallItem, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An attempt of a call starts. The item is written before the function runs, with the approval that it consumes.

    ``definition`` is the digest of the tool's definition, as in approvals. ``pure``: it only reads, so nothing has
    happened if the attempt has no end.
    """

    kind: ClassVar[str] = "started"
    attempt: int
    question: str = ""
    definition: str = ""
    pure: bool = False


class AttemptEnded(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An attempt has ended with this content.

    ``void``: a person or the tool determined that it never happened. ``final``: its reply ends the run. ``where``: the
    code that raised its error. ``keyless``: the attempt did not read its idempotency key.
    """

    kind: ClassVar[str] = "ended"
    attempt: int
    outcome: Outcome
    content: str
    void: bool = False
    final: bool = False
    where: str = ""
    keyless: bool = False


class Note(Item, frozen=True, kw_only=True, gc=False):
    """A message that a body wrote with ``ctx.log`` or ``ctx.emit``."""

    kind: ClassVar[str] = "note"
    name: str
    data: str


class Mismatch(Item, frozen=True, kw_only=True, gc=False):
    """On resume, the current code made a different request from the recorded one. The recorded answer was kept."""

    kind: ClassVar[str] = "mismatch"
    what: str
    recorded: str
    today: str


class ErasedItem(Item, frozen=True, kw_only=True, gc=False):
    """Replaces an item whose body was erased. Its digest remains, so that the chain still verifies."""

    kind: ClassVar[str] = "erased"
    was: str


class RunSuspended(Item, frozen=True, kw_only=True, gc=False):
    """The run is suspended until these questions are decided. Without any, an open run waits for its next call."""

    kind: ClassVar[str] = "suspended"
    questions: tuple[str, ...]


class RunStalled(Item, frozen=True, kw_only=True, gc=False):
    """The run rests for a reason that will pass, until ``retry_at`` (epoch seconds) or until it is resumed.

    ``questions`` are questions that it also waits for. ``lacks`` names the terms of the run that its process lacks.
    """

    kind: ClassVar[str] = "stalled"
    reason: str
    retry_at: float
    questions: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class RunScheduled(Item, frozen=True, kw_only=True, gc=False):
    """The run rests until the time at which its call starts, in epoch seconds."""

    kind: ClassVar[str] = "scheduled"
    at: float


class RunResumed(Item, frozen=True, kw_only=True, gc=False):
    """An executor resumed the run."""

    kind: ClassVar[str] = "resumed"
    driver: str


class RunLoosened(Item, frozen=True, kw_only=True, gc=False):
    """A principal let the run continue under ``terms`` (JSON) that lack the terms in ``without``; see `RunOpened`."""

    kind: ClassVar[str] = "loosened"
    without: tuple[str, ...]
    by: str
    reason: str
    terms: str


class TraceStarted(Item, frozen=True, kw_only=True, gc=False):
    """The span of the first traced execution of the run, as a ``traceparent`` of W3C Trace Context.

    Spans of later executions link to it.
    """

    kind: ClassVar[str] = "trace"
    traceparent: str


class RunFinished(Item, frozen=True, kw_only=True, gc=False):
    """The run has ended."""

    kind: ClassVar[str] = "finished"
    status: Literal["done", "failed", "cancelled"]
    error: str = ""


HEADER_ITEMS: Final = (RunOpened, GivenMessage, QuestionItem, DecisionItem)
"""The items with which a run is stored before it starts."""

_CLASSES: Final = [each for each in [*vars().values()] if isinstance(each, type) and issubclass(each, Item)]

ITEM_TYPES: Final[dict[str, type[Item]]] = {
    each.kind: each for each in sorted(_CLASSES, key=lambda each: each in MODEL_ITEMS) if each.kind
}
"""The kinds of items by their names in the journal."""


class Position(Struct, frozen=True, gc=False):
    """An item with its run, sequence number, time, body, digest of the body, and the hash chain up to it."""

    run: str
    epoch: int
    seq: int
    at: float
    item: Item
    body: str
    digest: bytes
    chain: bytes

    def __repr__(self) -> str:
        return f"{self.run}#{self.seq} {self.item!r}"
