"""Trials of policies and the use of approvals, over the runs and questions that one principal sees."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from pydantic import PositiveInt

from remit.approvals.policy import DEFAULT_POLICY, Policy
from remit.call.contract import Contract
from remit.client.reader import EndTime
from remit.client.updates import UpdateReader
from remit.core.call_checks import check_typed_calls
from remit.errors import RequestError
from remit.journal.ports import RunFilter, Store
from remit.record.principal import Principal
from remit.record.usage import Prices
from remit.trial.health import ApprovalHealth, HealthFold
from remit.trial.policy_trial import PolicyTrial, ShadowFold, TrialFold
from remit.trial.suggestion import SeenCalls, suggest_policy

_RUNS_A_PAGE: Final = 1000


@check_typed_calls(RequestError)
class PolicyReader(UpdateReader):
    """Judges recorded calls by other policies, and says how questions were answered, as ``principal``."""

    def __init__(self, store: Store, principal: Principal, *, application: str, prices: Prices) -> None:
        super().__init__(store, principal, application=application, prices=prices)
        self._find_policy: Callable[[], Policy] = lambda: DEFAULT_POLICY
        self._list_tools: Callable[[], Sequence[Contract]] = lambda: ()

    async def try_policy(
        self, policy: Policy, *, since: float, until: EndTime = math.inf, examples: PositiveInt = 3
    ) -> PolicyTrial:
        """Judge recorded calls by ``policy``, and compare its verdicts with those of the application's policy.

        It reads the runs that `runs` lists and that were opened from ``since`` until ``until`` (epoch seconds). No tool
        is called, and nothing is written. Erased runs are read too, so that their calls are counted. ``examples``
        calls of each group that differs are named.
        """
        fold = TrialFold(self._find_policy(), policy, self._find_contract, examples=examples)
        async for run in self._ids_of_runs(since, until):
            fold.add_run(run, await self._store.read(run))
        return fold.result()

    async def shadow_trial(self, *, since: float, until: EndTime = math.inf, examples: PositiveInt = 3) -> PolicyTrial:
        """Where the application's shadow policy differed from its policy, as it was noted when the calls were made.

        It reads the same runs as `try_policy`. ``calls`` of the result are all calls of these runs.
        """
        fold = ShadowFold(examples=examples)
        async for run in self._ids_of_runs(since, until):
            fold.add_run(run, await self._store.read(run))
        return fold.result()

    async def suggest_policy(self, *, since: float, until: EndTime = math.inf) -> str:
        """A policy file from what the tools declare, and how they were called in the runs that `try_policy` reads.

        Each rule has its reason as a comment. Try it before you use it.
        """
        seen = SeenCalls()
        async for run in self._ids_of_runs(since, until):
            seen.add_run(await self._store.read(run))
        return suggest_policy(self._list_tools(), seen)

    async def _ids_of_runs(self, since: float, until: float) -> AsyncGenerator[str]:
        """The ids of the runs of a period, newest first, erased ones included."""
        period = RunFilter(since=since) if since > 0 else RunFilter()
        if until < math.inf:
            period["until"] = until
        before, is_last = "", False
        while not is_last:
            page = await self._page(period, before, _RUNS_A_PAGE, with_erased=True)
            for row in page:
                yield row.run
            before, is_last = page.next, not page.next

    async def approval_health(self, *, since: float, until: EndTime = math.inf) -> list[ApprovalHealth]:
        """How the questions asked from ``since`` until ``until`` were answered, by tool and rule, most asked first.

        Only questions that `questions` lists count. Advice is tried on the calls of the same period; see `try_policy`.
        """
        fold = HealthFold(since, until)
        for status in ("settled", "open"):
            after = ""
            while True:
                page = await self.questions(status=status, after=after, limit=1000)
                for row in page:
                    fold.add(row)
                # settled questions are listed newest first
                is_past = status == "settled" and bool(page.items) and page.items[-1].question.asked < since
                if is_past or not page.next:
                    break
                after = page.next
        policy = self._find_policy()
        advised = fold.advised_policy(policy)
        trial = None if advised is None else await self.try_policy(advised, since=since, until=until)
        return fold.result(trial)
