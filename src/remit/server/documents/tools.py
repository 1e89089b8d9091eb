"""Tools, and direct calls of them."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, field

from remit.call.facts import Effect, Facts, Risk
from remit.chat.encoded_json import encode_json
from remit.client.tools import ToolInfo
from remit.engine.result import RunResult
from remit.errors import CallError
from remit.journal.ports import RunStatus
from remit.server.documents.document import Asked, Document, JsonObject, no_json
from remit.server.documents.sentence import SentenceDocument
from remit.views.sentences import FindContract, consequence_of, sentence_of_arguments


class ToolDocument(Document):
    """A tool that one may call: what models read of it, its facts, and what is said of its calls.

    ``digest`` changes with the definition to which approvals are bound. ``sentence`` is that of a call without
    arguments, and ``consequence`` what follows from a call.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    result: dict[str, Any]
    digest: str
    effect: Effect
    risk: Risk
    permissions: tuple[str, ...]
    egress: bool
    declared: bool
    tags: tuple[str, ...]
    timeout: float | None
    confirm: str | None
    sentence: SentenceDocument
    consequence: str

    @staticmethod
    def of(tool: ToolInfo, find_contract: FindContract) -> ToolDocument:
        """The document of a tool."""
        facts: Facts = tool.facts
        return ToolDocument(
            name=tool.name,
            description=tool.description,
            parameters=dict(tool.parameters),
            result=dict(tool.result),
            digest=tool.digest,
            effect=facts.effect,
            risk=facts.risk,
            permissions=tuple(sorted(facts.permissions)),
            egress=facts.egress,
            declared=facts.declared,
            tags=tuple(sorted(facts.tags)),
            timeout=facts.timeout,
            confirm=facts.confirm,
            sentence=SentenceDocument.of(sentence_of_arguments(tool.name, find_contract(tool.name), "{}")),
            consequence=consequence_of(facts, find_contract),
        )


class ToolsQuery(Asked):
    """The target of the calls."""

    target: str = ""


class NewCall(Asked):
    """A call of a tool with arguments by name."""

    arguments: JsonObject = field(default_factory=no_json)
    conversation: str = ""
    target: str = ""


class CallOutcome(Document):
    """The outcome of a call. ``result`` is null until it has ended, and if it has failed.

    A call that waits goes on when its ``questions`` are decided; send the request again with the same key, or read its
    run. ``error`` and ``code`` say why it has failed.
    """

    run: str
    status: RunStatus
    questions: tuple[str, ...]
    reason: str
    error: str
    code: str
    result: Raw

    @staticmethod
    def of(result: RunResult[Any]) -> CallOutcome:
        """The document of a result."""
        error: CallError | None = None if result.reply is None else result.reply.error
        is_done = result.status == "done"
        return CallOutcome(
            run=result.run,
            status=result.status,
            questions=result.questions,
            reason=result.reason,
            error="" if error is None else error.message,
            code="" if error is None else error.code,
            result=Raw(_result_as_json(result) if is_done else b"null"),
        )


def _result_as_json(result: RunResult[Any]) -> bytes:
    """The result of a call as JSON of the type that its tool declares: a text stays a text, whatever it looks like."""
    content = result.text
    try:
        is_text = result.callee.schema_out.load_json(content) == content
    except (ValueError, RecursionError):
        is_text = True
    return encode_json(content) if is_text else content.encode()
