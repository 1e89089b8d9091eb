"""The items of a journal. The state of a run is a fold over them.

Every item is stored under a ``call``: the id of the call or model request that it belongs to.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, Literal, cast

from msgspec import Struct

Outcome = Literal["ok", "error", "denied"]

Author = Literal["model", "person", "caller", "instructions", "run_instructions", "memory", "found_tools", "loop"]
"""Who wrote a message to a model or of it: ``caller`` is the call that the agent answers, ``loop`` is Remit itself."""

DETACHED: Final = "-"
"""The ``after`` of a run that is a direct call in a conversation: no run precedes or follows it."""


class Item(Struct, frozen=True, kw_only=True, gc=False):
    """The base class of items; ``kind`` names the class in the journal."""

    kind: ClassVar[str] = ""
    call: str


class CallItem(Item, frozen=True, kw_only=True, gc=False):
    """The base class of items that name a call: the call that made it, if one did, its callee, and the model's id."""

    parent: str
    callee: str
    wire: str = ""


class RunOpened(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The header of a run: principal, callee, application, input, and the target; see `remit.Caller`.

    A scheduled call starts at ``starts_at`` and before ``starts_before`` (seconds since the epoch; 0 for any time).
    ``schedule`` is its rule as JSON if it recurs. A ``queued`` run starts when those before it in its conversation have
    ended. ``carries`` is the id of the call that a person's decision opened the run for, and that the runtime makes
    before anything else: its question and the decision follow the header. ``terms`` are those under which it runs, as
    JSON: names of rules and layers, values of limits, and scopes. A run that the body of a call started is
    ``started_by`` its run, and has no more than its ``tool_scope`` and its ``permissions``, None for no restriction.
    ``metadata`` is that of the request, as JSON. ``history`` is the digest of the messages that it starts from, each of
    which follows the header. ``passed_over`` says why agents that had the conversation do not continue with it.
    ``held`` are the permissions of the principal when the run was opened; its calls are judged by those of the moment.
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

    Its calls were made elsewhere, or never. ``origin``: see `Message`.
    """

    kind: ClassVar[str] = "given"
    agent: str
    text: str
    origin: str = ""


class Message(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A system, user or assistant message of the agent with call id ``agent``, as wire text, and who wrote it.

    ``origin`` is the model that wrote it, if the text has fields that only its vendor knows.
    """

    kind: ClassVar[str] = "message"
    agent: str
    text: str
    by: Author = "model"
    request: str = ""
    origin: str = ""


class ModelUsage(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The token usage of one model request, and the raw response body.

    ``model`` is the name in the answer, and ``requested`` the name of the model that was asked; both are priced.
    ``cached_tokens`` are part of the prompt's, ``reasoning_tokens`` of the completion's. ``within`` are the calls
    around that of the agent, innermost first; their limits bind the request. ``estimated``: the provider reported no
    possible usage, and the tokens are those reserved before the request.
    """

    kind: ClassVar[str] = "usage"
    model: str
    finish: str
    prompt_tokens: int
    completion_tokens: int
    response: str
    cached_tokens: int = 0
    within: tuple[str, ...] = ()
    estimated: bool = False
    reasoning_tokens: int = 0
    requested: str = ""


class ModelExchange(Item, frozen=True, kw_only=True, gc=False):
    """The requests that the layers around a model sent for one request of an agent, and what came of them.

    It precedes the answer, which is what left the outermost layer. ``requests`` are digests of the requests in order,
    empty if a layer answered by itself; ``added`` are the wire texts in them that the agent's history does not hold.
    ``answer`` is the sha256 (hex) of the last raw answer's wire text, ``changed`` whether the layers changed it, and
    ``failures`` are the errors of single requests, as replies, without those on record as `ModelFailure`.
    """

    kind: ClassVar[str] = "exchange"
    requests: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    answer: str = ""
    changed: bool = False
    failures: tuple[str, ...] = ()


class ModelFailure(Item, frozen=True, kw_only=True, gc=False):
    """A model request failed. ``content`` is the error as a reply, ``request`` the digest of the request.

    ``retry_at`` (epoch seconds) is set if a model is asked again without the run resting: ``attempt`` is the number of
    the failed attempt, 0 if another model is asked. Otherwise ``requested`` is the name of the model; see `ModelUsage`.
    """

    kind: ClassVar[str] = "failure"
    content: str
    request: str = ""
    attempt: int = 0
    retry_at: float | None = None
    requested: str = ""


class ToolOutput(CallItem, frozen=True, kw_only=True, gc=False):
    """The one terminal record of a call; ``text`` is the wire text of a tool message, or for Python the content."""

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

    A question about a call to come is stored under its ``match``, without a parent.
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


class ArgumentsBound(Item, frozen=True, kw_only=True, gc=False):
    """The canonical arguments of a call with defaults that a function computed, such as an id or the time.

    The call uses them whenever it is executed again.
    """

    kind: ClassVar[str] = "bound"
    arguments: str


class QuestionClosed(Item, frozen=True, kw_only=True, gc=False):
    """Closes an outcome question after the attempt's end was recorded."""

    kind: ClassVar[str] = "closed"
    question: str


class CallEntered(CallItem, frozen=True, kw_only=True, gc=False):
    """The body of a composed call starts. Its messages and calls follow, so that they can be told while it runs."""

    kind: ClassVar[str] = "entered"


class AttemptStarted(CallItem, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An attempt of a call starts. Written before the function runs, with the approval that it consumes."""

    kind: ClassVar[str] = "started"
    attempt: int
    question: str = ""


class AttemptEnded(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An attempt has ended, with its content. ``void``: a person or the tool found that it never happened.

    ``final``: its reply ends the run. ``where``: the code that raised its error. ``keyless``: it had not read its key.
    """

    kind: ClassVar[str] = "ended"
    attempt: int
    outcome: Outcome
    content: str
    void: bool = False
    final: bool = False
    where: str = ""
    keyless: bool = False


class HistoryCompacted(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The history of the agent with call id ``agent`` was compacted before its request number ``turn``.

    Of the ``length`` messages that it had, without the system message, the last ``kept`` groups stay (None for all),
    and ``head`` stands for those before: wire texts, the first of which is a summary. A group is a message with the
    replies to its calls. ``notes`` are call ids, each with the content that replaces its reply. ``refused``: the
    provider had refused the request as too long. It is then recorded too if only definitions of tools have left.
    """

    kind: ClassVar[str] = "compacted"
    agent: str
    turn: int
    length: int
    kept: int | None = None
    head: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    refused: bool = False


class Note(Item, frozen=True, kw_only=True, gc=False):
    """A message that a body wrote with ``ctx.log`` or ``ctx.emit``."""

    kind: ClassVar[str] = "note"
    name: str
    data: str


class TurnEnded(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """What a stop policy was asked about a turn of an agent, and whether it ended the agent.

    It is stored under the turn's model request. ``tokens`` and ``cost`` (US dollars; None if unknown) are those of the
    agent's call with everything below it, ``seconds`` those for which it executed.
    """

    kind: ClassVar[str] = "turn"
    tokens: int
    cost: float | None
    seconds: float
    stopped: bool = False


class Mismatch(Item, frozen=True, kw_only=True, gc=False):
    """On resume, the current code made another request than the journal records. The recorded answer was kept."""

    kind: ClassVar[str] = "mismatch"
    what: str
    recorded: str
    today: str


class ErasedItem(Item, frozen=True, kw_only=True, gc=False):
    """Replaces an item whose body was erased. Its digest remains, so that the chain still verifies."""

    kind: ClassVar[str] = "erased"
    was: str


class RunSuspended(Item, frozen=True, kw_only=True, gc=False):
    """The run is suspended until these questions are decided."""

    kind: ClassVar[str] = "suspended"
    questions: tuple[str, ...]


class RunStalled(Item, frozen=True, kw_only=True, gc=False):
    """The run rests for a reason that will pass, until ``retry_at`` (epoch seconds) or until it is resumed.

    ``questions`` are those that it also waits for. ``lacks`` names the terms of the run that its process lacks.
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
    """A principal let the run continue under ``terms`` (JSON), which lack what ``without`` names; see `RunOpened`."""

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

ITEM_TYPES: Final[dict[str, type[Item]]] = {
    each.kind: each for each in [*vars().values()] if isinstance(each, type) and issubclass(each, Item) and each.kind
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
