"""What a journal says, item by item. The state of a run is a fold over these.

Every item is filed under a ``call``: the id of the call, or of the model request, that it is about.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from msgspec import Struct

Outcome = Literal["ok", "error", "denied"]

DETACHED: Final = "-"
"""The ``after`` of a run that is a direct call in a conversation: it follows none of its runs, and none follows it."""


class Item(Struct, frozen=True, kw_only=True, gc=False):
    """The parent of all items; ``kind`` names the class in the journal."""

    kind: ClassVar[str] = ""
    call: str


class RunOpened(Item, frozen=True, kw_only=True, gc=False):
    """The header of a run: who runs what, for which application, with which input."""

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


class Message(Item, frozen=True, kw_only=True, gc=False):
    """A system, user or assistant message of the agent whose call id is ``agent``: its wire text."""

    kind: ClassVar[str] = "message"
    agent: str
    text: str
    request: str = ""


class ModelReply(Item, frozen=True, kw_only=True, gc=False):
    """What a model said to the worker whose call id is ``agent``: PydanticAI's response, as JSON.

    ``request`` is the digest of what was asked. It stands beside the bijection: a response holds more than a chat
    message can.
    """

    kind: ClassVar[str] = "model_reply"
    agent: str
    request: str
    response: str


class ModelUsage(Item, frozen=True, kw_only=True, gc=False):
    """What one model request took, and the raw response body."""

    kind: ClassVar[str] = "usage"
    model: str
    finish: str
    prompt_tokens: int
    completion_tokens: int
    response: str


class ModelFailure(Item, frozen=True, kw_only=True, gc=False):
    """A model request failed; ``content`` is the error as a reply, ``request`` the digest of what was asked."""

    kind: ClassVar[str] = "failure"
    content: str
    request: str = ""


class ToolOutput(Item, frozen=True, kw_only=True, gc=False):
    """The one terminal record of a call. For a model's call ``text`` is the wire text of the tool message.

    ``wire`` is the id by which the model named the call; for every other caller it is empty and ``text`` is the
    content alone.
    """

    kind: ClassVar[str] = "tool_output"
    parent: str
    callee: str
    wire: str
    text: str
    outcome: Outcome
    final: bool = False


class Handoff(Item, frozen=True, kw_only=True, gc=False):
    """One agent hands the conversation to another. No chat message.

    It is filed under the call that both answer. ``wire`` is the id by which the model named the call that did it.
    """

    kind: ClassVar[str] = "handoff"
    source: str
    target: str
    reason: str = ""
    wire: str = ""


class QuestionItem(Item, frozen=True, kw_only=True, gc=False):
    """A question was put to a person; ``question`` is its id, ``body`` the whole `Question` as JSON."""

    kind: ClassVar[str] = "question"
    parent: str
    about: Literal["approval", "outcome"] = "approval"
    question: str
    body: str


class DecisionItem(Item, frozen=True, kw_only=True, gc=False):
    """A person's decision, copied from the run's inbox; ``body`` is the whole `Decision` as JSON."""

    kind: ClassVar[str] = "decision"
    question: str
    body: str


class AttemptStarted(Item, frozen=True, kw_only=True, gc=False):
    """An attempt begins: written before the function runs, with the approval it takes."""

    kind: ClassVar[str] = "started"
    parent: str
    attempt: int
    question: str = ""


class AttemptEnded(Item, frozen=True, kw_only=True, gc=False):
    """An attempt has ended, with its content. ``void``: a person or the tool found that it never happened.

    ``final``: its reply ends the run.
    """

    kind: ClassVar[str] = "ended"
    attempt: int
    outcome: Outcome
    content: str
    void: bool = False
    final: bool = False


class Note(Item, frozen=True, kw_only=True, gc=False):
    """Something a body said with ``ctx.log`` or ``ctx.emit``."""

    kind: ClassVar[str] = "note"
    name: str
    data: str


class Mismatch(Item, frozen=True, kw_only=True, gc=False):
    """On resume, today's code asked for something else than the journal recorded; the recorded one was kept."""

    kind: ClassVar[str] = "mismatch"
    what: str
    recorded: str
    today: str


class ErasedItem(Item, frozen=True, kw_only=True, gc=False):
    """What stands where a body was erased: its digest remains, so that the chain still holds."""

    kind: ClassVar[str] = "erased"
    was: str


class RunSuspended(Item, frozen=True, kw_only=True, gc=False):
    """The run is suspended until these questions are decided."""

    kind: ClassVar[str] = "suspended"
    questions: tuple[str, ...]


class RunResumed(Item, frozen=True, kw_only=True, gc=False):
    """A driver took the run up again."""

    kind: ClassVar[str] = "resumed"
    driver: str


class RunFinished(Item, frozen=True, kw_only=True, gc=False):
    """The run has ended."""

    kind: ClassVar[str] = "finished"
    status: Literal["done", "failed", "cancelled"]
    error: str = ""


ITEM_TYPES: Final[dict[str, type[Item]]] = {kind.kind: kind for kind in Item.__subclasses__()}


class Position:
    """Where in its run an item stands, when it was written, its body and the digest of that, and the chain up to it."""

    __slots__ = ("at", "body", "chain", "digest", "epoch", "item", "run", "seq")

    def __init__(
        self, run: str, epoch: int, seq: int, at: float, item: Item, body: str, digest: bytes, chain: bytes
    ) -> None:
        self.run = run
        self.epoch = epoch
        self.seq = seq
        self.at = at
        self.item = item
        self.body = body
        self.digest = digest
        self.chain = chain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.fields() == other.fields()

    def __hash__(self) -> int:
        return hash((self.run, self.seq))

    def fields(self) -> tuple[Any, ...]:
        """All fields, for comparison and for a row."""
        return (self.run, self.epoch, self.seq, self.at, self.item, self.body, self.digest, self.chain)

    def __repr__(self) -> str:
        return f"{self.run}#{self.seq} {self.item!r}"
