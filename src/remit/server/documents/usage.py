"""Tokens and cost."""

from __future__ import annotations

from remit.record.usage import UsageTotals
from remit.server.documents.document import Document


class UsageDocument(Document):
    """Requests to models, their tokens, and the cost in US dollars; null if the price of a model is unknown.

    ``scriptedRequests`` of them were answered by a script, and ``scriptedTokens`` of the tokens are theirs: no model
    has used these.
    """

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    scripted_requests: int
    scripted_tokens: int
    cost: float | None

    @staticmethod
    def of(totals: UsageTotals) -> UsageDocument:
        """The document of totals."""
        return UsageDocument(**totals._asdict())
