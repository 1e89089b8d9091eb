"""The items of model requests and of the histories that models read. `remit.record.items` has all items."""

from __future__ import annotations

from typing import ClassVar

from remit.record.item import Item


class ModelUsage(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The token usage of one model request, and the raw response body.

    ``model`` is the name in the answer, and ``requested`` the name of the model that was asked; both are priced.
    ``cached_tokens`` are part of the prompt's tokens, ``reasoning_tokens`` of the completion's. ``within`` lists the
    calls around the agent's call, innermost first; their limits apply to the request. If ``estimated``, the provider
    reported no plausible usage, and the tokens are those reserved before the request.
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
    """The requests that the layers around a model sent for one agent request, and their outcomes.

    It precedes the answer of the outermost layer. ``requests`` are the digests of the requests in order, empty if a
    layer answered by itself; ``added`` are their wire texts that are not in the agent's history. ``answer`` is the
    sha256 (hex) of the last raw answer's wire text, and ``changed`` says whether the layers changed it. ``failures``
    are the errors of single requests, as replies, except those recorded as `ModelFailure`.
    """

    kind: ClassVar[str] = "exchange"
    requests: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    answer: str = ""
    changed: bool = False
    failures: tuple[str, ...] = ()


class ModelFailure(Item, frozen=True, kw_only=True, gc=False):
    """A model request failed. ``content`` is the error as a reply, ``request`` the digest of the request.

    ``retry_at`` (epoch seconds) is set if a model is asked again while the run continues; ``attempt`` is then the
    number of the failed attempt, or 0 if another model is asked. Otherwise ``requested`` is the name of the model; see
    `ModelUsage`.
    """

    kind: ClassVar[str] = "failure"
    content: str
    request: str = ""
    attempt: int = 0
    retry_at: float | None = None
    requested: str = ""


class HistoryCompacted(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The history of the agent with call id ``agent`` was compacted before its request number ``turn``.

    The history had ``length`` messages without the system message. The last ``kept`` groups stay (None for all), and
    ``head`` replaces the earlier ones by wire texts, of which the first is a summary. A group is a message with the
    replies to its calls. ``notes`` maps call ids to the content that replaces their replies. If ``refused``, the
    provider had refused the request as too long; the item is then recorded even if only tool definitions were dropped.
    """

    kind: ClassVar[str] = "compacted"
    agent: str
    turn: int
    length: int
    kept: int | None = None
    head: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    refused: bool = False


class TurnEnded(Item, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The data that a stop policy judged after an agent's turn, and whether it ended the agent.

    It is stored under the turn's model request. ``tokens``, ``cost`` (US dollars; None if unknown) and ``seconds`` of
    execution cover the agent's call and everything below it.
    """

    kind: ClassVar[str] = "turn"
    tokens: int
    cost: float | None
    seconds: float
    stopped: bool = False
