"""Mutants of the figures about retries."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited

_RETRY = "remit.layers.retry:_Retry.__call__"

MUTANTS: Final = (
    Mutant(
        figure="retry.amplification",
        defect="a retry is not paid from the bucket",
        plant=edited("remit.call.retry_budget:RetryBudget.try_spend", "if total > BUCKET_TOKENS:", "if False:"),
    ),
    Mutant(
        figure="retry.amplification",
        defect="each tenant has a bucket of its own",
        plant=edited(
            _RETRY,
            "self._budget.try_spend(call.callee.name, cost)",
            "self._budget.try_spend(call.caller.principal.tenant, cost)",
        ),
    ),
    Mutant(
        figure="retry.amplification",
        defect="a retry after a deadline costs nothing",
        plant=edited(_RETRY, "cost = TIMEOUT_RETRY_COST if", "cost = 0 if"),
    ),
    Mutant(
        figure="retry.unsafe_executions",
        defect="an unsafe call is retried",
        plant=edited(_RETRY, "in (Effect.UNSAFE, Effect.COMPOSED)", "in (Effect.COMPOSED,)"),
    ),
    Mutant(
        figure="retry.unsafe_executions",
        defect="a composed call is retried",
        plant=edited(_RETRY, "in (Effect.UNSAFE, Effect.COMPOSED)", "in (Effect.UNSAFE,)"),
    ),
    Mutant(
        figure="retry.unsafe_executions",
        defect="an idempotent call that is still running is retried",
        plant=edited("remit.layers.retry:_is_retryable", "in (Effect.PURE, Effect.KEYED)", "is not Effect.UNSAFE"),
    ),
    Mutant(
        figure="retry.unsafe_executions",
        defect="a keyed call that has not read its key is retried",
        plant=edited(
            "remit.dispatch.context:CallContext.__init__",
            "callee.facts.effect is Effect.KEYED",
            "False",
        ),
    ),
)
