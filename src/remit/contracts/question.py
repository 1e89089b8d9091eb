"""A question to a person about one call, and the decision on it."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter
from pydantic_core import CoreConfig, SchemaValidator

T = TypeVar("T")

QuestionKind = Literal["approval", "outcome"]
QuestionStatus = Literal["open", "approved", "denied", "taken", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """May this call run? Bound to everything that matters about it.

    Args:
        id: content of all that the question is bound to.
        match: content of what another call must share to use the same approval; names the call itself, or only its
            conversation where the tool has a confirmation flag.
        call: the call that asked. kind: approval, or the outcome of a call found started without an end.
        arguments: the canonical arguments, exactly what will run if approved.
        definition: digest of the tool's definition. rule: the rule of the policy that asked.
        who: the permission needed to decide. expires: seconds since the epoch; no answer by then means denied.
        waits: whether the run waits for it.
        four_eyes: whether somebody must decide who neither started the run nor edited the call.
        shown: what the tool says the call is about, in words, as things stood when it was asked.
        edits: the question whose decision edited the arguments, so that it is asked about what they are now.
        editor: who edited them.
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

    @property
    def requesters(self) -> tuple[str, ...]:
        """Who wants the call to run: whoever started the run, and whoever edited the call."""
        return (self.asker, self.editor) if self.editor else (self.asker,)

    def to_json(self) -> str:
        """The question as JSON text, for the journal."""
        return _type_adapter(Question).dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Question:
        """The question that `json` wrote."""
        return _json_validator(Question).validate_json(text, strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person decided: ``approved`` is True or False and nothing that merely looks like it.

    To a question about an outcome, approved means that it happened, and ``result`` is what it gave, as content.
    ``arguments`` are the canonical arguments to run instead of those asked about; empty where nobody edited them.
    ``grant`` is the grant by which nobody had to be asked; then ``by`` is who gave it.
    """

    question: str
    approved: bool
    by: str
    result: str = ""
    reason: str = ""
    at: float = 0.0
    arguments: str = ""
    grant: str = ""

    def __post_init__(self) -> None:
        if self.approved is not True and self.approved is not False:
            raise TypeError(f"approved is {self.approved!r}; a decision is True or False")

    def to_json(self) -> str:
        """The decision as JSON text, for the inbox and the journal."""
        return _type_adapter(Decision).dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Decision:
        """The decision that `json` wrote."""
        return _json_validator(Decision).validate_json(text, strict=True)


@cache
def _type_adapter(kind: type[T]) -> TypeAdapter[T]:
    """Built when first used: most processes that import this ask nobody anything."""
    return TypeAdapter(kind)


@cache
def _json_validator(kind: type[Any]) -> SchemaValidator:
    """Keeps nothing: pydantic would keep sixteen thousand of the strings that it reads, and these are read once."""
    return SchemaValidator(_type_adapter(kind).core_schema, CoreConfig(cache_strings="keys"))


def content_digest(*parts: str) -> str:
    """A short content id (blake2b, 128 bit, hex) of strings, unambiguous in their lengths."""
    text = "".join([f"{len(part)}:{part}" for part in parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def as_dict(value: Question | Decision) -> dict[str, object]:
    """The fields by name, for screens and ``--json``."""
    return asdict(value)
