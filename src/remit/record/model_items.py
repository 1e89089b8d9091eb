"""The items of model requests and of the histories that models read. `remit.record.items` has all items."""

from __future__ import annotations

from typing import ClassVar

from remit.record.item import Item


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
